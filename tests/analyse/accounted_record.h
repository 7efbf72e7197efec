/* SPDX-License-Identifier: MIT
 *
 * accounted_record.h - a record of commands whose runs were accounted for, for tests of what is made of the account.
 *
 *     struct accounted_run runs[2 * 30];                  // of the first command, then of the second
 *     accounted_fill(runs, 60, 10e6);                     // quiet ones of 10 ms, on CPU 0, frequency unknown
 *     runs[7] = accounted_preempted(runs[7], 3e6);
 *     struct record r;
 *     accounted_record(&r, 2, 30, runs);
 */
#ifndef ACCOUNTED_RECORD_H
#define ACCOUNTED_RECORD_H

#include "record.h"

struct accounted_run {
    double wall, cpu, delay, steal, throttled, voluntary, first_cpu, last_cpu, core_hz;
    uint32_t flags;
};

/* Quiet runs: wall and CPU time alike, with a steady pattern of +-0.2 %. */
void accounted_fill(struct accounted_run *runs, int n, double wall);
/* The same run, had it waited so long for a CPU. */
struct accounted_run accounted_preempted(struct accounted_run run, double delay_ns);

/* Commands "a", "b" ...: n_commands tables of `rounds` runs. Rule: wall, 95 %, margin 1 %, one look at all rounds. */
void accounted_record(struct record *r, int n_commands, int rounds, const struct accounted_run *runs);

#endif
