/* SPDX-License-Identifier: MIT
 *
 * `tare run`: whole commands, compared in interleaved rounds.
 */
#include "run.h"
#include "self_trace.h"
#include "stored_keep.h"
#include <math.h>

/* What a run would stumble over at its start. */
static void say_missing_programs(const struct run *run)
{
    struct tare_err err;
    for (int i = 0; i < run->n_commands && !run->revisions.n; i++)
        if (run_find_program(run, i, &err))
            run_note(run, "%s", err.text);
}

void run_plan_text(const struct run *run, const char *heading, struct buf *out)
{
    const struct plan_options *plan = &run->session.plan;
    const struct rule *rule = &run->record.rule;
    bool georges = rule->method == METHOD_GEORGES, no_limit = (plan->runs || georges) && !plan->budget_hard;
    struct render_plan shown = {.heading = heading,
                                .warmup = plan->warmup,
                                .runs = plan->runs,
                                .first_look = plan_first_look(plan, rule),
                                .max_rounds = georges ? rule->georges_runs : plan->max_rounds,
                                .max_time_s = no_limit ? NAN : (double)plan->budget_ns / 1e9,
                                .follow_rounds = run->exec_options.follow_rounds,
                                .sessions = run->o->sessions,
                                .every_s = (double)run->o->every_ns / 1e9,
                                .empty_program = run_adaptive(run->o) && !run->benchmarks && !run->traced,
                                .why_blocks = run->session.why_blocks,
                                .traced = run->traced_how,
                                .tuned = tuning_plan_text(run->tuning)};
    const char *after_run[OWN_METRICS_MAX];
    for (int i = 0; i < run->exec_options.n_own; i++)
        if (run->exec_options.own[i].kind == OWN_COMMAND)
            after_run[shown.n_after_run++] = run->exec_options.own[i].text;
    shown.after_run = after_run;
    const char *untimed[UNTIMED_KINDS_MAX];
    shown.untimed = untimed;
    shown.n_untimed = run_untimed_purposes(run->o, untimed, UNTIMED_KINDS_MAX);
    render_dry_run(&run->record, &shown, &run->render, out);
}

int run_dry(struct run *run)
{
    struct buf b = BUF_INIT(1 << 24);
    run_plan_text(run, NULL, &b);
    say_missing_programs(run);
    return cli_print(run->cli, &b);
}

int run_session(struct run *run)
{
    struct tare_err err;
    if (stored_keep(run->o->save, (struct stored_keep){0}, &err))
        return cli_fail(run->cli, EXIT_USAGE, &err);
    enum exit_code refused = run_baseline_load(run);
    if (refused)
        return refused;
    TARE_POINT_NAMED("open");
    enum tare_status status = run_open(run, &err);
    if (status) /* nothing here is wrong use: that was refused before */
        return cli_fail(run->cli, status == TARE_CHILD ? EXIT_CHILD : EXIT_TOOL, &err);
    TARE_POINT_NAMED("measure");
    status = run_measure(run, &err);
    TARE_POINT_NAMED("report");
    return run_report(run, status, &err);
}

/* ---- a session of a set ---- */

static struct run *begin(void *context, struct cli *cli, const struct run_options *o)
{
    struct run *run = context;
    *run = (struct run){.cli = cli, .o = o};
    return run;
}

static enum tare_status describe(void *context, struct run *run, struct tare_err *err)
{
    (void)context;
    return run_describe(run, err);
}

static int measure_session(void *context, struct run *run)
{
    (void)context;
    return run_session(run);
}

static int several(struct run *described)
{
    struct run one;
    const struct session_maker maker = {.context = &one, .begin = begin, .describe = describe, .measure = measure_session};
    return run_sessions(described, &maker);
}

int cmd_run(struct cli *cli, const void *options)
{
    struct run run = {.cli = cli, .o = options};
    struct tare_err err;
    record_init(&run.record);
    enum tare_status status = run_describe(&run, &err);
    int code;
    if (status) {
        code = cli_fail(cli, run_code_of(status), &err);
    } else {
        run_say_notes(&run);
        code = run.o->dry_run ? run_dry(&run) : run.o->sessions ? several(&run) : run_session(&run);
    }
    return run_end(&run, code);
}
