/* SPDX-License-Identifier: MIT
 *
 * bench_options.h - the options of `tare bench`, parsed and checked: those that it shares with `tare run`, of the same meaning with
 * processes in place of runs, and its own.
 */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include "run_options.h"

struct bench_options {
    struct run_options run; /* first: its RUN_GIVEN looks into this table by `set` */
    int profile;            /* enum profile of record.h */
    int harness;            /* 0 auto, 1 libtare, then those of harnesses.def */
    int correction;         /* enum correction of record.h */
    int64_t sample_ns;      /* 0: the library's choice */
    int samples;            /* 0: the same */
    int iterations;         /* of a sample; 0: as many as fit sample_ns */
    struct option_list filters, excluded;
    const char *clock;
    bool list, signals, no_guard;
    int window, inner; /* georges: k, and samples of a process at most */
    double cov;        /* georges */
};

extern const struct option_set bench_option_set;
#define BENCH_GIVEN(o, field) option_given(&bench_option_set, (o), offsetof(struct bench_options, field))

#endif
