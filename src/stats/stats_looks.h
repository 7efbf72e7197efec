/* SPDX-License-Identifier: MIT
 *
 * stats_looks.h - the levels of looks that were not planned (tare_looks_spent), one after the other. What a look leaves for the next one depends on
 * it and those before alone, so who asks for many rows with the same beginning keeps it (tests/stats/remembered.c).
 *
 *     struct stats_looks looks[2];
 *     for (int j = 0; j < k; j++)
 *         level = stats_looks_next(&looks[(j + 1) % 2], n_at, spent, j, &looks[j % 2]);
 */
#ifndef STATS_LOOKS_H
#define STATS_LOOKS_H

#include <stdbool.h>

enum { STATS_LOOKS_POINTS = 16, STATS_LOOKS_NODES = 64 * STATS_LOOKS_POINTS };

/* Gauss-Legendre on [-1, 1]. */
struct stats_looks_rule {
    double point[STATS_LOOKS_POINTS], weight[STATS_LOOKS_POINTS];
};

/* Nodes on [0, bound] with weight times density of the paths still inside. */
struct stats_looks_grid {
    int n;
    double at[STATS_LOOKS_NODES], mass[STATS_LOOKS_NODES];
};

struct stats_looks {
    struct stats_looks_rule rule;
    struct stats_looks_grid inside; /* at the look before the last one; none where that is the first */
    double bound;                   /* of the last one */
};

/* What tare_looks_spent takes. */
bool stats_looks_ok(const int *n_at, const double *spent, int k);

/* Level of look j, counted from 0, and what is left for the next one. before: of look j - 1, not read where j is 0. */
double stats_looks_next(const struct stats_looks *before, const int *n_at, const double *spent, int j, struct stats_looks *now);

#endif
