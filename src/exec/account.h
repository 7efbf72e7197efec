/* SPDX-License-Identifier: MIT
 *
 * account.h - what explains one run: from the platform's result to the columns of covariates.def and the flags of cause.def.
 * Used by exec.c only.
 *
 *     struct noise_history h = {0};                          // one for each command
 *     uint32_t flags = account_fill(&h, &result, values);    // ACCOUNT_COLUMNS values, in the order of covariates.def
 *
 * Pure but for the history, which is the caller's. A signal that the platform does not give is NaN and raises no flag.
 */
#ifndef ACCOUNT_H
#define ACCOUNT_H

#include "noise.h"
#include "plat.h"

enum {
    ACCOUNT_COLUMNS = 0
#define COVARIATE(id, title, unit) +1
#include "covariates.def"
#undef COVARIATE
};

/* Ids in the order of covariates.def; NULL past the end. */
const char *account_column(int index);

uint32_t account_fill(struct noise_history *h, const struct plat_child_result *result, double *values);

#endif
