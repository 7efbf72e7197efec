/* SPDX-License-Identifier: MIT */
#include "arena.h"
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct arena_block {
    struct arena_block *next;
    size_t used, size;
    max_align_t data[];
};

enum { BLOCK_BYTES = 16 * 1024 };

static struct arena_block *block_add(struct arena *a, size_t bytes)
{
    size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
    if (size > SIZE_MAX - sizeof(struct arena_block))
        return NULL;
    struct arena_block *b = calloc(1, sizeof *b + size);
    if (!b)
        return NULL;
    b->size = size;
    b->next = a->blocks;
    a->blocks = b;
    return b;
}

void *arena_alloc(struct arena *a, size_t bytes)
{
    const size_t align = _Alignof(max_align_t);
    if (bytes > SIZE_MAX - align)
        return NULL;
    bytes = (bytes + align - 1) / align * align;
    struct arena_block *b = a->blocks;
    if (!b || b->size - b->used < bytes)
        b = block_add(a, bytes);
    if (!b)
        return NULL;
    void *p = (char *)b->data + b->used;
    b->used += bytes;
    return p;
}

void *arena_array(struct arena *a, size_t count, size_t item_bytes)
{
    if (item_bytes && count > SIZE_MAX / item_bytes)
        return NULL;
    return arena_alloc(a, count * item_bytes);
}

char *arena_copy(struct arena *a, const char *text, size_t len)
{
    if (len == SIZE_MAX)
        return NULL;
    char *p = arena_alloc(a, len + 1);
    if (p && len)
        memcpy(p, text, len);
    return p;
}

char *arena_strdup(struct arena *a, const char *text)
{
    return text ? arena_copy(a, text, strlen(text)) : NULL;
}

char *arena_keep(struct arena *a, struct buf *b)
{
    char *kept = b->status ? NULL : arena_strdup(a, buf_text(b));
    buf_finish(b);
    return kept;
}

const char *const *arena_words(struct arena *a, const char *const *words)
{
    size_t n = 0;
    while (words && words[n])
        n++;
    const char **copies = words ? arena_array(a, n + 1, sizeof *copies) : NULL;
    for (size_t i = 0; copies && i < n; i++)
        if (!(copies[i] = arena_strdup(a, words[i])))
            return NULL;
    return copies;
}

void *arena_grown(struct arena *a, const void *items, int n, int *room, size_t item_bytes)
{
    if (n < *room)
        return (void *)(uintptr_t)items;
    int wanted = *room < 8 ? 16 : *room > INT32_MAX / 2 ? 0 : 2 * *room;
    void *more = wanted ? arena_array(a, (size_t)wanted, item_bytes) : NULL;
    if (more && n)
        memcpy(more, items, (size_t)n * item_bytes);
    *room = more ? wanted : *room;
    return more;
}

void *array_grown(void *items, int n, int *room, size_t item_bytes)
{
    if (n < *room)
        return items;
    int wanted = *room < 16 ? 16 : *room > INT32_MAX / 3 * 2 ? 0 : *room + *room / 2;
    void *more = wanted ? realloc(items, (size_t)wanted * item_bytes) : NULL;
    if (more)
        *room = wanted;
    return more;
}

char *arena_format(struct arena *a, const char *format, ...)
{
    struct buf b = BUF_INIT(1 << 20);
    va_list ap;
    va_start(ap, format);
    buf_vformat(&b, format, ap);
    va_end(ap);
    return arena_keep(a, &b);
}

void arena_finish(struct arena *a)
{
    while (a->blocks) {
        struct arena_block *next = a->blocks->next;
        free(a->blocks);
        a->blocks = next;
    }
}
