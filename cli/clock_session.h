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
#include "live.h"
#include "outputs.h"
#include "timers.h"

struct clock_session {
    struct cli *cli;
    const struct clock_options *o;
    struct record record;
    struct outputs outputs;
    struct render_options render;
    struct live live;
    struct timers timers;
    int64_t start_ns;              /* plat_now_ns clock */
    int cpu;                       /* on which all is measured */
    int empty, read, fence, sleep; /* subjects: the experiments */
    struct tare_err save_error;
    bool save_failed;
};

/* Options to record, files, signals, priority: all that can fail before anything is measured. INVALID: wrong use. */
enum tare_status clock_open(struct clock_session *s, struct tare_err *err);
/* The clocks and what is put around them. */
enum tare_status clock_measure_clocks(struct clock_session *s, struct tare_err *err);
enum tare_status clock_measure_core(struct clock_session *s, struct tare_err *err);
/* Their subjects, before the head is written; then their runs. */
enum tare_status clock_describe_experiments(struct clock_session *s, struct tare_err *err);
enum tare_status clock_measure_experiments(struct clock_session *s, struct tare_err *err);
/* The record's head, once the subjects are known; then every row is written as it comes. */
enum tare_status clock_write_head(struct clock_session *s, struct tare_err *err);
/* Estimates from the rows, findings, the screen, the files. `outcome` is what measuring returned. */
enum exit_code clock_report(struct clock_session *s, enum tare_status outcome, const struct tare_err *why);
void clock_close(struct clock_session *s);

/* One estimate as observed, of n values; NaN with its reason. NO_MEMORY. */
enum tare_status clock_estimate(struct clock_session *s, int subject, const char *metric, const char *statistic, double point,
                                int n, const char *reason);
/* What each source says of the frequency of the processor's counter. NO_MEMORY. */
enum tare_status clock_add_frequency(struct clock_session *s, int subject);

/* The phase shown while it works. */
void clock_phase(struct clock_session *s, const char *phase);
/* For after_row: keeps the newest row of this series. The context is the session. */
void clock_row_added(void *session, int series);

#endif
