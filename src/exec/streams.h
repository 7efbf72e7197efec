/* SPDX-License-Identifier: MIT
 *
 * streams.h - the three standard descriptors of a run, opened before its clock starts. Used by the files of exec only.
 *
 * Files are opened anew for each run: its input is read from the start, also when a hook put another file in its place, and its
 * output holds what the last run wrote.
 */
#ifndef STREAMS_H
#define STREAMS_H

#include "exec.h"

struct streams {
    int null;               /* the null device */
    int input;              /* of the measured commands; may be our standard input */
    const char *input_path; /* a regular file; NULL: what else there is stays open and, where it can, goes back to its start */
    bool input_is_ours;
    int output;                /* of the run in progress, OUTPUT_FILE; -1 */
    int pipe_read, pipe_write; /* of the run in progress, OUTPUT_PIPE; -1 */
    int report;                /* of the run in progress, a benchmark's; -1 */
    int kept_out, kept_err;    /* of the run in progress, when its output is kept in memory; -1 */
    bool keep;                 /* all outputs are, but those of own_part */
};

enum tare_status streams_open(struct streams *s, const struct exec_options *o, struct tare_err *err);
void streams_close(struct streams *s);

/* Sets fd_in, fd_out, fd_err, drain_fd and give_terminal of spec for one run. */
enum tare_status streams_for_run(struct streams *s, const struct exec_command *c, struct plat_child_spec *spec,
                                 struct tare_err *err);
/* Until then what was kept can be read. */
void streams_after_run(struct streams *s);
/* For hooks: no input; output hidden unless shown. The terminal is never lent: a session must not wait for someone to type, and in
 * the middle of --max-time nobody would know for what. A hook that wants it all the same (sudo asking for a password) is ended. */
void streams_for_hook(const struct streams *s, bool show, struct plat_child_spec *spec);

#endif
