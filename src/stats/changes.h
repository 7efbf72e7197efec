/* SPDX-License-Identifier: MIT
 *
 * changes.h - where the level of a series of results over commits changed, how far one can say where, and by how much. Nominations: what is proven is
 * proven by measuring both sides again.
 *
 *     struct stats_changes c;
 *     void *scratch = malloc(stats_changes_scratch_bytes(n));
 *     status = stats_changes(x, n, 0.01, scratch, changes, room, &c);
 */
#ifndef CHANGES_H
#define CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <tare/status.h>

struct stats_change {
    ptrdiff_t at;            /* index of the first value of the new level, most likely */
    ptrdiff_t first, last;   /* it lies in [first, last] with 95 % confidence */
    double before, after;    /* levels, medians of the values' own scale */
    double shift, low, high; /* ln(after / before), with a 95 % interval; of values that are not all positive after - before */
};

enum stats_course {
    STATS_COURSE_SHORT /* too few values to say anything */,
    STATS_COURSE_FLAT,
    STATS_COURSE_STEPS,
    STATS_COURSE_DRIFT
};

struct stats_changes {
    enum stats_course course;
    ptrdiff_t n;       /* changes found; those beyond `room` are counted and not written */
    double drift;      /* DRIFT: from the first value to the last, on the scale of shift */
    double sigma, rho; /* noise within a level: robust standard deviation, lag-1 correlation */
};

/* x: n results in the order of commits. least: smaller shifts are no change (relative). INVALID: a NaN. */
enum tare_status stats_changes(const double *x, ptrdiff_t n, double least, void *scratch, struct stats_change *changes,
                               ptrdiff_t room, struct stats_changes *out);
size_t stats_changes_scratch_bytes(ptrdiff_t n);

#endif
