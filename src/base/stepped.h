/* SPDX-License-Identifier: MIT
 *
 * stepped.h - the mean of durations that were read from a clock which moves in steps.
 *
 *     double ticks[31];                                    // differences of two readings each, the phase drawn (clock_phase_draw)
 *     struct stepped_mean m = stepped_mean(ticks, 31, (double)clock_state()->step_ticks);
 *     ... m.mean +- Student's t of m.n - 1 degrees x m.error
 *
 * In base, because clock, probe and analyse all need it. It does not draw the phase: who reads the clock does.
 */
#ifndef STEPPED_H
#define STEPPED_H

struct stepped_mean {
    double mean;
    double error; /* standard error of mean; infinite for n = 1 */
    int n, cut;   /* values that count, and those left out as interruptions */
};
/* Sorts values; formula and assumptions: stepped.c. n < 1: n = 0 and NaN. */
struct stepped_mean stepped_mean(double *values, int n, double step);

#endif
