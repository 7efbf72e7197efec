/* SPDX-License-Identifier: MIT
 *
 * Counts of one class over a run of any length. With d = t - base: one bin a tick for d < 256, then 128 bins an octave, so a bin is at
 * most 1/128 of its distance from the base wide. The base lies below the fastest calls by about as much as the median lies above them; what
 * is faster still is one bin of its own.
 *
 * Quantile: mid-distribution (Parzen 1979; Ma, Genton and Parzen 2011): each bin counts at its centre with half of its share below
 * it, linear between bins; so ties, the rule on a coarse clock, move a quantile smoothly. Beyond the outermost centres it is the
 * outermost centre. n of 0: NaN. Smallest n: 1.
 */
#include "leak_core.h"
#include <math.h>
#include <stdlib.h>

enum tare_status leak_histogram_start(struct leak_histogram *h)
{
    *h = (struct leak_histogram){.count = calloc(LEAK_BINS, sizeof *h->count)};
    return h->count ? TARE_OK : TARE_NO_MEMORY;
}

void leak_histogram_finish(struct leak_histogram *h)
{
    free(h->count);
    h->count = NULL;
}

static int octave_of(uint32_t d) /* floor of its binary logarithm; d >= 256 */
{
    int e = 8;
    while (d >> e > 1)
        e++;
    return e;
}

static int bin_of(uint32_t d)
{
    if (d < 256)
        return (int)d;
    int e = octave_of(d);
    return 256 + (e - 8) * 128 + (int)(d >> (e - 7)) - 128;
}

/* First d of a bin; that of bin LEAK_BINS is 2^32. */
static double start_of(int bin)
{
    if (bin < 256)
        return bin;
    int octave = (bin - 256) / 128, step = (bin - 256) % 128;
    return ldexp(128 + step, octave + 1);
}

void leak_histogram_add(struct leak_histogram *h, double base, double t)
{
    h->n++;
    double d = t - base;
    if (d < 0)
        h->under++;
    else
        h->count[bin_of(d < UINT32_MAX ? (uint32_t)d : UINT32_MAX)]++;
}

double leak_histogram_quantile(const struct leak_histogram *h, double base, double q)
{
    if (h->n == 0 || !(q >= 0 && q <= 1))
        return NAN;
    double wanted = q * (double)h->n, below = (double)h->under, last_at = -1, last_mid = below / 2;
    for (int i = 0; i < LEAK_BINS; i++) {
        if (!h->count[i])
            continue;
        double mid = below + 0.5 * (double)h->count[i],
               at = (start_of(i) + start_of(i + 1) - 1) / 2; /* its centre: ticks are whole */
        if (mid >= wanted)
            return base +
                   (last_mid == 0 && last_at < 0 ? at : last_at + (at - last_at) * fmax(0, wanted - last_mid) / (mid - last_mid));
        below += (double)h->count[i];
        last_mid = mid;
        last_at = at;
    }
    return base + last_at;
}

void leak_histogram_below(const struct leak_histogram *h, double base, const double *x, int n, double *share)
{
    double below = (double)h->under;
    int bin = 0;
    for (int i = 0; i < n; i++) {
        while (bin < LEAK_BINS && base + start_of(bin + 1) - 1 <= x[i])
            below += (double)h->count[bin++];
        share[i] = h->n ? below / (double)h->n : NAN;
    }
}

double leak_histogram_edge(double base, double t)
{
    double d = t - base;
    return isnan(d) ? NAN : d < 0 ? base - 1 : base + start_of(bin_of(d < UINT32_MAX ? (uint32_t)d : UINT32_MAX) + 1) - 1;
}

double leak_histogram_reaches(const struct leak_histogram *h, double base, double count, bool end)
{
    double below = (double)h->under;
    int bin = 0;
    if (below >= count)
        return end ? base - 1 : -INFINITY;
    while (bin < LEAK_BINS && (below += (double)h->count[bin]) < count)
        bin++;
    return bin == LEAK_BINS ? INFINITY : base + (end ? start_of(bin + 1) - 1 : start_of(bin));
}
