/* SPDX-License-Identifier: MIT
 *
 * stats_class.h - which of several machines are unlike most of them, by one value of each: the logarithm of what the same work takes there.
 *
 *     struct stats_class c;
 *     double scratch[n + STATS_CLASS_SCRATCH], limit;
 *     stats_class(x, n, scratch, &c);
 *     stats_class_limit(n, .03, false, scratch, &limit);
 *     for (i ...) if (fabs(x[i] - c.center) > limit * c.scale) ...   // one class in 33 loses a machine so, though all are alike
 *
 * Method, source and assumptions: class_bounds.c. Pure; no memory.
 */
#ifndef STATS_CLASS_H
#define STATS_CLASS_H

#include <tare/stats.h>

enum { STATS_CLASS_LEAST = 3, STATS_CLASS_SCRATCH = 4999 };

struct stats_class {
    double center, scale; /* mean and standard deviation of the closest three quarters of the values */
};

/* scratch: n. TOO_FEW: n < STATS_CLASS_LEAST; INVALID: a value that is not finite. */
enum tare_status stats_class(const double *x, ptrdiff_t n, double *scratch, struct stats_class *out);

/* How many scales from the center the farthest of n alike machines lies with the probability `level`, to either side or, with `above`, above it.
 * scratch: n + STATS_CLASS_SCRATCH. Time: n = 1000 takes seconds, 10 hundredths. TOO_FEW, INVALID as above. */
enum tare_status stats_class_limit(ptrdiff_t n, double level, bool above, double *scratch, double *out);

#endif
