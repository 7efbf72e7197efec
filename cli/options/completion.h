/* SPDX-License-Identifier: MIT
 *
 * completion.h - shell scripts that complete the command line of tare, written from the tables.
 *
 *     completion_write_bash(&buf, "turbo governor");
 *
 * Hidden options are left out. The scripts ask nothing of tare when a user presses Tab: all they know is in them.
 */
#ifndef COMPLETION_H
#define COMPLETION_H

#include "buf.h"
#include "command.h"

/* What may follow tare: commands of one word and families, with blanks between them; and what may follow a family. */
void completion_put_commands(struct buf *b);
/* What tare help knows: commands, topics and terms, with blanks between them. */
void completion_put_topics(struct buf *b);
/* For the writers: the first sentence of an option's help without its full stop, put between single quotes of a shell;
 * each character of `escaped` gets a backslash, a quote becomes `quote`. */
void completion_put_sentence(struct buf *b, const char *help, const char *escaped, const char *quote);

/* What an option's value is offered: its choices, or the knobs; NULL: none. */
const char *completion_choices(const struct option *o, const char *knobs);

/* knobs: their ids with blanks between; of src/system, which these tables do without. */
void completion_write_bash(struct buf *b, const char *knobs);
void completion_write_zsh(struct buf *b, const char *knobs);
void completion_write_fish(struct buf *b, const char *knobs);

#endif
