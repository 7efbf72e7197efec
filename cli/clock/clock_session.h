/* SPDX-License-Identifier: MIT
 *
 * clock_session.h - what `tare clock` holds while it works, and its steps. Used by cmd_clock.c and its clock_*.c files only.
 *
 * Each step measures one thing into the record. TARE_INTERRUPTED: a signal came; what was measured before is there.
 */
#ifndef CLOCK_SESSION_H
#define CLOCK_SESSION_H

#include "cli.h"
#include "clock_options.h"
#include "clocks.h"
#include "live.h"
#include "outputs.h"
#include "timers.h"

enum { CLOCK_OTHERS_MAX = 16, CLOCK_KINDS_MAX = 16 };

struct clock_session {
    struct cli *cli;
    const struct clock_options *o;
    struct record record;
    struct outputs outputs;
    struct render_options render;
    struct live live;
    int phases; /* begun */
    struct timers timers;
    int64_t start_ns;                       /* plat_now_ns clock */
    int cpu;                                /* on which all is measured */
    int others[CLOCK_OTHERS_MAX], n_others; /* CPUs with which its counter is compared: at most so many, evenly chosen */
    struct clock_core core;                 /* meaningless where why_no_core says something */
    struct tare_err why_no_core;
    int clocks[CLOCK_KINDS_MAX], counter; /* subjects of each clock_kind_at, -1: none; that of the counter */
    struct clock_moment moments[CLOCK_KINDS_MAX];
    int empty, read, fence, sleep; /* subjects: the experiments */
    struct tare_err save_error;
    bool save_failed;
};

/* First the core's frequency, which tells the length of a known chain, then the clocks and what is put around them. */
enum tare_status clock_measure_core(struct clock_session *s, struct tare_err *err);
enum tare_status clock_measure_clocks(struct clock_session *s, struct tare_err *err);
/* How far the clocks ran apart since: at the end, as seconds tell more than milliseconds. */
enum tare_status clock_measure_rates(struct clock_session *s, struct tare_err *err);
/* Estimates from the rows, findings, the screen, the files. `outcome` is what measuring returned. */
enum exit_code clock_report(struct clock_session *s, enum tare_status outcome, const struct tare_err *why);

/* One estimate as observed, of n values; NaN with its reason. NO_MEMORY. */
enum tare_status clock_estimate(struct clock_session *s, int subject, const char *metric, const char *statistic, double point,
                                int n, const char *reason);

/* The phase shown while it works. */
void clock_phase(struct clock_session *s, const char *phase);

#endif
