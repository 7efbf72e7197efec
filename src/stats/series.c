/* SPDX-License-Identifier: MIT
 *
 * Checks against the order of measurement: lag-1 autocorrelation, and Mann and Kendall's test of trend.
 *
 * Autocorrelation: NIST's definition; of midranks as well, of very many values of one pair of neighbours drawn from each stretch
 * (STATS_NEIGHBOURS; standard error 1/sqrt(20 000), 0.007). Effective n of a first-order process, n (1-r)/(1+r), with
 * the bias of r, -(1+3r)/n, put back (Kendall 1954). Assumes that dependence dies out with lag; n < 2 and constant data have
 * none.
 * Trend: S = rising minus falling pairs, var S = (n(n-1)(2n+5) - sum t(t-1)(2t+5)) / 18 over groups of t equal values
 * (Kendall 1975). Falling pairs are counted while merge-sorting (Knight 1966). Slope: the median over all pairs, of an even number the mean of
 * the two middle ones, found by selection (slope_select.c); every pair's slope is a mean of neighbours' steps and lies between the
 * smallest and the largest of them.
 */
#include "rng.h"
#include "stats_beyond.h"
#include "stats_core.h"
#include <string.h>

double tare_lag1_autocorrelation(const double *x, ptrdiff_t n)
{
    if (n < 2)
        return NAN;
    const double unit = stats_unit(x, n), mean = stats_mean_in_unit(x, n, unit);
    double squares = 0, products = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        const double d = x[i] * unit - mean;
        squares += d * d;
        if (i + 1 < n)
            products += d * (x[i + 1] * unit - mean);
    }
    return squares > 0 ? products / squares : NAN;
}

