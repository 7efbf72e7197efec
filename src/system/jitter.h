/* SPDX-License-Identifier: MIT
 *
 * jitter.h - what a CPU takes away from a program that only computes: a loop reads the counter as fast as it can, and every gap between two readings
 * is time that the program did not have.
 *
 *     struct arena a = {0};
 *     struct jitter j;
 *     const int cpus[] = {1};
 *     struct jitter_options o = {.cpus = cpus, .n_cpus = 1, .duration_ns = 2000000000};
 *     status = jitter_measure(&j, &o, &a, &err);
 *     struct jitter_figures f;
 *     status = jitter_figures(&f, &j.cpus[0], 0.05, &err);
 *     ... f.gaps[JITTER_OVER_10_US].point per second, f.lost_share.point, f.core_hz[1].point ...
 *
 *     struct jitter_change change;
 *     status = jitter_worse(&before, &after, 0.01, &change, &err);
 *     if (change.worse)
 *         ... change.what
 *
 * The time is cut into stretches of 10 ms; between two of them, and in no figure, the core's frequency is measured by reference chains and the
 * kernel's account of our thread is read. The first stretch of each CPU warms up and is not kept.
 * The probe uses its CPU wholly: it sees what takes time from a busy program, and not how long a sleeping one takes to wake.
 * It needs no privilege, changes no setting, prints nothing. One thread; it moves to the CPUs asked for and back.
 * Ownership: all arrays and texts lie in the arena.
 */
#ifndef JITTER_H
#define JITTER_H

#include "arena.h"
#include "cpu_users.h"
#include <stdbool.h>
#include <stdint.h>
#include <tare/stats.h>
#include <tare/status.h>

/* ---- measuring ---- */

/* Gaps are counted by size, in classes that begin at these (1, 2, 5, 10 ... us up to 1 s and more). */
enum { JITTER_CLASSES = 19 };
extern const int64_t jitter_class_ns[JITTER_CLASSES];

enum { JITTER_STRETCH_NS = 10000000 };

/* One stretch; durations in ns, NaN: the system does not say. */
struct jitter_stretch {
    int64_t start_ns; /* plat_now_ns clock */
    double wall_ns;   /* from the first reading to the last */
    double
        least_ns; /* from here a step is a gap: 1000, or the first class that four readings do not fill, where readings are slow */
    double lost_ns; /* sum of all gaps; each holds one reading, some 20 ns, too much */
    double largest_ns;
    int64_t gaps[JITTER_CLASSES];
    double cpu_ns;       /* that our thread had, the readings of the account around the stretch included */
    double delay_ns;     /* it was ready, and others had the CPU; what a quota took included */
    double throttled_ns; /* of it, stopped by a quota */
    double involuntary;  /* context switches forced on it */
    double core_hz;      /* just after it; NaN: cannot be counted here */
    bool backwards;      /* the counter went back: gaps mean nothing */
};

/* What interrupted this CPU while it was measured, from /proc/interrupts. */
struct jitter_interrupt {
    const char *id, *name; /* "LOC" "Local timer interrupts"; "25" "virtio0-input.0" */
    int64_t count;
};

enum { JITTER_INTERRUPTS_SHOWN = 8 };

struct jitter_cpu {
    int cpu; /* -1: where the scheduler put us, as the platform cannot pin */
    struct jitter_stretch *stretches;
    int n;
    double window_seconds;                                /* from the first look at the kernel's account to the last */
    struct jitter_interrupt top[JITTER_INTERRUPTS_SHOWN]; /* most first */
    int n_interrupts;
    int64_t interrupts;      /* all together; -1: the system does not say */
    double ticks_per_second; /* of the timer, in the window; NaN: not known */
    double steal_seconds;    /* of this CPU by /proc/stat, in steps of 0.01 s; NaN: not known */
};

struct jitter {
    struct jitter_cpu *cpus;
    int n_cpus;
    struct cpu_users users; /* who else used CPUs meanwhile, on all CPUs */
    bool users_known;
};

struct jitter_options {
    const int *cpus;
    int n_cpus;          /* at least 1 */
    int64_t duration_ns; /* of each, stretches alone; at least two stretches are made */
    /* After each stretch; NULL: none. done: 0 to 1 of it all. */
    void (*progress)(void *context, int cpu, double done);
    void *context;
};

/* INVALID: a CPU that is not there, offline or not allowed to us. NO_MEMORY. INTERRUPTED: a signal; what was measured before is in *out. */
enum tare_status jitter_measure(struct jitter *out, const struct jitter_options *o, struct arena *a, struct tare_err *err);

/* What /proc/interrupts and /proc/stat say of one CPU; for the probe and its tests alone. */
struct interrupt_counts {
    struct jitter_interrupt *items;
    int n;
    bool known;
};

/* Every line of the text that has a count for this CPU. The text may be cut, empty, huge or of another make: then *out is not known. NO_MEMORY is
 * the only failure. */
enum tare_status interrupts_parse(struct interrupt_counts *out, const char *text, int cpu, struct arena *a);

/* Ticks of 1/100 s that the hypervisor took from this CPU; -1: not told. */
int64_t steal_parse(const char *text, int cpu);

/* ---- what it says ---- */

enum jitter_size { JITTER_OVER_1_US, JITTER_OVER_10_US, JITTER_OVER_100_US, JITTER_SIZES };

struct jitter_figures {
    int stretches;
    double seconds;                          /* spun */
    int64_t count[JITTER_SIZES];             /* gaps of so much and more */
    struct tare_interval gaps[JITTER_SIZES]; /* per second; point NaN: readings of the clock are too slow to tell */
    struct tare_interval lost_share;         /* of the time, 0 to 1 */
    double largest_ns;
    struct tare_interval core_hz[3]; /* 5th percentile, median, 95th percentile; point NaN: cannot be counted */
    double core_spread;              /* (p95 - p5) / median; NaN */
    /* Of the lost time, seconds; NaN: not known. They add up to it but for what the readings of the account take. */
    double lost_seconds, others_seconds, throttled_seconds, stolen_seconds, interrupt_seconds;
    double involuntary; /* context switches per second; NaN */
};
/* level: two-sided error of each interval. NO_MEMORY, INVALID (level). Smallest n and formulas: jitter_figures.c. */
enum tare_status jitter_figures(struct jitter_figures *out, const struct jitter_cpu *cpu, double level, struct tare_err *err);

/* ---- did it become worse? ---- */

enum jitter_question { JITTER_GAPS, JITTER_LOST, JITTER_FREQUENCY, JITTER_QUESTIONS };

struct jitter_change {
    bool worse;                      /* one of the questions says so */
    bool grown[JITTER_QUESTIONS];    /* and which */
    double p[JITTER_QUESTIONS];      /* one-sided; NaN: nothing to compare */
    double before[JITTER_QUESTIONS]; /* gaps of 10 us and more per second; share of the time lost; spread of the frequency */
    double after[JITTER_QUESTIONS];
    bool by_others;   /* what grew lies in time that other tasks had: not the doing of a setting, unless it sent them here */
    const char *what; /* of the first that grew: "gaps of 10 us and more"; constant; NULL: none */
};
/* level: chance of a false `worse`, in all, did nothing change. CPUs that both have are compared. TOO_FEW: no CPU in both, or fewer than 8
 * stretches of one. NO_MEMORY, INVALID (level). */
enum tare_status jitter_worse(const struct jitter *before, const struct jitter *after, double level, struct jitter_change *out,
                              struct tare_err *err);
const char *jitter_question_text(enum jitter_question q); /* "time lost" */

#endif
