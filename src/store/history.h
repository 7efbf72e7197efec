/* SPDX-License-Identifier: MIT
 *
 * history.h - results over commits: one folder of files, each written once, and an index beside them that can be deleted.
 *
 *     struct history *h;
 *     status = history_open(&h, ".tare/history", &err);        // reads what is new in the folder
 *     for (int i = 0; i < history_n_series(h); i++) {
 *         const struct history_series *s = history_series_at(h, i);
 *         status = history_points(h, i, &points, &err);              // of this series alone: under a millisecond with the index
 *     }
 *     history_close(h);
 *
 *     status = history_add(".tare/history", &entry, &id, &err);      // one new file; nothing that is there changes
 *
 * A file is a session's results or one event (a change that was accepted, a name that became another). Its name is the beginning of
 * the SHA-256 of its content, so that two clones that add files merge without a conflict, and the same session added twice is there
 * once. A file that cannot be read is a problem, which is named, and the rest is served. The index (SQLite) is in the folder too; it is built anew
 * when it is missing, damaged or of another version, and without SQLite the files are read each time.
 *
 * In place of a folder there may be a PostgreSQL database, by a URL (server.h): heads, series and results are in its tables. What it cannot take because it is away is kept in
 * a folder of files, and goes there when something is added next.
 *
 * It knows nothing of git: where a revision is on the line of commits is the caller's (cli/history/history_view.h). It prints nothing and computes no statistics.
 * Ownership: what is returned belongs to the history until history_close. One thread; several processes may add and read at once.
 */
#ifndef HISTORY_H
#define HISTORY_H

#include "record.h"

enum { HISTORY_SCHEMA = 1, HISTORY_ID_BYTES = 33 }; /* an id is 32 hexadecimal digits */

/* Where a session was measured and of what: the first line of its file. */
struct history_session {
    const char *id;       /* of its file */
    const char *project;  /* the root commit, in full; "": not known */
    const char *revision; /* the commit, in full */
    bool dirty;           /* with changes that are in no commit: shown, and in no series of positions */
    int64_t measured_utc_ns;
    const char *tool;    /* "tare 0.1.0", "hyperfine" */
    const char *class;   /* hosts of one class are taken for one machine: what the user said, or the processor and its topology */
    const char *machine; /* one line for people */
    double confidence;   /* of the intervals of its results; 0: they have none */
    const char *const *words; /* tare's command line, closed by NULL, without what is saved and shown; NULL: not known */
    const char *folder;       /* where in the repository it was called: "" or "sub/folder" */
    const char *build;        /* the command that builds a revision; NULL: not known */
    const char *anchor;       /* what every round was held against: its name and the hash of its program; NULL: nothing */
    const char *note;         /* what the user should know: "samples thinned to quantiles"; NULL */
};

/* What stays the same from one commit to the next. */
struct history_series {
    const char *id; /* the first 12 digits of the SHA-256 of all below */
    const char *project, *benchmark, *arguments /* "n=1000 k=3", "" */, *class, *version /* of the benchmark, "" */,
        *anchor /* of its session; NULL: none, or no ratio to it */;
    struct metric metric;
    int n; /* results; in a database 1: they are not counted */
};

/* One benchmark in one metric in one session. */
struct history_point {
    int session;                         /* for history_session_at */
    double median, low, high;            /* in the metric's unit; NaN where there is none */
    double ratio, ratio_low, ratio_high; /* to the anchor of its session; NaN: it has none */
    int n;                               /* runs behind it */
    int64_t place;                       /* of its line in the file, for history_values */
    const char *benchmark; /* its name in the file, from which an alias may have renamed the series; of what is read */
};

struct history_points {
    const struct history_point *items;
    int n;
};

/* What people and checks said afterwards; later ones win. */
enum history_event_kind {
    HISTORY_CONFIRMED, /* measured again in interleaved rounds: the change is there; shift, low, high are its size */
    HISTORY_REFUTED, /* the same: it is not; of verdict "undecided" or "invalid": measured without an answer, so still nominated */
    HISTORY_ACCEPTED, /* triage, by a person: a change that is meant */
    HISTORY_FALSE,    /* no change */
    HISTORY_FIXED,    /* mended later */
    HISTORY_NOTE,
    HISTORY_RESET, /* levels before this revision are no baseline any more */
    HISTORY_ALIAS, /* the benchmark `from` is now called `to` */
    HISTORY_UNBUILDABLE /* the revision does not build, or does not run `series` or the command line in `note`: it is not tried again */
};

struct history_event {
    enum history_event_kind kind;
    const char *id;
    const char *project;  /* it is about no series of others; NULL: about all */
    const char *series;   /* its id; NULL: all */
    const char *revision; /* the first commit with the change; NULL for an alias */
    const char *before;   /* the last commit without it; NULL */
    const char *
        last; /* the last commit that may have made the change when it was judged, the first follows `before`; NULL: the revision */
    const char *patch; /* git's patch id of the revision, by which it is found again after a rebase; NULL */
    const char *who;
    const char *note;        /* NULL */
    const char *from, *to;   /* of an alias */
    const char *reference;   /* the commit that the size is against where that is not `before`; NULL: it is */
    double shift, low, high; /* ln ratio, NaN: none */
    bool difference;         /* they are differences: not all was positive */
    const char *verdict;     /* of CONFIRMED and REFUTED: "slower", "undecided" ...; NULL */
    int64_t at_utc_ns;
};

