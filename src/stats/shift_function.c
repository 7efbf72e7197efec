/* SPDX-License-Identifier: MIT
 *
 * Shift function (Doksum 1974): D(q) = Q_y(q) - Q_x(q), with intervals that hold for k quantiles together.
 *
 * Point: difference of the sample quantiles (type 7). Interval: all t - s with (s, t) in a region for (Q_x(q), Q_y(q)): those that a test by the numbers of
 * values up to them, i of x and j of y, does not refuse. z of level / k (Bonferroni); since the region is only used along the line of the difference, z is
 * that of one degree of freedom, as of a profile likelihood (Chen and Hall 1993 for one quantile; Zhou and Jing 2003 for a difference). Its ends are
 * differences of order statistics:
 *     [min y_(j) - x_(i+1), max y_(j+1) - x_(i)] over all (i, j) of the region, counting from 1
 *
 * Pairs: a test on the four quadrants about the point (the bivariate sign test, Chatterjee 1966); N pairs have one of the two alone. Where s and t
 * are the quantiles, T = i - j and S = i + j are uncorrelated, and
 *     T given N        binomial with 1/2 (McNemar 1947)
 *     S m / (2 n)      about binomial (m, q), m = 2 n / (1 + r), r = 1 - N / (2 n q (1 - q)) the correlation of the signs; exact for r of 0 and 1
 * With z_T and z_S their two-sided exact tails as normal deviates the region is z_T^2 + z_S^2 <= z^2.
 * Assumes nothing of the distributions nor of the dependence within a pair; what x and y share narrows the interval. Where x_i and y_i - D can be
 * exchanged, as when a coin decides which is measured first and all runs of one are longer by the same, T is exact whatever drifts over the pairs. Where the
 * shift differs between quantiles: pairs that are independent of each other, and asymptotic; the test's simulation bounds the error.
 *
 * Samples of n and m values: i is binomial (n, q) and j binomial (m, q), independent, so that the region is z_i^2 + z_j^2 <= z^2 of their two-sided exact
 * tails. Assumes values that are independent within and between the samples, nothing of their distributions, which may differ in shape; what lies between the
 * sessions of the two is part of the shift. Asymptotic in the same way.
 *
 * Where neighbouring values are alike the caller says by how much intervals are to be widened.
 * Ties: equal values are taken in their order, of pairs in both samples, which is a vanishing drift; the interval covers more.
 * Smallest n at .05 and k = 12: of pairs 11 for the median, 36 for q of .2, 77 of .1, 803 of .01; of each sample 9, 28, 59, 615.
 */
#include "stats_beyond.h"
#include "stats_core.h"

/* One sample: its values ascending with the pair that each is of, and the rank of each pair's value, from 0. */
struct sample {
    const struct stats_point *at;
    double *rank;
};

/* The `low[0]` smallest x and `low[1]` smallest y; `both`: pairs with both values among them. */
struct cut {
    ptrdiff_t low[2], both;
};

/* What the region is of. */
struct region {
    const struct sample *s; /* x, y */
    ptrdiff_t n[2];
    bool paired;
    double q, z;
};

static ptrdiff_t pair_at(const struct sample *s, ptrdiff_t rank)
{
    return (ptrdiff_t)s->at[rank].y;
}

static bool is_low(const struct region *r, const struct cut *c, int side, ptrdiff_t pair)
{
    return r->s[side].rank[pair] < (double)c->low[side];
}

static void take_cut(const struct region *r, struct cut *c, int side)
{
    c->both += r->paired && is_low(r, c, !side, pair_at(&r->s[side], c->low[side]));
    c->low[side]++;
}

static void give_back(const struct region *r, struct cut *c, int side)
{
    c->low[side]--;
    c->both -= r->paired && is_low(r, c, !side, pair_at(&r->s[side], c->low[side]));
}

/* Beyond it tails underflow, and no count is that far: no interval. Of pairs so alike that they count as four. */
static const double FARTHEST = 37;

/* Of a two-sided p. */
static double deviate(double p)
{
    return p < 1 ? -tare_normal_quantile(p / 2) : 0;
}

static double deviate_of_level(double level, int k, double widened)
{
    return -tare_normal_quantile(level / k / 2) * widened;
}

/* P(X <= k), X binomial with trials n, where neither need be whole. */
static double up_to(double k, double n, double q)
{
    double lower, upper;
    if (k >= n)
        return 1;
    stats_beta(n - k, k + 1, 1 - q, q, &lower, &upper, NULL);
    return lower;
}

enum { LARGE = 1000 }; /* variances of counts that are taken for normal, with half a count for their steps */

