/* SPDX-License-Identifier: MIT
 *
 * A session of tare clock: the machine, its clocks, what keeps a reading in its place, the system's timers, the experiments.
 *
 *     Clocks            ns p10  median  p99  step  ppm  vDSO
 *       CLOCK_MONOTONIC   26.9    27.1 31.0     1  0.0  yes
 */
#include "layout.h"
#include "quote.h"
#include <math.h>
#include <string.h>

/* ---- pieces ---- */

static void heading(struct page *p, const char *text)
{
    blank_line(p);
    flow_begin(p, 0, 2);
    buf_str(&p->piece, text);
    flow_put_hued(p, "", HUE_BOLD);
    flow_end(p);
}

static bool any_of(const struct page *p, enum subject_kind kind)
{
    for (int i = 0; i < p->r->n_subjects; i++)
        if (p->r->subjects[i].kind == kind)
            return true;
    return false;
}

/* An empty cell where nothing is known; "-" where a reason is (it stands below the table). */
static void figure_cell(struct page *p, struct table *t, int subject, const char *metric, const char *statistic, double factor)
{
    const struct estimate *e = page_estimate(p, subject, metric, statistic);
    if (e && !isnan(e->point))
        put_number(p, e->point / factor, significant_decimals(e->point / factor, 3));
    else if (e && e->reason)
        buf_char(&p->piece, '-');
    table_cell(p, t);
}

/* ---- clocks ---- */

static void clock_row(struct page *p, struct table *t, int subject)
{
    static const char *const statistics[] = {"p10", "median", "p99"};
    quote_cut(&p->piece, p->r->subjects[subject].name, name_columns(p, 1), p->o->unicode);
    table_cell(p, t);
    for (int i = 0; i < 3; i++)
        figure_cell(p, t, subject, "cost", statistics[i], 1);
    figure_cell(p, t, subject, "step", "min", 1);
}

static void render_clocks(struct page *p)
{
    static const struct table_column columns[] = {{"clock", SIDE_LEFT, 0},
                                                  {"ns: p10", SIDE_POINT, 2},
                                                  {"median", SIDE_POINT, 0},
                                                  {"p99", SIDE_POINT, 3},
                                                  {"step", SIDE_POINT, 9}};
    if (!any_of(p, SUBJECT_CLOCK))
        return;
    heading(p, "Clocks");
    struct table t;
    table_begin(&t, columns, sizeof columns / sizeof *columns);
    for (int i = 0; i < p->r->n_subjects; i++)
        if (p->r->subjects[i].kind == SUBJECT_CLOCK)
            clock_row(p, &t, i);
    table_end(p, &t, 2);
}

/* ---- the whole ---- */

void render_clock_result(struct page *p)
{
    render_clocks(p);
    render_findings(p);
}
