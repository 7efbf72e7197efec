/* SPDX-License-Identifier: MIT */
#include "sized.h"
#include "plat_process.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

const char *sized_read(void *out, size_t room, size_t least, const void *in)
{
    size_t size;
    memcpy(&size, in, sizeof size);
    if (size < least)
        return "without its size: begin with TARE_INIT";
    for (size_t i = room; i < size; i++)
        if (((const unsigned char *)in)[i])
            return "with options of a newer libtare than this one";
    memset(out, 0, room);
    memcpy(out, in, size < room ? size : room);
    return NULL;
}

static struct sized_item *item_of(const void *what)
{
    return (struct sized_item *)((char *)(uintptr_t)what - offsetof(struct sized_item, what));
}

void *sized_list_next(const struct sized_list *l, const void *what)
{
    struct sized_item *next = what ? item_of(what)->next : l->first;
    return next ? next->what : NULL;
}

void *sized_list_add(struct sized_list *l, size_t bytes)
{
    struct sized_item *mine = calloc(1, sizeof *mine + bytes), **at = &l->first;
    while (*at)
        at = &(*at)->next;
    *at = mine;
    return mine ? mine->what : NULL;
}

static bool is_listed(const struct sized_list *l, const void *given, const void *what, size_t room)
{
    const struct sized_item *i = l->first;
    while (i && (i->given != given || memcmp(i->what, what, room) != 0))
        i = i->next;
    return i != NULL;
}

static bool is_behind(const struct sized_item *i, const char *file, int line)
{
    return i->file && file && i->line > line && !strcmp(i->file, file);
}

/* The last one goes before the first of its file that stands behind it there. */
static void move_last(struct sized_list *l)
{
    struct sized_item **at = &l->first, *last = l->first;
    while (last->next)
        last = last->next;
    while (*at != last && !is_behind(*at, last->file, last->line))
        at = &(*at)->next;
    if (*at == last)
        return;
    struct sized_item **end = at;
    while (*end != last)
        end = &(*end)->next;
    *end = NULL;
    last->next = *at;
    *at = last;
}

void sized_list_register(struct sized_list *l, const void *given, size_t room, size_t least, const char *file, int line)
{
    void *full = malloc(room), *mine;
    const char *wrong = full ? sized_read(full, room, least, given) : "where there was no memory for it";
    if (!wrong && !is_listed(l, given, full, room)) {
        mine = sized_list_add(l, room);
        if (mine) {
            memcpy(mine, full, room);
            item_of(mine)->given = given;
            item_of(mine)->file = file;
            item_of(mine)->line = line;
            if (plat_constructors_backwards())
                move_last(l);
        }
        wrong = mine ? NULL : "where there was no memory for it";
    }
    free(full);
    l->refused = wrong ? wrong : l->refused;
}

void sized_list_free(struct sized_list *l)
{
    while (l->first) {
        struct sized_item *i = l->first;
        l->first = i->next;
        free(i);
    }
    l->refused = NULL;
}
