/* SPDX-License-Identifier: MIT
 *
 * same_text.h - whether two strings, or two lists of words closed by NULL, are equal where either may be absent.
 *
 *     same_text(old->prepare, now->prepare)     // both NULL: the same; one NULL: not
 *
 * Pure, any thread.
 */
#ifndef SAME_TEXT_H
#define SAME_TEXT_H

#include <stdbool.h>
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

#endif
