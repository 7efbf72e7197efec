/* SPDX-License-Identifier: MIT
 *
 * dependence.h - how much wider an interval over rounds is where rounds are like their neighbours. Pure arrays. How and why: dependence.c.
 *
 *     double factor;
 *     dependence_of_rounds(d, n, interval.level, sorted, &factor);
 *     dependence_widen(&interval, factor);
 */
#ifndef DEPENDENCE_H
#define DEPENDENCE_H

#include <tare/stats.h>

/* How many independent values n values in the order of measuring are worth; n where a test at this level does not contradict independence.
 * sorted: n doubles, which become these values in ascending order. */
double dependence_effective_size(const double *x, int n, double level, double *sorted);
/* The variance is so many times that of independent values, by Student's t of those degrees of freedom; level: of the interval. */
double dependence_widening(double level, double inflation, double df, double df_independent);
/* Of one value a round: how many independent rounds they are worth, n where *factor is 1. sorted: as above. */
double dependence_of_rounds(const double *d, int n, double level, double *sorted, double *factor);
void dependence_widen(struct tare_interval *i, double factor); /* about its point */

#endif
