/* SPDX-License-Identifier: MIT
 *
 * same_text.h - whether two strings are equal where either may be absent.
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

#endif
