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

struct pairs {
    int name_columns;
    bool brief; /* an open verdict has no room for its figures */
    struct side sides[2];
};

/* "failed: was ended by SIGSEGV in process 4", with whose it is where that is one of them. */
static bool put_failure(struct page *p, const struct pairs *x, const int *subjects)
{
    const char *failure[2] = {0};
    for (int i = 0; i < 2; i++)
        failure[i] = subjects[i] >= 0 ? p->r->subjects[subjects[i]].failure : NULL;
    const int which = failure[0] ? 0 : 1;
    if (!failure[which])
        return false;
    if (!failure[!which] || strcmp(failure[0], failure[1])) {
        put_side(p, x->sides, which);
        buf_char(&p->piece, ' ');
    }
    put_benchmark_failure(p, subjects[which]);
    return true;
}

/* Its typical value: "1.54 ns", "< 0.2 ns" where the clock cannot tell it from nothing. */
static void put_value(struct page *p, int subject)
{
    if (benchmark_below_resolution(p, subject)) {
        buf_str(&p->piece, "< ");
        put_time(p, record_point(p->r, subject, "ns", "resolution"));
    } else {
        put_in_own_unit(p, lead_estimate(p, subject));
    }
}

/* subjects -1: the benchmark is not there; c NULL: one of them is missing. */
static void pair_row(struct table *t, const struct pairs *x, const int *subjects, const struct comparison *c)
{
    struct page *p = t->p;
    const bool both = subjects[0] >= 0 && subjects[1] >= 0;
    put_benchmark_base(p, subjects[subjects[0] < 0], x->name_columns);
    table_cell(t);
    for (int i = 0; i < 2; i++) {
        if (subjects[i] >= 0 && !p->r->subjects[subjects[i]].failure && !put_multiple_of_anchor(p, c, subjects[i]))
            put_value(p, subjects[i]);
        table_cell(t);
    }
    if (put_failure(p, x, subjects)) {
        table_rest(t);
        return;
    }
    if (!both) {
        buf_str(&p->piece, "only in ");
        put_side(p, x->sides, subjects[0] < 0);
    }
    verdict_cells(t, both ? c : NULL, x->brief);
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
static void add_row(struct table *t, const struct pairs *x, int subject, bool first)
{
    const struct page *p = t->p;
    const struct side side = benchmark_side(&p->r->subjects[subject]);
    const bool old = same_side(side, x->sides[0]), new = same_side(side, x->sides[1]);
    const int other = old ? other_with(p, subject, x->sides[1]) : -1, subjects[2] = {old ? subject : -1, other >= 0 ? other
                                                                                                         : new      ? subject
                                                                                                                    : -1};
    if (other >= 0 || ((new || (old && first)) && !has_other(p, subject)))
        pair_row(t, x, subjects, other >= 0 ? record_comparison(p->r, other, p->r->rule.metric) : NULL);
}

static void fill_sides(struct page *p, struct table *t, const struct pairs *x, bool first)
{
    table_begin(t, p, (const struct table_column[]){{"benchmark", SIDE_LEFT, 0}}, 1);
    for (int i = 0; i < 2; i++) {
        put_side(p, x->sides, i);
        table_titled(t, SIDE_RIGHT, 1 + i);
    }
    table_column(t, (struct table_column){change_title(t), SIDE_LEFT, 0});
    table_column(t, (struct table_column){"", SIDE_LEFT, TABLE_KEPT});
    for (int i = 0; i < p->r->n_subjects; i++)
        if (p->r->subjects[i].kind == SUBJECT_BENCH)
            add_row(t, x, i, first);
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
            struct pairs x = {.name_columns = benchmark_name_columns(p),
                              .sides = {benchmark_side(&p->r->subjects[p->r->comparisons[i].reference]),
                                        benchmark_side(&p->r->subjects[p->r->comparisons[i].subject])}};
            struct table t;
            if (!first)
                blank_line(p);
            fill_sides(p, &t, &x, first);
            if (p->o->width > 0 && table_room(&t, 2) < 0) {
                table_drop(&t);
                x.brief = true;
                fill_sides(p, &t, &x, first);
            }
            table_end(&t, 2);
            first = false;
        }
}

