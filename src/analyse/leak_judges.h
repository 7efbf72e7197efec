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
 * once, and the beginning of a file that grew counts with the file. So a leak that the product has proven at any run stays proven, and runs without a finding
 * count in it too. An invalid run is not counted.
 * The question is a hash of target, program file, processor, classes, kind, cache policy, noise and data-independent timing; the margin is no part of it,
 * for evidence knows none.
 */
#ifndef LEAK_JUDGES_H
#define LEAK_JUDGES_H

#include "chart.h"
#include "leak_report.h"
#include "leak_target.h"

/* ---- one target: its processes in, what is said of it out; the same for a program that is running, for kept calls and for a file of times ----
 *
 * The engine is made at the first report, whose clock says what the margin is in ticks, and is then the same for all: the same reports in the
 * same order give the same target. What the times say is in leak_engine.h, leak_scan.h, leak_growth.h, leak_dudect.h. One thread. */

enum { LEAK_CHARTS_MAX = 8 };

struct leak_judge;

/* A whole report of one process. FORMAT: it contradicts itself or those before (other classes, another number of calls per reading); what came
 * before it in the report counts. INVALID: the rule cannot be applied (cycles asked for, and none known). NO_MEMORY. */
enum tare_status leak_judge_take(struct leak_judge *j, const struct leak_report *report, struct tare_err *err);

/* Size that the planted delay should have, ns; 0: not known yet. */
double leak_judge_spike_ns(const struct leak_judge *j);
/* Adds that last so long, by what those of the processes so far weighed; 0: not known yet, the process is to look for them. */
int leak_judge_spike_adds(const struct leak_judge *j, double spike_ns);
/* Blocks in a hundred that the next process should give to A/A and as many to the planted delay, where `asked` were asked for. */
int leak_judge_selfcheck(const struct leak_judge *j, int asked);
/* The smallest shift that so many seconds of its processes would show with even chance, ns; NaN: not known, or no pairs. */
double leak_judge_visible_ns(const struct leak_judge *j, double seconds);

struct leak_judge_figures {
    double log_e;      /* natural logarithm of E now, which a ledger and e-BH take. 0 before anything was read */
    const char *clock; /* that its readings are of; "": there are none yet */
    int64_t calls;
    int64_t last_blocks; /* of the question, in the last report; of a scan calls */
};

struct leak_judge_figures leak_judge_figures(const struct leak_judge *j);

/* Pictures of what leak_judge_read said, in the arena, and the shift function into t, for what is as it is until the next call. How many pictures. */
int leak_judge_draw(struct leak_judge *j, struct leak_target *t, struct arena *arena, struct chart out[LEAK_CHARTS_MAX]);

/* ---- all targets of a record ---- */

enum { LEAK_QUESTION_BYTES = 17 };

struct leak_run {
    char question[LEAK_QUESTION_BYTES];
    double log_e;
    bool leak; /* was its verdict */
    uint64_t seed;
    char data[LEAK_QUESTION_BYTES]; /* of a file with times: the hash of its content */
    int64_t bytes;                  /* of that content; 0: of a program, or not known */
    double brings;                  /* to the product of all, by leak_runs_settle: 0 where it is counted with one before it */
};

struct leak_runs { /* in the order in which they were made */
    struct leak_run *run;
    int n;
};

/* This session's run of a target, which has its texts, program_hash and cpu too. */
struct leak_run leak_run_of(const struct record *r, const struct leak_target *t, double log_e);
/* Those of one question that drew the same coins, by their seed or by their file, together. Once all of them are there. False: no memory. */
bool leak_runs_settle(struct leak_runs *runs);
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
