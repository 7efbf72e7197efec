/* SPDX-License-Identifier: MIT
 *
 * stats_trend.h - tare_mann_kendall in two steps, for who needs the slope only of a trend that is proven: it takes most of the time.
 *
 *     if (!stats_trend_test(x, n, scratch, &t) && t.p < .01)
 *         slope = stats_trend_slope(x, n, scratch);
 */
#ifndef STATS_TREND_H
#define STATS_TREND_H

#include <tare/stats.h>

/* out->slope NaN; else as tare_mann_kendall, scratch too. */
enum tare_status stats_trend_test(const double *x, ptrdiff_t n, double *scratch, struct tare_trend *out);
double stats_trend_slope(const double *x, ptrdiff_t n, double *scratch); /* of finite values, n > 1 */

#endif
