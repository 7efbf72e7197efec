/* SPDX-License-Identifier: MIT
 *
 * tune.h - makes the changes that knob.h found wanting, and takes every one of them back.
 *
 *     struct journal *j;
 *     struct tune_report report = {.arena = &a};
 *     status = journal_open(&j, folder, &root, &err);            // BUSY: another tuner is at work
 *     status = tune_apply(&look, j, NULL, &report, &err);        // each change: noted and flushed, made, read back, noted
 *     ...
 *     status = tune_reset(&root, j, false, &report, &err);       // last change first
 *     journal_close(j);
 *
 * A change is written to the journal before it is made, with what was there before, so that whatever ends us in between leaves enough to undo it. A file that has an
 * unreverted entry of this boot is not saved again: the first "old" is the true one. After a reboot entries are void and nothing is written.
 * Undoing, stage by stage upwards, in each the last change first: what we left there becomes old again and is read back; what is old already needs nothing; what is
 * neither was changed by somebody else: a conflict, left alone. Energy preferences are put back after governors and limits after turbo, which move them.
 * One journal a machine, one tuner at a time. docs/how-it-works/tuning.md says what is guaranteed, and what is not.
 */
#ifndef TUNE_H
#define TUNE_H

#include "knob.h"

struct journal; /* journal.h */

enum change_outcome {
    CHANGE_MADE,
    CHANGE_KEPT,    /* was so already */
    CHANGE_REFUSED, /* by the kernel: error says with what; by us: note says why; tuning goes on */
    CHANGE_UNDONE,
    CHANGE_CONFLICT,   /* somebody else changed it since */
    CHANGE_GONE,       /* the file, or what it belonged to, is not there any more */
    CHANGE_VOID,       /* of an earlier boot */
    CHANGE_INEFFECTIVE /* written without complaint, read back as something else */
};

struct change {
    const char *knob, *path;
    const char *from,
        *to; /* what was there and what was written; at reset what was found and what is put back; NULL: nothing of that kind */
    enum change_outcome outcome;
    int error;        /* errno of a refusal; 0 */
    const char *note; /* one sentence, or "" */
};

struct tune_report { /* texts lie in the arena; zeroed but for that */
    struct arena *arena;
    struct change *changes;
    int n, room;
    union {
        int outcomes[CHANGE_INEFFECTIVE + 1]; /* how many of each */
        struct {
            int made, kept, refused, undone, conflicts, gone, void_entries, ineffective;
        };
    };
    const char *warning; /* what is to be known of the whole: on battery, lines of a journal that are lost; NULL: nothing */
};

struct tune_options {
    bool beside_others; /* change also what another program that is running steers (irqbalance, tuned ...) */
    bool lasting;       /* our process ends and the changes stay: what needs a descriptor held is left out */
    /* Whether things got worse, measured: called once before all changes with group NULL, and after each group of them that changed anything; true undoes that group
     * at once, `why` says what was seen. NULL: nobody looks. */
    bool (*worse)(void *context, const char *group, struct buf *why);
    void *context;
};

/* options NULL: none. OK also when single changes were refused: see the report. INVALID: no CPU to measure on. PERMISSION: nothing at all could be changed. UNSUPPORTED: the same, as /sys and /proc are mounted read-only. FORMAT: lines of the journal cannot be read or are missing. IO: the
 * journal cannot be written; nothing more was changed then. NO_MEMORY. INTERRUPTED: a signal. After a failure what was made is in the journal: tune_reset takes it back. */
enum tare_status tune_apply(const struct look *look, struct journal *j, const struct tune_options *options,
                            struct tune_report *report, struct tare_err *err);
/* With the journal by which this process has tuned (or guards): what it changed is taken back, and what somebody had tuned before, and left so on purpose, stays as that one left it. With a journal that was
 * just opened: everything.
 * force: write the old values over conflicts too. The journal is removed when nothing is left in it; conflicts and refusals stay there. IO: settings may all be back, but the
 * journal could not be written. */
enum tare_status tune_reset(const struct system_root *root, struct journal *j, bool force, struct tune_report *report,
                            struct tare_err *err);

/* "made", "was so already", "refused" ... */
const char *change_outcome_text(enum change_outcome o);

#endif
