/* SPDX-License-Identifier: MIT
 *
 * screen.h - a record on standard output, as the display options and the terminal want it.
 */
#ifndef SCREEN_H
#define SCREEN_H

#include "cli.h"
#include "display_options.h"
#include "render.h"

/* From options, terminal and environment. */
struct render_options screen_options(const struct display_options *d);
/* Prints the result; nothing with --style none. */
enum exit_code screen_result(struct cli *cli, const struct display_options *d, const struct record *r);
/* Prints a finished text. */
enum exit_code screen_text(struct cli *cli, const struct buf *text);

#endif
