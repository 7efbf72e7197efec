/* SPDX-License-Identifier: MIT */
#include "stats_core.h"

bool stats_all_finite(const double *x, ptrdiff_t n)
{
    for (ptrdiff_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

double stats_unit(const double *x, ptrdiff_t n)
{
    double most = 0;
    int exponent;
    for (ptrdiff_t i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    if (most == 0 || !isfinite(most))
        return 1;
    frexp(most, &exponent);
    return exponent >= -200 && exponent <= 200 ? 1 : ldexp(1, exponent < -1000 ? 1000 : 4 - exponent);
}

double stats_in_unit(double value, double unit)
{
    return unit == 1 ? value : ldexp(value, -ilogb(unit));
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
