/* SPDX-License-Identifier: MIT
 *
 * E-values and confidence sequences: against exhaustive sums over all outcomes, independent computations, and the edges.
 */
#include "rng.h"
#include "stats_test.h"
#include <float.h>

/* ---- e-values ---- */

/* ln of the average over a in {.5, 20, 800, 30000} of 2^n B(h + a, t + a) / B(a, a), computed with 40 digits. */
static void coin_against_forty_digits(void **state)
{
    (void)state;
    assert_near(tare_log_e_coin(1, 0), 0, 1e-14);
    assert_close(tare_log_e_coin(7, 3), -.1019202438044223464, 1e-12);
    assert_close(tare_log_e_coin(600, 400), 16.594098329258994995, 1e-13);
    assert_close(tare_log_e_coin(1e6, 1e6), -2.976222247172566701, 1e-11);
    assert_close(tare_log_e_coin(510000, 490000), 195.30485685894083521, 1e-12);
    assert_close(tare_log_e_coin(1e12, 1e12), -9.8715399873049401025, 1e-11);
}

/* Under the null the expectation is exactly 1: summed over all 2^n sequences of tosses. */
static void expectation_over_all_tosses_is_one(void **state)
{
    (void)state;
    for (int n = 1; n <= 60; n++) {
        double expectation = 0, ways = 1; /* C(n, h) */
        for (int h = 0; h <= n; h++) {
            expectation += ways * exp(tare_log_e_coin(h, n - h) - n * log(2));
            ways = ways * (n - h) / (h + 1);
        }
        assert_close(expectation, 1, 1e-12);
    }
}

static void heads_and_tails_are_alike_and_evidence_grows_with_imbalance(void **state)
{
    (void)state;
    for (int h = 0; h <= 200; h++) {
        assert_true(tare_log_e_coin(h, 200 - h) == tare_log_e_coin(200 - h, h));
        if (h > 100)
            assert_true(tare_log_e_coin(h, 200 - h) > tare_log_e_coin(h - 1, 201 - h));
    }
}

/* For all sign patterns of given magnitudes the mean is at most 1, and the evidence is that of numerical integration over the bet. */
static void expectation_over_all_signs_is_at_most_one(void **state)
{
    (void)state;
    const double x[] = {1, 1, 2, .1, 5, 3, 3, 40, .7, 1.5, 2.2, 9};
    enum { N = sizeof x / sizeof *x };
    double expectation = 0, v = 0;
    for (int i = 0; i < N; i++)
        v += x[i] * x[i];
    for (int signs = 0; signs < 1 << N; signs++) {
        double s = 0;
        for (int i = 0; i < N; i++)
            s += signs >> i & 1 ? x[i] : -x[i];
        expectation += exp(tare_log_e_symmetric(s, v, .001)) / (1 << N);
    }
    assert_true(expectation <= 1);
    assert_true(expectation > .2);
}

static double integrated(double s, double v, double scale)
{
    const double strongest[] = {1e3, 3e4, 1e6};
    double total = 0;
    for (int k = 0; k < 3; k++) {
        double sd = sqrt(1 / (scale * strongest[k])), sum = 0, step = sd / 2000;
        for (double l = -12 * sd; l <= 12 * sd; l += step)
            sum += exp(l * s - l * l * v / 2 - l * l / (2 * sd * sd)) * step;
        total += sum / (sd * sqrt(2 * 3.14159265358979323846)) / 3;
    }
    return log(total);
}

static void symmetric_is_the_integral_over_its_bets(void **state)
{
    (void)state;
    assert_close(tare_log_e_symmetric(30, 900, 1), integrated(30, 900, 1), 1e-9);
    assert_close(tare_log_e_symmetric(-400, 20000, 3), integrated(-400, 20000, 3), 1e-9);
    assert_close(tare_log_e_symmetric(0, 5e6, 2), integrated(0, 5e6, 2), 1e-9);
}

static void symmetric_does_not_care_about_the_unit(void **state)
{
    (void)state;
    assert_close(tare_log_e_symmetric(3e9, 9e22, 1e14), tare_log_e_symmetric(3e3, 9e10, 1e2), 1e-12);
}

static void averages_of_e_values(void **state)
{
    (void)state;
    const double far[] = {1000, -1000, 1000}, none[] = {-INFINITY, -INFINITY}, bad[] = {0, NAN};
    assert_close(tare_log_mean_exp(far, 3), 1000 + log(2. / 3), 1e-15);
    assert_true(tare_log_mean_exp(none, 2) == -INFINITY);
    assert_true(tare_log_mean_exp(none, 0) == -INFINITY);
    assert_true(isnan(tare_log_mean_exp(bad, 2)));
}

