/* SPDX-License-Identifier: MIT */
#include "analyse.h"
#include "check.h"
#include "machine.h"
#include "run.h"
#include "screen.h"
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
                                .pinned = run->o->pin_cpu >= 0,
                                .missing_counters = run->missing_counters,
                                .n_missing_counters = run->n_missing_counters,
                                .user_only_counters = run->user_only_counters,
                                .n_user_only_counters = run->n_user_only_counters};
    return check_record(&run->record, &facts, err);
}

/* ---- what was asked ---- */

static enum exit_code slower_code(const struct record *r, const struct comparison *c)
{
    if (c->verdict == VERDICT_NONE || c->verdict == VERDICT_INVALID)
        return EXIT_INVALID;
    switch (plan_slower_than(r, c, r->rule.fail_if_slower)) {
    case 0:
        return EXIT_ANSWERED;
    case 1:
        return EXIT_BAD;
    default:
        return EXIT_UNDECIDED;
    }
}

static enum exit_code answer(const struct run *run)
{
    enum exit_code code = EXIT_ANSWERED;
    const struct record *r = &run->record;
    for (int i = 0; i < r->n_comparisons && !isnan(r->rule.fail_if_slower); i++)
        code = cli_worse(code, slower_code(r, &r->comparisons[i]));
    if (run->o->fail_if_unstable && check_unstable(r))
        code = cli_worse(code, EXIT_INVALID);
    return code;
}

/* ---- files and screen ---- */

static enum exit_code keep(struct run *run)
{
    struct tare_err err;
    enum exit_code code = EXIT_ANSWERED;
    if (run->session.save_failed)
        code = cli_fail(run->cli, EXIT_TOOL, &run->session.save_error);
    else if (run->outputs.save && record_write_tail(&run->outputs.writer, &run->record, &err))
        code = cli_fail(run->cli, EXIT_TOOL, &err);
    if (outputs_export(&run->outputs, &run->record, &err))
        code = cli_fail(run->cli, EXIT_TOOL, &err);
    if (outputs_finish(&run->outputs, &err))
        code = cli_fail(run->cli, EXIT_TOOL, &err);
    return code;
}

/* At least one complete round, or in blocks one run. */
static bool anything_measured(const struct record *r)
{
    int expected = 0, measured = 0;
    for (int i = 0; i < r->n_subjects; i++) {
        expected += r->subjects[i].kind == SUBJECT_COMMAND;
        measured += r->subjects[i].kind == SUBJECT_COMMAND && record_rounds(r, &i, 1) > 0;
    }
    return r->rule.interleaved ? measured == expected : measured > 0;
}

static enum exit_code outcome_code(struct run *run, enum tare_status outcome, const struct tare_err *why)
{
    if (outcome == TARE_OK)
        return answer(run);
    if (outcome == TARE_INTERRUPTED)
        return cli_fail(run->cli, EXIT_TOOL, why); /* the process then dies of the signal */
    return cli_fail(run->cli, outcome == TARE_CHILD ? EXIT_CHILD : outcome == TARE_INVALID ? EXIT_USAGE : EXIT_TOOL, why);
}

enum exit_code run_report(struct run *run, enum tare_status outcome, const struct tare_err *why)
{
    struct tare_err err;
    enum exit_code code = EXIT_ANSWERED;
    machine_conditions(&run->record, &run->record.after);
    if (find(run, &err))
        code = cli_fail(run->cli, EXIT_TOOL, &err);
    code = cli_worse(code, outcome_code(run, outcome, why)); /* after the findings: --fail-if-unstable asks them */
    if (anything_measured(&run->record))
        code = cli_worse(code, screen_result(run->cli, &run->o->display, &run->record));
    return cli_worse(code, keep(run));
}
