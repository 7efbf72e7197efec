/* SPDX-License-Identifier: MIT
 *
 * Is the head slower than the base? d_i = ln(head / base) of one round, in an order that a coin drew. Estimator and bounds are those of a comparison
 * (compare.c): Hodges-Lehmann, the inverted signed-rank test, widened where rounds are like their neighbours. All bounds are one-sided.
 *
 * FAIL: a nominated case whose lower bound from phase 3 alone is at least its limit. Step-down by Holm (1979) over the nominated cases with such rounds:
 * at alpha / r with r left, until no further one is found. The screening chose them, and its rounds are left out, so the choice biases nothing.
 * PASS: the upper bound of every asked case is below its limit. Each is tested at alpha, without a correction: the union of the hypotheses "this one is
 * slower by P" is rejected only where all are (intersection-union test, Berger 1982). A case is looked at after each session, so its error is spent over
 * them (SCREENING, SPENT; Lan and DeMets 1983) and its bound is the lowest of these looks. What a look spends follows from its number alone, and the
 * confirmation has a share of its own: were it given all that is left, what is slower by exactly P would pass in 6 % of gates, for which cases are confirmed
 * depends on their values. For the same reason the phases below double the rounds of a case and do not choose them by its estimate.
 * No PASS where the mean of all rounds is slower by P at alpha / n by Student's t, of n cases: rare slow processes do not move the estimate.
 * Layout: the confirmation confirms it, for fresh processes do not draw it anew. A FAIL says that the two builds differ; that their sources do it says only
 * where it also exceeds what two builds of one source did (gate_qualify.c).
 *
 * Values that a program printed in few digits, or a clock read in steps, have the bounds opened by what rounding may hide (printed_open).
 *
 * Assumes rounds whose order a coin drew: then d is symmetric about the slowdown whatever noise the two runs share, and no assumption about its law is needed.
 *
 * Smallest n: P(all signs alike) = 2^-n must not be above the level: 6 for the first look, 5 for one look at 5 %, 1 + log2(r / alpha) for r nominated
 * cases, rounded down.
 */
#include "gate_answer.h"
#include "dependence.h"
#include "stats_beyond.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tare/stats.h>

static const double SCREENING =
    .9; /* of the error, of all looks at the screening; the rest is the confirmation's, however many there were */
static const double SPENT = .45;     /* of what is left of that, by each look */
static const double NOMINATES = .1;  /* level at which the screening must show a slowdown */
static const double SURE = .75;      /* that the rounds needed decide a case, were its slowdown what it seems */
static const double LEAST_MORE = .5; /* of the rounds made: fewer more hardly change an interval */
static const double CLOSE = .25;     /* of the limit: an estimate that is nearer to it needs more rounds than anybody has */
static const double PI = 3.14159265358979323846;

enum { FOUND = sizeof((struct gate_found){0}.at) / sizeof *(struct gate_found){0}.at };

struct looks {
    int n_at[GATE_LOOKS_MAX + 1], n;
    double spent[GATE_LOOKS_MAX + 1], level[GATE_LOOKS_MAX + 1];
};

/* Cases of a gate share a few schedules and numbers of rounds, and what follows from these alone takes longer to find than all else: the last ones found. */
enum { KNOWN = 32 };
struct known {
    struct looks looks[KNOWN];
    struct rank {
        int n;
        double level;
        int64_t k;
    } ranks[KNOWN];
    int n_looks, n_ranks;
};

/* Of tare_hl_ci_walsh: -1: no memory. */
static int64_t rank_of(struct known *known, int n, double level)
{
    for (int i = 0; i < known->n_ranks && i < KNOWN; i++)
        if (known->ranks[i].n == n && known->ranks[i].level == level)
            return known->ranks[i].k;
    void *scratch = malloc(tare_hl_scratch_bytes(n));
    const int64_t k = scratch ? tare_signed_rank_k(n, level, scratch) : -1;
    free(scratch);
    if (k >= 0)
        known->ranks[known->n_ranks++ % KNOWN] = (struct rank){n, level, k};
    return k;
}

/* One-sided bounds at `level`. False: no memory. */
static bool bounds(const double *d, int n, double level, struct known *known, struct tare_interval *out)
{
    *out = (struct tare_interval){.point = NAN, .low = -INFINITY, .high = INFINITY};
    if (!d || n < 1 || !(level > 0))
        return true;
    const int64_t k = rank_of(known, n, 2 * level);
    double *sorted = k < 0 ? NULL : malloc(3 * (size_t)n * sizeof *sorted);
    if (!sorted)
        return false;
    double factor;
    dependence_of_rounds(d, n, 2 * level, sorted, &factor);
    const bool good = !stats_hl_ci_of_rank(sorted, n, 2 * level, k, sorted + n, out);
    dependence_widen(out, factor);
    free(sorted);
    return good;
}

