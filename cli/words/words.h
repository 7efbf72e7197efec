/* SPDX-License-Identifier: MIT
 *
 * words.h - a command text as words, the way a POSIX shell splits it when nothing is expanded.
 *
 *     const char *const *argv;
 *     int n;
 *     words_split(&arena, "grep -c 'two words' f", &argv, &n, &err);   // grep, -c, two words, f
 *
 * Blanks (space, tab, newline) separate; 'single' quotes keep everything, "double" quotes keep all but \$ \` \" \\ ;
 * a bare backslash keeps the next byte, and with a newline both vanish. A backslash that ends the text stands for itself.
 * Bytes above 127 are never looked at, so UTF-8 passes untouched. It expands nothing: what a shell would do with
 * the rest is the question of shell_syntax.h, which reads the text through the same cursor.
 * Ownership: results live in the caller's arena.
 */
#ifndef WORDS_H
#define WORDS_H

#include "arena.h"
#include "buf.h"
#include <stdbool.h>
#include <stddef.h>
#include <tare/status.h>

/* argv is closed by NULL. A text of blanks gives n = 0. INVALID: a quote is not closed (err says which and at which column). */
enum tare_status words_split(struct arena *a, const char *text, const char *const **argv, int *n, struct tare_err *err);

/* Adds `word` so that words_split and any POSIX shell read it back as this one word; quotes only where needed. */
void words_quote(struct buf *b, const char *word);

/* Is it a space, a tab or a newline? */
bool words_blank(char c);

/* The n words that stand one after the other in `bytes`, each closed by 0, as an argv. */
enum tare_status words_listed(struct arena *a, const char *bytes, int n, const char *const **argv, struct tare_err *err);

/* Column of the byte at `offset`, counted in characters from 1 (UTF-8 continuation bytes do not count). */
int words_column(const char *text, size_t offset);

/* ---- one byte after the other, each with its quoting ---- */

enum words_quoting { WORDS_BARE, WORDS_SINGLE, WORDS_DOUBLE, WORDS_ESCAPED };
enum words_step {
    WORDS_END,
    WORDS_SEPARATOR, /* a bare blank */
    WORDS_BYTE,      /* a byte of a word */
    WORDS_OPENED     /* a quote was opened here: there is a word, even if it stays empty */
};

struct words_cursor {
    const char *text;
    size_t next;
    char quote;      /* the open one, 0 = none; at WORDS_END: the one that was never closed */
    size_t quote_at; /* where it was opened */
    /* of the last step */
    char byte;
    enum words_quoting quoting;
    size_t at; /* offset of the byte; of its backslash when ESCAPED */
};

struct words_cursor words_begin(const char *text);
enum words_step words_next(struct words_cursor *c);

#endif
