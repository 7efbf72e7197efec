/* SPDX-License-Identifier: MIT
 *
 * Counts of outliers, and the sign test on slow tails.
 *
 * Outliers: distance from the median over 1.4826 MAD (the standard deviation of a normal sample). When more than half of the
 * values are equal the MAD is 0 and the interquartile range / 1.3490 stands in; when that is 0 too the data are quantised and distance has no
 * unit. Assumes one mode. n = 0: no median; n = 1 and constant data: quantised.
 * Tail: of a pair, under a fair coin, each member is the slow one equally often; two-sided exact sign test.
 */
#include "stats_core.h"
#include <string.h>

/* Of ascending values, which it changes and puts into another order. */
static double robust_sd(double *scratch, ptrdiff_t n, enum tare_scale *scale)
{
    const double median = stats_median_sorted(scratch, n);
    double range = tare_quantile_sorted(scratch, n, 0.75) - tare_quantile_sorted(scratch, n, 0.25);
    for (ptrdiff_t i = 0; i < n; i++)
        scratch[i] = fabs(scratch[i] - median);
    const double mad = stats_quantile_of(scratch, n, 0.5);
    *scale = mad > 0 ? TARE_SCALE_MAD : range > 0 ? TARE_SCALE_IQR : TARE_SCALE_QUANTISED;
    if (mad > 0)
        return 1.482602218505602 * mad; /* 1 / Phi^-1(3/4) */
    return range / 1.348979500392164;   /* 2 Phi^-1(3/4) */
}

enum tare_status tare_outliers(const double *x, ptrdiff_t n, double *scratch, struct tare_outliers *out)
{
    *out = (struct tare_outliers){.median = NAN, .scale = TARE_SCALE_QUANTISED};
    if (n < 0 || !stats_all_finite(x, n))
        return TARE_INVALID;
    if (n == 0)
        return TARE_OK;
    const double unit = stats_unit_of_differences(x, n);
    for (ptrdiff_t i = 0; i < n; i++)
        scratch[i] = x[i] * unit;
    tare_sort(scratch, n);
    const double median = stats_median_sorted(scratch, n), sd = robust_sd(scratch, n, &out->scale);
    out->median = stats_in_unit(median, unit);
    out->sd = stats_finite(stats_in_unit(sd, unit));
    for (ptrdiff_t i = 0; i < n && sd > 0; i++) {
        double distance = (x[i] * unit - median) / sd;
        out->mild += distance > 5;
        out->severe += distance > 10;
        out->low += distance < -5;
    }
    return TARE_OK;
}

enum tare_status tare_tail_sign_test(const double *a, const double *b, ptrdiff_t n, double *scratch, struct tare_tail *out)
{
    *out = (struct tare_tail){.threshold = NAN, .p = NAN};
    if (n < 0 || !stats_all_finite(a, n) || !stats_all_finite(b, n))
        return TARE_INVALID;
    out->p = 1;
    if (n == 0)
        return TARE_OK;
    memcpy(scratch, a, (size_t)n * sizeof *a);
    memcpy(scratch + n, b, (size_t)n * sizeof *b);
    tare_sort(scratch, 2 * n);
    out->threshold = tare_quantile_sorted(scratch, 2 * n, 0.9);
    for (ptrdiff_t i = 0; i < n; i++) {
        out->a_only += a[i] > out->threshold && !(b[i] > out->threshold);
        out->b_only += b[i] > out->threshold && !(a[i] > out->threshold);
    }
    ptrdiff_t fewer = out->a_only < out->b_only ? out->a_only : out->b_only;
    out->p = fmin(2 * tare_binomial_cdf(fewer, out->a_only + out->b_only, 0.5), 1);
    return TARE_OK;
}
