/* SPDX-License-Identifier: MIT
 *
 * trace_session.h - what `tare trace` holds while it works: a session as `tare run` has it, whose runs leave files. Used by cli/trace, by
 * cli/stored for raw files, and by cli/rerun, which makes its options from a record.
 *
 * The words become subjects, and from there on the session is that of cli/run: the same plan, rounds, looks, record,
 * findings, screen and files. What differs is that each run gets a folder, and that what its processes left there is added up between two
 * runs and goes into the record.
 */
#ifndef TRACE_SESSION_H
#define TRACE_SESSION_H

#include "run.h"
#include "trace_options.h"
#include "trace_sums.h"

/* ---- trace_files.c: the files that one run left, added up.
 *
 *     struct trace_files files = {.note = say, .context = cli};
 *     status = trace_files_add_folder(&files, sums, "/tmp/x/run-0001", &err);
 *     ... files.left_out of them could not be read ...
 */

/* Files that stay open for exports of events: those of the last run of each subject, though their folder may be gone. */
enum { TRACE_KEPT_MAX = 200 };
struct trace_kept {
    struct trace_file *files[TRACE_KEPT_MAX];
    int subject[TRACE_KEPT_MAX];
    int n;
    int now;  /* whose files come next */
    int more; /* of this run's files, beyond that number: closed */
};
void trace_kept_next(struct trace_kept *k, int subject); /* its files of an earlier run go */
void trace_kept_close(struct trace_kept *k);

struct trace_files {
    struct trace_kept *keep;                       /* NULL: files are closed once they were added up */
    int left_out;                                  /* so far */
    int no_room;                                   /* of them: empty */
    void (*note)(void *context, const char *text); /* why one is left out; of the first few */
    void *context;
};

/* All files of the folder that are named as traces are. One that is foreign or cut before its points is left out. As trace_sums_add. */
enum tare_status trace_files_add_folder(struct trace_files *t, struct trace_sums *sums, const char *folder, struct tare_err *err);
enum tare_status trace_files_add(struct trace_files *t, struct trace_sums *sums, const char *path, struct tare_err *err);
bool trace_files_named(const char *name);

/* ---- a session ---- */

struct trace {
    struct run run; /* first: what exec calls back gets it */
    const struct trace_options *o;
    struct trace_asked *asked; /* one for each subject */
    const char *base;          /* where the runs' folders are; NULL: not made */
    struct trace_files files;
    struct trace_kept kept; /* for exports of events */
};

/* ---- cmd_trace.c ---- */

/* Names, subjects, requests, rule. Starts nothing. INVALID. */
enum tare_status trace_describe(struct trace *t, struct tare_err *err);
/* What is estimated of arcs has a metric of its own. */
enum tare_status trace_add_metric(struct record *r, struct tare_err *err);

void trace_begin(struct trace *t, struct cli *cli, const struct trace_options *options);
enum exit_code trace_measure(struct trace *t);                  /* the entire session, after trace_describe */
enum exit_code trace_end(struct trace *t, enum exit_code code); /* frees all that it holds, whatever came before; the exit code */

/* The values of trace_columns.def. */
void trace_run_values(const struct trace_run *run, double *values);

/* ---- trace_stored.c: raw files without a session ---- */

/* Whether the path is a folder, or a file that begins as traces do. */
bool trace_is_raw(const char *path);
/* Whether the path is that of a trace in the folder, or in one within it. */
bool trace_is_in(const char *folder, const char *path);
/* A file is one run. A folder: its files are one run; or, where it holds folders and no such file, each of these is one, as --trace-dir
 * leaves them. Into a record that was not begun, with results. NOT_FOUND: nothing there that can be read. Who calls finishes the record. The
 * files of the last run stay open in keep, which the caller closes; NULL: none do. */
enum tare_status trace_read_raw(struct cli *cli, const char *path, bool quiet, struct trace_kept *keep, struct record *r,
                                struct tare_err *err);

#endif
