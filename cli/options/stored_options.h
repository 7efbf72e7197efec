/* SPDX-License-Identifier: MIT
 *
 * stored_options.h - the options of the commands that read stored sessions. Their operands are paths, "-" is standard input: `tare show` takes at
 * least one, `tare compare` two, or with --baseline at least one, `tare rerun` one.
 */
#ifndef STORED_OPTIONS_H
#define STORED_OPTIONS_H

#include "display_options.h"

struct show_options {
    struct option_base base;
    const char *filter; /* NULL: all commands */
    bool check;
    bool percentiles;
    struct display_options display;
};

struct compare_options {
    struct option_base base;
    const char *metric; /* NULL: what decided in the second session */
    double confidence;
    struct option_margin margin;
    double fail_if_slower; /* NaN: not asked */
    bool assume_no_drift;
    struct option_list baseline; /* files of the reference; then all operands are of the other side */
    struct display_options display;
};

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
