/* SPDX-License-Identifier: MIT
 *
 * Machines that are unlike the others. Center and scale are mean and standard deviation of the h = (3 n + 1) / 4 values that lie closest together: the
 * minimum covariance determinant of Rousseeuw (1984) for one variable, whose h values are neighbours in order. The other n - h machines may be
 * anything at all and move neither far, so two slow ones of eight do not hide each other, as they do behind a mean and standard deviation of all. With
 * half of the values instead of three quarters more could be so, and the same deviation would be found less often.
 *
 * Limit: T = max |x - center| / scale depends neither on the unit nor on the spread of the values, so for normal values its distribution follows from n alone;
 * it is drawn here, 4999 times from a fixed seed, and the limit is that order statistic whose rank is (4999 + 1)(1 - level) (Monte Carlo test: Dwass 1957, Barnard
 * 1963). With `above`, T = max (x - center) / scale. So of classes whose machines are alike a share of `level` loses one or more, +- 0.25 % for
 * 3 %, whatever n is. Values with longer tails lose more: ask for a smallest deviation that matters besides.
 *
 * Assumes independent machines. Smallest n: 3, where the scale follows from what the closest two differ by. A single one is found 9 times in 10 from
 * 135 standard deviations of the others on with 3 machines, 20 with 4, 11 with 5, 8 with 8, 6 with 20. Ties: a scale of 0, beyond which every other value
 * lies. NaN, infinity: invalid.
 */
#include "rng.h"
#include "stats_beyond.h"
#include "stats_core.h"

enum { SEED = 1984 };

/* Two passes for the first h, then one value out and one in at a time (West 1979); the deviation of the closest anew, so that equal values have none. */
static void find_closest(const double *sorted, ptrdiff_t n, struct stats_class *out)
{
    const ptrdiff_t h = (3 * n + 1) / 4;
    double mean = tare_mean(sorted, h), squares = 0, least;
    ptrdiff_t at = 0;
    for (ptrdiff_t i = 0; i < h; i++)
        squares += (sorted[i] - mean) * (sorted[i] - mean);
    least = squares;
    for (ptrdiff_t i = 1; i + h <= n; i++) {
        const double gone = sorted[i - 1], come = sorted[i + h - 1], before = mean;
        mean += (come - gone) / (double)h;
        squares += (come - gone) * (come - mean + gone - before);
        if (squares < least) {
            least = squares;
            at = i;
        }
    }
    *out = (struct stats_class){tare_mean(sorted + at, h), tare_stddev(sorted + at, h)};
}

enum tare_status stats_class(const double *x, ptrdiff_t n, double *scratch, struct stats_class *out)
{
    *out = (struct stats_class){NAN, NAN};
    if (n < STATS_CLASS_LEAST)
        return TARE_TOO_FEW;
    if (!stats_all_finite(x, n))
        return TARE_INVALID;
    for (ptrdiff_t i = 0; i < n; i++)
        scratch[i] = x[i];
    tare_sort(scratch, n);
    find_closest(scratch, n, out);
    return TARE_OK;
}

static double draw_farthest(struct rng *r, ptrdiff_t n, bool above, double *sorted)
{
    struct stats_class c;
    for (ptrdiff_t i = 0; i < n; i++)
        sorted[i] = tare_normal_quantile(((double)(rng_next(r) >> 12) + .5) * 0x1p-52);
    tare_sort(sorted, n);
    find_closest(sorted, n, &c);
    const double high = (sorted[n - 1] - c.center) / c.scale, low = (c.center - sorted[0]) / c.scale;
    return above ? high : fmax(low, high);
}

enum tare_status stats_class_limit(ptrdiff_t n, double level, bool above, double *scratch, double *out)
{
    struct rng r = rng_seeded(SEED);
    double *farthest = scratch + n;
    *out = NAN;
    if (n < STATS_CLASS_LEAST)
        return TARE_TOO_FEW;
    if (!stats_level_ok(level))
        return TARE_INVALID;
    for (int i = 0; i < STATS_CLASS_SCRATCH; i++)
        farthest[i] = draw_farthest(&r, n, above, scratch);
    const ptrdiff_t rank = (ptrdiff_t)ceil((STATS_CLASS_SCRATCH + 1) * (1 - level) - 1e-9);
    if (rank > STATS_CLASS_SCRATCH) { /* rarer than so many draws can tell */
        *out = INFINITY;
        return TARE_OK;
    }
    stats_select(farthest, STATS_CLASS_SCRATCH, rank - 1);
    *out = farthest[rank - 1];
    return TARE_OK;
}
