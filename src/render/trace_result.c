/* SPDX-License-Identifier: MIT
 *
 * Arcs between control points: a row each, largest share first, then one line on what the figures rest on.
 *
 *       from → to                                  time   share  calls     mean  95 % CI
 *       queue.c:41 (fill) → queue.c:52 (fill)   1.20 ms  61.2 %   1000  1.20 µs  1.18–1.22
 *       30 runs · 7 of 8 points hit · probe overhead 23.1 ns, subtracted · nothing lost
 *
 * Two programs: a row for the runs and one per pair of arcs, with the change. trace_details.c has what -v adds.
 */
#include "trace_lines.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void share_cell(struct table *t, const struct arc_result *a)
{
    const double share = arc_share_most(a);
    if (!isnan(share))
        (a->below_resolution ? figure_share_at_most : figure_share)(&t->p->piece, share);
    table_cell(t);
}

static void put_bounded(struct page *p, double ns, double low, double high)
{
    const struct unit u = page_unit(p, "ns", ns);
    figure_with(&p->piece, ns, u, interval_decimals(ns / u.factor, low / u.factor, high / u.factor));
}

/* In the unit of the time beside it. Times are not below 0, and the record has no interval of them but that of the mean: its low end is shown as 0. */
static void interval_cell(struct table *t, double ns, double low, double high)
{
    struct page *p = t->p;
    const struct unit u = page_unit(p, "ns", ns);
    if (!isnan(half_width(low, high)) && high >= 0) {
        hue_on(p, &p->piece, HUE_DIM);
        figure_range(&p->piece, fmax(low, 0), high, u, interval_decimals(ns / u.factor, low / u.factor, high / u.factor));
        hue_off(p, &p->piece, HUE_DIM);
    }
    table_cell(t);
}

static void mean_cell(struct table *t, const struct arc_result *a)
{
    if (a->below_resolution) {
        buf_str(&t->p->piece, "≤ ");
        put_time(t->p, arc_mean_most(a));
    } else if (!isnan(a->mean_ns))
        put_bounded(t->p, a->mean_ns, a->low_ns, a->high_ns);
    table_cell(t);
}

/* NULL: nothing says. */
static const char *agreement(const struct arc_result *a)
{
    if (isnan(half_width(a->dilated_low, a->dilated_high)) || isnan(half_width(a->low_ns, a->high_ns)))
        return NULL;
    return a->dilated_low <= a->high_ns && a->low_ns <= a->dilated_high ? "agrees" : "differs";
}

static double calls_of(const struct arc_result *a)
{
    return a->runs ? (double)a->passes / a->runs : 0;
}

static void arc_row(struct table *t, const struct arc_result *a)
{
    const char *word = agreement(a);
    arc_cell(t, a);
    const double per_run = calls_of(a);
    buf_str(&t->p->piece, a->below_resolution ? "≤ " : "");
    time_cell(t, a->below_resolution ? per_run * arc_mean_most(a) : a->total_ns);
    share_cell(t, a);
    figure_count(&t->p->piece, per_run);
    table_cell(t);
    mean_cell(t, a);
    if (a->below_resolution) /* the bound is all */
        table_cell(t);
    else
        interval_cell(t, a->mean_ns, a->low_ns, a->high_ns);
    if (!isnan(a->dilated_ns))
        put_bounded(t->p, a->dilated_ns, a->dilated_low, a->dilated_high);
    table_cell(t);
    interval_cell(t, a->dilated_ns, a->dilated_low, a->dilated_high);
    table_format(t, "%s", word ? word : "");
}

static void render_arcs(struct page *p, int subject)
{
    struct table t;
    static const struct table_column columns[] = {
        {"from → to", SIDE_LEFT, 0},     {"time", SIDE_RIGHT, 2}, {"share", SIDE_RIGHT, 3},
        {"calls", SIDE_RIGHT, 1},        {"mean", SIDE_RIGHT, 9}, {"", SIDE_LEFT, 8},
        {"extrapolated", SIDE_RIGHT, 6}, {"", SIDE_LEFT, 5},      {"", SIDE_LEFT, 7}};
    table_begin(&t, p, columns, sizeof columns / sizeof *columns);
    t.columns[5].title = t.columns[7].title = interval_title(&t, "", "");
    arc_rows(&t, subject, arc_row);
    table_end(&t, 2);
}

