/* SPDX-License-Identifier: MIT
 *
 * history_view_world.h - a history of ten commits with a store, a detector and a git of its own, for tests of history_view.
 *
 *     struct world w;
 *     world_begin(&w);
 *     world_add_all(&w);
 *     world_plant(5, 4, 6);        // what the detector will find
 *     world_make(&w, true);        // w.v
 *     world_end(&w);
 */
#ifndef HISTORY_VIEW_WORLD_H
#define HISTORY_VIEW_WORLD_H

#include "changes.h"
#include "history_view.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

enum { ROOM = 64 };

struct history {
    struct history_series series;
    struct history_session sessions[ROOM];
    struct history_point points[ROOM];
    int n;
    struct history_event events[ROOM];
    int n_events;
};

enum { COMMITS = 10 };
extern const char *const world_hashes[COMMITS];

struct world {
    struct history h;
    struct history_commit commits[COMMITS];
    int sorted[COMMITS];
    const char *patches[COMMITS];
    struct git git;
    struct history_line line;
    struct arena arena;
    struct history_view v;
    struct view_options o;
};

extern int world_n_detected, world_detected[4][2]; /* lengths and first values of what was looked at */
extern enum stats_course world_course;             /* where nothing is planted, and EITHER where something is */
extern const char *world_patch;                    /* what git says of patches */

void world_begin(struct world *w);
void world_add(struct world *w, const char *revision, double value, bool dirty);
void world_add_all(struct world *w); /* 100, and from the sixth commit on 120 */
void world_plant(int at, int first, int last);
struct history_event *world_note(struct world *w, enum history_event_kind kind, const char *revision);
void world_make(struct world *w, bool line);
void world_end(struct world *w);

#endif
