/* SPDX-License-Identifier: MIT
 *
 * watchdog.h - a process that takes all changes back when this one ends without having done so, by whatever means: kill -9 too.
 *
 *     journal_open(&j, NULL, &root, &err);
 *     watchdog_start(&g, &root, j, &err);          // before any change, and before any thread
 *     tune_apply(&look, j, NULL, &report, &err);
 *     ... measure ...
 *     tune_reset(&root, j, false, &report, &err);
 *     status = watchdog_end(g, &err);              // it goes; IO: it had been killed, so nobody watched
 *     journal_close(j);
 *
 * It shares the journal's lock, so between our end and its work nobody else can begin to tune. It says in one line on standard error what it put back. What was opened to be held (see
 * journal_hold) ends with this process by itself. It cannot help where it is killed too, by a group that is killed as a whole, or by a power cut: the first leaves a
 * journal, which any later `tare system reset` works off; after the second there is nothing to undo.
 * Ownership: root and journal must live until watchdog_end.
 */
#ifndef WATCHDOG_H
#define WATCHDOG_H

#include "journal.h"

struct watchdog;

enum tare_status watchdog_start(struct watchdog **out, const struct system_root *root, struct journal *j, struct tare_err *err);
int watchdog_pid(const struct watchdog *g);
/* NULL is fine. g is gone either way. */
enum tare_status watchdog_end(struct watchdog *g, struct tare_err *err);

#endif
