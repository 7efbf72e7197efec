/* SPDX-License-Identifier: MIT
 *
 *     Percentiles of command 1 'sort words' (wall time, ms; 95 % intervals by order statistics, n = 64)
 *       p50  12.30  [12.21, 12.38]
 *       p99  14.2   no interval at n = 64; 368 are needed
 */
#include "layout.h"
#include "quote.h"
#include <string.h>

static const char *const names[] = {"p1", "p5", "p25", "p50", "p75", "p90", "p95", "p99"};
enum { NAMES = sizeof names / sizeof *names };

static void percentile_row(struct page *p, struct table *t, const char *name, const struct estimate *e, struct unit u)
{
    int decimals = estimate_decimals(e, u);
    buf_str(&p->piece, name);
    table_cell(p, t);
    put_number(p, e->point / u.factor, decimals);
    table_cell(p, t);
    if (has_interval(e))
        put_interval(p, e->low / u.factor, e->high / u.factor, decimals);
    else
        put_text(p, e->reason);
    table_cell(p, t);
}

static void render_metric(struct page *p, int subject, const struct metric *m, const struct estimate *first)
{
    static const struct table_column columns[] = {{"", SIDE_LEFT, 0}, {"value", SIDE_POINT, 0}, {"interval", SIDE_LEFT, 1}};
    struct unit u = metric_unit(p, m->id);
    blank_line(p);
    flow_begin(p, 0, 2);
    buf_format(&p->piece, "Percentiles of command %d", command_number(p->r, subject));
    flow_put_hued(p, "", HUE_BOLD);
    quote_name(&p->piece, p->r->subjects[subject].name, name_columns(p, 1), p->o->unicode);
    flow_put(p, " ");
    buf_char(&p->piece, '(');
    put_text(p, m->title);
    buf_str(&p->piece, *u.name ? "," : "");
    put_unit(p, u);
    buf_str(&p->piece, "; ");
    if (first->confidence > 0) {
        put_percent(p, first->confidence);
        buf_str(&p->piece, " intervals by ");
    }
    put_text(p, first->method);
    buf_format(&p->piece, ", n = %d)", first->n);
    flow_spread(p, " ", HUE_DIM);
    flow_end(p);
    struct table t;
    table_begin(&t, columns, 3);
    for (int i = 0; i < NAMES; i++) {
        const struct estimate *e = page_estimate(p, subject, m->id, names[i]);
        if (e)
            percentile_row(p, &t, names[i], e, u);
    }
    table_end(p, &t, 2);
}

void render_percentiles(struct page *p)
{
    for (int i = 0; i < p->r->n_subjects; i++)
        for (int m = 0; m < p->r->n_metrics; m++) {
            const struct metric *metric = &p->r->metrics[m];
            bool decides = !strcmp(metric->id, p->r->rule.metric);
            const struct estimate *first = decides || p->o->verbosity > 0 ? page_estimate(p, i, metric->id, names[0]) : NULL;
            if (first)
                render_metric(p, i, metric, first);
        }
}
