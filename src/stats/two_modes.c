/* SPDX-License-Identifier: MIT
 *
 * Two modes: a valley, that is a stretch of the sorted values that is sparser than a stretch on its left and one on its right, each by more than
 * any distribution with one mode explains. Multiscale, in the manner of Duembgen and Walther (2008).
 *
 * Claim: of independent values of any one-moded law (the density rises up to a mode, then falls; an atom may be at the mode), in 5 of 100 samples
 * at most a valley is found. No shape is assumed to be the worst one; of all that were tried a peak beside a plateau has most, 1.2 of 100 for 6 values
 * and 0.9 from 10 on, and uniform, normal and skewed samples have fewer than 1 (tests). With V, A and B the widths of the valley and of the stretches on its left
 * and right, of p, q and r steps from a value to the next, and U the sample that the law's distribution function makes of the values:
 *   a mode left of the valley   density falls, so the mean density over V is at least that over B
 *   a mode right of it          likewise, A
 *   a mode within it            each of its parts is at least as dense as the end of A or of B that it touches, and so V is as dense as A or B
 * so V/A or V/B is at most the same ratio of U, which is uniform. Whatever grows with these ratios stays for one side below its value in U. The
 * critical value is the 95th percentile of the largest value, over all stretches and either side, in uniform samples; for a valley both sides
 * must be above it, which chance alone seldom makes.
 *
 * Value of a stretch of p steps beside one of q, of widths V and A: the logarithm of the likelihood ratio of two exponential rates against one,
 *     p ln(p (V + A) / ((p + q) V)) + q ln(q (V + A) / ((p + q) A)) - ln(n / (p + q)) where V is the sparser one,
 * the last term as small stretches have more places. Stretches: p a power of 2, at every fourth of p; q from p/2 to 16 p by factors of 2, and what
 * remains up to the end. Time n log n for the sort, and some 50 n logarithms.
 *
 * Rounded values (a counter's step): the distance of two of them is wrong by less than a step, so V less a step and A, B plus a step are used; the
 * smallest distance between neighbours that differ is at least a step. Two distinct values alone are therefore never two modes.
 * Critical values: two_modes_critical.def, made by tools/two_modes_critical.c; linear in ln n between its sizes, which is below
 * them by at most their standard error, and beyond, where they rise ever more slowly, so that the rule errs to the safe side.
 * Place of a group of m values: x[j + s / 2] of the stretch from x[j] to x[j + s], s = m / 2 rounded down, that is shortest, the first of equal ones;
 * the half of the values that Rousseeuw (1984) takes the middle of and Andrews et al. (1972) the mean. It describes the sample, and has no interval.
 * Smallest n: 6, where each three must lie within a fifth of the gap. Groups are a tenth of the values, and three, at least. Constant
 * data: none. Dependent values, such as a series that changes its level, show two modes too.
 */
#include "stats_core.h"
#include <float.h>

static const struct {
    double n, critical;
} table[] = {
#define X(n, critical) {n, critical},
#include "two_modes_critical.def"
};

enum { TABLE_SIZE = sizeof table / sizeof *table, GROUP_MIN = 3, SIDE_MIN = GROUP_MIN - 1, SIDE_MOST = 16 };

static double critical_value(double n)
{
    int i = 1;
    while (i < TABLE_SIZE - 1 && table[i].n < n)
        i++;
    const double part = log(n / table[i - 1].n) / log(table[i].n / table[i - 1].n);
    return table[i - 1].critical + part * (table[i].critical - table[i - 1].critical);
}

/* Of a valley of p steps and this width, and a side of q. Nothing that is not above `floor`: ln y <= y - 1 spares most of the logarithms. */
static double log_ratio(double p, double q, double n, double valley, double side, double floor)
{
    const double all = p + q, width = valley + side;
    if (!(valley > 0 && valley * q > side * p && q * (q * width / (all * side) - 1) > floor))
        return floor;
    return fmax(p * log(p * width / (all * valley)) + q * log(q * width / (all * side)) + log(all / n), floor);
}

