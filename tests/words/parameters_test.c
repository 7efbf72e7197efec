/* SPDX-License-Identifier: MIT */
#include "buf.h"
#include "parameters.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

static int forget(void **state)
{
    (void)state;
    arena_finish(&arena);
    return 0;
}

static const char *joined(enum tare_status status, const struct parameter_values *v, const struct tare_err *err)
{
    if (status)
        return arena_strdup(&arena, err->text);
    struct buf b = BUF_INIT(1 << 20);
    for (int i = 0; i < v->n; i++)
        buf_format(&b, "%s%s", i ? "|" : "", v->values[i]);
    const char *text = arena_copy(&arena, buf_text(&b), b.len);
    buf_finish(&b);
    return text;
}

static const char *scan(const char *min, const char *max, const char *step)
{
    struct parameter_values v;
    struct tare_err err;
    enum tare_status status = parameters_scan(&arena, "x", min, max, step, &v, &err);
    return joined(status, &v, &err);
}

static const char *list(const char *text)
{
    struct parameter_values v;
    struct tare_err err;
    enum tare_status status = parameters_list(&arena, "x", text, &v, &err);
    return joined(status, &v, &err);
}

static void whole_numbers_are_scanned_in_steps_of_1_unless_told_otherwise(void **state)
{
    (void)state;
    assert_string_equal(scan("1", "4", NULL), "1|2|3|4");
    assert_string_equal(scan("0", "10", "3"), "0|3|6|9");
    assert_string_equal(scan("-2", "2", "2"), "-2|0|2");
    assert_string_equal(scan("+1", "003", NULL), "1|2|3");
    assert_string_equal(scan("5", "5", NULL), "5");
    assert_string_equal(scan("999999999999999998", "999999999999999999", NULL), "999999999999999998|999999999999999999");
}

/* The expected texts are those hyperfine 1.15 prints for the same words. */
static void decimals_are_exact_and_written_as_hyperfine_writes_them(void **state)
{
    (void)state;
    assert_string_equal(scan("0.3", "0.7", "0.2"), "0.3|0.5|0.7");
    assert_string_equal(scan("1", "2", "0.5"), "1|1.5|2.0");
    assert_string_equal(scan("1.0", "2", "0.5"), "1.0|1.5|2.0");
    assert_string_equal(scan("1", "2", "1.0"), "1|2.0");
    assert_string_equal(scan("-0.5", "0.5", "0.5"), "-0.5|0.0|0.5");
    assert_string_equal(scan("0", "1", "0.1"), "0|0.1|0.2|0.3|0.4|0.5|0.6|0.7|0.8|0.9|1.0");
    assert_string_equal(scan("0", "0.25", "0.1"), "0|0.1|0.2");
    assert_string_equal(scan(".5", "1.", ".5"), "0.5|1.0");
    assert_string_equal(scan("-0.05", "0.04", "0.03"), "-0.05|-0.02|0.01|0.04");
}

static void a_long_decimal_scan_does_not_drift(void **state)
{
    (void)state;
    struct parameter_values v;
    assert_int_equal(parameters_scan(&arena, "x", "0", "10000", "0.1", &v, NULL), TARE_TOO_LARGE);
    assert_int_equal(parameters_scan(&arena, "x", "0", "9999.9", "0.1", &v, NULL), TARE_OK);
    assert_int_equal(v.n, PARAMETERS_MAX);
    assert_string_equal(v.values[3], "0.3");
    assert_string_equal(v.values[99999], "9999.9");
}

static void what_is_no_plain_decimal_number_is_refused(void **state)
{
    (void)state;
    const char *const words[] = {"", "nan", "inf", "-inf", "1e3", "0x10", "1,5", "1.2.3", ".", "-", "+-1", "1 ", " 1", "٣"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct buf b = BUF_INIT(4096);
        buf_format(&b, "-P x: '%s' is not a plain decimal number (such as 10, -2 or 0.25)", words[i]);
        assert_string_equal(scan(words[i], "9", NULL), buf_text(&b));
        assert_string_equal(scan("0", words[i], NULL), buf_text(&b));
        assert_string_equal(scan("0", "9", words[i]), buf_text(&b));
        buf_finish(&b);
    }
}

