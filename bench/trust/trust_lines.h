/* SPDX-License-Identifier: MIT
 *
 * trust_lines.h - the raw lines of bench/trust.sh in memory: one session of one tool each, its columns in the file's head.
 *
 *     struct trust_lines all;
 *     if (!trust_lines_read("raw.tsv", &all)) ...
 *
 * Does not judge. A line that is cut or not understood is counted and left out.
 */
#ifndef TRUST_LINES_H
#define TRUST_LINES_H

#include "raw_lines.h"

enum { TRUST_WORD = 24, TRUST_COLUMNS = 17 };

struct trust_line {
    char label[TRUST_WORD], scenario[TRUST_WORD], tool[TRUST_WORD], word[TRUST_WORD];
    double block, unix_s, load;
    double size;          /* planted slowdown in per cent */
    int sign;             /* 1: the second command is the slower one, -1: the first */
    double expected;      /* ln of the true ratio, second to first; 0 for A/A */
    double ln, low, high; /* what the tool (or Welch's test on its figures) found; NaN: no interval */
    double score;         /* |ln| in half-widths of the interval */
    double n, seconds, decided;
};

struct trust_lines {
    struct trust_line *items; /* in the order of time */
    int n, room;
    struct raw_file file;
};

bool trust_lines_read(const char *path, struct trust_lines *out); /* false: the file can't be read, or memory is exhausted */
void trust_lines_finish(struct trust_lines *lines);

#endif
