/* SPDX-License-Identifier: MIT
 *
 * help.h - the texts of `tare`, `tare -h` and `tare NAME -h`, 80 columns wide, made from the tables.
 */
#ifndef HELP_H
#define HELP_H

#include "buf.h"
#include "command.h"

enum { HELP_COLUMNS = 80 };

void help_tool(struct buf *b);                             /* one sentence, three examples, the commands by groups; < 24 lines */
void help_command(struct buf *b, const struct command *c); /* usage, examples, every option that is not hidden */
/* "--runs NUM", "-N", "-w, --warmup NUM": how an option is written, as in the left column of the help. */
void help_option_head(struct buf *b, const struct option *o);
/* What stands behind an option that was not given: its default as text, NULL when that is nothing to speak of. */
const char *help_default(const struct option *o);

#endif
