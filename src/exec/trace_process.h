/* SPDX-License-Identifier: MIT
 *
 * trace_process.h - one run of a program with control points: what its processes are asked through the environment, and the folder in which
 * they leave their files. Used by exec_tracing.c; who reads the files is told through exec_options.take_trace.
 *
 *     struct trace_asked asked = {.request = trace_request_default(""), .suffix = "-b"};
 *     trace_folder(&path, "/tmp/tare-trace-x", &asked, 0, false);      // "/tmp/tare-trace-x/run-0001-b"
 *     trace_variable(&asked, buf_text(&path), &text);                  // "TARE_TRACE=..." for the environment
 *
 * All processes that a run starts inherit the variable, so all of them leave their files in the one folder: these files are the run. Nothing
 * here starts a process, makes a folder or reads a file.
 */
#ifndef TRACE_PROCESS_H
#define TRACE_PROCESS_H

#include "trace_request.h"

enum {
    TRACE_RUN_COLUMNS = 0
#define TRACE_COLUMN(id, title, unit) +1
#include "trace_columns.def"
#undef TRACE_COLUMN
};

const char *trace_column(int index); /* NULL past the end */

/* Asked of every run of one program. */
struct trace_asked {
    struct trace_request request; /* its folder and seed are those of the run, and not looked at here */
    const char *suffix;           /* of the folders' names, where several programs share a round; "" */
    bool
        prove; /* words for each pass: 1, 2 and 3 in turn, in an order drawn anew for each three rounds; else as the request says */
};

/* The folder of a run (0, 1 ...), in `base`. Of one length for all programs whose suffixes are of one length: the environment is as long. */
void trace_folder(struct buf *out, const char *base, const struct trace_asked *asked, int round, bool warmup);
/* Words for each pass in that round. The same whenever it is asked, so also in a round that is made again. */
int trace_repeat(const struct trace_asked *asked, uint64_t seed, int round, bool warmup);
/* request.repeat is `repeat`. */
void trace_variable(const struct trace_asked *asked, const char *folder, uint64_t seed, int repeat, struct buf *out);

#endif
