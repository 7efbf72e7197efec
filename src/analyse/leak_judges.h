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
 * What decides beside the calls of one target: a failure, an order that was not drawn, a program that changed, earlier runs (leak_runs.h), and the
 * claims of several targets together. A record that is judged anew by the calls that were kept gets the same verdicts.
 */
#ifndef LEAK_JUDGES_H
#define LEAK_JUDGES_H

#include "leak_judge.h"
#include "leak_runs.h"

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
