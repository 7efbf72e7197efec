/* SPDX-License-Identifier: MIT
 *
 * history_counts.h - how often the change detector is right about histories of a model. For changes_sim_test.c and bench/history.sh.
 *
 *     struct made_history h = {.model = HISTORY_WHITE, .n = 300, .at = 150, .shift = .02, .noise = 1};
 *     struct history_counts c = history_count(&h, 1000, 1);     // 1000 series, seeds from 1 on
 */
#ifndef HISTORY_COUNTS_H
#define HISTORY_COUNTS_H

#include "history_models.h"

enum { HISTORY_LONGEST = 10000 };

struct history_counts {
    int series;
    int steps, drift, either; /* series with this course */
    int one;                  /* steps with exactly one change */
    int hit, either_hit;      /* of steps, of either: with a change at most 5 values from the truth */
    int in_place, in_shift;   /* of those with steps: the interval of the nearest change has the truth */
    double width, half_width; /* means over those with steps: last - first, (high - low)/2 */
    double seconds;           /* CPU time of the detector for a series, mean */
};

/* h->at < 0: each series has its step at a place of its own, in the middle two thirds. Ends the program where memory is out. */
struct history_counts history_count(const struct made_history *h, int series, uint64_t seed);

#endif
