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
    bool sizeable = false, large = false;
    double most = 0;
    int exponent;
    for (ptrdiff_t i = 0; i < n; i++) {
        sizeable |= fabs(x[i]) >= 0x1p-201;
        large |= fabs(x[i]) >= 0x1p200;
    }
    if (sizeable && !large) /* as almost always, and faster than by the largest */
        return 1;
    for (ptrdiff_t i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    if (most == 0 || !isfinite(most))
        return 1;
    frexp(most, &exponent);
    return ldexp(1, exponent < -1000 ? 1000 : 4 - exponent);
}

double stats_unit_of_sums(const double *x, ptrdiff_t n)
{
    const double unit = stats_unit(x, n);
    return unit < 1 ? fmin(ldexp(unit, 396), 1) : unit;
}

double stats_unit_of_differences(const double *x, ptrdiff_t n)
{
    for (ptrdiff_t i = 0; i < n; i++)
        if (fabs(x[i]) > 0x1p1000)
            return 0.25;
    return 1;
}

double stats_unit_of_two(const double *x, ptrdiff_t n, const double *y, ptrdiff_t m)
{
    double most[2] = {0, 0};
    for (ptrdiff_t i = 0; i < n; i++)
        most[0] = fmax(most[0], fabs(x[i]));
    for (ptrdiff_t i = 0; i < m; i++)
        most[1] = fmax(most[1], fabs(y[i]));
    return stats_unit(most, 2);
}

double stats_in_unit(double value, double unit)
{
    int exponent;
    frexp(unit, &exponent);
    return unit == 1 ? value : ldexp(value, 1 - exponent);
}

double stats_finite(double value)
{
    return isfinite(value) ? value : NAN;
}

void stats_interval_in_unit(struct tare_interval *interval, double unit)
{
    interval->point = stats_finite(stats_in_unit(interval->point, unit));
    interval->low = stats_in_unit(interval->low, unit);
    interval->high = stats_in_unit(interval->high, unit);
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
    return level >= 1e-280 && level < 1; /* below, tails underflow */
}

struct tare_interval stats_no_interval(ptrdiff_t n, double level)
{
    return (struct tare_interval){.point = NAN, .low = -INFINITY, .high = INFINITY, .level = level, .n = n};
}
