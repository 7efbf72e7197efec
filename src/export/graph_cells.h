/* SPDX-License-Identifier: MIT
 *
 * graph_cells.h - between the steps of graph_layout.h: everything that takes room in a layer is a cell.
 *
 *     layer 0     [box]   [box]
 *     layer 1       | label | label      a cell for each line that passes, with room for its label in one of them
 *     layer 2     [box]     |
 */
#ifndef GRAPH_CELLS_H
#define GRAPH_CELLS_H

#include "graph_layout.h"

struct cell {
    double width, height;
    double anchor;     /* where lines meet it, from its middle */
    double x;          /* its middle */
    double wish, pull; /* where it wants to be, and how much */
    int layer, place;
    int box, line; /* what it is of; -1 */
    bool label;
    int first_up, n_up, first_down, n_down; /* its links, in cells.up and cells.down */
};

struct link { /* between neighbouring layers */
    int upper, lower, line;
    double weight;
};

struct row {
    int *cells, n; /* from left to right */
    double top, height;
};

struct cells {
    struct layout *l;
    struct arena *arena;
    int *layer_of; /* of boxes */
    bool *turned;  /* lines */
    struct cell *cells;
    int n_cells;
    struct link *links;
    int n_links;
    int *up, *down; /* links of each cell */
    struct row *rows;
    int n_rows;
};

enum tare_status cells_rank(struct cells *c);  /* layers and turned lines */
enum tare_status cells_build(struct cells *c); /* cells, links, rows */
enum tare_status cells_order(struct cells *c); /* place of each cell in its row */
enum tare_status cells_place(struct cells *c); /* x of each cell */

/* The cell at the other end of a link. */
static inline int cells_above(const struct cells *c, int cell, int i)
{
    return c->links[c->up[c->cells[cell].first_up + i]].upper;
}
static inline int cells_below(const struct cells *c, int cell, int i)
{
    return c->links[c->down[c->cells[cell].first_down + i]].lower;
}

#endif
