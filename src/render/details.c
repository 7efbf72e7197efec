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

/* The head of the table says whose they are, of what, and in which unit. */
static void begin_table(struct page *p, struct table *t, int subject, const char *what, const struct estimate *first)
{
    const struct unit u = metric_unit(p, first->metric);
    blank_line(p);
    table_begin(t, p, NULL, 0);
    put_short_name(p, subject, name_columns(p, 2));
    buf_format(&p->piece, "%s (n = %d)", what, first->n);
    table_titled(t, SIDE_LEFT, 0);
    put_title(p, first->metric, 25);
    buf_str(&p->piece, *u.name ? "," : "");
    unit_put(&p->piece, u);
    table_titled(t, SIDE_POINT, 0);
}

/* With its interval, or why there is none, where the table has a column for that. */
static void add_row(struct table *t, const char *name, const struct estimate *e)
{
    struct page *p = t->p;
    if (!e)
        return;
    const struct unit u = metric_unit(p, e->metric);
    table_format(t, "%s", name);
    if (is_known(e))
        figure_put(&p->piece, e->point / u.factor,
                   has_interval(e) ? range_decimals(e, e->low, e->high, u) : column_decimals(e, u));
    table_cell(t);
    if (t->n_columns < 3)
        return;
    hue_on(p, &p->piece, HUE_DIM);
    if (has_interval(e))
        put_column_range(p, e, e->low, e->high, u);
    else
        put_text(p, e->reason);
    hue_off(p, &p->piece, HUE_DIM);
    table_cell(t);
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
    buf_format(&p->piece, "%s CI", figure_text(figure_level, level_of(p, subject, m)).at);
    table_titled(&t, SIDE_LEFT, 1);
    for (int i = 0; i < NAMES; i++)
        add_row(&t, names[i], record_estimate(p->r, subject, m->id, names[i]));
    table_end(&t, 2);
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
        add_row(&t, of_samples[i] + strlen("sample_"), record_estimate(p->r, subject, "ns", of_samples[i]));
    table_end(&t, 2);
    flow_begin(p, 2, 4);
    if (iterations && iterations->point > 1)
        buf_format(&p->piece, "each the mean of %.0f iterations", iterations->point);
    summary_part(p);
    summary_format(p, "no intervals: samples of one process are not independent");
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

static void put_ends(struct page *p, const struct estimate *e)
{
    const struct unit u = metric_unit(p, e->metric);
    if (has_interval(e))
        figure_range(&p->piece, e->low, e->high, u, estimate_decimals(e, u));
}

/* The mean beside the median. Student's interval of values that cannot be negative and of which many are 0 reaches below 0: it is no interval for such
 * a mean. */
static void mean_cells(struct table *t, const struct estimate *median)
{
    struct page *p = t->p;
    const struct estimate *mean = record_known(p->r, median->subject, median->metric, "mean");
    const struct metric *m = record_metric(p->r, median->metric);
    if (mean)
        put_point(p, mean, metric_unit(p, mean->metric));
    table_cell(t);
    if (mean && !is_exact(p, median) && !(m && m->kind == METRIC_TIME && mean->low < 0))
        put_ends(p, mean);
    table_cell(t);
}

static void metric_row(struct table *t, const struct estimate *median)
{
    static const char *const others[] = {"stddev", "min", "p10", "p90", "max"};
    struct page *p = t->p;
    const struct unit u = metric_unit(p, median->metric);
    put_title(p, median->metric, 28);
    buf_str(&p->piece, *u.name ? "," : "");
    unit_put(&p->piece, u);
    table_cell(t);
    put_point(p, median, u);
    table_cell(t);
    if (is_exact(p, median))
        buf_str(&p->piece, exact_word(p, median));
    else
        put_ends(p, median);
    table_cell(t);
    mean_cells(t, median);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const struct estimate *e = record_known(p->r, median->subject, median->metric, others[i]);
        if (e) /* with the digits of the median, the spread with its own */
            figure_put(&p->piece, e->point / u.factor, i ? estimate_decimals(median, u) : figure_digits(e->point / u.factor, 2));
        table_cell(t);
    }
}

