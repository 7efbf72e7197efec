/* SPDX-License-Identifier: MIT
 *
 * history_found.h - the changes of all series of a history, worst first, for commands that look at more than one.
 *
 *     struct history_found f;
 *     status = history_found_open(&f, o->dir, cli->arena, &err);
 *     status = history_found_changes(&f, &wanted, &err);      // f.changes[0 .. f.n_changes)
 *     history_found_close(&f);
 */
#ifndef HISTORY_FOUND_H
#define HISTORY_FOUND_H

#include "history_reading.h"

struct found_change {
    const struct history_series *series;
    struct view_change change;
    int session;                /* the last one of the new level's last point, for history_session_at */
    const char *before, *after; /* revisions on both sides of the location interval; "": not known */
};

struct history_found {
    struct history_reading r;
    struct found_change *changes;
    int n_changes, room;
    int of_kind[4]; /* series by enum view_kind; of those with changes only such that have some in what was asked for */
};

struct wanted_changes {
    const char *class;                 /* NULL: all */
    const char *since;                 /* a revision; NULL: from the beginning */
    const struct option_list *metrics; /* ids; NULL or none: all */
    double margin;
    int series; /* -1: all */
};

/* As history_reading_open. */
enum tare_status history_found_open(struct history_found *f, const char *dir, struct arena *a, struct tare_err *err);
void history_found_close(struct history_found *f); /* zeroed is fine */
/* INVALID: `since` names no commit of the line. */
enum tare_status history_found_changes(struct history_found *f, const struct wanted_changes *w, struct tare_err *err);
/* Opens the history again, for events that were added meanwhile; then history_found_changes anew. */
enum tare_status history_found_again(struct history_found *f, struct tare_err *err);
/* Is it noted that the commit does not build, or does not run this series? s NULL: that it does not build. */
bool history_unbuildable(const struct history *h, const struct history_series *s, const char *revision);
/* It was measured again without a verdict, and is nominated still. */
bool found_undecided(const struct found_change *f);

#endif
