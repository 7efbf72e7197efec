/* SPDX-License-Identifier: MIT
 *
 * sessions_together.h - the statement over several sessions of one plan: at the end of tare run --sessions, and of tare show for its
 * file.
 */
#ifndef SESSIONS_TOGETHER_H
#define SESSIONS_TOGETHER_H

#include "cli.h"
#include "outputs.h"
#include "record.h"

/* Prints it, answers --fail-if-slower when fail_if_slower is no NaN and by `answer` unless that is NULL, and writes the exports that are open. n >= 1 whole sessions;
 * partial: fewer than were planned. */
enum exit_code sessions_together(struct cli *cli, const struct display_options *d, const struct record *sessions, int n,
                                 bool partial, double fail_if_slower, struct outputs *exports,
                                 enum exit_code (*answer)(const struct record *over));

struct kept_sessions { /* zeroed: none; memory of the list is the arena's, each record is to be finished */
    struct record *items;
    int n, room;
};

/* Moves the record into the list; *r is zeroed then. NO_MEMORY: it stays where it is. */
enum tare_status sessions_keep(struct kept_sessions *k, struct arena *a, struct record *r);
void sessions_finish(struct kept_sessions *k);

/* All records of a text that are whole. FORMAT, with *changed where a record was changed after it was written; VERSION, NO_MEMORY ... */
enum tare_status sessions_read(struct cli *cli, const char *path, bool quiet, const struct buf *text, struct kept_sessions *out,
                               bool *changed, struct tare_err *err);
/* All records of a file that are whole; none where there is no such file. EXIT_ANSWERED, else a line was said. */
enum exit_code sessions_load(struct cli *cli, const char *path, bool quiet, struct kept_sessions *out);

#endif
