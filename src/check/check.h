/* SPDX-License-Identifier: MIT
 *
 * check.h - what a reader of the numbers should know: findings over a finished record, each with its statistic and its advice.
 *
 *     check_record(&r, &facts, &err);     // adds findings to the record
 *     if (check_stability_open(&r, i, &why)) ... // that it has no finding "unstable" proves nothing, for --fail-if-unstable
 *
 * Nothing is measured here and no sample is ever dropped. To add a finding: write its test function in the file of its kind, with a
 * row in the list at its end, and one in docs/findings.md. Texts are one sentence; the advice depends on what the user already did.
 */
#ifndef CHECK_H
#define CHECK_H

#include "buf.h"
#include "record.h"

/* What the record does not know about how it came to be. */
struct check_facts {
    bool prepared; /* a prepare hook ran before each run */
    bool pinned;
    bool shows_output;                   /* --show-output */
    bool unstable_fails;                 /* --fail-if-unstable: what it fails on comes first */
    bool adaptive;                       /* the number of rounds followed from the data: rounds may be made again */
    int runs_most;                       /* --runs, or where adaptive --max-runs; INT_MAX: neither was given; 0: not known */
    const char *const *missing_counters; /* why a counter that was asked for is not there: one sentence each */
    int n_missing_counters;
    const char *const *user_only_counters; /* "perf:instructions": the kernel's part was asked for too and is not allowed */
    int n_user_only_counters;
    const char *const *scaled_counters; /* "perf:instructions was counted for 33 % of a run": of that in which it was least */
    int n_scaled_counters;
    bool unequal_padding; /* arguments differ by more than padding can make up for */
};

enum tare_status check_record(struct record *r, const struct check_facts *facts, struct tare_err *err);

/* Of stored sessions that were compared (analyse_stored): what drifted within them, and an interval that is wider because runs are like their
 * neighbours, of arcs the widest. */
enum tare_status check_stored(struct record *r, struct tare_err *err);

/* The ids of the findings of all tests, one after the other; NULL past the end. For tests and scripts' authors. */
const char *check_ids(int check);

/* Whether a finding "unstable" may be missing though the subject is not stable: it was given up, the session failed, the deciding metric has no value, too few of them, or none above
 * 0 on which a relative spread could rest. True adds the reason. */
bool check_stability_open(const struct record *r, int subject, struct buf *why);

#endif
