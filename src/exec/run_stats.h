/* SPDX-License-Identifier: MIT
 *
 * run_stats.h - what explains one run: from the platform's result to the columns of covariates.def and the flags of cause.def.
 * Used by the files of exec only.
 *
 *     struct run_stats a;
 *     run_stats_open(&a, n_commands);
 *     each run:
 *         spec.chain = run_stats_wants_chain(&a);
 *         spec.count_waits = run_stats_wants_waits(&a, command);
 *         run_stats_before(&a);                                        // just before plat_child_run
 *         ...
 *         uint32_t flags = run_stats_fill(&a, command, &result, values); // RUN_STATS_COLUMNS values, in the order of covariates.def
 *     run_stats_close(&a);
 *
 * A signal that the platform does not give is NaN and raises no flag. The clocks are examined after the first run, which takes
 * some 20 ms once, and held against each other every 100 ms: over less, reading them is less exact than what is looked for.
 * Between runs it makes no system call but the reading of the CPU quota, where there is one.
 * Ownership: the struct is the caller's; run_stats_close frees what is in it and accepts a zeroed one. One thread.
 */
#ifndef RUN_STATS_H
#define RUN_STATS_H

#include "clocks.h"
#include "noise.h"
#include "plat.h"
#include "quota.h"

enum {
    RUN_STATS_COLUMNS = 0
#define COVARIATE(id, title, unit) +1
#include "covariates.def"
};

struct run_stats_command {
    struct noise_history history;
    bool several, dear; /* tasks ran in its last run; to count their waiting took too much of a run */
};

struct run_stats {
    struct run_stats_command *commands;
    struct noise_quota quota;
    int64_t throttled_ns; /* before the run; -1: not known */
    bool chain;
    struct clock_pair clocks_seen; /* when they were last held against each other; zero: not yet */
};

double or_unknown(int64_t value); /* what a platform does not tell is below 0: NaN */
/* Ids in the order of covariates.def; NULL past the end. */
const char *account_column(int index);

/* NO_MEMORY, else OK. */
enum tare_status run_stats_open(struct run_stats *a, int n_commands);
void run_stats_close(struct run_stats *a);
void run_stats_before(struct run_stats *a);
uint32_t run_stats_fill(struct run_stats *a, int command, const struct plat_child_result *result, double *values);

#endif
