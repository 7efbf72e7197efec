/* SPDX-License-Identifier: MIT
 *
 * gate_merge.h - gates of one comparison on several runners, such as the jobs of a matrix, as one answer with the runner as block.
 *
 *     struct gate_runner runners[] = {{cases_of_first, 40}, {cases_of_second, 40}};
 *     struct gate_merged m[80];
 *     int n;
 *     enum gate_verdict v = gate_merge(runners, 2, .05, m, &n);
 *
 * Benchmarks are matched by name; one that a runner does not have is not asked of it. Rules and their error rates: gate_merge.c.
 */
#ifndef GATE_MERGE_H
#define GATE_MERGE_H

#include "gate_answer.h"

enum { GATE_RUNNERS_MOST = 64 };

struct gate_runner {
    const struct gate_case *cases;
    int n;
};

struct gate_merged { /* a benchmark */
    const char *name;
    struct gate_result
        result; /* shift: mean over the runners; low: the least of theirs; high: the least at the level that counts for PASS */
    int runners, failed, equal; /* equal: with equal builds, of which the mean says nothing */
    bool passes;                /* by its upper bounds */
    bool asked, accepted;       /* as on the first runner that has it */
};

/* out: room for the cases of all runners, filled in the order in which names first appear; *n: how many. NO RESULT where there is no memory, or there are too many
 * runners. One runner: as gate_answer. */
enum gate_verdict gate_merge(const struct gate_runner *runners, int n_runners, double alpha, struct gate_merged *out, int *n);

#endif