/* The largest value of the stretch from x[first] to x[last] beside those on its left or right, where it is above `floor`, else that. */
static double beside(const struct stats_valleys *v, ptrdiff_t first, ptrdiff_t last, bool left, double floor)
{
    const double *x = v->sorted;
    const ptrdiff_t p = last - first, room = left ? first : v->n - 1 - last;
    const double valley = x[last] - x[first] - v->step;
    for (ptrdiff_t q = p / 2 < SIDE_MIN ? SIDE_MIN : p / 2; q <= SIDE_MOST * p; q *= 2) {
        const ptrdiff_t steps = q < room ? q : room;
        const double side = left ? x[first] - x[first - steps] : x[last + steps] - x[last];
        floor = log_ratio((double)p, (double)steps, (double)v->n, valley, side + v->step, floor);
        if (q >= room)
            break;
    }
    return floor;
}

struct stats_valley stats_deepest_valley(const struct stats_valleys *v)
{
    const ptrdiff_t tenth = (v->n + 9) / 10, group = tenth > GROUP_MIN ? tenth : GROUP_MIN;
    struct stats_valley best = {.value = -INFINITY};
    const ptrdiff_t most = v->n - 2 * group + 1;
    ptrdiff_t p = 1;
    while (2 * p <= most)
        p *= 2;
    for (; p >= 1 && p <= most; p /= 2) /* few long ones first: what they reach spares the many short ones their logarithms */
        for (ptrdiff_t first = group - 1; first + p <= v->n - group; first += p < 4 ? 1 : p / 4) {
            const double left = beside(v, first, first + p, true, best.value);
            if (left <= best.value && !v->one_side)
                continue;
            const double right = beside(v, first, first + p, false, best.value),
                         value = v->one_side ? fmax(left, right) : fmin(left, right);
            if (value > best.value)
                best = (struct stats_valley){value, first, first + p};
        }
    return best;
}

/* The least distance of neighbours that differ by more than the rounding of doubles, which is the step if none do. */
static double least_step(const double *sorted, ptrdiff_t n)
{
    const double none = 4 * DBL_EPSILON * fmax(fabs(sorted[0]), fabs(sorted[n - 1]));
    double step = INFINITY;
    for (ptrdiff_t i = 1; i < n; i++)
        if (sorted[i] - sorted[i - 1] > none)
            step = fmin(step, sorted[i] - sorted[i - 1]);
    return isfinite(step) ? step : none;
}

/* How many values are below the widest gap of the valley. */
static ptrdiff_t below_gap(const double *sorted, const struct stats_valley *valley)
{
    ptrdiff_t at = valley->first + 1;
    for (ptrdiff_t i = at + 1; i <= valley->last; i++)
        if (sorted[i] - sorted[i - 1] > sorted[at] - sorted[at - 1])
            at = i;
    return at;
}

/* Where the values of a group are densest: the median of the shortest stretch with half of them. The group's mean may be where there are none, as it
 * may have humps of its own. */
static double densest(const double *sorted, ptrdiff_t n)
{
    const ptrdiff_t steps = n / 2;
    ptrdiff_t at = 0;
    for (ptrdiff_t i = 1; i + steps < n; i++)
        if (sorted[i + steps] - sorted[i] < sorted[at + steps] - sorted[at])
            at = i;
    return sorted[at + steps / 2];
}

enum tare_status tare_two_modes(const double *x, ptrdiff_t n, double *scratch, struct tare_modes *out)
{
    *out = (struct tare_modes){.ratio = NAN, .critical = NAN, .low = NAN, .high = NAN, .gap = NAN};
    if (n < 0 || !stats_all_finite(x, n))
        return TARE_INVALID;
    if (n < 2 * GROUP_MIN)
        return TARE_OK;
    const double unit = stats_unit_of_sums(x, n);
    for (ptrdiff_t i = 0; i < n; i++)
        scratch[i] = x[i] * unit;
    tare_sort(scratch, n);
    const struct stats_valley valley =
        stats_deepest_valley(&(struct stats_valleys){.sorted = scratch, .n = n, .step = least_step(scratch, n)});
    out->critical = exp(critical_value((double)n));
    out->ratio = exp(valley.value);
    if (!(out->ratio > 0))
        return TARE_OK;
    out->low_n = below_gap(scratch, &valley);
    out->high_n = n - out->low_n;
    out->low = stats_in_unit(densest(scratch, out->low_n), unit);
    out->high = stats_in_unit(densest(scratch + out->low_n, out->high_n), unit);
    out->gap = stats_in_unit(scratch[out->low_n - 1] / 2 + scratch[out->low_n] / 2, unit);
    return TARE_OK;
}
