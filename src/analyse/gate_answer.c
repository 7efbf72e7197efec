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
 * depends on their values. For the same reason gate_phases.c doubles the rounds of a case and does not choose them by its estimate.
 * No PASS where the mean of all rounds is slower by P at alpha / n by Student's t, of n cases: rare slow processes do not move the estimate.
 * Layout: the confirmation confirms it, for fresh processes do not draw it anew. A FAIL says that the two builds differ; that their sources do it says only
 * where it also exceeds what two builds of one source did (gate_qualify.c).
 *
 * Assumes rounds whose order a coin drew: then d is symmetric about the slowdown whatever noise the two runs share, and no assumption about its law is needed.
 *
 * Smallest n: P(all signs alike) = 2^-n must not be above the level: 6 for the first look, 5 for one look at 5 %, 1 + log2(r / alpha) for r nominated
 * cases, rounded down.
 */
#include "gate_answer.h"
#include "compare.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tare/stats.h>

static const double SCREENING =
    .8; /* of the error, of all looks at the screening; the rest is the confirmation's, however many there were */
static const double SPENT = .6;      /* of what is left of that, by each look */
static const double NOMINATES = .1;  /* level at which the screening must show a slowdown */
static const double SURE = .75;      /* that the rounds needed decide a case, were its slowdown what it seems */
static const double LEAST_MORE = .5; /* of the rounds made: fewer more hardly change an interval */
static const double CLOSE = .25;     /* of the limit: an estimate that is nearer to it needs more rounds than anybody has */
static const double PI = 3.14159265358979323846;

/* One-sided bounds at `level`. False: no memory. */
static bool bounds(const double *d, int n, double level, struct tare_interval *out)
{
    *out = (struct tare_interval){.point = NAN, .low = -INFINITY, .high = INFINITY};
    if (!d || n < 1 || !(level > 0))
        return true;
    double *scratch = malloc(compare_scratch_bytes(n));
    if (!scratch || tare_hl_ci_walsh(d, n, 2 * level, scratch + 2 * n, out)) {
        free(scratch);
        return false;
    }
    struct comparison c = {.rounds = n, .level = 2 * level};
    const double m = compare_effective_size(d, n, .1, scratch);
    if (m < n)
        compare_set_widened(&c, n / m, m - 1, n - 1);
    compare_widen(&c, out);
    free(scratch);
    return true;
}

struct looks {
    int n_at[GATE_LOOKS_MAX + 1], n;
    double spent[GATE_LOOKS_MAX + 1], level[GATE_LOOKS_MAX + 1];
};

/* Cases of a gate share a few schedules, and levels take longer to find than all else: the last ones found. */
enum { KNOWN = 8 };
struct known_looks {
    struct looks of[KNOWN];
    int n;
};

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

