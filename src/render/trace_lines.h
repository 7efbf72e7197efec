/* SPDX-License-Identifier: MIT
 *
 * trace_lines.h - inside render: what trace_result.c (the table) and trace_details.c (-v) share.
 */
#ifndef TRACE_LINES_H
#define TRACE_LINES_H

#include "layout.h"
#include "record_arcs.h"

/* "filled → queue.c:52 (fill)", its names cut where lines are short. A row is an arc_result. */
void arc_cell(struct page *p, const void *row);
void put_point_name(struct page *p, int point, int columns);
/* The rows of a subject, largest share first: 20 of them, all with -v. */
void arc_rows(struct page *p, struct table *t, int subject);

struct loss_counts {
    int runs, lossy; /* of the subject; of them those in which something is missing */
};
struct loss_counts count_losses(const struct page *p, int subject);
/* Runs in which the rest was aggregated, and those of which windows were timed. */
struct partly_timed {
    int runs, degraded, burst;
};
struct partly_timed count_partly_timed(const struct page *p, int subject);

/* " in 2 of 30 runs", " in all 30 runs"; nothing where there is one. */
void put_runs(struct page *p, int n, int of);

/* What -v adds below the table. */
void render_trace_details(struct page *p, int subject);

#endif