struct list {
    struct count_names counters; /* one behind the other */
    bool intervals;              /* of any */
};

static void cycles_cell(struct table *t, int subject)
{
    const struct estimate *e = record_estimate(t->p->r, subject, "cycles", benchmark_central(t->p));
    if (is_known(e) && e->point < 1e4)
        figure_put(&t->p->piece, e->point, column_decimals(e, unit_one));
    else if (is_known(e))
        figure_count(&t->p->piece, e->point);
    table_cell(t);
}

/* Items or bytes in a second, where the benchmark says how many an iteration has. */
static void rate_cell(struct table *t, int subject)
{
    const struct record *r = t->p->r;
    double items = record_point(r, subject, "ns", "items"), bytes = record_point(r, subject, "ns", "bytes"),
           ns = record_point(r, subject, "ns", benchmark_central(t->p));
    double rate = (isnan(bytes) ? items : bytes) / ns * 1e9;
    if (isfinite(rate) && ns > 0)
        figure_scaled(&t->p->piece, isnan(bytes) ? "1/s" : "bytes/s", rate, FIGURE_DIGITS);
    table_cell(t);
}

/* Of the published rule: the width of the mean's interval, which it stops by, the standard deviation of the processes. */
static void rule_cells(struct table *t, int subject, const struct estimate *mean)
{
    struct page *p = t->p;
    const struct estimate *sd = record_estimate(p->r, subject, p->r->rule.metric, "stddev");
    if (has_interval(mean))
        figure_share(&p->piece, (mean->high - mean->low) / fabs(mean->point));
    table_cell(t);
    if (is_known(sd)) {
        struct unit u = estimate_unit(p, sd);
        figure_with(&p->piece, sd->point, u, figure_digits(sd->point / u.factor, 2));
    }
    table_cell(t);
}

