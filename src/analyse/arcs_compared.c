/* SPDX-License-Identifier: MIT
 *
 * Two traced programs, arc by arc. Both ran in every round, in an order drawn by a coin, so the means of an arc in the two runs of a round are a
 * pair: they are compared as the times of commands are (compare.c), by the logarithm of their ratio, or by difference where one is not above
 * 0. Rounds in which one of them did not pass the arc are left out. Off each mean comes what a probe weighed in that very run, so that the error of
 * weighing differs from pair to pair and the interval and p have it in them; a weight that all runs of a program share would have an error that
 * no pair shows. A round in which one of the two was not weighed is left out. Weighed in no run of either, nothing comes off: the ratio is drawn
 * towards 1. Weighed in one program alone, or a mean below its resolution: no word. The loose part of the probe, which the pairs cannot show, opens the
 * interval: a true mean m lies between m - l and m, with l the loose part and Student's t times its standard error, so a low end of the ratio b / a is
 * lower by the factor 1 - l / b and a high end higher by 1 / (1 - l / a). Where both are one program file with the same arguments, l is the same in
 * both, and nothing is opened. Words follow from the open interval, as some of many (many.c).
 */
#include "analyse_stored.h"
#include "arcs_state.h"
#include "benchmarks.h"
#include "buf.h"
#include "compare.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <tare/stats.h>

struct side {
    struct arc_scope scope;
    int *arcs, n; /* sorted */
    int *run;
    double *room;
};

struct comparing {
    struct record *r;
    const struct look *look;
    struct side a, b; /* reference and subject */
    bool one_code;
    int *of; /* arc_matches */
    double *x, *y;
    void *scratch;
};

static void side_finish(struct side *s)
{
    free(s->arcs);
    free(s->run);
    free(s->room);
}

static bool side_fill(struct comparing *c, struct side *s, int subject)
{
    size_t rows = (size_t)c->r->series[subject].main.n + 1;
    s->arcs = malloc(((size_t)c->r->traced->n_arcs + 1) * sizeof *s->arcs);
    s->run = malloc((rows + (size_t)c->r->traced->n_runs) * sizeof *s->run);
    s->room = malloc(ARC_RUNS_ROOM * rows * sizeof *s->room);
    if (!s->arcs || !s->run || !s->room)
        return false;
    arc_scope_fill(&s->scope, c->r, c->look, subject, s->run);
    s->n = arcs_sorted(&s->scope, s->arcs);
    return s->n >= 0;
}

/* Where the arc's entries begin among the sorted ones; -1: it has none. */
static int find(const struct side *s, int from, int to)
{
    const struct traced_arc *all = s->scope.r->traced->arcs;
    int low = 0, high = s->n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        const struct traced_arc *a = &all[s->arcs[middle]];
        if (a->from < from || (a->from == from && a->to < to))
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->n && all[s->arcs[low]].from == from && all[s->arcs[low]].to == to ? low : -1;
}

/* Mean of the passages of a round, less what their probes weighed in it; NaN: there is none. */
static double mean_in(const struct side *s, const struct arc_runs *arc, int round)
{
    if (!(arc->n[round] > 0) || (!isnan(s->scope.probe.ns) && isnan(arc_weight_in(&s->scope, round))))
        return NAN;
    return (arc->ns[round] - arc->weight[round]) / arc->n[round];
}

/* Means of the rounds that both passed. */
static int pair(const struct comparing *c, const struct arc_runs *a, const struct arc_runs *b)
{
    int n = 0, rounds = c->a.scope.rounds < c->b.scope.rounds ? c->a.scope.rounds : c->b.scope.rounds;
    for (int i = 0; i < rounds; i++) {
        c->x[n] = mean_in(&c->a, a, i);
        c->y[n] = mean_in(&c->b, b, i);
        n += !isnan(c->x[n]) && !isnan(c->y[n]);
    }
    return n;
}

static void take_word_back(struct comparison *x, const char *reason)
{
    x->sign_proven = x->beyond_margin = false;
    x->verdict = VERDICT_UNDECIDED;
    x->better = -1;
    x->reason = reason;
    x->p = x->rounds_needed = NAN;
    x->low = -INFINITY;
    x->high = INFINITY;
}