/* Of arcs that are counted, or whose calls met no window of a burst, no time is known: they have no share, and not one of nothing. */
static void render_rest(struct page *p, int subject)
{
    const struct traced *traced = p->r->traced;
    int n = arcs_of(p, subject), shown = arcs_shown(p, n), seen = 0, unknown = 0;
    double share = 0;
    if (shown == n)
        return;
    for (int i = 0; i < traced->n_results; i++)
        if (traced->results[i].subject == subject && seen++ >= shown) {
            bool known = !isnan(traced->results[i].share);
            share += known ? traced->results[i].share : 0;
            unknown += !known;
        }
    buf_format(&p->piece, "and %d more arc%s", n - shown, buf_plural(n - shown));
    if (unknown && unknown < n - shown)
        buf_format(&p->piece, ": %d", n - shown - unknown);
    if (unknown < n - shown)
        buf_format(&p->piece, " with %s of the time", figure_text(figure_share, share).at);
    if (unknown)
        buf_format(&p->piece, unknown < n - shown ? ", %d of which no time is known" : ", of which no time is known", unknown);
    buf_str(&p->piece, "; -v shows all");
    flow_line(p, 2, HUE_DIM);
}

static void put_points_hit(struct page *p, int subject)
{
    const struct arc_coverage c = record_arc_coverage(p->r, subject);
    if (record_source(p->r)) /* names no point that was never hit */
        buf_format(&p->piece, "%d point%s", c.points, buf_plural(c.points));
    else
        buf_format(&p->piece, "%d of %d point%s hit", c.points_passed, c.points, buf_plural(c.points));
    summary_part(p);
}

static void put_overhead(struct page *p, int subject)
{
    const struct estimate *probe = record_estimate(p->r, subject, "arc", "probe");
    if (!is_known(probe) && !record_source(p->r))
        return;
    buf_str(&p->piece, "probe overhead ");
    if (is_known(probe) && probe->point != 0) {
        put_time(p, probe->point);
        buf_str(&p->piece, ", ");
    }
    summary_format(p, "subtracted");
}

static void put_partly_timed(struct page *p, struct run_tally t)
{
    const int n = t.burst > t.degraded ? t.burst : t.degraded;
    if (!n)
        return;
    buf_str(&p->piece, "only part of the calls timed");
    put_runs(p, n, t.runs);
    summary_part(p);
}

static void put_losses(struct page *p, int runs, int lossy)
{
    if (record_source(p->r))
        buf_str(&p->piece, "losses unknown");
    else if (!lossy)
        buf_str(&p->piece, "nothing lost");
    else {
        buf_str(&p->piece, "data lost");
        put_runs(p, lossy, runs);
    }
    summary_part(p);
}

static bool is_answer_alone(const struct page *p)
{
    return p->o->verbosity < 0 && !p->o->design;
}

/* With -q the answer alone: that it is of what was not lost belongs to it. */
static void render_losses(struct page *p, int subject)
{
    const struct run_tally t = tally_runs(p, subject);
    if (!t.lossy)
        return;
    buf_str(&p->piece, "! data lost");
    put_runs(p, t.lossy, t.runs);
    if (t.lost_hits > 0)
        buf_format(&p->piece, ", at least %s hit%s", figure_text(figure_count, t.lost_hits).at,
                   buf_plural((int)fmin(t.lost_hits, 2)));
    if (command_count(p->r) > 1) {
        buf_str(&p->piece, " of ");
        put_name(p, subject, name_columns(p, 2));
    }
    buf_str(&p->piece, ": calls and times are of what was kept");
    flow_line(p, 0, HUE_PLAIN);
}

static void put_agreements(struct page *p, int subject)
{
    int n[2] = {0};
    for (int i = 0; i < p->r->traced->n_results; i++) {
        const struct arc_result *a = &p->r->traced->results[i];
        const char *word = a->subject == subject ? agreement(a) : NULL;
        if (word)
            n[!strcmp(word, "differs")]++;
    }
    if (!n[0] && !n[1])
        return;
    summary_format(p, "proof: %d agree%s, %d differ%s", n[0], n[0] == 1 ? "s" : "", n[1], n[1] == 1 ? "s" : "");
}

