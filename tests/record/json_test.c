/* SPDX-License-Identifier: MIT
 * JSON written by json_write.h and read by json_read.h. */
#include "json_read.h"
#include "json_write.h"
#include "quote.h"
#include "rng.h"
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void everything(struct json_write *j)
{
    json_object(j, NULL);
    json_string(j, "text", "a\"\\\n\t\r\x01\x7f\xc2\x85/\xc3\xa9");
    json_bytes(j, "bytes", "\xff");
    json_string(j, "none", NULL);
    json_array(j, "numbers");
    json_number(j, NULL, -0.0);
    json_number(j, NULL, 0.1);
    json_number(j, NULL, 1e300);
    json_number(j, NULL, -12);
    json_number(j, NULL, NAN);
    json_number(j, NULL, -INFINITY);
    json_integer(j, NULL, INT64_MIN);
    json_integer(j, NULL, -INT64_C(9007199254740992));
    json_unsigned(j, NULL, UINT64_MAX);
    json_end(j);
    json_object(j, "empty");
    json_end(j);
    json_bool(j, "yes", true);
    json_end(j);
}

static void commas_escapes_and_numbers_are_right(void **state)
{
    (void)state;
    struct buf b = BUF_INIT(1 << 16);
    struct json_write j = json_into(&b, 0);
    everything(&j);
    assert_string_equal(
        buf_text(&b),
        "{\"text\":\"a\\\"\\\\\\n\\t\\r\\u0001\\u007f\\u0085/\xc3\xa9\",\"bytes\":\"\xef\xbf\xbd\",\"bytes_hex\":\"ff\","
        "\"none\":null,\"numbers\":[-0,0.1,1e+300,-12,null,null,\"-9223372036854775808\","
        "-9007199254740992,\"18446744073709551615\"],\"empty\":{},\"yes\":true}");
    buf_finish(&b);
}

static void indented_text_means_the_same(void **state)
{
    (void)state;
    struct buf b = BUF_INIT(1 << 16);
    struct json_write j = json_into(&b, 2);
    json_object(&j, NULL);
    json_array(&j, "a");
    json_integer(&j, NULL, 1);
    json_integer(&j, NULL, 2);
    json_end(&j);
    json_array(&j, "b");
    json_end(&j);
    json_end(&j);
    assert_string_equal(buf_text(&b), "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": []\n}");
    buf_finish(&b);
}

static void utf8_is_judged_by_the_unicode_table(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int length;
    } cases[] = {{"a", 1},
                 {"", 0},
                 {"\xc3\xa9", 2},
                 {"\xc1\x81", 0},
                 {"\xc3", 0},
                 {"\xe2\x82\xac", 3},
                 {"\xe0\x80\x80", 0},
                 {"\xed\xa0\x80", 0},
                 {"\xed\x9f\xbf", 3},
                 {"\xe2\x82", 0},
                 {"\xf0\x9f\x98\x80", 4},
                 {"\xf0\x80\x80\x80", 0},
                 {"\xf4\x8f\xbf\xbf", 4},
                 {"\xf4\x90\x80\x80", 0},
                 {"\xf5\x80\x80\x80", 0},
                 {"\x80", 0},
                 {"\xff", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t c;
        if (quote_decode(cases[i].text, &c) != cases[i].length)
            fail_msg("case %zu: %d, expected %d", i, quote_decode(cases[i].text, &c), cases[i].length);
        assert_int_equal(utf8_valid(cases[i].text), !*cases[i].text || cases[i].length > 0);
    }
}

/* Random texts of valid UTF-8, and random doubles. */
static void what_is_written_is_read(void **state)
{
    (void)state;
    struct rng rng = rng_seeded(1);
    for (int i = 0; i < 3000; i++) {
        static const char *const pieces[] = {
            "a", "\"", "\\", "\n", "\x1f", "\x7f", "\xc2\x80", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "/", "{"};
        struct buf text = BUF_INIT(1 << 12), json = BUF_INIT(1 << 14);
        buf_str(&text, "");
        for (uint64_t n = rng_below(&rng, 12); n > 0; n--)
            buf_str(&text, pieces[rng_below(&rng, sizeof pieces / sizeof *pieces)]);
        uint64_t bits = rng_next(&rng);
        double x;
        memcpy(&x, &bits, sizeof x);
        struct json_write j = json_into(&json, (int)rng_below(&rng, 3));
        json_object(&j, NULL);
        json_string(&j, buf_text(&text), buf_text(&text));
        json_number(&j, "x", x);
        json_unsigned(&j, "bits", bits);
        json_end(&j);
        struct json_value *v;
        struct tare_err err;
        if (json_parse(&v, json.data, json.len, &err))
            fail_msg("%s: %s", buf_text(&json), err.text);
        const char *back;
        double number = 0;
        uint64_t integer;
        assert_true(json_text_of(json_first(v), &back));
        assert_string_equal(back, buf_text(&text));
        assert_string_equal(json_key(json_first(v)), buf_text(&text));
        assert_int_equal(json_number_of(json_member(v, "x"), &number), isfinite(x));
        assert_true(!isfinite(x) || number == x);
        assert_true(json_unsigned_of(json_member(v, "bits"), &integer) && integer == bits);
        json_free(v);
        buf_finish(&text);
        buf_finish(&json);
    }
}

static void assert_refused(const char *text, size_t n)
{
    struct json_value *v;
    struct tare_err err = {""};
    if (!json_parse(&v, text, n, &err))
        fail_msg("accepted: %s", text);
    assert_null(v);
    assert_true(*err.text);
}

static void what_is_not_one_json_value_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"",    " ",  "{",       "{\"a\":1,",   "{\"a\":1} x", "1 2", "[1,]", "{\"a\"}",
                                        "nul", "\"", "\"\\x\"", "\"\\ud800\"", "1.2.3",       "NaN", "-",    "]"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_refused(texts[i], strlen(texts[i]));
    assert_refused("1\0", 2);
}

static void integers_are_whole_and_within_their_range(void **state)
{
    (void)state;
    const char text[] = "[1, 1.5, -1, \"7\", \"-7\", \"\", \"7x\", \"18446744073709551616\", 1e19, null, true]";
    const int64_t expected[] = {1, -99, -1, 7, -7, -99, -99, -99, -99, -99, -99};
    struct json_value *v;
    assert_int_equal(json_parse(&v, text, sizeof text - 1, NULL), TARE_OK);
    assert_int_equal(json_count(v), 11);
    int i = 0;
    for (const struct json_value *item = json_first(v); item; item = json_next(item), i++) {
        int64_t x = -99;
        json_integer_of(item, -10, 10, &x);
        assert_int_equal(x, expected[i]);
    }
    int64_t x = -99;
    assert_false(json_integer_of(json_first(v), 2, 3, &x));
    assert_false(json_integer_of(NULL, 0, 9, &x));
    assert_null(json_member(v, "a"));
    assert_null(json_first(json_first(v)));
    json_free(v);
    json_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commas_escapes_and_numbers_are_right),  cmocka_unit_test(indented_text_means_the_same),
        cmocka_unit_test(utf8_is_judged_by_the_unicode_table),   cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(what_is_not_one_json_value_is_refused), cmocka_unit_test(integers_are_whole_and_within_their_range),
    };
    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
