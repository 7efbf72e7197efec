/* SPDX-License-Identifier: MIT
 *
 * The shift function of pairs: worked by hand, against the definition, and where it has no interval.
 */
#include "rng.h"
#include "stats_shift.h"
#include "stats_test.h"
#include <float.h>

enum { MOST = 40, TWELVE = 12 };
static const double twelve[TWELVE] = {.05, .1, .2, .3, .4, .5, .6, .7, .8, .9, .95, .99};

/* ---- by the definition: all values of one shift together, sorted, and the pairs counted ---- */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double two_sided(int fewer, int n)
{
    double p = 0, term = pow(.5, n);
    for (int k = 0; k <= fewer; k++, term *= (double)(n - k + 1) / k)
        p += term;
    return fmin(2 * p, 1);
}

static double p_of_shift(const double *x, const double *y, int n, double q, double d)
{
    double all[2 * MOST];
    int x_alone = 0, y_alone = 0, m = (int)(q > .5 ? 2 * n - floor(2 * (1 - q) * n + .5) : floor(2 * q * n + .5));
    for (int i = 0; i < n; i++)
        all[2 * i] = x[i], all[2 * i + 1] = y[i] - d;
    qsort(all, 2 * (size_t)n, sizeof *all, compare);
    for (int i = 0; i < n; i++) {
        const bool x_in = x[i] <= all[m - 1], y_in = y[i] - d <= all[m - 1];
        x_alone += x_in && !y_in;
        y_alone += y_in && !x_in;
    }
    return two_sided(x_alone < y_alone ? x_alone : y_alone, x_alone + y_alone);
}

/* The hull of all shifts that are not rejected: between the differences y_j - x_i, at which alone anything changes, and beyond them. */
static void by_definition(const double *x, const double *y, int n, double q, double level, double *low, double *high)
{
    double at[MOST * MOST];
    int places = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            at[places++] = y[j] - x[i];
    qsort(at, (size_t)places, sizeof *at, compare);
    *low = p_of_shift(x, y, n, q, at[0] - 1) > level ? -INFINITY : NAN;
    *high = p_of_shift(x, y, n, q, at[places - 1] + 1) > level ? INFINITY : NAN;
    for (int i = 0; i + 1 < places; i++) {
        if (!(p_of_shift(x, y, n, q, at[i] / 2 + at[i + 1] / 2) > level))
            continue;
        *low = isnan(*low) ? at[i] : *low;
        *high = isinf(*high) ? *high : at[i + 1];
    }
}

static void intervals_are_the_shifts_that_the_definition_accepts(void **state)
{
    (void)state;
    struct rng r = rng_seeded(26);
    double x[MOST], y[MOST], scratch[8 * MOST];
    for (int set = 0; set < 60; set++) {
        const int n = 8 + set % (MOST - 8);
        const double shared = set % 3 / 2.; /* of both values of a pair */
        for (int i = 0; i < n; i++) {
            const double common = 3 * shared * rng_normal(&r);
            x[i] = common + rng_normal(&r);
            y[i] = 1 + common + (1 + set % 2) * rng_normal(&r);
        }
        const double q[] = {.1, .25, .5, .8};
        struct tare_interval ci[4];
        assert_int_equal(stats_shift_function(x, y, n, q, 4, .2, 1, scratch, ci), TARE_OK);
        for (int k = 0; k < 4; k++) {
            double low, high;
            by_definition(x, y, n, q[k], .2 / 4, &low, &high);
            assert_near(ci[k].low, low, 1e-12);
            assert_near(ci[k].high, high, 1e-12);
            assert_true(ci[k].low <= ci[k].point && ci[k].point <= ci[k].high);
        }
    }
}

/* Nine pairs: of all cuts at the median only those with nine values of one sample have 2 / 2^9 < .05 / 12. */
static void the_median_of_nine_pairs_lies_between_the_differences_of_the_extremes(void **state)
{
    (void)state;
    const double x[] = {5, 1, 9, 2, 8, 3, 7, 4, 6}, y[] = {11, 12, 13, 14, 15, 16, 17, 18, 20};
    double scratch[72];
    struct tare_interval ci[TWELVE];
    assert_int_equal(stats_shift_function(x, y, 9, twelve, TWELVE, .05, 1, scratch, ci), TARE_OK);
    assert_interval(ci[5], 10, 2, 19, 0);
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
        assert_true(ci[j].low <= .5 && .5 <= ci[j].high && ci[j].high - ci[j].low < .2); /* of a range of 3 */
}

static void the_smallest_number_of_pairs_is_what_the_header_says(void **state)
{
    (void)state;
    const struct {
        double q;
        int n;
    } rows[] = {{.5, 9}, {.4, 11}, {.6, 11}, {.2, 22}, {.9, 43}, {.99, 425}};
    static double x[500], y[500], scratch[4000];
    struct rng r = rng_seeded(28);
    for (int i = 0; i < 500; i++)
        x[i] = rng_normal(&r), y[i] = rng_normal(&r);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        assert_true(stats_shift_least(rows[k].q, TWELVE, .05, 1) == rows[k].n);
        for (int n = rows[k].n - 1; n <= rows[k].n; n++) {
            struct tare_interval ci[TWELVE];
            assert_int_equal(stats_shift_function(x, y, n, twelve, TWELVE, .05, 1, scratch, ci), TARE_OK);
            for (int j = 0; j < TWELVE; j++)
                assert_true(twelve[j] != rows[k].q || isfinite(ci[j].low - ci[j].high) == (n == rows[k].n));
        }
    }
    assert_true(stats_shift_least(.5, TWELVE, .05, 1.5) > 9); /* neighbours alike */
    assert_true(isnan(stats_shift_least(1, TWELVE, .05, 1)) && isnan(stats_shift_least(.5, 0, .05, 1)));
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
}

int shift_function_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_are_the_shifts_that_the_definition_accepts),
        cmocka_unit_test(the_median_of_nine_pairs_lies_between_the_differences_of_the_extremes),
        cmocka_unit_test(a_drift_of_both_cancels),
        cmocka_unit_test(the_smallest_number_of_pairs_is_what_the_header_says),
        cmocka_unit_test(ties_and_constants_have_their_interval),
        cmocka_unit_test(shift_functions_without_a_value),
    };
    return cmocka_run_group_tests_name("shift function", tests, NULL, NULL);
}
