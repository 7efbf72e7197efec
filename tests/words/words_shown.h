/* SPDX-License-Identifier: MIT
 *
 * words_shown.h - what a text is split into, for tests: <words> <between> <brackets>, or the error.
 */
#ifndef WORDS_SHOWN_H
#define WORDS_SHOWN_H

#include "arena.h"
#include "buf.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <tare/status.h>

typedef enum tare_status words_splitter(struct arena *a, const char *text, const char *const **argv, int *n,
                                        struct tare_err *err);

static struct arena arena;

static int forget(void **state)
{
    (void)state;
    arena_finish(&arena);
    return 0;
}

static const char *words_shown(words_splitter *split, const char *text)
{
    const char *const *argv;
    int n;
    struct tare_err err;
    if (split(&arena, text, &argv, &n, &err))
        return arena_strdup(&arena, err.text);
    struct buf b = BUF_INIT(1 << 16);
    for (int i = 0; i < n; i++)
        buf_format(&b, "<%s>", argv[i]);
    assert_null(argv[n]);
    const char *result = arena_copy(&arena, buf_text(&b), b.len);
    buf_finish(&b);
    return result;
}

#endif
