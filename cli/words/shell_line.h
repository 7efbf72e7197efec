/* SPDX-License-Identifier: MIT
 *
 * shell_line.h - the words of a command and of the shell lines in it ("sh -c 'python3 a.py | wc' "), as far as they can be seen without running them.
 *
 *     struct shell_word *words;
 *     int n = shell_line_words(&arena, argv, &words);      // sh, -c, "python3 a.py | wc", python3, a.py, wc
 *
 * What follows an option that ends in c ("-c", "-lc") is a line and is split at blanks and operators, quotes read as a shell does; lines within it
 * too, three deep. Nothing is expanded: a file that a variable, a pattern or a substitution names is not seen.
 */
#ifndef SHELL_LINE_H
#define SHELL_LINE_H

#include "arena.h"
#include <stdbool.h>

struct shell_word {
    const char *text;
    bool starts;     /* a command */
    bool redirected; /* behind < or >, so no argument */
};

/* Returns how many; 0: no memory. */
int shell_line_words(struct arena *a, const char *const *argv, struct shell_word **out);

/* The arguments of the command that starts at words[*at], closed by NULL, without assignments, keywords and what only runs another ("time", "env",
 * "nice"); *at moves to the next command. *elsewhere: it follows a cd, so that its relative paths are not known. *wrapped: something runs it, and values of that
 * one's options may stand before it ("timeout -s KILL 9 ./p": KILL, 9, ./p). NULL: no memory. */
const char *const *shell_line_command(struct arena *a, const struct shell_word *words, int n, int *at, bool *elsewhere,
                                      bool *wrapped);

#endif
