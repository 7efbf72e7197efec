/* SPDX-License-Identifier: MIT
 *
 * slope_select.h - any one of the slopes of all pairs of points, without making them all.
 *
 *     struct stats_slopes s = {.y = y, .stride = 1, .n = n, .y_unit = 1, .residuals = room, .spare = room + n,
 *                              .pairs = n (n-1)/2, .least = a, .most = b};
 *     double median = stats_median_slope(&s);
 *
 * Sorted by x and then y, a pair has a slope below b exactly when it falls in y - b x, so a count of falling pairs while merge-sorting
 * (Knight 1966) tells how many slopes lie below b. A search over b by secants ends when the k-th is the only one between two b, and computes that from its two
 * points; of equal slopes it goes on to the last bit that the rounding of y - b x allows. O(n log n) a count, about 20 counts, some 120 at most. Of up to 48 points the slopes
 * are listed and selected from, on 9 KB of stack: the result is then that of the sorted list, to the last bit.
 */
#ifndef SLOPE_SELECT_H
#define SLOPE_SELECT_H

#include <stddef.h>
#include <stdint.h>

struct stats_slopes {
    const double *x, *y; /* sorted by x, then y, each read at steps of `stride`; x NULL: 0, 1, 2 ... */
    ptrdiff_t stride, n;
    double y_unit;             /* y is multiplied by it: a power of two, so that nothing overflows */
    double *residuals, *spare; /* n each */
    int64_t pairs;             /* with x that differ */
    double least, most;        /* bounds of all slopes, in these units */
};

/* Sorts x ascending with the help of spare (n each) and returns the number of pairs i < j with x[i] > x[j]. */
int64_t stats_count_falling(double *x, double *spare, ptrdiff_t n);

/* The k-th smallest slope, 1 <= k <= pairs; and the median: the mean of the two middle ones where pairs is even. */
double stats_slope_number(const struct stats_slopes *s, int64_t k);
double stats_median_slope(const struct stats_slopes *s);

#endif
