/* SPDX-License-Identifier: MIT
 *
 * command.h - what a command of tare is, as data: one const struct beside its option table, one line in commands.def.
 *
 *     for (int i = 0; commands[i]; i++) puts(commands[i]->name);
 *     const struct command *c = command_named("run");
 *
 * A name may have two words, "system show". Commands that share the first are a family (families.def): it has one line in `tare -h`
 * and one page in the manual, and alone it prints what it can do.
 *
 * Parser, help, manual and completions read these. The function that does a command's work is not here but in cli.c's table
 * (`int cmd_NAME(struct cli *, const void *options)`), so that documents and tests can be made without the tool.
 */
#ifndef COMMAND_H
#define COMMAND_H

#include "option.h"

struct example {
    const char *line; /* as typed: "tare run 'sleep 0.1'" */
    const char *says; /* what it does, one sentence without a full stop */
};

struct command_elsewhere { /* an option of another command, or of an earlier version, that is asked for here */
    const char *name;
    char letter;        /* 0: none */
    const char *advice; /* behind "--name " */
};

struct command {
    const char *name;    /* one word, or the family's and one more */
    const char *group;   /* "measure", "judge", "remember", "machine", "learn": heading in `tare -h`; that of its family */
    const char *summary; /* one line, lower case, no full stop */
    const char *const *synopsis; /* lines behind "tare NAME ", closed by NULL */
    const char *description;     /* a paragraph for the help, or NULL */
    const struct example *examples;
    int n_examples;
    struct option_set options;
    const char *operand_choices;  /* words that completions offer as operands, separated by blanks; NULL: none of their own */
    enum option_suggest operands; /* what else completions offer as operands */
    bool quoted;                  /* each operand is a command with its arguments */
    const struct command_elsewhere *elsewhere; /* closed by one without a name; NULL: none */
    /* Looks at all options together after they were parsed, resolves what depends on others. INVALID is a usage error.
     * NULL: nothing to check. */
    enum tare_status (*check)(void *options, const struct option_operands *operands, struct arena *a, struct tare_err *err);
};

extern const struct command *const commands[];         /* in the order of commands.def, closed by NULL */
const struct command *command_named(const char *name); /* NULL when there is none */

struct command_family {
    const char *name, *group, *summary; /* as those of a command */
    const char *description;            /* a paragraph for its help */
};

extern const struct command_family *const command_families[]; /* in the order of families.def, closed by NULL */
const struct command_family *command_family_named(const char *name);
const struct command_family *command_family_of(const struct command *c); /* NULL: its name is one word */
/* How the index-th command stands in a list in which a family is one entry: its first word and summary. False: it is a further one of its family. */
bool command_listed(int index, const char **name, const char **summary);
const char *command_last_word(const struct command *c); /* "show" of "system show" */
const char *command_page(const struct command *c);      /* what follows "tare-" in the name of its page */

/* Of a command whose operands are `quoted`: adds to err what to write if the words from the first operand on were meant as one. argv: as it was parsed. */
void command_hint_quotes(const struct command *c, const struct option_operands *operands, int argc, char *const *argv,
                         struct tare_err *err);

/* Which command the words begin with, as an index into commands, and how many of them are its name. -1: none, and *n_words is then 1
 * if the first names a family, else 0. */
int command_of_words(int n, const char *const *words, int *n_words);

#endif