static void list_row(struct table *t, const struct list *x, int subject)
{
    struct page *p = t->p;
    const struct estimate *mean = record_estimate(p->r, subject, p->r->rule.metric, "mean");
    put_benchmark_name(p, subject, benchmark_name_columns(p));
    table_cell(t);
    if (p->r->subjects[subject].failure) {
        put_benchmark_failure(p, subject);
        table_rest(t);
        return;
    }
    put_value(p, subject);
    table_cell(t);
    if (!benchmark_below_resolution(p, subject))
        put_own_range(p, lead_estimate(p, subject), x->intervals);
    table_cell(t);
    min_cell(t, subject);
    undisturbed_cell(t, subject);
    cycles_cell(t, subject);
    rate_cell(t, subject);
    rule_cells(t, subject, mean);
    for (int i = 0; i < x->counters.n; i++) {
        const struct estimate *e = benchmark_count(p, subject, x->counters.count[i]);
        if (e)
            put_count(p, x->counters.count[i], e->point, true);
        table_cell(t);
    }
    table_format(t, "%d", p->r->series[subject].main.n);
    if (mean && mean->n > 1)
        put_georges_end(&p->piece, &p->r->rule, mean);
    table_cell(t);
    subject_verdict_cells(t, subject, false);
    anchor_cell(t, subject);
    put_text(p, p->r->subjects[subject].label);
    table_cell(t);
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

/* "vs plain" where all have alternatives of one group. */
static void put_group_title(struct page *p)
{
    const char *group = NULL;
    bool one = p->r->n_comparisons > 0;
    for (int i = 0; i < p->r->n_comparisons; i++) {
        const char *its = p->r->subjects[p->r->comparisons[i].reference].group;
        one = one && its && (!group || !strcmp(group, its));
        group = its;
    }
    buf_str(&p->piece, "vs ");
    put_cut(p, one ? group : "reference", 24);
}

static void add_columns(struct page *p, struct table *t, struct list *x)
{
    const bool compared = p->r->n_comparisons && !benchmarks_are_pairs(p), ns = !strcmp(p->r->rule.metric, "ns");
    const struct process_range processes = process_range(p);
    const int rule = p->r->rule.method == METHOD_GEORGES ? WORTH_RULE : TABLE_NEVER;
    x->intervals = any_interval(p);
    table_column(t, (struct table_column){"benchmark", SIDE_LEFT, 0});
    if (ns)
        buf_str(&p->piece, "time");
    else
        put_title(p, p->r->rule.metric, 25);
    table_titled(t, SIDE_RIGHT, compared ? WORTH_TIME : 0);
    const char *level = interval_title(t, "", "");
    const struct table_column figures[] = {
        {x->intervals ? level : "range", SIDE_LEFT,
         !x->intervals && processes.most <= 1 ? TABLE_NEVER
         : compared                           ? WORTH_INTERVAL
                                              : 0},
        {"min", SIDE_RIGHT, x->intervals ? WORTH_MIN : TABLE_NEVER},
        {"undisturbed", SIDE_RIGHT, p->r->rule.on_dirty == DIRTY_DROP ? WORTH_UNDISTURBED : TABLE_NEVER},
        {"core cycles", SIDE_RIGHT, ns ? WORTH_CYCLES : TABLE_NEVER},
        {"rate", SIDE_RIGHT, ns || !strcmp(p->r->rule.metric, "cycles") ? WORTH_RATE : TABLE_NEVER},
        {"width", SIDE_RIGHT, rule},
        {"sd", SIDE_RIGHT, rule}};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        table_column(t, figures[i]);
    x->counters = benchmark_counters(p);
    for (int i = 0; i < x->counters.n; i++) {
        put_count_name(p, x->counters.count[i]);
        table_titled(t, SIDE_RIGHT, WORTH_COUNTER - i);
    }
    table_column(
        t, (struct table_column){"processes", SIDE_RIGHT, processes.least < processes.most ? WORTH_PROCESSES : TABLE_NEVER});
    table_column(t, (struct table_column){"", SIDE_LEFT, rule});
    put_group_title(p);
    table_titled(t, SIDE_LEFT, compared ? 0 : TABLE_NEVER);
    table_column(t, (struct table_column){"", SIDE_LEFT, compared ? TABLE_KEPT : TABLE_NEVER});
    table_column(t, (struct table_column){"× anchor", SIDE_LEFT, WORTH_ANCHOR});
    table_column(t, (struct table_column){"", SIDE_LEFT, WORTH_LABEL});
}

static void render_list(struct page *p)
{
    struct table t;
    struct list x;
    table_begin(&t, p, NULL, 0);
    add_columns(p, &t, &x);
    for (int i = 0; i < p->r->n_subjects; i++) {
        const struct subject *s = &p->r->subjects[i];
        if (s->kind == SUBJECT_BENCH &&
            (!s->anchor || s->failure || p->o->verbosity > 0)) /* of an anchor what went wrong, and with -v all */
            list_row(&t, &x, i);
    }
    table_end(&t, 2);
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
    const struct comparison *c = record_comparison(p->r, subject, p->r->rule.metric);
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
        if (record_is_of_two_sessions(p->r))
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

/* Two digits, and none that says nothing: half of the interval that it would have if benchmarks were independent of each other. */
static void put_mean_change(struct page *p, const char *program, double percent)
{
    double squares = 0;
    int n = 0, decimals = figure_digits(percent, 2);
    for (int i = 0; i < p->r->n_comparisons; i++) {
        const struct comparison *c = &p->r->comparisons[i];
        const double half = 100 * half_width(c->low, c->high);
        if (isnan(half) || strcmp(p->r->subjects[c->subject].program, program) != 0)
            continue;
        squares += half * half;
        n++;
    }
    const int known = n ? figure_decimals(percent, sqrt(squares) / n) : decimals;
    figure_signed(&p->piece, percent, known < decimals ? known : decimals);
    buf_str(&p->piece, " %");
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
        put_mean_change(p, p->r->subjects[i].program, 100 * (e->point - 1));
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
        buf_format(&p->piece, "about %.0f processes each would decide", two_digits_up(processes_needed(p)));
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
    if (p->o->verbosity >= 0 || p->o->design) {
        gap_of_stacked(p);
        render_summary_of_benchmarks(p);
    }
    render_benchmark_remarks(p);
}

void render_benchmark_details(struct page *p)
{
    if (benchmarks_are_pairs(p))
        render_list(p);
    render_benchmark_notes(p);
}
