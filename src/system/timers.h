/* SPDX-License-Identifier: MIT
 *
 * timers.h - what the system does by the clock, measured: how long sleeps of 1 to 20 ms last, the scheduler's tick and slice.
 *
 *     struct timers t = {.record = &r, .start_ns = plat_now_ns(), .cpu = 1};
 *     status = timers_describe(&t, &err);       // subjects and what the kernel says: before the record's head is written
 *     status = timers_measure_sleeps(&t, &err); // 0.63 s
 *     status = timers_measure_slices(&t, &err); // 0.2 s
 *
 * Adds two subjects of kind SUBJECT_TIMER to the record, their rows, and estimates of what the kernel says (statistic "told"). Where sleeps end with the
 * interrupts of a timer (plat_timer_period) a third one: the same sleeps while the finest period was asked for.
 * What cannot be had is an estimate without value, with its reason. No statistics: analyse.h makes them from the rows.
 */
#ifndef TIMERS_H
#define TIMERS_H

#include "record.h"

#define TIMERS_SLEEPS    "sleeps of 1 to 20 ms"
#define TIMERS_PERIOD    "sleeps with the finest timer period"
#define TIMERS_SCHEDULER "scheduler"

struct timers {
    struct record *record;
    int64_t start_ns; /* of the session, plat_now_ns clock */
    int cpu;          /* where two compete for slices; must be allowed to us */
    /* After each row; NULL: none. */
    void (*after_row)(void *context, int series);
    void *context;
    int sleeps, scheduler, period; /* out: subjects; period -1: this system has none */
};

/* NO_MEMORY is the only failure of all three; INTERRUPTED after a signal. */
enum tare_status timers_describe(struct timers *t, struct tare_err *err);
enum tare_status timers_measure_sleeps(struct timers *t, struct tare_err *err);
enum tare_status timers_measure_slices(struct timers *t, struct tare_err *err);

#endif
