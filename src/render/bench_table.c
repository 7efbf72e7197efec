/* SPDX-License-Identifier: MIT
 *
 * Benchmarks: a row each, compared with the .baseline beside them where one is marked, and one line that sums up.
 *
 *       benchmark       time   95 % CI      min   core cycles   vs reference
 *       plain/10     10.0 ns   9.98–10.02  9.95          30.0   reference
 *       fast/10      8.00 ns   7.98–8.02   7.97          24.0   1.250× faster (1.247–1.253)
 *       1 faster, 0 slower · 10 processes each · median time per iteration
 */
#include "bench_lines.h"
#include <math.h>
#include <string.h>

/* Benchmarks of two programs, or of two sessions: a row for each pair.
 *
 *       benchmark      ./old     ./new   change (95 % CI)
 *       hash/n:64    1.54 ns   1.56 ns   +1.0 % (−0.8 to +2.6)     undecided
 *       hash/n:1024  1.63 ns   1.21 ns   1.34× faster (1.31–1.38)
 *
 * Whose a benchmark is stands in brackets behind its name: "hash/n:64 (./new)". */

struct pair_row {
    int old, new; /* subjects; -1: the benchmark is not there */
    const struct table *t;
    int name_columns;
    bool brief; /* an open verdict has no room for its figures */
    struct side sides[2];
    const struct comparison *c; /* NULL: one of them is missing */
};

static void pair_name_cell(struct page *p, const void *row)
{
    const struct pair_row *x = row;
    put_benchmark_base(p, x->old >= 0 ? x->old : x->new, x->name_columns);
}

static void side_cell(struct page *p, const void *row)
{
    const struct pair_row *x = row;
    const int subject = p->cell == x->t->columns + 1 ? x->old : x->new;
    if (subject >= 0 && !p->r->subjects[subject].failure && !put_multiple_of_anchor(p, x->c, subject))
        put_benchmark_value(p, subject);
}

/* "failed: was ended by SIGSEGV in process 4", with whose it is where that is one of them. */
static bool put_failure(struct page *p, const struct pair_row *x)
{
    const char *failure[2] = {x->old >= 0 ? p->r->subjects[x->old].failure : NULL,
                              x->new >= 0 ? p->r->subjects[x->new].failure : NULL};
    const int which = failure[0] ? 0 : 1;
    if (!failure[which])
        return false;
    if (!failure[!which] || strcmp(failure[0], failure[1])) {
        put_side(p, x->sides, which);
        buf_char(&p->piece, ' ');
    }
    put_benchmark_failure(p, which ? x->new : x->old);
    return true;
}

static void change_cell(struct page *p, const void *row)
{
    const struct pair_row *x = row;
    if (put_failure(p, x)) {
        p->rest = true;
    } else if (x->old >= 0 && x->new >= 0) {
        (x->brief ? brief_effect_cell : effect_cell)(p, x->c);
    } else {
        buf_str(&p->piece, "only in ");
        put_side(p, x->sides, x->old < 0);
    }
}

static void verdict_word_cell(struct page *p, const void *row)
{
    verdict_cell(p, ((const struct pair_row *)row)->c);
}

/* Of two benchmarks that failed there may be no comparison. */
static bool belongs_to(const struct page *p, int subject, int reference)
{
    const struct subject *s = &p->r->subjects[subject];
    const struct comparison *c = record_comparison(p->r, subject, p->r->rule.metric);
    return s->kind == SUBJECT_BENCH && (c ? c->reference : s->reference) == reference;
}

static int other_with(const struct page *p, int reference, struct side new)
{
    for (int i = 0; i < p->r->n_subjects; i++)
        if (belongs_to(p, i, reference) && same_side(benchmark_side(&p->r->subjects[i]), new))
            return i;
    return -1;
}

static bool has_other(const struct page *p, int subject)
{
    for (int i = 0; i < p->r->n_subjects; i++)
        if (belongs_to(p, i, subject) || (i != subject && belongs_to(p, subject, i)))
            return true;
    return false;
}

/* What one side alone has stands in the first table of that side. */
static void add_row(struct page *p, struct table *t, struct pair_row x, int subject, bool first)
{
    const struct side side = benchmark_side(&p->r->subjects[subject]);
    const bool old = same_side(side, x.sides[0]), new = same_side(side, x.sides[1]);
    const int other = old ? other_with(p, subject, x.sides[1]) : -1;
    x.t = t;
    x.old = old ? subject : -1;
    x.new = other >= 0 ? other : new ? subject : -1;
    x.c = other >= 0 ? record_comparison(p->r, other, p->r->rule.metric) : NULL;
    if (other >= 0 || ((new || (old && first)) && !has_other(p, subject)))
        table_row(p, t, &x);
}

