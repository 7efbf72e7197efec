/* SPDX-License-Identifier: MIT
 *
 * tare/point.h - control points: which paths a program takes, and how long each takes.
 *
 *     #include <tare/point.h>
 *
 *     void serve(struct queue *q)
 *     {
 *         TARE_POINT();                              // a point: file, line and function
 *         parse(q);
 *         TARE_POINT_NAMED("parsed");                // with a name
 *         for (int i = 0; i < q->n; i++) {
 *             TARE_SCOPE("item");                    // from here to the end of the block
 *             if (cached(q, i))
 *                 TARE_POINT_NAMED("hit");
 *             else
 *                 TARE_POINT_VALUE("miss", i);       // with a number
 *         }
 *         TARE_POINT();
 *     }
 *
 *     cc -O2 serve.c $(pkg-config --cflags --libs tare) && tare trace -r 30 -- ./a.out
 *
 * An arc is the path from one point to the next point that the same thread hits. `tare trace` runs the program and shows, for each arc, how
 * often it was taken, how long it took, with an interval, and its share of the total time; and the points that were never hit.
 * No call is needed at the start. Without `tare trace` the program runs as if there were no points, except for a load and a branch at each.
 *
 * Cost. Not traced: a load and a branch. Traced: one reading of the processor's counter and a store of 8 bytes, 16 with a value. Where arcs are
 * counted: a call and an addition. Where they are aggregated: two calls and the reading. The overhead of a hit is measured in the same process,
 * subtracted from the arcs and reported. Iterations, counters, lanes and thread names have the overhead of a hit, which is subtracted
 * too; that of a mark only in part. A point is some 150 bytes of code at -O2, 300 to 400 at -O0; the slow path and the measurement of the
 * overhead add 1.5 KB to each object file. Each thread has its own memory; a hit takes no lock, allocates nothing and leaves errno alone.
 * Memory for further hits is fetched first after some 1700 hits of a thread, then after each 32 000 to 500 000; the time of that is
 * recorded and subtracted. In runs of `--order fast` TARE_POINT costs one call more than TARE_POINT_FAST.
 *
 * Nothing is lost however the program ends: all hits are in the file after abort, _exit, exec and kill -9. Points may be used in signal
 * handlers, in code before main and after exit, in destructors of threads, and in shared objects that are loaded and unloaded. A forked child is
 * traced separately, and so is a program that is executed. Changes of descriptors, folder, user or limits by the program have no effect;
 * where a file cannot be made or enlarged the program is not disturbed, and the results say what is missing.
 *
 * Without any points: -DTARE_POINTS_OFF, or `#define TARE_POINTS_OFF` before the include. Arguments are still checked by the compiler, but not
 * evaluated, and the object code is as if the points were not there. So an argument of a point must have no side effect.
 *
 * Programs that run with more privileges than their caller (set-user-id) are not traced from outside.
 *
 * C11 and later; C++17 and later, where points may also be used in templates and inline functions (in C in static inline ones). gcc and clang.
 * Link with -ltare. Where several shared objects of one program have points, link them all with the shared library, so that arcs lead from one
 * to the other; each static copy writes a file of its own. In position-independent code of shared objects a hit finds the thread's memory by the
 * general access model, which may be a call; -DTARE_POINTS_INITIAL_EXEC selects the short one, for objects that are not loaded by dlopen.
 *
 * What it does not do: judge what a time means, count events of the processor, trace code that has no points.
 */
#ifndef TARE_POINT_H
#define TARE_POINT_H

#include <stddef.h>
#include <stdint.h>
#include <tare/status.h>
#include <tare/ticks.h>

/* Points belong to groups, numbered 0 to TARE_GROUPS - 1, each of which has its mode. Those after
 *     #undef TARE_GROUP
 *     #define TARE_GROUP 3
 * belong to group 3; without it to group 0. */
#ifndef TARE_GROUP
#define TARE_GROUP 0
#endif

#include <tare/detail/point_hit.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The calls below: any thread, not signal handlers (points may be in handlers). Where nobody traces this process
 * they do nothing, but for tare_trace_start. */

/* ---- switching at run time ---- */

