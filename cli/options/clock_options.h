/* SPDX-License-Identifier: MIT
 *
 * clock_options.h - the options of `tare clock`. No operands.
 */
#ifndef CLOCK_OPTIONS_H
#define CLOCK_OPTIONS_H

#include "display_options.h"

struct clock_options {
    struct option_base base;
    int runs;                       /* of each experiment, 1 .. 1000 */
    int pin_cpu;                    /* -1: where tare happens to run */
    int priority;                   /* enum plat_priority */
    struct display_options display; /* of the exports only JSON can be asked for; neither order nor unit */
    const char *save;               /* the record's file; NULL: none */
};

extern const struct option_set clock_option_set;

/* Was the option with this field on the command line? */
#define CLOCK_GIVEN(o, field) option_given(&clock_option_set, (o), offsetof(struct clock_options, field))

#endif