static void no_answer(struct comparison *x, const char *reason)
{
    take_word_back(x, reason);
    x->verdict = VERDICT_INVALID;
}

/* The most that a passage of it may show too much, at the level of the interval. */
static double loose_at_most(const struct arc_result *a, double level)
{
    const double error = a->loose_error_ns > 0 && a->runs_passed > 1 ? a->loose_error_ns : 0;
    return a->loose_ns > 0 ? a->loose_ns + (error > 0 ? tare_student_quantile(1 - level / 2, a->runs_passed - 1) * error : 0) : 0;
}

void arc_open_interval(struct comparison *x, const struct arc_ends *ends)
{
    const double of_reference = loose_at_most(ends->reference, x->level), of_subject = loose_at_most(ends->subject, x->level);
    if (ends->one_code)
        return;
    if (x->kind == METRIC_COUNT) {
        x->low -= of_subject;
        x->high += of_reference;
    } else { /* all of a mean, and the ratio is not bounded */
        x->low += log1p(-fmin(1, of_subject / ends->subject->mean_ns));
        x->high -= log1p(-fmin(1, of_reference / ends->reference->mean_ns));
    }
}

static enum verdict judge(struct comparison *x)
{
    static const struct metric time = {.id = ARCS_METRIC, .unit = "ns", .kind = METRIC_TIME, .direction = METRIC_LOWER};
    x->better = -1;
    comparison_judge(x, &time, x->kind == METRIC_COUNT ? x->margin : log1p(x->margin));
    return x->verdict;
}

/* Whether there would be a word if rounds without end showed the ratio to be that. */
static bool would_decide(const struct comparison *x, const struct arc_ends *ends, double shift)
{
    struct comparison known = *x;
    known.low = known.high = shift;
    arc_open_interval(&known, ends);
    return judge(&known) != VERDICT_UNDECIDED;
}

/* With whatever the ratio may be by the closed interval. */
static bool rounds_may_decide(const struct comparison *x, const struct arc_ends *ends)
{
    double nearest_to_same = x->low > 0 ? x->low : x->high < 0 ? x->high : 0;
    return would_decide(x, ends, x->low) || would_decide(x, ends, x->high) || would_decide(x, ends, nearest_to_same);
}

void arc_judge(struct comparison *x, const struct arc_ends *ends)
{
    if (ends->reference->below_resolution || ends->subject->below_resolution) {
        take_word_back(x, "its mean is below what can be told from the probe's weight");
        return;
    }
    if (!isfinite(x->low) || !isfinite(x->high))
        return;
    const enum verdict closed = judge(x);
    x->rounds_needed = rounds_may_decide(x, ends) ? x->rounds_needed : INFINITY;
    arc_open_interval(x, ends);
    if (judge(x) != VERDICT_UNDECIDED || closed == VERDICT_UNDECIDED)
        return;
    x->reason = closed == VERDICT_SAME
                    ? "the means are the same but for what work may hide of the probe, which the margin does not hold"
                    : "the means differ by no more than what work may hide of the probe";
}

void arc_judge_runs(struct record *r, struct comparison *x, int rounds, char text[ARC_LOSS_TEXT])
{
    uint64_t hits = 0;
    int runs = 0;
    const char *why = other_work(r, x->reference, x->subject, rounds);
    if (why)
        no_answer(x, why);
    for (int i = 0; i < r->traced->n_runs; i++) {
        const struct traced_run *run = &r->traced->runs[i];
        if (run->round < 0 || !run->incomplete || (run->subject != x->subject && run->subject != x->reference))
            continue;
        runs++;
        hits += run->lost_hits;
    }
    if (!runs)
        return;
    struct buf b = buf_over(text, ARC_LOSS_TEXT);
    if (hits)
        buf_format(&b, "%" PRIu64 " hit%s lost in %d run%s", hits, hits > 1 ? "s" : "", runs, runs > 1 ? "s" : "");
    else
        buf_format(&b, "hits were lost in %d run%s", runs, runs > 1 ? "s" : "");
    no_answer(x, text);
}

