/* SPDX-License-Identifier: MIT
 *
 * journal_line.h - one line of the journal: a checksum, then texts of any bytes.
 *
 *     journal_line_write(&b, 3, (const char *const[]){"reverted", "7", NULL});         // "8a3f01c2\treverted\t7\t\\-\n"
 *     struct journal_line line;
 *     if (journal_line_read(&line, text, n))                                           // text: without its line end; written over
 *         ... line.fields[0], line.n
 *
 * The checksum is the CRC-32 of what stands behind it and the tab, in eight hexadecimal digits. Fields are closed by tabs. In a field \\ \t \n \r and \xHH stand for
 * bytes that would end it or steer a terminal; \- alone is the absent text. Pure.
 */
#ifndef JOURNAL_LINE_H
#define JOURNAL_LINE_H

#include "buf.h"
#include <stdbool.h>

enum { JOURNAL_FIELDS_MAX = 12 };

struct journal_line {
    const char *fields[JOURNAL_FIELDS_MAX]; /* NULL: absent */
    int n;
};

void journal_line_write(struct buf *out, int n, const char *const *fields);
/* False: torn or damaged. Fields point into the text. */
bool journal_line_read(struct journal_line *out, char *text, size_t n);
/* A whole number from 0 to `most`, digits alone. */
bool journal_number(const char *field, int64_t most, int64_t *out);

#endif
