/* SPDX-License-Identifier: MIT
 *
 * The system's timers in sentences, and the runs of each experiment, all of them with the smallest marked.
 *
 *     Experiments  an empty bracket weighs 46 ticks (p10 44, p99 50); net is without it
 *       experiment  run  ticks  net      µs  net µs
 *       RDTSC         1     72   26   0.036   0.013
 *                     2     70   24   0.035   0.012  smallest
 */
#include "clock_parts.h"
#include "plots.h"
#include <math.h>
#include <string.h>

enum { RUNS_SHOWN = 10 }; /* more: their quantiles, and with -vv all */

/* ---- timers ---- */

static int timer_with(const struct page *p, const char *metric)
{
    return clock_subject(p, SUBJECT_TIMER, metric);
}

static void put_part(struct page *p, int subject, const char *before, const char *metric, const char *statistic)
{
    size_t at = p->piece.len;
    buf_str(&p->piece, before);
    if (put_clock_figure(p, subject, metric, statistic, 3))
        return;
    p->piece.len = at;
    if (p->piece.data)
        p->piece.data[at] = 0;
}

static void end_line(struct page *p)
{
    flow_begin(p, 2, 4);
    flow_spread(p, "", HUE_PLAIN);
    flow_end(p);
}

/* What the kernel says, or that it says nothing. */
static void put_told(struct page *p, int subject, const char *before, const char *metric)
{
    const struct estimate *e = page_estimate(p, subject, metric, "told");
    bool told = e && !isnan(e->point);
    if (told)
        put_part(p, subject, before, metric, "told");
    else
        buf_str(&p->piece, before);
    buf_str(&p->piece, told ? " as the kernel says" : "not told by the kernel");
}

static void put_slices(struct page *p, int subject)
{
    const struct estimate *median = page_estimate(p, subject, "slice", "median");
    if (!median)
        return;
    if (isnan(median->point)) {
        buf_str(&p->piece, "; slices were not measured: ");
        put_text(p, median->reason);
        return;
    }
    put_part(p, subject, "; two threads on one CPU took turns after ", "slice", "median");
    put_part(p, subject, " (median; ", "slice", "min");
    put_part(p, subject, " to ", "slice", "max");
    buf_format(&p->piece, ", %d slices)", p->r->series[subject].main.n);
}

static void sleep_lines(struct page *p)
{
    int subject = timer_with(p, "slack");
    if (subject < 0)
        return;
    int n = p->r->series[subject].main.n;
    put_told(p, subject, "timer slack ", "slack");
    if (n) {
        buf_format(&p->piece, "; %d sleeps of 1 to 20 ms ended later than asked by", n);
        put_part(p, subject, " ", "late", "min");
        put_part(p, subject, " to ", "late", "max");
        put_part(p, subject, ", median ", "late", "median");
        put_part(p, subject, "; granularity about ", "late", "granularity");
    }
    end_line(p);
}

static void slice_lines(struct page *p)
{
    int subject = timer_with(p, "tick");
    if (subject < 0)
        return;
    put_part(p, subject, "scheduler tick ", "tick", "told");
    const struct estimate *tick = page_estimate(p, subject, "tick", "told");
    if (tick && tick->point > 0)
        buf_format(&p->piece, " (%g Hz)", round(1e12 / tick->point) / 1e3);
    put_told(p, subject, ", slice ", "slice");
    put_slices(p, subject);
    end_line(p);
}

/* The three sleeps of each length side by side. */
static void sleep_table(struct page *p, int subject)
{
    static const struct table_column columns[] = {
        {"asked, ms", SIDE_RIGHT, 0}, {"lasted, ms", SIDE_POINT, 0}, {"", SIDE_POINT, 1}, {"", SIDE_POINT, 2}};
    const struct series *s = &p->r->series[subject];
    const double *asked = series_values(s, "asked"), *wall = series_values(s, "wall");
    struct table t;
    if (!asked || !wall)
        return;
    table_begin(&t, columns, 4);
    for (int first = 0; first < s->main.n; first++) {
        int cells = 0;
        for (int i = 0; i < first; i++)
            cells += asked[i] == asked[first];
        if (cells)
            continue;
        put_number(p, asked[first] / 1e6, 0);
        table_cell(p, &t);
        for (int i = first; i < s->main.n && cells < 3; i++)
            if (asked[i] == asked[first]) {
                put_number(p, wall[i] / 1e6, 3);
                table_cell(p, &t);
                cells++;
            }
        for (; cells < 3; cells++)
            table_cell(p, &t);
    }
    table_end(p, &t, 4);
}

static void timer_details(struct page *p)
{
    int sleeps = timer_with(p, "slack"), scheduler = timer_with(p, "tick");
    if (sleeps >= 0)
        sleep_table(p, sleeps);
    const double *slices = scheduler < 0 ? NULL : series_values(&p->r->series[scheduler], "slice");
    if (slices) {
        flow_begin(p, 2, 4);
        buf_str(&p->piece, "slices");
        flow_put(p, "");
        flow_end(p);
        plot_histogram(p, slices, p->r->series[scheduler].main.n, unit_for("ns", 1e6));
    }
}

void clock_timers(struct page *p)
{
    if (timer_with(p, "slack") < 0 && timer_with(p, "tick") < 0)
        return;
    clock_heading(p, "Timers of the system");
    flow_end(p);
    sleep_lines(p);
    slice_lines(p);
    if (p->o->verbosity > 0)
        timer_details(p);
}

/* ---- experiments ---- */

static const char *const run_columns[] = {"ticks", "net_ticks", "wall", "net_wall"};

