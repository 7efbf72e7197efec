/* SPDX-License-Identifier: MIT
 *
 * Two traced programs, arc by arc. Both ran in every round, in an order drawn by a coin, so the means of an arc in the two runs of a round are a
 * pair: they are compared as the times of commands are (compare.c), by the logarithm of their ratio, or by difference where one is not above
 * 0. Rounds in which one of them did not pass the arc are left out. The probe's weight is taken off each, which a difference does
 * not feel and a ratio does: where a mean is below its resolution there is no word. Words stand as some of many (many.c).
 */
#include "arcs_state.h"
#include "benchmarks.h"
#include "compare.h"
#include <stdlib.h>
#include <string.h>

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
    int *of;          /* arc_matches */
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
    s->room = malloc(3 * rows * sizeof *s->room);
    if (!s->arcs || !s->run || !s->room)
        return false;
    arc_scope_fill(&s->scope, c->r, c->look, subject, s->run);
    s->n = arcs_sorted(&s->scope, s->arcs);
    return s->n >= 0;
}

/* 1 + index of the arc's result; 0: none. */
static int result_of(const struct traced *t, int subject, int from, int to)
{
    for (int i = 0; i < t->n_results; i++)
        if (t->results[i].subject == subject && t->results[i].from == from && t->results[i].to == to)
            return i + 1;
    return 0;
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

/* Of the arc whose entries begin there. */
static double weight_at(const struct side *s, int at)
{
    const double ns = arc_probe(&s->scope, s->arcs + at, arc_end(&s->scope, s->arcs, s->n, at) - at).ns;
    return isnan(ns) ? 0 : ns;
}

/* Means of the rounds that both passed. */
static int pair(const struct comparing *c, const struct arc_runs *a, double weight_a, const struct arc_runs *b, double weight_b)
{
    int n = 0, rounds = c->a.scope.rounds < c->b.scope.rounds ? c->a.scope.rounds : c->b.scope.rounds;
    for (int i = 0; i < rounds; i++) {
        if (!(a->n[i] > 0 && b->n[i] > 0) || isnan(a->ns[i]) || isnan(b->ns[i]))
            continue;
        c->x[n] = a->ns[i] / a->n[i] - weight_a;
        c->y[n] = b->ns[i] / b->n[i] - weight_b;
        n++;
    }
    return n;
}

static bool compare_arc(struct comparing *c, int result, int from, int to)
{
    struct record *r = c->r;
    const struct arc_result *own = &r->traced->results[result];
    int at = find(&c->a, from, to), other = result_of(r->traced, c->a.scope.subject, from, to);
    int mine = find(&c->b, own->from, own->to);
    if (at < 0 || mine < 0 || !other)
        return true;
    struct arc_runs a, b;
    arc_runs_fill(&c->a.scope, c->a.arcs + at, arc_end(&c->a.scope, c->a.arcs, c->a.n, at) - at, c->a.room, &a);
    arc_runs_fill(&c->b.scope, c->b.arcs + mine, arc_end(&c->b.scope, c->b.arcs, c->b.n, mine) - mine, c->b.room, &b);
    struct comparison x = comparison_without_word(r, c->a.scope.subject, c->b.scope.subject, c->look);
    x.metric = ARCS_METRIC;
    x.arc = result + 1;
    x.reference_arc = other;
    x.rounds = pair(c, &a, weight_at(&c->a, at), &b, weight_at(&c->b, mine));
    if (!c->look->number || x.rounds < 1)
        x.reason = c->look->number ? "no round passed it in both programs" : "too few rounds for a look";
    else
        compare_pairs(r, &x, record_metric(r, ARCS_METRIC), c->x, c->y, x.rounds, c->scratch);
    if (own->below_resolution || r->traced->results[other - 1].below_resolution) {
        x.verdict = VERDICT_UNDECIDED;
        x.better = -1;
        x.p = NAN;
        x.reason = "its mean is below what can be told from the probe's weight";
    }
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
    struct comparing c = {.r = r, .look = look};
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
