/* SPDX-License-Identifier: MIT
 *
 * qualify_options.h - the options of `tare system qualify`. No operands.
 */
#ifndef QUALIFY_OPTIONS_H
#define QUALIFY_OPTIONS_H

#include "display_options.h"

struct qualify_options {
    struct option_base base;
    double minutes;                 /* all CPUs are kept busy for so long; above 0 */
    const char *cpus;               /* "1", "2-5,7"; NULL: all that we may use */
    int sessions;                   /* of a program against itself */
    int planted;                    /* of a program against itself with more work; 0: none */
    int pin_cpu;                    /* of those programs; -1: as we run */
    double margin;                  /* what is good enough: a ratio */
    uint64_t seed;                  /* QUALIFY_GIVEN(o, seed) false: draw one */
    struct display_options display; /* of the exports only JSON and SVG can be asked for; neither order nor unit */
    const char *save;               /* the record's file; NULL: none */
    bool dry_run;
};

extern const struct option_set qualify_option_set;

/* Was the option with this field on the command line? */
#define QUALIFY_GIVEN(o, field) option_given(&qualify_option_set, (o), offsetof(struct qualify_options, field))

#endif