/* Wang and Ramdas: the k-th largest must reach n / (k alpha). */
static void e_bh_rejects_the_largest_that_qualify(void **state)
{
    (void)state;
    const double e[] = {0, log(250), log(20), log(30), log(1e6)}; /* to be reached: 100, 50, 33.3, 25, 20 */
    bool rejected[5];
    double scratch[5];
    assert_int_equal(tare_e_bh(e, 5, .05, rejected, scratch), 2);
    assert_true(!rejected[0] && rejected[1] && !rejected[2] && !rejected[3] && rejected[4]);
    const double step_up[] = {log(26), log(26), log(26), log(26), 0}; /* the fourth qualifies, and takes the others along */
    assert_int_equal(tare_e_bh(step_up, 5, .05, rejected, scratch), 4);
}

static void e_values_refuse_what_has_no_meaning(void **state)
{
    (void)state;
    double scratch[2], bad[] = {0, NAN};
    bool rejected[2];
    assert_true(tare_log_e_coin(0, 0) == 0);
    assert_true(isnan(tare_log_e_coin(-1, 3)) && isnan(tare_log_e_coin(NAN, 3)) && isnan(tare_log_e_coin(INFINITY, 3)));
    assert_true(tare_log_e_symmetric(0, 0, 1) == 0);
    assert_true(isnan(tare_log_e_symmetric(0, -1, 1)) && isnan(tare_log_e_symmetric(0, 1, 0)) &&
                isnan(tare_log_e_symmetric(NAN, 1, 1)));
    assert_int_equal(tare_e_bh(bad, 2, .05, rejected, scratch), -1);
    assert_int_equal(tare_e_bh(bad, 1, 0, rejected, scratch), -1);
    assert_int_equal(tare_e_bh(bad, 0, .05, rejected, scratch), 0);
}

/* ---- confidence sequences ---- */

static void asymptotic_radius_by_hand(void **state)
{
    (void)state;
    struct tare_interval i;
    assert_int_equal(tare_mean_cs_asymptotic(10, 1, 1000, 1000, .01, &i), TARE_OK);
    assert_interval(i, 10, 10 - .11294485667271462, 10 + .11294485667271462, 1e-13);
    assert_int_equal(tare_mean_cs_asymptotic(0, 2, 50, 1000, .05, &i), TARE_OK);
    assert_interval(i, 0, -1.3346763427155368, 1.3346763427155368, 1e-13);
    assert_int_equal(tare_mean_cs_asymptotic(4, 0, 1, 10, .05, &i), TARE_OK);
    assert_true(i.point == 4 && isinf(i.low) && isinf(i.high));
    assert_int_equal(tare_mean_cs_asymptotic(0, -1, 5, 10, .05, &i), TARE_INVALID);
    assert_int_equal(tare_mean_cs_asymptotic(0, 1, 5, 0, .05, &i), TARE_INVALID);
}

/* Narrowest relative to the fixed-n interval near n_tight. */
static void asymptotic_is_tight_where_asked(void **state)
{
    (void)state;
    struct tare_interval early, there, late;
    tare_mean_cs_asymptotic(0, 1, 1000, 100, .05, &early);
    tare_mean_cs_asymptotic(0, 1, 1000, 1000, .05, &there);
    tare_mean_cs_asymptotic(0, 1, 1000, 10000, .05, &late);
    assert_true(there.high < early.high && there.high < late.high);
}

int anytime_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coin_against_forty_digits),
        cmocka_unit_test(expectation_over_all_tosses_is_one),
        cmocka_unit_test(heads_and_tails_are_alike_and_evidence_grows_with_imbalance),
        cmocka_unit_test(expectation_over_all_signs_is_at_most_one),
        cmocka_unit_test(symmetric_is_the_integral_over_its_bets),
        cmocka_unit_test(symmetric_does_not_care_about_the_unit),
        cmocka_unit_test(averages_of_e_values),
        cmocka_unit_test(e_bh_rejects_the_largest_that_qualify),
        cmocka_unit_test(e_values_refuse_what_has_no_meaning),
        cmocka_unit_test(asymptotic_radius_by_hand),
        cmocka_unit_test(asymptotic_is_tight_where_asked),
    };
    return cmocka_run_group_tests_name("anytime", tests, NULL, NULL);
}
