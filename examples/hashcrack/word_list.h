/* SPDX-License-Identifier: MIT
 *
 * word_list.h - the lines of a file as words, one at a time or from a part of the file.
 *
 *     struct word_list list;
 *     if (word_list_open(&list, path)) {
 *         while (word_list_next(&list))
 *             use(list.word, list.length);
 *         if (list.error) ...
 *     }
 *     word_list_close(&list);
 *
 * A line ends with a line feed, a carriage return and a line feed, or the end of the file; an empty line is the empty word.
 * Lines may be of any length and hold any bytes. One `struct word_list` belongs to one thread; several may be open on one file.
 */
#ifndef HASHCRACK_WORD_LIST_H
#define HASHCRACK_WORD_LIST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct word_list {
    const char *word; /* valid until the next call; not ended by a zero byte */
    size_t length;
    int error; /* errno of what went wrong, 0 while nothing has */
    FILE *file;
    char *line;
    size_t room;
    int64_t at, end; /* bytes; no word begins at `end` or after it */
};

/* From the start to the end of the file. False with `error` set if that cannot be; close accepts what is left. */
bool word_list_open(struct word_list *l, const char *path);
void word_list_close(struct word_list *l);

/* From now on only the words whose first byte lies in [begin, end). Needs a regular file. */
bool word_list_part(struct word_list *l, int64_t begin, int64_t end);

/* False after the last word, or with `error` set. */
bool word_list_next(struct word_list *l);

/* Size in bytes, or -1 with `error` set: ESPIPE if the file has no size, as a pipe. */
int64_t word_list_size(struct word_list *l);

#endif
