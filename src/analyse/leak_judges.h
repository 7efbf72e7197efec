/* SPDX-License-Identifier: MIT
 *
 * leak_judges.h - the verdicts of all leak targets of a record: what their judges say, held together.
 *
 *     struct leak_judges all;
 *     leak_judges_open(&all, &record, &arena, &err);
 *     leak_judge_take(all.of[subject], &report, &err);         // as they come, or from the file that kept them
 *     leak_judges_conclude(&all, &record, &err);               // into the record; as often as somebody asks
 *     leak_judges_close(&all);
 *
 * What decides beside the calls of one target: a failure, an order that was not drawn, a program that changed, earlier runs, and the
 * claims of several targets together. A record that is judged anew by the calls that were kept gets the same verdicts.
 *
 * Runs: all of one question are held together, so that running again until it passes does not work (--ledger). Evidence of independent runs multiplies: the product of their e-values, taken run by run, is a process that passes 1/alpha with chance alpha at
 * most, whatever made somebody run again (Ville). Runs of one seed drew the same coins and are no
 * independent evidence: they count as one, with the mean of their e-values (an e-value however they depend on each other). A file given twice counts
 * once. So a leak that the product has proven at any run stays proven, and runs without a finding
 * count in it too. An invalid run is not counted.
 * The question is a hash of target, program file, processor, classes, kind, cache policy, noise and data-independent timing; the margin is no part of it,
 * for evidence knows none.
 */
#ifndef LEAK_JUDGES_H
#define LEAK_JUDGES_H

#include "leak_judge.h"

enum { LEAK_QUESTION_BYTES = 17 };

struct leak_run {
    char question[LEAK_QUESTION_BYTES];
    double log_e;
    bool leak; /* was its verdict */
    uint64_t seed;
    char data[LEAK_QUESTION_BYTES]; /* of a file with times: the hash of its content */
};

struct leak_runs { /* in the order in which they were made */
    struct leak_run *run;
    int n;
};

/* This session's run of a target, which has its texts, program_hash and cpu too. */
struct leak_run leak_run_of(const struct record *r, const struct leak_target *t, double log_e);
/* The same file is among them already: it is no second run. */
bool leak_runs_have(const struct leak_runs *runs, const struct leak_run *run);
struct leak_judges { /* one for each subject */
    struct leak_judge **of;
    double *stopped_log_e; /* where a target left the rounds; NaN: it is in them */
    int n;
    const struct leak_runs *runs; /* earlier ones; NULL: as the record has them */
    bool *unfit;                  /* failed for what it is: as the record has it, until who measures says otherwise */
};

enum tare_status leak_judges_open(struct leak_judges *all, const struct record *r, struct arena *arena, struct tare_err *err);
void leak_judges_close(struct leak_judges *all);
enum tare_status leak_judges_conclude(struct leak_judges *all, struct record *r, struct tare_err *err); /* NO_MEMORY */
/* Of targets that had no process: why not. Once it is known how the session ended. */
void leak_note_unreached(struct record *r);

#endif
