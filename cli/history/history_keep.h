/* SPDX-License-Identifier: MIT
 *
 * history_keep.h - a finished session into a history: what --history of run, bench and trace, and tare history add do.
 *
 *     status = history_keep_open(&k, dir, ".", NULL, arena, &err);     // before anything runs: the folder, the commit
 *     status = history_keep_add(&k, &record, &err);                    // k.id, k.added
 *     history_keep_line(&k, &b);                                       // "added to .tare/history for 1a2b3c4"
 */
#ifndef HISTORY_KEEP_H
#define HISTORY_KEEP_H

#include "history_place.h"

struct history_keep {
    struct history_place place;
    struct history_session session; /* project, revision, dirty, folder, class, build */
    const char *shown;              /* the folder as people know it */
    char id[HISTORY_ID_BYTES];      /* of the last one added */
    bool added;                     /* else it was there already */
    int n;                          /* its results */
    bool lacks_ratio;               /* it has an anchor, and too few rounds for a ratio to it */
    int unsound, failed;            /* arcs and benchmarks that were left out so far */
    bool as_it_is;                  /* of the working tree, which may have changes */
};

/* As history_place_session; the folder is made, and IO or PERMISSION is told where nothing can be written to it. Nothing
 * stays open. */
enum tare_status history_keep_open(struct history_keep *k, const char *dir, const char *revision, const char *class,
                                   struct arena *a, struct tare_err *err);
/* The same, and git stays open until history_place_close. */
enum tare_status history_keep_begin(struct history_keep *k, const char *dir, const char *revision, const char *class,
                                    struct arena *a, struct tare_err *err);
/* INVALID: not a complete session, or one that is not of one revision; NOT_FOUND: no result in it. */
enum tare_status history_keep_add(struct history_keep *k, const struct record *r, struct tare_err *err);
/* The command line that measures a session at another commit, as the history has it: without what is shown and kept. NULL: it is none. */
const char *const *history_measuring_words(const char *const *argv, struct arena *a);
/* "2 sessions added to .tare/history; 1 was there already", with `commit` for which one. */
void history_keep_total(const struct history_keep *k, int added, int known, bool commit, struct buf *b);
/* "; too few rounds for ...", "; 2 arcs ..." where that is so. */
void history_keep_notes(const struct history_keep *k, struct buf *b);
void history_keep_line(const struct history_keep *k, struct buf *b);

#endif
