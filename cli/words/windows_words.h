/* SPDX-License-Identifier: MIT
 *
 * windows_words.h - a command text as Windows reads it: as words the way C libraries there split a command line, and what in it means something else
 * to cmd.exe. The twin of words.h and shell_syntax.h, which read as a POSIX shell does.
 *
 *     windows_words_split(&arena, "\"C:\\My Tools\\a.exe\" C:\\data\\ \"a \\\"b\\\"\"", &argv, &n, &err);   // C:\My Tools\a.exe, C:\data\, a "b"
 *
 * Blanks separate; "double" quotes keep them. A backslash is itself, but before a quote: two are one then, and an odd one keeps the quote. In the first word,
 * the program, it never does. Two quotes within quotes are one. Single quotes are ordinary characters.
 */
#ifndef WINDOWS_WORDS_H
#define WINDOWS_WORDS_H

#include "arena.h"
#include "shell_syntax.h"
#include <tare/status.h>

/* argv is closed by NULL. A text of blanks gives n = 0. INVALID: a quote is not closed. */
enum tare_status windows_words_split(struct arena *a, const char *text, const char *const **argv, int *n, struct tare_err *err);
/* As shell_syntax_find: & | < > ^ and a newline between words are operators, %NAME% is an expansion, also within quotes; builtins are those of
 * cmd.exe. There are no assignments. */
struct shell_need windows_shell_find(const char *text, int kinds, shell_program_exists *exists, void *context);

#endif
