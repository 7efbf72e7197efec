/* SPDX-License-Identifier: MIT
 *
 * `tare run`: whole commands, compared in interleaved rounds.
 */
#include "check.h"
#include "export.h"
#include "gate.h"
#include "history_keep.h"
#include "machine.h"
#include "plan.h"
#include "record_arcs.h"
#include "record_kind.h"
#include "run.h"
#include "screen.h"
#include "self_trace.h"
#include "spans.h"
#include "stored_file.h"
#include "units.h"
#include <limits.h>
#include <math.h>

static bool any_prepare(const struct run *run)
{
    for (int i = 0; i < run->subjects.n; i++)
        if (run->commands[i].prepare.argv)
            return true;
    return false;
}

static const char *part_of_time(struct arena *a, const char *event, double counted, const char *of)
{
    return arena_format(a, "perf:%s was counted for %s of %s", event, figure_text(figure_share, counted).at, of);
}

/* Less than 1 % is none. In the arena; NULL: no memory. */
static const char **scaled_counters(const struct run *run, int *n)
{
    struct arena *a = run->cli->arena;
    const char **texts = arena_array(a, (size_t)(run->exec_options.n_counters + run->n_scaled) + 1, sizeof *texts);
    *n = 0;
    for (int i = 0; texts && run->session.exec && i < run->exec_options.n_counters; i++) {
        const double uncounted = exec_counter_uncounted(run->session.exec, i);
        if (uncounted >= 0.01)
            texts[(*n)++] = part_of_time(a, run->exec_options.counters[i], 1 - uncounted, "a run");
    }
    for (int i = 0; texts && i < run->n_scaled; i++)
        if (1 - run->scaled[i].counted >= 0.01)
            texts[(*n)++] = part_of_time(a, run->scaled[i].name, run->scaled[i].counted, "its process");
    return *n && !texts[*n - 1] ? NULL : texts;
}

static enum tare_status add_findings(struct run *run, struct tare_err *err)
{
    const struct plan_options *plan = &run->session.plan;
    int n_scaled;
    const char **scaled = scaled_counters(run, &n_scaled);
    if (!scaled)
        return err_no_memory(err);
    const int most = run_adaptive(run->o) ? plan->max_rounds : plan->runs;
    struct check_facts facts = {.prepared = any_prepare(run),
                                .pinned = run->exec_options.n_pin_cpus > 0,
                                .shows_output = run->exec_options.show_hook_output,
                                .unstable_fails = run->o->fail_if_unstable,
                                .adaptive = run_adaptive(run->o),
                                .runs_most = most ? most : INT_MAX,
                                .missing_counters = run->missing_counters,
                                .n_missing_counters = run->n_missing_counters,
                                .user_only_counters = run->user_only_counters,
                                .n_user_only_counters = run->n_user_only_counters,
                                .scaled_counters = scaled,
                                .n_scaled_counters = n_scaled,
                                .unequal_padding = run->session.exec && !exec_padding_equal(run->session.exec, run->subjects.n)};
    return check_record(&run->record, &facts, err);
}

static bool any_failure(const struct record *r)
{
    for (int i = 0; i < r->n_subjects; i++)
        if (r->subjects[i].failure && !subject_skipped(&r->subjects[i]) &&
            r->subjects[i].kind != SUBJECT_LEAK) /* see leak_code */
            return true;
    return false;
}

/* With a --baseline a program's own comparisons are not what --fail-if-slower asks: that session answers (run_against_baseline). */
static bool gate_asked(const struct run *run)
{
    const struct record *r = &run->record;
    if (run->concluded || isnan(r->rule.fail_if_slower))
        return false;
    if (!run->o->baseline.n)
        return true;
    return run->benchmarks ? plan_two_programs(r) : r->n_comparisons > 0;
}

static enum exit_code keep_record(struct run *run)
{
    struct tare_err err;
    enum exit_code code = EXIT_ANSWERED;
    TARE_POINT_NAMED("files");
    const struct outputs *out = &run->session.outputs;
    if (out->n_traces && spans_keep_stacks(&run->record, out->traces, out->traced, out->n_traces, &err))
        code = cli_fail(run->cli, EXIT_TOOL, &err);
    if (run->session.save_failed)
        code = cli_fail(run->cli, EXIT_TOOL, &run->session.save_error);
    else if (run->session.outputs.save && record_write_tail(&run->session.outputs.writer, &run->record, &err))
        code = cli_fail(run->cli, EXIT_TOOL, &err);
    if (outputs_export(&run->session.outputs, &run->record, &err))
        code = cli_fail(run->cli, EXIT_TOOL, &err);
    if (!run->o->display.quiet)
        outputs_say_left_out(&run->session.outputs, run->cli);
    if (outputs_finish(&run->session.outputs, &err))
        code = cli_fail(run->cli, EXIT_TOOL, &err);
    return code;
}

static enum exit_code add_to_history(struct run *run, enum tare_status outcome)
{
    struct tare_err err;
    struct buf line = BUF_INIT(1 << 16);
    if (!run->history)
        return EXIT_ANSWERED;
    if (outcome || any_failure(&run->record) || run->record.partial) {
        run_note(run, "not added to the history: the session is not complete");
        return EXIT_ANSWERED;
    }
    if (history_keep_add(run->history, &run->record, &err)) {
        err_prefix(&err, "--history");
        return cli_fail(run->cli, EXIT_TOOL, &err);
    }
    if (run->o->display.quiet)
        return EXIT_ANSWERED;
    history_keep_line(run->history, &line);
    buf_char(&line, '\n');
    return screen_text(run->cli, &run->o->display, &line);
}

