/* SPDX-License-Identifier: MIT
 *
 * partition.h - a series cut into segments of one level each, and which of several partitions is the likeliest. For steady.c and changes.c, whose
 * heads say what they take from it.
 *
 *     struct stats_partition p;
 *     void *rest = stats_partition_lay_out(&p, n, scratch);
 *     stats_distances(&p, y); ... stats_draw_in(&p, y, reach); stats_sum_up(&p);
 *     stats_choose_partition(&p, badness, least_sigma, lowest_price);      // p.last[n] is where the last segment begins
 */
#ifndef PARTITION_H
#define PARTITION_H

#include "stats_core.h"

enum { STATS_LEAST_SEGMENT = 3 };

/* The levels above the piece before up to `end` of a segment still open for which it costs least that it began at `first`. */
struct stats_piece {
    double end;
    ptrdiff_t first;
};

struct stats_partition {
    ptrdiff_t n;
    double *w;             /* the values, drawn in */
    double *sum, *squares; /* prefix sums of w about its median */
    double *cost;          /* of the best partition of the first i */
    double *room;          /* n */
    ptrdiff_t *last;       /* where its last segment begins */
    ptrdiff_t *spare;      /* as many, of the partition that was not chosen */
    struct stats_piece *pieces, *shared;
};

/* A partition, or a line (2 segments), and the residuals r beside it. */
struct stats_fit {
    ptrdiff_t segments;
    double squares, ends, rho; /* sum of squared residuals, of the first and the last one, and their lag-1 correlation */
};

/* How badly a partition describes the series; least is best. It is in last. Residuals are no smaller than least_sigma. */
typedef double stats_badness(const struct stats_partition *p, const struct stats_fit *f, double least_sigma);

extern const double STATS_MADN, STATS_MOST_RHO;

/* For n up to PTRDIFF_MAX / 128. */
size_t stats_partition_bytes(ptrdiff_t n);
/* Returns what follows it in scratch. */
void *stats_partition_lay_out(struct stats_partition *p, ptrdiff_t n, void *scratch);

/* The values of the window of `width` about i, sorted into room; at the ends it is moved inwards. Returns how many. */
ptrdiff_t stats_window_at(const struct stats_partition *p, const double *values, ptrdiff_t i, ptrdiff_t width);
/* How far the values of y are from their running median of 7 (of 5 at the ends), into room. */
void stats_distances(struct stats_partition *p, const double *y);
/* After stats_distances: w becomes y limited to its running median +- reach. */
void stats_draw_in(struct stats_partition *p, const double *y, double reach);
void stats_sum_up(struct stats_partition *p);
double stats_level(const struct stats_partition *p, ptrdiff_t first, ptrdiff_t end);
/* Of the residuals in room. */
struct stats_fit stats_fit_residuals(const struct stats_partition *p, ptrdiff_t segments);
/* Of w about the levels of the partition in last. */
struct stats_fit stats_fit_levels(const struct stats_partition *p);
/* The best of the partitions for prices from one that allows no change down to the lowest. It is in last, its fit is returned. */
struct stats_fit stats_choose_partition(struct stats_partition *p, stats_badness *badness, double least_sigma,
                                        double lowest_price);

#endif
