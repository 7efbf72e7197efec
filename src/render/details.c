/* SPDX-License-Identifier: MIT
 *
 * What -v adds: for each command its metrics, its histogram and the order of its runs; for the session the schedule of looks
 * and what else is known about each comparison. -vv lists the runs. */
#include "layout.h"
#include "plots.h"
#include "quote.h"
#include <math.h>
#include <string.h>

/*       sort words (n = 64)  wall time, ms  95 % CI
 *       p50                          12.30  12.21–12.38
 *       p99                          14.2   no interval at n = 64; 368 are needed
 *
 *       sort/1000, single samples (n = 500)  time per iteration, µs
 *       min                                                    71.4 */

static const char *const names[] = {"p1", "p5", "p25", "p50", "p75", "p90", "p95", "p99"};
enum { NAMES = sizeof names / sizeof *names };

struct percentile_row {
    const char *name;
    const struct estimate *e;
    struct unit unit;
};

static void percentile_name_cell(struct page *p, const void *row)
{
    buf_str(&p->piece, ((const struct percentile_row *)row)->name);
}

static void percentile_cell(struct page *p, const void *row)
{
    const struct percentile_row *x = row;
    if (is_known(x->e))
        figure_put(&p->piece, x->e->point / x->unit.factor,
                   has_interval(x->e) ? range_decimals(x->e, x->e->low, x->e->high, x->unit) : column_decimals(x->e, x->unit));
}

static void ends_cell(struct page *p, const void *row)
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
    table_titled(p, t, SIDE_LEFT, 0, percentile_name_cell);
    put_title(p, first->metric, 25);
    buf_str(&p->piece, *u.name ? "," : "");
    unit_put(&p->piece, u);
    table_titled(p, t, SIDE_POINT, 0, percentile_cell);
}

static void add_row(struct page *p, struct table *t, const char *name, const struct estimate *e)
{
    if (e)
        table_row(p, t, &(struct percentile_row){name, e, metric_unit(p, e->metric)});
}

static double level_of(const struct page *p, int subject, const struct metric *m)
{
    for (int i = 0; i < NAMES; i++) {
        const struct estimate *e = record_estimate(p->r, subject, m->id, names[i]);
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
    table_titled(p, &t, SIDE_LEFT, 1, ends_cell);
    for (int i = 0; i < NAMES; i++)
        add_row(p, &t, names[i], record_estimate(p->r, subject, m->id, names[i]));
    table_end(p, &t, 2);
}

static void render_samples(struct page *p, int subject)
{
    static const char *const of_samples[] = {"sample_min", "sample_p1",  "sample_p5",  "sample_p25", "sample_p50",
                                             "sample_p75", "sample_p90", "sample_p95", "sample_p99", "sample_max"};
    const struct estimate *first = record_estimate(p->r, subject, "ns", of_samples[0]),
                          *iterations = record_estimate(p->r, subject, "ns", "sample_iterations");
    struct table t;
    if (!first)
        return;
    begin_table(p, &t, subject, ", single samples", first);
    for (size_t i = 0; i < sizeof of_samples / sizeof *of_samples; i++)
        add_row(p, &t, of_samples[i] + strlen("sample_"), record_estimate(p->r, subject, "ns", of_samples[i]));
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
            const struct estimate *first = decides || p->o->verbosity > 0 ? record_estimate(p->r, i, metric->id, names[0]) : NULL;
            if (first)
                render_metric(p, i, metric, first);
        }
        render_samples(p, i);
    }
}

/* The row is the estimate of the median. */
static void title_cell(struct page *p, const void *row)
{
    const struct estimate *median = row;
    const struct unit u = metric_unit(p, median->metric);
    put_title(p, median->metric, 28);
    buf_str(&p->piece, *u.name ? "," : "");
    unit_put(&p->piece, u);
}

static void median_cell(struct page *p, const void *row)
{
    const struct estimate *median = row;
    put_point(p, median, metric_unit(p, median->metric));
}

static void put_ends(struct page *p, const struct estimate *e)
{
    const struct unit u = metric_unit(p, e->metric);
    if (has_interval(e))
        figure_range(&p->piece, e->low, e->high, u, estimate_decimals(e, u));
}

