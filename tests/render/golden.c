/* SPDX-License-Identifier: MIT */
#include "golden.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void write_file(const char *path, const struct buf *text)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(buf_text(text), 1, text->len, f), text->len);
    assert_int_equal(fclose(f), 0);
}

static void read_file(const char *path, struct buf *out)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("no golden file %s: run with TARE_RERECORD=1 and read what it wrote", path);
    char block[4096];
    size_t n;
    while ((n = fread(block, 1, sizeof block, f)) > 0)
        buf_add(out, block, n);
    fclose(f);
}

static void compare(const char *name, const char *want, const char *have)
{
    for (int line = 1;; line++) {
        size_t n = strcspn(want, "\n"), m = strcspn(have, "\n");
        if (n != m || memcmp(want, have, n))
            fail_msg("%s line %d\n  want [%.*s]\n  have [%.*s]", name, line, (int)n, want, (int)m, have);
        if (!want[n] || !have[m]) {
            if (want[n] || have[m])
                fail_msg("%s: one ends after line %d, the other goes on", name, line);
            return;
        }
        want += n + 1;
        have += m + 1;
    }
}

void assert_golden(const char *name, const struct buf *text)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.golden", TESTS_DIR, name);
    assert_int_equal(text->status, TARE_OK);
    const char *again = getenv("TARE_RERECORD");
    if (again && *again) {
        write_file(path, text);
        return;
    }
    struct buf want = BUF_INIT(1 << 24);
    read_file(path, &want);
    compare(name, buf_text(&want), buf_text(text));
    buf_finish(&want);
}

/* Up to where `end` follows; without it, as far as base64 goes. */
static void cut_behind(struct buf *text, const char *mark, const char *end)
{
    char *from = text->len ? strstr(text->data, mark) : NULL;
    if (!from)
        return;
    from += strlen(mark);
    const char *to = end ? strstr(from, end) : NULL;
    const size_t n = to ? (size_t)(to - from) : strspn(from, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=");
    memmove(from, from + n, strlen(from + n) + 1);
    text->len -= n;
}

void golden_without_record(struct buf *text)
{
    cut_behind(text, ";base64,", NULL);
    cut_behind(text, "script-src 'sha256-", NULL);
    cut_behind(text, "<script>/* SPDX", "</script>");
}
