/* SPDX-License-Identifier: MIT
 *
 * trace_lines.h - inside render: what the table of arcs (trace_result.c) and what -v adds (trace_details.c) share.
 */
#ifndef TRACE_LINES_H
#define TRACE_LINES_H

#include "layout.h"
#include "record_arcs.h"

/* "filled → queue.c:52 (fill)", its names cut where lines are short. */
void arc_cell(struct table *t, const struct arc_result *a);
int arcs_of(const struct page *p, int subject);
int arcs_shown(const struct page *p, int n); /* of n: 20, all with -v */
/* The rows of a subject that are shown, largest share first. */
void arc_rows(struct table *t, int subject, void (*row)(struct table *t, const struct arc_result *a));
/* Empty of one that is not known. */
void time_cell(struct table *t, double ns);

/* Runs of a subject; of them those in which something is missing, the rest was aggregated, windows were timed. */
struct run_tally {
    int runs, lossy, degraded, burst;
    double lost_hits; /* of those that could be counted */
};
struct run_tally tally_runs(const struct page *p, int subject);
/* " in 2 of 30 runs", " in all 30 runs"; nothing where there is one. */
void put_runs(struct page *p, int n, int of);

/* trace_details.c */
void render_trace_details(struct page *p, int subject);

#endif
