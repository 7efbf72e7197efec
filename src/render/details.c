/* SPDX-License-Identifier: MIT
 *
 * What -v adds: for each command its metrics, its histogram and the order of its runs; for the session the schedule of looks
 * and what else is known about each comparison. -vv lists the runs. */
#include "layout.h"
#include "plots.h"
#include "quote.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- metrics of one command ---- */

static void title_cell(struct page *p, struct table *t, const char *metric, struct unit u)
{
    put_title(p, metric, 28);
    if (*u.name)
        buf_char(&p->piece, ',');
    put_unit(p, u);
    table_cell(p, t);
}

static void plain_cell(struct page *p, struct table *t, int subject, const char *metric, const char *statistic, struct unit u,
                       int decimals)
{
    const struct estimate *e = page_estimate(p, subject, metric, statistic);
    if (e && !isnan(e->point))
        put_number(p, e->point / u.factor, decimals < 0 ? significant_decimals(e->point / u.factor, 2) : decimals);
    table_cell(p, t);
}

static void metric_row(struct page *p, struct table *t, int subject, const struct estimate *median)
{
    const char *metric = median->metric;
    struct unit u = metric_unit(p, metric);
    const struct estimate *mean = page_estimate(p, subject, metric, "mean");
    int decimals = estimate_decimals(median, u);
    title_cell(p, t, metric, u);
    put_number(p, median->point / u.factor, decimals);
    table_cell(p, t);
    if (has_interval(median))
        put_interval(p, median->low / u.factor, median->high / u.factor, decimals);
    table_cell(p, t);
    if (mean && !isnan(mean->point)) {
        put_number(p, mean->point / u.factor, estimate_decimals(mean, u));
        if (has_interval(mean)) {
            buf_char(&p->piece, ' ');
            put_interval(p, mean->low / u.factor, mean->high / u.factor, estimate_decimals(mean, u));
        }
    }
    table_cell(p, t);
    static const char *const others[] = {"stddev", "min", "p10", "p90", "max"};
    for (int i = 0; i < 5; i++)
        plain_cell(p, t, subject, metric, others[i], u, i ? decimals : -1); /* -1: the spread by its own size */
}

static void render_metrics(struct page *p, int subject)
{
    struct table_column columns[] = {
        {"", SIDE_LEFT, 0},      {"median", SIDE_POINT, 0}, {"interval", SIDE_LEFT, 9},
        {"mean", SIDE_POINT, 8}, {"sd", SIDE_POINT, 5},     {"min", SIDE_POINT, 7},
        {"p10", SIDE_POINT, 3},  {"p90", SIDE_POINT, 4},    {"max", SIDE_POINT, 6},
    };
    struct table t;
    table_begin(&t, columns, 9);
    put_percent(p, p->r->rule.confidence);
    buf_str(&p->piece, " interval");
    columns[2].title = table_text(p, &t);
    for (int m = 0; m < p->r->n_metrics; m++) {
        const struct estimate *median = page_estimate(p, subject, p->r->metrics[m].id, "median");
        if (median && !isnan(median->point))
            metric_row(p, &t, subject, median);
    }
    table_end(p, &t, 4);
    for (int m = 0; m < p->r->n_metrics; m++) {
        const struct estimate *median = page_estimate(p, subject, p->r->metrics[m].id, "median");
        if (!median || !isnan(median->point))
            continue;
        flow_begin(p, 4, 6);
        put_title(p, p->r->metrics[m].id, 0);
        buf_format(&p->piece, ": not measurable%s", median->reason ? ": " : "");
        put_text(p, median->reason);
        flow_spread(p, "", HUE_PLAIN);
        flow_end(p);
    }
}

