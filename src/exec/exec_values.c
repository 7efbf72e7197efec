/* SPDX-License-Identifier: MIT */
#include "exec_state.h"
#include "exit_status.h"
#include "follow.h"
#include "output_capture.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COMMAND_OUTPUT_BYTES = 1 << 16 };

/* ---- counters ---- */

enum tare_status exec_open_counters(struct exec *x, struct tare_err *err)
{
    x->counters = calloc((size_t)x->o->n_counters + 1, sizeof *x->counters);
    if (!x->counters)
        return err_set(err, TARE_NO_MEMORY, "no memory for counters");
    for (int i = 0; i < x->o->n_counters; i++) {
        struct tare_err why = {0};
        enum tare_status status = plat_counter_open(&x->counters[i].open, x->spawner, x->o->counters[i], &why);
        if (status == TARE_INVALID) /* a misspelt name is wrong use, not a property of this machine */
            return err_set(err, status, "--metric perf:%s: %s", x->o->counters[i], why.text);
        if (status) {
            x->counters[i].open = NULL;
            x->counters[i].reason = arena_strdup(&x->arena, why.text);
        }
    }
    return TARE_OK;
}

const char *exec_counter_reason(const struct exec *x, int counter)
{
    return x->counters[counter].reason;
}

bool exec_counter_user_only(const struct exec *x, int counter)
{
    return x->counters[counter].open && plat_counter_user_only(x->counters[counter].open);
}

void exec_counters_before(struct exec *x)
{
    double running;
    for (int i = 0; x->counters && i < x->o->n_counters; i++)
        if (!x->counters[i].open || plat_counter_read(x->counters[i].open, &x->counters[i].before, &running))
            x->counters[i].before = NAN;
}

static double counter_since(struct counter *c)
{
    double now, running;
    if (!c->open || plat_counter_read(c->open, &now, &running) || running <= 0)
        return NAN;
    return now - c->before;
}

/* ---- what the kernel says ---- */

enum {
    BUILTINS = 0
#define METRIC(id, title, unit, kind, direction) +1
#include "metrics.def"
#undef METRIC
};

/* In the order of metrics.def, then the counters. Returns how many. */
static int fill_metrics(struct exec *x, const struct plat_child_result *result, double *values)
{
    const double builtin[] = {
        (double)(result->end_ns - result->start_ns),
        (double)(result->user_ns + result->sys_ns),
        (double)result->user_ns,
        (double)result->sys_ns,
        (double)result->rss_bytes,
        (double)result->majflt,
        (double)result->minflt,
        (double)(result->ctx_voluntary + result->ctx_involuntary),
    };
    _Static_assert(sizeof builtin / sizeof *builtin == BUILTINS, "one value for each metric");
    int n = BUILTINS;
    memcpy(values, builtin, sizeof builtin);
    for (int i = 0; i < x->o->n_counters; i++)
        values[n++] = x->counters ? counter_since(&x->counters[i]) : NAN;
    return n;
}

/* ---- own metrics ---- */

/* One that is not there is a slip, and would be missing in every run. */
static enum tare_status find_metric_program(struct exec *x, const struct own_metric *m, const char *const *environment,
                                            const char *cwd, struct tare_err *err)
{
    enum tare_status status = exec_resolve(x, m->words[0], environment, cwd, err);
    if (!status)
        return status;
    struct buf where = BUF_INIT(256);
    buf_format(&where, "metric %s", m->name);
    err_prefix(err, buf_text(&where));
    buf_finish(&where);
    return status == TARE_NOT_FOUND || status == TARE_PERMISSION ? TARE_CHILD : status;
}

static enum tare_status run_metric(struct exec *x, int index, const struct own_metric *m, int input, int output,
                                   struct plat_child_result *result, struct tare_err *err)
{
    const char *const *environment = padding_environment(&x->padding, index);
    const char *cwd = exec_cwd(x, x->commands[index].cwd);
    enum tare_status status = find_metric_program(x, m, environment, cwd, err);
    struct plat_child_spec spec = exec_spec_for(x, m->words, environment, cwd);
    streams_for_hook(&x->streams, x->o->show_hook_output, &spec);
    spec.fd_in = input;
    spec.fd_out = output;
    spec.scratch_bytes = COMMAND_OUTPUT_BYTES;
    spec.timeout_ns = x->o->timeout_ns;
    if (!status)
        status = plat_child_run(x->spawner, &spec, result, err);
    if (!status && result->end == CHILD_INTERRUPTED)
        status = err_set(err, TARE_INTERRUPTED, "interrupted in the command of metric %s", m->name);
    return status;
}

/* One metric's command, the run's output as its input; its error output goes where the hooks' does. */
static enum tare_status tell(struct exec *x, int index, const struct own_metric *m, const struct output_capture *h, double *value,
                             int *why, struct tare_err *err)
{
    struct plat_child_result result = {0};
    int input = output_capture_as_input(h, err), output = input < 0 ? -1 : plat_open_scratch(err);
    enum tare_status status = output < 0 ? TARE_IO : run_metric(x, index, m, input, output, &result, err);
    if (!status)
        *why = exit_status_failed(&result) ? NULL_METRIC_FAILED : output_capture_number(output, m, value);
    plat_close(input);
    plat_close(output);
    return status;
}

static enum tare_status gather(struct exec *x, int index, const struct output_capture *h, double *values, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    for (int i = 0; i < x->o->n_own && !status; i++) {
        const struct own_metric *m = &x->o->own[i];
        double value = NAN;
        int why = NULL_TOO_LONG;
        if (m->kind == OWN_REGEX)
            why = output_capture_search(h, m, &value);
        else if (!h->too_long)
            status = tell(x, index, m, h, &value, &why, err);
        values[2 * i] = why ? NAN : value;
        values[2 * i + 1] = why;
    }
    return status;
}

/* The output of the run just made, between runs. A failure that ends the session is not searched: its own message counts. */
static enum tare_status output_capture_run(struct exec *x, int index, bool good, double *own, double *hash, struct tare_err *err)
{
    struct output_capture h;
    enum tare_status status = output_capture_read(&h, x->streams.kept_out, x->streams.kept_err, err);
    if (status)
        return status;
    if (x->commands[index].output == OUTPUT_INHERIT)
        output_capture_show(&h, 1, 2);
    if (x->o->compare_output)
        *hash = output_capture_hash(&h);
    if (good)
        status = gather(x, index, &h, own, err);
    output_capture_finish(&h);
    return status;
}

enum tare_status exec_collect(struct exec *x, int index, const struct plat_child_result *result, struct run_values *y,
                              struct tare_err *err)
{
    int n = fill_metrics(x, result, y->values);
    double *own = y->values + n, *followed = own + 2 * x->o->n_own;
    double *account = followed + (x->o->follow_rounds ? FOLLOW_COLUMNS : 0), *hash = account + RUN_STATS_COLUMNS;
    y->followed = x->o->follow_rounds ? followed : NULL;
    if (y->followed)
        follow_nothing(y->followed, NULL_NOT_ASKED);
    y->flags = run_stats_fill(&x->account, index, result, account); /* before the metrics' commands run */
    for (int i = 0; i < x->o->n_own; i++) {
        own[2 * i] = NAN;
        own[2 * i + 1] = NULL_NOT_MADE;
    }
    *hash = NAN;
    if (x->streams.kept_out < 0)
        return TARE_OK;
    return output_capture_run(x, index, !exit_status_failed(result) || exit_status_ignored(x->o, result), own, hash, err);
}
