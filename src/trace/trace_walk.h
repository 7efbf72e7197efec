/* SPDX-License-Identifier: MIT
 *
 * trace_walk.h - through the words of one thread, adding up arcs. For src/trace alone.
 *
 *     struct walker w;
 *     walker_init(&w, file, &options);
 *     walker_begin(&w, &stretch, ...);        // what its header says of the words before
 *     w.mute = true;  walker_stretch(&w, before, &err);      // optional: the stretch before, for its state alone
 *     w.mute = false; walker_stretch(&w, stretch, &err) ...  // one after the other
 *     walker_end(&w);                          // lanes that are open
 *     walker_finish(&w);
 *
 * Arcs of lanes that belong to no thread are added up within a piece: from one switch of lanes to the next. What joins two pieces is
 * left to who has them all.
 */
#ifndef TRACE_WALK_H
#define TRACE_WALK_H

#include "trace_cells.h"
#include "trace_parts.h"

/* While words are read an arc has a second place beside its cell: one load leads there, and the sums of a passage are two numbers in it, for
 * its bin (how many and how long together, in one number) and for the squares. What fills up goes into the cell. */
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

/* One chain of points: where the next arc begins. Times in units. */
struct chain {
    uint32_t from;             /* 1 + index of the point; 0: none */
    int64_t base;              /* when that was: its end, with four stamps */
    uint64_t gap;              /* ticks of libtare's own since */
    uint64_t gap_from, gap_to; /* the last one of these */
    uint64_t words;            /* with a reading of the clock since, that are no points */
    bool migrated;
    bool stamps;      /* the two stamps at its begin lie far apart */
    uint32_t repeats; /* words of this pass that are still to come */
};

struct piece {
    uint64_t lane, tick;   /* by which they are put in order */
    uint32_t first, last;  /* points; 0: it has none */
    int64_t arrival, base; /* of the first, of the last */
    uint64_t gap_before, gap_after, words_before, words_after;
    bool broken_before, broken_after; /* no arc into it, out of it */
    bool own; /* of a thread's own lane, by its index: where a task ends, and where one began without knowing */
    bool migrated;
};

struct weight_row {
    uint64_t tick;
    uint32_t thread;
    double mean; /* units */
    enum trace_weighed what;
    bool bare;
};

enum { NEST_MAX = 16, ROW_MAX = 64 };

struct nest {
    struct chain chain;
    uint64_t resume; /* tick of the word that was interrupted */
};

struct walker {
    const struct trace_file *f;
    uint32_t *classes; /* trace_word_classes */
    uint64_t *entries; /* the same for rows: class << ENTRY_CLASS_SHIFT | index */
    uint64_t *words;   /* a window */
    int units;         /* per tick */
    uint32_t repeat;
    double us; /* a microsecond, units; 0: not known */
    bool mute; /* only the state is of interest */
    struct cells cells;
    struct hots hots;
    struct hot **slots; /* of arcs: where `direct`, of all pairs of points, (n + 1)^2; else the last one of each walker_slot */
    bool direct;
    size_t side;      /* n + 1 */
    uint64_t *starts; /* passes without an arc into them, by 1 + index */
    /* state */
    struct chain own, other;
    struct chain *chain; /* one of the two */
    bool own_known; /* false: a task began behind stretches of other lanes, and what its own lane passed last is not known yet */
    struct piece own_piece;
    uint64_t lane;
    uint64_t now, before;
    struct cell *last; /* of the last arc; NULL */
    struct nest nest[NEST_MAX];
    int depth;
    struct piece piece;
    uint32_t thread;
    uint64_t row[ROW_MAX];
    int n_row;
    uint64_t row_last;
    bool in_row;
    unsigned row_id; /* CONTROL_WEIGH or one of the others */
    /* results */
    struct piece *pieces;
    int n_pieces, room_pieces;
    struct weight_row *rows;
    int n_rows, room_rows;
    uint64_t passes, n_words, lost, unknown, unwritten,
        holes;      /* holes: more words without anything than points can have reserved */
    uint64_t zeros; /* words without anything since the last one with something */
    uint64_t first_tick, last_tick;
    enum tare_status status;
};

enum { WALKER_SLOTS = 4096 };
#define ENTRY_CLASS_SHIFT HOT_OCTAVES /* one shift tells whether word and time belong to a row */

static inline uint32_t walker_slot(uint32_t from, uint32_t to)
{
    return (from * UINT32_C(0x9e3779b1) ^ to * UINT32_C(0x85ebca6b)) >> 20;
}

/* us: a microsecond in units; 0: not known. */
enum tare_status walker_init(struct walker *w, const struct trace_file *f, double us);
void walker_finish(struct walker *w); /* a zeroed one is fine */
void walker_begin(struct walker *w, const struct trace_stretch *s, bool continues, uint32_t thread_number);
enum tare_status walker_stretch(struct walker *w, const struct trace_stretch *s, struct tare_err *err);
/* After the stretch before: what it passed is counted by the task that has it. */
void walker_resume(struct walker *w, const struct trace_stretch *next);
/* thread: its index, where other tasks of the thread need to know how this one ended; -1: there are none. goes_on: another task goes on here, and
 * finishes a row of empty passes that is open. */
enum tare_status walker_end(struct walker *w, int thread, bool goes_on);
/* Behind the last words without anything stands one with something: a point reserves at most 130 of them at once
 * (TRACE_CONTROLN), so that many more are a part of the file that was lost. */
static inline void walker_note_zeros(struct walker *w)
{
    enum { RESERVED_MOST = 256 };
    w->holes += w->zeros > RESERVED_MOST;
    w->unwritten += w->zeros > RESERVED_MOST ? 0 : w->zeros;
    w->zeros = 0;
}
/* A passage from one point to another, of so many units. */
void walker_arc(struct walker *w, uint32_t from, uint32_t to, int64_t units, uint64_t gap, uint64_t words, bool migrated);

/* trace_hot.c: rows of plain points, added up with nothing between one and the next. */
struct hot *hots_add(struct hots *h, struct cell *c); /* NULL: there are HOT_MAX, or no memory: the cell alone serves */
void hots_finish(struct hots *h);

bool walker_settle(struct walker *w);
/* Plain points, one after the other, until something else comes. Returns the index of the first word that was not taken. */
size_t walker_row(struct walker *w, const uint64_t *words, size_t i, size_t n);

#endif
