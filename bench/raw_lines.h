/* SPDX-License-Identifier: MIT
 *
 * raw_lines.h - the raw files of bench/functions.sh and bench/trust.sh: columns with tabs between them, and lines that begin with "# 2", a date, which say
 * what was run where. What the columns mean is the reader's of each: functions_lines.h, trust_lines.h.
 *
 *     static enum raw_taken take(void *context, char **column) { ... raw_number(column[2], &x) ... }
 *     struct raw_file file;
 *     if (!raw_read("raw.tsv", COLUMNS, take, context, &file)) ...
 *
 * Does not judge. A line that is cut or not understood is counted and left out.
 */
#ifndef RAW_LINES_H
#define RAW_LINES_H

#include <stdbool.h>
#include <stddef.h>

enum { RAW_COLUMNS_MAX = 32, RAW_HEADS = 64, RAW_HEAD = 640 };

struct raw_file {
    int broken;
    char heads[RAW_HEADS][RAW_HEAD]; /* one line for each call of the script; the last ones when there are more */
    int n_heads;                     /* of all calls */
};

enum raw_taken { RAW_TAKEN, RAW_BROKEN, RAW_NO_MEMORY };

/* column: `columns` of them, at most RAW_COLUMNS_MAX. False: the file can't be read, or memory is exhausted. */
bool raw_read(const char *path, int columns, enum raw_taken (*take)(void *context, char **column), void *context,
              struct raw_file *out);

bool raw_number(const char *text, double *out);          /* all of the text is one; nan is */
bool raw_word(const char *text, char *out, size_t room); /* not empty, and it fits */
void *raw_room(void *items, int n, int *room,
               size_t size); /* the array with room for one more; NULL: no memory, and it is as it was */

#endif
