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

#endif
