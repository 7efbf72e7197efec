/* SPDX-License-Identifier: MIT
 *
 * spans_work.h - how spans.h is made, for its own files: tables that find what is there already, and what is known of a track while its
 * events go by.
 */
#ifndef SPANS_WORK_H
#define SPANS_WORK_H

#include "spans.h"
#include "trace_events.h"

/* Numbers of items by a key of three words: open addressing. */
struct span_key {
    uint64_t a, b, c;
};
struct span_index {
    struct span_key *keys;
    int *items; /* 1 + number; 0: free */
    int room, n;
};

enum { DEPTHS = 8, SCOPES_MAX = 256, TRACKS_MAX = 1 << 16 };

/* The point that a track passed last, for each depth of handlers. */
struct chain {
    bool has;
    int place;
    int64_t ns; /* where the next arc begins */
    double fraction;
    int64_t gap_from, gap_to; /* slow paths in the arc under way: the last one */
    double gap_ns;            /* and all: any number of any length */
    double nested_ns;         /* of handlers in it */
    uint32_t words;           /* of head.repeat that belong to one pass */
};

struct open_scope {
    int frame, partner; /* partner: the place that ends it; -1: any end */
    int node, depth;
    int64_t begin_ns;
};

struct window {
    int64_t begin_ns, end_ns;
    bool shown;
};

struct track_state {
    struct chain chains[DEPTHS];
    int deepest; /* of them that may hold something */
    struct open_scope *scopes;
    int n_scopes, room_scopes;
    int root;        /* node */
    int64_t last_ns; /* end of its last arc */
    struct window *windows;
    int n_windows, room_windows;
    int in_window; /* arcs in the last window, or in the one that is read */
    /* second reading */
    int window;   /* the one that is read, from 0; -1 before the first */
    bool stretch; /* within windows that are shown, since: */
    int64_t shown_from;
    int64_t left_from; /* of those that are not: since, and how many passages */
    uint64_t left;
};

struct spans_work {
    struct span_index places, firsts, frames, tracks, nodes;
    int room_places, room_frames, room_tracks, room_spans, room_marks, room_counts, room_nodes;
    struct track_state **states; /* of each track */
    int room_states;
    int per_window;
    bool second, all; /* second reading; everything is shown */
    int64_t most;
    bool begun; /* start_ns is known */
    enum tare_status status;
    /* the file that is read */
    int file;
    uint32_t repeat, pid;
    const char *program;
    const struct trace_thread *threads;
    const struct trace_place *points;
    int n_points, n_threads;
    int *places_of; /* 1 + place of each point; 0: not looked for yet */
    int *tracks_of; /* 1 + track of each thread's own lane */
};

bool spans_begin_file(struct spans *s, const struct trace_file *f, int number); /* spans_tables.c; false: no memory */
/* spans_tables.c: numbers, new ones where they are not there yet; -1 with work->status when they cannot be made */
int spans_place(struct spans *s, const struct trace_place *p);
int spans_frame(struct spans *s, enum frame_kind kind, int from, int to);
int spans_node(struct spans *s, int parent, int frame);
int spans_track(struct spans *s, int thread, uint64_t lane); /* with its state */
void spans_add(struct spans *s, const struct span *span);
void spans_tables_finish(struct spans *s);

#endif
