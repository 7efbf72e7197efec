/* SPDX-License-Identifier: MIT
 * --baseline: what was just measured against stored sessions, in the words of tare compare. */
#include "check.h"
#include "gate.h"
#include "run.h"
#include "screen.h"
#include <math.h>

enum exit_code run_baseline_load(struct run *run)
{
    run->baseline.paths = run->o->baseline.items;
    run->baseline.n_paths = run->o->baseline.n;
    return stored_side_load(run->cli, run->o->display.quiet, &run->baseline);
}

static enum exit_code show_compared(struct run *run, const struct record *compared, const struct stored_side sides[2])
{
    struct render_options options = screen_options(&run->o->display);
    struct buf b = BUF_INIT(1 << 24);
    enum exit_code code = EXIT_ANSWERED;
    options.verbosity = -1; /* the commands stand above */
    for (int i = 0; i < compared->n_findings; i++)
        run_note(run, "%s", compared->findings[i].text);
    if (run->benchmarks)
        buf_char(&b, '\n'); /* between two tables */
    render_result(compared, &options, &b);
    if (!isnan(run->o->fail_if_slower))
        code = gate_slower(compared, run->render.unicode, &b);
    if (!isnan(run->o->fail_if_slower)) {
        const struct gate_sides both = {stored_side_record(sides, 0), stored_side_record(sides, 1), "this session", run->expects,
                                        run};
        code = cli_worse(code, gate_missing(compared, &both, run->render.unicode, &b));
    }
    return cli_worse(code, screen_text(run->cli, &run->o->display, &b));
}

static enum exit_code compare_baseline(struct run *run, struct stored_side sides[2], struct record *compared)
{
    const struct rule *rule = &sides[1].sessions.items[0].rule;
    struct stored_question q = {.metric = rule->metric,
                                .confidence = rule->confidence,
                                .margin = rule->margin,
                                .margin_unit = rule->margin_unit,
                                .fail_if_slower = run->o->fail_if_slower,
                                .assume_no_drift = run->o->assume_no_drift};
    struct tare_err err;
    enum tare_status status = stored_sides_compare(compared, sides, &q, &err);
    if (!status)
        status = check_stored(compared, &err);
    if (!status && compared->n_comparisons)
        return show_compared(run, compared, sides);
    if (!status)
        status = err_set(&err, TARE_NOT_FOUND, "none of the commands is in it; they are matched by name (-n)");
    err_prefix(&err, "--baseline");
    return cli_fail(run->cli, status == TARE_NO_MEMORY ? EXIT_TOOL : EXIT_INVALID, &err);
}

enum exit_code run_against_baseline(struct run *run, struct record *sessions, int n)
{
    if (!run->baseline.n_paths)
        return EXIT_ANSWERED;
    struct stored_side sides[2] = {run->baseline, {.sessions = {.items = sessions, .n = n}}};
    struct record compared;
    record_init(&compared);
    enum exit_code code = compare_baseline(run, sides, &compared);
    record_finish(&compared);
    record_finish(&sides[0].over);
    stored_side_finish(&sides[1]);
    return code;
}