/* z_T, of which both directions count alike. */
static double distance_of_t(const struct cut *c)
{
    const ptrdiff_t x = c->low[0] - c->both, y = c->low[1] - c->both;
    const double alone = (double)(x + y);
    if (alone > 4 * LARGE)
        return fmax(fabs((double)(x - y)) - 1, 0) / sqrt(alone);
    return deviate(2 * tare_binomial_cdf(x < y ? x : y, x + y, 0.5));
}

/* z of k values of n up to their quantile, where neither need be whole. */
static double distance_of_count(double k, double n, double q)
{
    const double variance = n * q * (1 - q);
    return variance > LARGE ? fmax(fabs(k - n * q) - 0.5, 0) / sqrt(variance)
                            : deviate(2 * fmin(up_to(k, n, q), up_to(n - k, n, 1 - q)));
}

/* The same, whether it is at most `most`; *above: there are too many, not too few. */
static bool is_count_within(double k, double n, double q, double most, bool *above)
{
    const double variance = n * q * (1 - q);
    *above = k > n * q;
    if (variance > LARGE)
        return fabs(k - n * q) - 0.5 <= most * sqrt(variance) * STATS_TIE;
    return (*above ? up_to(n - k, n, 1 - q) : up_to(k, n, q)) * STATS_TIE >= tare_normal_cdf(-most);
}

static bool is_s_within(const struct region *r, const struct cut *c, double most, bool *above)
{
    const double n = (double)r->n[0], alone = (double)(c->low[0] + c->low[1] - 2 * c->both), spread = r->q * (1 - r->q);
    const double opposed =
        -0.95 * fmin(r->q, 1 - r->q) / fmax(r->q, 1 - r->q); /* signs with these margins cannot be less alike */
    const double m = 2 * n / (1 + fmax(1 - alone / (2 * n * spread), opposed));
    return is_count_within((double)(c->low[0] + c->low[1]) * m / (2 * n), m, r->q, most, above);
}

/* Where a cut is: in the region; outside, and with more of sample `a` only further out; or outside otherwise. */
enum where { WITHIN, BEFORE, BEYOND };

static enum where where_is(const struct region *r, const struct cut *c, int a)
{
    const double z2 = r->z * r->z * STATS_TIE;
    const double fixed = r->paired ? distance_of_t(c) : distance_of_count((double)c->low[!a], (double)r->n[!a], r->q),
                 left = z2 - fixed * fixed;
    bool above;
    if (left < 0) /* of pairs, every further one moves T the same way */
        return !r->paired || c->low[a] > c->low[!a] ? BEYOND : BEFORE;
    if (r->paired ? is_s_within(r, c, sqrt(left), &above)
                  : is_count_within((double)c->low[a], (double)r->n[a], r->q, sqrt(left), &above))
        return WITHIN;
    return above && !(r->paired && is_s_within(r, c, r->z, &above)) ? BEYOND : BEFORE;
}

/* To the first value of the other sample within the region. False: it has none with this many of sample `a`. */
static bool find_edge(const struct region *r, struct cut *c, int a)
{
    const int other = !a;
    const ptrdiff_t from = c->low[other];
    for (enum where at; (at = where_is(r, c, other)) != WITHIN;) {
        if (c->low[other] == r->n[other] || at == BEYOND)
            return false;
        take_cut(r, c, other);
    }
    while (c->low[other] > 0 && c->low[other] <= from) { /* those before it, unless they have been passed */
        struct cut before = *c;
        give_back(r, &before, other);
        if (where_is(r, &before, other) != WITHIN)
            return true;
        *c = before;
    }
    return true;
}

static double difference_at(const struct region *r, const struct cut *c, int a)
{
    const ptrdiff_t i = c->low[a], j = c->low[!a];
    return j > 0 && i < r->n[a] ? r->s[!a].at[j - 1].x - r->s[a].at[i].x : -INFINITY;
}

/* The least that the other sample's quantile is above that of sample `a`. From the middle to both sides; the edge moves by few values at a time. */
static double least_difference(const struct region *r, const struct cut *middle, int a)
{
    double least = where_is(r, middle, !a) == WITHIN ? INFINITY : -INFINITY;
    for (int up = 0; up < 2; up++) {
        struct cut c = *middle;
        while (find_edge(r, &c, a)) {
            least = fmin(least, difference_at(r, &c, a));
            if (c.low[a] == (up ? r->n[a] : 0))
                break;
            (up ? take_cut : give_back)(r, &c, a);
            for (int k = 0; k < 2 && c.low[!a] > 0; k++) /* below the next edge, wherever it goes */
                give_back(r, &c, !a);
        }
    }
    return least;
}

