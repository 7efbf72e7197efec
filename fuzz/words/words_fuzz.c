/* SPDX-License-Identifier: MIT
 *
 * A command text: split, quoted again and split again it must be the same words; quoted words need no shell unless the
 * first is a builtin; a column lies within the text. Input: the text, cut at its first zero.
 */
#include "shell_syntax.h"
#include "words.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *what, const char *text)
{
    fprintf(stderr, "%s: \"%s\"\n", what, text);
    abort();
}

static bool everything(void *context, const char *name)
{
    (void)context;
    return *name != 0;
}

static void check_quoted(struct arena *a, const char *const *argv, int n, const char *text)
{
    struct buf b = BUF_INIT(1 << 26);
    for (int i = 0; i < n; i++) {
        buf_str(&b, i ? " " : "");
        words_quote(&b, argv[i]);
    }
    const char *const *again;
    int m;
    if (words_split(a, buf_text(&b), &again, &m, NULL) || m != n)
        fail("quoted words do not split again", text);
    for (int i = 0; i < n; i++)
        if (strcmp(argv[i], again[i]))
            fail("a quoted word reads back as another", text);
    if (shell_syntax_find(buf_text(&b), SHELL_NEEDS_ALL, everything, NULL).kind)
        fail("quoted words need a shell", text);
    buf_finish(&b);
}

static void check_need(const char *text, bool open)
{
    struct shell_need need = shell_syntax_find(text, SHELL_NEEDS_ALL, everything, NULL);
    if (need.kind && (need.column < 1 || need.column > words_column(text, strlen(text))))
        fail("the column lies outside", text);
    if ((need.open_quote != 0) != open)
        fail("split and syntax disagree about an open quote", text);
    struct buf b = BUF_INIT(4096);
    shell_need_describe(&b, &need);
    if (b.status || !b.len)
        fail("no description", text);
    buf_finish(&b);
    for (int kind = SHELL_OPERATOR; kind <= SHELL_EXPANSION; kind *= 2) {
        struct shell_need one = shell_syntax_find(text, kind, everything, NULL);
        if ((one.kind && (int)one.kind != kind) || (one.kind && !need.kind))
            fail("a need of one kind is no need of any", text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    const char *text = arena_copy(&a, (const char *)data, size);
    const char *const *argv;
    int n;
    enum tare_status status = words_split(&a, text, &argv, &n, NULL);
    check_need(text, status != TARE_OK);
    if (!status && argv[n])
        fail("argv is not closed", text);
    if (!status)
        check_quoted(&a, argv, n, text);
    arena_finish(&a);
    return 0;
}
