/* SPDX-License-Identifier: MIT
 *
 * Shift function of pairs (Doksum 1974): D(q) = Q_y(q) - Q_x(q), with intervals that hold for k quantiles together.
 *
 * Point: difference of the sample quantiles (type 7). Interval: all d that a test of "D(q) = d" does not reject. Let t be the m-th smallest of the 2 n
 * values x_i and y_i - d, m = 2 n q rounded. Where D(q) = d, a pair with exactly one value up to t has that of x there as often as that
 * of y, so their number is Bin(N, 1/2) of the N such pairs (McNemar 1947; for independent samples this is Mood's test of 1950, at q
 * instead of the median). Which values lie up to t depends on d through a alone, how many of them are x: the a smallest x and the m - a smallest y.
 * With a1 and a2 the fewest and the most that are not rejected, counting from 1,
 *     [y_(m - a2) - x_(a2 + 1), y_(m - a1 + 1) - x_(a1)]
 * k quantiles: each at level / k (Bonferroni).
 * Assumes nothing of the distributions nor of the dependence within a pair; what x and y share narrows the interval. Exact where x_i and y_i - D
 * can be exchanged, as when a coin decides which is measured first, whatever drifts over the pairs. Where the shift differs between
 * quantiles: pairs that are independent of each other, and t for the true quantile, which is asymptotic; the test's simulation bounds the error. Where neighbouring
 * pairs are alike the caller says by how much intervals are to be widened, and the level becomes that of so many more standard errors.
 * Ties: pairs of equal values are taken in their order, in both samples, which is a vanishing drift; the interval covers more.
 * Smallest n: 2 n q and 2 n (1 - q) of at least 1 + log2(k / level). At .05 and k = 12: 9 for the median, 22 for q of .2, 43 of .1, 425 of .01.
 */
#include "stats_shift.h"
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

static ptrdiff_t pair_at(const struct sample *s, ptrdiff_t rank)
{
    return (ptrdiff_t)s->at[rank].y;
}

/* One value more of the one sample, one less of the other. */
static void move(const struct sample s[2], struct cut *c, int more)
{
    const int less = !more;
    c->low[less]--;
    c->both -= s[more].rank[pair_at(&s[less], c->low[less])] < (double)c->low[more];
    c->both += s[less].rank[pair_at(&s[more], c->low[more])] < (double)c->low[less];
    c->low[more]++;
}

/* By Hoeffding's bound (1963) where that is enough: few cuts need the distribution itself. */
static bool is_rejected(const struct cut *c, double level)
{
    const ptrdiff_t x = c->low[0] - c->both, y = c->low[1] - c->both;
    const double t = (double)(x - y), n = (double)(x + y);
    if (!(2 * exp(-t * t / (2 * n)) > level) && n > 0)
        return true;
    return 2 * tare_binomial_cdf(x < y ? x : y, x + y, 0.5) <= level * STATS_TIE;
}

/* The fewest values of sample `more` among the m smallest that are not rejected. */
static ptrdiff_t fewest(const struct sample s[2], ptrdiff_t n, ptrdiff_t m, int more, double level)
{
    struct cut c = {.both = m > n ? m - n : 0}; /* either none of the one sample, or all of the other */
    c.low[more] = c.both;
    c.low[!more] = m - c.both;
    while (is_rejected(&c, level))
        move(s, &c, more);
    return c.low[more];
}

/* Rounded alike on both sides of the median. */
static ptrdiff_t pooled_rank(double q, ptrdiff_t n)
{
    const ptrdiff_t from_its_side = (ptrdiff_t)floor(2 * fmin(q, 1 - q) * (double)n + 0.5);
    return q > 0.5 ? 2 * n - from_its_side : from_its_side;
}

static void find_ends(const struct sample s[2], ptrdiff_t n, double q, double level, struct tare_interval *out)
{
    const ptrdiff_t m = pooled_rank(q, n), a1 = fewest(s, n, m, 0, level), b2 = fewest(s, n, m, 1, level), a2 = m - b2;
    if (b2 >= 1 && a2 < n)
        out->low = s[1].at[b2 - 1].x - s[0].at[a2].x;
    if (a1 >= 1 && m - a1 < n)
        out->high = s[1].at[m - a1].x - s[0].at[a1 - 1].x;
}

/* Of one of k quantiles. */
static double own_level(int k, double level, double widened)
{
    return widened > 1 ? 2 * tare_normal_cdf(tare_normal_quantile(level / k / 2) * widened) : level / k;
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

enum tare_status stats_shift_function(const double *x, const double *y, ptrdiff_t n, const double *q, int k, double level,
                                      double widened, double *scratch, struct tare_interval *out)
{
    for (int j = 0; j < k; j++)
        out[j] = stats_no_interval(n, level);
    if (n < 0 || !is_sound(q, k, level, widened) || !stats_all_finite(x, n) || !stats_all_finite(y, n))
        return TARE_INVALID;
    if (n < 1)
        return TARE_OK;
    double *plain = scratch + 4 * n;
    struct sample s[2];
    s[0] = rank_values(x, n, scratch, plain, scratch + 5 * n);
    for (int j = 0; j < k; j++)
        out[j].point = -tare_quantile_sorted(plain, n, q[j]);
    s[1] = rank_values(y, n, scratch + 2 * n, plain, scratch + 6 * n);
    for (int j = 0; j < k; j++) {
        out[j].point += tare_quantile_sorted(plain, n, q[j]);
        find_ends(s, n, q[j], own_level(k, level, widened), &out[j]);
    }
    return TARE_OK;
}

double stats_shift_least(double q, int k, double level, double widened)
{
    if (!is_sound(&q, 1, level, widened) || k < 1)
        return NAN;
    const double pairs = ceil(1 - log2(own_level(k, level, widened) * STATS_TIE)), part = 2 * fmin(q, 1 - q);
    double n = floor((pairs - 0.5) / part);
    while (floor(part * n + 0.5) < pairs)
        n++;
    return n;
}
