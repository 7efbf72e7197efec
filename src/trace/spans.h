/* SPDX-License-Identifier: MIT
 *
 * spans.h - what traced processes did, as time spans in tracks and as sums by stack: what every exporter of events and a flame graph are made
 * from.
 *
 *     struct spans s;
 *     status = spans_read(&s, files, n, &(struct spans_options){.most = 200000, .seed = seed}, &err);
 *     for (int i = 0; i < s.n_spans; i++) ... s.spans[i].begin_ns, s.frames[s.spans[i].frame].name ...
 *     spans_finish(&s);
 *
 * Two readings: the first adds up all passages (frames, tree), the second keeps spans, at most about `most` of them. Where there are more, passages
 * are cut into windows of equal number, track by track, and kept are those that took longest and, as many, some drawn at random, one from each
 * of equal stretches of the rest; the stretches between are spans of kind FRAME_LEFT_OUT, and s.left_out says what that is.
 *
 * A track is a thread, or a lane that belongs to none. Spans of a track are strictly nested: scopes, in them arcs ("a.c:12 → a.c:14"), in those
 * what libtare's slow path took, and what signal handlers passed. They come by track, then by begin, outer ones first. Times are whole
 * nanoseconds since the first event of all, as read: the probe's weight is in them. Sums are of all passages, the slow path's time taken
 * off, and what a signal handler passed counted where it belongs and not in the arc it interrupted.
 * Memory: most spans, the windows (16 bytes for some hundred passages), arcs and stacks; not more for more events.
 * Ownership: spans_read fills, spans_finish frees; texts of places are the files', which must stay.
 */
#ifndef SPANS_H
#define SPANS_H

#include "arena.h"
#include "buf.h"
#include "record.h"
#include "trace_file.h"

enum frame_kind {
    FRAME_ARC,
    FRAME_SCOPE,
    FRAME_HANDLER,  /* what a signal handler passed stands in it */
    FRAME_GAP,      /* libtare's slow path */
    FRAME_LEFT_OUT, /* nothing is shown here */
    FRAME_TRACK     /* of the tree: everything of a track */
};

struct span_place {
    const char *file, *func, *name; /* never NULL */
    int line, ordinal;
    enum trace_point_kind kind;
    int func_first; /* the first place of the same function in the same file */
    int file_first; /* and of the same file */
    const char
        *told_by; /* the end of its file's path that tells it from a place before it of the same name; NULL: there is none */
};

struct span_frame {
    enum frame_kind kind;
    int from, to;     /* places, of a scope its begin alone; -1: none */
    double probe_ns;  /* by spans_weigh: overhead in each passage; 0: not an arc */
    const char *name; /* "a.c:12 → a.c:14", "parse". Not masked */
    uint64_t n;       /* all passages */
};

struct span_track {
    int process; /* number of the file */
    uint32_t pid, tid;
    uint64_t lane;
    const char *name; /* "worker (4711)", "lane 7" */
    uint64_t passages;
    int first_span, n_spans;
    int frame; /* FRAME_TRACK */
};

struct span {
    int64_t begin_ns, end_ns;
    int frame, track;
    int level;         /* its own: smaller ones lie around larger ones */
    int around;        /* the span that it lies in; -1 */
    uint64_t left_out; /* passages, FRAME_LEFT_OUT */
};

struct span_mark {
    int64_t ns;
    int track;
    const char *text;
};

struct span_count { /* a value of a counter, or one that a point brought */
    int64_t ns;
    int track, place;
    double value;
};

/* Stacks: a node for each frame under each other one. The parent stands before. */
struct span_node {
    int parent, frame; /* parent -1: a track */
    uint64_t n;        /* passages that end here: of arcs; scopes: how often begun */
    double self_ns;
};

struct spans_options {
    int64_t most; /* spans of arcs; 0: none, sums alone; negative: no limit */
    uint64_t seed;
};

struct spans {
    struct span_place *places;
    struct span_frame *frames;
    struct span_track *tracks;
    struct span *spans;
    struct span_mark *marks;
    struct span_count *counts;
    struct span_node *nodes;
    int n_places, n_frames, n_tracks, n_spans, n_marks, n_counts, n_nodes;
    uint64_t passages, shown; /* of arcs: all; those among spans */
    uint64_t strays;          /* ends of scopes that did not begin, scopes that did not end or not in order, or lie too deep */
    uint64_t notes_left;      /* marks and values that are not kept */
    uint64_t backwards;       /* passages on which the clock went back: in no span and no sum */
    int64_t start_ns, end_ns; /* raw clock: the first event, where time 0 is; the last */
    struct buf left_out;      /* sentences; empty: all is shown */
    struct arena arena;
    struct spans_work *work; /* its own */
};

enum tare_status spans_read(struct spans *s, const struct trace_file *const *files, int n_files, const struct spans_options *o,
                            struct tare_err *err);
/* Begin and end of every span of a track in the order of time, inner ones within. */
typedef void spans_step(void *context, const struct span *span, bool begin);
void spans_walk(const struct spans *s, int track, spans_step *step, void *context);
void spans_finish(struct spans *s); /* a zeroed one is fine */

const char *frame_kind_name(enum frame_kind kind); /* "arc", "scope", ... */
/* Overhead of a probe in most arcs of this record; 0: not known. */
double spans_probe_ns(const struct record *r);
/* Gives each frame of an arc the overhead that the record has of this arc, which must be of the same runs; of one that it does not have the usual one. NO_MEMORY. */
enum tare_status spans_weigh(struct spans *s, const struct record *r, struct tare_err *err);
/* A node's time less this, to whole nanoseconds; may be negative. */
int64_t spans_self_ns(const struct spans *s, const struct span_node *n);
/* Where the time of the runs went, into the record, for a page's flame graph: the stacks with a thousandth of it and more; of several programs below one
 * for each. subjects: whose each file is. Nothing where the files cannot be read. NO_MEMORY. */
enum tare_status spans_keep_stacks(struct record *r, const struct trace_file *const *files, const int *subjects, int n_files,
                                   struct tare_err *err);

#endif
