/* SPDX-License-Identifier: MIT
 *
 * proc_rest.h - what is left of a text, for the readers of src/noise: each call takes a piece off its beginning, or nothing and says false.
 *
 *     struct rest r = rest_of(text, n);
 *     if (take_word(&r, "some ") && take_number(&r, &value)) ...
 */
#ifndef PROC_REST_H
#define PROC_REST_H

#include "whole.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct rest {
    const char *p, *end;
};

static inline struct rest rest_of(const char *text, size_t n)
{
    return (struct rest){text, text + n};
}

static inline void skip_blanks(struct rest *r)
{
    while (r->p < r->end && *r->p == ' ')
        r->p++;
}

static inline bool take_number(struct rest *r, int64_t *out)
{
    skip_blanks(r);
    return whole_take(&r->p, r->end, 10, out);
}

static inline bool take_word(struct rest *r, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(r->end - r->p) < n || memcmp(r->p, word, n))
        return false;
    r->p += n;
    return true;
}

#endif
