/* SPDX-License-Identifier: MIT
 *
 * scan_classes.h - how far each class of complexity misses a round's times. Used by scan.c and leak_growth.c; pure arrays. How: scan_classes.c.
 *
 *     scan_misfits(x, y, k, n, misfit);      // misfit[SCAN_N_LOG_N * n + i]: of round i, 0.02 is two per cent
 */
#ifndef SCAN_CLASSES_H
#define SCAN_CLASSES_H

#include <stdbool.h>

#define SCAN_CLASS_LIST(CLASS)       \
    CLASS(1, "excess_1")             \
    CLASS(LOG_N, "excess_log")       \
    CLASS(N, "excess_linear")        \
    CLASS(N_LOG_N, "excess_n_log_n") \
    CLASS(N2, "excess_square")       \
    CLASS(N3, "excess_cube")

enum scan_class {
#define CLASS(name, statistic) SCAN_##name,
    SCAN_CLASS_LIST(CLASS)
#undef CLASS
        SCAN_CLASSES
};

enum { SCAN_CLASSES_LEAST = 4 }; /* different x: a line through three leaves one degree of freedom */

/* x rising and above 0, at least SCAN_CLASSES_LEAST different; y[j * n + i]: logarithm of the time at x[j] in round i.
 * misfit: SCAN_CLASSES * n doubles. */
void scan_misfits(const double *x, const double *y, int k, int n, double *misfit);
/* Of a + b sqrt x, which growth asks for too. misfit: n doubles. */
void scan_misfits_sqrt(const double *x, const double *y, int k, int n, double *misfit);

#endif