static void no_cell(struct page *p, const void *row)
{
    (void)p, (void)row;
}

static void fill_sides(struct page *p, struct table *t, const struct pair_row *x, bool first)
{
    table_begin(t, NULL, 0);
    table_column(t, (struct table_column){"benchmark", SIDE_LEFT, 0, pair_name_cell});
    for (int i = 0; i < 2; i++) {
        put_side(p, x->sides, i);
        table_titled(p, t, SIDE_RIGHT, 1 + i, side_cell);
    }
    table_column(t, (struct table_column){interval_title(p, t, "change (", ")"), SIDE_LEFT, 0, change_cell});
    table_column(
        t, (struct table_column){"", SIDE_LEFT, TABLE_KEPT, x->brief ? no_cell : verdict_word_cell}); /* failures go on over it */
    for (int i = 0; i < p->r->n_subjects; i++)
        if (p->r->subjects[i].kind == SUBJECT_BENCH)
            add_row(p, t, *x, i, first);
}

static bool has_table(const struct page *p, int index)
{
    const struct subject *s = p->r->subjects;
    const struct comparison *c = p->r->comparisons;
    for (int i = 0; i < index; i++)
        if (comparison_decides(p, &c[i]) &&
            same_side(benchmark_side(&s[c[i].reference]), benchmark_side(&s[c[index].reference])) &&
            same_side(benchmark_side(&s[c[i].subject]), benchmark_side(&s[c[index].subject])))
            return true;
    return false;
}

static void render_benchmark_pairs(struct page *p)
{
    bool first = true;
    for (int i = 0; i < p->r->n_comparisons; i++)
        if (comparison_decides(p, &p->r->comparisons[i]) && !has_table(p, i)) {
            struct pair_row x = {.name_columns = benchmark_name_columns(p),
                                 .sides = {benchmark_side(&p->r->subjects[p->r->comparisons[i].reference]),
                                           benchmark_side(&p->r->subjects[p->r->comparisons[i].subject])}};
            struct table t;
            if (!first)
                blank_line(p);
            fill_sides(p, &t, &x, first);
            if (p->o->width > 0 && table_room(p, &t, 2) < 0) {
                table_drop(&t);
                x.brief = true;
                fill_sides(p, &t, &x, first);
            }
            table_end(p, &t, 2);
            first = false;
        }
}

struct list_row {
    struct subject_row of;
    const struct table *t;
    struct count_names counters; /* one behind the other, from this column on */
    int first_counter;
    bool intervals; /* of any */
};

static void name_cell(struct page *p, const void *row)
{
    put_benchmark_name(p, row_subject(row), benchmark_name_columns(p));
}

static void value_cell(struct page *p, const void *row)
{
    p->rest = p->r->subjects[row_subject(row)].failure != NULL;
    if (p->rest)
        put_benchmark_failure(p, row_subject(row));
    else
        put_benchmark_value(p, row_subject(row));
}

static void interval_cell(struct page *p, const void *row)
{
    const struct list_row *x = row;
    if (!benchmark_below_resolution(p, row_subject(row)))
        put_own_range(p, lead_estimate(p, row_subject(row)), x->intervals);
}

static void cycles_cell(struct page *p, const void *row)
{
    const struct estimate *e = record_estimate(p->r, row_subject(row), "cycles", benchmark_central(p));
    if (is_known(e) && e->point < 1e4)
        figure_put(&p->piece, e->point, column_decimals(e, unit_one));
    else if (is_known(e))
        figure_count(&p->piece, e->point);
}

/* Items or bytes in a second, where the benchmark says how many an iteration has. */
static void rate_cell(struct page *p, const void *row)
{
    double items = record_point(p->r, row_subject(row), "ns", "items"),
           bytes = record_point(p->r, row_subject(row), "ns", "bytes"),
           ns = record_point(p->r, row_subject(row), "ns", benchmark_central(p));
    double rate = (isnan(bytes) ? items : bytes) / ns * 1e9;
    if (isfinite(rate) && ns > 0)
        figure_scaled(&p->piece, isnan(bytes) ? "1/s" : "bytes/s", rate, FIGURE_DIGITS);
}

