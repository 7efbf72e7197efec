/* SPDX-License-Identifier: MIT
 *
 * raw_lines.h - the raw files of bench/functions.sh and bench/trust.sh in memory: columns with tabs between them, and lines that begin with "# 2", a date, which
 * say what was run where. What the columns are is the reader's of each.
 *
 *     struct line { char label[RAW_WORD]; double seconds; };
 *     static const struct raw_column columns[] = {RAW_TEXT(struct line, label), RAW_NUMBER(struct line, seconds)};
 *     struct raw_lines all;
 *     if (!raw_read("raw.tsv", columns, 2, sizeof(struct line), &all)) ...
 *     free(all.items);
 *
 * Does not judge. A line that is cut or not understood is counted and left out.
 */
#ifndef RAW_LINES_H
#define RAW_LINES_H

#include <stdbool.h>
#include <stddef.h>

enum { RAW_WORD = 64, RAW_HEADS = 64, RAW_HEAD = 640 };

/* Where a column goes in the struct of a line: an array of RAW_WORD characters, or a double. */
struct raw_column {
    bool number;
    size_t offset;
};

#define RAW_TEXT(line, member)        \
    {                                 \
        false, offsetof(line, member) \
    }
#define RAW_NUMBER(line, member)     \
    {                                \
        true, offsetof(line, member) \
    }

struct raw_lines {
    void *items; /* in the order of the file, which is that of time; the caller frees them */
    int n, room;
    int broken;
    char heads[RAW_HEADS][RAW_HEAD]; /* one line for each call of the script; the last ones when there are more */
    int n_heads;                     /* of all calls */
};

/* False: the file can't be read, or memory is exhausted; there are no items then. */
bool raw_read(const char *path, const struct raw_column *columns, int n_columns, size_t line_size, struct raw_lines *out);

#endif