static void render_metrics(struct page *p, int subject)
{
    static const struct table_column columns[] = {{"", SIDE_LEFT, 0},      {"median", SIDE_POINT, 0}, {"", SIDE_LEFT, 9},
                                                  {"mean", SIDE_POINT, 8}, {"", SIDE_LEFT, 6},        {"sd", SIDE_POINT, 5},
                                                  {"min", SIDE_POINT, 7},  {"p10", SIDE_POINT, 3},    {"p90", SIDE_POINT, 4},
                                                  {"max", SIDE_POINT, 6}};
    struct table t;
    table_begin(&t, p, columns, sizeof columns / sizeof *columns);
    t.columns[2].title = t.columns[4].title = interval_title(&t, "", "");
    for (int m = 0; m < p->r->n_metrics; m++) {
        const struct estimate *median = record_estimate(p->r, subject, p->r->metrics[m].id, "median");
        if (is_known(median))
            metric_row(&t, median);
    }
    table_end(&t, 4);
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
    if (record_in_order(p->r))
        plot_order(p, values, s->main.n, u);
    if (p->o->verbosity > 1)
        render_runs(p, subject);
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

static void value_cell(struct table *t, int subject, const char *metric, double value)
{
    enum { MICROSECOND_DECIMALS = 3 };
    const struct unit u = run_unit(t->p, subject, metric);
    value /= u.factor;
    if (!isnan(value))
        figure_put(&t->p->piece, value,
                   in_microseconds(t->p, subject, metric) ? MICROSECOND_DECIMALS
                   : u.factor > 1                         ? figure_digits(value, 6)
                                                          : 0);
    table_cell(t);
}

static void run_rows(struct table *t, int subject, const struct rows *rows, int n_columns, const char *before)
{
    struct page *p = t->p;
    for (int i = 0; i < rows->n; i++) {
        table_format(t, "%s%d", before, rows->round[i] + 1);
        table_format(t, "%d", rows->slot[i] + 1);
        for (int c = 0; c < n_columns; c++)
            value_cell(t, subject, p->r->series[subject].columns[c], rows->value[c][i]);
        for (uint32_t bit = 1, flags = rows->flags[i]; bit && bit <= flags; bit <<= 1)
            if (flags & bit)
                buf_format(&p->piece, "%s%s", p->piece.len ? " " : "",
                           row_flag_name((enum row_flag)bit) ? row_flag_name((enum row_flag)bit) : "?");
        table_cell(t);
    }
}

void render_runs(struct page *p, int subject)
{
    static const struct table_column columns[] = {{"round", SIDE_RIGHT, 0}, {"place", SIDE_RIGHT, 2}};
    const struct series *s = &p->r->series[subject];
    const int room = TABLE_COLUMNS_MAX - 3, values = s->n_columns < room ? s->n_columns : room;
    struct table t;
    table_begin(&t, p, columns, sizeof columns / sizeof *columns);
    for (int c = 0; c < values; c++) {
        const struct unit u = run_unit(p, subject, s->columns[c]);
        put_cut(p, s->columns[c], 16);
        if (record_metric(p->r, s->columns[c]) && *u.name && strcmp(u.name, s->columns[c])) {
            buf_char(&p->piece, ',');
            unit_put(&p->piece, u);
        }
        table_titled(&t, SIDE_POINT, TABLE_COLUMNS_MAX - c);
    }
    table_column(&t, (struct table_column){"", SIDE_LEFT, 0});
    run_rows(&t, subject, &s->warmup, values, "w");
    run_rows(&t, subject, &s->main, values, "");
    table_end(&t, 4);
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

static void render_looks(struct page *p)
{
    const struct rule *rule = &p->r->rule;
    const bool spends = rule->spending > 0;
    const struct table_column columns[] = {{"analysis", SIDE_RIGHT, 0},
                                           {"rounds", SIDE_RIGHT, 0},
                                           {"each interval", SIDE_RIGHT, 0},
                                           {spends ? "of the session" : "", spends ? SIDE_RIGHT : SIDE_LEFT, 0}};
    struct table t;
    table_begin(&t, p, columns, sizeof columns / sizeof *columns);
    for (int i = 0; i < rule->n_looks; i++) {
        table_format(&t, "%d", i + 1);
        table_format(&t, "%d", rule->look_at[i]);
        figure_put(&p->piece, 100 * (1 - rule->look_level[i]), 2);
        table_format(&t, " %%");
        if (spends)
            table_format(&t, "%s", figure_text(figure_share, rule->look_share[i]).at);
        else
            table_format(&t, "%s", i + 1 < p->r->look ? "made" : i + 1 == p->r->look ? "last" : "");
    }
    table_end(&t, 2);
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
        buf_str(&p->piece, record_is_over_sessions(p->r) ? "ratio of means of runs " : "ratio of means ");
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
    if (isfinite(r->seconds) && r->seconds > 0)
        buf_format(&p->piece, ", %s", figure_text(figure_duration, r->seconds).at);
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
