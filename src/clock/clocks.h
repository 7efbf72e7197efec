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

#include "cpu.h"
#include "plat_clock.h"
#include "rng.h"
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
/* The same, but where 10th to 90th percentile are within two steps of the clock, median is the mean (stepped.h): what decides there is the
 * phase of the steps. At most CLOCK_SPREAD_MOST values. */
struct clock_spread clock_spread_in_steps(int64_t *values, int n, double step);
enum { CLOCK_SPREAD_MOST = 512 };

/* ---- ticks to nanoseconds ---- */

/* ns = ticks * multiplier / 2^shift, in 128 bits: rounded to the nearest nanosecond, for every count of 63 bits and every frequency
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
    const char *name;        /* "tsc" */
    bool readable;           /* this process may execute the instructions */
    bool trusted;            /* and the counter runs evenly at a known frequency */
    char reason[256];        /* why it is not trusted; empty when it is */
    char kernel_clock[64];   /* what the kernel keeps time by: "tsc", "kvm-clock"; empty: it does not say */
    char kernel_clocks[256]; /* all that it could: "tsc kvm-clock acpi_pm" */
    struct clock_source_said sources[CLOCK_SOURCES];
    enum clock_source chosen; /* whose frequency counts; meaningless unless trusted, or where it was told */
    bool told;                /* by another process; the sources were not asked */
    double hz, error_ppm;     /* the largest error that the sources and the calibration allow; NaN when not known */
    uint64_t step_ticks;      /* as struct clock_step has it, from a few readings; 0 where it cannot be read */
};
/* Examines the counter, with a calibration over so many ns. Always fills *out; a counter that cannot be trusted is a value. */
void clock_counter_examine(struct clock_counter *out, int64_t calibrate_ns);
/* The same without a calibration, which would take time from a program that somebody watches: hz is what the first of the sources says, held against
 * nothing (NaN: none says any), error_ppm NaN. Some 0.1 ms. */
void clock_counter_glance(struct clock_counter *out);

/* What another process of this program found on this machine, in place of finding it again, which takes 10 to 20 ms. */
struct clock_told {
    double hz, error_ppm; /* hz of 0: nothing is told */
    uint64_t step_ticks;
    double chain_cycles; /* as clock_chain_weights has them; 0, and what no chain can take: not told */
};
/* Before the first call of clock_state, which makes its state of it; later it is of no use.
 *
 * It may be told, for the counter was found to be invariant, and held against the reference clock: from the start of the machine to its end its
 * frequency and its step are the same, and so is what the instructions of the chains take. Who tells keeps an eye on that meanwhile (clock_drift). What belongs to a
 * process or moves is not told: whether this process may read the counter, and the kernel still believes it; what brackets weigh; the
 * core's frequency, which is that of the moment in which it is asked for. */
void clock_tell(const struct clock_told *told);
/* As clock_counter_examine, by what was told. */
void clock_counter_believe(struct clock_counter *out, const struct clock_told *told);

/* A reading of the counter and of the reference clock at one moment, as well as 31 tries allow. */
struct clock_pair {
    uint64_t ticks; /* the middle of the two reads around that of the clock */
    int64_t ns;
    uint64_t width_ticks; /* the moment of the clock's read lies in ticks -+ half of this */
};
struct clock_calibration {
    struct clock_pair from, to;
    uint64_t step_ticks;
    double hz, error_ppm; /* bound, from the widths and the steps of both */
};
/* INVALID: the counter or the clock stepped back or stood still; err says which. The counter must be readable. */
enum tare_status clock_calibrate(struct clock_calibration *out, int64_t over_ns, struct tare_err *err);
enum plat_clock clock_reference(void); /* CLOCK_MONOTONIC_RAW; where there is none CLOCK_MONOTONIC */

/* ---- the one clock of this process ---- */

struct clock_state {
    struct clock_counter counter;
    const char *name; /* of what brackets read: the counter's; when it is not trusted "raw" ("monotonic" without a raw clock) */
    double hz, error_ppm;
    struct clock_scale scale;
    uint64_t step_ticks;     /* of what brackets read */
    double floor_ticks;      /* what a bracket around nothing shows beyond its weight */
    struct clock_pair start; /* of the calibration; zero when the counter is not trusted */
};
const struct clock_state *clock_state(void);
void clock_forget(void); /* for tests that change the world; no other thread may be measuring */

