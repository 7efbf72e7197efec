/* SPDX-License-Identifier: MIT
 *
 * functions_lines.h - the raw lines of bench/functions.sh in memory: one figure or one session of one tool each, its columns in the file's head.
 *
 *     struct lines all;
 *     if (!lines_read("raw.tsv", &all)) ...
 *
 * Does not judge. A line that is cut or not understood is counted and left out.
 */
#ifndef FUNCTIONS_LINES_H
#define FUNCTIONS_LINES_H

#include "raw_lines.h"

enum { LINE_WORD = 64, LINE_COLUMNS = 16 };

struct line {
    char label[LINE_WORD], part[LINE_WORD], tool[LINE_WORD], kernel[LINE_WORD], size[LINE_WORD], word[LINE_WORD];
    double block, unix_s, load;
    double truth, value, low, high; /* NaN: not known, or there is none */
    double n, seconds, cpu;
};

struct lines {
    struct line *items; /* in the order of time */
    int n, room;
    struct raw_file file;
};

bool lines_read(const char *path, struct lines *out); /* false: the file can't be read, or memory is exhausted */
void lines_finish(struct lines *lines);

#endif
