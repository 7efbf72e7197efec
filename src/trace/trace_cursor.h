/* SPDX-License-Identifier: MIT
 *
 * trace_cursor.h - the events of one thread in the order of time. For src/trace alone.
 *
 *     struct cursor c;
 *     cursor_open(&c, file, time, thread, first_stretch, 4096);
 *     while (cursor_next(&c, &event)) ...
 *     status = c.status;
 *     cursor_close(&c);
 */
#ifndef TRACE_CURSOR_H
#define TRACE_CURSOR_H

#include "trace_events.h"
#include "trace_parts.h"

enum { CURSOR_NEST = 16, CURSOR_TEXT = 1024 + 8, CURSOR_TEXTS = 2 * CURSOR_NEST };

struct cursor_lane { /* of words that are written more than once for a pass */
    uint32_t id, left;
};

struct cursor {
    const struct trace_file *f;
    const struct trace_time *time;
    const uint32_t *classes;
    struct trace_place unknown; /* a point that nothing describes */
    int thread, stretch;        /* index of the one being read */
    bool begun;                 /* within it */
    uint64_t *words;
    size_t room, at, n; /* words */
    int64_t next;       /* where the next words stand in the file */
    uint64_t now, before, lane;
    int near; /* trace_time_ns_near */
    struct cursor_lane own, other;
    /* An event waits until it is seen that no handler's follow. */
    struct trace_event front, held[CURSOR_NEST];
    bool has_front;
    int depth;
    struct trace_event out[CURSOR_NEST + 2];
    int n_out, next_out;
    bool over;
    char *texts; /* in turn */
    int next_text;
    enum tare_status status;
    struct tare_err err;
};

/* words: at least 512. classes: trace_word_classes. Nothing is read yet. NO_MEMORY. */
enum tare_status cursor_open(struct cursor *c, const struct trace_file *f, const struct trace_time *t, const uint32_t *classes,
                             int thread, int stretch, size_t words);
bool cursor_next(struct cursor *c, struct trace_event *out);
void cursor_close(struct cursor *c); /* a zeroed one is fine */

#endif
