/* SPDX-License-Identifier: MIT
 *
 * changes.h - where the level of a series of results over commits changed, how far one can say where, and by how much. Nominations: what is
 * proven is proven by measuring both sides again.
 *
 *     struct stats_change changes[20];
 *     struct stats_changes c;
 *     void *scratch = malloc(stats_changes_scratch_bytes(n));
 *     status = stats_changes(x, n, 0.01, 0, scratch, changes, 20, &c);
 *     for (ptrdiff_t i = 0; i < c.n && i < 20; i++) ...
 *
 * In at most 5 % of flat series it finds anything, in noise with a lag-1 correlation up to 0.5; with more, short series have more
 * (docs/how-it-works/history.md). It does not know which direction is worse.
 */
#ifndef CHANGES_H
#define CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <tare/status.h>

struct stats_change {
    ptrdiff_t at;          /* index of the first value of the new level, most likely */
    ptrdiff_t first, last; /* it lies in [first, last] with 95 % confidence */
    double before, after;  /* levels in the values' own scale: means without outliers, geometric where all values are positive */
    double shift, low, high; /* ln(after / before), with a 95 % interval; where not all values are positive after - before */
};

enum stats_course {
    STATS_COURSE_SHORT, /* fewer than 12 values */
    STATS_COURSE_FLAT,
    STATS_COURSE_STEPS,
    STATS_COURSE_DRIFT,
    STATS_COURSE_EITHER, /* steps or a drift: the values do not say which */
    STATS_COURSES
};

struct stats_changes {
    enum stats_course course;
    ptrdiff_t n;  /* changes found, written up to `room`. STEPS: 1 or more; EITHER: likewise, or 0 where one is small */
    double drift; /* DRIFT, EITHER: from the first value to the last, on the scale of shift; else NaN */
    double sigma; /* of the noise within a level, without outliers, on the scale of shift; NaN: too few values */
};

/* x: n finite results in the order of commits. least >= 0: smaller shifts are no change; relative, where not all values are positive to the median of
 * |x|. tick >= 0, on the same scale: what the values were rounded to; 0: not rounded. Where they scatter by less than 0.75 ticks, changes smaller than a
 * tick are none, for rounding alone makes them. Of what may be a drift, changes are given only where each is at least 1.5 (1 + rho) sigma. Time about
 * n log n: 1 ms for 1000 values. TARE_INVALID: a NaN, infinity, n, least or tick below 0. */
enum tare_status stats_changes(const double *x, ptrdiff_t n, double least, double tick, void *scratch,
                               struct stats_change *changes, ptrdiff_t room, struct stats_changes *out);
size_t stats_changes_scratch_bytes(ptrdiff_t n); /* 0 for n <= 0; SIZE_MAX where it overflows */

#endif
