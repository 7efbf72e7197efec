/* SPDX-License-Identifier: MIT
 *
 * trace_last.h - the files of one run, opened again for exports of single passes. Used by cli/trace and cli/stored.
 *
 *     struct trace_last last = {0};
 *     trace_last_set(&last, "/tmp/x/run-0003", true);
 *     outputs.traces = trace_last_open, outputs.traces_context = &last;      // opened only if an export asks
 *     trace_last_finish(&last);
 */
#ifndef TRACE_LAST_H
#define TRACE_LAST_H

#include "buf.h"
#include "trace_file.h"

struct trace_last {
    struct buf path; /* "": there is none */
    bool folder;     /* path is one, with the files in it */
    struct trace_file **files;
    int n, room;
};

/* NO_MEMORY. The path is copied; the files need not be there any more until they are opened. */
enum tare_status trace_last_set(struct trace_last *l, const char *path, bool folder);
/* For outputs.traces. Files that cannot be read are not among them; with none *n is 0. */
enum tare_status trace_last_open(void *last, const struct trace_file *const **files, int *n, struct tare_err *err);
void trace_last_finish(struct trace_last *l); /* a zeroed one is fine */

#endif
