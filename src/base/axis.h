/* SPDX-License-Identifier: MIT
 *
 * axis.h - one axis of a picture: where a value lies on it, and which round values are marked.
 *
 *     struct axis a = axis_over(0.8, 40, true);                // logarithmic, 0.5 to 50
 *     double ticks[AXIS_TICKS_MAX];
 *     int n = axis_ticks(&a, 6, ticks);                        // 0.5 5 50 or the like, at most 6
 *     column = round(axis_place(&a, value) * (columns - 1));
 *
 * The axis ends at the data, not at marks; a degenerate range is widened. For pictures alone: nothing is claimed from it.
 */
#ifndef AXIS_H
#define AXIS_H

#include <math.h>
#include <stdbool.h>

enum { AXIS_TICKS_MAX = 16 };

struct axis {
    double low, high; /* low < high; both above 0 on a logarithmic one */
    bool logarithmic;
    bool whole; /* counts: linear marks are whole numbers, from `first` on */
    double first;
    const double *at; /* n_at values, rising, that are marked instead of round ones; NULL: none */
    int n_at;
};

struct extent { /* of values, for an axis */
    double low, high;
};
#define AXIS_NO_EXTENT      \
    {                       \
        INFINITY, -INFINITY \
    }
/* Values that are not finite are none. */
void extent_widen(struct extent *e, double value);

/* Where the values span a factor of 8 or more and are above 0, a logarithmic scale shows them all. */
bool axis_wants_logarithm(double low, double high);
/* Finite low <= high. A logarithmic axis that is not possible becomes a linear one. */
struct axis axis_over(double low, double high, bool logarithmic);
/* 0 at low, 1 at high; beyond, outside of that. NaN where a value has no place. */
double axis_place(const struct axis *a, double value);
/* Round values within the axis, ascending: 1, 2 or 5 times a power of ten, at most `most` (2 to AXIS_TICKS_MAX) and evenly spaced as
 * far as that allows. A logarithmic axis too short for three such marks gets linear ones. Where values are given (at), those of them
 * that are far enough above the last one marked. Returns how many. */
int axis_ticks(const struct axis *a, int most, double *ticks);

#endif
