/* SPDX-License-Identifier: MIT
 *
 * gate.h - the answers to --fail-if-slower, a line a comparison, and to --fail-if-unstable and --check, a line in all; also with --quiet, for it is what the exit code says.
 */
#ifndef GATE_H
#define GATE_H

#include "buf.h"
#include "cli.h"
#include "record.h"

/* Is a finding "unstable" there? EXIT_UNDECIDED where of a subject that is not known (check_stability_open). The line names the option ("--check") and the first figures that decided. */
enum exit_code gate_unstable(const struct record *r, const char *option, bool unicode, struct buf *said);

/* By rule.fail_if_slower; without any comparison EXIT_UNDECIDED. The lines are added to `said`. */
enum exit_code gate_slower(const struct record *r, bool unicode, struct buf *said);

#endif
