/* SPDX-License-Identifier: MIT
 *
 * same_text.h - whether two strings, or two lists of words closed by NULL, are equal where either may be absent, the order of texts, and whether a
 * text lists a word or is one of several.
 *
 *     same_text(old->prepare, now->prepare)     // both NULL: the same; one NULL: not
 *     text_lists("cpu,cpuacct", 11, ",", "cpu", 3)
 *
 * Pure, any thread.
 */
#ifndef SAME_TEXT_H
#define SAME_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static inline bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static inline bool same_words(const char *const *a, const char *const *b)
{
    if (!a || !b)
        return a == b;
    int i = 0;
    while (a[i] && b[i] && !strcmp(a[i], b[i]))
        i++;
    return !a[i] && !b[i];
}

/* For qsort and bsearch: of texts, or of structs that begin with one. */
static inline int text_order(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static inline bool text_among(const char *text, const char *const *texts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(text, texts[i]))
            return true;
    return false;
}

/* The first n bytes of a text that a zero ends somewhere. */
static inline bool text_lists(const char *text, size_t n, const char *separators, const char *word, size_t length)
{
    for (size_t at = 0; at < n; at++) {
        size_t item = strcspn(text + at, separators);
        item = item < n - at ? item : n - at;
        if (item == length && !memcmp(text + at, word, length))
            return true;
        at += item;
    }
    return false;
}

#endif
