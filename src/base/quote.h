/* SPDX-License-Identifier: MIT
 *
 * quote.h - foreign text on a terminal: names and words that users, files and programs gave us.
 *
 *     quote_name(&b, "printf '\033c'", 40, true);    // "printf '\x1bc'" in quotation marks, at most 40 columns
 *     quote_word(&b, "two words", true);             // 'two words', as a shell would read it back
 *
 * Whatever cannot be printed safely (control characters, bytes that are not UTF-8, marks that reorder text) appears as an
 * escape: \n \t \x1b \u202e. With `unicode` false everything outside ASCII does. What is written is therefore always
 * printable and its width known. The files that are exported take their escapes from here too. Pure; the buffer is the caller's.
 */
#ifndef QUOTE_H
#define QUOTE_H

#include "buf.h"

/* Terminal columns of n bytes of printable UTF-8: combining marks take none, East Asian wide characters two. An escape
 * sequence that sets colours (ESC [ ... m) takes none. */
int text_columns(const char *text, size_t n);

/* Whether this character must not stand anywhere as it is: it steers a terminal, changes the order of what stands around it, or is
 * invisible where that deceives. The only list of them. */
bool quote_unsafe(uint32_t character);

/* Bytes of the character that begins the text; 0: none that is UTF-8, or the end. */
int quote_decode(const char *text, uint32_t *character);

enum { QUOTE_ESCAPE = 12 };
/* Bytes of the character that begins the text, 0 at its end. *escape, closed by a zero: what is to stand for it where it is unsafe or a byte
 * that is no UTF-8; empty: it may stand as it is. */
int quote_character(const char *text, char escape[QUOTE_ESCAPE]);

void quote_mask(struct buf *b, const char *text, bool unicode);
/* Masked, and shortened in its middle ("abc…xyz") to at most `columns` (at least 5 are used; 0: never shortened). */
void quote_cut(struct buf *b, const char *text, int columns, bool unicode);
/* quote_cut within quotation marks: '...', or "..." when the text holds single ones only. `columns` includes them. */
void quote_name(struct buf *b, const char *text, int columns, bool unicode);
/* One word so that a POSIX shell reads it back; with unprintable bytes in the $'...' form of bash, ksh and zsh. */
void quote_word(struct buf *b, const char *word, bool unicode);
/* Words up to a closing NULL, blanks between. */
void quote_words(struct buf *b, const char *const *words, bool unicode);
/* One field of a CSV file, quoted as in RFC 4180 where it must be: prefix and value; NULL gives an empty one. What must not be shown as it is becomes an
 * escape; blanks, tabs and ends of lines stay. A text that begins with = + - @ or a tab and is no number gets an apostrophe before it, or a spreadsheet
 * would carry it out. */
void quote_csv(struct buf *b, const char *prefix, const char *value);

#endif