static void render_summary(struct page *p, int subject)
{
    const struct run_tally c = tally_runs(p, subject);
    gap_of_stacked(p);
    flow_begin(p, 2, 4);
    summary_format(p, "%d run%s", c.runs, buf_plural(c.runs));
    if (c.runs) {
        put_points_hit(p, subject);
        put_overhead(p, subject);
        put_agreements(p, subject);
        put_partly_timed(p, c);
        put_losses(p, c.runs, c.lossy);
    }
    flow_end(p);
}

static void render_program(struct page *p, int subject)
{
    if (command_count(p->r) > 1) {
        put_name(p, subject, name_columns(p, 1));
        flow_line(p, 0, HUE_BOLD);
    }
    render_arcs(p, subject);
    render_rest(p, subject);
    (is_answer_alone(p) ? render_losses : render_summary)(p, subject);
    if (p->o->verbosity > 0)
        render_trace_details(p, subject);
}

static const struct arc_result *result_at(const struct page *p, int one_based)
{
    return one_based > 0 && one_based <= p->r->traced->n_results ? &p->r->traced->results[one_based - 1] : NULL;
}

static bool is_pair(const struct page *p, const struct comparison *c)
{
    return result_at(p, c->arc) && result_at(p, c->reference_arc);
}

static const struct comparison *first_pair(const struct page *p, int subject)
{
    for (int i = 0; i < p->r->n_comparisons; i++)
        if (p->r->comparisons[i].subject == subject && is_pair(p, &p->r->comparisons[i]))
            return &p->r->comparisons[i];
    return NULL;
}

static const char *name_title(struct table *t, int subject)
{
    struct page *p = t->p;
    enum { WIDEST = 24, NARROWEST = 10 };
    const int eighth = cutting_width(p) / 8;
    put_short_name(p, subject, cutting_width(p) <= 0 ? WIDEST : eighth > NARROWEST ? eighth : NARROWEST);
    return table_text(t);
}

static void count_in_full(struct buf *b, double n)
{
    figure_put(b, n, n == floor(n) ? 0 : figure_digits(n, 6));
}

/* "1000", "1000, 2000", "20000, 20100": in full where "20.0 k" hid the difference, or stood beside "5005". */
static void calls_cell(struct table *t, const struct arc_result *reference, const struct arc_result *arc)
{
    const double n = calls_of(reference), m = calls_of(arc), most = fmax(n, m);
    struct figure_text one = figure_text(figure_count, n), other = figure_text(figure_count, m);
    if (n != m && ((most >= 1e4 && most < 1e6) || !strcmp(one.at, other.at))) {
        one = figure_text(count_in_full, n);
        other = figure_text(count_in_full, m);
    }
    buf_str(&t->p->piece, one.at);
    if (strcmp(one.at, other.at))
        buf_format(&t->p->piece, ", %s", other.at);
    table_cell(t);
}

static void pair_row(struct table *t, const struct comparison *c, bool brief)
{
    const struct arc_result *arc = result_at(t->p, c->arc), *reference = result_at(t->p, c->reference_arc);
    arc_cell(t, arc);
    share_cell(t, arc);
    calls_cell(t, reference, arc);
    mean_cell(t, reference);
    mean_cell(t, arc);
    if (arc->below_resolution || reference->below_resolution) { /* bounds have no ratio */
        if (!brief)
            table_cell(t);
        table_format(t, "%s", c->verdict == VERDICT_NONE ? "" : verdict_word(c->verdict));
        if (brief)
            table_cell(t);
    } else
        verdict_cells(t, c, brief);
}

/* The time from start to end, which is more than that of its arcs: how often each was taken counts too. */
static void run_row(struct table *t, int subject, int reference, bool brief)
{
    const struct record *r = t->p->r;
    const struct comparison *of = NULL;
    for (int i = 0; i < r->n_comparisons && !of; i++) {
        const struct comparison *c = &r->comparisons[i];
        of = !c->arc && c->subject == subject && c->reference == reference ? c : NULL;
    }
    if (!of)
        return;
    table_format(t, "run as traced");
    table_cell(t);
    table_cell(t);
    put_in_own_unit(t->p, lead_estimate(t->p, reference));
    table_cell(t);
    put_in_own_unit(t->p, lead_estimate(t->p, subject));
    table_cell(t);
    verdict_cells(t, of, brief);
}