static void interval_cell(struct page *p, const void *row)
{
    if (is_exact(p, row))
        buf_str(&p->piece, exact_word(p, row));
    else
        put_ends(p, row);
}

static const struct estimate *mean_beside(const struct page *p, const struct estimate *median)
{
    return record_estimate(p->r, median->subject, median->metric, "mean");
}

static void mean_cell(struct page *p, const void *row)
{
    const struct estimate *mean = mean_beside(p, row);
    if (is_known(mean))
        put_point(p, mean, metric_unit(p, mean->metric));
}

/* Student's interval of values that cannot be negative and of which many are 0 reaches below 0: it is no interval for such a mean. */
static void mean_interval_cell(struct page *p, const void *row)
{
    const struct estimate *mean = mean_beside(p, row), *median = row;
    const struct metric *m = record_metric(p->r, median->metric);
    const bool impossible = m && m->kind == METRIC_TIME && is_known(mean) && mean->low < 0;
    if (is_known(mean) && !is_exact(p, row) && !impossible)
        put_ends(p, mean);
}

/* As the median's digits are; the spread by its own size. */
static void other_cell(struct page *p, const void *row)
{
    const struct estimate *median = row;
    const bool spread = !strcmp(p->cell->title, "sd");
    const struct estimate *e = record_estimate(p->r, median->subject, median->metric, spread ? "stddev" : p->cell->title);
    const struct unit u = metric_unit(p, median->metric);
    if (is_known(e))
        figure_put(&p->piece, e->point / u.factor, spread ? figure_digits(e->point / u.factor, 2) : estimate_decimals(median, u));
}

static void render_metrics(struct page *p, int subject)
{
    struct table_column columns[] = {
        {"", SIDE_LEFT, 0, title_cell},     {"median", SIDE_POINT, 0, median_cell}, {"", SIDE_LEFT, 9, interval_cell},
        {"mean", SIDE_POINT, 8, mean_cell}, {"", SIDE_LEFT, 6, mean_interval_cell}, {"sd", SIDE_POINT, 5, other_cell},
        {"min", SIDE_POINT, 7, other_cell}, {"p10", SIDE_POINT, 3, other_cell},     {"p90", SIDE_POINT, 4, other_cell},
        {"max", SIDE_POINT, 6, other_cell},
    };
    struct table t;
    table_begin(&t, columns, sizeof columns / sizeof *columns);
    t.columns[2].title = t.columns[4].title = interval_title(p, &t, "", "");
    for (int m = 0; m < p->r->n_metrics; m++) {
        const struct estimate *median = record_estimate(p->r, subject, p->r->metrics[m].id, "median");
        if (is_known(median))
            table_row(p, &t, median);
    }
    table_end(p, &t, 4);
    for (int m = 0; m < p->r->n_metrics; m++) {
        const struct estimate *median = record_estimate(p->r, subject, p->r->metrics[m].id, "median");
        if (!median || !isnan(median->point))
            continue;
        put_title(p, p->r->metrics[m].id, 0);
        buf_format(&p->piece, ": not measurable%s", median->reason ? ": " : "");
        put_text(p, median->reason);
        flow_line(p, 4, HUE_PLAIN);
    }
}

void render_details(struct page *p, int subject)
{
    const struct series *s = &p->r->series[subject];
    const double *values = series_values(s, p->r->rule.metric);
    struct unit u = metric_unit(p, p->r->rule.metric);
    blank_line(p);
    flow_begin(p, 0, 2);
    if (p->r->subjects[subject].anchor)
        buf_str(&p->piece, "Runs of the anchor");
    else
        buf_format(&p->piece, "Runs of command %d", command_number(p->r, subject));
    flow_put_hued(p, "", HUE_BOLD);
    quote_name(&p->piece, p->r->subjects[subject].name, name_columns(p, 1), p->o->unicode);
    flow_put(p, " ");
    flow_end(p);
    render_metrics(p, subject);
    render_account(p, subject);
    if (!values)
        return;
    plot_histogram(p, values, s->main.n, u);
    plot_order(p, values, s->main.n, u);
    if (p->o->verbosity > 1)
        render_runs(p, subject);
}

