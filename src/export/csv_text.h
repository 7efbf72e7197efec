/* SPDX-License-Identifier: MIT
 *
 * csv_text.h - one field of a CSV file with any text in it, quoted as in RFC 4180 where it must be.
 */
#ifndef CSV_TEXT_H
#define CSV_TEXT_H

#include "buf.h"

/* Adds prefix and value; NULL gives an empty field. What must not be shown as it is becomes an escape (quote.h); blanks, tabs and ends of lines stay. A
 * text that begins with = + - @ or a tab and is no number gets an apostrophe before it, or a spreadsheet would carry it out. */
void csv_text(struct buf *b, const char *prefix, const char *value);

#endif
