/* SPDX-License-Identifier: MIT
 *
 * shell_syntax.h - does a command text mean something else to a shell than its plain words?
 *
 *     struct shell_need need = shell_syntax_find("grep x f | wc -l", SHELL_NEEDS_ALL, exists, context);
 *     // need.kind == SHELL_OPERATOR, need.what == "|", need.column == 10
 *
 * It reads quoting and single characters, no grammar: that decides rightly whether a shell is needed, and never what
 * the shell would do. Where it errs it asks for a shell that would have changed nothing (a * that matches no file).
 * Literal in every shell, so no reason for one: `{}` as a word of its own (find -exec), a $ before a blank, a closing double quote or
 * the end (grep "x$"), the word [ (then it is the program of that name).
 * Pure: nothing is kept, allocated or printed.
 */
#ifndef SHELL_SYNTAX_H
#define SHELL_SYNTAX_H

#include "buf.h"
#include <stdbool.h>

enum shell_need_kind {
    SHELL_NOT_NEEDED = 0,
    SHELL_OPERATOR = 1 << 0, /* | & ; < > ( ) ` and a newline between words: other programs would run, or other files be opened */
    SHELL_ASSIGNMENT = 1 << 1, /* A=1 in front of the program */
    SHELL_BUILTIN = 1 << 2,    /* the first word is a builtin or keyword, and no such file is on PATH */
    SHELL_EXPANSION = 1 << 3,  /* $ * ? [ ~ { } #: a word would be replaced, or the rest ignored */
};
enum { SHELL_NEEDS_ALL = SHELL_OPERATOR | SHELL_ASSIGNMENT | SHELL_BUILTIN | SHELL_EXPANSION };

struct shell_need {
    enum shell_need_kind kind;
    char what[16]; /* the character ("|", "newline") or word ("cd", "A=", cut to fit), for messages */
    int column;    /* in characters, from 1 */
    /* Told apart from the first need of the kinds asked for: the text as a whole. */
    char open_quote; /* ' or " when one is not closed, as far as plain quoting goes; 0 */
    int quote_column;
    bool open_sure; /* and nothing before it (here-document, comment, substitution) may make that right */
};

/* Whether exec would find a program of this name on PATH (or at this path). */
typedef bool shell_program_exists(void *context, const char *name);

/* The first need whose kind is in `kinds`. */
struct shell_need shell_syntax_find(const char *text, int kinds, shell_program_exists *exists, void *context);

/* "'|' at column 10", "the shell builtin 'cd'" */
void shell_need_describe(struct buf *b, const struct shell_need *need);

#endif
