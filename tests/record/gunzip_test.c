/* SPDX-License-Identifier: MIT
 *
 * Files that came through gzip: whole, in several members, cut anywhere, damaged, and far larger than they look.
 */
#include "gunzip.h"
#include "stored_read.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

static const char hyperfine[] = "{\"results\": [{\"command\": \"a\", \"times\": [0.5, 0.25, 0.125]}]}";

/* The text as one more member at the end of out. */
static void pack(const char *text, size_t n, struct buf *out)
{
    z_stream z = {0};
    unsigned char block[4096];
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    memcpy(&z.next_in, &text, sizeof text);
    z.avail_in = (uInt)n;
    for (int code = Z_OK; code != Z_STREAM_END;) {
        z.next_out = block;
        z.avail_out = sizeof block;
        code = deflate(&z, Z_FINISH);
        assert_true(code == Z_OK || code == Z_STREAM_END);
        buf_add(out, block, sizeof block - z.avail_out);
    }
    deflateEnd(&z);
}

static enum tare_status unpacked(const struct buf *packed, size_t n, size_t cap, struct buf *out, struct tare_err *err)
{
    *out = BUF_INIT(cap);
    return gunzip(packed->data, n, out, err);
}

static void members_become_one_text(void **state)
{
    (void)state;
    struct buf packed = BUF_INIT(1 << 16), text;
    struct tare_err err;
    pack("one ", 4, &packed);
    pack("", 0, &packed);
    pack("two", 3, &packed);
    assert_int_equal(unpacked(&packed, packed.len, 100, &text, &err), TARE_OK);
    assert_string_equal(buf_text(&text), "one two");
    buf_finish(&text);
    buf_finish(&packed);
}

static void a_file_that_was_cut_is_refused_wherever_that_was(void **state)
{
    (void)state;
    struct buf packed = BUF_INIT(1 << 16), text;
    pack(hyperfine, sizeof hyperfine - 1, &packed);
    for (size_t n = 0; n < packed.len; n++) {
        struct tare_err err = {""};
        assert_int_equal(unpacked(&packed, n, 1 << 16, &text, &err), TARE_TRUNCATED);
        assert_string_equal(err.text, "compressed with gzip, and ends too early");
        buf_finish(&text);
    }
    buf_finish(&packed);
}

static void damage_is_found(void **state)
{
    (void)state;
    struct buf packed = BUF_INIT(1 << 16), text;
    pack(hyperfine, sizeof hyperfine - 1, &packed);
    for (size_t i = 10; i < packed.len; i++) { /* behind the header, whose time and system nobody checks */
        struct tare_err err = {""};
        packed.data[i] ^= 0x10;
        enum tare_status status = unpacked(&packed, packed.len, 1 << 16, &text, &err);
        packed.data[i] ^= 0x10;
        bool whole = !status && text.len == sizeof hyperfine - 1 && !memcmp(text.data, hyperfine, text.len);
        if (!whole && (!status || !*err.text)) /* the last bits before the sum are filling */
            fail_msg("damage of byte %zu was not found", i);
        buf_finish(&text);
    }
    buf_finish(&packed);
}

static void a_bomb_costs_no_more_than_the_cap(void **state)
{
    (void)state;
    enum { CAP = 1 << 16, SIZE = 1 << 24 };
    struct buf packed = BUF_INIT(1 << 20), text;
    struct tare_err err = {""};
    char *zeros = calloc(1, SIZE);
    assert_non_null(zeros);
    pack(zeros, SIZE, &packed);
    assert_true(packed.len < CAP / 2);
    assert_int_equal(unpacked(&packed, packed.len, CAP, &text, &err), TARE_TOO_LARGE);
    assert_true(text.len <= CAP && text.size <= CAP + 1);
    assert_string_equal(err.text, "compressed with gzip, and more than 65536 bytes of text");
    free(zeros);
    buf_finish(&text);
    buf_finish(&packed);
}

static void what_is_in_it_is_read(void **state)
{
    (void)state;
    struct buf packed = BUF_INIT(1 << 16), twice = BUF_INIT(1 << 16);
    struct record r = {0};
    struct record_reading reading;
    struct tare_err err = {""};
    pack(hyperfine, sizeof hyperfine - 1, &packed);
    if (stored_read(&r, packed.data, packed.len, &reading, &err))
        fail_msg("%s", err.text);
    assert_int_equal(reading.consumed, packed.len);
    assert_string_equal(record_source(&r), "hyperfine JSON");
    assert_int_equal(r.series[0].main.n, 3);
    record_reading_finish(&reading);
    record_finish(&r);
    pack(packed.data, packed.len, &twice);
    assert_int_equal(stored_read(&r, twice.data, twice.len, &reading, &err), TARE_FORMAT);
    assert_string_equal(err.text, "compressed with gzip twice");
    record_reading_finish(&reading);
    buf_finish(&twice);
    buf_finish(&packed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_become_one_text), cmocka_unit_test(a_file_that_was_cut_is_refused_wherever_that_was),
        cmocka_unit_test(damage_is_found),         cmocka_unit_test(a_bomb_costs_no_more_than_the_cap),
        cmocka_unit_test(what_is_in_it_is_read),
    };
    return cmocka_run_group_tests_name("gunzip", tests, NULL, NULL);
}
