/* SPDX-License-Identifier: MIT
 *
 * arcs_data.h - records of traced programs, made up, for tests of what shows them.
 */
#ifndef ARCS_DATA_H
#define ARCS_DATA_H

#include "record_arcs.h"

struct arcs_data_arc {
    int from, to;
    uint64_t passes; /* of a run */
    double mean_ns;
};

/* A subject with these points (their subject is set) and arcs; `runs` runs. Figures beside the mean follow from it. */
void arcs_data_add(struct record *r, const char *name, const struct point *points, int n_points, const struct arcs_data_arc *arcs,
                   int n_arcs, int runs);
/* Two programs: one of four loops in a loop with arcs back, to itself and one point that is never passed; one of a single arc. */
void arcs_data_usual(struct record *r);
/* Names of all kinds of harm. */
void arcs_data_hostile(struct record *r);
/* A large one: n points in a ring with chords. */
void arcs_data_large(struct record *r, int n);

#endif
