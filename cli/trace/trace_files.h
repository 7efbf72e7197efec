/* SPDX-License-Identifier: MIT
 *
 * trace_files.h - the files that one run left, added up. Used by cli/trace.
 *
 *     struct trace_files files = {.note = say, .context = cli};
 *     status = trace_files_add_folder(&files, sums, "/tmp/x/run-0001", &err);
 *     ... files.left_out of them could not be read ...
 */
#ifndef TRACE_FILES_H
#define TRACE_FILES_H

#include "trace_sums.h"

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

#endif
