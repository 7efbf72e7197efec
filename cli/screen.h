/* SPDX-License-Identifier: MIT
 *
 * screen.h - a record on the screen, as the display options and the terminal want it: on standard output, or on standard error
 * when an export or the record takes that.
 */
#ifndef SCREEN_H
#define SCREEN_H

#include "cli.h"
#include "display_options.h"
#include "render.h"

/* From options, terminal and environment. */
struct render_options screen_options(const struct display_options *d);
/* Prints the result; nothing with --style none. stored: of a session that was over before, without the exit code that it had. */
enum exit_code screen_result(struct cli *cli, const struct display_options *d, const struct record *r, bool stored);
/* The same for a composed text, which it frees. */
enum exit_code screen_text(struct cli *cli, const struct display_options *d, struct buf *text);

#endif
