/* SPDX-License-Identifier: MIT */
#include "arena.h"
#include "buf.h"
#include "rng.h"
#include "rng_normal.h"
#include "units.h"
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define assert_formats(expected, ...)                 \
    do {                                              \
        struct buf b_ = BUF_INIT(1 << 16);            \
        buf_format(&b_, __VA_ARGS__);                 \
        assert_string_equal(buf_text(&b_), expected); \
        buf_finish(&b_);                              \
    } while (0)

static void formats_integers_strings_and_widths(void **state)
{
    (void)state;
    assert_formats("-9223372036854775808 18446744073709551615 ff", "%lld %llu %x", (long long)INT64_MIN, ~0ull, 255u);
    assert_formats("[  ab][ab  ][a][007][-07]", "[%4s][%-4s][%.1s][%03d][%03d]", "ab", "ab", "ab", 7, -7);
    assert_formats("[ µs] 100%", "[%3s] 100%%", "µs");
    assert_formats("[+1.5][-1.5][+0][+007][  +3][+0.25]", "[%+.1f][%+.1f][%+d][%+04d][%+4d][%+g]", 1.5, -1.5, 0, 7, 3, 0.25);
    assert_formats("[   1.50]", "[%7.2f]", 1.5);
}

static void shortest_doubles_read_back_and_are_not_longer_than_17_digits(void **state)
{
    (void)state;
    const struct {
        double x;
        const char *text;
    } cases[] = {{0.1, "0.1"},
                 {1, "1"},
                 {1e21, "1e+21"},
                 {1.5e-7, "1.5e-07"},
                 {5e-324, "5e-324"},
                 {0, "0"},
                 {DBL_MAX, "1.7976931348623157e+308"},
                 {DBL_MIN, "2.2250738585072014e-308"},
                 {9007199254740993.0, "9007199254740992"},
                 {123456789012345680.0, "1.2345678901234568e+17"},
                 {-2.5, "-2.5"},
                 {0.0001, "0.0001"},
                 {1e23, "1e+23"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_formats(cases[i].text, "%g", cases[i].x);
    struct rng r = rng_seeded(1);
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = rng_next(&r);
        double x;
        memcpy(&x, &bits, sizeof x);
        if (!isfinite(x))
            continue;
        struct buf b = BUF_INIT(4096);
        buf_format(&b, "%g", x);
        assert_true(strtod(buf_text(&b), NULL) == x);
        char c[512];
        int p = 1;
        do
            snprintf(c, sizeof c, "%.*g", p++, x);
        while (strtod(c, NULL) != x);
        int digits = 0;
        for (const char *s = buf_text(&b); *s && *s != 'e'; s++)
            digits += *s >= '0' && *s <= '9';
        if (strchr(buf_text(&b), 'e'))
            assert_int_equal(digits, p - 1); /* as short as the shortest precision that works */
        buf_finish(&b);
    }
}

static void shortest_doubles_can_be_cut_to_a_number_of_digits(void **state)
{
    (void)state;
    assert_formats("0.00012 1e-18 1 0.35 -0.35 123000 0 inf", "%.2g %.2g %.3g %.2g %.2g %.3g %.2g %.1g", 0.000123456, 9.99e-19,
                   0.99951, 0.345, -0.345, 123456.0, 0.0, INFINITY);
    assert_formats("0.1 0.123456", "%.2g %.6g", 0.1, 0.123456);
}

static void fixed_decimals_agree_with_the_c_library(void **state)
{
    (void)state;
    assert_formats("0.12 0.38 2 4 1000 0 0.00 1", "%.2f %.2f %.0f %.0f %.0f %.0f %.2f %.0f", 0.125, 0.375, 2.5, 3.5, 999.5, 0.5,
                   -0.001, 0.6);
    struct rng r = rng_seeded(2);
    for (int i = 0; i < 20000; i++) {
        double x = ldexp(rng_uniform(&r), (int)rng_below(&r, 120) - 60);
        char expected[512];
        int places = (int)rng_below(&r, 12);
        snprintf(expected, sizeof expected, "%.*f", places, x);
        assert_formats(expected, "%.*f", places, x);
    }
    assert_formats("inf -inf nan", "%f %g %f", INFINITY, -INFINITY, NAN);
}

static void a_full_buffer_is_cut_and_says_so(void **state)
{
    (void)state;
    char room[8];
    struct buf b = buf_over(room, sizeof room);
    buf_str(&b, "0123456789");
    assert_string_equal(room, "0123456");
    assert_int_equal(b.status, TARE_TOO_LARGE);
    struct buf g = BUF_INIT(1000);
    for (int i = 0; i < 1000; i++)
        buf_char(&g, 'x');
    assert_int_equal(g.status, TARE_TOO_LARGE);
    assert_int_equal(g.len, 999);
    buf_finish(&g);
}

static void errors_keep_their_text_and_gain_a_place(void **state)
{
    (void)state;
    struct tare_err err;
    assert_int_equal(err_set(&err, TARE_IO, "cannot open '%s'", "x"), TARE_IO);
    err_prefix(&err, "record");
    assert_string_equal(err.text, "record: cannot open 'x'");
    assert_string_equal(tare_status_text(TARE_NO_MEMORY), "out of memory");
    assert_string_equal(tare_status_name(TARE_NO_MEMORY), "NO_MEMORY");
}

static void errors_say_what_happened_to_names_of_any_length(void **state)
{
    (void)state;
    char name[3000];
    memset(name, 'x', sizeof name);
    memcpy(name + sizeof name - 4, "end", 4);
    struct tare_err err;
    err_set(&err, TARE_IO, "cannot open '%s' for %s: full", name, name);
    assert_true(strlen(err.text) < sizeof err.text - 1);
    assert_int_equal(strncmp(err.text, "cannot open 'xxx", 16), 0);
    assert_non_null(strstr(err.text, "x...x"));
    assert_non_null(strstr(err.text, "xend' for xxx"));
    assert_string_equal(err.text + strlen(err.text) - 9, "end: full");
    err_prefix(&err, name);
    assert_int_equal(strncmp(err.text, "xxx", 3), 0);
    assert_non_null(strstr(err.text, "end: cannot open '"));
    assert_string_equal(err.text + strlen(err.text) - 9, "end: full");
    for (int i = 0; i < 200; i++) /* at each place in a character */
        memcpy(name + 2 * i + 1, "é", 2);
    err_set(&err, TARE_IO, "%s", name);
    assert_null(strstr(err.text, "\xc3."));
    assert_non_null(strstr(err.text, "\xa9..."));
}

/* First outputs of xoshiro256** for state 1 2 3 4, worked out by hand from its definition. */
static void generator_follows_its_definition(void **state)
{
    (void)state;
    struct rng r = {{1, 2, 3, 4}};
    assert_true(rng_next(&r) == 11520);
    assert_true(rng_next(&r) == 0);
    assert_true(rng_next(&r) == 1509978240);
    double sum = 0, squares = 0;
    r = rng_seeded(3);
    for (int i = 0; i < 100000; i++) {
        double x = rng_normal(&r);
        sum += x;
        squares += x * x;
    }
    assert_true(fabs(sum / 100000) < 0.015);        /* 4.7 standard errors */
    assert_true(fabs(squares / 100000 - 1) < 0.02); /* 4.5 standard errors */
}

static void shuffles_give_every_order_equally_often(void **state)
{
    (void)state;
    struct rng r = rng_seeded(4);
    int count[27] = {0};
    for (int i = 0; i < 60000; i++) {
        int items[3] = {0, 1, 2};
        rng_shuffle(&r, items, 3);
        count[items[0] * 9 + items[1] * 3 + items[2]]++;
    }
    int orders = 0;
    for (int i = 0; i < 27; i++)
        if (count[i]) {
            orders++;
            assert_true(abs(count[i] - 10000) < 430); /* 4.7 sd of a binomial */
        }
    assert_int_equal(orders, 6);
}

static void one_is_the_only_singular(void **state)
{
    (void)state;
    assert_formats("0 runs, 1 run, 2 runs", "%d run%s, %d run%s, %d run%s", 0, buf_plural(0), 1, buf_plural(1), 2, buf_plural(2));
    assert_string_equal(buf_plural(-1), "s");
}

static void units_fit_their_values(void **state)
{
    (void)state;
    assert_string_equal(unit_for("ns", 12.3e6).name, "ms");
    assert_string_equal(unit_for("ns", 999999).name, "ms"); /* not 1000.0 µs */
    assert_string_equal(unit_for("bytes", 1100000).name, "MB");
    assert_string_equal(unit_for("1", 5).name, "");
    struct unit u;
    assert_true(unit_named("ns", "us", &u));
    assert_true(u.factor == 1e3);
    assert_false(unit_named("bytes", "ms", &u));
    assert_string_equal(unit_for("ns", 999600).name, "ms"); /* three digits: not 1000 µs */
    assert_string_equal(unit_for("1", 999000).name, "");
    assert_string_equal(unit_for("1/s", 12300).name, "k/s");
}

static void digits_stop_where_the_uncertainty_begins(void **state)
{
    (void)state;
    static const struct {
        double value, uncertainty;
        int decimals;
    } cases[] = {
        {12.3456, 0.0123, 3},
        {12.3456, 0.0399, 3},
        {12.3456, 0.04, 2},
        {12.3456, 0.085, 2},
        {12.3456, 0.0999, 2},
        {12.3456, 0.1, 2},
        {1234, 57, 0},
        {1234, 12, 0},
        {1234, 5.7, 0},
        {1234, 3.9, 1},
        {0.000044, 6e-8, 8},
        {12.3456, 0, 1},
        {12.3456, NAN, 1},
        {12.3456, INFINITY, 1},
        {1.5, 0, 2},
        {99999, 0, 0},
        {9.996, 0, 1}, /* 10.0 */
        {0, 0, 0},
        {NAN, NAN, 0},
        {1, 1e-12, 12},
        {1e-11, 0, 12},
        {2e-14, 0, 0}, /* 0, not 0.000000000000 */
        {-2e-14, NAN, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (figure_decimals(cases[i].value, cases[i].uncertainty) != cases[i].decimals)
            fail_msg("%g with uncertainty %g: %d decimals instead of %d", cases[i].value, cases[i].uncertainty,
                     figure_decimals(cases[i].value, cases[i].uncertainty), cases[i].decimals);
}

static const char *figure(void (*put)(struct buf *, double, int), double value, int decimals)
{
    static char room[512];
    struct buf b = buf_over(room, sizeof room);
    put(&b, value, decimals);
    return room;
}

static void numbers_have_a_real_minus_and_no_negative_zero(void **state)
{
    (void)state;
    assert_string_equal(figure(figure_put, -5.556, 2), "−5.56");
    assert_string_equal(figure(figure_signed, 5.556, 2), "+5.56");
    assert_string_equal(figure(figure_signed, 0.001, 2), "0.00");
    assert_string_equal(figure(figure_signed, -0.001, 2), "0.00");
    assert_string_equal(figure(figure_put, -INFINITY, 2), "−∞");
    assert_string_equal(figure(figure_signed, INFINITY, 2), "+∞");
    assert_string_equal(figure(figure_put, NAN, 2), "?");
    assert_string_equal(figure(figure_signed, DBL_MAX, 12), "+1.798e+308");
}

static void shares_and_counts_are_written_in_one_way(void **state)
{
    (void)state;
    assert_int_equal(figure_apart(5.006, 5, 1), 2); /* at most 5 are allowed */
    assert_int_equal(figure_apart(5.06, 5, 1), 1);
    assert_int_equal(figure_apart(5, 5, 1), 1);
    static const struct {
        void (*put)(struct buf *b, double value);
        double value;
        const char *text;
    } cases[] = {{figure_level, 0.95, "95 %"},
                 {figure_level, 0.07, "7 %"},
                 {figure_level, 0.999, "99.9 %"},
                 {figure_level, 0.0005, "0.05 %"},
                 {figure_share, 0.98312, "98.3 %"},
                 {figure_share, 0.0108, "1.1 %"},
                 {figure_share, 0.00123, "0.12 %"},
                 {figure_share, 1.2e-5, "0.001 %"},
                 {figure_share, -0.0211, "−2.1 %"},
                 {figure_share, 0, "0 %"},
                 {figure_share, 1, "100 %"},
                 {figure_share, 0.9994, "99.9 %"},
                 {figure_share, 0.9995, "99.95 %"},
                 {figure_share, 0.99951, "99.95 %"},
                 {figure_share, 0.99996, "99.996 %"},
                 {figure_share, 0.999989, "99.999 %"},
                 {figure_share, 0.999995, "over 99.999 %"},
                 {figure_share, 1 - 1e-15, "100 %"},
                 {figure_share, 1.234, "123 %"},
                 {figure_share, -0.9996, "−100 %"},
                 {figure_share, 1e-7, "under 0.001 %"},
                 {figure_share_at_most, 0.999995, "≤ 100 %"},
                 {figure_share_at_most, 0.044, "≤ 4.4 %"},
                 {figure_share_at_most, 1e-7, "under 0.001 %"},
                 {figure_duration, 0.2, "0.20 s"},
                 {figure_duration, 41.3, "41 s"},
                 {figure_duration, 754, "13 min"},
                 {figure_duration, 9000, "2.5 h"},
                 {figure_count, 1234, "1234"},
                 {figure_count, 9.25, "9.25"},
                 {figure_count, 213712, "214 k"},
                 {figure_count, 1.2e6, "1.20 M"},
                 {figure_estimated_count, 4400, "4400"},
                 {figure_estimated_count, 44e6, "44 M"},
                 {figure_estimated_count, 1.3e6, "1.3 M"},
                 {figure_tick, -0.05, "−0.05"},
                 {figure_tick, 2e6, "2000000"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char room[64];
        struct buf b = buf_over(room, sizeof room);
        cases[i].put(&b, cases[i].value);
        assert_string_equal(room, cases[i].text);
    }
}

static void figures_carry_their_unit(void **state)
{
    (void)state;
    char room[128];
    struct buf b = buf_over(room, sizeof room);
    figure_scaled(&b, "ns", 12345678, 3);
    buf_char(&b, ';');
    figure_chosen(&b, "bytes", 2500);
    buf_char(&b, ';');
    figure_chosen(&b, "ns", 5);
    buf_char(&b, ';');
    figure_chosen(&b, "ns", 12345e9);
    buf_char(&b, ';');
    figure_chosen(&b, "1", NAN);
    buf_char(&b, ';');
    figure_chosen(&b, "1", -INFINITY);
    buf_char(&b, ';');
    figure_range(&b, 131e6, 178e6, unit_for("ns", 154e6), 0);
    buf_char(&b, ';');
    figure_range(&b, -800, 2600, unit_for("ns", 2600), 1);
    buf_char(&b, ';');
    figure_range(&b, NAN, 2600, unit_for("ns", 2600), 1);
    assert_string_equal(room, "12.3 ms;2.5 kB;5 ns;12345 s;?;−∞ T;131–178;−0.8 to +2.6;");
}

static void ratios_are_written_by_one_convention(void **state)
{
    (void)state;
    static const char *const times[] = {"faster", "slower"}, *const others[] = {"less", "more"};
    static const struct {
        double ratio, low, high;
        const char *const *words;
        const char *text;
    } cases[] = {{0.746, 0.725, 0.763, times, "1.34× faster (1.31–1.38)"},
                 {1.22, 1.15, 1.30, times, "1.22× slower (1.15–1.30)"},
                 {1.031, 1.024, 1.038, times, "3.1 % slower (2.4–3.8)"},
                 {0.969, 0.962, 0.976, times, "3.1 % faster (2.4–3.8)"},
                 {0.1, 0.095, 0.105, others, "10.0× less (9.5–10.5)"},
                 {1.031, NAN, NAN, others, "3.1 % more"},
                 {2, 1, INFINITY, times, "2.00× slower"},
                 {1.01, 0.992, 1.026, NULL, "+1.0 % (−0.8 to +2.6)"},
                 {1.05, 1.0001, 1.1, times, "5.00 % slower (0.01–10.00)"},
                 {0.8, 0.7985, 0.8012, times, "1.250× faster (1.248–1.252)"},
                 {1, 1, 1, NULL, "0 % (0 to 0)"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char room[128];
        struct buf b = buf_over(room, sizeof room);
        figure_ratio(&b, log(cases[i].ratio), log(cases[i].low), log(cases[i].high), cases[i].words);
        assert_string_equal(room, cases[i].text);
    }
}

static void differences_have_a_unit_and_signs(void **state)
{
    (void)state;
    char room[128];
    struct buf b = buf_over(room, sizeof room);
    figure_difference(&b, "bytes", -120e3, -130e3, -110e3);
    buf_str(&b, "; ");
    figure_difference(&b, "1", 3, 1, 5);
    buf_str(&b, "; ");
    figure_difference(&b, "1", 3.5, NAN, NAN);
    assert_string_equal(room, "−120 kB (−130 to −110); +3 (+1 to +5); +3.50");
    buf_clear(&b);
    figure_bounded(&b, "ns", 12.4, 12.1, 12.7);
    buf_str(&b, "; ");
    figure_bounded(&b, "ns", .4, -.2, 1);
    buf_str(&b, "; ");
    figure_bounded(&b, "ns", .4, -INFINITY, 1);
    assert_string_equal(room, "12.4 ns (12.1–12.7); 0.4 ns (−0.2 to +1.0); 0.400 ns");
}

static void a_number_shows_no_more_digits_than_it_has(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{12.345e6, "12.35 ms"}, {999e21, "999000000000000.00 s"}, {-1e300, "−1e+291 s"}, {1.23456e32, "1.235e+23 s"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char room[64];
        struct buf b = buf_over(room, sizeof room);
        figure_with(&b, cases[i].value, unit_for("ns", cases[i].value), 2);
        assert_string_equal(buf_text(&b), cases[i].text);
    }
}

static void arena_memory_is_zeroed_aligned_and_distinct(void **state)
{
    (void)state;
    struct arena a = {0};
    char *small = arena_strdup(&a, "abc");
    char *large = arena_alloc(&a, 1 << 20);
    double *d = arena_array(&a, 10, sizeof *d);
    assert_string_equal(small, "abc");
    assert_true((uintptr_t)d % _Alignof(double) == 0);
    for (int i = 0; i < 1 << 20; i++)
        assert_int_equal(large[i], 0);
    assert_null(arena_array(&a, SIZE_MAX / 2, 4));
    arena_finish(&a);
    arena_finish(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_integers_strings_and_widths),
        cmocka_unit_test(shortest_doubles_read_back_and_are_not_longer_than_17_digits),
        cmocka_unit_test(shortest_doubles_can_be_cut_to_a_number_of_digits),
        cmocka_unit_test(fixed_decimals_agree_with_the_c_library),
        cmocka_unit_test(a_full_buffer_is_cut_and_says_so),
        cmocka_unit_test(errors_keep_their_text_and_gain_a_place),
        cmocka_unit_test(errors_say_what_happened_to_names_of_any_length),
        cmocka_unit_test(generator_follows_its_definition),
        cmocka_unit_test(shuffles_give_every_order_equally_often),
        cmocka_unit_test(one_is_the_only_singular),
        cmocka_unit_test(units_fit_their_values),
        cmocka_unit_test(digits_stop_where_the_uncertainty_begins),
        cmocka_unit_test(numbers_have_a_real_minus_and_no_negative_zero),
        cmocka_unit_test(shares_and_counts_are_written_in_one_way),
        cmocka_unit_test(figures_carry_their_unit),
        cmocka_unit_test(ratios_are_written_by_one_convention),
        cmocka_unit_test(differences_have_a_unit_and_signs),
        cmocka_unit_test(a_number_shows_no_more_digits_than_it_has),
        cmocka_unit_test(arena_memory_is_zeroed_aligned_and_distinct),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
