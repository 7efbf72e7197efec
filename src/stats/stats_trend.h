/* SPDX-License-Identifier: MIT
 *
 * stats_trend.h - what a series' order tells, without what the caller has or may not need: tare_mann_kendall in two steps, as the slope takes most of the
 * time, and tare_serial_dependence of values that are at hand sorted as well.
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

/* sorted: x, ascending. most: of more neighbours so many pairs, one drawn from each stretch, give r_ranks, as finding a rank in very many values takes long. */
enum { STATS_NEIGHBOURS = 20000 };
enum tare_status stats_serial_dependence(const double *x, const double *sorted, ptrdiff_t n, ptrdiff_t most,
                                         struct tare_dependence *out);

#endif
