/* SPDX-License-Identifier: MIT
 *
 * Sample quantiles and the median absolute deviation. n = 0: no value; n = 1: that value.
 */
#include "stats_core.h"

double tare_quantile_sorted(const double *sorted, ptrdiff_t n, double q)
{
    if (n <= 0 || !(q >= 0 && q <= 1) || !isfinite(sorted[0]) ||
        !isfinite(sorted[n - 1])) /* infinities and NaN sort to the ends */
        return NAN;
    double place = (double)(n - 1) * q;
    ptrdiff_t below = (ptrdiff_t)place;
    if (below >= n - 1)
        return sorted[n - 1];
    double part = place - (double)below, a = sorted[below], b = sorted[below + 1];
    if (!isfinite(a) || !isfinite(b)) /* not ascending */
        return NAN;
    if (part == 0 || a == b)
        return a;
    return fmin(fmax((1 - part) * a + part * b, a), b);
}

double stats_median_sorted(const double *sorted, ptrdiff_t n)
{
    return tare_quantile_sorted(sorted, n, 0.5);
}

double tare_mad(const double *x, ptrdiff_t n, double *scratch)
{
    if (n <= 0 || !stats_all_finite(x, n))
        return NAN;
    const double unit = stats_unit_of_differences(x, n);
    for (ptrdiff_t i = 0; i < n; i++)
        scratch[i] = x[i] * unit;
    tare_sort(scratch, n);
    double median = stats_median_sorted(scratch, n);
    for (ptrdiff_t i = 0; i < n; i++)
        scratch[i] = fabs(scratch[i] - median);
    tare_sort(scratch, n);
    return stats_finite(stats_in_unit(stats_median_sorted(scratch, n), unit));
}
