/* SPDX-License-Identifier: MIT
 *
 * clocks.h - what the rest of tare asks of the clocks: which there are, what the processor's counter is worth, and how fast the
 * core runs. Callers from outside use tare/clock.h.
 *
 *     const struct clock_state *c = clock_state();            // examined and calibrated at the first call, 10 ms
 *     if (!c->counter.trusted)
 *         say(c->counter.reason);
 *     int64_t ns = clock_ticks_ns(&c->scale, ticks);
 *
 *     double hz;
 *     if (clock_core_hz(&hz, &err) == TARE_OK) ...             // 3 chains, about 12 us
 *
 * What it does not do: print, decide what a figure means, allocate, start a thread (but for clock_skew, which says so).
 * Any thread may call anything; state is made once, by the first that asks, while others wait.
 */
#ifndef CLOCKS_H
#define CLOCKS_H

#include "plat_clock.h"
#include <stdbool.h>
#include <stdint.h>
#include <tare/clock.h>
#include <tare/status.h>

/* ---- order statistics of a few readings ---- */

struct clock_spread {
    int n;
    double min, p10, median, p90, p99, max; /* by rank, without interpolation but for the median of an even n */
};
/* Sorts values. n of 0: all NaN. */
struct clock_spread clock_spread_of(int64_t *values, int n);

/* ---- ticks to nanoseconds ---- */

/* ns = ticks * multiplier / 2^shift, in 128 bits: exact to the nearest nanosecond for every count of 63 bits and every frequency
 * from 1 Hz to 100 GHz. */
struct clock_scale {
    uint64_t multiplier;
    int shift; /* 34 to 71 */
};
/* micro_hz: frequency in millionths of a hertz, 1e6 (1 Hz) to 1e17 (100 GHz). */
struct clock_scale clock_scale_of(uint64_t micro_hz);
/* Rounded to the nearest; what does not fit becomes INT64_MAX or INT64_MIN. */
int64_t clock_ticks_ns(const struct clock_scale *scale, int64_t ticks);

/* ---- the processor's counter ---- */

/* Where its frequency can come from, most trusted first. */
enum clock_source {
    SOURCE_KERNEL,     /* what the kernel itself uses, from the page of a perf event */
    SOURCE_CPUID_15,   /* crystal and ratio */
    SOURCE_HYPERVISOR, /* CPUID 40000010h */
    SOURCE_REGISTER,   /* cntfrq_el0 */
    SOURCE_MEASURED,   /* against CLOCK_MONOTONIC_RAW; always made, to hold the others against */
    CLOCK_SOURCES
};
const char *clock_source_name(enum clock_source source); /* "CPUID 15h" */

struct clock_source_said {
    enum tare_status status; /* UNSUPPORTED, PERMISSION: it says nothing, and why */
    double hz;
    double off_ppm; /* from the measured frequency; NaN where either is missing */
    char reason[160];
};

enum { CLOCK_DISAGREE_PPM = 100, CLOCK_CALIBRATE_NS = 10000000 };

struct clock_counter {
    const char *name; /* "tsc" */
    bool readable;    /* this process may execute the instructions */
    bool trusted;     /* and the counter runs evenly at a known frequency */
    char reason[256]; /* why it is not trusted; empty when it is */
    struct clock_source_said sources[CLOCK_SOURCES];
    enum clock_source chosen; /* whose frequency counts; meaningless unless trusted */
    double hz, error_ppm;     /* the largest error that the sources and the calibration allow; NaN when not known */
};
/* Examines the counter, with a calibration over so many ns. Always fills *out; a counter that cannot be trusted is a value. */
void clock_counter_examine(struct clock_counter *out, int64_t calibrate_ns);

/* A reading of the counter and of the reference clock at one moment, as well as 31 tries allow. */
struct clock_pair {
    uint64_t ticks; /* the middle of the two reads around that of the clock */
    int64_t ns;
    uint64_t width_ticks; /* the moment of the clock's read lies in ticks -+ half of this */
};
struct clock_calibration {
    struct clock_pair from, to;
    double hz, error_ppm; /* bound, from the widths and the clock's step */
};
/* INVALID: the counter or the clock stepped back or stood still; err says which. The counter must be readable. */
enum tare_status clock_calibrate(struct clock_calibration *out, int64_t over_ns, struct tare_err *err);
enum plat_clock clock_reference(void); /* CLOCK_MONOTONIC_RAW; where there is none CLOCK_MONOTONIC */

/* ---- the one clock of this process ---- */

struct clock_state {
    struct clock_counter counter;
    const char *name; /* of what brackets read: the counter's, or "raw" when it is not trusted */
    double hz, error_ppm;
    struct clock_scale scale;
    uint64_t step_ticks;     /* smallest step seen */
    struct clock_pair start; /* of the calibration; zero when the counter is not trusted */
};
const struct clock_state *clock_state(void);
void clock_forget(void); /* for tests that change the world; no other thread may be measuring */

/* How far counter and reference clock have run apart since the state was made, in ppm of the counter's frequency; *bound_ppm is
 * what the reads allow. More than that means: the counter changed its rate (migration of a virtual machine, suspend) or
 * stepped. INVALID: it went backwards. UNSUPPORTED: the counter is not trusted anyway. */
enum tare_status clock_drift(double *ppm, double *bound_ppm, struct tare_err *err);

/* ---- how fast the core runs ---- */

/* Cycles without a counter of cycles: a chain of multiplies and one of register adds, each a known number of cycles long. */
struct clock_core {
    double hz;           /* by the multiplies */
    double adds_hz;      /* by the adds */
    double ratio;        /* one multiply in adds: 3.000 on x86-64; of the fastest of each */
    int multiply_cycles; /* 3 */
    double empty_ticks;  /* median of empty brackets, taken off the chains */
    int sets;            /* of chains that were run until they agreed; the figures are the last one's */
    bool agree;          /* ratio within CLOCK_CHAINS_AGREE of what a multiply takes: 3 on x86-64, 2 to 5 elsewhere */
    char reason[200];    /* why not; empty when they do */
};
extern const double CLOCK_CHAINS_AGREE; /* 0.005 */
/* Runs both chains until they agree, 0.2 to 10 ms. Status other than OK: the counter cannot be read. */
enum tare_status clock_core_examine(struct clock_core *out, struct tare_err *err);

/* The best of three chains of multiplies, 10 to 20 us. UNSUPPORTED, with the reason: the chains do not agree here (examined once a
 * process), or the counter is not trusted. */
enum tare_status clock_core_hz(double *hz, struct tare_err *err);
/* From the ticks of one chain_ticks() (plat/cpu, chain.h), taken in this process or a child: core frequency in Hz; NaN where
 * clock_core_hz would be UNSUPPORTED, or for ticks <= 0. */
double clock_chain_hz(int64_t ticks);

#endif
