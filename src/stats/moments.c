/* SPDX-License-Identifier: MIT
 *
 * Mean and standard deviation: corrected two-pass for arrays, Welford's recurrence (1962) for streams, pairwise merge by
 * Chan, Golub and LeVeque (1983). Never mean of squares minus squared mean. n = 0: no mean; n = 1: no variance; constant
 * data: exactly 0. Data beyond 2^200 or below 2^-200 are scaled by a power of two first, so no square leaves the range of a double.
 */
#include "stats_core.h"

double stats_mean_in_unit(const double *x, ptrdiff_t n, double unit)
{
    double sum = 0, residual = 0;
    for (ptrdiff_t i = 0; i < n; i++)
        sum += x[i] * unit;
    double mean = sum / (double)n;
    for (ptrdiff_t i = 0; i < n; i++)
        residual += x[i] * unit - mean;
    return mean + residual / (double)n;
}

double tare_mean(const double *x, ptrdiff_t n)
{
    if (n <= 0)
        return NAN;
    const double unit = stats_unit(x, n);
    return stats_finite(stats_in_unit(stats_mean_in_unit(x, n, unit), unit));
}

struct stats_spread stats_spread(const double *x, ptrdiff_t n, double unit)
{
    const double mean = stats_mean_in_unit(x, n, unit);
    double squares = 0, residual = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        const double d = x[i] * unit - mean;
        squares += d * d;
        residual += d;
    }
    double sum = squares - residual * residual / (double)n;
    return (struct stats_spread){
        .mean = mean, .sd = sqrt((sum < 0 ? 0 : sum) / ((double)n - 1)), .unit = unit}; /* NaN stays NaN */
}

double tare_stddev(const double *x, ptrdiff_t n)
{
    if (n < 2)
        return NAN;
    const struct stats_spread of_x = stats_spread(x, n, stats_unit(x, n));
    return stats_finite(stats_in_unit(of_x.sd, of_x.unit));
}

void tare_moments_add(struct tare_moments *m, double x)
{
    m->n++;
    double delta = x - m->mean, n = (double)m->n;
    m->mean += isinf(delta) ? x / n - m->mean / n : delta / n; /* it overflows between opposite extremes */
    m->m2 += delta * (x - m->mean);
}

void tare_moments_merge(struct tare_moments *into, const struct tare_moments *from)
{
    if (from->n == 0)
        return;
    double a = (double)into->n, b = (double)from->n, delta = from->mean - into->mean;
    into->n += from->n;
    into->mean += isinf(delta) ? from->mean * (b / (a + b)) - into->mean * (b / (a + b)) : delta * (b / (a + b));
    into->m2 += from->m2 + delta * delta * (a / (a + b) * b);
}

double tare_moments_mean(const struct tare_moments *m)
{
    return m->n > 0 ? stats_finite(m->mean) : NAN;
}

double tare_moments_variance(const struct tare_moments *m)
{
    return m->n > 1 ? stats_finite(m->m2 / ((double)m->n - 1)) : NAN;
}

double tare_geometric_mean(const double *x, ptrdiff_t n)
{
    if (n <= 0)
        return NAN;
    double sum = 0, least = INFINITY, most = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        if (!(x[i] > 0) || !isfinite(x[i]))
            return NAN;
        sum += log(x[i]);
        least = fmin(least, x[i]);
        most = fmax(most, x[i]);
    }
    return fmin(fmax(exp(sum / (double)n), least), most);
}
