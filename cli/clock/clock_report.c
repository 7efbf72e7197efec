/* SPDX-License-Identifier: MIT */
#include "analyse.h"
#include "check.h"
#include "clock_session.h"
#include "machine.h"
#include "plat.h"
#include "screen.h"

void clock_phase(struct clock_session *s, const char *phase)
{
    enum { PHASES = 5 };
    live_phase(&s->live, &s->record, phase, (s->phases++ + 0.5) / PHASES);
}

static enum exit_code keep(struct clock_session *s)
{
    struct tare_err err;
    enum exit_code code = EXIT_ANSWERED;
    if (s->save_failed)
        code = cli_fail(s->cli, EXIT_TOOL, &s->save_error);
    else if (s->outputs.save && record_write_tail(&s->outputs.writer, &s->record, &err))
        code = cli_fail(s->cli, EXIT_TOOL, &err);
    if (outputs_export(&s->outputs, &s->record, &err))
        code = cli_fail(s->cli, EXIT_TOOL, &err);
    if (outputs_finish(&s->outputs, &err))
        code = cli_fail(s->cli, EXIT_TOOL, &err);
    return code;
}

enum tare_status clock_estimate(struct clock_session *s, int subject, const char *metric, const char *statistic, double point,
                                int n, const char *reason)
{
    const struct estimate e = {.subject = subject,
                               .metric = metric,
                               .statistic = statistic,
                               .method = "as observed",
                               .point = point,
                               .low = -INFINITY,
                               .high = INFINITY,
                               .n = n,
                               .n_effective = NAN,
                               .reason = reason};
    return record_add_estimate(&s->record, &e) < 0 ? TARE_NO_MEMORY : TARE_OK;
}

enum exit_code clock_report(struct clock_session *s, enum tare_status outcome, const struct tare_err *why)
{
    struct record *r = &s->record;
    struct tare_err err;
    enum exit_code code = EXIT_ANSWERED;
    live_end(&s->live);
    machine_conditions(r, &r->after);
    r->seconds = (double)(plat_now_ns() - s->start_ns) / 1e9;
    r->ended = outcome == TARE_INTERRUPTED ? "interrupted" : outcome ? "failed" : "answered";
    r->partial = outcome != TARE_OK;
    if (outcome)
        code = cli_fail(s->cli, EXIT_TOOL, why); /* after a signal the process then dies of it */
    if (analyse_clocks(r, &err) || check_record(r, &(struct check_facts){0}, &err))
        code = cli_fail(s->cli, EXIT_TOOL, &err);
    code = cli_worse(code, screen_result(s->cli, &s->o->display, r, false));
    return cli_worse(code, keep(s));
}
