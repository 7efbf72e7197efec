/* SPDX-License-Identifier: MIT
 *
 * noise.h - what disturbed one sample: from what the kernel counted around it to the causes of cause.def. Used by `tare run` on
 * whole processes and by libtare on samples within a process; it reads nothing itself.
 *
 *     struct noise_history h = {0};                     // one for each thing that is measured again and again
 *     struct noise_delta d = noise_unknown(wall_ns);
 *     d.cpu_ns = ...; d.delay_ns = ...; d.voluntary = 0; d.whole = true;
 *     struct noise_account a = noise_judge(&h, &d);
 *     if (a.flags & NOISE_PREEMPTED) ...
 *
 * It never drops a sample and never guesses: a signal that is NaN raises no flag, and every rule needs all the signals it names.
 * Rules, thresholds and where they come from: noise.c.
 * Ownership: all structs are the caller's; nothing is allocated. Calls are pure but for the history handed in; different
 * histories may be used by different threads. Cost: noise_judge takes under a microsecond.
 */
#ifndef NOISE_H
#define NOISE_H

#include <stdbool.h>
#include <stdint.h>

enum noise_cause {
#define CAUSE(name, bit, word, exogenous, text) NOISE_##name = 1 << (bit),
#include "cause.def"
};

/* What happened between a sample's two ends. NaN: not known. */
struct noise_delta {
    double wall_ns;
    double cpu_ns;        /* used by all that the sample is about, all its threads and children */
    double delay_ns;      /* runnable, but without a CPU */
    double tree_delay_ns; /* not whole: of the waiting of all its threads and processes what was for others; NaN: not known */
    double throttled_ns;  /* the group stopped by its CPU quota */
    double voluntary, involuntary; /* context switches */
    double majflt;                 /* pages read from disk */
    double minflt;                 /* pages that had to be made or mapped */
    double first_cpu, last_cpu;
    double core_hz;            /* just before, by a reference chain */
    double clock_ppm;          /* by how much two clocks disagreed about this stretch of time */
    bool clock_went_backwards; /* one reading lay before an earlier one */
    bool paused;               /* a signal stopped it for a while, or who waited for its end */
    bool whole;                /* it was one thread without children: delay_ns speaks for all of it */
};

/* All unknown but the wall time. */
struct noise_delta noise_unknown(double wall_ns);

enum { NOISE_WINDOW = 31 };

/* The last values of one quantity; a zeroed one is empty. */
struct noise_window {
    int n, next;
    double values[NOISE_WINDOW];
};

struct noise_history {
    struct noise_window wall_ns, core_hz, minflt;
};

struct noise_account {
    uint32_t flags;  /* enum noise_cause */
    double delay_ns; /* as given, NaN where it does not speak for the whole */
    double steal_ns; /* wall time that nothing accounts for; NaN where that would be a guess; may be a little negative */
};

/* Judges one sample against those before it, then adds it to the history. */
struct noise_account noise_judge(struct noise_history *h, const struct noise_delta *d);

/* Time lost must exceed this to count as a cause: max(50 us, 1 % of the wall time). */
double noise_threshold_ns(double wall_ns);

#endif