static void add_look(struct looks *l, int rounds, double spent)
{
    if (rounds <= (l->n ? l->n_at[l->n - 1] : 0))
        return;
    l->n_at[l->n] = rounds;
    l->spent[l->n++] = spent;
}

static int screened_rounds(const struct gate_case *c)
{
    return c->screen ? c->n_screen : 0;
}

static int confirmed_rounds(const struct gate_case *c)
{
    return c->confirm ? c->n_confirm : 0;
}

static struct looks looks_of(const struct gate_case *c, double alpha)
{
    struct looks l = {.n = 0};
    double left = 2 * alpha * SCREENING, spent = 0;
    for (int i = 0; i < c->n_looks && c->looks[i] <= screened_rounds(c); i++) {
        spent += SPENT * left;
        left *= 1 - SPENT;
        add_look(&l, c->looks[i], spent);
    }
    add_look(&l, screened_rounds(c) + confirmed_rounds(c), l.n ? spent + 2 * alpha * (1 - SCREENING) : 2 * alpha);
    return l;
}

static bool same_looks(const struct looks *a, const struct looks *b)
{
    return a->n == b->n && !memcmp(a->n_at, b->n_at, sizeof a->n_at) && !memcmp(a->spent, b->spent, sizeof a->spent);
}

static bool find_levels(struct looks *l, struct known *known)
{
    for (int i = 0; i < known->n_looks && i < KNOWN; i++)
        if (same_looks(l, &known->looks[i])) {
            *l = known->looks[i];
            return true;
        }
    if (l->n && !stats_looks_ok(l->n_at, l->spent, l->n))
        return false;
    struct stats_looks looks[2];
    for (int k = 0; k < l->n; k++)
        l->level[k] = stats_looks_next(&looks[(k + 1) % 2], l->n_at, l->spent, k, &looks[k % 2]);
    known->looks[known->n_looks++ % KNOWN] = *l;
    return true;
}

static double *all_rounds(const struct gate_case *c, int *n)
{
    const int screen = screened_rounds(c);
    *n = screen + confirmed_rounds(c);
    double *d = malloc((size_t)*n * sizeof *d + 1);
    for (int i = 0; d && i < *n; i++)
        d[i] = i < screen ? c->screen[i] : c->confirm[i - screen];
    return d;
}

static bool was_looked_at(const struct gate_case *c, int rounds)
{
    for (int i = 0; i < c->n_looks; i++)
        if (c->looks[i] == rounds)
            return true;
    return false;
}

/* NULL: nothing yet. share NaN: any, as of an estimate. */
static const struct tare_interval *found_interval(const struct gate_case *c, int rounds, double share)
{
    const struct gate_found *f = c->found;
    for (int i = 0; f && i < f->n && i < FOUND && was_looked_at(c, rounds); i++)
        if (f->at[i].rounds == rounds && (isnan(share) || f->at[i].share == share))
            return &f->at[i].bounds;
    return NULL;
}

static void keep_found(const struct gate_case *c, int rounds, double share, const struct tare_interval *bounds)
{
    if (c->found && was_looked_at(c, rounds))
        c->found->at[c->found->n++ % FOUND] = (struct gate_found_bounds){rounds, share, *bounds};
}

static void open_steps(const struct gate_case *c, struct tare_interval *i)
{
    printed_open(&c->printed, METRIC_TIME, i);
}

/* No number of rounds decides it. */
static bool hidden(const struct gate_case *c, double shift)
{
    struct tare_interval i = {.point = shift, .low = shift, .high = shift};
    open_steps(c, &i);
    return i.low < c->limit && i.high >= c->limit && i.low < i.high;
}

static bool bounds_at_look(const struct gate_case *c, const double *d, struct looks *l, int k, struct known *known,
                           struct tare_interval *out)
{
    const struct tare_interval *known_bounds = found_interval(c, l->n_at[k], l->spent[k]);
    if (known_bounds) {
        *out = *known_bounds;
    } else {
        if (!find_levels(l, known) || !bounds(d, l->n_at[k], l->level[k] / 2, known, out))
            return false;
        keep_found(c, l->n_at[k], l->spent[k], out);
    }
    open_steps(c, out);
    return true;
}

