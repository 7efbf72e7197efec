/* SPDX-License-Identifier: MIT
 *
 * made_trace.h - a trace file in memory, word by word, as a traced program would leave it.
 *
 *     struct made m;
 *     made_begin(&m);
 *     made_point(&m, 1, "a.c", 10, "main", "");
 *     struct made_thread *t = made_thread(&m, 0, 1);       // segments of one unit
 *     made_pass(&m, t, 1, 1000);
 *     made_end(&m);                                        // m.bytes, m.n
 *     made_finish(&m);
 */
#ifndef MADE_TRACE_H
#define MADE_TRACE_H

#include "trace_format.h"
#include <stdbool.h>
#include <stddef.h>

enum { MADE_THREADS = 64, MADE_UNITS = 4096 };

struct made_thread {
    uint32_t number, units;
    uint64_t sequence;
    size_t segment, at, end; /* in the file; segment 0: none */
    uint32_t last_point;     /* of the thread's own lane */
    uint64_t lane;
    uint64_t last_tick;
    uint64_t tick; /* of the next segment's moment */
};

struct made {
    uint8_t *bytes;
    size_t n, room;
    size_t table; /* where the next descriptor goes */
    struct made_thread threads[MADE_THREADS];
    int n_threads;
    bool silent; /* headers say nothing of the words before them */
    double hz;   /* 1e9: a tick is a nanosecond */
};

void made_begin(struct made *m); /* hz 1e9, TSC, ordered, repeat 1 */
struct trace_head *made_head(struct made *m);
struct trace_point *made_point(struct made *m, uint32_t id, const char *file, uint32_t line, const char *func, const char *name);
/* Where the compiler met the point that was made last: the next one is not made yet. */
void made_origin(struct made *m, struct trace_point *p, uint32_t unit, uint32_t count);
void made_seal(struct trace_point *p); /* after a change */
struct made_thread *made_thread(struct made *m, uint32_t number, uint32_t units);
void made_word(struct made *m, struct made_thread *t, unsigned id, uint64_t tick, const uint64_t *data, int n);
void made_pass(struct made *m, struct made_thread *t, unsigned id, uint64_t tick);
void made_zero(struct made *m, struct made_thread *t); /* a word that was reserved and not stored */
/* A table of so many bytes; where its cells are. */
void *made_table(struct made *m, enum trace_kind kind, uint32_t thread, uint32_t units);
void made_end(struct made *m); /* used of the last segments, crc of the head */
void made_finish(struct made *m);

#endif
