/* SPDX-License-Identifier: MIT
 *
 * The shift function of pairs and of samples: worked by hand, and where it has no interval. The oracles hold it against its definition.
 */
#include "rng.h"
#include "rng_normal.h"
#include "stats_beyond.h"
#include "stats_test.h"

enum { TWELVE = 12 };
static const double twelve[TWELVE] = {.05, .1, .2, .3, .4, .5, .6, .7, .8, .9, .95, .99};

/* Eleven pairs are the fewest with an interval: it goes to the second differences from the extremes. */
static void the_median_of_eleven_pairs_lies_between_the_differences_of_the_extremes(void **state)
{
    (void)state;
    const double x[] = {5, 1, 9, 2, 8, 3, 7, 4, 6, 11, 10}, y[] = {11, 12, 13, 14, 15, 16, 17, 18, 20, 22, 23};
    double scratch[88];
    struct tare_interval ci[TWELVE];
    assert_int_equal(stats_shift_function(x, y, 11, twelve, TWELVE, .05, 1, scratch, ci), TARE_OK);
    assert_interval(ci[5], 10, 1, 21, 0);
    for (int j = 0; j < TWELVE; j++)
        assert_true(j == 5 || (isinf(ci[j].low) && isinf(ci[j].high) && isfinite(ci[j].point)));
}

/* What both values of a pair share does not widen the interval. */
static void a_drift_of_both_cancels(void **state)
{
    (void)state;
    enum { N = 300 };
    static double x[N], y[N], scratch[8 * N];
    struct rng r = rng_seeded(27);
    for (int i = 0; i < N; i++) {
        x[i] = .01 * i + .01 * rng_normal(&r);
        y[i] = .01 * i + .01 * rng_normal(&r) + .5;
    }
    struct tare_interval ci[TWELVE];
    assert_int_equal(stats_shift_function(x, y, N, twelve, TWELVE, .05, 1, scratch, ci), TARE_OK);
    for (int j = 0; j + 1 < TWELVE; j++)
        assert_true(ci[j].low <= .5 && .5 <= ci[j].high && ci[j].high - ci[j].low < .3); /* of a range of 3 */
}

static void the_smallest_number_of_pairs_is_what_the_header_says(void **state)
{
    (void)state;
    const struct {
        double q;
        int n;
    } rows[] = {{.5, 11}, {.4, 16}, {.6, 16}, {.2, 36}, {.9, 77}, {.99, 803}};
    static double x[803], y[803], scratch[8 * 803];
    struct rng r = rng_seeded(28);
    for (int i = 0; i < 803; i++)
        x[i] = rng_normal(&r), y[i] = rng_normal(&r);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        assert_true(stats_shift_least(rows[k].q, TWELVE, .05, 1, true) == rows[k].n);
        for (int n = rows[k].n - 1; n <= rows[k].n; n++) {
            struct tare_interval ci;
            assert_int_equal(stats_shift_function(x, y, n, &rows[k].q, 1, .05 / TWELVE, 1, scratch, &ci), TARE_OK);
            assert_true(isfinite(ci.low) == (n == rows[k].n) && isfinite(ci.high) == (n == rows[k].n));
        }
    }
    assert_true(stats_shift_least(.5, TWELVE, .05, 1.5, true) > 11);  /* neighbours alike */
    assert_true(isinf(stats_shift_least(.5, TWELVE, .05, 20, true))); /* of 300 pairs that count as four */
    struct tare_interval ci;
    assert_int_equal(stats_shift_function(x, y, 803, &rows[0].q, 1, .05 / TWELVE, 20, scratch, &ci), TARE_OK);
    assert_true(isfinite(ci.point) && isinf(ci.low) && isinf(ci.high));
    assert_true(isnan(stats_shift_least(1, TWELVE, .05, 1, true)) && isnan(stats_shift_least(.5, 0, .05, 1, true)));
}

/* Nine values are the fewest: 1 to 8 of x and 1 to 9 of y may be up to the medians, but 8 of x only with 2 of y or more, and 9 of y with 2 of x. */
static void medians_of_nine_and_ten_values_differ_by_what_order_statistics_do(void **state)
{
    (void)state;
    const double x[] = {5, 1, 9, 2, 8, 3, 7, 4, 6}, y[] = {40, 20, 30, 60, 70, 80, 90, 50, 10, 100};
    double scratch[80];
    struct tare_interval ci[TWELVE];
    assert_int_equal(stats_shift_function_of_samples(x, 9, y, 10, twelve, TWELVE, .05, 1, scratch, ci), TARE_OK);
    assert_interval(ci[5], 50, 10 - 8, 100 - 2, 0);
    for (int j = 0; j < TWELVE; j++)
        assert_true(j == 5 || (isinf(ci[j].low) && isinf(ci[j].high) && isfinite(ci[j].point)));
    assert_true(stats_shift_least(.5, TWELVE, .05, 1, false) == 9);
}