/* All rounds, bounds that hold over all looks: the lowest upper one, the lower one of the last look. */
static bool bounds_over_looks(const struct gate_case *c, double alpha, struct known *known, struct tare_interval *out)
{
    struct looks l = looks_of(c, alpha);
    *out = (struct tare_interval){.point = NAN, .low = -INFINITY, .high = INFINITY};
    int all;
    double *d = all_rounds(c, &all), lowest = INFINITY;
    bool ok = d;
    for (int k = 0; k < l.n && ok; k++) {
        ok = bounds_at_look(c, d, &l, k, known, out);
        lowest = fmin(lowest, out->high);
    }
    out->high = lowest;
    free(d);
    return ok;
}

static bool asked(const struct gate_case *c)
{
    return !c->control;
}

static struct gate_case screened(const struct gate_case *c)
{
    struct gate_case s = *c;
    s.confirm = NULL;
    s.n_confirm = 0;
    return s;
}

void gate_look(struct gate_case *c)
{
    const int last = c->n_looks ? c->looks[c->n_looks - 1] : 0;
    if (!c->n_looks && c->found)
        c->found->n = 0;
    if (c->n_looks < GATE_LOOKS_MAX && c->n_screen > last)
        c->looks[c->n_looks++] = c->n_screen;
}

/* point: its estimate from the screening; NaN: not known yet. */
static bool nominated(const struct gate_case *c, double point, struct known *known)
{
    struct tare_interval i;
    const struct tare_interval *any = found_interval(c, c->n_screen, NAN), *same = found_interval(c, c->n_screen, -NOMINATES);
    if (!asked(c) || c->accepted || point < c->limit || (any && any->point < c->limit))
        return false;
    if (!same && !bounds(c->screen, c->n_screen, NOMINATES, known, &i))
        return false;
    if (same)
        i = *same;
    else
        keep_found(c, c->n_screen, -NOMINATES, &i);
    open_steps(c, &i);
    return i.point >= c->limit && i.low > 0;
}

void gate_nominated(const struct gate_case *c, int n, bool *out)
{
    struct known known = {.n_looks = 0};
    for (int i = 0; i < n; i++)
        out[i] = nominated(&c[i], NAN, &known);
}

/* Standard error of the estimate for planning, where a few outliers must not say that more rounds are hopeless: by the MAD, with the normal efficiency of
 * Hodges-Lehmann's. */
static double planned_se(const double *d, int n)
{
    double *scratch = malloc((size_t)n * sizeof *scratch + 1);
    const double se = scratch ? 1.4826 * tare_mad(d, n, scratch) * sqrt(PI / 3 / n) : NAN;
    free(scratch);
    return se;
}

double gate_evidence(const struct gate_case *c)
{
    struct known known = {.n_looks = 0};
    struct tare_interval i;
    return bounds(c->screen, c->n_screen, .05, &known, &i) && c->n_screen > 0
               ? (i.point - c->limit) / planned_se(c->screen, c->n_screen)
               : NAN;
}

/* Until a bound at `apart` from the estimate is likely to exclude the limit. */
static double further_rounds(const struct gate_case *c, double alpha, double apart)
{
    const double z = tare_normal_quantile(1 - alpha * SCREENING * (1 - SPENT) * SPENT) + tare_normal_quantile(SURE);
    const double wanted = z * planned_se(c->screen, c->n_screen) / apart;
    return ceil(c->n_screen * fmax(wanted * wanted - 1, LEAST_MORE));
}

static double rounds_needed(const struct gate_case *c, double alpha, struct known *known)
{
    const struct gate_case s = screened(c);
    struct tare_interval i;
    if (!asked(c) || c->accepted || c->failure || !bounds_over_looks(&s, alpha, known, &i) || isnan(i.point))
        return INFINITY;
    if (i.high < c->limit || nominated(c, i.point, known))
        return 0;
    if (hidden(c, i.point))
        return INFINITY;
    return further_rounds(c, alpha, fmax(c->limit - i.point, CLOSE * c->limit));
}

void gate_rounds_needed(const struct gate_case *c, int n, double alpha, double *out)
{
    struct known known = {.n_looks = 0};
    for (int i = 0; i < n; i++)
        out[i] = rounds_needed(&c[i], alpha, &known);
}

double gate_rounds_to_confirm(const struct gate_case *c, double alpha)
{
    return further_rounds(c, alpha, CLOSE * c->limit);
}

