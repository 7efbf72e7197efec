/* SPDX-License-Identifier: MIT
 *
 * system_options.h - the options of `tare system show`, `tune` and `reset`. No operands.
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

#endif