static void find_ends(const struct region *r, struct tare_interval *out)
{
    struct cut middle = {.low = {0}};
    for (int side = 0; side < 2; side++)
        while ((double)middle.low[side] < floor(r->q * (double)r->n[side] + 0.5))
            take_cut(r, &middle, side);
    out->low = fmin(least_difference(r, &middle, 0), out->point);
    out->high = fmax(-least_difference(r, &middle, 1), out->point);
}

static bool is_sound(const double *q, int k, double level, double widened)
{
    bool sound = k >= 1 && stats_level_ok(level) && widened >= 1;
    for (int j = 0; j < k && sound; j++)
        sound = q[j] > 0 && q[j] < 1;
    return sound;
}

/* room: 2 n, for its order; plain: n, for its values in that order; spare: 2 n, of which its ranks keep the first half. */
static struct sample rank_values(const double *values, ptrdiff_t n, double *room, double *plain, double *spare)
{
    struct stats_point *at = (struct stats_point *)room;
    struct sample s = {.at = at, .rank = spare};
    for (ptrdiff_t i = 0; i < n; i++)
        at[i] = (struct stats_point){values[i], (double)i};
    stats_sort_points(at, (struct stats_point *)spare, n);
    for (ptrdiff_t i = 0; i < n; i++) {
        plain[i] = at[i].x;
        s.rank[pair_at(&s, i)] = (double)i;
    }
    return s;
}

/* n[0] of x, n[1] of y. */
static enum tare_status shift_function(const double *const values[2], const ptrdiff_t n[2], bool paired, const double *q, int k,
                                       double level, double widened, double *scratch, struct tare_interval *out)
{
    const ptrdiff_t fewest = n[0] < n[1] ? n[0] : n[1], most = n[0] + n[1] - fewest;
    for (int j = 0; j < k; j++)
        out[j] = stats_no_interval(fewest, level);
    if (fewest < 0 || !is_sound(q, k, level, widened) || !stats_all_finite(values[0], n[0]) || !stats_all_finite(values[1], n[1]))
        return TARE_INVALID;
    if (fewest < 1)
        return TARE_OK;
    struct sample s[2];
    struct region r = {s, {n[0], n[1]}, paired, 0, deviate_of_level(level, k, widened)};
    double *plain = scratch + 4 * most;
    for (int side = 0; side < 2; side++) {
        s[side] = rank_values(values[side], n[side], scratch + 2 * side * most, plain, scratch + (5 + side) * most);
        for (int j = 0; j < k; j++) {
            const double quantile = tare_quantile_sorted(plain, n[side], q[j]);
            out[j].point = side ? out[j].point + quantile : -quantile;
        }
    }
    for (int j = 0; j < k && r.z <= FARTHEST; j++) {
        r.q = q[j];
        find_ends(&r, &out[j]);
    }
    return TARE_OK;
}

enum tare_status stats_shift_function(const double *x, const double *y, ptrdiff_t n, const double *q, int k, double level,
                                      double widened, double *scratch, struct tare_interval *out)
{
    return shift_function((const double *const[]){x, y}, (const ptrdiff_t[]){n, n}, true, q, k, level, widened, scratch, out);
}

enum tare_status stats_shift_function_of_samples(const double *x, ptrdiff_t n, const double *y, ptrdiff_t m, const double *q,
                                                 int k, double level, double widened, double *scratch, struct tare_interval *out)
{
    return shift_function((const double *const[]){x, y}, (const ptrdiff_t[]){n, m}, false, q, k, level, widened, scratch, out);
}

/* Where no value of x is low, nothing but the number of y that are is left to tell: then there is a low end. The high one is its mirror image. */
static bool has_ends(ptrdiff_t n, double q, double z)
{
    const struct region r = {NULL, {n, n}, true, fmin(q, 1 - q), z};
    for (struct cut c = {.low = {0}}; c.low[1] <= n; c.low[1]++) {
        const enum where at = where_is(&r, &c, 1);
        if (at != BEFORE)
            return at != WITHIN;
    }
    return true;
}

double stats_shift_least(double q, int k, double level, double widened, bool paired)
{
    if (!is_sound(&q, 1, level, widened) || k < 1)
        return NAN;
    const double z = deviate_of_level(level, k, widened);
    if (z > FARTHEST)
        return INFINITY;
    ptrdiff_t n = (ptrdiff_t)ceil(log(tare_normal_cdf(-z)) / log(fmax(q, 1 - q)) - 1e-9); /* of a quantile by order statistics */
    if (!paired)
        return (double)n;
    ptrdiff_t without = n - 1; /* no interval */
    for (; !has_ends(n, q, z); n *= 2)
        without = n;
    while (n - without > 1) {
        const ptrdiff_t middle = without + (n - without) / 2;
        *(has_ends(middle, q, z) ? &n : &without) = middle;
    }
    return (double)n;
}