static void fill_pairs(struct page *p, struct table *t, int subject, int reference, bool brief)
{
    int left = arcs_shown(p, p->r->n_comparisons);
    table_begin(
        t, p, (const struct table_column[]){{"from → to", SIDE_LEFT, 0}, {"share", SIDE_RIGHT, 2}, {"calls", SIDE_RIGHT, 1}}, 3);
    table_column(t, (struct table_column){name_title(t, reference), SIDE_RIGHT, 3});
    table_column(t, (struct table_column){name_title(t, subject), SIDE_RIGHT, 4});
    table_column(t, (struct table_column){change_title(t), SIDE_LEFT, 0});
    table_column(t, (struct table_column){"", SIDE_LEFT, TABLE_KEPT});
    run_row(t, subject, reference, brief);
    for (int i = 0; i < p->r->n_comparisons && left; i++)
        if (p->r->comparisons[i].subject == subject && is_pair(p, &p->r->comparisons[i])) {
            pair_row(t, &p->r->comparisons[i], brief);
            left--;
        }
}

static void put_verdicts(struct page *p, int subject)
{
    int n[VERDICTS] = {0}, all = 0;
    for (int i = 0; i < p->r->n_comparisons; i++) {
        const struct comparison *c = &p->r->comparisons[i];
        const bool counts = c->subject == subject && is_pair(p, c);
        n[c->verdict] += counts;
        all += counts;
    }
    put_verdict_counts(p, n, true);
    if (arcs_shown(p, all) < all)
        buf_format(&p->piece, " (%d arc%s more with -v)", all - arcs_shown(p, all), buf_plural(all - arcs_shown(p, all)));
    summary_part(p);
}

/* Arcs of one program that the other has not. */
static void put_unmatched(struct page *p, int subject, const bool *matched)
{
    const struct traced *t = p->r->traced;
    double share = 0;
    int n = 0;
    for (int i = 0; i < t->n_results; i++)
        if (t->results[i].subject == subject && !matched[i]) {
            n++;
            share += isnan(t->results[i].share) ? 0 : t->results[i].share;
        }
    if (!n)
        return;
    buf_format(&p->piece, "%d arc%s only in ", n, buf_plural(n));
    put_name(p, subject, name_columns(p, 2));
    summary_format(p, " (%s of its time)", figure_text(figure_share, share).at);
}

static void put_all_unmatched(struct page *p, int subject, int reference)
{
    bool *matched = calloc((size_t)p->r->traced->n_results + 1, sizeof *matched);
    if (!matched) {
        p->out->status = TARE_NO_MEMORY;
        return;
    }
    for (int i = 0; i < p->r->n_comparisons; i++) {
        const struct comparison *c = &p->r->comparisons[i];
        if (c->subject == subject && is_pair(p, c))
            matched[c->arc - 1] = matched[c->reference_arc - 1] = true;
    }
    put_unmatched(p, reference, matched);
    put_unmatched(p, subject, matched);
    free(matched);
}

static void render_pair_summary(struct page *p, const struct comparison *one)
{
    const int subject = one->subject, reference = one->reference;
    const struct run_tally a = tally_runs(p, reference), b = tally_runs(p, subject);
    gap_of_stacked(p);
    flow_begin(p, 2, 4);
    put_verdicts(p, subject);
    if (record_is_of_two_sessions(p->r))
        buf_format(&p->piece, "two sessions, %d and %d run%s, %s", a.runs, b.runs, buf_plural(b.runs), drift_words(one));
    else
        buf_format(&p->piece, "%d round%s, interleaved", p->r->rounds, buf_plural(p->r->rounds));
    summary_part(p);
    put_all_unmatched(p, subject, reference);
    put_losses(p, a.runs + b.runs, a.lossy + b.lossy);
    flow_end(p);
}

/* Of two stored sessions what all their ratios rest on. */
static bool is_caveat(const struct comparison *c)
{
    return c->reference_rounds && c->reason && strstr(c->reason, "nothing drifted between the two");
}