/* How far counter and reference clock have run apart since the moment *since, which becomes now; begin with clock_state()->start. In ppm
 * of the counter's frequency; *bound_ppm is what that frequency and the reads allow. More than that means: the counter changed its rate
 * (migration of a virtual machine, suspend) or stepped. INVALID: it went backwards. UNSUPPORTED: the counter is not trusted anyway. */
enum tare_status clock_drift(struct clock_pair *since, double *ppm, double *bound_ppm, struct tare_err *err);

/* ---- the phase of its steps ---- */

/* Before the first of two readings whose difference is one of many that are averaged (stepped.h): then their mean has no error of the step. */
struct clock_phase {
    struct rng rng;
    int width_adds; /* of each of the two uniforms whose sum is the delay */
};
void clock_phase_open(struct clock_phase *p, uint64_t seed, double step_ns);
void clock_phase_draw(struct clock_phase *p); /* waits for some 25 to 100 steps */
double clock_step_ns(void);                   /* of the counter */

/* No core is faster: they are sold with up to 6.2 GHz, and none has run at 10. Where a step must be short beside a count of cycles, or a delay long
 * beside a step, a bound that is too high costs time and one that is too low makes figures wrong. */
extern const double CLOCK_FASTEST_HZ; /* 1e10 */

/* ---- how fast the core runs ---- */

/* Cycles without a counter of cycles: a chain of multiplies and one of register adds, each a known number of cycles long. */
struct clock_core {
    double hz;           /* by the multiplies of the set, their mean without interruptions */
    double adds_hz;      /* by the adds, likewise */
    double ratio;        /* one multiply in adds: 3.000 on x86-64; of the fastest of each */
    int multiply_cycles; /* 3 */
    double empty_ticks;  /* mean of empty brackets, taken off the chains */
    int sets;            /* of chains that were run until they agreed; the figures are the last one's */
    bool agree;          /* ratio within 0.5 % of what a multiply takes: 3 on x86-64, 2 to 5 elsewhere */
    char reason[200];    /* why not; empty when they do */
};
extern const double CLOCK_STEP_MATTERS; /* 2e-4 */
/* Runs both chains until they agree, 0.2 to 10 ms. Status other than OK: the counter cannot be read. */
enum tare_status clock_core_examine(struct clock_core *out, struct tare_err *err);

/* The best of three chains of multiplies, 10 to 20 us; where a step of the counter is more than CLOCK_STEP_MATTERS of a chain the mean of 15, with drawn
 * phase. UNSUPPORTED, with the reason: the counter is not trusted, or the chains did not agree in the first call of a process, which tries for up to
 * 0.2 s, nor since: each later call tries once more. */
enum tare_status clock_core_hz(double *hz, struct tare_err *err);
/* From the ticks of one chain_ticks() (plat/cpu, chain.h), taken in this process or a child: core frequency in Hz; NaN where
 * clock_core_hz would be UNSUPPORTED, or for ticks <= 0. */
double clock_chain_hz(int64_t ticks);
/* What that takes: core frequency = *cycles * frequency of the counter / (ticks - *empty_ticks). UNSUPPORTED, with the reason, as above. */
enum tare_status clock_chain_weights(double *cycles, double *empty_ticks, struct tare_err *err);

/* ---- every clock there is ---- */

enum clock_property {
    CLOCK_COUNTS_TICKS = 1,   /* raw readings are ticks of an unknown frequency; else nanoseconds */
    CLOCK_STEADY = 2,         /* never steps */
    CLOCK_SLEWED = 4,         /* time keeping makes it a little faster or slower */
    CLOCK_COUNTS_SUSPEND = 8, /* goes on while the machine sleeps */
    CLOCK_OF_CPU = 16,        /* runs only while we do */
};

