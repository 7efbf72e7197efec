/* SPDX-License-Identifier: MIT
 *
 * ways.h - the ways to read a clock, side by side: the processor's counter and the system's clocks; what each costs, how fine it is,
 * whether it keeps its place, how far it runs from CLOCK_MONOTONIC_RAW, and how far the counters of two CPUs are apart.
 *
 *     struct clock_way_found found;
 *     for (int i = 0; i < clock_ways(); i++) {
 *         clock_way_measure(i, core_hz, &found);            // 1 to 15 ms each
 *         use(clock_way_name(i), &found);
 *     }
 *     struct clock_rates rates;
 *     clock_rates_begin(&rates);
 *     ... some seconds, whatever is done in them ...
 *     clock_rates_end(&rates);                              // rates.ppm[i]
 *
 * What cannot be measured is NaN, with a reason in words. Nothing is printed, allocated or pinned; only clock_skew starts a thread.
 * Measure on one CPU: pin the thread before.
 */
#ifndef WAYS_H
#define WAYS_H

#include "clocks.h"
#include "cpu.h"

enum { CLOCK_COUNTER_WAY, CLOCK_WAYS = 1 + PLAT_CLOCKS, CLOCK_REASON = 160 };

int clock_ways(void);                /* CLOCK_WAYS: the counter first, then the system's clocks */
const char *clock_way_name(int way); /* "tsc", "CLOCK_MONOTONIC" */

enum clock_shortcut { SHORTCUT_UNKNOWN, SHORTCUT_TAKEN, SHORTCUT_NONE, SHORTCUT_NOT_NEEDED };

struct clock_way_found {
    bool there;
    char reason[CLOCK_REASON];    /* why not */
    struct clock_spread cost_ns;  /* of one reading, over batches of readings */
    double kernel_cost_ns;        /* of one by plain system call; NaN: no clock of the system */
    enum clock_shortcut shortcut; /* whether it is read without the kernel (vDSO) */
    double step_ns;          /* where two readings can be equal the smallest difference, else the largest common divisor of all */
    const char *step_reason; /* static; why step_ns is NaN */
    int64_t backward;        /* readings smaller than the one before */
    double ordering;         /* (seen - true) / true of a bracket around 1000 multiplies; NaN: see ordering_reason */
    char ordering_reason[CLOCK_REASON];
};
/* core: as examined (clock_core_examine), for the true length of the chain; NULL: not known, and why_no_core says why. */
void clock_way_measure(int way, const struct clock_core *core, const char *why_no_core, struct clock_way_found *out);

/* ---- rates ---- */

struct clock_rates {
    int64_t raw_ns[CLOCK_WAYS], clock_ns[CLOCK_WAYS]; /* at the beginning */
    double ppm[CLOCK_WAYS];                           /* NaN: see reason */
    const char *reason[CLOCK_WAYS];                   /* static; "": it is the reference itself */
};
void clock_rates_begin(struct clock_rates *r);
void clock_rates_end(struct clock_rates *r);

/* ---- between CPUs ---- */

struct clock_skew_found {
    double ns, bound_ns; /* the counter there less the one here; it may be wrong by so much */
};
/* From the narrowest of so many exchanges. UNSUPPORTED and others with err: it could not be measured. */
enum tare_status clock_skew(int here, int there, struct clock_skew_found *out, struct tare_err *err);

/* ---- what stands around a reading of the counter ---- */

enum { CLOCK_CHAINS = 3 };
extern const int CLOCK_CHAIN_MULTIPLIES[CLOCK_CHAINS]; /* 20, 100, 1000 */

struct clock_order_found {
    struct clock_spread weight_ticks; /* of an empty bracket: what it finds in itself */
    double whole_ticks;               /* what making one takes, the parts outside of its two reads included */
    double net_ticks[CLOCK_CHAINS];   /* median around so many multiplies, less the median weight */
    double error[CLOCK_CHAINS];       /* (net - true) / true; NaN without a core */
};
/* Of an order that is there (cpu_order) on a counter that may be read. core as above. About 1 ms. */
void clock_order_measure(int order, const struct clock_core *core, struct clock_order_found *out);

#endif
