/* SPDX-License-Identifier: MIT
 *
 * consent.h - what a file asks to run, and the question before it is executed.
 */
#ifndef CONSENT_H
#define CONSENT_H

#include "cli.h"

/* Shows it there, and finishes the text. EXIT_TOOL, after an error line: it could not be shown in full, so it must not run. */
enum exit_code cli_show_plan(struct cli *cli, const struct sink *where, struct buf *text);
/* EXIT_ANSWERED: agreed to, by `yes` (the option --yes) or at the terminal. Else, after an error line, EXIT_USAGE: there is no terminal to ask on;
 * EXIT_TOOL: refused. */
enum exit_code cli_consent(struct cli *cli, bool yes);

#endif