struct clock_kind {
    const char *id;        /* "tsc", "monotonic" */
    const char *title;     /* "CLOCK_MONOTONIC" */
    unsigned properties;   /* enum clock_property */
    enum plat_clock clock; /* PLAT_CLOCKS: a counter of the processor */
    /* OK: it can be read here. Otherwise nothing else may be called; err has the reason. */
    enum tare_status (*probe)(struct tare_err *err);
    int64_t (*read)(void);
    int64_t (*read_kernel)(void); /* by a plain system call; NULL: it is no clock of the system */
    double (*hz)(void);           /* of its readings: 1e9 for nanoseconds; NaN: not known */
    int64_t (*promised_ns)(void); /* step as the system says; 0: it says nothing */
};
/* NULL: there are no more. */
const struct clock_kind *clock_kind_at(int index);
const struct clock_kind *clock_kind_named(const char *id);

/* Smallest step, from readings in a row over at most 60 ms; 200 ms more where that is above what the kernel promises. */
struct clock_step {
    double ns; /* smallest difference where it mostly stands still between readings; else the differences' common divisor */
    double closest_ns; /* smallest difference: the step, or what a reading costs, whichever is longer */
    int changes;       /* differences that were seen */
    int backwards;     /* readings that were before the one before them */
};
/* TOO_FEW: it did not change in that time. */
enum tare_status clock_step(const struct clock_kind *kind, struct clock_step *out, struct tare_err *err);

/* What a reading costs, in ns, read back to back in batches of 16: each value is a batch's mean. */
struct clock_spread clock_cost(const struct clock_kind *kind);
struct clock_spread clock_kernel_cost(const struct clock_kind *kind); /* n of 0: no plain system call reads it */
/* Whether the system's clock is read without entering the kernel, judged by what both ways cost. kernel_cost_ns of NaN: there is one way only. */
enum clock_path { CLOCK_BY_INSTRUCTION, CLOCK_IN_USER_SPACE, CLOCK_IN_KERNEL };
enum clock_path clock_path(const struct clock_kind *kind, double cost_ns, double kernel_cost_ns);

/* The clock around 1000 multiplies, less the clock around nothing, against what the chain takes by the core's frequency at that
 * moment: 0 = right; below 0 a part of the chain ran outside of the clock's two readings. UNSUPPORTED: the step is too coarse,
 * or core cycles cannot be counted. */
enum tare_status clock_order_error(const struct clock_kind *kind, double *error_ratio, struct tare_err *err);

/* Rate against the reference clock: a moment of each, some time apart. */
struct clock_moment {
    int64_t reading, reference_ns;
    int64_t width_ns; /* of the reference's two readings around */
};
void clock_moment(const struct clock_kind *kind, struct clock_moment *out);
/* UNSUPPORTED: CPU time has no rate, or the frequency is not known. INVALID: stepped back or stood still. */
enum tare_status clock_ppm(const struct clock_kind *kind, const struct clock_moment *from, const struct clock_moment *to,
                           double *ppm, double *bound_ppm, struct tare_err *err);

/* How far the counter of CPU `there` is ahead of that of `here`, by 1000 exchanges between a thread on each; starts a thread and
 * moves this one meanwhile. The truth lies in ticks -+ bound_ticks if both run at one rate. */
struct clock_skew {
    double ticks, bound_ticks;
    int impossible; /* exchanges in which an answer was stamped before its question or after its arrival */
};
/* PERMISSION, UNSUPPORTED: the counter cannot be read, no thread can be had. INVALID: a CPU that is not there, offline or not
 * allowed, or both the same. */
enum tare_status clock_skew(int here, int there, struct clock_skew *out, struct tare_err *err);

/* ---- the ways to read the counter in order (cpu.h), side by side ---- */

enum { CLOCK_CHAINS = 4 }; /* 0, 20, 100 and 1000 multiplies */
struct clock_order {
    struct cpu_order order;
    struct clock_spread empty; /* ticks of an empty bracket */
    double pair_ticks; /* what both reads cost from outside, serialisers included: 8 empty brackets in a row, median of 301 */
    struct {           /* NaN where the order is missing */
        int multiplies;
        double expected_cycles, cycles; /* net of the median empty bracket; NaN: core cycles cannot be counted */
        double net_ticks;
    } chain[CLOCK_CHAINS];
};
/* False: no such order. One that is missing has order.missing set and an empty spread. UNSUPPORTED needs no call: where the
 * counter cannot be read every order is missing. */
bool clock_order(int index, struct clock_order *out);

#endif
