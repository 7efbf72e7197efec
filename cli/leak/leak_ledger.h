/* SPDX-License-Identifier: MIT
 *
 * leak_ledger.h - the file of --ledger: runs of leak targets, which leak_judges.h takes together.
 *
 *     struct leak_ledger *ledger;
 *     leak_ledger_open(&ledger, "leaks.ledger", &note, &err);  // reads what is there, locks the file
 *     judges.runs = leak_ledger_runs(ledger);
 *     leak_ledger_add(ledger, &record, target, log_e, &err);   // this run, at its end
 *     leak_ledger_close(ledger);
 *
 * It is JSON Lines, one object a run and target: question, target, log_e, verdict, calls, start.
 */
#ifndef LEAK_LEDGER_H
#define LEAK_LEDGER_H

#include "leak_judges.h"

struct leak_ledger;

/* The file need not be there. BUSY: another session has it; FORMAT: not a ledger; IO. A last line that was cut off, as by a full disk, is left out and
 * said in note, and goes when this run is added. */
enum tare_status leak_ledger_open(struct leak_ledger **out, const char *path, struct buf *note, struct tare_err *err);
void leak_ledger_close(struct leak_ledger *ledger);                         /* NULL is fine */
const struct leak_runs *leak_ledger_runs(const struct leak_ledger *ledger); /* until it is closed; NULL: there is none */
/* An invalid run, one without a call and a file that is there already are not added. */
enum tare_status leak_ledger_add(struct leak_ledger *ledger, const struct record *r, const struct leak_target *t, double log_e,
                                 struct tare_err *err);

#endif