/* At least one complete round, or in blocks one run, or with --aa one round of a session. A target that failed is a result too. */
static bool anything_measured(const struct record *r)
{
    int expected = 0, measured = 0, failed = 0;
    for (int i = 0; i < r->n_subjects; i++) {
        expected += subject_measured(&r->subjects[i]) && !r->subjects[i].failure;
        failed += r->subjects[i].failure != NULL;
        measured += r->subjects[i].kind == SUBJECT_HOST && r->series[i].main.n > 0; /* worth seeing before any session */
        measured += subject_measured(&r->subjects[i]) && !r->subjects[i].failure && record_rounds(r, &i, 1) > 0;
    }
    if (record_kind(r)->targets)
        return measured > 0 || failed > 0;
    if (record_kind(r)->arcs) /* what a run left before it failed is worth seeing */
        return r->traced && r->traced->n_runs > 0;
    return r->rule.interleaved && !r->rule.against_itself ? measured == expected : measured > 0;
}

/* All went well and there is nothing to show: the time was over first. Of runs that left no trace tare trace says it. */
static void say_nothing_measured(struct run *run)
{
    struct tare_err err;
    if (run->record.rounds)
        return;
    err_set(&err, TARE_TOO_FEW, "the time was up after %s, before a complete round was measured; raise --max-time%s",
            figure_text(figure_duration, run->record.seconds).at, run->session.plan.warmup ? ", or --warmup 0" : "");
    cli_fail(run->cli, EXIT_ANSWERED, &err);
}

static enum exit_code outcome_code(struct run *run, enum tare_status outcome, const struct tare_err *why)
{
    if (outcome == TARE_OK) {
        enum exit_code code = any_failure(&run->record) ? EXIT_CHILD : EXIT_ANSWERED;
        struct buf said = BUF_INIT(1 << 20);
        if (gate_asked(run))
            code = cli_worse(code, gate_slower(&run->record, run->render.unicode, &said));
        if (run->o->fail_if_unstable)
            code = cli_worse(code, gate_unstable(&run->record, "--fail-if-unstable", run->render.unicode, &said));
        return cli_worse(code, screen_text(run->cli, &run->o->display, &said));
    }
    if (outcome == TARE_INTERRUPTED)
        return cli_fail(run->cli, EXIT_TOOL, why); /* the process then dies of the signal */
    return cli_fail(run->cli, outcome == TARE_CHILD ? EXIT_CHILD : outcome == TARE_INVALID ? EXIT_USAGE : EXIT_TOOL, why);
}

enum exit_code run_report(struct run *run, enum tare_status outcome, const struct tare_err *why)
{
    struct tare_err err;
    enum exit_code code = EXIT_ANSWERED;
    struct record *r = &run->record;
    machine_conditions(r, &r->after);
    surroundings_add(&run->session.surroundings, r, &r->after);
    surroundings_add_users(&run->session.surroundings, r, &r->after);
    TARE_POINT_NAMED("findings");
    if (run->settled)
        run->settled(run->context, run);
    if (add_findings(run, &err))
        code = cli_fail(run->cli, EXIT_TOOL, &err);
    TARE_POINT_NAMED("screen");
    if (anything_measured(&run->record))
        code = cli_worse(code, screen_result(run->cli, &run->o->display, &run->record, false));
    else if (outcome == TARE_OK)
        say_nothing_measured(run);
    if (outcome == TARE_OK && anything_measured(&run->record))
        code = cli_worse(code, run_against_baseline(run, &run->record, 1));
    if (outcome == TARE_OK && anything_measured(&run->record) && run->concluded)
        code = cli_worse(code, run->concluded(run->context, run));
    code = cli_worse(code, add_to_history(run, outcome));
    code = cli_worse(code, outcome_code(run, outcome, why)); /* after the findings: --fail-if-unstable asks them */
    return cli_worse(code, keep_record(run));
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

enum exit_code run_dry(struct run *run)
{
    static const char listed[] = "Dry run: the programs were executed to list their benchmarks, and nothing was measured.";
    static const char built[] =
        "Dry run: the revisions were built and their programs executed to list their benchmarks, and nothing was measured.";
    struct buf b = BUF_INIT(1 << 24);
    run_plan_text(run, !run->benchmarks ? NULL : run->revisions.n ? built : listed, &b);
    /* What a run would stumble over at its start. */
    struct tare_err err;
    for (int i = 0; i < run->n_commands && !run->revisions.n; i++)
        if (run_find_program(run, i, &err))
            run_note(run, "%s", err.text);
    return cli_print(run->cli, &b);
}

enum exit_code run_session(struct run *run)
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

static struct run *begin_run(void *context, struct cli *cli, const struct run_options *o)
{
    struct run *run = context;
    *run = (struct run){.cli = cli, .o = o};
    return run;
}

static enum tare_status describe_run(void *context, struct run *run, struct tare_err *err)
{
    (void)context;
    return run_describe(run, err);
}

static enum exit_code measure_session(void *context, struct run *run)
{
    (void)context;
    return run_session(run);
}

static enum exit_code several(struct run *described)
{
    struct run one;
    const struct session_maker maker = {
        .context = &one, .begin = begin_run, .describe = describe_run, .measure = measure_session};
    return run_sessions(described, &maker);
}

int cmd_run(struct cli *cli, const void *options)
{
    struct run run = {.cli = cli, .o = options};
    struct tare_err err;
    record_init(&run.record);
    enum tare_status status = run_describe(&run, &err);
    enum exit_code code;
    if (status) {
        code = cli_fail(cli, run_code_of(status), &err);
    } else {
        run_print_notes(&run);
        code = run.o->dry_run ? run_dry(&run) : run.o->sessions ? several(&run) : run_session(&run);
    }
    return run_end(&run, code);
}