/* Further rounds of a case without a verdict, whichever it would be; INFINITY: its estimate is too close to the limit. */
static double gate_rounds_to_decide(const struct gate_case *c, double alpha)
{
    struct known known = {.n_looks = 0};
    struct tare_interval i;
    if (!bounds(c->screen, c->n_screen, .05, &known, &i) || !(fabs(c->limit - i.point) >= CLOSE * c->limit))
        return INFINITY;
    return hidden(c, i.point) ? INFINITY : further_rounds(c, alpha, fabs(c->limit - i.point));
}

static bool may_fail(const struct gate_case *c, const struct gate_result *r)
{
    return r->nominated && r->verdict != GATE_FAIL && r->verdict != GATE_NO_RESULT && c->confirm && c->n_confirm > 0;
}

static bool reaches(const struct gate_case *c, double level, struct known *known, struct tare_interval *b)
{
    if (!bounds(c->confirm, c->n_confirm, level, known, b))
        return false;
    open_steps(c, b);
    return b->low >= c->limit && b->low > c->layout;
}

/* One step of Holm's: how many more fail. */
static int fail_at(const struct gate_case *c, int n, double level, struct known *known, struct gate_result *out)
{
    int failed = 0;
    for (int i = 0; i < n; i++) {
        struct tare_interval b;
        if (!may_fail(&c[i], &out[i]) || !reaches(&c[i], level, known, &b))
            continue;
        out[i].verdict = GATE_FAIL;
        out[i].shift = b.point;
        out[i].low = b.low;
        out[i].high = b.high;
        failed++;
    }
    return failed;
}

static int count_left(const struct gate_case *c, int n, const struct gate_result *out)
{
    int left = 0;
    for (int i = 0; i < n; i++)
        left += may_fail(&c[i], &out[i]);
    return left;
}

static void fail_slower(const struct gate_case *c, int n, double alpha, struct known *known, struct gate_result *out)
{
    for (int left = count_left(c, n, out), failed; left > 0; left -= failed)
        if (!(failed = fail_at(c, n, alpha / left, known, out)))
            return;
}

double gate_largest(const struct gate_case *c, int n, double alpha, const struct gate_result *r)
{
    struct known known = {.n_looks = 0};
    double largest = -INFINITY;
    int left = 0;
    for (int i = 0; i < n; i++)
        left += r[i].nominated && confirmed_rounds(&c[i]) > 0;
    for (int i = 0; i < n; i++) {
        struct tare_interval b;
        if (r[i].nominated && bounds(c[i].confirm, c[i].n_confirm, alpha / left, &known, &b))
            largest = fmax(largest, b.low);
    }
    return largest;
}

/* NaN: it is not slower by that much. */
static double slower_mean(const struct gate_case *c, double level)
{
    int n;
    double *d = all_rounds(c, &n);
    struct tare_interval i;
    const bool slower =
        d && tare_mean(d, n) >= c->limit && !tare_mean_ci_student(d, n, 2 * level, &i) && i.low >= c->limit && i.low > 0;
    free(d);
    return slower ? i.point : NAN;
}

static struct gate_result result_of(const struct gate_case *c, int n, double alpha, struct known *known)
{
    struct tare_interval i;
    struct gate_result r = {
        .verdict = GATE_NO_RESULT, .low = -INFINITY, .high = INFINITY, .shift = NAN, .rare_mean = NAN, .decidable = NAN};
    if (c->equal)
        return (struct gate_result){.verdict = GATE_PASS, .rare_mean = NAN};
    if (c->failure || !bounds_over_looks(c, alpha, known, &i) || isnan(i.point))
        return r;
    const bool typical = i.high < c->limit;
    const double mean = typical ? slower_mean(c, alpha / n) : NAN;
    r = (struct gate_result){.verdict = typical && isnan(mean) ? GATE_PASS : GATE_CANNOT_TELL,
                             .low = i.low,
                             .high = i.high,
                             .shift = i.point,
                             .nominated = nominated(c, confirmed_rounds(c) ? NAN : i.point, known),
                             .rare_mean = mean,
                             .decidable = isfinite(i.high) ? expm1(i.high) : NAN};
    return r;
}

static enum gate_verdict gate_worse(enum gate_verdict a, enum gate_verdict b)
{
    static const int rank[] = {[GATE_PASS] = 0, [GATE_CANNOT_TELL] = 1, [GATE_FAIL] = 2, [GATE_NO_RESULT] = 3};
    return rank[a] > rank[b] ? a : b;
}