struct run_row {
    const struct series *s;
    int subject;
    const struct rows *rows;
    const struct table *t;
    int i;
};

enum { BESIDE_VALUES = 2 }; /* columns before the values */

static void round_cell(struct page *p, const void *row)
{
    const struct run_row *x = row;
    buf_format(&p->piece, "%s%d", x->rows == &x->s->warmup ? "w" : "", x->rows->round[x->i] + 1);
}

static void place_cell(struct page *p, const void *row)
{
    const struct run_row *x = row;
    buf_format(&p->piece, "%d", x->rows->slot[x->i] + 1);
}

/* Short pieces of code are timed in microseconds with three decimals; more of them would be noise. */
static bool in_microseconds(const struct page *p, int subject, const char *metric)
{
    return p->r->subjects[subject].kind == SUBJECT_EXPERIMENT && !strcmp(base_unit(p->r, metric), "ns");
}

static struct unit run_unit(struct page *p, int subject, const char *metric)
{
    return in_microseconds(p, subject, metric) ? unit_for("ns", 1e3) : metric_unit(p, metric);
}

static void value_cell(struct page *p, const void *row)
{
    enum { MICROSECOND_DECIMALS = 3 };
    const struct run_row *x = row;
    const int column = (int)(p->cell - x->t->columns) - BESIDE_VALUES;
    const struct unit u = run_unit(p, x->subject, x->s->columns[column]);
    const double value = x->rows->value[column][x->i] / u.factor;
    if (isnan(value))
        return;
    if (in_microseconds(p, x->subject, x->s->columns[column]))
        figure_put(&p->piece, value, MICROSECOND_DECIMALS);
    else
        figure_put(&p->piece, value, u.factor > 1 ? figure_digits(value, 6) : 0);
}

static void flags_cell(struct page *p, const void *row)
{
    const struct run_row *x = row;
    const uint32_t flags = x->rows->flags[x->i];
    for (uint32_t bit = 1; bit && bit <= flags; bit <<= 1)
        if (flags & bit)
            buf_format(&p->piece, "%s%s", p->piece.len ? " " : "",
                       row_flag_name((enum row_flag)bit) ? row_flag_name((enum row_flag)bit) : "?");
}

void render_runs(struct page *p, int subject)
{
    const struct series *s = &p->r->series[subject];
    struct table t;
    table_begin(&t, NULL, 0);
    table_column(&t, (struct table_column){"round", SIDE_RIGHT, 0, round_cell});
    table_column(&t, (struct table_column){"place", SIDE_RIGHT, 2, place_cell});
    for (int c = 0; c < s->n_columns && c < TABLE_COLUMNS_MAX - BESIDE_VALUES - 1; c++) {
        const struct unit u = run_unit(p, subject, s->columns[c]);
        put_cut(p, s->columns[c], 16);
        if (record_metric(p->r, s->columns[c]) && *u.name && strcmp(u.name, s->columns[c])) {
            buf_char(&p->piece, ',');
            unit_put(&p->piece, u);
        }
        table_titled(p, &t, SIDE_POINT, TABLE_COLUMNS_MAX - c, value_cell);
    }
    table_column(&t, (struct table_column){"", SIDE_LEFT, 0, flags_cell});
    for (int i = 0; i < s->warmup.n; i++)
        table_row(p, &t, &(struct run_row){s, subject, &s->warmup, &t, i});
    for (int i = 0; i < s->main.n; i++)
        table_row(p, &t, &(struct run_row){s, subject, &s->main, &t, i});
    table_end(p, &t, 4);
}

void render_own_weight(struct page *p)
{
    for (int i = 0; i < p->r->n_subjects; i++) {
        const struct estimate *e = record_estimate(p->r, i, "wall", "median");
        if (p->r->subjects[i].kind != SUBJECT_NOOP || !e || isnan(e->point))
            continue;
        blank_line(p);
        flow_label(p, 0, 2, "Overhead of tare", HUE_BOLD);
        buf_format(&p->piece, "%s takes ", p->r->subjects[i].name);
        put_estimate(p, e, unit_for("ns", e->point));
        buf_format(&p->piece, " here (median, n = %d); that is in every wall time and not subtracted.", e->n);
        flow_spread(p, "  ", HUE_PLAIN);
        flow_end(p);
    }
}

