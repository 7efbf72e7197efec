/* SPDX-License-Identifier: MIT
 *
 * The step of a clock, from times that it measured: the period of the lattice that they lie on.
 *
 * The most common values that have 95 % of the calls together are kept (two at least), so that a few values off the lattice do not matter. Where all of these lie within two units, or 10^-4 of
 * themselves, rounding or a frequency that varies may have made them of one reading: the step is then the time itself, which refuses any bound. Else, of these:
 *   1. The greatest common divisor of their distances from the least, in units of the last decimal place (Euclid), where it is more than one unit:
 *      clocks of 10, 100, 1000 ns, with any constant offset.
 *   2. Else a lattice whose points were rounded, as 41.666 ns are in whole ns: values a unit apart, or 10^-5 of themselves (six digits), are one point;
 *      the shortest distance between points, six units at least, is a first period; distances from short to long, each a whole number of periods,
 *      refine it. It holds where each distance is off by 1.25 units at most, and with two points alone where they are multiples of it too. What is
 *      returned is a unit more, for the rounding.
 *   3. Else, where a value has five calls and more on average, the distance to the next value that 90 % of the calls do not exceed, up to five units,
 *      and one more: a rounded lattice of a few units. Else the unit.
 * Where several answers fit, the larger one is taken: it refuses a bound that a smaller one would give. Two values alone that are further apart are a step apart.
 *
 * Assumes that the times are readings of one clock. Not found: a step of which each time has a share (means of several readings), or whose length
 * was changed for each time by itself; a rounded one between 1 and 2 units; and one of whole
 * units is taken for exact, so that 7.027 ns may be called 7. NaN: not allowed. n of 0 or 1, or all alike: NaN. Ties: what it lives on.
 */
#include "leak_engine.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <tare/stats.h>

static const double KEPT = .95, DIGITS = 1e-5, NEAR = 1.25, ONE_POINT = 1e-4;
enum { LEAST_UNITS = 6, TYPICAL_CALLS = 5 };

static ptrdiff_t count_values(double *times, ptrdiff_t n, struct leak_step_value *out)
{
    ptrdiff_t kinds = 0;
    tare_sort(times, n);
    for (ptrdiff_t i = 0; i < n; i++) {
        if (!kinds || times[i] != out[kinds - 1].at)
            out[kinds++] = (struct leak_step_value){times[i], 0};
        out[kinds - 1].calls++;
    }
    return kinds;
}

static int by_calls(const void *a, const void *b)
{
    int64_t x = ((const struct leak_step_value *)a)->calls, y = ((const struct leak_step_value *)b)->calls;
    return (x < y) - (x > y);
}

static int by_value(const void *a, const void *b)
{
    double x = ((const struct leak_step_value *)a)->at, y = ((const struct leak_step_value *)b)->at;
    return (x > y) - (x < y);
}

/* Those with as many calls as the least common of them go or stay together. */
static ptrdiff_t keep_common(struct leak_step_value *v, ptrdiff_t kinds, ptrdiff_t n)
{
    int64_t calls = 0;
    ptrdiff_t kept = 0;
    qsort(v, (size_t)kinds, sizeof *v, by_calls);
    while (kept < kinds && (kept < 2 || (double)calls < KEPT * (double)n || v[kept].calls == v[kept - 1].calls))
        calls += v[kept++].calls;
    qsort(v, (size_t)kept, sizeof *v, by_value);
    return kept;
}

static double divisor_of(const struct leak_step_value *v, ptrdiff_t n, double unit)
{
    double all = 0;
    for (ptrdiff_t i = 1; i < n && all != 1; i++)
        for (double rest = rint((v[i].at - v[0].at) / unit); rest > 0;) { /* Euclid, of whole numbers below 2^53 */
            double next = fmod(all, rest);
            all = rest;
            rest = next;
        }
    return all;
}

/* Neighbours that rounding makes of one point become one, in place. Their number, 0: one is too wide for a point. */
static ptrdiff_t make_points(struct leak_step_value *v, ptrdiff_t n, double unit)
{
    ptrdiff_t points = 0;
    for (ptrdiff_t i = 0; i < n;) {
        double first = v[i].at, last = first, sum = 0, near = fmax(1.01 * unit, DIGITS * first);
        int64_t calls = 0;
        for (; i < n && v[i].at - last <= near; i++) {
            last = v[i].at;
            sum += (last - first) * (double)v[i].calls;
            calls += v[i].calls;
        }
        if (last - first > 2 * near)
            return 0;
        v[points++] = (struct leak_step_value){first + sum / (double)calls, calls};
    }
    return points;
}

static bool fits(double distance, double step, double near)
{
    return fabs(distance - rint(distance / step) * step) <= NEAR * near;
}

/* 0: none. distance: scratch, for those of neighbours. */
static double rounded_lattice(const struct leak_step_value *v, ptrdiff_t n, double unit, double *distance)
{
    double near = fmax(unit, DIGITS * v[n - 1].at);
    for (ptrdiff_t i = 1; i < n; i++)
        distance[i - 1] = v[i].at - v[i - 1].at;
    tare_sort(distance, n - 1);
    if (distance[0] < LEAST_UNITS * near)
        return 0;
    double step = distance[0], sum = 0, periods = 0;
    for (ptrdiff_t i = 0; i < n - 1; i++) {
        sum += distance[i];
        periods += rint(distance[i] / step);
        step = sum / periods;
    }
    bool good = n > 2 || fits(v[0].at, step, near);
    for (ptrdiff_t i = 0; i < n - 1; i++)
        good = good && fits(distance[i], step, near);
    return good ? step + near : 0;
}

static double typical_distance(const struct leak_step_value *v, ptrdiff_t n, double unit)
{
    double most = 0, all = 0, within[LEAST_UNITS] = {0}; /* calls whose next value is so many units away */
    for (ptrdiff_t i = 0; i < n; i++)
        all += (double)v[i].calls;
    if (all < TYPICAL_CALLS * (double)n)
        return unit;
    for (ptrdiff_t i = 0; i + 1 < n; i++) {
        double units = rint((v[i + 1].at - v[i].at) / unit);
        most += (double)v[i].calls;
        if (units < LEAST_UNITS)
            within[(int)units] += (double)v[i].calls;
    }
    double sum = within[0] + within[1];
    if (sum >= .9 * most)
        return unit;
    for (int units = 2; units < LEAST_UNITS; units++)
        if ((sum += within[units]) >= .9 * most)
            return (units + 1) * unit;
    return unit;
}

double leak_step_of(double *times, ptrdiff_t n, double unit, struct leak_step_value *scratch)
{
    ptrdiff_t kinds = count_values(times, n, scratch);
    if (kinds < 2)
        return NAN;
    ptrdiff_t kept = keep_common(scratch, kinds, n);
    const double span = scratch[kept - 1].at - scratch[0].at, least = fabs(scratch[0].at);
    if (least > 0 && span <= fmax(2 * unit, ONE_POINT * least))
        return least;
    unit = fmax(unit, ldexp(span, -50)); /* below it there is no whole number of units */
    double divisor = divisor_of(scratch, kept, unit);
    if (divisor > 1)
        return divisor * unit;
    double few = typical_distance(scratch, kept, unit);
    ptrdiff_t points = make_points(scratch, kept, unit);
    double step = points > 1 ? rounded_lattice(scratch, points, unit, times) : 0; /* its values are in scratch */
    return step > 0 ? step : few;
}
