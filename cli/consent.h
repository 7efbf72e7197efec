/* SPDX-License-Identifier: MIT
 *
 * consent.h - the question before what a file names is executed. Used by rerun and by `leak --continue`; what would run was shown before.
 */
#ifndef CONSENT_H
#define CONSENT_H

#include "cli.h"

/* EXIT_ANSWERED: agreed to, by `yes` (the option --yes) or at the terminal. Else, after an error line, EXIT_USAGE: there is no terminal to ask on;
 * EXIT_TOOL: refused. */
enum exit_code cli_consent(struct cli *cli, bool yes);

#endif
