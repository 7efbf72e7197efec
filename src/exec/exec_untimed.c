/* SPDX-License-Identifier: MIT */
#include "exec_state.h"
#include "exit_status.h"
#include "follow.h"
#include "output_capture.h"
#include <math.h>
#include <string.h>

/* ---- one run that is no row ---- */

/* Output that was kept for own metrics is shown where it would have been seen. */
static enum tare_status show_kept(struct exec *x, int index, struct tare_err *err)
{
    if (x->streams.kept_out < 0 || x->commands[index].output != OUTPUT_INHERIT)
        return TARE_OK;
    struct output_capture h;
    enum tare_status status = output_capture_read(&h, x->streams.kept_out, x->streams.kept_err, err);
    if (!status)
        output_capture_show(&h, 1, 2);
    output_capture_finish(&h);
    return status;
}

static enum tare_status run_untimed(struct exec *x, int index, const struct exec_untimed *how, struct plat_child_result *result,
                                    struct tare_err *err)
{
    const struct exec_command *c = &x->commands[index];
    struct plat_child_spec spec;
    enum tare_status status = exec_prepare_run(x, index, &spec, err);
    if (!status) {
        if (how->adjust)
            how->adjust(how->context, &spec);
        status = plat_child_run(x->spawner, &spec, result, err);
    }
    if (!status)
        status = show_kept(x, index, err);
    if (!status && how->reported)
        status = exec_reported_read(x, index, result, how->reported, err);
    streams_after_run(&x->streams);
    if (status)
        return status;
    if (result->end == CHILD_INTERRUPTED)
        return err_set(err, TARE_INTERRUPTED, "interrupted in %s", how->what);
    if (result->end == CHILD_NOT_STARTED)
        return exit_status_not_started(result, c->name, c->argv[0], err);
    if (!exit_status_failed(result) || exit_status_ignored(x->o, result))
        return TARE_OK;
    struct buf b = BUF_INIT(256);
    exit_status_describe(&b, result, x->o->timeout_ns);
    err_set(err, TARE_CHILD, "'%s' %s in %s; %s", c->name, buf_text(&b), how->what, exit_status_advice(result));
    buf_finish(&b);
    return TARE_CHILD;
}

enum tare_status exec_untimed(struct exec *x, int command, const struct exec_untimed *how, struct plat_child_result *result,
                              struct tare_err *err)
{
    const struct exec_command *c = &x->commands[command];
    *result = (struct plat_child_result){0};
    enum tare_status status = exec_hook_in(x, &c->prepare, "prepare", padding_environment(&x->padding, command), err);
    if (status)
        return status;
    status = run_untimed(x, command, how, result, err);
    struct tare_err later;
    enum tare_status concluded =
        exec_hook_in(x, &c->conclude, "conclude", padding_environment(&x->padding, command), status ? &later : err);
    return status ? status : concluded;
}

/* ---- the same run once more, followed ---- */

static void ask_for_peak(void *context, struct plat_child_spec *spec)
{
    (void)context;
    spec->peak = true;
}

/* Of the metric that decides: why this machine cannot have it; 0: it can, or this run alone lacks it. */
static int deciding_is_missing(const struct exec *x, const double *values)
{
    for (int i = 0; x->o->follow_decides && i < FOLLOW_METRICS; i++) {
        int reason = strcmp(metric_followed(i)->id, x->o->follow_decides) ? 0 : (int)values[2 * i + 1];
        if (reason == NULL_NO_GROUP)
            return reason;
    }
    return 0;
}

static enum tare_status nothing_decides(const struct exec *x, int reason, struct tare_err *err)
{
    return err_set(err, TARE_UNSUPPORTED,
                   "--metric %s decides and is not measurable here: %s; let another one decide: --metric wall --memory=exact",
                   x->o->follow_decides, null_reason_text(reason));
}

/* A run that fails only when it is followed takes nothing from the timed ones: it has no value. */
static enum tare_status follow(struct exec *x, int index, double *values, struct tare_err *err)
{
    static const struct exec_untimed how = {.what = "an untimed run for --memory=exact", .adjust = ask_for_peak};
    struct plat_child_result result = {0};
    enum tare_status status = run_untimed(x, index, &how, &result, err);
    bool refused = result.end == CHILD_NOT_STARTED && !result.code;
    if (status && status != TARE_CHILD)
        return status;
    if (refused)
        x->refused[index] = follow_reason(result.peak_why);
    if (status)
        follow_nothing(values, refused ? x->refused[index] : NULL_NOT_MADE);
    else
        follow_fill(&result, values);
    int missing = !x->o->follow_decides ? 0 : refused ? x->refused[index] : deciding_is_missing(x, values);
    return missing ? nothing_decides(x, missing, err) : TARE_OK;
}

bool exec_to_be_followed(const struct exec *x, int index, int round, bool warmup, const struct plat_child_result *result)
{
    return round < x->o->follow_rounds && !warmup && !x->commands[index].own_part &&
           (!exit_status_failed(result) || exit_status_ignored(x->o, result));
}

enum tare_status exec_follow(struct exec *x, int index, double *values, bool *begun, struct tare_err *err)
{
    const struct exec_command *c = &x->commands[index];
    const char *const *environment = padding_environment(&x->padding, index);
    if (x->refused[index]) {
        follow_nothing(values, x->refused[index]);
        return TARE_OK;
    }
    *begun = false;
    enum tare_status status = exec_hook_in(x, &c->conclude, "conclude", environment, err);
    if (!status)
        status = exec_hook_in(x, &c->prepare, "prepare", environment, err);
    if (status)
        return status;
    *begun = true;
    return follow(x, index, values, err);
}
