/* SPDX-License-Identifier: MIT
 *
 * trace_parts.h - the inside of an open trace file. For src/trace alone.
 */
#ifndef TRACE_PARTS_H
#define TRACE_PARTS_H

#include "arena.h"
#include "trace_file.h"

struct trace_table { /* of arcs or counts */
    uint32_t kind, thread;
    int64_t at, bytes; /* of its cells */
};

struct trace_file {
    char *name;
    int fd;               /* -1: in memory */
    const uint8_t *bytes; /* in memory */
    int64_t size;
    struct trace_head head;
    struct trace_loss loss;
    struct trace_place *points;
    int n_points, room_points;
    struct trace_stretch *stretches; /* until they are sorted, `thread` is its number */
    int n_stretches, room_stretches;
    struct trace_thread *threads;
    int n_threads;
    struct trace_table *tables;
    int n_tables, room_tables;
    struct arena arena; /* texts */
};

/* trace_segments.c: all that stands behind the head. */
enum tare_status trace_find_segments(struct trace_file *f, struct tare_err *err);

/* What an id of a word means: its class in the upper 8 bits, below it 1 + the index of its point (0: none). */
enum word_class { WORD_POINT, WORD_VALUE, WORD_COUNTER, WORD_UNKNOWN, WORD_CONTROL, WORD_NONE };
enum { WORD_IDS = 65536, WORD_CLASS_SHIFT = 24, WORD_INDEX = (1 << WORD_CLASS_SHIFT) - 1 };
void trace_word_classes(const struct trace_file *f, uint32_t of[WORD_IDS]);
void trace_fill(void *items, size_t bytes, size_t n);           /* the first one into all n, of so many bytes */
int trace_point_index(const struct trace_file *f, uint32_t id); /* -1: none */

/* The point's words, low 48 bits, as the whole tick that is nearest to `near`. */
static inline uint64_t trace_whole_tick(uint64_t near, uint64_t word)
{
    return near + (uint64_t)((int64_t)((word & ~UINT64_C(0xFFFF)) - (near << 16)) >> 16);
}

#endif
