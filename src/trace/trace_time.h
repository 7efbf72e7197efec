/* SPDX-License-Identifier: MIT
 *
 * trace_time.h - ticks of one trace file to nanoseconds, and whether its clocks can be believed.
 *
 *     struct trace_time *t;
 *     trace_time_create(&t, file, &err);
 *     int64_t ns = trace_time_ns(t, tick);         // since whatever CLOCK_MONOTONIC_RAW counts from: one time for all processes
 *     trace_time_destroy(t);
 *
 * Ticks are placed on the raw clock by the moments at which the program read both: on the straight line between the two nearest ones,
 * beyond the last by the frequency. The frequency is the head's where it is known, else the slope from the first to the last moment.
 */
#ifndef TRACE_TIME_H
#define TRACE_TIME_H

#include "trace_file.h"

struct trace_time;

struct trace_clock_check {
    double hz;  /* ticks per second; 0: not to be had */
    bool known; /* by the head; else fitted to the moments */
    double
        residual_ppm; /* largest distance of a moment from the line, less what its reading is uncertain by, over the whole span; NaN: fewer than three moments */
    int jumps;        /* times that the counter and the raw clock went apart */
    double jump_ns;   /* the largest of them, counter less raw */
    int steps;        /* times that the wall clock was set, or the machine slept, between two moments */
    double step_ns;   /* the largest, wall less raw */
};

enum tare_status trace_time_create(struct trace_time **out, const struct trace_file *f, struct tare_err *err);
void trace_time_destroy(struct trace_time *t); /* NULL is fine */
const struct trace_clock_check *trace_time_check(const struct trace_time *t);
/* Rounded down; *fraction, unless NULL, is the rest in [0, 1). Never decreasing in tick but where the moments contradict each other. */
int64_t trace_time_ns(const struct trace_time *t, uint64_t tick, double *fraction);
/* The same, fast for ticks that follow each other: *near is where the last one was found, 0 at first. */
int64_t trace_time_ns_near(const struct trace_time *t, uint64_t tick, int *near, double *fraction);

#endif
