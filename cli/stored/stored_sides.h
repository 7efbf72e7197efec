/* SPDX-License-Identifier: MIT
 *
 * stored_sides.h - the two sides of a comparison of stored sessions: one session each, or sets of several, from one file or many.
 *
 *     struct stored_side sides[2] = {{.paths = old, .n_paths = 3}, {.paths = new, .n_paths = 3}};
 *     code = stored_side_load(cli, quiet, &sides[0]);                     // a line was said when it is not EXIT_ANSWERED
 *     ... status = stored_sides_compare(&result, sides, &question, &err);
 *     stored_side_finish(&sides[0]);
 */
#ifndef STORED_SIDES_H
#define STORED_SIDES_H

#include "analyse_stored.h"
#include "stored_file.h"

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

#endif
