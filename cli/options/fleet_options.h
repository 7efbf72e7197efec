/* SPDX-License-Identifier: MIT
 *
 * fleet_options.h - the options of the commands of `tare fleet`; a command leaves at zero what it does not have. The operands are the words of a
 * unit, `run` first; of status and collect, and of run where the folder has a plan, there may be none.
 */
#ifndef FLEET_OPTIONS_H
#define FLEET_OPTIONS_H

#include "display_options.h"

struct fleet_options {
    struct option_base base;
    int nodes, blocks;
    uint64_t seed;           /* not given: drawn */
    const char *dir;         /* where plan and records are; NULL: of plan */
    const char *engine;      /* "local" or "slurm" */
    const char *node_class;  /* feature of Slurm's nodes, and the class in the history; NULL */
    const char *history;     /* the history to add the nodes' sessions to; "": that of the repository; NULL: none */
    int64_t step_timeout_ns; /* 0: none */
    int attempts;            /* at a unit whose step was lost */
    int node, block;         /* the only ones to measure; 0: all */
    bool yes;
    double fail_if_slower; /* NaN: not asked */
    int aa_sessions;       /* of qualify, of the reference against itself on each node */
    double bound, load;    /* of qualify: see node_class.h */
    struct display_options display;
};

extern const struct option_set fleet_run_option_set, fleet_plan_option_set;

#endif
