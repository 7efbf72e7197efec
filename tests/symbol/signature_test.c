/* SPDX-License-Identifier: MIT
 *
 * What a signature says, and what is none.
 */
#include "signature.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct signature good(const char *text)
{
    struct signature s;
    struct tare_err err = {{0}};
    if (signature_read(text, &s, &err))
        fail_msg("%s is refused: %s", text, err.text);
    return s;
}

static void a_comparison_is_two_halves_and_a_length(void **state)
{
    (void)state;
    struct signature s = good("libc.so.6:memcmp(in:32,in:32,len)");
    assert_int_equal(s.library_size, strlen("libc.so.6"));
    assert_memory_equal(s.symbol, "memcmp", s.symbol_size);
    assert_int_equal(s.symbol_size, 6);
    assert_int_equal(s.n, 3);
    assert_true(s.halves);
    assert_int_equal(s.input_bytes, 64);
    assert_int_equal(s.secret_bytes, 64);
    assert_int_equal(s.args[1].at, 32);
    assert_int_equal(s.args[2].number, 32);
    assert_int_equal(s.args[2].kind, ARG_NUMBER);
    assert_true(s.result_mask == UINT32_MAX);
}

static void secret_parts_come_before_public_ones(void **state)
{
    (void)state;
    struct signature s = good("/usr/lib/x:y.so:f(out:10,public:16,in:8,u16,0x1F,null)->u64");
    assert_int_equal(s.library_size, strlen("/usr/lib/x:y.so"));
    assert_int_equal(s.args[0].kind, ARG_OUT);
    assert_int_equal(s.out_bytes, 64);
    assert_int_equal(s.args[2].at, 0);
    assert_int_equal(s.args[3].at, 8);
    assert_int_equal(s.args[3].bytes, 2);
    assert_int_equal(s.args[1].at, 10);
    assert_int_equal(s.secret_bytes, 10);
    assert_int_equal(s.input_bytes, 26);
    assert_int_equal(s.args[4].number, 31);
    assert_true(s.args[5].number == 0 && s.result_mask == UINT64_MAX && !s.halves);
}

static void a_function_without_a_result_has_none(void **state)
{
    (void)state;
    assert_true(good("l:f(in:1)->void").result_mask == 0);
    assert_true(good("l:f(u8)").result_mask == UINT32_MAX);
}

static void what_is_no_signature_is_refused_with_its_place(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      "memcmp",
                                      "memcmp(in:1)",
                                      ":f(in:1)",
                                      "l:(in:1)",
                                      "l:f",
                                      "l:f(",
                                      "l:f()",
                                      "l:f(in:0)",
                                      "l:f(in:)",
                                      "l:f(in:16777217)",
                                      "l:f(in:16777216,in:1)",
                                      "l:f(in:1",
                                      "l:f(in:1,)",
                                      "l:f(in:1))",
                                      "l:f(len,in:1)",
                                      "l:f(public:8)",
                                      "l:f(in:1)->float",
                                      "l:f(in:1)->",
                                      "l:f(in:1) ",
                                      "l:f(u128)",
                                      "l:f(in:1,18446744073709551616)",
                                      "l:f(in:1,1,2,3,4,5,6)"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct signature s;
        struct tare_err err = {{0}};
        if (signature_read(bad[i], &s, &err) != TARE_INVALID || !err.text[0])
            fail_msg("\"%s\" is taken for a signature, or refused without a word", bad[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_comparison_is_two_halves_and_a_length),
        cmocka_unit_test(secret_parts_come_before_public_ones),
        cmocka_unit_test(a_function_without_a_result_has_none),
        cmocka_unit_test(what_is_no_signature_is_refused_with_its_place),
    };
    return cmocka_run_group_tests_name("signature", tests, NULL, NULL);
}
