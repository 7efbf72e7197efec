/* SPDX-License-Identifier: MIT
 *
 *       sort words (n = 64)  wall time, ms  95 % CI
 *       p50                          12.30  12.21–12.38
 *       p99                          14.2   no interval at n = 64; 368 are needed
 *
 *       sort/1000, single samples (n = 500)  time per iteration, µs
 *       min                                                    71.4
 */
#include "layout.h"
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
    if (is_known(x->e))
        figure_put(&p->piece, x->e->point / x->unit.factor,
                   has_interval(x->e) ? range_decimals(x->e, x->e->low, x->e->high, x->unit) : column_decimals(x->e, x->unit));
}

static void interval_cell(struct page *p, const void *row)
{
    const struct percentile_row *x = row;
    hue_on(p, &p->piece, HUE_DIM);
    if (has_interval(x->e))
        put_column_range(p, x->e, x->e->low, x->e->high, x->unit);
    else
        put_text(p, x->e->reason);
    hue_off(p, &p->piece, HUE_DIM);
}

/* The head of the table says whose they are, of what, and in which unit. */
static void begin_table(struct page *p, struct table *t, int subject, const char *what, const struct estimate *first)
{
    const struct unit u = metric_unit(p, first->metric);
    blank_line(p);
    table_begin(t, NULL, 0);
    put_short_name(p, subject, name_columns(p, 2));
    buf_format(&p->piece, "%s (n = %d)", what, first->n);
    table_titled(p, t, SIDE_LEFT, 0, name_cell);
    put_title(p, first->metric, 25);
    buf_str(&p->piece, *u.name ? "," : "");
    unit_put(&p->piece, u);
    table_titled(p, t, SIDE_POINT, 0, value_cell);
}

static void add_row(struct page *p, struct table *t, const char *name, const struct estimate *e)
{
    if (e)
        table_row(p, t, &(struct percentile_row){name, e, metric_unit(p, e->metric)});
}

static double level_of(const struct page *p, int subject, const struct metric *m)
{
    for (int i = 0; i < NAMES; i++) {
        const struct estimate *e = page_estimate(p, subject, m->id, names[i]);
        if (has_interval(e))
            return e->confidence;
    }
    return p->r->rule.confidence;
}

static void render_metric(struct page *p, int subject, const struct metric *m, const struct estimate *first)
{
    struct table t;
    begin_table(p, &t, subject, "", first);
    figure_level(&p->piece, level_of(p, subject, m));
    buf_str(&p->piece, " CI");
    table_titled(p, &t, SIDE_LEFT, 1, interval_cell);
    for (int i = 0; i < NAMES; i++)
        add_row(p, &t, names[i], page_estimate(p, subject, m->id, names[i]));
    table_end(p, &t, 2);
}

static void render_samples(struct page *p, int subject)
{
    static const char *const of_samples[] = {"sample_min", "sample_p1",  "sample_p5",  "sample_p25", "sample_p50",
                                             "sample_p75", "sample_p90", "sample_p95", "sample_p99", "sample_max"};
    const struct estimate *first = page_estimate(p, subject, "ns", of_samples[0]),
                          *iterations = page_estimate(p, subject, "ns", "sample_iterations");
    struct table t;
    if (!first)
        return;
    begin_table(p, &t, subject, ", single samples", first);
    for (size_t i = 0; i < sizeof of_samples / sizeof *of_samples; i++)
        add_row(p, &t, of_samples[i] + strlen("sample_"), page_estimate(p, subject, "ns", of_samples[i]));
    table_end(p, &t, 2);
    flow_begin(p, 2, 4);
    if (iterations && iterations->point > 1)
        buf_format(&p->piece, "each the mean of %.0f iterations", iterations->point);
    summary_part(p);
    buf_str(&p->piece, "no intervals: samples of one process are not independent");
    summary_part(p);
    flow_end(p);
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
