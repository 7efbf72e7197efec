/* SPDX-License-Identifier: MIT
 *
 * graph.h - the arcs of one traced program as a graph: what every exporter and picture of arcs is made from.
 *
 *     struct graph g;
 *     graph_of_record(&r, subject, &arena, &g);                        // all of it
 *     struct graph_view v;
 *     graph_select(&g, 0.01, 60, &arena, &v);                          // what a picture has room for
 *     graph_left_out(&b, &v);                                          // "12 of 40 arcs with 0.8 % of the time are left out ..."
 *
 * It holds figures that were estimated before and computes none. NaN: that figure is not known. Times are ns, with the probe's weight taken off.
 * Ownership: the arena's, texts the record's.
 */
#ifndef GRAPH_H
#define GRAPH_H

#include "arena.h"
#include "buf.h"
#include "record_arcs.h"
#include "units.h"
#include <stdbool.h>
#include <tare/status.h>

struct graph_node {
    const char *file, *func, *name; /* name is NULL or empty where the point has none */
    int line, ordinal;              /* of several points on the line, from 0 */
    double n;                       /* passes; 0: never passed */
};

struct graph_arc {
    int from, to;      /* indexes of nodes */
    double n, per_run; /* hits in all runs; of one on average */
    const struct arc_result *found;
};

struct graph {
    const char *title;        /* the program as it was named */
    struct graph_node *nodes; /* in the order in which they were registered: that of the source, mostly */
    struct graph_arc *arcs;   /* those with most time first */
    int n_nodes, n_arcs, runs;
    double confidence; /* of the intervals of means; 0: there are none */
};

/* What is shown of it. */
struct graph_view {
    const struct graph *g;
    const struct graph_arc **arcs;
    int n_arcs;
    int *place; /* of each node: its number among those shown, -1: it is not */
    int *nodes; /* those shown */
    int n_nodes;
    int arcs_left, nodes_left;
    double share_left, passages_left;
};

/* Of a subject of tare trace, from record_arcs.h. */
enum tare_status graph_of_record(const struct record *r, int subject, struct arena *arena, struct graph *g);
/* Arcs of at least that share and at most so many, those with most time; their nodes, and points without any arc as long as there is room for
 * them. most_arcs 0: all. */
enum tare_status graph_select(const struct graph *g, double least_share, int most_arcs, struct arena *arena,
                              struct graph_view *v);
/* A sentence; nothing where nothing is left out. */
void graph_left_out(struct buf *b, const struct graph_view *v);

/* "sort.c:42 (sort)", or the point's name. Masked by quote.h, never longer than `columns` (0: any). */
void graph_node_label(struct buf *b, const struct graph_node *n, int columns);
/* "sort.c:42" with its function behind, whatever its name is. */
void graph_node_place(struct buf *b, const struct graph_node *n, int columns);
/* Text for a format: masked and cut by quote.h, then escaped as the format wants it. */
typedef void graph_escape(struct buf *b, const char *text);
void graph_masked(struct buf *b, const char *text, int columns, graph_escape *escape);
bool graph_node_named(const struct graph_node *n);
/* Its name and, behind `between`, its place; without a name the place alone. */
void graph_node_full(struct buf *b, const struct graph_node *n, const char *between);

/* Figures for people. Nothing known: "-". */
void graph_time(struct buf *b, double ns);
/* Of a run: "6.34 ms", "≤ 43 µs" below resolution. */
void graph_total(struct buf *b, const struct graph_arc *a);
/* "6.34 ms (6.32–6.36)", "≤ 0.8 ns" below resolution, without interval the mean alone. Times are not below 0: a low end that is shows as 0. */
void graph_mean(struct buf *b, const struct graph_arc *a);
void graph_share(struct buf *b, double share);                   /* "41.2 %" */
void graph_arc_share(struct buf *b, const struct arc_result *a); /* as graph_total: "≤ 4.4 %" of what is a bound */
void graph_count(struct buf *b, double n);                       /* "123 456" with thin groups of three */
/* A variance, in the square of the unit that fits its root: "0.25 µs²". */
void graph_variance(struct buf *b, double ns2);
int graph_shade(double share); /* 0 to 4: how much of the time; for colours */

#endif
