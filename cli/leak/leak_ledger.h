/* SPDX-License-Identifier: MIT
 *
 * leak_ledger.h - all runs of one question together, so that running again until it passes does not work (--ledger).
 *
 *     struct leak_ledger *ledger;
 *     leak_ledger_open(&ledger, "leaks.ledger", &note, &err);  // reads what is there, locks the file
 *     leak_ledger_apply(ledger, &record, log_e, &target);           // its earlier runs into the verdict
 *     leak_ledger_add(ledger, &record, target, log_e, &err);   // this run, at its end
 *     leak_ledger_close(ledger);
 *
 * Evidence of independent runs multiplies: the product of their e-values, taken run by run, is a process that passes 1/alpha with chance alpha at
 * most, whatever made somebody run again (Ville). Runs of one seed drew the same coins and are no
 * independent evidence: they count as one, with the mean of their e-values (an e-value however they depend on each other). A file given twice counts
 * once. So a leak that the product has proven at any run stays proven, and runs without a finding
 * weigh in it too. An invalid run is not counted.
 * The file is JSON Lines, one object a run and target: question, target, log_e, verdict, calls, start. The question is a hash of target, program
 * file, processor, classes, kind, cache policy, noise and data-independent timing; the margin is no part of it, for evidence knows none.
 */
#ifndef LEAK_LEDGER_H
#define LEAK_LEDGER_H

#include "buf.h"
#include "leak_target.h"

struct leak_ledger;

/* The file need not be there. BUSY: another session has it; FORMAT: not a ledger; IO. A last line that was cut off, as by a full disk, is left out and
 * said in note, and goes when this run is added. */
enum tare_status leak_ledger_open(struct leak_ledger **out, const char *path, struct buf *note, struct tare_err *err);
void leak_ledger_close(struct leak_ledger *ledger); /* NULL is fine */
/* ln of an e-value of all runs of the target's question, this one with log_e the last: their product, stopped at the run with which it first reached
 * `limit`. Of several targets they are held together by e-BH, limit being what a claim of one alone takes. By the figures that leak_ledger_apply or
 * leak_ledger_again put into t; without them log_e. */
double leak_ledger_log_e(const struct leak_target *t, double log_e, double limit);
/* The figures ledger_..., and a leak that all runs prove together becomes the verdict. t has its texts, program_hash and cpu too. */
void leak_ledger_apply(const struct leak_ledger *ledger, const struct record *r, double log_e, struct leak_target *t);
/* The same from the figures that a session with a ledger left in its record: its calls are judged anew, and the runs before it count as they did then. */
void leak_ledger_again(const struct leak_target *then, const struct record *r, double log_e, struct leak_target *t);
enum tare_status leak_ledger_add(struct leak_ledger *ledger, const struct record *r, const struct leak_target *t, double log_e,
                                 struct tare_err *err);

#endif
