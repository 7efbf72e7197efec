/* SPDX-License-Identifier: MIT
 *
 * rerun_options.h - the options of `tare rerun FILE`. Operand: one path of a record, "-" is standard input.
 */
#ifndef RERUN_OPTIONS_H
#define RERUN_OPTIONS_H

#include "display_options.h"

struct rerun_options {
    struct option_base base;
    bool yes; /* the commands in the file may run without a question */
    bool dry_run;
    bool assume_no_drift;
    int runs, min_runs;  /* 0: as recorded */
    int64_t max_time_ns; /* 0: as recorded */
    uint64_t seed;       /* RERUN_GIVEN(o, seed) false: drawn anew */
    struct display_options display;
    const char *save; /* NULL: none */
};

extern const struct option_set rerun_option_set;

#define RERUN_GIVEN(o, field) option_given(&rerun_option_set, (o), offsetof(struct rerun_options, field))

#endif