enum gate_verdict gate_answer(const struct gate_case *c, int n, double alpha, struct gate_result *out)
{
    int asks = 0;
    enum gate_verdict all = GATE_PASS;
    struct known known = {.n_looks = 0};
    for (int i = 0; i < n; i++)
        out[i] = result_of(&c[i], n, alpha, &known);
    fail_slower(c, n, alpha, &known, out);
    for (int i = 0; i < n; i++) {
        if (!asked(&c[i]))
            continue;
        asks++;
        if (!c[i].accepted || out[i].verdict == GATE_NO_RESULT)
            all = gate_worse(all, out[i].verdict);
    }
    return asks ? all : GATE_NO_RESULT;
}

/* Phase 1 measures everything for its share of the time, or until most benchmarks are decided anyway (GATE_FIRST_MOST), but not for fewer rounds than an
 * interval needs that one disturbed round does not open. Its rounds decide who gets more.
 * Phase 2 takes the cases that are cheapest to decide first, for a gate that cannot decide all of them then names the fewest. It is repeated while it has
 * something to do, and doubles the rounds each time: a number that followed from a case's own estimate would let it pass too often. Time for confirming
 * the cases nominated so far is kept.
 * Phase 3 takes the nominated cases, the most evident first, in enough rounds for the smallest level of Holm's and for the noise that they have, whatever
 * their estimates are; what the time leaves goes to those that are still open, and this is their last look.
 * The numbers are those with the most answers in bench/gate.sh --simulated; the error rates do not depend on them.
 */

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
static int take_wishes(const struct gate_case *c, struct wish *w, int n, double time_s, double round_s, int rounds, bool *chosen)
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
    const int rounds = take_wishes(c, w, open, left_s - kept_for_third(c, cost_s, n, total_s), 0, 0, chosen);
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
        rounds = take_wishes(c, w, open_cases(c, cost_s, n, alpha, w), left_s, round_s, rounds, chosen);
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

/* Of a gate that multiplies the rounds of a case until it has so many more. */
static double rounds_made(const struct gate_case *c, double more)
{
    return c->n_screen * (pow(1 + GROWTH, ceil(log1p(more / c->n_screen) / log1p(GROWTH))) - 1);
}

struct gate_advice gate_advise(const struct gate_case *c, const struct gate_result *r, const double *cost_s, int n,
                               double spent_s, double total_s, double alpha)
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
        a.hidden += hopeless && hidden(&c[i], r[i].shift);
        more_s += hopeless ? 0 : rounds_made(&c[i], rounds) * cost_s[i];
    }
    if (a.few)
        a.time_s = ASIDE * time_of_fewest(c, cost_s, n);
    else if (a.hopeless < a.open)
        a.time_s = fmax(spent_s + ASIDE * more_s, total_s);
    return a;
}

/*
 * Runners as blocks: each runner's rounds are judged by themselves, for noise, drift and clocks are its own, and only the answers are put together.
 *
 * FAIL: on every runner that has the benchmark. What is not slower on one of them fails wrongly with probability alpha at most, that runner's own, over all
 * benchmarks (intersection-union test over the runners).
 * PASS: on none does it fail, where it was nominated the estimate of all rounds is below the limit, and for some j on j of the k runners the upper bound at
 * alpha j / k is: on one at alpha / k, or on all at alpha. What is slower by P on all runners passes with probability alpha at most (Simes 1986, for what is
 * independent, as the noise of machines is; also with fewer j, so not all of many are tried, each of which takes as long as all runners). By alpha / k
 * alone two runners passed less than one of them does, for each gate ends once its own bounds are below the limit at alpha. A runner with equal builds passes there, which says nothing of the others: so it counts only where all pass.
 * Else CANNOT TELL: also where it fails on some runners and not on others. NO RESULT: on one of them it has none.
 *
 * Assumes that a slowdown is about the same on all runners; where that is in doubt, as between kinds of processors, each kind deserves a gate of its own.
 */

static struct gate_merged *merged_named(struct gate_merged *out, int *n, const struct gate_case *c)
{
    for (int i = 0; i < *n; i++)
        if (!strcmp(out[i].name, c->name))
            return &out[i];
    struct gate_merged *m = &out[(*n)++];
    *m = (struct gate_merged){.name = c->name,
                              .result = {.verdict = GATE_PASS, .low = INFINITY, .high = INFINITY, .decidable = NAN},
                              .highest = -INFINITY,
                              .asked = !c->control,
                              .accepted = c->accepted};
    return m;
}

