/* SPDX-License-Identifier: MIT
 * `tare run --baseline FILE`: what was just measured against a stored session, in the words of tare compare. */
#include "analyse_stored.h"
#include "gate.h"
#include "run.h"
#include "screen.h"
#include "stored_file.h"

enum exit_code run_baseline_load(struct run *run)
{
    const char *path = run->o->baseline;
    return path ? stored_file_load(run->cli, path, run->o->display.quiet, &run->baseline) : EXIT_ANSWERED;
}

static enum exit_code show(struct run *run, const struct record *compared)
{
    struct render_options options = screen_options(&run->o->display);
    struct buf b = BUF_INIT(1 << 24);
    enum exit_code code = EXIT_ANSWERED;
    options.verbosity = -1; /* the commands stand above */
    for (int i = 0; i < compared->n_findings; i++)
        run_note(run, compared->findings[i].text);
    render_result(compared, &options, &b);
    if (!isnan(run->o->fail_if_slower))
        code = gate_slower(compared, run->render.unicode, &b);
    if (!isnan(run->o->fail_if_slower) && run->expects) {
        const struct gate_sides sides = {&run->baseline, &run->record, "this session", run->expects, run};
        code = cli_worse(code, gate_missing(compared, &sides, run->render.unicode, &b));
    }
    return cli_worse(code, screen_text(run->cli, &run->o->display, &b));
}

static enum exit_code compare(struct run *run, struct record *compared)
{
    const struct rule *rule = &run->record.rule;
    struct stored_question q = {.metric = rule->metric,
                                .confidence = rule->confidence,
                                .margin = rule->margin,
                                .margin_unit = rule->margin_unit,
                                .fail_if_slower = run->o->fail_if_slower,
                                .assume_no_drift = run->o->assume_no_drift};
    struct tare_err err;
    stored_file_names(run->o->baseline, "now", q.names);
    enum tare_status status = analyse_stored(compared, &run->baseline, &run->record, &q, &err);
    if (!status && compared->n_comparisons)
        return show(run, compared);
    if (!status)
        status = err_set(&err, TARE_NOT_FOUND, "none of the commands is in it; they are matched by name (-n)");
    err_prefix(&err, "--baseline");
    return cli_fail(run->cli, status == TARE_NO_MEMORY ? EXIT_TOOL : EXIT_INVALID, &err);
}

enum exit_code run_baseline_report(struct run *run)
{
    if (!run->o->baseline)
        return EXIT_ANSWERED;
    struct record compared;
    record_init(&compared);
    enum exit_code code = compare(run, &compared);
    record_finish(&compared);
    return code;
}
