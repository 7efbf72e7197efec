/* SPDX-License-Identifier: MIT
 *
 * fleet_options.h - the options of the commands of `tare fleet`; a command leaves at zero what it does not have. The operands are the words of a
 * unit, `run` or `bench` first; of status and collect, and of run where the folder has a plan, there may be none; of work it is the queue.
 */
#ifndef FLEET_OPTIONS_H
#define FLEET_OPTIONS_H

#include "display_options.h"

struct fleet_options {
    struct option_base base;
    int nodes, blocks;
    int min_nodes;           /* with results, for an answer */
    uint64_t seed;           /* not given: drawn */
    const char *dir;         /* where plan and records are; NULL: of plan */
    const char *engine;      /* "local", "slurm" or "queue" */
    const char *queue;       /* URL; NULL */
    const char *node_class;  /* feature of Slurm's nodes, or which workers of a queue, and the class in the history; NULL */
    const char *history;     /* the history to add the nodes' sessions to; "": that of the repository; NULL: none */
    int64_t step_timeout_ns; /* 0: as fleet_step_limit_ns says */
    int64_t lost_after_ns;   /* a worker that was not heard of for so long has lost its unit */
    int attempts;            /* at a unit whose step was lost */
    int node, block;         /* the only ones to measure; 0: all */
    bool yes;
    struct option_list allow; /* of work: what may be run */
    const char *host;         /* of work: how this machine is called; NULL */
    int64_t idle_ns;          /* of work: after so long without a unit it ends; 0: never */
    double fail_if_slower;    /* NaN: not asked */
    int aa_sessions;          /* of qualify, of the reference against itself on each node */
    double bound, load;       /* of qualify: see node_class.h */
    struct display_options display;
};

extern const struct option_set fleet_run_option_set, fleet_plan_option_set;

/* Whether this command can measure units: run and bench. */
bool fleet_measures(const char *command);

#endif
