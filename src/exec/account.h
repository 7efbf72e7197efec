/* SPDX-License-Identifier: MIT
 *
 * account.h - what explains one run: from the platform's result to the columns of covariates.def and the flags of cause.def.
 * Used by the files of exec only.
 *
 *     struct account a;
 *     account_open(&a, n_commands);
 *     each run:
 *         spec.chain = account_wants_chain(&a);
 *         spec.count_waits = account_wants_waits(&a, command);
 *         account_before(&a);                                        // just before plat_child_run
 *         ...
 *         uint32_t flags = account_fill(&a, command, &result, values); // ACCOUNT_COLUMNS values, in the order of covariates.def
 *     account_close(&a);
 *
 * A signal that the platform does not give is NaN and raises no flag. The clocks are examined after the first run, which takes
 * some 20 ms once, and held against each other every 100 ms: over less, reading them is less exact than what is looked for.
 * Between runs it makes no system call but the reading of the CPU quota, where there is one.
 * Ownership: the struct is the caller's; account_close frees what is in it and accepts a zeroed one. One thread.
 */
#ifndef ACCOUNT_H
#define ACCOUNT_H

#include "clocks.h"
#include "noise.h"
#include "plat.h"
#include "quota.h"

enum {
    ACCOUNT_COLUMNS = 0
#define COVARIATE(id, title, unit) +1
#include "covariates.def"
#undef COVARIATE
};

struct account_command {
    struct noise_history history;
    bool several, dear; /* tasks ran in its last run; to count their waiting took too much of a run */
};

struct account {
    struct account_command *commands;
    struct noise_quota quota;
    int64_t throttled_ns; /* before the run; -1: not known */
    bool chain;
    struct clock_pair clocks_seen; /* when they were last held against each other; zero: not yet */
};

/* Ids in the order of covariates.def; NULL past the end. */
const char *account_column(int index);

/* NO_MEMORY, else OK. */
enum tare_status account_open(struct account *a, int n_commands);
void account_close(struct account *a);
bool account_wants_chain(const struct account *a);
/* The waiting of all tasks is asked for (spec.count_waits) once a run was seen to have several, and as long as that is little of its time. */
bool account_wants_waits(const struct account *a, int command);
void account_before(struct account *a);
uint32_t account_fill(struct account *a, int command, const struct plat_child_result *result, double *values);

#endif
