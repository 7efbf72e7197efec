/* SPDX-License-Identifier: MIT
 *
 * trace_adding.h - a file on its way into a run's sums. For trace_sums.c, trace_joins.c and trace_merge.c alone.
 */
#ifndef TRACE_ADDING_H
#define TRACE_ADDING_H

#include "trace_sums_state.h"
#include "trace_time.h"
#include "trace_walk.h"
#include <stdatomic.h>

struct lane { /* where the next arc of a lane begins */
    uint64_t lane, gap, words;
    int64_t base;
    uint32_t from;
    bool used, migrated;
};

struct task; /* trace_sums.c */

struct adding {
    struct trace_sums *s;
    const struct trace_file *f;
    struct trace_time *time;
    struct task *tasks;
    int n_tasks;
    int next_batch; /* first task behind the batch */
    atomic_int next;
    struct walker *walkers;
    int n_walkers;
    struct tare_err *errs;
    enum tare_status *statuses;
    uint32_t *points; /* number in the run, by 1 + index in the file */
    struct lane *lanes;
    uint32_t n_lanes, room_lanes;
    struct piece *pieces;
    int n_pieces, room_pieces;
    double factor; /* to units of the run */
    struct tare_err *err;
};

/* trace_joins.c: joins what began before `until`; the rest waits, as earlier pieces may come. */
enum tare_status adding_join(struct adding *a, uint64_t until);

/* trace_merge.c */
enum tare_status adding_no_memory(const struct adding *a); /* says so */
double adding_frequency(const struct adding *a);
void adding_adopt_clock(struct adding *a); /* before anything is added: the file's units and the run's */
void adding_note_clock(struct adding *a);
enum tare_status adding_map_points(struct adding *a);
enum tare_status adding_merge(struct adding *a); /* all walkers, and the tables that the program made itself */

#endif
