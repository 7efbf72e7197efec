/* SPDX-License-Identifier: MIT
 *
 * The interval of a mean that holds at all n at once.
 *
 * Asymptotic (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2024, theorem 2.2): radius
 *     sd sqrt( 2 (n r^2 + 1) / (n^2 r^2) ln( sqrt(n r^2 + 1) / level ) ),
 * Robbins' normal mixture for Brownian motion carried over by strong approximation, r^2 = (-2 ln level + ln(1 - 2 ln level)) / n_tight,
 * where it is narrowest. Assumes finite variance and values that are martingale differences about their conditional means;
 * the promise is one of the limit: it wants a burn-in.
 */
#include "stats_core.h"

enum tare_status tare_mean_cs_asymptotic(double mean, double sd, ptrdiff_t n, ptrdiff_t n_tight, double level,
                                         struct tare_interval *out)
{
    *out = stats_no_interval(n, level);
    if (n < 0 || n_tight < 1 || !stats_level_ok(level) || (n > 0 && !isfinite(mean)) || (n > 1 && !(sd >= 0 && isfinite(sd))))
        return TARE_INVALID;
    if (n > 0)
        out->point = mean;
    if (n < 2)
        return TARE_OK;
    double r2 = (-2 * log(level) + log1p(-2 * log(level))) / (double)n_tight, nr2 = (double)n * r2;
    double radius = sd * sqrt(2 * (nr2 + 1) / ((double)n * nr2) * (0.5 * log1p(nr2) - log(level)));
    out->low = mean - radius;
    out->high = mean + radius;
    return TARE_OK;
}
