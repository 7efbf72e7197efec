/* SPDX-License-Identifier: MIT */
#include "stats_core.h"

bool stats_all_finite(const double *x, ptrdiff_t n)
{
    for (ptrdiff_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

bool stats_sorted_ok(const double *x, ptrdiff_t n)
{
    for (ptrdiff_t i = 1; i < n; i++)
        if (!(x[i - 1] <= x[i]))
            return false;
    return n == 0 || (isfinite(x[0]) && isfinite(x[n - 1]));
}

bool stats_level_ok(double level)
{
    return level > 0 && level < 1;
}

struct tare_interval stats_no_interval(ptrdiff_t n, double level)
{
    return (struct tare_interval){.point = NAN, .low = -INFINITY, .high = INFINITY, .level = level, .n = n};
}

double stats_median_sorted(const double *sorted, ptrdiff_t n)
{
    return tare_quantile_sorted(sorted, n, 0.5);
}
