/* SPDX-License-Identifier: MIT
 *
 * leak_judge.h - one target's processes in, what is said of it out: the same for a program that is running, for calls that were kept, and
 * for a file with times.
 *
 *     struct leak_judge *j = leak_judge_create(&record.rule);
 *     for each process: leak_judge_take(j, &report, &err);      // its times to the engine, and a look
 *     leak_judge_read(j, &target);                              // figures and words of leak_target.h
 *     leak_judge_destroy(j);
 *
 * The engine is made at the first report, whose clock says what the margin is in ticks, and is then the same for all: the same reports in the
 * same order give the same target. What the times say is analyse's (leak_engine.h, leak_scan.h, leak_growth.h, leak_dudect.h).
 * Ownership: the judge owns its engines and readings; the rule must outlive it. One thread.
 */
#ifndef LEAK_JUDGE_H
#define LEAK_JUDGE_H

#include "chart.h"
#include "leak_report.h"
#include "leak_target.h"

enum { LEAK_CHARTS_MAX = 8 };

struct leak_judge;

struct leak_judge *leak_judge_create(const struct rule *rule); /* NULL: no memory */
void leak_judge_destroy(struct leak_judge *j);                 /* NULL is fine */

/* A whole report of one process. FORMAT: it contradicts itself or those before (other classes, another number of calls per reading); what came
 * before it in the report counts. INVALID: the rule cannot be applied (cycles asked for, and none known). NO_MEMORY. */
enum tare_status leak_judge_take(struct leak_judge *j, const struct leak_report *report, struct tare_err *err);

/* All figures, and the texts that the times and the reports say; those of program, processor and ledger are the caller's. Before the first report:
 * undecided. *t was initialised. Texts live as long as the judge. */
void leak_judge_read(struct leak_judge *j, struct leak_target *t);
/* Natural logarithm of E now, which a ledger and e-BH take. 0 before anything was read. */
double leak_judge_log_e(const struct leak_judge *j);
/* Size that the planted delay should have, ns; 0: not known yet. */
double leak_judge_spike_ns(const struct leak_judge *j);
/* Adds that last so long, by what those of the processes so far weighed; 0: not known yet, the process is to look for them. */
int leak_judge_spike_adds(const struct leak_judge *j, double spike_ns);
/* Blocks in a hundred that the next process should give to A/A and as many to the planted delay, where `asked` were asked for. */
int leak_judge_selfcheck(const struct leak_judge *j, int asked);
/* The smallest shift that so many seconds of its processes would show with even chance, ns; NaN: not known, or no pairs. */
double leak_judge_visible_ns(const struct leak_judge *j, double seconds);
const char *leak_judge_clock(const struct leak_judge *j); /* that its readings are of; "": there are none yet */
int64_t leak_judge_calls(const struct leak_judge *j);
int64_t leak_judge_last_blocks(const struct leak_judge *j); /* of the question, in the last report; of a scan calls */

/* Pictures of what leak_judge_read said, in the arena, and the shift function into t, for what is as it is until the next call. How many pictures. */
int leak_judge_draw(struct leak_judge *j, struct leak_target *t, struct arena *arena, struct chart out[LEAK_CHARTS_MAX]);

#endif
