/* SPDX-License-Identifier: MIT
 *
 * sets_in_time.h - two sets of stored sessions in the order in which they were measured: whether they take turns, and whether what drifted
 * within each set may be the difference between them.
 *
 *     if (sets_apart(sets, &first)) ...                                 // all sessions of set `first` began before those of the other
 *     if (sets_open_by_trend(x, n, y, m, sets, level, &interval)) ...   // it was too narrow for what drifts
 */
#ifndef SETS_IN_TIME_H
#define SETS_IN_TIME_H

#include "analyse_stored.h"
#include <tare/stats.h>

/* False too where a session does not say when it began. */
bool sets_apart(const struct stored_set sets[2], int *first);

/* Widens the interval of the difference of two means, y - x, to hold that of the difference between two lines over time with one slope too (analysis of
 * covariance: n + m - 3 degrees of freedom), where the slope is not 0 by a two-sided t test at 10 %; true: it did. With three sessions a side a large drift
 * is mostly seen at this level, and of sets that do not drift one in ten has a wider interval. x and y: the result of each session, in their order; four in
 * all at least, or nothing is done. Assumes deviations from the lines independent, near normal and of one variance. A jump between the sets is not
 * seen. */
bool sets_open_by_trend(const double *x, int n, const double *y, int m, const struct stored_set sets[2], double level,
                        struct tare_interval *i);
#define TREND_REASON \
    "results change over time within the sets too, and that trend may be the difference; measure the two in turns"

#endif
