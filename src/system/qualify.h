/* SPDX-License-Identifier: MIT
 *
 * qualify.h - what a host is like to measure on, as subjects, rows and estimates of a record.
 *
 *     struct qualify q = {.record = &r, .start_ns = plat_now_ns(), .cpus = allowed, .watch_ns = 120000000000};
 *     status = qualify_describe(&q, &err);      // its subjects, before the record's head is written
 *     status = qualify_measure(&q, &err);       // rows: pairs of CPUs, gaps, throughput, counters
 *     ... sessions of a program against itself, and against itself with more work: qualify_add_planted
 *     status = qualify_estimates(&r, &err);     // from the rows alone: also of a stored record
 *
 * Subjects are of kind SUBJECT_HOST and told apart by their parameter "what":
 *     sharing      a row is one round with one pair of CPUs: cpu_a, cpu_b, alone_a, alone_b, together_a, together_b (multiplies per second of CPU time),
 *                  siblings (1: the system says that they are threads of one core, 0: that they are not; null: it does not tell)
 *     jitter       one for each CPU (parameter cpu); a row is a stretch of jitter.h: wall, lost, largest, delay, throttled, stolen, involuntary, core_hz, least,
 *                  and gaps_N: how many of N ns and more, below the next such column
 *     throughput   one for each CPU; a row is a slice in which all of them were busy: wall, done (multiplies per second of it), of_cpu_time (per second of
 *                  the CPU time that our thread had), had (CPU time over wall time)
 *     planted      a row is a session of a program against itself with more work: planted, shift, low, high, rounds, found, wrong
 *     counters     one row: rate_ppm, rate_bound_ppm (the processor's counter against CLOCK_MONOTONIC_RAW, over the session), skew_ns, skew_bound_ns,
 *                  impossible (between CPUs: the largest of `others`)
 * Facts of conditions `after`: interrupts_of_cpu_N, timer_interrupts_of_cpu_N_hz. Estimates: qualify_estimates.c. Nothing is judged here (analyse/host_verdict.h), nothing is changed on the machine.
 * Ownership: the struct is the caller's; arrays that it points to outlive it.
 */
#ifndef QUALIFY_H
#define QUALIFY_H

#include "cpu_list.h"
#include "jitter.h"
#include "record.h"

enum { QUALIFY_CPUS_MAX = 256, QUALIFY_PROBED_MAX = 4, QUALIFY_PAIRS_MAX = 16, QUALIFY_PAIR_ROUNDS = 9 };

struct qualify_pair {
    int a, b;
    double siblings; /* as the system says; NaN: it does not */
};

struct qualify {
    struct record *record;
    int64_t start_ns;                             /* of the session, plat_now_ns clock */
    struct cpu_list cpus;                         /* to be looked at: allowed to us */
    int64_t watch_ns, jitter_ns;                  /* of the throughput; of the gaps, each CPU */
    void (*after_row)(void *context, int series); /* NULL: none */
    void (*phase)(void *context, const char *what,
                  double left_s); /* what is being done, for so long (NaN: not known); NULL: none */
    void *context;
    /* out */
    int cpu[QUALIFY_CPUS_MAX], n_cpus; /* those that are kept busy: at most so many, evenly chosen */
    int probed[QUALIFY_PROBED_MAX], n_probed;
    struct qualify_pair pair[QUALIFY_PAIRS_MAX];
    int n_pairs;
    int sharing, jitter[QUALIFY_PROBED_MAX], throughput[QUALIFY_CPUS_MAX], planted, counters; /* subjects */
};

/* INVALID: a CPU that is not allowed to us. NO_MEMORY. */
enum tare_status qualify_describe(struct qualify *q, struct tare_err *err);

/* UNSUPPORTED: threads cannot be had, with the reason. INTERRUPTED: rows that were made before are there. */
enum tare_status qualify_measure(struct qualify *q, struct arena *a, struct tare_err *err);

struct qualify_planted {
    double planted;          /* by how much more the second one worked: ln of the ratio of the times */
    double shift, low, high; /* what the session found; NaN without */
    int rounds;
    bool found, wrong; /* the interval lies on the right side of nought; on the wrong one */
};
enum tare_status qualify_add_planted(struct qualify *q, const struct qualify_planted *p, struct tare_err *err);

/* What the rows say, of every SUBJECT_HOST; those that are there already are not made again. NO_MEMORY. */
enum tare_status qualify_estimates(struct record *r, struct tare_err *err);

/* The stretches behind a jitter subject's rows, in the arena. False: it has none, or they are not such rows. */
bool qualify_stretches(const struct record *r, int subject, struct jitter_cpu *out, struct arena *a);

#endif
