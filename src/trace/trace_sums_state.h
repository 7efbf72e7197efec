/* SPDX-License-Identifier: MIT
 *
 * trace_sums_state.h - the inside of a run's sums. For src/trace alone.
 */
#ifndef TRACE_SUMS_STATE_H
#define TRACE_SUMS_STATE_H

#include "arena.h"
#include "trace_cells.h"
#include "trace_sums.h"

struct weight {
    int64_t ns;
    uint32_t thread;
    int file;
    double mean;
    enum trace_weighed what;
    bool bare;
};

struct trace_sums {
    struct trace_sums_options options;
    struct trace_run run;
    struct trace_sum_point *points;
    int n_points, room_points;
    int *index; /* points by hash: 1 + number */
    int room_index;
    struct arena arena;
    struct cells cells; /* of run's points: 1 + number, 0 is a point that nothing describes */
    struct weight *weights;
    int n_weights, room_weights;
    uint64_t filed, forked; /* children that made a file; files that are of one */
    struct trace_identity *added;
    int n_added, room_added;
    /* made by finishing */
    struct trace_arc_sum *arcs;
    int n_arcs;
    struct trace_bin_sum *bins;
};

void trace_sums_forget(struct trace_sums *s); /* what finishing made */

#endif