static void counter_cell(struct page *p, const void *row)
{
    const struct list_row *x = row;
    const struct count *c = x->counters.count[p->cell - x->t->columns - x->first_counter];
    const struct estimate *e = benchmark_count(p, row_subject(row), c);
    if (e)
        put_count(p, c, e->point, true);
}

static void label_cell(struct page *p, const void *row)
{
    put_text(p, p->r->subjects[row_subject(row)].label);
}

static void processes_cell(struct page *p, const void *row)
{
    buf_format(&p->piece, "%d", p->r->series[row_subject(row)].main.n);
}

/* Of the published rule: the width of the mean's interval, which it stops by, the standard deviation of the processes, and how it ended. */
static void width_cell(struct page *p, const void *row)
{
    const struct estimate *mean = record_estimate(p->r, row_subject(row), p->r->rule.metric, "mean");
    if (has_interval(mean))
        figure_share(&p->piece, (mean->high - mean->low) / fabs(mean->point));
}

static void sd_cell(struct page *p, const void *row)
{
    const struct estimate *sd = record_estimate(p->r, row_subject(row), p->r->rule.metric, "stddev");
    if (!is_known(sd))
        return;
    struct unit u = estimate_unit(p, sd);
    figure_with(&p->piece, sd->point, u, figure_digits(sd->point / u.factor, 2));
}

static void end_cell(struct page *p, const void *row)
{
    const struct estimate *mean = record_estimate(p->r, row_subject(row), p->r->rule.metric, "mean");
    if (mean && mean->n > 1)
        buf_format(&p->piece, mean->n < p->r->rule.georges_runs ? "stopped early" : "reached %d", p->r->rule.georges_runs);
}

static const struct comparison *comparison_of(const struct page *p, int subject)
{
    return record_comparison(p->r, subject, p->r->rule.metric);
}

static void effect_of_cell(struct page *p, const void *row)
{
    const struct comparison *c = comparison_of(p, row_subject(row));
    effect_cell(p, c);
    if (!c)
        buf_str(&p->piece, role_of(p->r, row_subject(row)));
}

static void verdict_of_cell(struct page *p, const void *row)
{
    verdict_cell(p, comparison_of(p, row_subject(row)));
}

enum worth { /* of columns, where not all fit */
             WORTH_PROCESSES = 1,
             WORTH_CYCLES,
             WORTH_COUNTER = WORTH_CYCLES + BENCH_COUNTERS_MAX, /* of the first */
             WORTH_LABEL,
             WORTH_RATE,
             WORTH_RULE,
             WORTH_ANCHOR,
             WORTH_MIN,
             WORTH_UNDISTURBED,
             WORTH_INTERVAL,
             WORTH_TIME
};

struct process_range {
    int least, most, n; /* processes of the benchmarks that came to an end, and how many these are */
};

static struct process_range process_range(const struct page *p)
{
    struct process_range x = {0};
    for (int i = 0; i < p->r->n_subjects; i++) {
        const int n = p->r->series[i].main.n;
        if (p->r->subjects[i].kind != SUBJECT_BENCH || p->r->subjects[i].failure)
            continue;
        x.least = x.n && x.least < n ? x.least : n;
        x.most = x.most > n ? x.most : n;
        x.n++;
    }
    return x;
}

static bool any_interval(const struct page *p)
{
    for (int i = 0; i < p->r->n_subjects; i++)
        if (has_interval(lead_estimate(p, i)))
            return true;
    return false;
}

static bool any_known(const struct page *p, const char *metric, const char *statistic)
{
    for (int i = 0; i < p->r->n_subjects; i++)
        if (!isnan(record_point(p->r, i, metric, statistic)))
            return true;
    return false;
}

static void add_columns_of_comparison(struct page *p, struct table *t)
{
    /* "vs plain" where all have alternatives of one group. */
    const char *group = NULL;
    bool one = true;
    for (int i = 0; i < p->r->n_comparisons; i++) {
        const char *its = p->r->subjects[p->r->comparisons[i].reference].group;
        one = one && its && (!group || !strcmp(group, its));
        group = its;
    }
    buf_str(&p->piece, "vs ");
    put_cut(p, one ? group : "reference", 24);
    table_titled(p, t, SIDE_LEFT, 0, effect_of_cell);
    table_column(t, (struct table_column){"", SIDE_LEFT, TABLE_KEPT, verdict_of_cell});
}

