/* SPDX-License-Identifier: MIT
 *
 * shift_function.h - how much longer each quantile of a subject's runs is than that of its reference, as analyse_shifts estimates it and a page draws it.
 */
#ifndef SHIFT_FUNCTION_H
#define SHIFT_FUNCTION_H

#include <stdbool.h>

enum { SHIFT_QUANTILES = 12, SHIFT_LEAST = 3 };

struct shift_function {
    int n; /* quantiles with an interval, ascending; fewer than SHIFT_LEAST make no picture */
    /* Rounds, or runs of each session, that SHIFT_LEAST quantiles need; INFINITY: they are too much alike; 0: there is no comparison. */
    double least;
    double outermost;  /* that all need */
    bool paired;       /* over rounds that both have; else over two sessions */
    double confidence; /* of all intervals together */
    /* Ratios to the reference's quantile, or differences where the comparison is one. */
    double percent[SHIFT_QUANTILES], point[SHIFT_QUANTILES], low[SHIFT_QUANTILES], high[SHIFT_QUANTILES];
};

#endif
