/* SPDX-License-Identifier: MIT
 *
 * trace_events.h - the events of one trace file, one after the other, for who draws or exports them.
 *
 *     struct trace_events *it;
 *     struct trace_event e;
 *     trace_events_open(&it, file, &(struct trace_window){.thread = 2, .to_ns = INT64_MAX}, &err);
 *     while (trace_events_next(it, &e))
 *         if (e.kind == EVENT_POINT) ... e.ns, e.point->name, e.value ...
 *     status = trace_events_close(it, &err);
 *
 * In the order of time, of one thread or of all (then by time, threads of one instant by number): what a signal handler passed comes
 * before the event that it interrupted. Memory does not grow with the events: some kilobytes for each thread that is under way.
 * Nothing is subtracted: times are as read, the probe's weight in them. What is lost is in trace_file_loss.
 * Ownership: points and texts belong to file and iterator; texts hold until the next call. One thread at a time, any number of iterators.
 */
#ifndef TRACE_EVENTS_H
#define TRACE_EVENTS_H

#include "trace_file.h"
#include "trace_time.h"

enum trace_event_kind {
    EVENT_POINT,
    EVENT_SCOPE_BEGIN,
    EVENT_SCOPE_END,
    EVENT_COUNTER,
    EVENT_MARK,        /* text */
    EVENT_THREAD_NAME, /* text */
    EVENT_BREAK,       /* no arc from the last point of this lane to the next; also where points were switched off or on */
    EVENT_BURST,       /* a window of burst mode begins: as EVENT_BREAK */
    EVENT_BURST_END,
    EVENT_LOST,      /* number: words; as EVENT_BREAK. Stretches that are missing too: number 0 */
    EVENT_GAP,       /* until end_ns libtare worked */
    EVENT_LANE,      /* what follows in this thread belongs to e.lane */
    EVENT_CPU,       /* number: the thread runs there from here on */
    EVENT_ITERATION, /* number */
    EVENT_SIGNAL,    /* number */
    EVENT_KINDS
};

struct trace_event {
    enum trace_event_kind kind;
    int thread;    /* index in trace_file_threads */
    int depth;     /* 0; within signal handlers 1 and more: an arc path of its own */
    uint64_t lane; /* 0: the thread's own */
    uint64_t tick;
    int64_t ns;                      /* trace_time_ns */
    double fraction;                 /* of a nanosecond, beside ns */
    int64_t end_ns;                  /* EVENT_GAP; POINT with four stamps: t2, where the next arc begins (ns is t3); else ns */
    const struct trace_place *point; /* of the first four kinds; never NULL there */
    enum trace_value value;          /* what it brought: which of the three below, or none */
    uint64_t u64;
    int64_t i64;
    double f64;
    uint64_t number;
    const char *text; /* closed by a zero; else "" */
};

struct trace_window {
    int thread;             /* index; TRACE_ALL_THREADS */
    int64_t from_ns, to_ns; /* [from, to) */
};
enum { TRACE_ALL_THREADS = -1 };

struct trace_events;

enum tare_status trace_events_open(struct trace_events **out, const struct trace_file *f, const struct trace_window *w,
                                   struct tare_err *err);
/* False: no more, or a failure, which the closing tells. */
bool trace_events_next(struct trace_events *it, struct trace_event *out);
/* IO: the file could not be read to its end. */
enum tare_status trace_events_close(struct trace_events *it, struct tare_err *err); /* NULL is fine */

#endif