/* What is done at a hit. */
enum tare_trace_mode {
    TARE_TRACE_OFF,
    TARE_TRACE_COUNT, /* arcs are counted, the clock is not read */
    TARE_TRACE_AGGREGATE, /* of each arc: number, sum, minimum, maximum and a histogram of its times; memory does not grow with time */
    TARE_TRACE_EVENTS, /* each hit is written down with its time: 8 bytes */
    TARE_TRACE_BURST   /* all arcs are counted; at random intervals so many hits are written down */
};

/* groups: bit g for group g. From now on, in all threads. */
void tare_trace_modes(uint32_t groups, enum tare_trace_mode mode);

/* To trace without `tare trace`. Begin with TARE_INIT (tare/status.h), which sets size. Files of `folder` (absolute; it must exist) get the name
 * PID-START.trace. */
struct tare_trace_options {
    size_t size;
    const char *folder;
    enum tare_trace_mode mode; /* of all groups; 0 is TARE_TRACE_OFF */
    uint64_t limit_bytes;      /* of the file; then arcs are aggregated as long as there is room; 0: 64 GiB */
};
/* BUSY: this process is traced already (by tare trace, or an earlier call). INVALID: the options. Others: the file cannot be made. */
enum tare_status tare_trace_start(const struct tare_trace_options *options, struct tare_err *err);
/* All groups off; what was written is kept. tare_trace_modes switches on again. */
void tare_trace_stop(void);
/* Returns when what was written so far is on the disk: against loss of power; no crash of the program needs it. */
void tare_trace_flush(void);

/* ---- calls ---- */

/* The points that this thread hits next belong to lane `lane`: a chain of its own, whichever threads work on it (a fibre, a
 * coroutine, a request). 0: the thread's own again. An arc goes from a point to the next of the same lane. */
void tare_lane(uint64_t lane);
/* A remark, shown on the time line; copied, at most 1016 bytes of it. NULL: none. */
void tare_mark(const char *text);
/* The name of this thread in the results; copied, at most 1016 bytes. By default the system's name of it; NULL changes nothing. */
void tare_trace_thread_name(const char *name);

#ifdef __cplusplus
}
#endif

/* ---- points ---- */

/*   TARE_POINT()                        an end of arcs, known by its place: file, line, and its number among the points of the line
 *   TARE_POINT_NAMED("x")               and a name; names of points are literals, and need not be unique
 *   TARE_POINT_VALUE("x", n)            and a number that is kept with each hit, 64 bits; _I64 signed, _F64 a double
 *   TARE_POINT_FAST(), _NAMED           the clock is read without waiting for what comes before: cheaper, but the end of the work
 *                                       before it may be counted for the arc behind it. For long arcs and hot places
 *   TARE_POINT_PRECISE(), _NAMED        four readings at each hit. In runs of `tare trace --order precise` they give the overhead of each
 *                                       hit; in others arcs end at the first and begin at the last of them
 *   TARE_SCOPE("x");                    a region: a point here and one where the block is left, in whatever way. A declaration: behind an
 *                                       `if` it needs braces, and so does one that a `case` or `goto` jumps over: without them it does not
 *                                       compile. C++: one on a line of each block
 *   TARE_SCOPE_BEGIN("x"), _END("x")    the same by hand, for regions that are no blocks
 *   TARE_BREAK()                        the next point begins a new chain: no arc leads to it. Before the program waits for something, so
 *                                       that waiting is not counted as work
 *   TARE_ITERATION(i)                   what follows belongs to iteration i: iterations can then be compared
 *   TARE_COUNTER("x", n)                a number over time, beside the arcs: it ends none; _F64 a double */

#ifdef TARE_POINTS_OFF

/* Checked, not evaluated: no code. */
#define TARE_CHECKED(type, value) ((void)sizeof((type)(value)))
#define TARE_TITLE(title)         ((void)sizeof("" title))

