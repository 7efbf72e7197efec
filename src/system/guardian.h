/* SPDX-License-Identifier: MIT
 *
 * guardian.h - a process that takes all changes back when this one ends without having done so, by whatever means: kill -9 too.
 *
 *     journal_open(&j, NULL, &root, &err);
 *     guardian_start(&g, &root, j, &err);          // before any change, and before any thread
 *     tune_apply(&look, j, NULL, &report, &err);
 *     ... measure ...
 *     tune_reset(&root, j, false, &report, &err);
 *     status = guardian_end(g, &err);              // it goes; IO: it had been killed, so nobody watched
 *     journal_close(j);
 *
 * It shares the journal's lock, so between our end and its work nobody else can begin to tune. It says in one line on standard error what it put back. What was opened to be held (see
 * journal_hold) ends with this process by itself. It cannot help where it is killed too, by a group that is killed as a whole, or by a power cut: the first leaves a
 * journal, which any later `tare system reset` works off; after the second there is nothing to undo.
 * Ownership: root and journal must live until guardian_end.
 */
#ifndef GUARDIAN_H
#define GUARDIAN_H

#include "journal.h"

struct guardian;

enum tare_status guardian_start(struct guardian **out, const struct system_root *root, struct journal *j, struct tare_err *err);
int guardian_pid(const struct guardian *g);
/* NULL is fine. g is gone either way. */
enum tare_status guardian_end(struct guardian *g, struct tare_err *err);

#endif
