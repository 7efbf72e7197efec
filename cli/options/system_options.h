/* SPDX-License-Identifier: MIT
 *
 * system_options.h - the options of `tare system show`, `tune`, `reset` and `qualify`. No operands.
 *
 * What names CPUs, knobs or a folder is kept as it was typed: only the machine, or the tree that stands for it, can tell whether it is there.
 */
#ifndef SYSTEM_OPTIONS_H
#define SYSTEM_OPTIONS_H

#include "display_options.h"

struct system_show_options {
    struct option_base base;
    const char *cpus;               /* "1", "2-5,7"; NULL: tare chooses */
    const char *sysroot;            /* NULL: this machine */
    int probe_s;                    /* of each CPU; 0: no probe */
    struct display_options display; /* of the exports only JSON can be asked for; neither order nor unit */
};

enum system_frequency { SYSTEM_FREQUENCY_BASE, SYSTEM_FREQUENCY_LOWEST, SYSTEM_FREQUENCY_HZ };

struct system_tune_options {
    struct option_base base;
    const char *cpus, *sysroot;
    struct option_list only, without; /* ids of knobs; each word may hold several, with commas between */
    const char *frequency_text;       /* as typed */
    enum system_frequency frequency;  /* made of it by the check */
    int64_t frequency_hz;             /* SYSTEM_FREQUENCY_HZ: above 0 */
    bool beside_others, dry_run, unit;
    struct display_options display;
};

struct system_reset_options {
    struct option_base base;
    const char *sysroot;
    bool force, dry_run;
    struct display_options display;
};

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
