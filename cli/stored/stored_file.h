/* SPDX-License-Identifier: MIT
 *
 * stored_file.h - a stored session from its path into a record: for all commands that look at what was measured before.
 *
 *     struct record r = {0};
 *     enum exit_code code = stored_file_load(cli, path, quiet, &r);     // a line was said when it is not EXIT_ANSWERED
 */
#ifndef STORED_FILE_H
#define STORED_FILE_H

#include "cli.h"
#include "outputs.h"
#include "stored_read.h"

enum { STORED_FILE_MAX = 1 << 30 };

/* The text of a file, "-" for standard input, as far as that is of use to stored_read: one that is no file with results is left after its first
 * bytes, so that a device or a pipe without an end costs no time and little memory; stored_read then says what it is not. */
enum tare_status stored_file_text(const char *path, struct buf *text, struct tare_err *err);
/* Before a file is read: that is waited for, where it is a named pipe. */
void stored_file_note_pipe(struct cli *cli, bool quiet, const char *path);

/* The one session of a file, with results; "-" is standard input. The caller calls record_finish(r) in any case. */
enum exit_code stored_file_load(struct cli *cli, const char *path, bool quiet, struct record *r);

/* What the reader noted, a line each; nothing when quiet. */
void stored_file_notes(struct cli *cli, const char *path, bool quiet, struct record_reading *reading);
/* That bytes before or behind sessions that could be read were passed over; err says why. Nothing when quiet. */
void stored_file_passed_over(struct cli *cli, const char *path, bool quiet, size_t bytes, const struct tare_err *err);
/* A session that was killed has rows, and of its results none or only the first of them: they are made anew. */
enum tare_status stored_file_complete(struct record *r, struct tare_err *err);

/* ---- several sessions ---- */

struct kept_sessions { /* zeroed: none; memory of the list is the arena's, each record is to be finished */
    struct record *items;
    int n, room;
    int cut, failed; /* that came to no end, of these by a failure; they are not among them */
};

/* Moves the record into the list; *r is zeroed then. NO_MEMORY: it stays where it is. */
enum tare_status sessions_keep(struct kept_sessions *k, struct arena *a, struct record *r);
void sessions_finish(struct kept_sessions *k);

/* The session of a file, or the complete ones of a file with several of one plan (tare run --sessions), behind those that `out` has. */
enum exit_code stored_file_load_set(struct cli *cli, const char *path, bool quiet, struct kept_sessions *out);

/* All complete records of a file; none where there is no such file. EXIT_ANSWERED, else a line was said. */
enum exit_code sessions_load(struct cli *cli, const char *path, bool quiet, struct kept_sessions *out);
enum exit_code sessions_of_text(struct cli *cli, const char *path, bool quiet, const struct buf *text, struct kept_sessions *out);

/* The statement over several sessions of one plan, at the end of tare run --sessions and of tare show for its file. Prints it, answers --fail-if-slower when fail_if_slower is no NaN and by `answer` unless that is NULL, and writes the exports that are open. n >= 1 whole sessions;
 * partial: fewer than were planned. */
enum exit_code sessions_together(struct cli *cli, const struct display_options *d, const struct record *sessions, int n,
                                 bool partial, double fail_if_slower, struct outputs *exports,
                                 enum exit_code (*answer)(const struct record *over));

/* How two sessions are told apart on the screen: the files' names, or their whole paths, or first and second. Points into them. */
void stored_file_names(const char *first, const char *second, const char *out[2]);

#endif
