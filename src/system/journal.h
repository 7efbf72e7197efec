/* SPDX-License-Identifier: MIT
 *
 * journal.h - what tuning has changed on this machine and what was there before: on the disk before each change is made.
 *
 *     struct journal *j;
 *     status = journal_open(&j, NULL, &root, &err);                // the only one who has it; BUSY: another tuner
 *     status = journal_begin(j, &err);
 *     status = journal_intend(j, setting, now, wanted, &sequence, &err);        // any number of them
 *     status = journal_flush(j, &err);                             // now they may be made
 *     ... root_write, root_read ...
 *     status = journal_done(j, sequence, 0, "performance", &err);
 *     journal_close(j);
 *
 *     const struct journal_entry *e = journal_at(j, i);            // one file, from its first change in this boot until it is undone
 *
 * One file of lines (journal_parts.h), to which is only added: `tare-journal` (format, tool, boot, kernel), `owner` (a process that makes changes), `intent`, `done`, `settled`
 * and `undoing` (see journal_settle), `left` (the owner ended on purpose), `reverted`. It goes when nothing is left to undo. docs/how-it-works/tuning.md tells why.
 * A line that is cut off at the file's end is passed over, and cut away before more is written. What is whole, and yet no line of ours, makes the whole file refused:
 * whoever reads it acts as root by it. Paths must be ones that a knob writes: see knob_may. Changes are numbered without a gap: a number that is missing is a
 * change that is lost, and counts as a line that cannot be read.
 * Before each step that changes the file (made, added to, removed) root->before_write is called with "journal" as the path: a test can make any of them fail, or be
 * the last.
 * Ownership: all texts are the journal's, until journal_close or journal_refresh. One thread.
 */
#ifndef JOURNAL_H
#define JOURNAL_H

#include "knob.h"
#include "root.h"

enum {
    JOURNAL_FORMAT = 1,
    JOURNAL_FILE_MAX = 1 << 26,
    JOURNAL_TEXT_MAX = 1 << 16, /* bytes of one value */
    JOURNAL_PATH_MAX = 1024,
    JOURNAL_ENTRIES_MAX = 1 << 16,
    JOURNAL_HELD_MAX = 64
};

struct journal_entry {
    const char *knob, *path, *from;       /* from: tasks alone */
    const char *identity, *identity_path; /* as in struct setting */
    enum setting_kind kind;
    enum setting_form form;
    enum knob_stage stage; /* the earliest of all its changes: it is undone as late as that asks */
    const char *old;       /* before our first change; NULL: nothing is written back */
    const char *before;    /* before our last one */
    const char *wrote;     /* what the last one was to write; NULL: nothing, it is kept because other changes move it */
    const char *seen;      /* what was read after it; NULL: nothing could be */
    int first, last;       /* sequence numbers of the first and last intent */
    bool done;             /* the last one has been made or refused; what happened of an intent that is not done is not known */
    bool open;             /* not undone yet */
};

struct journal;

/* Where it lies unless a folder is named: TREE/var/lib/tare of a copied tree, /var/lib/tare for root, else $XDG_STATE_HOME/tare or ~/.local/state/tare. Appended. PERMISSION:
 * not root, and neither of the variables is set. */
enum tare_status journal_folder(struct buf *out, const struct system_root *root, struct tare_err *err);

/* folder NULL: journal_folder. The root must live as long. BUSY: another has it open. PERMISSION: folder or file are not safely ours. FORMAT: not a journal of tare, or lines in it that
 * tare never writes. VERSION: of another format. Nothing is made but the folder. */
enum tare_status journal_open(struct journal **out, const char *folder, const struct system_root *root, struct tare_err *err);
void journal_close(struct journal *j); /* NULL is fine. The file stays if there is one */
/* Reads anew what is in the file, after another process that inherited this journal may have written. */
enum tare_status journal_refresh(struct journal *j, struct tare_err *err);

/* ---- what is in it ---- */

