/* SPDX-License-Identifier: MIT
 *
 * Formula     m = sum x / n over all x with |x - median| <= L,
 *             L = s ceil(max(3, 8 (q3 - q1) / s)), s the clock's step, q1 and q3 the quartiles;
 *             error^2 = (sum (x - m)^2 + 2 s^2) / (n (n - 1)).
 * Why a mean  A duration d = (k + f) s reads k s with probability 1 - f and (k + 1) s with f, if the phase of the clock at the first reading is
 *             uniform on a step. So the mean of the readings is d, whatever the step; a median or a trimmed mean is k s or (k + 1) s, wrong by up to
 *             half a step however many readings there are.
 * Why L       Interruptions are left out, in whole steps: both readings of d lie within one step of the median, and never beyond L. Durations that
 *             scatter are within 8 quartile distances (10.8 sd of a normal distribution; 1e-4 of an exponential one lies beyond), and where
 *             the quartile distance is 0 the scatter is so small that 3 steps hold all of it but 1e-4 of a step. On both
 *             sides, as a difference of two durations may have its interruption in either.
 * Why 2 s^2   Readings that are all equal say of f only that it is below 3 / n (95 %): with two more deviations of a step the error is never 0,
 *             and an interval by Student's t holds.
 * Assumes     the phase drawn anew for each reading and uniform over whole steps, or the sum of two uniforms over many; readings independent; less than a quarter of them
 *             interrupted. With a constant phase the mean may be off by a step, and nothing here can see it.
 * Smallest n  1 (error infinite); an interval is meant for 9 and more. Ties and constant data need no care. step <= 0 or NaN counts as 0: then L is 8
 *             (q3 - q1), and all equal readings have an error of 0. A NaN among the values: the result is NaN with n = 0.
 */
#include "stepped.h"
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* Heap sort: no memory, no recursion, and no bad case. */
static void sift(double *v, int at, int n)
{
    for (int child; (child = 2 * at + 1) < n; at = child) {
        child += child + 1 < n && v[child + 1] > v[child];
        if (v[at] >= v[child])
            return;
        double up = v[child];
        v[child] = v[at];
        v[at] = up;
    }
}

static void sort(double *v, int n)
{
    for (int i = n / 2 - 1; i >= 0; i--)
        sift(v, i, n);
    for (int i = n - 1; i > 0; i--) {
        double largest = v[0];
        v[0] = v[i];
        v[i] = largest;
        sift(v, 0, i);
    }
}

static double limit_of(const double *sorted, int n, double step)
{
    const double quartiles = sorted[n - 1 - n / 4] - sorted[n / 4], steps = 8 * quartiles / step;
    if (!(step > 0) || steps >= 0x1p52) /* a whole number of steps already */
        return 8 * quartiles;
    const double whole = (double)(int64_t)steps;
    return step * (steps <= 3 ? 3 : whole < steps ? whole + 1 : whole);
}

static bool any_nan(const double *values, int n)
{
    for (int i = 0; i < n; i++)
        if (isnan(values[i]))
            return true;
    return false;
}

struct stepped_mean stepped_mean(double *values, int n, double step)
{
    if (n < 1 || any_nan(values, n))
        return (struct stepped_mean){.mean = NAN, .error = NAN};
    sort(values, n);
    const double median = (values[(n - 1) / 2] + values[n / 2]) / 2, limit = limit_of(values, n, step);
    int first = 0, end = n;
    while (median - values[first] > limit)
        first++;
    while (values[end - 1] - median > limit)
        end--;
    double sum = 0, squares = 0;
    const int kept = end - first;
    for (int i = first; i < end; i++)
        sum += values[i] - median; /* so that no digit is lost */
    for (int i = first; i < end; i++)
        squares += (values[i] - median - sum / kept) * (values[i] - median - sum / kept);
    squares += step > 0 ? 2 * step * step : 0;
    return (struct stepped_mean){.mean = median + sum / kept,
                                 .error = kept > 1 ? sqrt(squares / ((double)kept * (kept - 1))) : INFINITY,
                                 .n = kept,
                                 .cut = n - kept};
}