#define TARE_POINT()                       ((void)0)
#define TARE_POINT_NAMED(title)            TARE_TITLE(title)
#define TARE_POINT_VALUE(title, value)     (TARE_TITLE(title), TARE_CHECKED(uint64_t, value))
#define TARE_POINT_VALUE_I64(title, value) (TARE_TITLE(title), TARE_CHECKED(int64_t, value))
#define TARE_POINT_VALUE_F64(title, value) (TARE_TITLE(title), TARE_CHECKED(double, value))
#define TARE_POINT_FAST()                  ((void)0)
#define TARE_POINT_FAST_NAMED(title)       TARE_TITLE(title)
#define TARE_POINT_PRECISE()               ((void)0)
#define TARE_POINT_PRECISE_NAMED(title)    TARE_TITLE(title)
#define TARE_SCOPE(title)                  TARE_TITLE(title)
#define TARE_SCOPE_BEGIN(title)            TARE_TITLE(title)
#define TARE_SCOPE_END(title)              TARE_TITLE(title)
#define TARE_COUNTER(title, value)         (TARE_TITLE(title), TARE_CHECKED(int64_t, value))
#define TARE_COUNTER_F64(title, value)     (TARE_TITLE(title), TARE_CHECKED(double, value))
#define TARE_ITERATION(index)              TARE_CHECKED(uint64_t, index)
#define TARE_BREAK()                       ((void)0)

#define tare_lane(lane)                ((void)sizeof(lane))
#define tare_mark(text)                ((void)sizeof(*(text)))
#define tare_trace_thread_name(name)   ((void)sizeof(*(name)))
#define tare_trace_modes(groups, mode) ((void)sizeof((groups) + (uint32_t)(mode)))
#define tare_trace_start(options, err) ((void)sizeof((options)->folder), (void)sizeof(err), TARE_UNSUPPORTED)
#define tare_trace_stop()              ((void)0)
#define tare_trace_flush()             ((void)0)

#else

#define TARE_POINT()                   TARE_PASS(NULL, TARE_KIND_POINT, TARE_ORDERED, tare_point_pass)
#define TARE_POINT_NAMED(title)        TARE_PASS("" title, TARE_KIND_POINT, TARE_ORDERED, tare_point_pass)
#define TARE_POINT_VALUE(title, value) TARE_PASS_VALUE("" title, TARE_KIND_POINT, TARE_VALUE_U64, TARE_AS(uint64_t, value))
#define TARE_POINT_VALUE_I64(title, value) \
    TARE_PASS_VALUE("" title, TARE_KIND_POINT, TARE_VALUE_I64, TARE_AS(uint64_t, TARE_AS(int64_t, value)))
#define TARE_POINT_VALUE_F64(title, value) TARE_PASS_VALUE("" title, TARE_KIND_POINT, TARE_VALUE_F64, tare_point_bits(value))
#define TARE_POINT_FAST()                  TARE_PASS(NULL, TARE_KIND_POINT, TARE_FAST, tare_point_pass_fast)
#define TARE_POINT_FAST_NAMED(title)       TARE_PASS("" title, TARE_KIND_POINT, TARE_FAST, tare_point_pass_fast)
#define TARE_POINT_PRECISE()               TARE_PASS(NULL, TARE_KIND_POINT, TARE_PRECISE, tare_point_pass_precise)
#define TARE_POINT_PRECISE_NAMED(title)    TARE_PASS("" title, TARE_KIND_POINT, TARE_PRECISE, tare_point_pass_precise)
#define TARE_SCOPE(title)                  TARE_SCOPE_AS("" title, __COUNTER__)
#define TARE_SCOPE_BEGIN(title)            TARE_PASS("" title, TARE_KIND_BEGIN, TARE_ORDERED, tare_point_pass)
#define TARE_SCOPE_END(title)              TARE_PASS("" title, TARE_KIND_END, TARE_ORDERED, tare_point_pass)
#define TARE_COUNTER(title, value) \
    TARE_PASS_VALUE("" title, TARE_KIND_COUNTER, TARE_VALUE_I64, TARE_AS(uint64_t, TARE_AS(int64_t, value)))
#define TARE_COUNTER_F64(title, value) TARE_PASS_VALUE("" title, TARE_KIND_COUNTER, TARE_VALUE_F64, tare_point_bits(value))
#define TARE_ITERATION(index) \
    tare_point_pass_value(&tare_point_iterations[TARE_GROUP_NOW], TARE_GROUP_NOW, TARE_AS(uint64_t, index))
#define TARE_BREAK() (tare_trace_off(tare_trace_word(TARE_GROUP_NOW)) ? (void)0 : tare_point_break())

#ifdef __cplusplus
#include <tare/detail/point_cxx.hpp>
#else
#include <tare/detail/point_c.h>
#endif

#endif
#endif