int journal_n(const struct journal *j);
const struct journal_entry *journal_at(const struct journal *j, int i);
const struct journal_entry *journal_find(const struct journal *j, const char *path); /* the one that is open; NULL: none */
int journal_open_entries(const struct journal *j);
/* Made in an earlier boot: whatever it says is undone by itself. */
bool journal_is_void(const struct journal *j);
/* The intent that may or may not have become a change when its owner died: the first without `done`; 0: none. Those behind it were not begun. */
int journal_interrupted(const struct journal *j);
/* Whether all changes have shown what they do to each other, see journal_settle. */
bool journal_is_settled(const struct journal *j);
/* The number of the first change that belongs to this session: one that began (journal_begin, or journal_guarded) when all that was there had been left on purpose takes
 * back its own changes alone; any other takes back everything, from 1. */
int journal_session_from(const struct journal *j);
void journal_guarded(struct journal *j);                 /* a session will begin, and this process or its watchdog will end it */
size_t journal_truncated_bytes(const struct journal *j); /* of a line cut off at its end: what it was to note was not done */
int journal_lost(const struct journal *j);         /* lines that are unreadable or missing: what they said cannot be undone */
const char *journal_path(const struct journal *j); /* of the file, for messages */
/* Descriptors for a watchdog: see plat_state_descriptors. */
int journal_descriptors(const struct journal *j, int fds[2]);

/* ---- writing ---- */

/* A new file, or a new owner of the one that is there. INVALID: that one is void. TOO_LARGE: it is half full. */
enum tare_status journal_begin(struct journal *j, struct tare_err *err);
/* `now`: what was just read, in place of the setting's. Of a path that has an open entry the first old value stays. FORMAT: a path that is not allowed, or text over a limit.
 * TOO_LARGE: too many. Nothing is written yet. */
enum tare_status journal_intend(struct journal *j, const struct setting *s, const char *now, const char *wanted, int *sequence,
                                struct tare_err *err);
enum tare_status journal_flush(struct journal *j, struct tare_err *err);
/* error: errno of a refusal, or 0. A first change that was refused and left the file as it was is no entry any more. */
enum tare_status journal_done(struct journal *j, int sequence, int error, const char *seen, struct tare_err *err);
/* What a file holds after others of our changes have moved it. */
enum tare_status journal_saw(struct journal *j, int sequence, const char *seen, struct tare_err *err);
/* From here on (until the next journal_begin or journal_undoing) what differs from what was last seen was changed by somebody else. Before, frequency settings may have
 * been moved by one another: a governor sets the energy preference, turbo the limits. */
enum tare_status journal_settle(struct journal *j, struct tare_err *err);
enum tare_status journal_undoing(struct journal *j, struct tare_err *err);
enum tare_status journal_leave(struct journal *j, struct tare_err *err); /* the owner ends, the changes are meant to stay */
/* After this session's changes are undone: those that were left on purpose before are left again. */
enum tare_status journal_leave_again(struct journal *j, struct tare_err *err);
/* Entries by their place; kept back until journal_flush. What fails to be written is not in the journal, as if it had not been noted: entries may have new places after. */
enum tare_status journal_reverted(struct journal *j, int i, struct tare_err *err);
enum tare_status journal_remove(struct journal *j, struct tare_err *err);

/* Keeps a descriptor open until journal_release or journal_close. False: there are too many. */
bool journal_hold(struct journal *j, int fd);
void journal_release(struct journal *j);

/* ---- a look from outside ---- */

enum journal_state {
    JOURNAL_NONE,
    JOURNAL_AT_WORK,  /* its owner lives */
    JOURNAL_LEFT,     /* tuned, and meant to be */
    JOURNAL_ORPHANED, /* its owner died before it could undo */
    JOURNAL_PAST,     /* of an earlier boot */
    JOURNAL_UNKNOWN   /* cannot be read */
};
struct journal_notice {
    enum journal_state state;
    int changes; /* not undone */
    int64_t owner;
};
/* Takes no lock and makes nothing; folder NULL: journal_folder. Some 20 us where there is none. */
void journal_look(struct journal_notice *out, const char *folder, const struct system_root *root);
/* One sentence for people, "" when there is nothing to say: nothing is open, or it was left on purpose. */
void journal_notice_text(struct buf *out, const struct journal_notice *n);

#endif
