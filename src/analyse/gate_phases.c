/* SPDX-License-Identifier: MIT
 *
 * Phase 1 measures everything for its share of the time, or until most benchmarks are decided anyway (GATE_FIRST_MOST), but not for fewer rounds than an
 * interval needs that one disturbed round does not open. Its rounds decide who gets more.
 * Phase 2 takes the cases that are cheapest to decide first, for a gate that cannot decide all of them then names the fewest. It is repeated while it has
 * something to do, and doubles the rounds each time: a number that followed from a case's own estimate would let it pass too often. Time for confirming
 * the cases nominated so far is kept.
 * Phase 3 takes the nominated cases, the most evident first, in enough rounds for the smallest level of Holm's and for the noise that they have, whatever
 * their estimates are; what the time leaves goes to those that are still open, and this is their last look.
 * The numbers are those with the most answers in bench/gate.sh --simulated; the error rates do not depend on them. */
#include "gate_answer.h"
#include <math.h>
#include <stdlib.h>

enum { FEWEST_THIRD = 10, USUAL_THIRD = 30, MOST_THIRD = 400 };

static const double GROWTH = 1;                        /* further rounds over rounds made */
static const double KEPT_MOST = .35, KEPT_LEAST = .05; /* of the gate's time */

struct wish {
    int at;
    double rounds, cost_s;
};

static int by_time(const void *a, const void *b)
{
    const struct wish *x = a, *y = b;
    const double d = x->rounds * x->cost_s - y->rounds * y->cost_s;
    return d < 0 ? -1 : d > 0 ? 1 : x->at - y->at;
}

static int fitting(double time_s, double round_s, int most)
{
    const double n = floor(time_s / round_s);
    return !(round_s > 0) || n >= most ? most : n > 0 ? (int)n : 0;
}

/* Takes those that fit, the cheapest first, for one number of rounds: `rounds`, or where that is 0 as many more as the first one has by GROWTH. round_s: of
 * what is taken already. */
static int take(const struct gate_case *c, struct wish *w, int n, double time_s, double round_s, int rounds, bool *chosen)
{
    qsort(w, (size_t)n, sizeof *w, by_time);
    if (!rounds && n)
        rounds = (int)ceil(GROWTH * c[w[0].at].n_screen);
    bool any = round_s > 0;
    for (int i = 0; i < n; i++) {
        if (!((round_s + w[i].cost_s) * rounds <= time_s))
            continue;
        round_s += w[i].cost_s;
        any = chosen[w[i].at] = true;
    }
    return any ? rounds : 0;
}

/* Cases that more rounds of screening would decide. */
static int open_cases(const struct gate_case *c, const double *cost_s, int n, double alpha, struct wish *out)
{
    int open = 0;
    double *rounds = malloc((size_t)n * sizeof *rounds + 1);
    if (rounds)
        gate_rounds_needed(c, n, alpha, rounds);
    for (int i = 0; i < n && rounds; i++)
        if (rounds[i] > 0 && !isinf(rounds[i]) && c[i].n_looks < GATE_LOOKS_MAX)
            out[open++] = (struct wish){i, rounds[i], cost_s[i]};
    free(rounds);
    return open;
}

/* For confirming the cases that are nominated so far. */
static double kept_for_third(const struct gate_case *c, const double *cost_s, int n, double total_s)
{
    double wanted = KEPT_LEAST * total_s;
    bool *nominated = malloc((size_t)n * sizeof *nominated + 1);
    if (nominated)
        gate_nominated(c, n, nominated);
    for (int i = 0; i < n; i++)
        wanted += nominated && nominated[i] ? cost_s[i] * USUAL_THIRD : 0;
    free(nominated);
    return fmin(wanted, KEPT_MOST * total_s);
}

int gate_second(const struct gate_case *c, const double *cost_s, int n, double left_s, double total_s, double alpha, bool *chosen)
{
    struct wish *w = malloc((size_t)n * sizeof *w + 1);
    for (int i = 0; i < n; i++)
        chosen[i] = false;
    const int open = w ? open_cases(c, cost_s, n, alpha, w) : 0;
    const int rounds = take(c, w, open, left_s - kept_for_third(c, cost_s, n, total_s), 0, 0, chosen);
    free(w);
    return rounds;
}

