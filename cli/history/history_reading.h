/* SPDX-License-Identifier: MIT
 *
 * history_reading.h - a history with the commits that it is of, for the commands that read one: what they all begin and end with.
 *
 *     struct list l = {.n = 0};
 *     return history_command(&l.r, cli, options, work, &l);        // opens the history, calls work(&l, &code, &err), closes all
 *
 *     for (int i = 0; i < history_n_series(r->h); i++)
 *         if (history_wanted(history_series_at(r->h, i), o))
 *             status = history_view_make(&v, r->h, i, r->line, &options, cli->arena, &err);
 */
#ifndef HISTORY_READING_H
#define HISTORY_READING_H

#include "cli.h"
#include "history_options.h"
#include "history_place.h"
#include "history_view.h"
#include "json_write.h"
#include "outputs.h"

struct page;
struct table;

struct found_change {
    const struct history_series *series;
    struct view_change change;
    int session; /* the last one of the new level's last point, for history_session_at */
};

struct history_reading {
    struct cli *cli;
    const struct history_options *o;
    struct outputs out;
    struct history_place place;
    struct history *h;
    struct history_line commits;
    const struct history_line *line; /* NULL: there is no repository, and results are in the order of time */
    const int *places;               /* of the sessions, for view_options */
    struct found_change *changes;    /* from history_find_changes, worst first */
    int n_changes, room;
    int of_course[STATS_COURSES]; /* series; those with steps only where they have changes in what was asked for */
    int n_noisy, n_noisy_cpu;     /* series of times without an anchor that vary much within a level; those of CPU time */
    int n_absent,
        absent; /* series that the newest session of their command line lacks, though it was on their class; the first of them */
    int signal; /* that ended the work: to die of once all is tidy; 0 */
};

/* Status OK: the exit code is *code; else err is printed. */
typedef enum tare_status history_work(void *context, enum exit_code *code, struct tare_err *err);
/* The exit code. Files of the history that cannot be read are named on standard error. */
int history_command(struct history_reading *r, struct cli *cli, const struct history_options *o, history_work *work,
                    void *context);
/* Now, and after all that was said: the latest statement counts, also where the clock was set back since. */
int64_t history_time_of_event(const struct history_reading *r);
/* Of an event about the series with this id; NULL: about all of the repository that we are in. In a folder NULL. */
const char *history_event_project(const struct history_reading *r, const char *series);
/* On the screen, and where it is asked for as JSON, one object. */
enum exit_code history_print(const struct history_reading *r, void (*put)(const void *context, struct page *p),
                             const void *context);
enum exit_code history_write_json(struct history_reading *r, void (*put)(const void *context, struct json_write *j),
                                  const void *context);
/* The history as it is now, with what was added meanwhile. */
enum tare_status history_reading_again(struct history_reading *r, struct tare_err *err);
/* The folder that was named is not there. */
bool history_is_missing(const struct history_reading *r);
/* A history without results says why on standard error. EXIT_INVALID: it is missing. */
enum exit_code history_say_empty(const struct history_reading *r);
/* INVALID: there are no commits, as there is no repository, or none was made yet. */
enum tare_status history_need_line(const struct history_reading *r, struct tare_err *err);

/* ---- which series ---- */

/* By the class, parts of names and metrics that the options have. */
bool history_wanted(const struct history_series *s, const struct history_options *o);
/* The series that `given` names: the beginning of an id, a benchmark's name, with its arguments as list or tare bench shows them, a part of a name. Of
 * several metrics of a benchmark it is the time; of several times the one with an anchor; of one time with and without an anchor what was measured last.
 * given NULL: the only one. INVALID: none or several, which err lists. */
enum tare_status history_find(const struct history_reading *r, const char *given, int *series, struct tare_err *err);
/* Position of the first commit after --since; 0: not given. INVALID: no such commit, or not on the line. */
enum tare_status history_since(struct history_reading *r, int *position, struct tare_err *err);

/* ---- changes of all series ---- */

/* Of the one series, or with -1 of all that the options want. */
enum tare_status history_find_changes(struct history_reading *r, int series, struct tare_err *err);
/* Is it noted that the commit does not build, or does not run this series or command line (in one line)? Each may be NULL. */
bool history_unbuildable(const struct history *h, const struct history_series *s, const char *words, const char *revision);
/* It was measured again without a verdict, and is nominated still. */
bool found_undecided(const struct found_change *f);
/* Its results say by which command line they were measured, as imported ones do not. */
bool history_is_repeatable(const struct history *h, int session);

/* ---- history_share.c: one piece of work for each of many series, on all CPUs that we may use.
 *
 *     const struct history_share s = {.r = &r, .n = n, .make = make, .take = take, .context = &work};
 *     status = history_share(&s, &err);      // make for each of 0 .. n-1, in any process; take for each, in this one and in order
 *
 * Where there are few it all happens in this process. Else processes are forked, each for a part of them in a row: what make changes in memory stays
 * there, and only what it puts into `out` comes back. Pointers to what was there before stay valid on both sides, so plain structs can be sent. */

struct history_share {
    struct history_reading *r;
    int n;
    enum tare_status (*make)(void *context, int item, struct buf *out, struct tare_err *err);
    enum tare_status (*take)(void *context, int item, const char *bytes, size_t n, struct tare_err *err); /* bytes: not aligned */
    void *context;
};

/* The first failure of make or take; CHILD: a process died. */
enum tare_status history_share(const struct history_share *s, struct tare_err *err);

/* ---- series, their points and changes, sessions and events of a history as JSON: members of tare-export(5). ---- */

/* One object: what the series is, its last value, its changes, its points. Without `points` not these, and of v->points there is only the last one. */
void history_json_series(struct json_write *j, const struct history_reading *r, const struct history_view *v, bool points);
/* The members of a change: where it is, its state, size, what was said of it. */
void history_json_change(struct json_write *j, const struct view_change *c);
void history_json_problems(struct json_write *j, const struct history *h); /* the member "problems" */
void history_json_rest(struct json_write *j, const struct history *h);     /* "sessions", "events", "problems" */

/* ---- history_cells.c: cells of tables with a series or a change a row ---- */

enum { TABLE_NAME_COLUMNS = 40 };

void history_cell_name(struct table *t, const struct history_series *s);
void history_cell_class(struct table *t, const struct history_series *s);
/* Of a change: its effect in colour; "1a2b3c4 its subject"; "confirmed worse", "refuted (same)". */
void history_cell_effect(struct table *t, const struct found_change *f);
void history_cell_commit(struct table *t, const struct view_change *c);
void history_cell_state(struct table *t, const struct found_change *f);

#endif
