/* SPDX-License-Identifier: MIT */
#include "bench_process.h"
#include <math.h>
#include <stdbool.h>
#include <tare/stats.h>

/* Processes, and each time that they have doubled: fewer say little, and looked at after each one samples would grow by chance alone. */
enum { FIRST_JUDGED = 8 };
_Static_assert(SAMPLE_LENGTH_SEEN % FIRST_JUDGED == 0, "judged at the last that is kept");

static const double least_gain = 1.25;

static void become(struct sample_length *l, int64_t ns)
{
    *l = (struct sample_length){.ns = ns, .most_ns = l->most_ns, .process_ns = l->process_ns};
}

static double median_of(const float *of, int n)
{
    double x[SAMPLE_LENGTH_SEEN];
    for (int i = 0; i < n; i++)
        x[i] = of[i];
    tare_sort(x, n);
    return tare_quantile_sorted(x, n, 0.5);
}

/* By the median absolute deviation: a process that was interrupted is no noise that longer samples would average out. */
static double variance_of(const float *of, int n)
{
    double x[SAMPLE_LENGTH_SEEN], scratch[SAMPLE_LENGTH_SEEN];
    for (int i = 0; i < n; i++)
        x[i] = of[i];
    const double deviation = 1.4826 * tare_mad(x, n, scratch);
    return deviation * deviation;
}

static bool judged_at(int n)
{
    return n >= FIRST_JUDGED && n <= SAMPLE_LENGTH_SEEN && !(n & (n - 1));
}

/* By how much more precise a given time makes the mean where samples are twice as long. */
static double gain_of(const struct sample_length *l, double asked_ns)
{
    const double within = median_of(l->within, l->n), between = fmax(variance_of(l->means, l->n) - within, 0),
                 process_ns = fmax(median_of(l->took_ns, l->n), asked_ns);
    const double now = process_ns * (within + between), then = (process_ns + asked_ns) * (within / 2 + between);
    return then > 0 ? now / then : 1;
}

static bool may_double(const struct sample_length *l, double asked_ns)
{
    return l->ns <= l->most_ns / 2 && !(l->process_ns > 0 && median_of(l->took_ns, l->n) + asked_ns > l->process_ns);
}

/* The median of chi squared with n - 1 degrees of freedom over them (Wilson and Hilferty 1931): that of the variances of so many normal values over theirs. */
static double median_variance(int n)
{
    return pow(1 - 2. / (9 * (n - 1)), 3);
}

void sample_length_take(struct sample_length *l, const double *values, int n, int samples, double took_ns)
{
    double mean = 0, squares = 0;
    for (int i = 0; i < n; i++) {
        const double before = values[i] - mean;
        mean += before / (i + 1);
        squares += before * (values[i] - mean);
    }
    if (n < 2 || !isfinite(squares) || l->n == SAMPLE_LENGTH_SEEN)
        return;
    l->within[l->n] = (float)(squares / (n - 1) / samples / median_variance(n));
    l->means[l->n] = (float)mean;
    l->took_ns[l->n++] = (float)took_ns;
    const double asked_ns = (double)l->ns * samples;
    if (judged_at(l->n) && gain_of(l, asked_ns) >= least_gain && may_double(l, asked_ns))
        become(l, 2 * l->ns);
}

void sample_length_reach(struct sample_length *l, int64_t least_ns)
{
    const int64_t most_ns = l->process_ns > 0 ? l->most_ns / 2 : l->most_ns, ns = least_ns < most_ns ? least_ns : most_ns;
    if (l->ns < ns)
        become(l, ns);
}

void sample_length_share(struct sample_length *a, struct sample_length *b)
{
    if (a->ns < b->ns)
        become(a, b->ns);
    else if (b->ns < a->ns)
        become(b, a->ns);
}