double gate_second_most(const struct gate_case *c, const double *cost_s, int n, double left_s, double total_s, const bool *chosen,
                        int rounds)
{
    static const double ASIDE_S = 1; /* what a session takes besides its rounds */
    double round_s = 0;
    for (int i = 0; i < n; i++)
        round_s += chosen[i] ? cost_s[i] : 0;
    return fmin(left_s - kept_for_third(c, cost_s, n, total_s), 1.25 * rounds * round_s + ASIDE_S);
}

/* Below so many rounds none of k can fail: 2^-n > alpha / k. */
static int fewest_confirming(int k, double alpha)
{
    const int n = (int)ceil(log2(k / alpha));
    return n > FEWEST_THIRD ? n : FEWEST_THIRD;
}

static int least_evident_first(const void *a, const void *b)
{
    const struct wish *x = a, *y = b;
    return x->rounds < y->rounds ? -1 : x->rounds > y->rounds ? 1 : x->at - y->at;
}

/* The nominated cases, the least evident left out until the fewest rounds fit. Returns rounds. */
static int take_nominated(const struct gate_case *c, const double *cost_s, int n, double left_s, double alpha, struct wish *w,
                          double *round_s, bool *chosen)
{
    int k = 0;
    *round_s = 0;
    gate_nominated(c, n, chosen);
    for (int i = 0; i < n; i++) {
        if (!chosen[i])
            continue;
        chosen[i] = false; /* until it fits */
        w[k++] = (struct wish){i, gate_evidence(&c[i]), cost_s[i]};
        *round_s += cost_s[i];
    }
    qsort(w, (size_t)k, sizeof *w, least_evident_first);
    int from = 0;
    while (from<k && * round_s * fewest_confirming(k - from, alpha)> left_s)
        *round_s -= w[from++].cost_s;
    double most = USUAL_THIRD;
    for (int i = from; i < k; i++) {
        chosen[w[i].at] = true;
        most = fmax(most, gate_rounds_to_confirm(&c[w[i].at], alpha));
    }
    return from < k ? fitting(left_s, *round_s, (int)fmin(most, MOST_THIRD)) : 0;
}

int gate_third(const struct gate_case *c, const double *cost_s, int n, double left_s, double alpha, bool *chosen)
{
    double round_s = 0;
    struct wish *w = malloc((size_t)n * sizeof *w + 1);
    for (int i = 0; i < n; i++)
        chosen[i] = false;
    int rounds = w ? take_nominated(c, cost_s, n, left_s, alpha, w, &round_s, chosen) : 0;
    if (w)
        rounds = take(c, w, open_cases(c, cost_s, n, alpha, w), left_s, round_s, rounds, chosen);
    free(w);
    return rounds;
}

static double time_of_fewest(const struct gate_case *c, const double *cost_s, int n)
{
    double round_s = 0;
    for (int i = 0; i < n; i++)
        round_s += c[i].failure ? 0 : cost_s[i];
    return GATE_FIRST_FEWEST * round_s;
}

struct gate_advice gate_advise(const struct gate_case *c, const struct gate_result *r, const double *cost_s, int n,
                               double spent_s, double alpha)
{
    static const double ASIDE = 1.25; /* for what a session takes besides its rounds */
    struct gate_advice a = {.time_s = NAN};
    double more_s = 0;
    for (int i = 0; i < n; i++) {
        if (c[i].control || c[i].accepted || r[i].verdict != GATE_CANNOT_TELL)
            continue;
        const bool rare = !isnan(r[i].rare_mean); /* more rounds have their share of slow processes too */
        const double rounds = rare ? INFINITY : gate_rounds_to_decide(&c[i], alpha);
        const bool hopeless = !(c[i].n_screen + rounds <= GATE_ROUNDS_MOST);
        a.open++;
        a.few = a.few || c[i].n_screen < GATE_FIRST_FEWEST;
        a.hopeless += hopeless;
        a.rare += rare;
        more_s += hopeless ? 0 : rounds * cost_s[i];
    }
    if (a.few)
        a.time_s = ASIDE * time_of_fewest(c, cost_s, n);
    else if (a.hopeless < a.open)
        a.time_s = spent_s + ASIDE * more_s;
    return a;
}
