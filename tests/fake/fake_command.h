/* SPDX-License-Identifier: MIT
 *
 * fake_command.h - which program of the script an argv means.
 *
 *     struct fake_command c;
 *     if (fake_command_read(&c, spec->argv)) ...   // c.words: what is matched; c.shown: what the log shows
 *     struct fake_program *p = fake_command_match(&c, script->programs);
 *     fake_command_finish(&c);
 */
#ifndef FAKE_COMMAND_H
#define FAKE_COMMAND_H

#include "fake_script.h"

struct fake_command {
    struct arena arena;
    char **words;
    int n_words;
    bool shell;
    char *shown; /* the shell's text, or the words joined by blanks */
};

bool fake_command_read(struct fake_command *c, const char *const *argv); /* false: no memory */
/* The longest that fits, of equally long ones the last; NULL when none does. */
struct fake_program *fake_command_match(const struct fake_command *c, struct fake_program *programs);
void fake_command_finish(struct fake_command *c);

/* Whether the program's first word is this name or its last part. */
bool fake_program_named(const struct fake_program *p, const char *name);
bool fake_is_shell(const char *name);

#endif
