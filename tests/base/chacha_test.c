/* SPDX-License-Identifier: MIT
 *
 * The cipher against the vector of RFC 8439, 2.3.2; the stream against itself and against chance.
 */
#include "chacha.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void a_block_is_that_of_the_standard(void **state)
{
    (void)state;
    static const uint32_t in[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, 0x03020100, 0x07060504,
                                    0x0b0a0908, 0x0f0e0d0c, 0x13121110, 0x17161514, 0x1b1a1918, 0x1f1e1d1c,
                                    0x00000001, 0x09000000, 0x4a000000, 0x00000000};
    static const uint32_t expected[16] = {0xe4e7f110, 0x15593bd1, 0x1fdd0f50, 0xc47120a3, 0xc7f4d1c7, 0x0368c033,
                                          0x9aaa2204, 0x4e6cd4c3, 0x466482d2, 0x09aa9f07, 0x05d7c214, 0xa2028bd9,
                                          0xd19c12b5, 0xb94e16de, 0xe883d0cb, 0x4e3c50a2};
    uint32_t out[16];
    chacha_block(in, out);
    for (int i = 0; i < 16; i++)
        assert_int_equal(out[i], expected[i]);
}

static void a_seed_gives_one_stream(void **state)
{
    (void)state;
    struct chacha a = chacha_seeded(7), b = chacha_seeded(7), c = chacha_seeded(8);
    int differ = 0;
    for (int i = 0; i < 100; i++) {
        uint32_t x = chacha_next(&a);
        assert_int_equal(x, chacha_next(&b));
        differ += x != chacha_next(&c);
    }
    assert_true(differ > 90);
}

/* 5 standard deviations of a fair coin. */
static void bits_are_fair(void **state)
{
    (void)state;
    enum { N = 1 << 16 };
    struct chacha c = chacha_seeded(1);
    long ones = 0;
    for (int i = 0; i < N; i++)
        ones += chacha_bit(&c);
    long off = ones - N / 2;
    if (off * off > 25L * N / 4)
        fail_msg("%ld of %d bits are set", ones, N);
}

/* Chi-squared with 23 degrees: 1 in a million lies above 70.5 or so; the seed is fixed. */
static void every_order_is_as_likely(void **state)
{
    (void)state;
    enum { N = 24000, ORDERS = 24 };
    struct chacha c = chacha_seeded(2);
    int seen[256] = {0}, kinds = 0;
    double chi = 0;
    for (int i = 0; i < N; i++) {
        uint8_t items[4] = {0, 1, 2, 3};
        chacha_shuffle(&c, items, 4);
        seen[items[0] | items[1] << 2 | items[2] << 4 | items[3] << 6]++;
    }
    for (int i = 0; i < 256; i++) {
        double off = seen[i] - (double)N / ORDERS;
        kinds += seen[i] > 0;
        chi += seen[i] ? off * off / ((double)N / ORDERS) : 0;
    }
    assert_int_equal(kinds, ORDERS);
    if (chi > 70.5)
        fail_msg("chi-squared of the orders is %g", chi);
}

static void values_below_a_limit_stay_below_and_reach_all(void **state)
{
    (void)state;
    struct chacha c = chacha_seeded(3);
    unsigned seen = 0;
    for (int i = 0; i < 1000; i++) {
        uint32_t v = chacha_below(&c, 5);
        assert_true(v < 5);
        seen |= 1u << v;
    }
    assert_int_equal(seen, 31);
    assert_int_equal(chacha_below(&c, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_is_that_of_the_standard),
        cmocka_unit_test(a_seed_gives_one_stream),
        cmocka_unit_test(bits_are_fair),
        cmocka_unit_test(every_order_is_as_likely),
        cmocka_unit_test(values_below_a_limit_stay_below_and_reach_all),
    };
    return cmocka_run_group_tests_name("chacha", tests, NULL, NULL);
}
