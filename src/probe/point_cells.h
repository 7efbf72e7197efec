/* SPDX-License-Identifier: MIT
 *
 * point_cells.h - arcs added up by one thread: cells in segments of the file, and an index in memory that finds them.
 *
 *     struct trace_count *c = point_cell(&own->counts, TRACE_COUNTS, from, to);
 *     if (c)
 *         c->n++;
 *
 * One thread; never from two frames of it at once. Cells stay where they are as long as the file is mapped.
 */
#ifndef POINT_CELLS_H
#define POINT_CELLS_H

#include "trace_format.h"
#include <stdint.h>

struct point_place {
    uint64_t key; /* 0: free */
    void *cell;
};

struct point_cells {
    struct point_place *places; /* a power of two, at most three quarters used */
    uint32_t size, used;
    uint64_t last_key;
    void *last_cell;
    unsigned char *next, *end; /* in the newest segment */
    uint32_t units;            /* of the next one */
    uint64_t sequence;
    uint32_t thread, tid;
};

/* That of the arc; a new one is empty but for its ends. NULL: there is no room. */
void *point_cell(struct point_cells *c, enum trace_kind kind, uint32_t from, uint32_t to);
void point_cells_free(struct point_cells *c);

#endif
