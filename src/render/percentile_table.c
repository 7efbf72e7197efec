/* SPDX-License-Identifier: MIT
 *
 *     Percentiles of command 1 'sort words' (wall time, ms; 95 % intervals by order statistics, n = 64)
 *       p50  12.30  [12.21, 12.38]
 *       p99  14.2   no interval at n = 64; 368 are needed
 *
 *     Single samples of command 1 'sort/1000' (time per iteration, µs; each the mean of 4 iterations, n = 500 in all processes)
 *       min  71.4
 */
#include "layout.h"
#include "quote.h"
#include <string.h>

static const char *const names[] = {"p1", "p5", "p25", "p50", "p75", "p90", "p95", "p99"};
enum { NAMES = sizeof names / sizeof *names };

struct percentile_row {
    const char *name;
    const struct estimate *e;
    struct unit unit;
};

static void name_cell(struct page *p, const void *row)
{
    buf_str(&p->piece, ((const struct percentile_row *)row)->name);
}

static void value_cell(struct page *p, const void *row)
{
    const struct percentile_row *x = row;
    put_point(p, x->e, x->unit);
}

static void interval_cell(struct page *p, const void *row)
{
    const struct percentile_row *x = row;
    if (has_interval(x->e))
        put_ends(p, x->e, x->unit);
    else
        put_text(p, x->e->reason);
}

static const struct table_column columns[] = {
    {"", SIDE_LEFT, 0, name_cell}, {"value", SIDE_POINT, 0, value_cell}, {"interval", SIDE_LEFT, 1, interval_cell}};

static void render_metric(struct page *p, int subject, const struct metric *m, const struct estimate *first)
{
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
    unit_put(&p->piece, u);
    buf_str(&p->piece, "; ");
    if (first->confidence > 0) {
        figure_level(&p->piece, first->confidence);
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
            table_row(p, &t, &(struct percentile_row){names[i], e, u});
    }
    table_end(p, &t, 2);
}

static void samples_heading(struct page *p, int subject, struct unit u, const struct estimate *first)
{
    const struct estimate *iterations = page_estimate(p, subject, "ns", "sample_iterations");
    blank_line(p);
    flow_begin(p, 0, 2);
    buf_format(&p->piece, "Single samples of command %d", command_number(p->r, subject));
    flow_put_hued(p, "", HUE_BOLD);
    quote_name(&p->piece, p->r->subjects[subject].name, name_columns(p, 1), p->o->unicode);
    flow_put(p, " ");
    buf_str(&p->piece, "(time per iteration, ");
    unit_put(&p->piece, u);
    buf_str(&p->piece, "; ");
    if (iterations && iterations->point > 1)
        buf_format(&p->piece, "each the mean of %.0f iterations, ", iterations->point);
    buf_format(&p->piece, "n = %d in all processes; of one process they are not independent, so no intervals)", first->n);
    flow_spread(p, " ", HUE_DIM);
    flow_end(p);
}

static void render_samples(struct page *p, int subject)
{
    static const char *const of_samples[] = {"sample_min", "sample_p1",  "sample_p5",  "sample_p25", "sample_p50",
                                             "sample_p75", "sample_p90", "sample_p95", "sample_p99", "sample_max"};
    const struct estimate *first = page_estimate(p, subject, "ns", of_samples[0]);
    if (!first)
        return;
    struct unit u = metric_unit(p, "ns");
    struct table t;
    samples_heading(p, subject, u, first);
    table_begin(&t, columns, 2);
    for (size_t i = 0; i < sizeof of_samples / sizeof *of_samples; i++) {
        const struct estimate *e = page_estimate(p, subject, "ns", of_samples[i]);
        if (e)
            table_row(p, &t, &(struct percentile_row){of_samples[i] + strlen("sample_"), e, u});
    }
    table_end(p, &t, 2);
}

void render_percentiles(struct page *p)
{
    for (int i = 0; i < p->r->n_subjects; i++) {
        for (int m = 0; m < p->r->n_metrics; m++) {
            const struct metric *metric = &p->r->metrics[m];
            bool decides = !strcmp(metric->id, p->r->rule.metric);
            const struct estimate *first = decides || p->o->verbosity > 0 ? page_estimate(p, i, metric->id, names[0]) : NULL;
            if (first)
                render_metric(p, i, metric, first);
        }
        render_samples(p, i);
    }
}