/* Ticks whole, or with a half where the weight has one; times in microseconds with three decimals: more would be noise. */
static void run_cell(struct page *p, struct table *t, int column, double value)
{
    if (!isnan(value) && column < 2)
        put_number(p, value, value == floor(value) ? 0 : 1);
    else if (!isnan(value))
        put_number(p, value / 1e3, 3);
    table_cell(p, t);
}

static void name_cell(struct page *p, struct table *t, int subject, bool first)
{
    if (first)
        put_text(p, p->r->subjects[subject].name);
    table_cell(p, t);
}

static int smallest(const struct series *s)
{
    const double *ticks = series_values(s, "ticks"), *wall = series_values(s, "wall");
    const double *values = ticks && !isnan(ticks[0]) ? ticks : wall;
    int at = -1;
    for (int i = 0; values && i < s->main.n; i++)
        if (!isnan(values[i]) && (at < 0 || values[i] < values[at]))
            at = i;
    return at;
}

/* What disturbed a run. */
static void put_causes(struct page *p, uint32_t flags)
{
    for (uint32_t bit = 1; bit && bit <= flags; bit <<= 1)
        if (flags & bit && row_flag_name((enum row_flag)bit))
            buf_format(&p->piece, "%s%s", p->piece.len ? ", " : "", row_flag_name((enum row_flag)bit));
}

static void run_row(struct page *p, struct table *t, int subject, int run, bool is_smallest)
{
    const struct series *s = &p->r->series[subject];
    name_cell(p, t, subject, run == 0);
    buf_format(&p->piece, "%d", run + 1);
    table_cell(p, t);
    for (int c = 0; c < 4; c++) {
        const double *values = series_values(s, run_columns[c]);
        run_cell(p, t, c, values ? values[run] : NAN);
    }
    if (is_smallest)
        buf_str(&p->piece, "smallest");
    put_causes(p, s->main.flags[run]);
    table_cell(p, t);
}

static void quantile_row(struct page *p, struct table *t, int subject, const char *statistic, bool first)
{
    if (!page_estimate(p, subject, "wall", statistic))
        return;
    name_cell(p, t, subject, first);
    table_cell(p, t);
    for (int c = 0; c < 4; c++) {
        const struct estimate *e = page_estimate(p, subject, run_columns[c], statistic);
        run_cell(p, t, c, e ? e->point : NAN);
    }
    buf_str(&p->piece, statistic);
    table_cell(p, t);
}

static void experiment_rows(struct page *p, struct table *t, int subject)
{
    static const char *const statistics[] = {"min", "median", "p90", "max"};
    const struct series *s = &p->r->series[subject];
    int least = s->main.n > 1 ? smallest(s) : -1;
    for (int i = 0; i < s->main.n && s->main.n <= RUNS_SHOWN; i++)
        run_row(p, t, subject, i, i == least);
    for (int i = 0; i < 4 && s->main.n > RUNS_SHOWN; i++)
        quantile_row(p, t, subject, statistics[i], i == 0);
}

static bool is_experiment(const struct page *p, int subject)
{
    return p->r->subjects[subject].kind == SUBJECT_EXPERIMENT && p->r->series[subject].main.n > 0;
}

static void put_weight(struct page *p)
{
    int subject = clock_subject(p, SUBJECT_EXPERIMENT, "weight");
    if (subject < 0)
        return;
    put_part(p, subject, "(an empty bracket weighs ", "weight", "median");
    put_part(p, subject, " (median; p10 ", "weight", "p10");
    put_part(p, subject, ", p99 ", "weight", "p99");
    buf_str(&p->piece, "), net: without it)");
}

static struct table_column micro_column(struct page *p, struct table *t, const char *before)
{
    buf_str(&p->piece, before);
    put_text(p, "µs");
    return (struct table_column){table_text(p, t), SIDE_POINT, 0};
}

/* Why an experiment has no runs. */
static void render_not_made(struct page *p)
{
    for (int i = 0; i < p->r->n_estimates; i++) {
        const struct estimate *e = &p->r->estimates[i];
        if (p->r->subjects[e->subject].kind != SUBJECT_EXPERIMENT || is_experiment(p, e->subject) || strcmp(e->metric, "ticks") ||
            !isnan(e->point) || !e->reason || !*e->reason)
            continue;
        flow_begin(p, 2, 4);
        put_text(p, p->r->subjects[e->subject].name);
        buf_str(&p->piece, ": not measured in ticks: ");
        put_text(p, e->reason);
        flow_spread(p, "", HUE_DIM);
        flow_end(p);
    }
}

void clock_experiments(struct page *p)
{
    struct table_column columns[] = {
        {"experiment", SIDE_LEFT, 0}, {"run", SIDE_RIGHT, 3}, {"ticks", SIDE_POINT, 2}, {"net", SIDE_POINT, 1},
        {"", SIDE_POINT, 0},          {"", SIDE_POINT, 0},    {"", SIDE_LEFT, 4}};
    bool any = false;
    for (int i = 0; i < p->r->n_subjects; i++)
        any |= is_experiment(p, i);
    if (!any && clock_subject(p, SUBJECT_EXPERIMENT, "ticks") < 0)
        return;
    clock_heading(p, "Experiments");
    put_weight(p);
    flow_spread(p, " ", HUE_DIM);
    flow_end(p);
    if (any) {
        struct table t;
        table_begin(&t, columns, 7);
        columns[4] = micro_column(p, &t, "");
        columns[5] = micro_column(p, &t, "net ");
        for (int i = 0; i < p->r->n_subjects; i++)
            if (is_experiment(p, i))
                experiment_rows(p, &t, i);
        table_end(p, &t, 2);
    }
    render_not_made(p);
}