/* Of the arc whose entries begin there. */
static void fill_runs(const struct side *s, int at, struct arc_runs *out)
{
    const int n = arc_end(&s->scope, s->arcs, s->n, at) - at;
    arc_runs_fill(&s->scope, s->arcs + at, n, s->room, out);
    arc_runs_weigh(&s->scope, s->arcs + at, n, out);
}

static bool compare_arc(struct comparing *c, int result, int from, int to)
{
    struct record *r = c->r;
    const struct arc_result *own = &r->traced->results[result];
    int at = find(&c->a, from, to), other = record_arc_result(r->traced, c->a.scope.subject, from, to);
    int mine = find(&c->b, own->from, own->to);
    if (at < 0 || mine < 0 || other < 0)
        return true;
    struct arc_runs a, b;
    fill_runs(&c->a, at, &a);
    fill_runs(&c->b, mine, &b);
    struct comparison x = comparison_without_word(r, c->a.scope.subject, c->b.scope.subject, c->look);
    x.metric = ARCS_METRIC;
    x.arc = result + 1;
    x.reference_arc = other + 1;
    x.rounds = pair(c, &a, &b);
    if (!c->look->number || x.rounds < 1)
        x.reason = c->look->number ? "no round passed it in both programs, with the probe weighed" : "too few rounds for a look";
    else
        compare_pairs(r, &x, record_metric(r, ARCS_METRIC), c->x, c->y, x.rounds, c->scratch);
    arc_judge(&x, &(struct arc_ends){&r->traced->results[other], own, c->one_code});
    if (isnan(c->a.scope.probe.ns) != isnan(c->b.scope.probe.ns))
        take_word_back(&x, "the probe was weighed in one of the two programs alone");
    char text[ARC_LOSS_TEXT];
    arc_judge_runs(r, &x, c->look->rounds, text);
    return record_add_comparison(r, &x) >= 0;
}

static bool compare_all(struct comparing *c, int reference, int subject)
{
    const struct traced *t = c->r->traced;
    if (!side_fill(c, &c->a, reference) || !side_fill(c, &c->b, subject) || arc_matches(c->r, reference, subject, c->of))
        return false;
    for (int i = 0; i < t->n_results; i++) {
        const struct arc_result *own = &t->results[i];
        if (own->subject != subject || c->of[own->from] < 0 || c->of[own->to] < 0)
            continue;
        if (!compare_arc(c, i, c->of[own->from], c->of[own->to]))
            return false;
    }
    return true;
}

static enum tare_status compare_subject(struct record *r, int reference, int subject, const struct look *look)
{
    size_t rounds = (size_t)r->series[subject].main.n + 1;
    struct comparing c = {.r = r, .look = look, .one_code = comparable_one_code(r, reference, r, subject)};
    c.of = malloc(((size_t)r->traced->n_points + 1) * sizeof *c.of);
    c.x = malloc(2 * rounds * sizeof *c.x);
    c.scratch = malloc(compare_scratch_bytes((int)rounds));
    c.y = c.x ? c.x + rounds : NULL;
    bool ok = c.of && c.x && c.scratch && compare_all(&c, reference, subject);
    side_finish(&c.a);
    side_finish(&c.b);
    free(c.of);
    free(c.x);
    free(c.scratch);
    return ok ? TARE_OK : TARE_NO_MEMORY;
}

static bool is_traced(const struct record *r, int subject)
{
    return r->subjects[subject].kind == SUBJECT_TRACE;
}

enum tare_status arcs_compare(struct record *r, const int *subjects, int n_subjects, const struct look *look)
{
    int reference = subjects[0], first = r->n_comparisons;
    enum tare_status status = TARE_OK;
    for (int i = 0; i < n_subjects; i++)
        reference = subjects[i] == r->rule.reference ? subjects[i] : reference;
    for (int i = 0; i < n_subjects && !status; i++)
        if (subjects[i] != reference && is_traced(r, subjects[i]) && is_traced(r, reference))
            status = compare_subject(r, reference, subjects[i], look);
    return status ? status : correct_for_many(r, first, look);
}
