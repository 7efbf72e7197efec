/* SPDX-License-Identifier: MIT
 *
 * sized.h - option structs that a program filled, as this libtare knows them, and lists of them. Each begins with its size as the program's header has
 * it (TARE_INIT); fields only ever come at the end, and zero is the default of each.
 *
 *     const char *wrong = sized_read(&full, sizeof full, offsetof(struct tare_trace_options, limit_bytes), options);
 *
 * Lists are filled by constructors, by one thread, and are never given back but by sized_list_free.
 */
#ifndef SIZED_H
#define SIZED_H

#include <stddef.h>

/* room: of the struct here; least: what no program leaves out. NULL: it is read, else what is wrong with it. */
const char *sized_read(void *out, size_t room, size_t least, const void *in);

struct sized_item {
    struct sized_item *next;
    const void *given; /* what it is a copy of; NULL: it was added at run time */
    const char *file;  /* where it was written; NULL: not known */
    int line;
    max_align_t what[]; /* the struct, then what was asked for behind it */
};

struct sized_list {
    struct sized_item *first;
    const char *refused; /* what was wrong with the last one that could not be put here; NULL: there was none */
};
/* The next one; of NULL the first. */
void *sized_list_next(const struct sized_list *l, const void *what);
/* A copy at the end, once however often the same is given; what keeps it from there is in refused. Where constructors run backwards, those of a file have the order
 * of its lines all the same. */
void sized_list_register(struct sized_list *l, const void *given, size_t room, size_t least, const char *file, int line);
/* Room for one more at the end, zero. NULL: no memory. */
void *sized_list_add(struct sized_list *l, size_t bytes);
void sized_list_free(struct sized_list *l);

#endif
