/* SPDX-License-Identifier: MIT
 *
 * stats_shift.h - the shift function of pairs, or of two independent samples: by how much each quantile of y exceeds the same quantile of x.
 *
 *     const double q[] = {.25, .5, .75};
 *     struct tare_interval shift[3];
 *     stats_shift_function(x, y, n, q, 3, .05, 1, scratch, shift);    // the three intervals hold together
 *
 * Formula, source, assumptions, smallest n: shift_function.c. Pure; no memory.
 */
#ifndef STATS_SHIFT_H
#define STATS_SHIFT_H

#include <tare/stats.h>

/* x[i] and y[i] are a pair. level: of all k quantiles together. widened: 1, or by what factor intervals that count standard errors are widened where
 * neighbouring pairs are alike; at least 1. scratch: 8 n doubles. out[j] for q[j]; an end that n is too small for is infinite.
 * O(n log n + k n) time. TARE_INVALID: values that are not finite, a q outside (0, 1), k < 1, a bad level, widened below 1. */
enum tare_status stats_shift_function(const double *x, const double *y, ptrdiff_t n, const double *q, int k, double level,
                                      double widened, double *scratch, struct tare_interval *out);
/* The same of n values of x and m of y that share nothing. scratch: 8 times the larger of n and m. */
enum tare_status stats_shift_function_of_samples(const double *x, ptrdiff_t n, const double *y, ptrdiff_t m, const double *q,
                                                 int k, double level, double widened, double *scratch, struct tare_interval *out);
/* The smallest number of pairs, or of values in each sample, with an interval for this q, of k quantiles; INFINITY where they are widened so
 * far that none has one; NaN for what these refuse. */
double stats_shift_least(double q, int k, double level, double widened, bool paired);

#endif