/* The row is the number of a look. */
static void look_cell(struct page *p, const void *row)
{
    buf_format(&p->piece, "%d", *(const int *)row + 1);
}

static void rounds_cell(struct page *p, const void *row)
{
    buf_format(&p->piece, "%d", p->r->rule.look_at[*(const int *)row]);
}

static void level_cell(struct page *p, const void *row)
{
    buf_format(&p->piece, "%.2f %%", 100 * (1 - p->r->rule.look_level[*(const int *)row]));
}

static void spent_cell(struct page *p, const void *row)
{
    buf_format(&p->piece, "%.0f %%", 100 * p->r->rule.look_share[*(const int *)row]);
}

static void made_cell(struct page *p, const void *row)
{
    const int number = *(const int *)row + 1;
    buf_str(&p->piece, number < p->r->look ? "made" : number == p->r->look ? "last" : "");
}

static void render_looks(struct page *p)
{
    const bool spends = p->r->rule.spending > 0;
    const struct table_column columns[] = {
        {"analysis", SIDE_RIGHT, 0, look_cell},
        {"rounds", SIDE_RIGHT, 0, rounds_cell},
        {"each interval", SIDE_RIGHT, 0, level_cell},
        {spends ? "of the session" : "", spends ? SIDE_RIGHT : SIDE_LEFT, 0, spends ? spent_cell : made_cell}};
    struct table t;
    table_begin(&t, columns, 4);
    for (int i = 0; i < p->r->rule.n_looks; i++)
        table_row(p, &t, &i);
    table_end(p, &t, 2);
}

static void render_more_of_comparison(struct page *p, const struct comparison *c)
{
    bool has_mean = isfinite(c->mean_ratio), has_slot = isfinite(c->slot_effect);
    if (!has_mean && !has_slot)
        return;
    flow_begin(p, 2, 4);
    buf_format(&p->piece, "#%d ", command_number(p->r, c->subject));
    quote_name(&p->piece, p->r->subjects[c->subject].name, name_columns(p, 2), p->o->unicode);
    buf_char(&p->piece, ':');
    flow_put(p, "");
    if (has_mean) {
        int decimals = figure_decimals(c->mean_ratio, half_width(c->mean_low, c->mean_high));
        buf_str(&p->piece, "ratio of means ");
        figure_put(&p->piece, c->mean_ratio, decimals);
        if (isfinite(c->mean_high - c->mean_low)) {
            buf_str(&p->piece, " (");
            figure_range(&p->piece, c->mean_low, c->mean_high, unit_one, decimals);
            buf_format(&p->piece, ", %s)", comparison_mean_method(p->r, c));
        }
        flow_put(p, " ");
    }
    if (has_slot) {
        buf_str(&p->piece, "second of a pair ");
        figure_signed(&p->piece, 100 * expm1(c->slot_effect), 2);
        buf_str(&p->piece, " %");
        if (isfinite(c->slot_p))
            buf_format(&p->piece, " (p = %.2f)", c->slot_p);
        flow_put(p, has_mean ? ", " : " ");
    }
    flow_end(p);
}

void render_schedule(struct page *p)
{
    const struct record *r = p->r;
    blank_line(p);
    flow_label(p, 0, 2, "Schedule", HUE_BOLD);
    bool several = command_count(r) > 1;
    buf_format(&p->piece, "(%d %s%s%s", r->rounds, several ? "round" : "run", buf_plural(r->rounds),
               several && r->rule.interleaved ? " in random order" : "");
    if (isfinite(r->seconds) && r->seconds > 0) {
        buf_str(&p->piece, ", ");
        figure_duration(&p->piece, r->seconds);
    }
    buf_format(&p->piece, ", seed %llu, ended: ", (unsigned long long)r->seed);
    put_text(p, r->ended ? r->ended : "killed");
    buf_char(&p->piece, ')');
    flow_spread(p, " ", HUE_DIM);
    flow_end(p);
    if (r->rule.n_looks && r->rule.method == METHOD_TARE)
        render_looks(p);
    for (int i = 0; i < r->n_comparisons; i++)
        render_more_of_comparison(p, &r->comparisons[i]);
}
