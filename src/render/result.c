/* SPDX-License-Identifier: MIT
 *
 * The order of a result: the table with its verdicts, the summary, the two findings that matter most; with -v what the session was and how its
 * intervals are made, the lines of each command, the sentences of each comparison, and all findings.
 */
#include "layout.h"
#include "plots.h"
#include "quote.h"
#include "record_kind.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What -v adds: for each command its metrics, its histogram and the order of its runs; for the session the schedule of looks
 * and what else is known about each comparison. -vv lists the runs.
 */

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
    t->headed = true;
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

/* Of the metric that decides, of all with -v; nothing where they were not asked for. */
static void render_percentiles(struct page *p)
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

/* metrics, histogram, order of runs */
static void render_details(struct page *p, int subject)
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

/* what an empty program takes */
static void render_own_overhead(struct page *p)
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

static const char *mean_method(const struct record *r, const struct comparison *c)
{
    return c->reference_rounds ? "Welch" : record_is_over_sessions(r) ? "Student" : "Fieller";
}

static void render_more_of_comparison(struct page *p, const struct comparison *c, bool first)
{
    bool has_mean = c->verdict != VERDICT_INVALID && isfinite(c->mean_ratio), has_slot = isfinite(c->slot_effect);
    if (!has_mean && !has_slot)
        return;
    if (first)
        blank_line(p);
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
            buf_format(&p->piece, ", %s)", mean_method(p->r, c));
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

static void render_schedule(struct page *p)
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
}

static const struct estimate *first_with_interval(const struct page *p, const char *statistic)
{
    for (int i = 0; i < p->r->n_subjects; i++) {
        const struct estimate *e = record_estimate(p->r, i, p->r->rule.metric, statistic);
        if (subject_measured(&p->r->subjects[i]) && has_interval(e))
            return e;
    }
    return NULL;
}

static void next_sentence(struct page *p)
{
    buf_str(&p->piece, p->piece.len ? " " : "");
}

/* Beside those that the line below the table counts. */
static void put_more_runs(struct page *p)
{
    const struct run_counts c = count_runs(p->r);
    const char *gap = "";
    if (!c.warmup && !c.followed && !c.untimed)
        return;
    next_sentence(p);
    buf_str(&p->piece, "Also made: ");
    if (c.warmup)
        buf_format(&p->piece, "%d warm-up %s%s", c.warmup, command_count(p->r) > 1 ? "round" : "run", buf_plural(c.warmup));
    gap = c.warmup ? ", " : gap;
    if (c.followed)
        buf_format(&p->piece, "%s%d untimed for exact memory", gap, c.followed);
    gap = c.followed ? ", " : gap;
    if (c.untimed)
        buf_format(&p->piece, "%s%d run%s untimed", gap, c.untimed, buf_plural(c.untimed));
    buf_char(&p->piece, '.');
}

static void put_interval_words(struct page *p)
{
    const bool georges = p->r->rule.method == METHOD_GEORGES;
    const struct estimate *median = georges ? NULL : first_with_interval(p, "median"),
                          *e = median ? median : first_with_interval(p, "mean");
    if (!e)
        return;
    buf_format(&p->piece, "%s intervals", figure_text(figure_level, e->confidence).at);
    if (!georges)
        put_looks(p);
    buf_format(&p->piece, " of the %s", e->statistic);
    if (e->method) {
        buf_str(&p->piece, " (");
        put_text(p, e->method);
        buf_char(&p->piece, ')');
    }
    buf_str(&p->piece, georges ? ", not corrected for an analysis after every run." : ".");
}

/* Runs that came after the last look: they enter no interval and no verdict. */
static int runs_after_look(const struct record *r)
{
    bool looked = r->rule.method == METHOD_TARE && r->look > 0 && r->look <= r->rule.n_looks;
    if (r->rule.spending > 0 && r->ended && !r->partial)
        return 0; /* what ended by itself was looked at to its end; r->rule has the looks of the last block alone */
    return looked && r->rounds > r->rule.look_at[r->look - 1] ? r->rounds - r->rule.look_at[r->look - 1] : 0;
}

static void put_words_on_late_runs(struct page *p)
{
    const struct record *r = p->r;
    bool several = command_count(r) > 1;
    int late = runs_after_look(r);
    if (!late || r->partial)
        return;
    next_sentence(p);
    if (several && !r->rule.interleaved)
        buf_str(&p->piece, "Runs after a command's last interim analysis (n of N runs) count in min, max and sd only.");
    else
        buf_format(&p->piece, "The last %d %s%s, made after the last interim analysis, count%s in min, max and sd only.", late,
                   several ? "round" : "run", buf_plural(late), late == 1 ? "s" : "");
}

static void render_head(struct page *p)
{
    put_interval_words(p);
    if (!record_kind(p->r)->processes && count_runs(p->r).most > 1) {
        next_sentence(p);
        buf_str(&p->piece, "Other metrics: medians.");
    }
    put_words_on_late_runs(p);
    put_more_runs(p);
    flow_line(p, 0, HUE_DIM);
}

static void render_tuned(struct page *p)
{
    const struct facts *before = &p->r->before;
    const char *knobs = facts_text(before, "tune_knobs"), *warning = facts_text(before, "tune_warning");
    const double cpu = facts_number(before, "tune_cpu"), files = facts_number(before, "tune_files"),
                 refused = facts_number(before, "tune_refused");
    if (!knobs || isnan(cpu) || p->o->verbosity < 0)
        return;
    buf_format(&p->piece, "Tuned for it, CPU %.0f: ", cpu);
    if (files > 0) {
        put_text(p, knobs);
        buf_format(&p->piece, " (%.0f file%s", files, files == 1 ? "" : "s");
    } else {
        buf_str(&p->piece, warning       ? "nothing stays changed"
                           : refused > 0 ? "nothing could be changed"
                                         : "nothing had to be changed");
    }
    if (refused > 0)
        buf_format(&p->piece, "%s%.0f refused", files > 0 ? ", " : " (", refused);
    buf_str(&p->piece, files > 0 || refused > 0 ? ")." : ".");
    if (warning) {
        buf_char(&p->piece, ' ');
        put_text(p, warning);
        buf_char(&p->piece, '.');
    }
    flow_line(p, 0, HUE_DIM);
}