static bool is_open(const struct comparison *c, int subject)
{
    return c->arc && c->subject == subject && c->reason && !is_caveat(c) && c->verdict != VERDICT_NONE &&
           !verdict_differs(c->verdict);
}

/* Each reason once, with the number of arcs that it holds for; without -v the first, which has the largest share. */
static void say_why_open(struct page *p, int subject)
{
    const struct record *r = p->r;
    for (int i = 0, told = 0; i < r->n_comparisons && (!told || p->o->verbosity > 0); i++) {
        int arcs = 0, first = -1;
        for (int k = 0; is_open(&r->comparisons[i], subject) && k < r->n_comparisons; k++)
            if (is_open(&r->comparisons[k], subject) && !strcmp(r->comparisons[k].reason, r->comparisons[i].reason)) {
                first = first < 0 ? k : first;
                arcs++;
            }
        if (first != i)
            continue;
        warn_of_verdict(p, r->comparisons[i].verdict);
        buf_format(&p->piece, "%d arc%s, ", arcs, buf_plural(arcs));
        put_text(p, r->comparisons[i].reason);
        flow_rest(p);
        told++;
    }
}

/* Where no drift is assumed the line of the pairs says so. */
static void say_caveat(struct page *p, const struct comparison *c)
{
    if (!is_caveat(c) || (c->assumed_no_drift && p->o->verbosity < 1))
        return;
    flow_warning(p, "two sessions");
    if (p->o->verbosity > 0) {
        buf_str(&p->piece, "ratios hold ");
        put_text(p, c->reason);
    } else
        buf_str(&p->piece, "not interleaved, so no verdicts; trace both in one session, or say --assume-no-drift");
    flow_rest(p);
}

static void render_compared(struct page *p, int subject)
{
    const struct comparison *one = first_pair(p, subject);
    if (!one)
        return;
    struct table t;
    fill_pairs(p, &t, subject, one->reference, false);
    if (p->o->width > 0 && table_room(&t, 2) < 0) {
        table_drop(&t);
        fill_pairs(p, &t, subject, one->reference, true);
    }
    table_end(&t, 2);
    if (is_answer_alone(p)) {
        render_losses(p, one->reference);
        render_losses(p, subject);
        return;
    }
    render_pair_summary(p, one);
    if (p->o->verbosity < 0)
        return;
    say_caveat(p, one);
    say_why_open(p, subject);
    if (p->o->verbosity > 0 && (!one->reference_rounds || one->assumed_no_drift)) {
        buf_str(&p->piece, "Verdicts hold together for all arcs: false discoveries are limited by Benjamini-Hochberg.");
        flow_line(p, 2, HUE_PLAIN);
    }
}

/* Its arcs are in a table of pairs. */
static bool is_compared(const struct page *p, int subject)
{
    for (int i = 0; i < p->r->n_comparisons; i++) {
        const struct comparison *c = &p->r->comparisons[i];
        if ((c->subject == subject || c->reference == subject) && is_pair(p, c))
            return true;
    }
    return false;
}

void render_traces(struct page *p)
{
    const struct record *r = p->r;
    for (int i = 0; i < r->n_subjects && r->traced; i++)
        if (r->subjects[i].kind == SUBJECT_TRACE)
            render_compared(p, i);
    /* Programs that cannot be compared. */
    for (int i = 0; i < p->r->n_comparisons; i++) {
        const struct comparison *c = &p->r->comparisons[i];
        if (c->arc || c->verdict != VERDICT_NOT_COMPARABLE)
            continue;
        put_name(p, c->subject, name_columns(p, 2));
        buf_format(&p->piece, " is %s with ", verdict_word(c->verdict));
        put_name(p, c->reference, name_columns(p, 2));
        buf_str(&p->piece, ": ");
        put_text(p, c->reason);
        flow_line(p, 0, HUE_PLAIN);
    }
    const bool answered = p->o->verbosity < 0 && r->n_comparisons;
    for (int i = 0; i < r->n_subjects && r->traced && !answered; i++)
        if (r->subjects[i].kind == SUBJECT_TRACE && (p->o->verbosity > 0 || !is_compared(p, i)))
            render_program(p, i);
}
