/* SPDX-License-Identifier: MIT
 *
 * A session of tare clock: the machine, its clocks, what keeps a reading in its place, the system's timers, the experiments.
 *
 *     Clocks, ns a reading
 *       clock            p10  median   p99  step  rate, ppm  vDSO
 *       CLOCK_MONOTONIC   26.9    27.1  31.0  1 ns       +3.1  yes
 */
#include "clock_parts.h"
#include <string.h>

void clock_heading(struct page *p, const char *text)
{
    blank_line(p);
    flow_begin(p, 0, 2);
    buf_str(&p->piece, text);
    flow_put_hued(p, "", HUE_BOLD);
}

int clock_subject(const struct page *p, enum subject_kind kind, const char *metric)
{
    for (int i = 0; i < p->r->n_estimates; i++) {
        const struct estimate *e = &p->r->estimates[i];
        if (!strcmp(e->metric, metric) && p->r->subjects[e->subject].kind == kind)
            return e->subject;
    }
    return -1;
}

bool put_clock_figure(struct page *p, int subject, const char *metric, const char *statistic, int digits)
{
    const struct estimate *e = subject < 0 ? NULL : page_estimate(p, subject, metric, statistic);
    if (!e)
        return false;
    if (isnan(e->point)) {
        buf_format(&p->piece, "not measurable%s", e->reason && *e->reason ? " (" : "");
        put_text(p, e->reason);
        buf_str(&p->piece, e->reason && *e->reason ? ")" : "");
        return true;
    }
    struct unit u = unit_for(base_unit(p->r, metric), e->point);
    put_number(p, e->point / u.factor, significant_decimals(e->point / u.factor, digits));
    put_unit(p, u);
    return true;
}

static void render_cut_short(struct page *p)
{
    if (!p->r->partial && p->r->ended)
        return;
    flow_begin(p, 0, 2);
    buf_str(&p->piece, "PARTIAL");
    flow_put_hued(p, "", HUE_BOLD);
    buf_format(&p->piece, "%s; what was measured before is shown.",
               !p->r->ended                          ? "the session was killed"
               : !strcmp(p->r->ended, "interrupted") ? "the session was interrupted"
                                                     : "the session failed");
    flow_spread(p, " ", HUE_PLAIN);
    flow_end(p);
}

/* With -vv: every sleep, slice and run. */
static void render_rows(struct page *p)
{
    for (int i = 0; i < p->r->n_subjects; i++) {
        if (!p->r->series[i].main.n)
            continue;
        clock_heading(p, "Rows");
        put_text(p, p->r->subjects[i].name);
        flow_spread(p, " ", HUE_PLAIN);
        flow_end(p);
        render_runs(p, i);
    }
}

void render_clock_result(struct page *p)
{
    bool quiet = p->o->verbosity < 0;
    render_cut_short(p);
    if (!quiet)
        clock_machine(p);
    clock_table(p);
    if (p->o->verbosity > 0)
        clock_properties(p);
    if (!quiet) {
        clock_serialisers(p);
        clock_timers(p);
        clock_experiments(p);
    }
    if (p->o->verbosity > 1)
        render_rows(p);
    render_findings(p);
}
