/* SPDX-License-Identifier: MIT
 *
 * Order statistics of a few hundred readings. libtare's clock may not ask stats (no such arrow), and needs whole numbers only.
 * Rank of quantile q among n: the smallest k with k >= q n (Hyndman and Fan's type 1), the median of an even n is the mean of the
 * two in the middle. Ties and constant data need no care. n of 0: all NaN; n of 1: all that value.
 */
#include "clocks.h"
#include "stepped.h"
#include <math.h>

/* Shell's, for a thousand values at most: no memory, no recursion. */
static void sort(int64_t *v, int n)
{
    for (int gap = n / 2; gap > 0; gap /= 2)
        for (int i = gap; i < n; i++)
            for (int k = i - gap; k >= 0 && v[k] > v[k + gap]; k -= gap) {
                int64_t larger = v[k];
                v[k] = v[k + gap];
                v[k + gap] = larger;
            }
}

static double at_rank(const int64_t *v, int n, int percent)
{
    int rank = (n * percent + 99) / 100;
    return (double)v[rank > 0 ? rank - 1 : 0];
}

struct clock_spread clock_spread_of(int64_t *values, int n)
{
    if (n <= 0)
        return (struct clock_spread){0, NAN, NAN, NAN, NAN, NAN, NAN};
    sort(values, n);
    return (struct clock_spread){.n = n,
                                 .min = (double)values[0],
                                 .p10 = at_rank(values, n, 10),
                                 .median = ((double)values[(n - 1) / 2] + (double)values[n / 2]) / 2,
                                 .p90 = at_rank(values, n, 90),
                                 .p99 = at_rank(values, n, 99),
                                 .max = (double)values[n - 1]};
}

struct clock_spread clock_spread_in_steps(int64_t *values, int n, double step)
{
    struct clock_spread s = clock_spread_of(values, n);
    double readings[CLOCK_SPREAD_MOST];
    if (n <= 0 || n > CLOCK_SPREAD_MOST || !(s.p90 - s.p10 <= 2 * step))
        return s;
    for (int i = 0; i < n; i++)
        readings[i] = (double)values[i];
    s.median = stepped_mean(readings, n, step).mean;
    return s;
}
