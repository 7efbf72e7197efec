/* SPDX-License-Identifier: MIT
 *
 * stored_file.h - a stored session from its path into a record: for all commands that look at what was measured before.
 *
 *     struct record r = {0};
 *     enum exit_code code = stored_file_load(cli, path, quiet, &r);     // a line was said when it is not EXIT_ANSWERED
 */
#ifndef STORED_FILE_H
#define STORED_FILE_H

#include "analyse_stored.h"
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
    bool no_memory;  /* for the rest: of it nothing is known */
};

/* Moves the record into the list; *r is zeroed then. NO_MEMORY: it stays where it is. */
enum tare_status sessions_keep(struct kept_sessions *k, struct arena *a, struct record *r);
void sessions_finish(struct kept_sessions *k);

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

/* ---- the two sides of a comparison of stored sessions: one session each, or sets of several, from one file or many.
 *
 *     struct stored_side sides[2] = {{.paths = old, .n_paths = 3}, {.paths = new, .n_paths = 3}};
 *     code = stored_side_load(cli, quiet, &sides[0]);                     // a line was said when it is not EXIT_ANSWERED
 *     ... status = stored_sides_compare(&result, sides, &question, &err);
 *     stored_side_finish(&sides[0]);
 */

struct stored_side {
    const char *const *paths;
    int n_paths;
    struct kept_sessions
        sessions;       /* one at least, once it is loaded; a session that is not from a file: the caller's, with n_paths 0 */
    struct record over; /* what they say together, where the comparison is of sets */
};

/* All sessions of its files: of one plan, one machine and the same programs, each there once. */
enum exit_code stored_side_load(struct cli *cli, bool quiet, struct stored_side *side);
void stored_side_finish(struct stored_side *side);

/* Whether a side has several sessions, so that both are compared as sets. */
bool stored_sides_are_sets(const struct stored_side sides[2]);
/* The side's session, or what its sessions say together: that only after stored_sides_compare. */
const struct record *stored_side_record(const struct stored_side sides[2], int side);

/* q without names and sets, which it fills. INVALID too where a session is on both sides of a comparison of sets, or sessions are of arcs or hosts. */
enum tare_status stored_sides_compare(struct record *out, struct stored_side sides[2], struct stored_question *q,
                                      struct tare_err *err);

/* ---- what --save does not replace: sessions of a plan, a session of tare leak whose times would stay beside another
 * record, and times without a record. Any other record, and a file that is none, is replaced with the first finished run. */

struct stored_keep { /* what is to be saved */
    bool sessions;   /* several; --continue would add them */
    bool leaks;      /* of tare leak */
};

bool stored_has_times(const char *path); /* whether there is a file of times, with content, beside the record */
/* path NULL: nothing is saved. It reads no further than the head of the first session. INVALID: the file is to be kept; of sessions also what
 * reading it gave, for what cannot be read may be hours of measurements too. */
enum tare_status stored_keep(const char *path, struct stored_keep by, struct tare_err *err);

#endif
