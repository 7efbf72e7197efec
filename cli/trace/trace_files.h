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

struct trace_files {
    int left_out;                                  /* so far */
    void (*note)(void *context, const char *text); /* why one is left out; of the first few */
    void *context;
};

/* All files of the folder that are named as traces are. One that is foreign or cut before its points is left out. As trace_sums_add. */
enum tare_status trace_files_add_folder(struct trace_files *t, struct trace_sums *sums, const char *folder, struct tare_err *err);
enum tare_status trace_files_add(struct trace_files *t, struct trace_sums *sums, const char *path, struct tare_err *err);
bool trace_files_named(const char *name); /* "x.trace" */

#endif