static bool find_levels(struct looks *l, struct known_looks *known)
{
    for (int i = 0; i < known->n && i < KNOWN; i++)
        if (same_looks(l, &known->of[i])) {
            *l = known->of[i];
            return true;
        }
    for (int k = 0; k < l->n; k++)
        if (tare_looks_spent(l->n_at, l->spent, k + 1, &l->level[k]))
            return false;
    known->of[known->n++ % KNOWN] = *l;
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

/* All rounds, bounds that hold over all looks: the lowest upper one, the lower one of the last look. */
static bool bounds_over_looks(const struct gate_case *c, double alpha, struct known_looks *known, struct tare_interval *out)
{
    struct looks l = looks_of(c, alpha);
    *out = (struct tare_interval){.point = NAN, .low = -INFINITY, .high = INFINITY};
    int all;
    double *d = all_rounds(c, &all), lowest = INFINITY;
    bool ok = d && find_levels(&l, known);
    for (int k = 0; k < l.n && ok; k++) {
        ok = bounds(d, l.n_at[k], l.level[k] / 2, out);
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
    if (c->n_looks < GATE_LOOKS_MAX && c->n_screen > last)
        c->looks[c->n_looks++] = c->n_screen;
}

bool gate_nominated(const struct gate_case *c)
{
    struct tare_interval i;
    return asked(c) && !c->accepted && bounds(c->screen, c->n_screen, NOMINATES, &i) && i.point >= c->limit && i.low > 0;
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
    struct tare_interval i;
    return bounds(c->screen, c->n_screen, .05, &i) && c->n_screen > 0 ? (i.point - c->limit) / planned_se(c->screen, c->n_screen)
                                                                      : NAN;
}

/* Until a bound at `apart` from the estimate is likely to exclude the limit. */
static double further_rounds(const struct gate_case *c, double alpha, double apart)
{
    const double z = tare_normal_quantile(1 - alpha * SCREENING * (1 - SPENT) * SPENT) + tare_normal_quantile(SURE);
    const double wanted = z * planned_se(c->screen, c->n_screen) / apart;
    return ceil(c->n_screen * fmax(wanted * wanted - 1, LEAST_MORE));
}

double gate_rounds_needed(const struct gate_case *c, double alpha)
{
    const struct gate_case s = screened(c);
    struct tare_interval i;
    struct known_looks known = {.n = 0};
    if (!asked(c) || c->accepted || c->failure || !bounds_over_looks(&s, alpha, &known, &i) || isnan(i.point))
        return INFINITY;
    if (i.high < c->limit || gate_nominated(c))
        return 0;
    return further_rounds(c, alpha, fmax(c->limit - i.point, CLOSE * c->limit));
}

double gate_rounds_to_confirm(const struct gate_case *c, double alpha)
{
    return further_rounds(c, alpha, CLOSE * c->limit);
}

double gate_rounds_to_decide(const struct gate_case *c, double alpha)
{
    struct tare_interval i;
    if (!bounds(c->screen, c->n_screen, .05, &i) || !(fabs(c->limit - i.point) >= CLOSE * c->limit))
        return INFINITY;
    return further_rounds(c, alpha, fabs(c->limit - i.point));
}

static bool may_fail(const struct gate_case *c, const struct gate_result *r)
{
    return r->nominated && r->verdict != GATE_FAIL && r->verdict != GATE_NO_RESULT && c->confirm && c->n_confirm > 0;
}

static bool reaches(const struct gate_case *c, double level, struct tare_interval *b)
{
    return bounds(c->confirm, c->n_confirm, level, b) && b->low >= c->limit && b->low > c->layout;
}

/* One step of Holm's: how many more fail. */
static int fail_at(const struct gate_case *c, int n, double level, struct gate_result *out)
{
    int failed = 0;
    for (int i = 0; i < n; i++) {
        struct tare_interval b;
        if (!may_fail(&c[i], &out[i]) || !reaches(&c[i], level, &b))
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

static void fail_slower(const struct gate_case *c, int n, double alpha, struct gate_result *out)
{
    for (int left = count_left(c, n, out), failed; left > 0; left -= failed)
        if (!(failed = fail_at(c, n, alpha / left, out)))
            return;
}

double gate_largest(const struct gate_case *c, int n, double alpha, const struct gate_result *r)
{
    double largest = -INFINITY;
    int left = 0;
    for (int i = 0; i < n; i++)
        left += r[i].nominated && confirmed_rounds(&c[i]) > 0;
    for (int i = 0; i < n; i++) {
        struct tare_interval b;
        if (r[i].nominated && bounds(c[i].confirm, c[i].n_confirm, alpha / left, &b))
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
    const bool slower = d && !tare_mean_ci_student(d, n, 2 * level, &i) && i.low >= c->limit && i.low > 0;
    free(d);
    return slower ? i.point : NAN;
}

static struct gate_result result_of(const struct gate_case *c, int n, double alpha, struct known_looks *known)
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
                             .nominated = gate_nominated(c),
                             .rare_mean = mean,
                             .decidable = isfinite(i.high) ? expm1(i.high) : NAN};
    return r;
}

enum gate_verdict gate_worse(enum gate_verdict a, enum gate_verdict b)
{
    static const int rank[] = {[GATE_PASS] = 0, [GATE_CANNOT_TELL] = 1, [GATE_FAIL] = 2, [GATE_NO_RESULT] = 3};
    return rank[a] > rank[b] ? a : b;
}

enum gate_verdict gate_answer(const struct gate_case *c, int n, double alpha, struct gate_result *out)
{
    int asks = 0;
    enum gate_verdict all = GATE_PASS;
    struct known_looks known = {.n = 0};
    for (int i = 0; i < n; i++)
        out[i] = result_of(&c[i], n, alpha, &known);
    fail_slower(c, n, alpha, out);
    for (int i = 0; i < n; i++) {
        if (!asked(&c[i]))
            continue;
        asks++;
        if (!c[i].accepted || out[i].verdict == GATE_NO_RESULT)
            all = gate_worse(all, out[i].verdict);
    }
    return asks ? all : GATE_NO_RESULT;
}