static void add_runner(struct gate_merged *m, const struct gate_result *own, const struct gate_case *c)
{
    m->runners++;
    m->equal += c->equal;
    m->failed += own->verdict == GATE_FAIL;
    m->result.nominated |= own->nominated && own->shift >= c->limit;
    m->result.shift += own->shift;
    m->result.low = fmin(m->result.low, own->low);
    m->highest = fmax(m->highest, own->high);
    if (own->verdict == GATE_NO_RESULT)
        m->result.verdict = GATE_NO_RESULT;
}

/* Of one of the levels of PASS. */
struct at_level {
    double high[GATE_RUNNERS_MOST]; /* of the runners, ascending */
    int n, passed;
};

static void add_at_level(struct at_level *l, const struct gate_result *r)
{
    int i = l->n++;
    for (; i > 0 && l->high[i - 1] > r->high; i--)
        l->high[i] = l->high[i - 1];
    l->high[i] = r->high;
    l->passed += r->verdict == GATE_PASS;
}

/* Of each case of each runner, which one it is. */
static void find_places(const struct gate_runner *runners, int k, struct gate_merged *out, int *n, int *place)
{
    for (int i = 0; i < k; i++)
        for (int c = 0; c < runners[i].n; c++)
            *place++ = (int)(merged_named(out, n, &runners[i].cases[c]) - out);
}

/* At alpha j / k. room: for the results of a runner; level: for each benchmark. */
static void pass_at(const struct gate_runner *runners, int k, int j, double alpha, struct gate_merged *out, int n,
                    const int *place, struct gate_result *room, struct at_level *level)
{
    memset(level, 0, (size_t)n * sizeof *level);
    for (int i = 0; i < k; i++) {
        gate_answer(runners[i].cases, runners[i].n, alpha * j / k, room);
        for (int c = 0; c < runners[i].n; c++, place++) {
            if (j == k || !runners[i].cases[c].equal)
                add_at_level(&level[*place], &room[c]);
            if (j == k)
                add_runner(&out[*place], &room[c], &runners[i].cases[c]);
        }
    }
    for (int i = 0; i < n; i++) {
        if (level[i].n >= j)
            out[i].result.high = fmin(out[i].result.high, level[i].high[j - 1]);
        out[i].passes |= level[i].passed >= j;
    }
}

static void conclude_merged(struct gate_merged *m)
{
    m->result.shift /= m->runners > m->equal ? m->runners - m->equal : 1;
    m->result.decidable = isfinite(m->result.high) ? expm1(m->result.high) : NAN;
    if (m->result.verdict == GATE_NO_RESULT)
        return;
    m->result.verdict = m->failed == m->runners                           ? GATE_FAIL
                        : m->passes && !m->failed && !m->result.nominated ? GATE_PASS
                                                                          : GATE_CANNOT_TELL;
    if (m->result.verdict != GATE_PASS) /* the mean may be above the least */
        m->result.high = m->highest;
}

static int next_level(int j, int k)
{
    enum { EACH = 9 };
    const int next = j < EACH ? j + 1 : j + j / 2;
    return j < k && next > k ? k : next;
}

enum gate_verdict gate_merge(const struct gate_runner *runners, int n_runners, double alpha, struct gate_merged *out, int *n)
{
    int most = 0;
    bool asks = false;
    enum gate_verdict all = GATE_PASS;
    *n = 0;
    for (int i = 0; i < n_runners; i++)
        most += runners[i].n;
    struct gate_result *room = malloc((size_t)most * sizeof *room + 1);
    struct at_level *level = malloc((size_t)most * sizeof *level + 1);
    int *place = malloc((size_t)most * sizeof *place + 1);
    const bool good = room && level && place && n_runners <= GATE_RUNNERS_MOST;
    if (good)
        find_places(runners, n_runners, out, n, place);
    for (int j = 1; good && j <= n_runners; j = next_level(j, n_runners))
        pass_at(runners, n_runners, j, alpha, out, *n, place, room, level);
    free(room);
    free(level);
    free(place);
    if (!good)
        return GATE_NO_RESULT;
    for (int i = 0; i < *n; i++) {
        conclude_merged(&out[i]);
        asks |= out[i].asked;
        if (out[i].asked && (!out[i].accepted || out[i].result.verdict == GATE_NO_RESULT))
            all = gate_worse(all, out[i].result.verdict);
    }
    return asks ? all : GATE_NO_RESULT;
}