const char *history_event_name(enum history_event_kind kind); /* "confirmed", "refuted" ... */

/* ---- reading ---- */

struct history;

struct history_problem {
    const char *path; /* first: text_order */
    const char *text; /* what is wrong and what to do */
};

/* postgresql://... or postgres://... */
bool history_is_url(const char *folder);
/* INVALID: no URL for libpq, or with a password in it; UNSUPPORTED: without libpq. */
enum tare_status history_check_url(const char *url, struct tare_err *err);

/* With an index in FOLDER/index.sqlite, which a .gitignore there keeps out of commits. A folder that is not there is an empty history; one that cannot be written to
 * is read without an index. IO: it is no folder. */
enum tare_status history_open(struct history **out, const char *folder, struct tare_err *err);
void history_close(struct history *h);
/* First of all in a process that was forked and reads on. It may not write, nor close the history: it just ends. */
enum tare_status history_forked(struct history *h, struct tare_err *err);

int history_n_sessions(const struct history *h);
const struct history_session *history_session_at(const struct history *h, int i);
int history_n_series(const struct history *h); /* sorted by benchmark, arguments, metric, class, project */
const struct history_series *history_series_at(const struct history *h, int i);
int history_n_events(const struct history *h); /* by time */
const struct history_event *history_event_at(const struct history *h, int i);
int history_n_problems(const struct history *h);
const struct history_problem *history_problem_at(const struct history *h, int i);

/* All results of one series, those of names that an alias maps to it too, by time of measurement. They stay in memory until history_forget_points. */
enum tare_status history_points(struct history *h, int series, struct history_points *out, struct tare_err *err);
/* These will be asked for in this order, each once, and stay where they are: a database is then asked for several at a time. */
void history_expect(struct history *h, const int *series, int n);
void history_forget_points(struct history *h, int series); /* frees them: for a caller that goes through many series */
/* The runs behind a point, from its file; n 0: it has only the summary. *step: in which they were printed, 0: not known. The caller frees *values. */
enum tare_status history_values(struct history *h, const struct history_point *p, double **values, int *n, double *step,
                                struct tare_err *err);

/* ---- adding ---- */

/* A result to be written. values may be NULL. */
struct history_result {
    const char *benchmark, *arguments, *version;
    const struct metric *metric;
    struct history_point point; /* session and place are not looked at */
    const double *values;
    int n_values;
    double step; /* in which a program printed them; 0: not known, or exact */
};

struct history_entry {
    struct history_session session; /* id is not looked at */
    const struct history_result *results;
    int n;
    int unsound; /* arcs that are not among them: hits were lost, or the clock was wrong */
    int failed;  /* benchmarks that are not among them */
};

/* IO: there is something else by this name; err says so. */
enum tare_status history_check_folder(const char *folder, struct tare_err *err);
/* The folder and those above it, where they are missing; the tables of a database, which may be away. */
enum tare_status history_make_folder(const char *folder, struct tare_err *err);
/* Removes what killed processes left of files that they were writing, an hour ago or longer: on most file systems nothing, see plat_file_create. Reads the names of
 * all files, so once before files are added. */
void history_clean_up(const char *folder);
/* Written complete or not at all, by a temporary name in the folder; the folder is made where it is missing. *id: of the file, also where it was there
 * already (*added is then false). IO, NO_MEMORY, INVALID: a word of the command is
 * no UTF-8, a text is too long, or an interval does not hold its value. IO, BUSY of a database: err says where the result is kept until the next one is added. */
enum tare_status history_add(const char *folder, const struct history_entry *e, char id[HISTORY_ID_BYTES], bool *added,
                             struct tare_err *err);
enum tare_status history_add_event(const char *folder, const struct history_event *e, char id[HISTORY_ID_BYTES],
                                   struct tare_err *err);
/* `entry` takes the place of the file `old`, which is removed once the new one is there: for samples that are thinned. */
enum tare_status history_replace(const char *folder, const char *old, const struct history_entry *entry, struct tare_err *err);

/* What a finished record has for a history: one result a subject that was measured and metric that is followed (the one that decides; of commands wall and rss too), with medians, intervals and values as recorded,
 * and the ratio to the anchor where there is one. The caller has filled in e->session's project, revision, dirty, folder, build; the rest comes from the record. Memory
 * is the arena's, but for names and metrics, which are the record's. NOT_FOUND: no subject has a result. */
enum tare_status history_of_record(struct history_entry *e, const struct record *r, struct arena *a, struct tare_err *err);
/* The class of the machine by the record's facts of it. NULL: no memory. */
const char *history_class_of(const struct record *r, struct arena *a);

#endif
