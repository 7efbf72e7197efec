/* SPDX-License-Identifier: MIT
 *
 * recognition.h - causes of disturbance made on purpose, each with a witness of its own that the account does not use.
 *
 *     struct injector in;
 *     injector_open(&in, cpu, other_cpu);
 *     injector_prepare(&in, INJECT_SPINNER);
 *     t0 = now;  part of the work;  injector_strike(&in);  the rest of the work;  t1 = now;
 *     bool true_cause = injector_took(&in, t0, t1);
 *     injector_undo(&in);
 *
 * For the benches of src/noise only.
 */
#ifndef RECOGNITION_H
#define RECOGNITION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum injected {
    INJECT_NOTHING,
    INJECT_SPINNER, /* a program that only computes, on the same CPU; witness: the CPU time that it got within the sample */
    INJECT_FAULT,   /* pages of a file that are not in memory are read; witness: mincore before */
    INJECT_MOVE,    /* bound to another CPU within the sample; witness: the call's success */
    INJECT_QUOTA,   /* a CPU quota of the group; witness: the group's count of periods, and time lost within the sample */
    INJECT_STOP, /* SIGSTOP, and SIGCONT 2 ms later, by another process; witness: its clock readings, and the state that it saw */
    INJECT_TOUCH, /* 1024 fresh pages of memory are touched; witness: none needed */
    INJECTIONS
};

struct injector {
    int cpu, other_cpu;
    enum injected kind;
    struct shared *shared;
    pid_t spinner, stopper, second_spinner;
    int stop_pipe, file;
    char *mapped;
    bool absent_pages, moved, quota_works;
    int64_t spinner_before_ns, spinner_after_ns, stopped_before;
    char group[256]; /* folder of our own control group, "" = none */
    bool version_2;
};

/* Starts the other processes and makes a control group where that is possible. Exits with a message when it cannot work. */
void injector_open(struct injector *in, int cpu, int other_cpu);
void injector_close(struct injector *in);
bool injector_has(const struct injector *in, enum injected kind);

void injector_prepare(struct injector *in, enum injected kind);
void injector_begin(struct injector *in); /* before the sample */
/* Next to the clock readings at its ends: a load each. */
void injector_enter(struct injector *in);
void injector_leave(struct injector *in);
void injector_strike(struct injector *in); /* within it */
/* Whether it really happened within t0..t1 and cost at least `least_ns`; lost_ns: what the sample's own readings of the clock miss. */
bool injector_took(struct injector *in, int64_t t0, int64_t t1, int64_t lost_ns, double least_ns);
/* After a sample; `last` of its kind in a row: a spinner and a quota go on until then. */
void injector_undo(struct injector *in, bool last);

/* Two programs that only compute, one on each CPU, for the benches of spread. */
void injector_load(struct injector *in, bool on);

#endif
