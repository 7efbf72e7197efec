/* SPDX-License-Identifier: MIT
 *
 * pairs_select.h - the k-th smallest of all values made from pairs (sums, differences), without making them all.
 *
 *     struct stats_pairs p = {count, list, context, n_pairs, room, least, largest};
 *     double median = stats_pairs_select(&p, n_pairs / 2 + 1, list);
 *
 * The k-th is bracketed between two doubles by counts, halving the distance first by value, and, where that does not get on (heavy
 * ties, far outliers), halving the number of doubles between them, which ends after at most 64 steps whatever the data. As soon as
 * at most `room` of the values lie in the bracket they are listed and sorted. Rounding must keep the order (sums and
 * differences do), so the result is the k-th of the full rounded list, bit for bit.
 */
#ifndef PAIRS_SELECT_H
#define PAIRS_SELECT_H

#include <stddef.h>
#include <stdint.h>

struct stats_pairs {
    int64_t (*count_upto)(const void *context, double x); /* values <= x */
    /* Lists those with above < value <= upto, at most `room` when called; returns how many. */
    ptrdiff_t (*list_between)(const void *context, double above, double upto, double *list);
    const void *context;
    int64_t n; /* of pairs: more than a pointer counts where it has 32 bits */
    ptrdiff_t room;
    double least, largest; /* of all values */
};

/* 1 <= k <= n. list: `room` doubles. */
double stats_pairs_select(const struct stats_pairs *p, int64_t k, double *list);

#endif
