/* SPDX-License-Identifier: MIT
 *
 * Poisson rates. The limits for 0, 1, 10 and 100 events are those of any table of Garwood's intervals; the others follow from sums of the law itself.
 */
#include "stats_beyond.h"
#include "stats_test.h"

static void limits_are_those_of_the_tables(void **state)
{
    (void)state;
    const struct {
        ptrdiff_t k;
        double low, high;
    } rows[] = {{0, 0, 3.6888794541},
                {1, 0.0253178080, 5.5716433909},
                {10, 4.7953886961, 18.3903560420},
                {100, 81.3639912509, 121.6267937924}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tare_interval ci;
        assert_int_equal(stats_rate_ci_garwood(rows[i].k, 1, .05, &ci), TARE_OK);
        assert_interval(ci, (double)rows[i].k, rows[i].low, rows[i].high, 1e-9);
        assert_int_equal(stats_rate_ci_garwood(rows[i].k, 4, .05, &ci), TARE_OK);
        assert_interval(ci, (double)rows[i].k / 4, rows[i].low / 4, rows[i].high / 4, 1e-9);
    }
}

/* P(N <= k), N Poisson, as the plain sum of the law from its term at k down. */
static double summed(ptrdiff_t k, double mean)
{
    double term = exp((double)k * log(mean) - mean - lgamma((double)k + 1)), sum = 0;
    for (; k >= 0 && term > sum * 1e-18; term *= (double)k-- / mean)
        sum += term;
    return sum;
}

static void limits_are_where_the_tails_are_half_the_level(void **state)
{
    (void)state;
    const ptrdiff_t counts[] = {1, 2, 7, 50, 999, 100000, 10000000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct tare_interval ci;
        ptrdiff_t k = counts[i];
        stats_rate_ci_garwood(k, 1, .01, &ci);
        assert_close(summed(k, ci.high), .005, 1e-6);
        assert_near(summed(k - 1, ci.low), .995, 1e-6);
    }
}

static void bad_arguments_give_no_interval(void **state)
{
    (void)state;
    struct tare_interval ci;
    assert_int_equal(stats_rate_ci_garwood(-1, 1, .05, &ci), TARE_INVALID);
    assert_int_equal(stats_rate_ci_garwood(1, 0, .05, &ci), TARE_INVALID);
    assert_int_equal(stats_rate_ci_garwood(1, INFINITY, .05, &ci), TARE_INVALID);
    assert_int_equal(stats_rate_ci_garwood(1, 1, 1, &ci), TARE_INVALID);
    assert_true(isnan(ci.point) && ci.low == -INFINITY && ci.high == INFINITY);
}

static void a_rise_is_judged_by_the_binomial_law(void **state)
{
    (void)state;
    assert_close(stats_rates_rose_p(0, 1, 5, 1), 1.0 / 32, 1e-12);
    assert_close(stats_rates_rose_p(1, 1, 4, 1), 6.0 / 32, 1e-12);
    assert_close(stats_rates_rose_p(0, 1, 2, 3), 9.0 / 16, 1e-12); /* three times the time */
    assert_true(stats_rates_rose_p(0, 1, 0, 1) == 1);
    assert_true(stats_rates_rose_p(50, 1, 10, 1) > .99);
    assert_true(isnan(stats_rates_rose_p(-1, 1, 1, 1)) && isnan(stats_rates_rose_p(1, 0, 1, 1)) &&
                isnan(stats_rates_rose_p(1, 1, 1, NAN)));
}

int rates_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_those_of_the_tables),
        cmocka_unit_test(limits_are_where_the_tails_are_half_the_level),
        cmocka_unit_test(bad_arguments_give_no_interval),
        cmocka_unit_test(a_rise_is_judged_by_the_binomial_law),
    };
    return cmocka_run_group_tests_name("rates", tests, NULL, NULL);
}