static void add_counters(struct page *p, struct table *t, struct list_row *x)
{
    x->counters = benchmark_counters(p);
    x->first_counter = t->n_columns;
    for (int i = 0; i < x->counters.n; i++) {
        put_count_name(p, x->counters.count[i]);
        table_titled(p, t, SIDE_RIGHT, WORTH_COUNTER - i, counter_cell);
    }
}

static void add_columns(struct page *p, struct table *t, struct list_row *x)
{
    const bool compared = p->r->n_comparisons && !benchmarks_are_pairs(p), georges = p->r->rule.method == METHOD_GEORGES,
               ns = !strcmp(p->r->rule.metric, "ns"), time = ns || !strcmp(p->r->rule.metric, "cycles");
    const struct process_range processes = process_range(p);
    table_column(t, (struct table_column){"benchmark", SIDE_LEFT, 0, name_cell});
    if (ns)
        buf_str(&p->piece, "time");
    else
        put_title(p, p->r->rule.metric, 25);
    table_titled(p, t, SIDE_RIGHT, compared ? WORTH_TIME : 0, value_cell);
    const char *level = interval_title(p, t, "", "");
    x->intervals = any_interval(p);
    if (x->intervals || processes.most > 1)
        table_column(
            t, (struct table_column){x->intervals ? level : "range", SIDE_LEFT, compared ? WORTH_INTERVAL : 0, interval_cell});
    if (x->intervals)
        table_column(t, (struct table_column){"min", SIDE_RIGHT, WORTH_MIN, min_cell});
    if (p->r->rule.on_dirty == DIRTY_DROP)
        table_column(t, (struct table_column){"undisturbed", SIDE_RIGHT, WORTH_UNDISTURBED, undisturbed_cell});
    if (ns && any_known(p, "cycles", benchmark_central(p)))
        table_column(t, (struct table_column){"core cycles", SIDE_RIGHT, WORTH_CYCLES, cycles_cell});
    if (time && (any_known(p, "ns", "items") || any_known(p, "ns", "bytes")))
        table_column(t, (struct table_column){"rate", SIDE_RIGHT, WORTH_RATE, rate_cell});
    if (georges) {
        table_column(t, (struct table_column){"width", SIDE_RIGHT, WORTH_RULE, width_cell});
        table_column(t, (struct table_column){"sd", SIDE_RIGHT, WORTH_RULE, sd_cell});
    }
    add_counters(p, t, x);
    if (processes.least < processes.most)
        table_column(t, (struct table_column){"processes", SIDE_RIGHT, WORTH_PROCESSES, processes_cell});
    if (georges)
        table_column(t, (struct table_column){"", SIDE_LEFT, WORTH_RULE, end_cell});
    if (compared)
        add_columns_of_comparison(p, t);
    if (record_anchors(p->r))
        table_column(t, (struct table_column){"× anchor", SIDE_LEFT, WORTH_ANCHOR, anchor_cell});
    table_column(t, (struct table_column){"", SIDE_LEFT, WORTH_LABEL, label_cell});
}

static void render_list(struct page *p)
{
    struct table t;
    struct list_row x = {.t = &t};
    table_begin(&t, NULL, 0);
    add_columns(p, &t, &x);
    for (int i = 0; i < p->r->n_subjects; i++) {
        const struct subject *s = &p->r->subjects[i];
        x.of.subject = i;
        if (s->kind == SUBJECT_BENCH &&
            (!s->anchor || s->failure || p->o->verbosity > 0)) /* of an anchor what went wrong, and with -v all */
            table_row(p, &t, &x);
    }
    table_end(p, &t, 2);
}

/* Processes of each that would decide all that are undecided; NaN: nobody knows, or none is. */
static double processes_needed(const struct page *p)
{
    double needed = 0;
    for (int i = 0; i < p->r->n_comparisons; i++) {
        const struct comparison *c = &p->r->comparisons[i];
        if (!comparison_decides(p, c) || c->verdict != VERDICT_UNDECIDED)
            continue;
        if (c->reason || !can_project(c))
            return NAN;
        needed = fmax(needed, ceil(c->rounds_needed));
    }
    return needed > 0 ? needed : NAN;
}

/* Of a pair that failed in one way it is one benchmark. */
static bool fails_as_reference(const struct page *p, int subject, const char *kind)
{
    const struct comparison *c = comparison_of(p, subject);
    return c && p->r->subjects[c->reference].failure && !strcmp(subject_given_up(&p->r->subjects[c->reference]), kind);
}

