/* SPDX-License-Identifier: MIT
 *
 * Sample quantiles and the median absolute deviation. n = 0: no value; n = 1: that value.
 */
#include "stats_core.h"

enum { ROUNDS_MOST = 60 };

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

/* By Hoare (1961). Where the pivots divide badly, what remains is sorted. */
void stats_select(double *x, ptrdiff_t n, ptrdiff_t k)
{
    ptrdiff_t low = 0, high = n - 1;
    for (int rounds = 0; low < high && rounds < ROUNDS_MOST; rounds++) {
        const double pivot = stats_middle_of_three(x[low], x[low + (high - low) / 2], x[high]);
        ptrdiff_t i = low, j = high;
        while (i <= j) {
            for (; x[i] < pivot; i++)
                ;
            for (; x[j] > pivot; j--)
                ;
            if (i > j)
                break;
            const double swapped = x[i];
            x[i++] = x[j];
            x[j--] = swapped;
        }
        if (k > j && k < i)
            return;
        *(k <= j ? &high : &low) = k <= j ? j : i;
    }
    tare_sort(x + low, high - low + 1);
}

double stats_quantile_of(double *x, ptrdiff_t n, double q)
{
    const double place = (double)(n - 1) * q, part = place - floor(place);
    const ptrdiff_t below = (ptrdiff_t)place;
    if (n <= 0)
        return NAN;
    stats_select(x, n, below);
    if (below == n - 1)
        return x[below];
    double two[2] = {x[below], INFINITY};
    for (ptrdiff_t i = below + 1; i < n; i++)
        two[1] = fmin(two[1], x[i]);
    return tare_quantile_sorted(two, 2, part);
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