static void the_smallest_samples_are_what_the_header_says(void **state)
{
    (void)state;
    const struct {
        double q;
        int n;
    } rows[] = {{.5, 9}, {.4, 13}, {.6, 13}, {.2, 28}, {.9, 59}, {.99, 615}};
    static double x[900], y[900], scratch[8 * 900];
    struct rng r = rng_seeded(29);
    for (int i = 0; i < 900; i++)
        x[i] = rng_normal(&r), y[i] = rng_normal(&r);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        assert_true(stats_shift_least(rows[k].q, TWELVE, .05, 1, false) == rows[k].n);
        for (int n = rows[k].n - 1; n <= rows[k].n; n++)
            for (int side = 0; side < 2; side++) { /* the smaller sample decides */
                struct tare_interval ci;
                const ptrdiff_t sizes[2] = {side ? 900 : n, side ? n : 900};
                assert_int_equal(
                    stats_shift_function_of_samples(x, sizes[0], y, sizes[1], &rows[k].q, 1, .05 / TWELVE, 1, scratch, &ci),
                    TARE_OK);
                assert_true((isfinite(ci.low) && isfinite(ci.high)) == (n == rows[k].n));
            }
    }
}

static void ties_and_constants_have_their_interval(void **state)
{
    (void)state;
    double x[30], y[30], scratch[240];
    struct tare_interval ci[TWELVE];
    for (int i = 0; i < 30; i++)
        x[i] = 4, y[i] = 6;
    assert_int_equal(stats_shift_function(x, y, 30, twelve, TWELVE, .05, 1, scratch, ci), TARE_OK);
    assert_interval(ci[5], 2, 2, 2, 0);
    for (int i = 0; i < 30; i++)
        x[i] = i % 3, y[i] = i % 3 + i % 2;
    assert_int_equal(stats_shift_function(x, y, 30, twelve, TWELVE, .05, 1, scratch, ci), TARE_OK);
    for (int j = 2; j < 9; j++)
        assert_true(ci[j].low <= ci[j].point && ci[j].point <= ci[j].high);
    for (int i = 0; i < 30; i++)
        x[i] = 4, y[i] = 6;
    assert_int_equal(stats_shift_function_of_samples(x, 20, y, 30, twelve, TWELVE, .05, 1, scratch, ci), TARE_OK);
    assert_interval(ci[5], 2, 2, 2, 0);
}

static void shift_functions_without_a_value(void **state)
{
    (void)state;
    const double x[] = {1, 2}, bad[] = {1, NAN}, q[] = {.5}, no_q[] = {1};
    double scratch[16];
    struct tare_interval ci;
    assert_int_equal(stats_shift_function(x, x, 0, q, 1, .05, 1, NULL, &ci), TARE_OK);
    assert_true(isnan(ci.point) && isinf(ci.low) && isinf(ci.high));
    assert_int_equal(stats_shift_function(x, x, 1, q, 1, .05, 1, scratch, &ci), TARE_OK);
    assert_true(ci.point == 0 && isinf(ci.low) && isinf(ci.high));
    assert_int_equal(stats_shift_function(x, bad, 2, q, 1, .05, 1, scratch, &ci), TARE_INVALID);
    assert_int_equal(stats_shift_function(x, x, 2, no_q, 1, .05, 1, scratch, &ci), TARE_INVALID);
    assert_int_equal(stats_shift_function(x, x, 2, q, 1, 1, 1, scratch, &ci), TARE_INVALID);
    assert_int_equal(stats_shift_function(x, x, 2, q, 1, .05, .5, scratch, &ci), TARE_INVALID);
    assert_int_equal(stats_shift_function_of_samples(x, 2, x, 0, q, 1, .05, 1, NULL, &ci), TARE_OK);
    assert_true(isnan(ci.point) && isinf(ci.low) && isinf(ci.high));
    assert_int_equal(stats_shift_function_of_samples(x, 1, bad, 2, q, 1, .05, 1, scratch, &ci), TARE_INVALID);
}

int shift_function_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_median_of_eleven_pairs_lies_between_the_differences_of_the_extremes),
        cmocka_unit_test(a_drift_of_both_cancels),
        cmocka_unit_test(the_smallest_number_of_pairs_is_what_the_header_says),
        cmocka_unit_test(medians_of_nine_and_ten_values_differ_by_what_order_statistics_do),
        cmocka_unit_test(the_smallest_samples_are_what_the_header_says),
        cmocka_unit_test(ties_and_constants_have_their_interval),
        cmocka_unit_test(shift_functions_without_a_value),
    };
    return cmocka_run_group_tests_name("shift function", tests, NULL, NULL);
}
