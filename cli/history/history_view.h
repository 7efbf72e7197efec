/* SPDX-License-Identifier: MIT
 *
 * history_view.h - a series as people and checks see it: one point a commit in the order of the first parents, the changes of its level, and
 * what became of each.
 *
 *     struct history_line line;
 *     status = history_line_read(&line, git, "HEAD", arena, &err);    // positions of commits
 *     struct history_view v;
 *     status = history_view_make(&v, h, series, &line, &options, arena, &err);
 *
 * The only place that joins files, commits and the detector (stats_changes): list, show, check, bisect and html all go through it.
 */
#ifndef HISTORY_VIEW_H
#define HISTORY_VIEW_H

#include "changes.h"
#include "git.h"
#include "history.h"

/* ---- commits ---- */

struct history_commit {
    const char *hash, *subject; /* the first line of its message */
    const char *author;
    int64_t time_s;
};

struct history_line { /* first parents, oldest first: position i is commits[i] */
    const struct history_commit *commits;
    int n;
    const char *root;  /* the root commit: the project; "": not known, as in a shallow clone */
    const int *sorted; /* positions by hash, for history_position */
    bool shallow;
    struct git *git; /* by which it was read; stays the caller's */
    struct arena *arena;
    const bool *only_results; /* commits that change nothing but the history itself; NULL: none are known */
    const char **patches;     /* patch ids as far as history_patches asked; "": it has none */
};

/* The commit of that name, in full. INVALID: there is none. */
enum tare_status history_commit_named(struct git *git, const char *revision, const char **hash, struct tare_err *err);
/* The first parents of `revision`. NOT_FOUND: no repository; INVALID: no such revision. A shallow clone is read as far as it goes. */
enum tare_status history_line_read(struct history_line *line, struct git *git, const char *revision, struct arena *a,
                                   struct tare_err *err);
int history_position(const struct history_line *line, const char *hash); /* -1: not on the line */
/* Finds the commits that change nothing but files below `folder`, as git names it ("sub/folder"): they have changed no level, and are neither measured nor
 * counted. */
enum tare_status history_line_results(struct history_line *line, const char *folder, struct tare_err *err);
static inline bool history_only_results(const struct history_line *line, int position)
{
    return line->only_results && line->only_results[position];
}
/* The commit that has the same code: the last one up to here that does more than add results. */
static inline int history_code_of(const struct history_line *line, int position)
{
    while (position > 0 && history_only_results(line, position))
        position--;
    return position;
}
/* How many commits in [from, to] may have made a change. */
int history_candidates(const struct history_line *line, int from, int to);
/* Fills `patches` of the positions [from, to], unless they are very many: by its patch id a commit is found again after a rebase. */
enum tare_status history_patches(const struct history_line *line, int from, int to, struct tare_err *err);
/* That of one commit, by which an event is found again; NULL: it has none, or is not on the line. */
enum tare_status history_patch(const struct history_line *line, const char *hash, const char **patch, struct tare_err *err);

/* ---- a series ---- */

struct view_point {
    int position;            /* rising, one a commit; without a line the number of the point, by time */
    const char *revision;    /* "": the session does not say */
    double value, low, high; /* of the metric, or the ratio to the anchor: the median of its sessions' */
    int sessions, n;         /* behind it; runs */
    int last;                /* its last session, for history_session_at */
};

enum change_state { CHANGE_NOMINATED, CHANGE_CONFIRMED, CHANGE_REFUTED, CHANGE_ACCEPTED, CHANGE_FALSE, CHANGE_FIXED };

struct view_change {
    int at;                         /* point with the new level, most likely */
    int first, last;                /* the first point of the new level lies in [first, last], 95 % */
    int from, to;                   /* positions: the commit with the change is one of these */
    int commits;                    /* how many may have made it */
    const char *revision, *subject; /* the first commit of the new level, most likely; "": not known */
    const char *prior, *until;      /* the change came after the one, and with the other at the latest; "": not known */
    double before, after;           /* levels: medians */
    /* after / before and its interval: of the confirming session where there is one. Of a metric that is no ratio the difference */
    double ratio, low, high;
    bool difference;  /* they are: not all values are positive */
    bool measured;    /* they are of a confirming session */
    bool worse;       /* by the metric's direction */
    bool maybe_drift; /* a straight line describes the series nearly as well */
    enum change_state state;
    bool undone;                           /* FIXED, for a later confirmed change takes it back */
    const struct history_event *said;      /* the last event about it; NULL */
    const struct history_event *confirmed; /* the first that confirmed it; NULL */
};

/* Nobody and no measurement has settled it. */
static inline bool change_open(const struct view_change *c)
{
    return c->state == CHANGE_NOMINATED || c->state == CHANGE_CONFIRMED;
}

struct history_view {
    int series;
    enum stats_course course; /* STEPS: with changes that may be a drift, too; EITHER: without changes */
    bool difference;          /* not all values are positive: changes are differences */
    double drift_ratio;       /* DRIFT, EITHER: from the first point to the last; else NaN */
    struct view_point *points;
    int n;
    int start;    /* the first point since the last reset: those before are shown, and are in no level */
    int off_line; /* results of commits that are not on the line; of changed working trees */
    struct view_change *changes;
    int n_changes;
    double noise; /* relative standard deviation within a level; of a difference absolute */
};

/* Without changes, but not flat. */
static inline bool history_may_drift(const struct history_view *v)
{
    return v->course == STATS_COURSE_DRIFT || v->course == STATS_COURSE_EITHER;
}

#define HISTORY_MARGIN 0.01 /* where the user gives none */

struct view_options {
    double margin;     /* smaller changes are none; relative */
    int since;         /* changes before this position are not listed; 0: all */
    const int *places; /* from history_places, for a caller that makes many views; NULL: looked up for each series */
};

/* Where each session stands on the line; -1: not on it, or of a changed working tree. line NULL: by time of measurement, one place a revision. NULL: no memory. */
const int *history_places(const struct history *h, const struct history_line *line, struct arena *a);

/* All memory is the arena's. line NULL: there is no repository, and points stand by time of measurement, one a revision. */
enum tare_status history_view_make(struct history_view *v, struct history *h, int series, const struct history_line *line,
                                   const struct view_options *o, struct arena *a, struct tare_err *err);
/* Measured again without an answer: the question is as open as before. */
bool history_undecided(const struct history_event *e);

#endif
