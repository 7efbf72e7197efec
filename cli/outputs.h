/* SPDX-License-Identifier: MIT
 *
 * outputs.h - the files of a command that shows a record: the record itself (--save), written as it grows, and the exports,
 * opened before the first run so that a bad path costs no measurement, written at the end or on a signal.
 *
 * Ownership: outputs_open opens, outputs_finish commits or abandons; both accept what was not asked for.
 */
#ifndef OUTPUTS_H
#define OUTPUTS_H

#include "cli.h"
#include "display_options.h"
#include "export.h"
#include "plat.h"
#include "record_write.h"

struct trace_file;

struct outputs {
    const struct display_options *display;
    struct plat_file *save;
    struct plat_file *beside; /* what the record refers to takes its place with it; the caller's, as the next */
    const bool *held_back;    /* while true an older record keeps its place. NULL: never */
    const char *save_path;
    bool save_is_lent; /* by outputs_lend */
    struct sink save_sink;
    struct record_writer writer;
    struct plat_file *exports[N_EXPORTS];
    const struct trace_file *const *traces; /* for exports of events; the caller's */
    const int *traced;                      /* the subject of each */
    int n_traces;
    const char *title, *answer; /* of a page, where they are not those of the record; NULL: they are. The caller's */
    const char *answer_narrow;  /* the answer in ANSWER_NARROW columns; NULL: as it is */
    struct export_sessions made_of[2], phases; /* as of struct export_options; the caller's */
    struct buf left_out;                       /* lines about what exports do not show, once they were made */
};

/* A file that a session reads or writes, and the option that names it. */
struct outputs_place {
    const char *option, *path;
    bool reads; /* so that "-" is standard input */
};

/* Refuses two places of one file, stream or named pipe under whatever names, but for two of the same option, and of --input and all that is written a directory and the file
 * that standard output or error goes to: INVALID. What is only read may be one file. Each export that is asked for is a place; `more` are n others. */
enum tare_status outputs_check(const struct display_options *display, const struct outputs_place *more, int n,
                               struct tare_err *err);
bool outputs_wanted(const struct display_options *display); /* an export is asked for */
/* save may be NULL. On failure nothing stays open. */
enum tare_status outputs_open(struct outputs *o, const struct display_options *display, const char *save, struct tare_err *err);
/* The record goes to a file that others hold open and close; for one that was opened without `save`. */
void outputs_lend(struct outputs *o, struct plat_file *save);
/* Writes and commits all exports; each is tried, the first failure is reported. A record file that is not what was written to it, because it was
 * deleted or cut meanwhile, is written anew from r. */
enum tare_status outputs_export(struct outputs *o, const struct record *r, struct tare_err *err);
/* An export that is made of no record, to its file if that is asked for; the text is finished. EXIT_ANSWERED, else a line was said. */
enum exit_code outputs_text(struct outputs *o, struct cli *cli, enum display_export to, struct buf *text);
/* What the exports just written had no room for, a note each. */
void outputs_say_left_out(struct outputs *o, struct cli *cli);
/* These records, one after the other, or their text take the place of what is there. */
enum tare_status outputs_renew_text(const struct plat_file *lost, const struct buf *text, struct tare_err *err);
enum tare_status outputs_renew(const struct plat_file *lost, const struct record *const *records, int n, struct tare_err *err);
/* Closes the record file after its tail; abandons exports that were not written. */
enum tare_status outputs_finish(struct outputs *o, struct tare_err *err);

#endif