/* What programs say of themselves, beside the first figures. */
static void render_program_notes(struct page *p)
{
    const size_t n = strlen(RECORD_NOTE);
    for (int i = 0; i < p->r->build.n; i++) {
        const struct fact *f = &p->r->build.items[i];
        if (strncmp(f->key, RECORD_NOTE, n) != 0 || !f->text)
            continue;
        put_text(p, f->key + n);
        buf_str(&p->piece, ": ");
        put_text(p, f->text);
        flow_line(p, 0, HUE_DIM);
    }
}

static void render_more(struct page *p)
{
    for (int i = 0; i < p->r->n_subjects; i++)
        if (subject_measured(&p->r->subjects[i]))
            render_details(p, i);
    render_own_overhead(p);
    const bool schedule = !record_is_of_two_sessions(p->r) && !record_source(p->r); /* of these none is known */
    if (schedule)
        render_schedule(p);
    for (int i = 0; i < p->r->n_comparisons; i++)
        render_more_of_comparison(p, &p->r->comparisons[i], !schedule && !i);
}

static void render_sessions_against_itself(struct page *p)
{
    render_against_itself(p);
    render_interruption(p);
    render_tuned(p);
    if (p->o->verbosity > 0)
        render_own_overhead(p);
    if (p->o->verbosity >= 0)
        render_findings(p);
}

static void view_hosts(struct page *p)
{
    render_host_result(p);
    render_interruption(p);
    if (p->o->verbosity < 0)
        return;
    if (p->o->verbosity > 0)
        render_against_itself(p);
    render_findings(p);
}

static void render_bench_result(struct page *p)
{
    bool quiet = p->o->verbosity < 0;
    render_benchmarks(p);
    render_interruption(p);
    if (!quiet) {
        render_tuned(p);
        render_program_notes(p);
        render_findings(p);
    }
    render_growth(p);
    render_percentiles(p);
    if (p->o->verbosity > 0) {
        blank_line(p);
        render_head(p);
        render_benchmark_details(p);
    }
    if (p->o->verbosity > 1)
        render_more(p);
}

/* All that the table leaves out. */
static void render_verbose(struct page *p)
{
    blank_line(p);
    render_head(p);
    render_tuned(p);
    render_program_notes(p);
    render_revisions(p);
    /* The lines of one command, which have no place in a table: with -v. */
    int n, *order = subject_order(p, RENDER_SORT_COMMAND, &n);
    for (int i = 0; i < n; i++)
        render_command(p, order[i]);
    free(order);
    render_comparisons(p);
    render_more(p);
    render_growth(p);
}

static void render_run_result(struct page *p)
{
    if (p->o->verbosity < 0) {
        render_interruption(p);
        /* The verdicts; without any the figures that there are. */
        if (p->r->n_comparisons)
            render_verdicts(p);
        else
            render_lead_lines(p);
        render_growth(p);
        render_percentiles(p);
        render_timeline_peaks(p);
        if (p->o->design && command_count(p->r)) {
            gap_of_stacked(p);
            render_run_design(p);
        }
        return;
    }
    if (record_is_of_two_sessions(p->r))
        render_pair_table(p);
    else
        render_command_table(p);
    if (p->o->verbosity == 0)
        render_growth(p);
    render_run_summary(p);
    if (p->o->verbosity == 0)
        render_findings(p);
    render_percentiles(p);
    render_timelines(p);
    if (p->o->verbosity == 0)
        return;
    render_verbose(p);
    render_findings(p);
}

static void view_leaks(struct page *p)
{
    render_leaks(p);
    render_interruption(p);
    render_tuned(p);
    if (p->o->verbosity > 1)
        for (int i = 0; i < p->r->n_subjects; i++)
            render_runs(p, i);
    if (p->o->verbosity >= 0)
        render_findings(p);
}

static void view_traces(struct page *p)
{
    render_traces(p);
    render_interruption(p);
    render_tuned(p);
    if (p->o->verbosity > 1)
        render_more(p);
    if (p->o->verbosity >= 0)
        render_findings(p);
}

static void view_commands(struct page *p)
{
    if (p->r->rule.against_itself)
        render_sessions_against_itself(p);
    else
        render_run_result(p);
}

static void view_benchmarks(struct page *p)
{
    if (p->r->rule.against_itself)
        render_sessions_against_itself(p);
    else
        render_bench_result(p);
}

static void view_clocks(struct page *p)
{
    render_clock_result(p);
}

void render_result(const struct record *r, const struct render_options *o, struct buf *out)
{
    static void (*const views[RECORD_KINDS])(struct page * p) = {
#define RECORD_KIND(id) [RECORD_OF_##id] = view_##id,
#include "record_kinds.def"
    };
    struct page p = page_over(r, o, out);
    views[record_kind(r)->id](&p);
    page_finish(&p);
}

int *render_order(const struct record *r, const struct render_options *o)
{
    struct buf none = BUF_INIT(0);
    struct page p = page_over(r, o, &none);
    int n, *order = table_order(&p, &n);
    if (order)
        order[n] = -1;
    page_finish(&p);
    buf_finish(&none);
    return order;
}