static void put_failure_counts(struct page *p)
{
    static const char *const kinds[] = {"failed", "skipped", "optimised-away"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        int n = 0;
        for (int i = 0; i < p->r->n_subjects; i++) {
            const struct subject *s = &p->r->subjects[i];
            n += s->failure && !strcmp(subject_given_up(s), kinds[k]) && !fails_as_reference(p, i, kinds[k]);
        }
        if (n)
            buf_format(&p->piece, "%s%d %s", p->piece.len ? ", " : "", n, kinds[k]);
    }
}

static void put_processes(struct page *p)
{
    const struct process_range x = process_range(p);
    if (!x.n)
        return;
    if (record_is_over_sessions(p->r)) {
        put_two_sessions(p);
        return;
    }
    if (x.least < x.most)
        buf_format(&p->piece, "%d–", x.least);
    buf_format(&p->piece, "%d process%s%s", x.most, x.most == 1 ? "" : "es", x.n > 1 ? " each" : "");
    if (record_is_of_two_sessions(p->r))
        buf_format(&p->piece, ", two sessions, %s", drift_words(&p->r->comparisons[0]));
    else if (x.n > 1 && !p->r->rule.interleaved)
        buf_str(&p->piece, ", one benchmark after the other");
    summary_part(p);
}

/* "median time per iteration", "median peak memory"; of pairs only where it is not the time, which goes without saying. */
static void put_what(struct page *p)
{
    const bool ns = !strcmp(p->r->rule.metric, "ns"), steady = p->r->rule.profile == PROFILE_STEADY;
    const struct process_range x = process_range(p);
    if (!x.n || (benchmarks_are_pairs(p) && ns && steady))
        return;
    buf_format(&p->piece, "%s%s", x.most > 1 ? benchmark_central(p) : "", x.most > 1 ? " " : "");
    if (ns && !steady)
        buf_str(&p->piece, "time of the first call");
    else
        put_title(p, p->r->rule.metric, 0);
    summary_part(p);
}

static bool several_programs_are_compared(const struct record *r)
{
    for (int i = 1; i < r->n_comparisons; i++)
        if (strcmp(r->subjects[r->comparisons[i].subject].program, r->subjects[r->comparisons[0].subject].program) != 0)
            return true;
    return false;
}

static void put_geometric_means(struct page *p)
{
    for (int i = 0; i < p->r->n_subjects; i++) {
        const struct estimate *e = record_estimate(p->r, i, p->r->rule.metric, "geometric_mean_ratio");
        if (!e)
            continue;
        buf_str(&p->piece, "geometric mean ");
        if (several_programs_are_compared(p->r)) {
            buf_str(&p->piece, "of ");
            put_text(p, p->r->subjects[i].program);
            buf_char(&p->piece, ' ');
        }
        figure_ratio(&p->piece, log(e->point), NAN, NAN, NULL);
        summary_part(p);
    }
}

static void put_anchor_program(struct page *p)
{
    const int i = record_first_anchor(p->r);
    if (i < 0)
        return;
    buf_str(&p->piece, "anchor ");
    put_text(p, p->r->subjects[i].program);
    summary_part(p);
}

static void render_summary_of_benchmarks(struct page *p)
{
    flow_begin(p, 2, 4);
    const struct metric *m = record_metric(p->r, p->r->rule.metric);
    int n[VERDICTS] = {0};
    for (int i = 0; i < p->r->n_comparisons; i++) {
        const struct comparison *c = &p->r->comparisons[i]; /* those of benchmarks that failed are counted as such */
        n[c->verdict] += comparison_decides(p, c) && !p->r->subjects[c->subject].failure && !p->r->subjects[c->reference].failure;
    }
    if (p->r->n_comparisons)
        put_verdict_counts(p, n, !m || m->kind == METRIC_TIME);
    put_failure_counts(p);
    summary_part(p);
    if (!isnan(processes_needed(p)))
        buf_format(&p->piece, "about %.0f processes would decide", two_digits_up(processes_needed(p)));
    summary_part(p);
    put_processes(p);
    put_geometric_means(p);
    put_anchor_program(p);
    put_what(p);
    flow_end(p);
}

void render_benchmarks(struct page *p)
{
    if (benchmarks_are_pairs(p))
        render_benchmark_pairs(p);
    else
        render_list(p);
    if (p->o->verbosity >= 0)
        render_summary_of_benchmarks(p);
    render_benchmark_remarks(p);
}

void render_benchmark_details(struct page *p)
{
    if (benchmarks_are_pairs(p))
        render_list(p);
    render_benchmark_notes(p);
}
