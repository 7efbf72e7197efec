/* SPDX-License-Identifier: MIT
 *
 * stats_nodes.h - one result from each of several machines of a class: what holds for the class, and for one more machine of it.
 *
 *     double x[5] = {...}, se[5] = {...};         // ln ratio of each node, and its standard error
 *     struct stats_nodes n;
 *     stats_nodes(x, se, 5, .05, &n);
 *     ... n.mean.low, n.predicted.high, n.tau, n.share
 *
 * Formulas, assumptions and smallest n: nodes.c. Pure; no memory.
 */
#ifndef STATS_NODES_H
#define STATS_NODES_H

#include <tare/stats.h>

enum { STATS_NODES_PREDICT = 4 }; /* fewest nodes with an interval for another one */

struct stats_nodes {
    struct tare_interval mean; /* of the class; unbounded for n < 2 */
    struct tare_interval
        predicted; /* where one more node, measured like these, will lie; unbounded for n < STATS_NODES_PREDICT */
    double sd;     /* of the nodes' values; NaN for n < 2 */
    double tau; /* of what they would be without errors of measurement: descriptive, 0 where those explain all; NaN: not known */
    double share; /* I squared: tau^2 / (tau^2 + mean of se^2), from 0 to 1; NaN: not known */
};

/* se: of each node, not negative; NULL, or one that is NaN: not known, so tau and share are NaN. TARE_INVALID: x or level as for every call of tare/stats.h, or a
 * negative or infinite se. */
enum tare_status stats_nodes(const double *x, const double *se, ptrdiff_t n, double level, struct stats_nodes *out);

#endif
