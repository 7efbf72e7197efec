/* SPDX-License-Identifier: MIT
 *
 * trace_cells.h - arcs with their sums, found by (from, to, group). For src/trace alone.
 *
 *     struct cells t = {0};
 *     struct cell *c = cells_at(&t, from, to, 0);      // NULL: no memory, or CELLS_MAX
 *     if (!cell_add(&t, c, units)) ... no memory ...
 *     cells_finish(&t);
 *
 * Cells stay where they are. Times of 0 and more go into pages of eight bins, made when they are needed: a page holds an octave.
 */
#ifndef TRACE_CELLS_H
#define TRACE_CELLS_H

#include "trace_format.h"
#include <stdbool.h>
#include <stdint.h>

#define CELL_MOST (UINT64_C(1) << 56) /* units of a cell, and its passages: 278 days at 3 GHz */
enum { CELLS_MAX = 1 << 20, CELL_PAGES = TRACE_HISTOGRAM / 8, CELL_CHUNK = 32 };

__extension__ typedef unsigned __int128 cell_square;

struct cell_bin {
    uint64_t n;
    int64_t sum;
};

struct cell {
    cell_square square;
    int64_t min, max;
    uint32_t from, to;
    int32_t group;
    bool estimated;
    int64_t sum_more; /* of times whose bins have no sums: what the bins' own ones are off by */
    uint64_t counted; /* passages beside those that were timed */
    uint64_t all;     /* of a group in burst mode: all passages, the timed ones among them */
    uint64_t added;   /* of those timed: by the program itself */
    uint64_t words;   /* with ticks of their own that stood in timed passages: the weight of a probe more for each */
    uint64_t gaps, gap_units, migrated, handlers, nested, backwards, stamps;
    struct hot *hot; /* trace_walk.h; NULL: none. Never merged */
    struct cell_bin *pages[CELL_PAGES];
};

struct cells {
    struct cell **table; /* open addressing */
    uint32_t room, n;
    struct cell **chunks; /* of CELL_CHUNK cells */
    uint32_t n_chunks, room_chunks;
    struct cell_bin *pages; /* free ones of the newest block */
    uint32_t pages_left;
    void **blocks; /* of pages */
    uint32_t n_blocks, room_blocks;
};

struct cell *cells_at(struct cells *t, uint32_t from, uint32_t to, int32_t group);
struct cell *cells_nth(const struct cells *t, uint32_t i);             /* in the order in which they were made */
struct cell_bin *cell_page(struct cells *t, struct cell *c, int page); /* made; NULL: no memory */
void cells_finish(struct cells *t);
/* Adds all of `from`, times by `factor` (1: as they are, exactly). */
bool cell_merge(struct cells *t, struct cell *c, const struct cell *from, double factor);
/* Adds what a traced program added up itself. */
bool cell_take(struct cells *t, struct cell *c, const struct trace_arc *a, int units);
bool cell_can_be(const struct trace_arc *a, int units); /* else it is damaged, and not to be taken */

static inline bool cell_add(struct cells *t, struct cell *c, int64_t units)
{
    int bin = units > 0 ? trace_bin((uint64_t)units) : 0;
    struct cell_bin *page = c->pages[bin >> 3];
    if (__builtin_expect(!page, 0) && !(page = cell_page(t, c, bin >> 3)))
        return false;
    page[bin & 7].n++;
    page[bin & 7].sum = (int64_t)((uint64_t)page[bin & 7].sum + (uint64_t)units);
    uint64_t size = units < 0 ? (uint64_t)-units : (uint64_t)units;
    c->square += (cell_square)size * size;
    if (__builtin_expect(units < c->min, 0)) /* a branch that is known costs less than a store */
        c->min = units;
    if (__builtin_expect(units > c->max, 0))
        c->max = units;
    return true;
}

#endif
