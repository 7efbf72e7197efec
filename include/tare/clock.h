/* SPDX-License-Identifier: MIT
 *
 * tare/clock.h - time a piece of code by the processor's own counter, with the overhead of the clock taken off.
 *
 *     struct tare_bracket t;
 *     TARE_START(t);
 *     work();
 *     TARE_STOP(t);
 *     char text[TARE_BRACKET_TEXT];
 *     tare_bracket_text(&t, text, sizeof text);      // "4213 ticks, 2.107 us"
 *
 * What is between START and STOP runs between two ordered reads: nothing of it can drift out, nothing from outside in. The reads
 * themselves cost some 20 ns, in core cycles, which change with the core's frequency; so they are measured around each sample,
 * 8 empty brackets before and 8 after, and the median of these is taken off. The result may be negative or smaller than
 * the clock can tell; then it says so, and nothing is cut off at zero. Code shorter than some 5 cycles shows as 5: the closing read
 * looks up which clock to read, which passes beside anything longer.
 *
 * One bracket is one sample, and one sample is no measurement: for code of less than about a microsecond, or to compare, use the
 * benchmarks of libtare, which repeat, warm up and give an interval.
 *
 * The first TARE_START of a process examines the counter, which takes some 15 ms; tare_clock_describe does the same when you
 * choose. Where the counter cannot be trusted (it is not invariant, this process may not read it, its frequency is in doubt)
 * brackets read CLOCK_MONOTONIC_RAW, and tare_clock_describe says why.
 *
 * What it does not do: print, exit, pin the thread, raise a priority, keep samples, or allocate (only that first examination
 * reads a few files of /proc and /sys, and frees what it needed for them).
 * Threads: any thread may use any call; a bracket belongs to the thread that started it, and START and STOP happen on that
 * thread. Not for signal handlers.
 */
#ifndef TARE_CLOCK_H
#define TARE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <tare/status.h>
#include <tare/ticks.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- brackets ---- */

enum { TARE_BRACKET_EMPTIES = 16, TARE_BRACKET_TEXT = 160 };

/* Caller's; plain data; needs no initialiser and no end. Read it through the calls below. */
struct tare_bracket {
    struct tare_ticks start, stop;
    enum tare_ticks_way way;
    int start_cpu, stop_cpu;             /* -1: not known */
    int64_t empty[TARE_BRACKET_EMPTIES]; /* ticks of empty brackets: half from before, half from after */
};

/* What TARE_START and TARE_STOP are made of. */
void tare_bracket_prepare(struct tare_bracket *b); /* measures empty brackets; everything before the opening read */
void tare_bracket_close(struct tare_bracket *b);   /* measures empty brackets; everything after the closing read */
struct tare_ticks tare_ticks_by_call(void);        /* reads what cannot be read in line */

static inline void tare_bracket_start(struct tare_bracket *b)
{
#if TARE_TICKS_INLINE
    if (b->way) {
        b->start = tare_ticks_begin();
        return;
    }
#endif
    b->start = tare_ticks_by_call();
}

static inline void tare_bracket_stop(struct tare_bracket *b)
{
#if TARE_TICKS_INLINE
    if (b->way == TARE_TICKS_IN_LINE) {
        b->stop = tare_ticks_end(&b->stop_cpu);
        return;
    }
    if (b->way == TARE_TICKS_FENCED) {
        b->stop = tare_ticks_begin();
        return;
    }
#endif
    b->stop = tare_ticks_by_call();
}

/* t: a struct tare_bracket (not a pointer). May be used again and again; keep an array to keep runs. About 0.5 us each, outside
 * of what is timed. */
#define TARE_START(t) (tare_bracket_prepare(&(t)), tare_bracket_start(&(t)))
#define TARE_STOP(t)  (tare_bracket_stop(&(t)), tare_bracket_close(&(t)))

/* What a bracket found. */
struct tare_elapsed {
    int64_t ticks;       /* net: gross less empty. Negative: less than the empty brackets around it */
    int64_t gross_ticks; /* between the two reads */
    int64_t empty_ticks; /* median of the empty brackets; their mean where they differ by no more than two steps of the counter */
    int64_t spread_ticks;  /* 10th to 90th percentile of the empty brackets: what the overhead is uncertain by */
    int64_t ns, gross_ns;  /* the same in nanoseconds */
    bool below_resolution; /* |ticks| is not above spread_ticks, two steps of the counter and what nothing shows, added */
    bool moved;            /* started on one CPU, stopped on another */
    bool backwards;        /* the clock ran backwards in between: no figure here means anything */
};
void tare_bracket_elapsed(const struct tare_bracket *b, struct tare_elapsed *out);

/* "4213 ticks, 2.107 us" and, where it applies, "; below resolution", "; moved from CPU 0 to CPU 1". Net of the clock's overhead;
 * ticks in the counter's own unit, microseconds by its own frequency, three decimals, because more are noise. Cut to size - 1
 * bytes and closed by a zero; TARE_BRACKET_TEXT always has room. Returns the length. size 0 writes nothing. */
size_t tare_bracket_text(const struct tare_bracket *b, char *text, size_t size);

/* ---- what the clock is ---- */

struct tare_clock_info {
    const char *name;   /* what brackets read: "tsc", "cntvct"; "raw" (CLOCK_MONOTONIC_RAW), "monotonic" where there is no raw */
    const char *source; /* where its frequency comes from: "CPUID 15h", "measured" ...; "told" by tare bench, which measured it */
    double hz;
    double error_ppm; /* largest error of hz that the sources and the calibration allow */
    double step_ns;   /* what its readings move by at least */
    bool counter;     /* the processor's counter is read */
    char reason[256]; /* why it is not; empty when it is */
};
/* Static strings and plain data. Examines the clock if nobody did yet. */
void tare_clock_describe(struct tare_clock_info *out);

/* Ticks of that clock (a difference, or a reading) in nanoseconds, to the nearest. No overflow in between: what does not fit 63
 * bits becomes INT64_MAX or INT64_MIN. */
int64_t tare_ticks_ns(int64_t ticks);

/* ---- how fast the core runs ---- */

/* In hertz, at this moment, on the core where it is called: from a chain of multiplies that takes a known number of cycles, 10 to
 * 20 us. TARE_UNSUPPORTED, err has the reason: here a second chain, of adds, does not agree with it, or the counter is not
 * trusted. */
enum tare_status tare_core_hz(double *hz, struct tare_err *err);

#ifdef __cplusplus
}
#endif
#endif
