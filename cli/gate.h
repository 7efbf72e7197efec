/* SPDX-License-Identifier: MIT
 *
 * gate.h - the answers to --fail-if-slower, a line a comparison, and to --fail-if-unstable and --check, a line in all; also with --quiet, for it is what the exit code says.
 */
#ifndef GATE_H
#define GATE_H

#include "buf.h"
#include "cli.h"
#include "record.h"

/* Of a record that is unverified all answers are EXIT_UNDECIDED. */

/* The line of a gate that nothing decides, and why: what may be cut or changed says neither that all is well nor that it is not. EXIT_UNDECIDED. */
enum exit_code gate_undecided(const char *gate, const char *why, struct buf *said);

/* Is a finding "unstable" there? EXIT_UNDECIDED where of a subject that is not known (check_stability_open). The line names the option ("--check") and the first figures that decided. */
enum exit_code gate_unstable(const struct record *r, const char *option, bool unicode, struct buf *said);

/* By rule.fail_if_slower; EXIT_UNDECIDED without any comparison, and where a benchmark of the reference is missing in another program. The lines are
 * added to `said`. */
enum exit_code gate_slower(const struct record *r, bool unicode, struct buf *said);

struct gate_sides { /* two sessions that were compared: r */
    const struct record *first, *second;
    const char *second_name;
    bool (*asks)(const void *context, const struct subject *s); /* whether the second one was to have it; NULL: all */
    const void *context;
};
/* EXIT_UNDECIDED where something of the first session is missing in the second, or failed there and is not in the first, by rule.fail_if_slower of r; a
 * line for each. */
enum exit_code gate_missing(const struct record *r, const struct gate_sides *s, bool unicode, struct buf *said);

#endif
