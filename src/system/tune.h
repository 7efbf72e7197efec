/* SPDX-License-Identifier: MIT
 *
 * tune.h - makes the changes that knob.h found wanting, and takes every one of them back.
 *
 *     struct journal *j;
 *     status = journal_open(&j, folder, &root, &err);            // BUSY: another tuner is at work
 *     status = tune_apply(&look, j, &report, &err);              // each change: noted and flushed, made, read back, noted
 *     ...
 *     status = tune_reset(&root, j, false, &report, &err);       // last change first
 *     journal_close(j);
 *
 * A change is written to the journal before it is made, with what was there before, so that whatever ends us in between leaves enough to undo it. A file that has an
 * unreverted entry of this boot is not saved again: the first "old" is the true one. After a reboot entries are void and nothing is written.
 * Undoing: current == new: old is written and read back; current == old: nothing to do; else somebody else changed it: a conflict, left alone.
 * One journal a machine, one tuner at a time.
 */
#ifndef TUNE_H
#define TUNE_H

#include "knob.h"

struct journal; /* journal.h */

enum change_outcome {
    CHANGE_MADE,
    CHANGE_KEPT,    /* was so already */
    CHANGE_REFUSED, /* by the kernel: error says with what; tuning goes on */
    CHANGE_UNDONE,
    CHANGE_CONFLICT,   /* somebody else changed it since */
    CHANGE_GONE,       /* the file, or what it belonged to, is not there any more */
    CHANGE_VOID,       /* of an earlier boot */
    CHANGE_INEFFECTIVE /* written without complaint, read back as something else */
};

struct change {
    const char *knob, *path, *from, *to; /* to: what was written; at reset from: what was found */
    enum change_outcome outcome;
    int error;        /* errno of a refusal; 0 */
    const char *note; /* one sentence, or "" */
};

struct tune_report { /* texts lie in the arena */
    struct arena *arena;
    struct change *changes;
    int n, room;
    int made, refused, conflicts;
};

/* OK also when single changes were refused: see the report. BUSY, PERMISSION (nothing at all could be changed), IO (journal), NO_MEMORY.
 * INTERRUPTED: a signal; what was made is in the journal. */
enum tare_status tune_apply(const struct look *look, struct journal *j, struct tune_report *report, struct tare_err *err);
/* force: write the old values over conflicts too. The journal is removed when nothing is left in it. */
enum tare_status tune_reset(const struct system_root *root, struct journal *j, bool force, struct tune_report *report,
                            struct tare_err *err);

const char *change_outcome_text(enum change_outcome o);

#endif
