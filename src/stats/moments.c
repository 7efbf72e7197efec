/* SPDX-License-Identifier: MIT
 *
 * Mean and standard deviation: corrected two-pass for arrays, Welford's recurrence (1962) for streams, pairwise merge by
 * Chan, Golub and LeVeque (1983). Never mean of squares minus squared mean. n = 0: no mean; n = 1: no variance; constant
 * data: exactly 0.
 */
#include "stats_core.h"

double tare_mean(const double *x, ptrdiff_t n)
{
    if (n <= 0)
        return NAN;
    double sum = 0, residual = 0;
    for (ptrdiff_t i = 0; i < n; i++)
        sum += x[i];
    double mean = sum / (double)n;
    for (ptrdiff_t i = 0; i < n; i++)
        residual += x[i] - mean;
    mean += residual / (double)n;
    return isfinite(mean) ? mean : NAN;
}

double tare_stddev(const double *x, ptrdiff_t n)
{
    if (n < 2)
        return NAN;
    double mean = tare_mean(x, n), squares = 0, residual = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        squares += (x[i] - mean) * (x[i] - mean);
        residual += x[i] - mean;
    }
    double sum = squares - residual * residual / (double)n;
    return sqrt((sum < 0 ? 0 : sum) / ((double)n - 1)); /* NaN stays NaN */
}

void tare_moments_add(struct tare_moments *m, double x)
{
    m->n++;
    double delta = x - m->mean;
    m->mean += delta / (double)m->n;
    m->m2 += delta * (x - m->mean);
}

void tare_moments_merge(struct tare_moments *into, const struct tare_moments *from)
{
    if (from->n == 0)
        return;
    double a = (double)into->n, b = (double)from->n, delta = from->mean - into->mean;
    into->n += from->n;
    into->mean += delta * (b / (a + b));
    into->m2 += from->m2 + delta * delta * (a / (a + b) * b);
}

double tare_moments_mean(const struct tare_moments *m)
{
    return m->n > 0 ? m->mean : NAN;
}

double tare_moments_variance(const struct tare_moments *m)
{
    return m->n > 1 ? m->m2 / ((double)m->n - 1) : NAN;
}

double tare_geometric_mean(const double *x, ptrdiff_t n)
{
    if (n <= 0)
        return NAN;
    double sum = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        if (!(x[i] > 0) || !isfinite(x[i]))
            return NAN;
        sum += log(x[i]);
    }
    return exp(sum / (double)n);
}
