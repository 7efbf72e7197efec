/* SPDX-License-Identifier: MIT */
#include "whole.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void assert_takes(const char *text, int base, int64_t expected, const char *rest)
{
    const char *p = text;
    int64_t value = -1;
    if (!whole_take(&p, text + strlen(text), base, &value))
        fail_msg("'%s' was refused", text);
    if (value != expected)
        fail_msg("'%s' is %lld", text, (long long)value);
    assert_string_equal(p, rest);
}

static void assert_refuses(const char *text, int base)
{
    const char *p = text;
    int64_t value = -1;
    assert_false(whole_take(&p, text + strlen(text), base, &value));
    assert_int_equal(value, -1);
    assert_ptr_equal(p, text);
}

static void digits_are_taken_and_the_rest_is_left(void **state)
{
    (void)state;
    assert_takes("0-7\n", 10, 0, "-7\n");
    assert_takes("00012 3", 10, 12, " 3");
    assert_takes("9223372036854775807", 10, INT64_MAX, "");
    assert_takes("7fffffffffffffff", 16, INT64_MAX, "");
    assert_takes("aFg", 16, 0xaf, "g");
    assert_takes("1a", 10, 1, "a");
}

static void what_is_no_number_or_too_large_is_refused(void **state)
{
    (void)state;
    assert_refuses("", 10);
    assert_refuses(" 1", 10);
    assert_refuses("-1", 10);
    assert_refuses("+1", 10);
    assert_refuses("a", 10);
    assert_refuses("g", 16);
    assert_refuses("99999999999999999999", 10);
    assert_refuses("10000000000000000", 16);
}

static void nothing_beyond_the_end_is_read(void **state)
{
    (void)state;
    const char text[] = "123", *p = text;
    int64_t value;
    assert_true(whole_take(&p, text + 2, 10, &value));
    assert_int_equal(value, 12);
    p = text;
    assert_false(whole_take(&p, text, 10, &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_are_taken_and_the_rest_is_left),
        cmocka_unit_test(what_is_no_number_or_too_large_is_refused),
        cmocka_unit_test(nothing_beyond_the_end_is_read),
    };
    return cmocka_run_group_tests_name("whole", tests, NULL, NULL);
}
