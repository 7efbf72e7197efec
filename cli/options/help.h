/* SPDX-License-Identifier: MIT
 *
 * help.h - the texts of `tare`, `tare -h` and `tare NAME -h`, 80 columns wide, made from the tables.
 */
#ifndef HELP_H
#define HELP_H

#include "buf.h"
#include "command.h"

/* The terms of docs/glossary.md, compiled in: what `tare help TERM` explains. */
struct glossary_term {
    const char *name;    /* as in the page: "effective sample size"; with a comma where two share a meaning: "faster, slower" */
    const char *meaning; /* one or two sentences, the first without a capital */
};

extern const struct glossary_term glossary[]; /* in the order of the page; closed by a NULL name */

/* In small letters or capitals, with a blank, - or _ between words; one of two names suffices. NULL: none. */
const struct glossary_term *glossary_find(const char *words);

enum { HELP_COLUMNS = 80, HELP_LINES = 48, HELP_EXAMPLES = 5, HELP_TOOL_EXAMPLES = 3 };

extern const struct example help_tool_examples[HELP_TOOL_EXAMPLES];
void help_tool(struct buf *b); /* one sentence, these examples, the commands by groups; < 24 lines */
/* all: every option that is not hidden; else the common ones, five examples and one sentence, in 48 lines. */
void help_command(struct buf *b, const struct command *c, bool all);
void help_family(struct buf *b, const struct command_family *f); /* what `tare system -h` prints: its commands, a line each */
/* Pages of the manual's section 5: they are no commands, and `tare help NAME` opens them all the same. */
struct help_topic {
    const char *name;
    const char *summary; /* what is printed where the page is not installed: whole sentences */
};
extern const struct help_topic help_topics[];                /* closed by a NULL name */
const struct help_topic *help_topic_named(const char *name); /* NULL: none */
void help_topic(struct buf *b, const struct help_topic *t);
void help_term(struct buf *b, const struct glossary_term *t);
/* "--runs NUM", "-N", "-w, --warmup NUM": how an option is written, as in the left column of the help. */
void help_option_head(struct buf *b, const struct option *o);
size_t help_sentence(const char *text); /* the length of its first sentence, without the full stop or semicolon that ends it */
/* What stands behind an option that was not given: its default as text, NULL when that is nothing to speak of. */
const char *help_default(const struct option *o);

#endif
