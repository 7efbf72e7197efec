/* SPDX-License-Identifier: MIT
 *
 * gate.h - the answer to --fail-if-slower: one line a comparison, also with --quiet, for it is what the exit code says.
 */
#ifndef GATE_H
#define GATE_H

#include "buf.h"
#include "cli.h"
#include "record.h"

/* By rule.fail_if_slower; without any comparison EXIT_UNDECIDED. The lines are added to `said`. */
enum exit_code gate_slower(const struct record *r, bool unicode, struct buf *said);

#endif
