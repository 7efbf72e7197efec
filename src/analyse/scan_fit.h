/* SPDX-License-Identifier: MIT
 *
 * scan_fit.h - the growth of a time with a parameter, round by round. Used by scan.c and leak_growth.c; pure arrays. How and why: scan_fit.c.
 *
 *     scan_weights(x, k, w);                                   // k values of the parameter
 *     scan_interval(y, k, n, w + SCAN_SLOPE * k, level, d, scratch, NULL, &slope);
 *     scan_misfits(x, y, k, n, misfit);      // misfit[SCAN_N_LOG_N * n + i]: of round i, 0.02 is two per cent
 */
#ifndef SCAN_FIT_H
#define SCAN_FIT_H

#include "scan_lines.h"
#include <stdbool.h>
#include <tare/stats.h>

/* Linear functions of one round's k logarithms. */
enum scan_contrast {
    SCAN_SLOPE,          /* of the straight line */
    SCAN_SLOPE_SMALLEST, /* of the parabola, at the smallest value */
    SCAN_SLOPE_LARGEST,  /* and at the largest */
    SCAN_SLOPE_CHANGE,   /* from the one to the other: 0 where the line is straight */
    SCAN_MIDDLE,         /* the line's height at the geometric mean of the values */
    SCAN_CONTRASTS
};

/* x rising, ties allowed; w: SCAN_CONTRASTS * k doubles. False: fewer than 3 different x, or one that is not above 0; w is not to be
 * used then. */
bool scan_weights(const double *x, int k, double *w);
/* Of value j: its distance from the straight line. w: k doubles; `all` as scan_weights made them. */
void scan_distance_weights(const double *x, int k, int j, const double *all, double *w);
/* Hodges and Lehmann's estimate over n rounds of one function, with its interval, which allows for rounds like their neighbours.
 * y[j * n + i]: logarithm of value j in round i. d: n doubles, the function of each round; scratch: tare_hl_scratch_bytes(n).
 * *effective: how many independent rounds they are worth; NULL: not wanted. */
enum tare_status scan_interval(const double *y, int k, int n, const double *w, double level, double *d, void *scratch,
                               double *effective, struct tare_interval *out);
/* The same of values that are at hand, in the order of their rounds. */
enum tare_status scan_interval_over(const double *d, int n, double level, void *scratch, double *effective,
                                    struct tare_interval *out);

/* ---- how far each class of complexity misses a round's times ---- */

enum { SCAN_CLASSES_LEAST = 4 }; /* different x: a line through three leaves one degree of freedom */

/* x rising and above 0, at least SCAN_CLASSES_LEAST different; y[j * n + i]: logarithm of the time at x[j] in round i.
 * misfit: SCAN_CLASSES * n doubles. */
void scan_misfits(const double *x, const double *y, int k, int n, double *misfit);
/* off[j * n + i]: how far the time at x[j] is above the class in round i, as a share of the time. */
void scan_class_off(const double *x, const double *y, int k, int n, enum scan_class class, double *off);
/* constant[i]: the time of round i at which the class begins, its a in a + b f(x), where f is 0. */
void scan_class_constants(const double *x, const double *y, int k, int n, enum scan_class class, double *constant);
/* Of a + b sqrt x, which growth asks for too. misfit: n doubles. */
void scan_misfits_sqrt(const double *x, const double *y, int k, int n, double *misfit);

#endif
