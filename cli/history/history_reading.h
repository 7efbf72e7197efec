/* SPDX-License-Identifier: MIT
 *
 * history_reading.h - a history with the commits that it is of, for the commands that read one.
 *
 *     struct history_reading r;
 *     status = history_reading_open(&r, o->dir, cli->arena, &err);
 *     for (int i = 0; i < history_n_series(r.h); i++)
 *         if (history_wanted(history_series_at(r.h, i), o->class, &o->filters))
 *             status = history_view_make(&v, r.h, i, r.line, &options, cli->arena, &err);
 *     history_reading_close(&r);
 */
#ifndef HISTORY_READING_H
#define HISTORY_READING_H

#include "history_place.h"
#include "history_view.h"
#include "option.h"

struct history_reading {
    struct history_place place;
    struct history *h;
    struct history_line commits;
    const struct history_line *line; /* NULL: there is no repository, and results stand by time */
    const int *places;               /* of the sessions, for view_options */
};

/* INVALID: neither a repository nor a folder; as history_open. */
enum tare_status history_reading_open(struct history_reading *r, const char *dir, struct arena *a, struct tare_err *err);
/* The history as it is now, with what was added meanwhile. */
enum tare_status history_reading_again(struct history_reading *r, struct tare_err *err);
void history_reading_close(struct history_reading *r); /* zeroed is fine */

/* class NULL: all; filters: parts of names, none: all, may be NULL. */
bool history_wanted(const struct history_series *s, const char *class, const struct option_list *filters);
/* The series that `given` names: the beginning of an id, a benchmark's name, with its arguments as list or tare bench shows them, a part of a name. Of
 * several metrics of a benchmark it is the time, with an anchor or without, whichever was measured last. given NULL: the only one. INVALID: none or several,
 * which err lists. */
enum tare_status history_find(const struct history_reading *r, const char *class, const char *given, int *series,
                              struct tare_err *err);
/* Position of the first commit after `since`; 0: NULL. INVALID: no such commit, or not on the line. */
enum tare_status history_since(struct history_reading *r, const char *since, int *position, struct tare_err *err);

#endif
