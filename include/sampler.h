/* SPDX-License-Identifier: MIT
 *
 * sampler.h - SAMPLER v2's control points: its programs compile as they are.
 *
 *     #include <sampler.h>
 *
 *     int main(int argc, char **argv)
 *     {
 *         sampler_init(&argc, argv);
 *         SAMPLE;                         // the first point: here the first arc begins
 *         work();
 *         SAMPLE;                         // ends that arc and begins the next
 *     }
 *
 *     cc -O2 lab.c -I.../include -L.../lib -lsampler
 *     ./a.out -o sampler.out              // by itself: one JSON line for each arc
 *     sampler-repeat 10 5 ./a.out         // ten runs, the first five not counted: sampler.out
 *     tare show sampler.out               // the arcs with intervals; --export-dot, --export-markdown ...
 *     tare trace -r 30 -- ./a.out         // or by tare alone: then each SAMPLE is a point of tare/point.h, and no lines are written
 *
 * A line: {"prev":{"file","line","func"},"curr":{...},"dt","ref_start","ref_end"}, whole nanoseconds. Each pass reads the clock four times:
 * t3 t4 end the arc that leads to it, t1 t2 begin the next. dt = t3 - t2, ref_start = t2 - t1, ref_end = t4 - t3, and the arc took
 * dt - (ref_start + ref_end) / 2. The line is written between t4 and t1, outside of all arcs. An empty line ends a run.
 *
 * Each line goes to the system whole and at once, so however the program ends (kill -9, abort, _exit, exec) the file has all arcs that
 * ended; only the empty line may be missing, and sampler-repeat adds it. Threads have chains of their own. A forked child begins a
 * chain of its own and writes into the same file. A point in a signal handler that interrupts another point's pass is passed over. Where
 * lines cannot be written, the first such failure is said on standard error and the program goes on.
 *
 * SAMPLER_MACRO, defined before the include: the clock is read in line, one call less within the arc; it needs a C mode in which <time.h>
 * has clock_gettime, else nothing changes. CLOCK, likewise: another clock than CLOCK_MONOTONIC; arcs between points of different
 * clocks are not written, and `tare trace` reads the processor's counter whatever it is. Both only for those who know why.
 *
 * C99 and later, C++11 and later; gcc and clang. What it does not do: names, values, scopes, switching off. tare/point.h does.
 */
#ifndef SAMPLER_H
#define SAMPLER_H

#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Takes its own arguments out of the command line: -o FILE (created, or emptied), -O FD (a descriptor that is open), and --, which ends them.
 * Stops at the first that is not its own. Without it, or without arguments, lines go to standard output. Returns 0. A value that is
 * missing or no descriptor, or a file that cannot be opened: one line on standard error, and the program ends with exit code 2. */
int sampler_init(int *argc, char **argv);

/* ---- what the macros below are made of ---- */

/* One for each place in the source; libsampler's. */
struct sampler_point {
    unsigned id, number;
    const char *file, *func, *name;
    unsigned line;
    unsigned char kind, value, group, order;
    struct sampler_point *partner, *next;
    void (*row)(void);
    const char *unit;
    unsigned count;
};

/* The system's number of the clock. */
void sampler_pass(struct sampler_point *p, int clock);
/* Between t4 and t1. Where t1 and t2 are to be stored. */
long long *sampler_arrive(struct sampler_point *p, int clock, long long t3, long long t4);
/* Those of a program or shared object. Called by its constructor and destructor. */
void sampler_points_enter(struct sampler_point **first, struct sampler_point **end);
void sampler_points_leave(struct sampler_point **first);

#ifdef CLOCK
#define SAMPLER_CLOCK ((int)(CLOCK))
#else
#define SAMPLER_CLOCK 1 /* CLOCK_MONOTONIC, which strict C modes hide */
#endif

#if defined(_WIN32) && !defined(__cplusplus)
#include <tare/detail/point_pe.h>
#define SAMPLER_ENTRY \
    static struct sampler_point *sampler_entry __attribute__((__section__("sampler_"), __used__)) = &sampler_here;
TARE_POINT_SECTION(sampler_points, sampler_point, "sampler_")
#elif defined(__ELF__) && !defined(__cplusplus)
#define SAMPLER_ENTRY \
    static struct sampler_point *sampler_entry __attribute__((__section__("sampler_points"), __used__)) = &sampler_here;
extern struct sampler_point *__start_sampler_points[] __attribute__((__weak__, __visibility__("hidden")));
extern struct sampler_point *__stop_sampler_points[] __attribute__((__weak__, __visibility__("hidden")));

__attribute__((__constructor__(200))) static void sampler_points_here(void)
{
    if (&__start_sampler_points[0] != &__stop_sampler_points[0])
        sampler_points_enter(__start_sampler_points, __stop_sampler_points);
}

__attribute__((__destructor__(200))) static void sampler_points_no_more(void)
{
    if (&__start_sampler_points[0] != &__stop_sampler_points[0])
        sampler_points_leave(__start_sampler_points);
}
#else
#define SAMPLER_ENTRY /* such points are known from their first pass on */
#endif

/* Its own in each object file: with the count it says which of several points on a line one is. */
__attribute__((__unused__)) static char sampler_unit[] = __BASE_FILE__;

#define SAMPLER_HERE                                                                                      \
    static struct sampler_point sampler_here = {0, 0, __FILE__, __func__, 0, __LINE__,     1,          0, \
                                                0, 2, 0,        0,        0, sampler_unit, __COUNTER__};  \
    SAMPLER_ENTRY

#if defined(SAMPLER_MACRO) && defined(CLOCK_MONOTONIC)
__attribute__((__always_inline__)) static inline long long sampler_now(int clock)
{
    struct timespec t;
    clock_gettime((clockid_t)clock, &t);
    return (long long)t.tv_sec * 1000000000 + t.tv_nsec;
}

__attribute__((__always_inline__)) static inline void sampler_pass_here(struct sampler_point *p, int clock)
{
    const long long t3 = sampler_now(clock), t4 = sampler_now(clock);
    long long *const stamps = sampler_arrive(p, clock, t3, t4);
    stamps[0] = sampler_now(clock);
    stamps[1] = sampler_now(clock);
}
#define SAMPLER_PASS sampler_pass_here
#else
#define SAMPLER_PASS sampler_pass
#endif

#define SAMPLE                                      \
    __extension__({                                 \
        SAMPLER_HERE                                \
        SAMPLER_PASS(&sampler_here, SAMPLER_CLOCK); \
    })
#define CHECKPOINT SAMPLE

#ifdef __cplusplus
}
#endif
#endif
