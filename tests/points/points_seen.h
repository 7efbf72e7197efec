/* SPDX-License-Identifier: MIT
 *
 * points_seen.h - what stands in the files of traced programs, decoded plainly and apart from src/trace, for the tests of those who write
 * them.
 *
 *     struct seen *s = seen_folder("/tmp/x");                  // all files of it; fails the test on anything that may not be
 *     assert_int_equal(seen_passes(s, "left"), 12);
 *     seen_free(s);
 */
#ifndef POINTS_SEEN_H
#define POINTS_SEEN_H

#include "trace_format.h"
#include <stdbool.h>
#include <stddef.h>

struct seen_point {
    char name[128], function[128], file[256];
    uint32_t id, line, partner;
    uint8_t kind, value, group;
};

/* A point passed, or a control word (point NULL). */
struct seen_event {
    const struct seen_point *point;
    uint32_t thread, id;
    uint64_t tick, value; /* tick: 48 bits */
    uint64_t data[5];
};

struct seen_arc {
    const struct seen_point *from, *to; /* from NULL: none */
    uint64_t n, sum, negative;
};

struct seen_file {
    struct trace_head head;
    struct seen_point *points;
    size_t n_points;
    struct seen_event *events; /* thread by thread, each in its order */
    size_t n_events;
    struct seen_arc *arcs; /* both kinds of tables */
    size_t n_arcs;
    size_t segments, zeros; /* words of zero between others */
    char path[512];
};

struct seen {
    struct seen_file *files;
    size_t n;
};

struct seen *seen_folder(const char *folder);
void seen_free(struct seen *s);

/* Passes of a name in all files, written ones and added ones. */
uint64_t seen_written(const struct seen *s, const char *name);
uint64_t seen_added(const struct seen *s, const char *name);
uint64_t seen_passes(const struct seen *s, const char *name);
uint64_t seen_control(const struct seen *s, uint32_t id);
uint64_t seen_lost(const struct seen *s);
const struct seen_point *seen_point_named(const struct seen_file *f, const char *name);

#endif