void render_details(struct page *p, int subject)
{
    const struct series *s = &p->r->series[subject];
    const double *values = series_values(s, p->r->rule.metric);
    struct unit u = metric_unit(p, p->r->rule.metric);
    blank_line(p);
    flow_begin(p, 0, 2);
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

/* ---- every run ---- */

static void flags_cell(struct page *p, struct table *t, uint32_t flags)
{
    for (uint32_t bit = 1; bit && bit <= flags; bit <<= 1)
        if (flags & bit)
            buf_format(&p->piece, "%s%s", p->piece.len ? " " : "",
                       row_flag_name((enum row_flag)bit) ? row_flag_name((enum row_flag)bit) : "?");
    table_cell(p, t);
}

static void run_rows(struct page *p, struct table *t, const struct series *s, const struct rows *rows, const int *shown,
                     int n_shown)
{
    for (int i = 0; i < rows->n; i++) {
        buf_format(&p->piece, "%s%d", rows == &s->warmup ? "w" : "", rows->round[i] + 1);
        table_cell(p, t);
        buf_format(&p->piece, "%d", rows->slot[i] + 1);
        table_cell(p, t);
        for (int c = 0; c < n_shown; c++) {
            struct unit u = metric_unit(p, s->columns[shown[c]]);
            double value = rows->value[shown[c]][i] / u.factor;
            if (!isnan(value))
                put_number(p, value, u.factor > 1 ? significant_decimals(value, 6) : 0);
            table_cell(p, t);
        }
        flags_cell(p, t, rows->flags[i]);
    }
}

static const char *column_title(struct page *p, const char *metric, struct table *t)
{
    quote_cut(&p->piece, metric, 16, p->o->unicode);
    struct unit u = metric_unit(p, metric);
    if (record_metric(p->r, metric) && *u.name) {
        buf_char(&p->piece, ',');
        put_unit(p, u);
    }
    return table_text(p, t);
}

static int choose_columns(struct page *p, const struct series *s, int *shown, struct table_column *columns, struct table *t)
{
    int n = 0;
    for (int c = 0; c < s->n_columns && n < TABLE_COLUMNS_MAX - 3; c++) {
        columns[2 + n] = (struct table_column){column_title(p, s->columns[c], t), SIDE_POINT, TABLE_COLUMNS_MAX - n};
        shown[n++] = c;
    }
    return n;
}

void render_runs(struct page *p, int subject)
{
    const struct series *s = &p->r->series[subject];
    struct table_column columns[TABLE_COLUMNS_MAX] = {{"round", SIDE_RIGHT, 0}, {"place", SIDE_RIGHT, 2}};
    int shown[TABLE_COLUMNS_MAX];
    struct table t;
    table_begin(&t, columns, 0);
    int n = choose_columns(p, s, shown, columns, &t);
    columns[2 + n] = (struct table_column){"", SIDE_LEFT, 0};
    t.n_columns = 3 + n;
    run_rows(p, &t, s, &s->warmup, shown, n);
    run_rows(p, &t, s, &s->main, shown, n);
    table_end(p, &t, 4);
}

/* ---- tare itself ---- */

void render_own_weight(struct page *p)
{
    for (int i = 0; i < p->r->n_subjects; i++) {
        const struct estimate *e = page_estimate(p, i, "wall", "median");
        if (p->r->subjects[i].kind != SUBJECT_NOOP || !e || isnan(e->point))
            continue;
        blank_line(p);
        flow_begin(p, 0, 2);
        buf_str(&p->piece, "Weight of tare");
        flow_put_hued(p, "", HUE_BOLD);
        buf_format(&p->piece, "%s takes ", p->r->subjects[i].name);
        put_estimate(p, e, unit_for("ns", e->point));
        buf_format(&p->piece, " here (median, n = %d); that is in every wall time and not subtracted.", e->n);
        flow_spread(p, "  ", HUE_PLAIN);
        flow_end(p);
    }
}

/* ---- the schedule ---- */

static void render_looks(struct page *p)
{
    const struct rule *rule = &p->r->rule;
    struct table_column columns[] = {
        {"look", SIDE_RIGHT, 0}, {"rounds", SIDE_RIGHT, 0}, {"each interval", SIDE_RIGHT, 0}, {"", SIDE_LEFT, 0}};
    struct table t;
    if (rule->spending > 0)
        columns[3] = (struct table_column){"of the session", SIDE_RIGHT, 0};
    table_begin(&t, columns, 4);
    for (int i = 0; i < rule->n_looks; i++) {
        buf_format(&p->piece, "%d", i + 1);
        table_cell(p, &t);
        buf_format(&p->piece, "%d", rule->look_at[i]);
        table_cell(p, &t);
        buf_format(&p->piece, "%.2f %%", 100 * (1 - rule->look_level[i]));
        table_cell(p, &t);
        if (rule->spending > 0)
            buf_format(&p->piece, "%.0f %%", 100 * rule->look_share[i]);
        else
            buf_str(&p->piece, i + 1 < p->r->look ? "made" : i + 1 == p->r->look ? "last" : "");
        table_cell(p, &t);
    }
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
        put_number(p, c->mean_ratio, decimals);
        if (isfinite(c->mean_high - c->mean_low)) {
            buf_char(&p->piece, ' ');
            put_interval(p, c->mean_low, c->mean_high, decimals);
        }
        buf_str(&p->piece, " (Fieller)");
        flow_put(p, " ");
    }
    if (has_slot) {
        buf_str(&p->piece, "second of a pair ");
        put_signed(p, 100 * expm1(c->slot_effect), 2);
        buf_str(&p->piece, " %");
        if (isfinite(c->slot_p))
            buf_format(&p->piece, " (p = %.2f)", c->slot_p);
        flow_put(p, has_mean ? ", " : " ");
    }
    flow_end(p);
}

static void put_time_spent(struct page *p)
{
    double s = p->r->seconds;
    buf_str(&p->piece, ", ");
    put_number(p, s, s < 100 ? 1 : 0);
    buf_str(&p->piece, " s");
}

void render_schedule(struct page *p)
{
    const struct record *r = p->r;
    blank_line(p);
    flow_begin(p, 0, 2);
    buf_str(&p->piece, "Schedule");
    flow_put_hued(p, "", HUE_BOLD);
    bool several = command_count(r) > 1;
    buf_format(&p->piece, "(%d %s%s", r->rounds, several ? "rounds" : "runs",
               several && r->rule.interleaved ? " in random order" : "");
    if (isfinite(r->seconds) && r->seconds > 0)
        put_time_spent(p);
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
