/* SPDX-License-Identifier: MIT
 *
 * The exact interval of a quantile from order statistics; that of the median, which needs no incomplete beta function, is in median_ci.c.
 *
 * Interval [x(l), x(u)]: of n independent values the number below the true quantile q is Bin(n, q), whatever the
 * distribution (Thompson 1936; Le Boudec, Performance Evaluation, 2010, theorem 2.1). Ties make it cover more. n = 0: no
 * value; n = 1: a value without interval; constant data: [x, x] once n allows an interval.
 */
#include "stats_core.h"

/* The largest l in 0..n with P(Bin(n,q) <= l-1) <= limit; 0 = none. The probability grows with l, so halving finds it. */
static ptrdiff_t lower_rank(ptrdiff_t n, double q, double limit)
{
    ptrdiff_t good = 0, bad = n + 1;
    while (bad - good > 1) {
        ptrdiff_t l = good + (bad - good) / 2;
        if (tare_binomial_cdf(l - 1, n, q) <= limit * STATS_TIE)
            good = l;
        else
            bad = l;
    }
    return good;
}

enum tare_status tare_quantile_ci_binomial(const double *sorted, ptrdiff_t n, double q, double level, struct tare_interval *out)
{
    *out = stats_no_interval(n, level);
    if (n < 0 || !(q > 0 && q < 1) || !stats_level_ok(level) || !stats_sorted_ok(sorted, n))
        return TARE_INVALID;
    out->point = tare_quantile_sorted(sorted, n, q);
    ptrdiff_t l = lower_rank(n, q, level / 2);
    ptrdiff_t from_top = lower_rank(n, 1 - q, level / 2); /* the same seen from the largest value */
    if (l > 0)
        out->low = sorted[l - 1];
    if (from_top > 0)
        out->high = sorted[n - from_top];
    return TARE_OK;
}
