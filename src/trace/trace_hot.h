/* SPDX-License-Identifier: MIT
 *
 * trace_hot.h - rows of plain points, added up with nothing between one and the next. For src/trace alone.
 *
 *     i = walker_row(&w, words, i, n);        // where walker_may_row() says so
 *     ...
 *     if (!walker_settle(&w)) ... no memory ...       // before its cells are looked at
 *
 * While words are read an arc has a second place beside its cell: one load leads there, and the sums of a passage are two numbers in it, for
 * its bin (how many and how long together, in one number) and for the squares. What fills up goes into the cell.
 */
#ifndef TRACE_HOT_H
#define TRACE_HOT_H

#include "trace_cells.h"
#include <stddef.h>

enum {
    HOT_OCTAVES = 19, /* times below 2^19 units, some 200 us; a longer one goes into the cell */
    HOT_SUM_BITS = 42,
    HOT_SLOTS = 8 * (HOT_OCTAVES + 1), /* trace_hot.c: eight to the octave of 2 t + 1 */
    HOT_MAX = 8192,                    /* arcs; 11 MB. Those beyond have their cells alone, and take longer */
    HOT_CHUNK = 16
};

#define HOT_NOTHING UINT32_MAX /* no time lies within `span` of it */

struct hot {
    uint64_t square;
    uint32_t min, span; /* the largest less the least; HOT_NOTHING, 0: no time is here */
    uint64_t key;       /* from << 32 | to */
    struct cell *cell;
    uint64_t slots[HOT_SLOTS]; /* number << HOT_SUM_BITS | sum */
};

struct hots {
    struct hot *chunks[HOT_MAX / HOT_CHUNK];
    int n;
};

struct walker;

struct hot *hots_add(struct hots *h, struct cell *c); /* NULL: there are HOT_MAX, or no memory: the cell alone serves */
void hots_finish(struct hots *h);

bool walker_settle(struct walker *w);
/* From the last word on nothing stands between: no gap, no other CPU, no lane that is not known, one stamp, one word a pass. */
bool walker_may_row(const struct walker *w);
/* Plain points, one after the other, until something else comes. Returns the index of the first word that was not taken. */
size_t walker_row(struct walker *w, const uint64_t *words, size_t i, size_t n);

#endif
