/* SPDX-License-Identifier: MIT
 *
 * Poisson rates. The limits for 0, 1, 10 and 100 events are those of any table of Garwood's intervals; the others follow from sums of the law itself.
 */
#include "stats_rates.h"
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

/* P(N <= k) as the plain sum of the law, which is exact enough for small means. */
static double summed(ptrdiff_t k, double mean)
{
    double term = exp(-mean), sum = 0;
    for (ptrdiff_t i = 0; i <= k; term *= mean / (double)++i)
        sum += term;
    return sum;
}

static void the_law_is_its_sum(void **state)
{
    (void)state;
    const double means[] = {1e-9, .1, 1, 3.5, 20, 200};
    for (size_t m = 0; m < sizeof means / sizeof *means; m++)
        for (ptrdiff_t k = 0; k < 260; k += k < 10 ? 1 : 17)
            assert_close(stats_poisson_cdf(k, means[m]), summed(k, means[m]), 1e-11);
    assert_close(stats_poisson_cdf(0, 700), exp(-700), 1e-12);
    assert_true(stats_poisson_cdf(-1, 3) == 0);
    assert_true(stats_poisson_cdf(5, 0) == 1);
    assert_true(isnan(stats_poisson_cdf(3, -1)) && isnan(stats_poisson_cdf(3, NAN)) && isnan(stats_poisson_cdf(3, INFINITY)));
}

static void limits_are_where_the_tails_are_half_the_level(void **state)
{
    (void)state;
    const ptrdiff_t counts[] = {1, 2, 7, 50, 999, 100000, 10000000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct tare_interval ci;
        ptrdiff_t k = counts[i];
        stats_rate_ci_garwood(k, 1, .01, &ci);
        assert_close(stats_poisson_cdf(k, ci.high), .005, 1e-6);
        assert_near(stats_poisson_cdf(k - 1, ci.low), .995, 1e-8);
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
        cmocka_unit_test(the_law_is_its_sum),
        cmocka_unit_test(limits_are_where_the_tails_are_half_the_level),
        cmocka_unit_test(bad_arguments_give_no_interval),
        cmocka_unit_test(a_rise_is_judged_by_the_binomial_law),
    };
    return cmocka_run_group_tests_name("rates", tests, NULL, NULL);
}
