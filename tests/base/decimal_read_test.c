/* SPDX-License-Identifier: MIT */
#include "buf.h"
#include "decimal_read.h"
#include "rng.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* To the last bit, the sign of 0 too. */
static void assert_as_strtod(const char *text)
{
    double mine = 42, theirs = strtod(text, NULL);
    if (!decimal_read(text, strlen(text), &mine))
        fail_msg("'%s' was refused", text);
    if (memcmp(&mine, &theirs, sizeof mine) != 0)
        fail_msg("'%s' is %a, and strtod has %a", text, mine, theirs);
}

static void assert_refuses(const char *text)
{
    double value = 42;
    if (decimal_read(text, strlen(text), &value) || value != 42)
        fail_msg("'%s' is %g", text, value);
}

static void numbers_of_every_form_are_those_of_strtod(void **state)
{
    (void)state;
    static const char *const texts[] = {"0",
                                        "-0",
                                        "+1",
                                        "1.",
                                        ".5",
                                        "00012.500",
                                        "1e3",
                                        "1E+3",
                                        "1.5e-7",
                                        "0e99999999999",
                                        "0.000000000000000000000000000000000000001e30",
                                        "123456789.123456789",
                                        "9007199254740992",
                                        "9007199254740993",
                                        "9007199254740992e22",
                                        "9007199254740993e22",
                                        "1e22",
                                        "1e23",
                                        "1e-22",
                                        "1e-23",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "99999999999999999999999999",
                                        "0.1",
                                        "2.2250738585072011e-308",
                                        "4.9e-324",
                                        "2.4e-324",
                                        "1.7976931348623157e308",
                                        "1.7976931348623159e308",
                                        "1e999",
                                        "-1e999",
                                        "1e-999",
                                        "1e-99999999999999999999"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_as_strtod(texts[i]);
}

static void what_is_no_decimal_number_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"",    "+",   "-",   ".",   "-.",  "e5", "1e",    "1e+",  "1e1.5", " 1", "1 ",
                                        "1,5", "0x1", "inf", "nan", "--1", "1-", "1.2.3", "1e5e", "1_000", "1f"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_refuses(texts[i]);
    char longer[DECIMAL_TEXT_MAX + 2];
    memset(longer, '1', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    assert_refuses(longer);
    longer[DECIMAL_TEXT_MAX] = 0;
    assert_as_strtod(longer);
}

static void nothing_beyond_the_end_is_read(void **state)
{
    (void)state;
    double value;
    assert_true(decimal_read("1234", 2, &value));
    assert_true(value == 12);
    assert_true(decimal_read("1.5e77", 3, &value));
    assert_true(value == 1.5);
    assert_false(decimal_read("1.5e7", 4, &value));
}

static void random_numbers_are_those_of_strtod(void **state)
{
    (void)state;
    enum { MANY = 300000 };
    struct rng rng = rng_seeded(11);
    for (int i = 0; i < MANY; i++) {
        char text[128];
        struct buf b = buf_over(text, sizeof text);
        int whole = (int)rng_below(&rng, 24), part = (int)rng_below(&rng, 24);
        if (rng_below(&rng, 4) == 0)
            buf_char(&b, rng_below(&rng, 2) ? '-' : '+');
        for (int d = 0; d <= whole; d++)
            buf_char(&b, (char)('0' + rng_below(&rng, 10)));
        if (rng_below(&rng, 2))
            buf_char(&b, '.');
        else
            part = 0;
        for (int d = 0; d < part; d++)
            buf_char(&b, (char)('0' + rng_below(&rng, 10)));
        if (rng_below(&rng, 2))
            buf_format(&b, "e%d", (int)rng_below(&rng, rng_below(&rng, 2) ? 60 : 700) - (int)rng_below(&rng, 350));
        assert_as_strtod(buf_text(&b));
    }
}

/* Every double that is written as our files have it reads back to itself. */
static void what_buf_writes_reads_back(void **state)
{
    (void)state;
    enum { MANY = 20000 };
    struct rng rng = rng_seeded(12);
    for (int i = 0; i < MANY; i++) {
        char text[64];
        struct buf b = buf_over(text, sizeof text);
        uint64_t bits = rng_next(&rng) & ~(UINT64_C(1) << 62); /* finite */
        double value, back = 0;
        memcpy(&value, &bits, sizeof value);
        buf_format(&b, "%g", value);
        assert_true(decimal_read(text, b.len, &back));
        if (memcmp(&value, &back, sizeof value) != 0)
            fail_msg("'%s' is %a, not %a", text, back, value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_every_form_are_those_of_strtod), cmocka_unit_test(what_is_no_decimal_number_is_refused),
        cmocka_unit_test(nothing_beyond_the_end_is_read), cmocka_unit_test(random_numbers_are_those_of_strtod),
        cmocka_unit_test(what_buf_writes_reads_back)};
    return cmocka_run_group_tests_name("decimal_read", tests, NULL, NULL);
}
