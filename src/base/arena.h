/* SPDX-License-Identifier: MIT
 *
 * arena.h - memory that is given back all at once.
 *
 *     struct arena a = {0};
 *     char *name = arena_copy(&a, text, len);
 *     arena_finish(&a);
 *
 * For command line, parsed files and other things that live as long as their command. Memory is zeroed and aligned for
 * any type. When the heap is exhausted the calls return NULL. Not for the timed path. One thread at a time.
 */
#ifndef ARENA_H
#define ARENA_H

#include "buf.h"
#include <stddef.h>

struct arena {
    struct arena_block *blocks; /* newest first */
};

void *arena_alloc(struct arena *a, size_t bytes);
void *arena_array(struct arena *a, size_t count, size_t item_bytes);            /* checks the product */
char *arena_copy(struct arena *a, const char *text, size_t len);                /* adds the closing zero */
char *arena_strdup(struct arena *a, const char *text);                          /* NULL gives NULL */
BUF_FORMATS(2, 3) char *arena_format(struct arena *a, const char *format, ...); /* as buf_format; at most 1 MB */
char *arena_keep(struct arena *a, struct buf *b); /* its text; it is finished. NULL where it was cut too */
const char *const *arena_words(struct arena *a,
                               const char *const *words); /* a list closed by NULL, and its texts; NULL gives NULL */
/* An array of the arena, room for one more of n items, doubled; NULL: no memory, and the items stay as they are. */
void *arena_grown(struct arena *a, const void *items, int n, int *room, size_t item_bytes);
/* An array on the heap, room for one more of n items, grown by half; NULL: no memory, and the items stay as they are. The caller frees it. */
void *array_grown(void *items, int n, int *room, size_t item_bytes);
void arena_finish(struct arena *a); /* a zeroed one is fine */

#endif
