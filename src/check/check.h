/* SPDX-License-Identifier: MIT
 *
 * check.h - what a reader of the numbers should know: findings over a finished record, each with its statistic and its advice.
 *
 *     check_record(&r, &facts, &err);     // adds findings to the record
 *     if (check_unstable(&r)) ...         // Stinner's rules, for --fail-if-unstable
 *
 * Nothing is measured here and no sample is ever dropped. To add a finding: write its test function in the file of its kind, add
 * one line to checks.def and one to docs/findings.md. Texts are one sentence; the advice depends on what the user already did.
 */
#ifndef CHECK_H
#define CHECK_H

#include "record.h"

/* What the record does not know about how it came to be. */
struct check_facts {
    bool prepared; /* a prepare hook ran before each run */
    bool pinned;
    bool unstable_fails;                 /* --fail-if-unstable: what it fails on comes first */
    bool adaptive;                       /* the number of rounds followed from the data: rounds may be made again */
    const char *const *missing_counters; /* why a counter that was asked for is not there: one sentence each */
    int n_missing_counters;
    const char *const *user_only_counters; /* "perf:instructions": the kernel's part was asked for too and is not allowed */
    int n_user_only_counters;
    bool unequal_padding; /* arguments differ by more than padding can make up for */
};

enum tare_status check_record(struct record *r, const struct check_facts *facts, struct tare_err *err);

/* The ids of all findings that checks.def lists, one after the other; NULL past the end. For tests and scripts' authors. */
const char *check_ids(int check);

/* Stinner: a result is doubtful when its standard deviation exceeds 10 % of the mean, or its minimum or maximum lies 50 % or more
 * away from it. True if that holds for any command on the deciding metric. */
bool check_unstable(const struct record *r);

#endif