/* Number of values below v; with `equal`, or equal to it. */
static ptrdiff_t count_below(const double *sorted, ptrdiff_t n, double v, bool equal)
{
    ptrdiff_t lo = 0, hi = n;
    while (lo < hi) {
        ptrdiff_t mid = lo + (hi - lo) / 2;
        if (sorted[mid] < v || (equal && sorted[mid] == v))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static double midrank(const double *sorted, ptrdiff_t n, double v)
{
    const ptrdiff_t below = count_below(sorted, n, v, false);
    const bool alone = below + 1 == n || sorted[below + 1] > v;
    const ptrdiff_t upto = alone ? below + 1 : below + count_below(sorted + below, n - below, v, true);
    return (double)(below + upto + 1) / 2;
}

static double effective_n(double r, double n)
{
    double unbiased = r + (1 + 3 * r) / n;
    if (!(unbiased > 0)) /* r is NaN where nothing varies */
        return n;
    return fmax(n * (1 - unbiased) / (1 + unbiased), 1);
}

/* n - 1 times the variance of the midranks: about (n + 1) / 2, less what ties take from it. */
static double squares_of_ranks(const double *sorted, ptrdiff_t n)
{
    const double size = (double)n;
    double squares = size * (size * size - 1);
    for (ptrdiff_t first = 0, next; first < n; first = next) {
        for (next = first + 1; next < n && sorted[next] == sorted[first];)
            next++;
        const double t = (double)(next - first);
        squares -= t * (t * t - 1);
    }
    return squares / 12;
}

/* Of one pair of neighbours from each stretch, over their own squares: from -1 to 1. Which pair is drawn, as what repeats itself would meet steps of one
 * length again and again; the same for the same n. */
static double autocorrelation_of_some(const double *x, const double *sorted, ptrdiff_t n, ptrdiff_t every)
{
    const double middle = ((double)n + 1) / 2;
    struct rng r = rng_seeded((uint64_t)n);
    double products = 0, squares = 0;
    for (ptrdiff_t first = 0; first + every < n; first += every) {
        const ptrdiff_t i = first + (ptrdiff_t)rng_below(&r, (uint64_t)every);
        const double one = midrank(sorted, n, x[i]) - middle, next = midrank(sorted, n, x[i + 1]) - middle;
        products += one * next;
        squares += (one * one + next * next) / 2;
    }
    return squares > 0 ? products / squares : NAN;
}

static double autocorrelation_of_ranks(const double *x, const double *sorted, ptrdiff_t n, ptrdiff_t most)
{
    if (n > most + 1)
        return autocorrelation_of_some(x, sorted, n, (n - 2) / most + 1);
    const double middle = ((double)n + 1) / 2, squares = squares_of_ranks(sorted, n);
    double products = 0, one = n > 0 ? midrank(sorted, n, x[0]) - middle : 0;
    for (ptrdiff_t i = 1; i < n; i++) {
        const double next = midrank(sorted, n, x[i]) - middle;
        products += one * next;
        one = next;
    }
    return squares > 0 ? products / squares : NAN;
}

enum tare_status stats_serial_dependence(const double *x, const double *sorted, ptrdiff_t n, ptrdiff_t most,
                                         struct tare_dependence *out)
{
    *out = (struct tare_dependence){.r = NAN, .r_ranks = NAN, .threshold = NAN, .n_effective = NAN};
    if (n < 0 || !stats_all_finite(x, n))
        return TARE_INVALID;
    double size = (double)n, r = autocorrelation_of_ranks(x, sorted, n, most);
    out->r = tare_lag1_autocorrelation(x, n);
    out->r_ranks = r;
    out->threshold = fmax(0.2, 2 / sqrt(size));
    out->n_effective = effective_n(r, size);
    return TARE_OK;
}

enum tare_status tare_serial_dependence(const double *x, ptrdiff_t n, double *scratch, struct tare_dependence *out)
{
    if (n > 0) {
        memcpy(scratch, x, (size_t)n * sizeof *x);
        tare_sort(scratch, n);
    }
    return stats_serial_dependence(x, scratch, n, n, out);
}

double stats_trend_slope(const double *x, ptrdiff_t n, double *scratch)
{
    struct stats_slopes s = {
        .y = x, .stride = 1, .n = n, .y_unit = stats_unit_of_sums(x, n), .residuals = scratch, .spare = scratch + n};
    s.least = INFINITY, s.most = -INFINITY;
    s.pairs = (int64_t)n * (n - 1) / 2;
    for (ptrdiff_t i = 1; i < n; i++) {
        s.least = fmin(s.least, x[i] * s.y_unit - x[i - 1] * s.y_unit);
        s.most = fmax(s.most, x[i] * s.y_unit - x[i - 1] * s.y_unit);
    }
    return stats_finite(stats_in_unit(stats_median_slope(&s), s.y_unit));
}

enum tare_status stats_trend_test(const double *x, ptrdiff_t n, double *scratch, struct tare_trend *out)
{
    *out = (struct tare_trend){.s = NAN, .z = NAN, .p = NAN, .slope = NAN};
    if (n < 0 || !stats_all_finite(x, n))
        return TARE_INVALID;
    *out = (struct tare_trend){.p = 1, .slope = NAN};
    if (n < 2)
        return TARE_OK;
    memcpy(scratch, x, (size_t)n * sizeof *x);
    int64_t falling = stats_count_falling(scratch, scratch + n, n), tied = 0;
    double size = (double)n, variance = size * (size - 1) * (2 * size + 5);
    for (ptrdiff_t first = 0, next; first < n; first = next) {
        for (next = first + 1; next < n && scratch[next] == scratch[first];)
            next++;
        double t = (double)(next - first);
        tied += (int64_t)(next - first) * (next - first - 1) / 2;
        variance -= t * (t - 1) * (2 * t + 5);
    }
    out->s = (double)((int64_t)n * (n - 1) / 2 - tied - 2 * falling);
    if (n > 2 && variance > 0 && out->s != 0)
        out->z = (out->s - copysign(1, out->s)) / sqrt(variance / 18);
    out->p = 2 * tare_normal_cdf(-fabs(out->z));
    return TARE_OK;
}

enum tare_status tare_mann_kendall(const double *x, ptrdiff_t n, double *scratch, struct tare_trend *out)
{
    const enum tare_status status = stats_trend_test(x, n, scratch, out);
    if (!status && n > 1)
        out->slope = stats_trend_slope(x, n, scratch);
    return status;
}
