/* SPDX-License-Identifier: MIT
 * A program that brings its own malloc: the loader gives it to the C library too, and no other is ever called. */
#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static alignas(max_align_t) char room[8 << 20];
static size_t used;

void *malloc(size_t n)
{
    size_t at = used;
    used += (n + 15) / 16 * 16;
    return used <= sizeof room ? room + at : NULL;
}

void free(void *p)
{
    (void)p;
}

void *calloc(size_t n, size_t each)
{
    return malloc(n * each);
}

void *realloc(void *p, size_t n)
{
    void *q = malloc(n);
    return q && p ? memcpy(q, p, n) : q;
}

int main(void)
{
    char *p = malloc(1 << 20);
    memset(p, 1, 1 << 20);
    return write(STDOUT_FILENO, p, 0) != 0;
}
