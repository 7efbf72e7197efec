/* SPDX-License-Identifier: MIT
 *
 * history_ingest.h - brings an index to what the folder holds now: files that are new or changed are read, what is gone is removed, in one step.
 *
 *     status = history_ingest(ix, ".tare/history", &err);
 *
 * A file whose content does not have its name, or that cannot be read, is a problem, which the index has too. Inside of src/store.
 */
#ifndef HISTORY_INGEST_H
#define HISTORY_INGEST_H

#include "history_index.h"

/* NOT_FOUND: there is no such folder. Other failures are the index's, or NO_MEMORY. */
enum tare_status history_ingest(struct history_index *ix, const char *folder, struct tare_err *err);

/* The index and what a crash may leave are no part of a commit: a .gitignore, unless there is one. */
void history_keep_out_of_commits(const char *folder);

#endif