static void ranges_that_make_no_sense_say_what_to_do(void **state)
{
    (void)state;
    assert_string_equal(scan("5", "1", NULL), "-P x: the smallest value 5 is above the largest, 1; swap them");
    assert_string_equal(scan("0", "9", "0"), "-P x: a step of 0 never ends; give -D a step above 0");
    assert_string_equal(scan("0", "9", "0.00"), "-P x: a step of 0 never ends; give -D a step above 0");
    assert_string_equal(scan("0", "9", "-1"), "-P x: the step -1 is negative; scans go upwards, give -D a step above 0");
    assert_string_equal(scan("0.5", "2", NULL), "-P x: a scan over decimals needs a step: -D STEP");
    assert_string_equal(scan("0", "100000", NULL),
                        "-P x: 0 to 100000 in steps of 1 are 100001 values, and the limit is 100000; use a larger -D");
    assert_string_equal(
        scan("-999999999999999999", "999999999999999999", NULL),
        "-P x: -999999999999999999 to 999999999999999999 in steps of 1 are 1999999999999999999 values, and the limit is "
        "100000; use a larger -D");
    assert_string_equal(scan("0", "1000000000000000000", NULL), "-P x: '1000000000000000000' has more than 18 digits");
    assert_string_equal(scan("0", "1", "0.0000000000000000001"), "-P x: '0.0000000000000000001' has more than 18 digits");
    assert_string_equal(scan("100000000000000000", "100000000000000001", "0.01"),
                        "-P x: '100000000000000000' written with 2 decimals has more than 18 digits");
}

static void names_are_given_without_braces(void **state)
{
    (void)state;
    struct parameter_values v;
    struct tare_err err;
    assert_int_equal(parameters_list(&arena, "{x}", "a", &v, &err), TARE_INVALID);
    assert_string_equal(err.text, "parameter '{x}': give its name without braces, and write {name} in the command");
    assert_int_equal(parameters_scan(&arena, "", "1", "2", NULL, &v, &err), TARE_INVALID);
    assert_string_equal(err.text, "a parameter needs a name");
}

static void lists_are_split_at_commas_that_no_backslash_keeps(void **state)
{
    (void)state;
    assert_string_equal(list("foo"), "foo");
    assert_string_equal(list("foo,bar,baz"), "foo|bar|baz");
    assert_string_equal(list("hello\\, world!,x"), "hello, world!|x");
    assert_string_equal(list("\\,\\,"), ",,");
    assert_string_equal(list("\\n,\\\\,a\\"), "\\n|\\|a\\");
    assert_string_equal(list("\\\\\\,"), "\\,");
    assert_string_equal(list("a,,b,"), "a||b|");
    assert_string_equal(list(",b"), "|b");
    assert_string_equal(list(""), "-L x: the list is empty; write the values with commas between them: a,b");
}

static void a_list_has_a_limit(void **state)
{
    (void)state;
    char *text = arena_alloc(&arena, PARAMETERS_MAX + 1);
    memset(text, ',', PARAMETERS_MAX - 1);
    struct parameter_values v;
    assert_int_equal(parameters_list(&arena, "x", text, &v, NULL), TARE_OK);
    assert_int_equal(v.n, PARAMETERS_MAX);
    text[PARAMETERS_MAX - 1] = ',';
    struct tare_err err;
    assert_int_equal(parameters_list(&arena, "x", text, &v, &err), TARE_TOO_LARGE);
    assert_string_equal(err.text, "-L x: more than 100000 values");
}

static void values_are_filled_in_once_and_not_looked_at_again(void **state)
{
    (void)state;
    const struct parameter p[] = {{"foo", "{bar} baz"}, {"bar", "quux"}, {"e", ""}};
    assert_string_equal(parameters_fill(&arena, "echo {foo} {bar}", p, 3), "echo {bar} baz quux");
    assert_string_equal(parameters_fill(&arena, "{{foo}} {bar{bar} {ba} {bar", p, 3), "{{bar} baz} {barquux {ba} {bar");
    assert_string_equal(parameters_fill(&arena, "a{e}b", p, 3), "ab");
    assert_string_equal(parameters_fill(&arena, "{e}", p, 3), "");
    const char *none = "no braces";
    assert_ptr_equal(parameters_fill(&arena, none, p, 3), none);
    assert_true(parameters_used("a {x{foo}", "foo"));
    assert_false(parameters_used("a {fo} {fooo} foo", "foo"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(whole_numbers_are_scanned_in_steps_of_1_unless_told_otherwise, forget),
        cmocka_unit_test_teardown(decimals_are_exact_and_written_as_hyperfine_writes_them, forget),
        cmocka_unit_test_teardown(a_long_decimal_scan_does_not_drift, forget),
        cmocka_unit_test_teardown(what_is_no_plain_decimal_number_is_refused, forget),
        cmocka_unit_test_teardown(ranges_that_make_no_sense_say_what_to_do, forget),
        cmocka_unit_test_teardown(names_are_given_without_braces, forget),
        cmocka_unit_test_teardown(lists_are_split_at_commas_that_no_backslash_keeps, forget),
        cmocka_unit_test_teardown(a_list_has_a_limit, forget),
        cmocka_unit_test_teardown(values_are_filled_in_once_and_not_looked_at_again, forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
