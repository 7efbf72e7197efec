/* SPDX-License-Identifier: MIT */
#include "analyse.h"
#include "check.h"
#include "gate.h"
#include "machine.h"
#include "plan.h"
#include "record_arcs.h"
#include "record_kind.h"
#include "run.h"
#include "screen.h"
#include "self_trace.h"
#include <math.h>
#include <string.h>

/* ---- findings ---- */

static bool any_prepare(const struct run *run)
{
    for (int i = 0; i < run->subjects.n; i++)
        if (run->commands[i].prepare.argv)
            return true;
    return false;
}

static enum tare_status find(struct run *run, struct tare_err *err)
{
    struct check_facts facts = {.prepared = any_prepare(run),
                                .pinned = run->exec_options.n_pin_cpus > 0,
                                .unstable_fails = run->o->fail_if_unstable,
                                .adaptive = run_adaptive(run->o),
                                .missing_counters = run->missing_counters,
                                .n_missing_counters = run->n_missing_counters,
                                .user_only_counters = run->user_only_counters,
                                .n_user_only_counters = run->n_user_only_counters,
                                .unequal_padding = run->exec && !exec_padding_equal(run->exec, run->subjects.n)};
    return check_record(&run->record, &facts, err);
}

/* ---- what was asked ---- */

static bool any_failure(const struct record *r)
{
    for (int i = 0; i < r->n_subjects; i++)
        if (r->subjects[i].failure && !subject_skipped(&r->subjects[i]) &&
            r->subjects[i].kind != SUBJECT_LEAK) /* see leak_code */
            return true;
    return false;
}

/* With a --baseline a program's own comparisons are not what --fail-if-slower asks: that session answers (run_baseline_report). */
static bool gate_asked(const struct run *run)
{
    const struct record *r = &run->record;
    if (run->concluded || isnan(r->rule.fail_if_slower))
        return false;
    if (!run->o->baseline)
        return true;
    return run->benchmarks ? plan_two_programs(r) : r->n_comparisons > 0;
}

static enum exit_code answer(struct run *run)
{
    enum exit_code code = any_failure(&run->record) ? EXIT_CHILD : EXIT_ANSWERED;
    struct buf said = BUF_INIT(1 << 20);
    if (gate_asked(run))
        code = cli_worse(code, gate_slower(&run->record, run->render.unicode, &said));
    if (run->o->fail_if_unstable)
        code = cli_worse(code, gate_unstable(&run->record, "--fail-if-unstable", run->render.unicode, &said));
    return cli_worse(code, screen_text(run->cli, &run->o->display, &said));
}

/* ---- files and screen ---- */

static enum exit_code keep(struct run *run)
{
    struct tare_err err;
    enum exit_code code = EXIT_ANSWERED;
    TARE_POINT_NAMED("files");
    if (run->session.save_failed)
        code = cli_fail(run->cli, EXIT_TOOL, &run->session.save_error);
    else if (run->outputs.save && record_write_tail(&run->outputs.writer, &run->record, &err))
        code = cli_fail(run->cli, EXIT_TOOL, &err);
    if (outputs_export(&run->outputs, &run->record, &err))
        code = cli_fail(run->cli, EXIT_TOOL, &err);
    if (!run->o->display.quiet)
        outputs_say_left_out(&run->outputs, run->cli);
    if (outputs_finish(&run->outputs, &err))
        code = cli_fail(run->cli, EXIT_TOOL, &err);
    return code;
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

/* All went well and there is nothing to show: the time was over first. */
static void say_nothing_measured(struct run *run)
{
    struct tare_err err;
    err_set(&err, TARE_TOO_FEW, "the time was over after %.2g s, before one whole round was measured; give more --max-time%s",
            run->record.seconds, run->session.plan.warmup ? ", or --warmup 0" : "");
    cli_fail(run->cli, EXIT_ANSWERED, &err);
}

static enum exit_code outcome_code(struct run *run, enum tare_status outcome, const struct tare_err *why)
{
    if (outcome == TARE_OK)
        return answer(run);
    if (outcome == TARE_INTERRUPTED)
        return cli_fail(run->cli, EXIT_TOOL, why); /* the process then dies of the signal */
    return cli_fail(run->cli, outcome == TARE_CHILD ? EXIT_CHILD : outcome == TARE_INVALID ? EXIT_USAGE : EXIT_TOOL, why);
}

static void describe_after(struct run *run)
{
    struct record *r = &run->record;
    machine_conditions(r, &r->after);
    surroundings_add(&run->surroundings, r, &r->after);
    surroundings_add_users(&run->surroundings, r, &r->after);
}

enum exit_code run_report(struct run *run, enum tare_status outcome, const struct tare_err *why)
{
    struct tare_err err;
    enum exit_code code = EXIT_ANSWERED;
    describe_after(run);
    TARE_POINT_NAMED("findings");
    if (run->settled)
        run->settled(run->context, run);
    if (find(run, &err))
        code = cli_fail(run->cli, EXIT_TOOL, &err);
    TARE_POINT_NAMED("screen");
    if (anything_measured(&run->record))
        code = cli_worse(code, screen_result(run->cli, &run->o->display, &run->record));
    else if (outcome == TARE_OK)
        say_nothing_measured(run);
    if (outcome == TARE_OK && anything_measured(&run->record))
        code = cli_worse(code, run_baseline_report(run));
    if (outcome == TARE_OK && anything_measured(&run->record) && run->concluded)
        code = cli_worse(code, run->concluded(run->context, run));
    code = cli_worse(code, outcome_code(run, outcome, why)); /* after the findings: --fail-if-unstable asks them */
    return cli_worse(code, keep(run));
}
