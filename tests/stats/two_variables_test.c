/* SPDX-License-Identifier: MIT
 *
 * Two samples and two variables: the rank sum, and the slope by Theil and Sen.
 */
#include "rng.h"
#include "rng_normal.h"
#include "stats_test.h"
#include <float.h>
#include <string.h>

/* ---- slope ---- */

enum { MOST = 80 };

static double slopes[MOST * MOST];

static int slopes_by_pairs(const double *x, const double *y, int n)
{
    int found = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (x[i] < x[j])
                slopes[found++] = (y[j] - y[i]) / (x[j] - x[i]);
    tare_sort(slopes, found);
    return found;
}

/* Theil's estimate for Smith's cloud seeding data, Hollander and Wolfe (1973), chapter 9: -.056. */
static void slope_of_a_published_example(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3, 4, 5}, y[] = {1.26, 1.27, 1.12, 1.16, 1.03};
    double scratch[20];
    struct tare_interval i;
    assert_int_equal(tare_slope_ci_kendall(x, y, 5, .05, scratch, &i), TARE_OK);
    assert_interval(i, -.05625, -.15, .04, 1e-11);
}

static void slope_agrees_with_the_list_of_all_pairs(void **state)
{
    (void)state;
    struct rng r = rng_seeded(81);
    double x[MOST], y[MOST], scratch[4 * MOST];
    for (int n = 2; n <= MOST; n += 1 + n / 8)
        for (int ties = 0; ties < 3; ties++) {
            for (int i = 0; i < n; i++) {
                x[i] = ties == 2 ? (double)rng_below(&r, 5) : rng_normal(&r);
                y[i] = -x[i] + (ties ? (double)rng_below(&r, 3) : rng_normal(&r));
            }
            struct tare_interval ci;
            assert_int_equal(tare_slope_ci_kendall(x, y, n, .05, scratch, &ci), TARE_OK);
            int pairs = slopes_by_pairs(x, y, n), below = 0, above = 0;
            if (!pairs) {
                assert_true(isnan(ci.point));
                continue;
            }
            double near = n <= 48 ? 1e-15 : 1e-11 * (1 + slopes[pairs - 1] - slopes[0]);
            assert_near(ci.point, pairs % 2 ? slopes[pairs / 2] : slopes[pairs / 2 - 1] / 2 + slopes[pairs / 2] / 2, near);
            for (int i = 0; i < pairs; i++) {
                below += slopes[i] < ci.low - near;
                above += slopes[i] > ci.high + near;
            }
            if (isfinite(ci.low) && !ties)
                assert_int_equal(below, above);
        }
}

/* Error of the interval from the k-th smallest to the k-th largest of n(n-1)/2 slopes, by the exact law of Kendall's S: the number
 * of orders of n with so many inversions (MacMahon). */
static double exact_error(int n, int k)
{
    static double orders[MOST * MOST], next[MOST * MOST];
    int most = n * (n - 1) / 2;
    memset(orders, 0, sizeof orders);
    orders[0] = 1;
    for (int size = 2; size <= n; size++) {
        for (int s = 0; s <= most; s++) {
            next[s] = 0;
            for (int d = 0; d < size && d <= s; d++)
                next[s] += orders[s - d] / size;
        }
        memcpy(orders, next, sizeof next);
    }
    double error = 0;
    for (int s = 0; s < k; s++)
        error += 2 * orders[s];
    return error;
}

/* The normal never promises too much, and is at most two steps from the best. */
static void the_slopes_interval_keeps_its_level(void **state)
{
    (void)state;
    const double levels[] = {.1, .05, .01, .0068};
    double x[MOST], y[MOST], scratch[4 * MOST];
    struct rng r = rng_seeded(82);
    for (int n = 4; n <= 40; n += 1 + n / 6)
        for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
            for (int i = 0; i < n; i++)
                x[i] = i, y[i] = rng_normal(&r);
            struct tare_interval ci;
            tare_slope_ci_kendall(x, y, n, levels[l], scratch, &ci);
            int pairs = slopes_by_pairs(x, y, n), k = 0;
            if (!isfinite(ci.low)) {
                assert_true(exact_error(n, 2) > levels[l]);
                continue;
            }
            while (k < pairs && slopes[k] < ci.low + 1e-10)
                k++;
            if (exact_error(n, k) > levels[l] || exact_error(n, k + 3) < levels[l])
                fail_msg("n %d, level %g: k %d has an error of %g, k + 3 of %g", n, levels[l], k, exact_error(n, k),
                         exact_error(n, k + 3));
        }
}

static void slope_is_robust_against_far_points(void **state)
{
    (void)state;
    struct rng r = rng_seeded(83);
    double x[60], y[60], scratch[240];
    for (int i = 0; i < 60; i++) {
        x[i] = log(2.4e9 + 0.6e9 * rng_uniform(&r));
        y[i] = 20 - x[i] + 0.001 * rng_normal(&r) + (i % 5 == 0 ? 2 * rng_uniform(&r) : 0);
    }
    struct tare_interval ci;
    tare_slope_ci_kendall(x, y, 60, .05, scratch, &ci);
    assert_near(ci.point, -1, .02);
    assert_true(ci.low < -1 && -1 < ci.high && ci.high - ci.low < .1);
}

static void slopes_without_a_value(void **state)
{
    (void)state;
    const double same[] = {2, 2, 2, 2, 2, 2}, y[] = {1, 2, 3, 4, 5, 6}, bad[] = {1, NAN, 3, 4, 5, 6};
    double scratch[24];
    struct tare_interval ci;
    assert_int_equal(tare_slope_ci_kendall(same, y, 6, .05, scratch, &ci), TARE_OK);
    assert_true(isnan(ci.point) && isinf(ci.low) && isinf(ci.high));
    assert_int_equal(tare_slope_ci_kendall(y, same, 6, .05, scratch, &ci), TARE_OK);
    assert_interval(ci, 0, 0, 0, 0);
    for (int n = 0; n < 2; n++) {
        assert_int_equal(tare_slope_ci_kendall(y, y, n, .05, scratch, &ci), TARE_OK);
        assert_true(isnan(ci.point) && isinf(ci.low));
    }
    assert_int_equal(tare_slope_ci_kendall(y, y, 2, .05, scratch, &ci), TARE_OK);
    assert_interval(ci, 1, -INFINITY, INFINITY, 1e-15);
    assert_int_equal(tare_slope_ci_kendall(bad, y, 6, .05, scratch, &ci), TARE_INVALID);
    assert_int_equal(tare_slope_ci_kendall(y, bad, 6, .05, scratch, &ci), TARE_INVALID);
    assert_int_equal(tare_slope_ci_kendall(y, y, -1, .05, scratch, &ci), TARE_INVALID);
    assert_int_equal(tare_slope_ci_kendall(y, y, 6, 0, scratch, &ci), TARE_INVALID);
}

/* ---- rank sum ---- */

/* Student's sleep data (1908): U 25.5, p .0693 with ties and continuity corrected, as R's wilcox.test says. */
static void rank_sum_of_students_sleep_data(void **state)
{
    (void)state;
    const double a[] = {.7, -1.6, -.2, -1.2, -.1, 3.4, 3.7, .8, 0, 2}, b[] = {1.9, .8, 1.1, .1, -.1, 4.4, 5.5, 1.6, 4.6, 3.4};
    double scratch[30];
    struct tare_rank_sum t, swapped;
    assert_int_equal(tare_rank_sum_test(a, 10, b, 10, scratch, &t), TARE_OK);
    assert_close(t.u, 25.5, 0);
    assert_close(t.p, .069327575, 1e-8);
    assert_int_equal(tare_rank_sum_test(b, 10, a, 10, scratch, &swapped), TARE_OK);
    assert_close(swapped.u, 100 - 25.5, 0);
    assert_close(swapped.z, -t.z, 1e-15);
}

static void rank_sums_without_a_value(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3}, same[] = {2, 2}, bad[] = {INFINITY};
    double scratch[9];
    struct tare_rank_sum t;
    assert_int_equal(tare_rank_sum_test(x, 3, x, 0, scratch, &t), TARE_OK);
    assert_close(t.p, 1, 0);
    assert_int_equal(tare_rank_sum_test(same, 2, same, 2, scratch, &t), TARE_OK);
    assert_true(t.z == 0 && t.p == 1);
    assert_int_equal(tare_rank_sum_test(x, 3, bad, 1, scratch, &t), TARE_INVALID);
    assert_int_equal(tare_rank_sum_test(x, -3, x, 1, scratch, &t), TARE_INVALID);
}

/* ---- shift ---- */

/* Permeability of two kinds of membranes, Hollander and Wolfe (1973), chapter 4; the places from the exact law, counted by subsets. */
static void shift_of_a_published_example(void **state)
{
    (void)state;
    const double x[] = {.80, .83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, .73, 1.46}, y[] = {1.15, .88, .90, .74, 1.21};
    void *scratch = malloc(tare_shift_scratch_bytes(10, 5));
    struct tare_interval i;
    assert_int_equal(tare_mann_whitney_k(10, 5, .05, scratch), 9);
    assert_int_equal(tare_shift_ci_mann_whitney(x, 10, y, 5, .05, scratch, &i), TARE_OK);
    assert_interval(i, -.305, -.76, .15, 1e-12);
    assert_int_equal(tare_shift_ci_mann_whitney(y, 5, x, 10, .05, scratch, &i), TARE_OK);
    assert_interval(i, .305, -.15, .76, 1e-12);
    free(scratch);
}

/* Sums of the ranks of `few` out of `all` values, as counts: U is that less its least. */
static ptrdiff_t k_by_subsets(int few, int many, double level)
{
    enum { SUMS = 4000 };
    static double ways[31][SUMS];
    memset(ways, 0, sizeof ways);
    ways[0][0] = 1;
    for (int rank = 1; rank <= few + many; rank++)
        for (int i = few; i > 0; i--)
            for (int sum = SUMS - 1; sum >= rank; sum--)
                ways[i][sum] += ways[i - 1][sum - rank];
    double all = 0, below = 0;
    for (int sum = 0; sum < SUMS; sum++)
        all += ways[few][sum];
    int least = few * (few + 1) / 2, u = 0;
    while ((below += ways[few][least + u]) <= all * level / 2 * (1 + 1e-12))
        u++;
    return u;
}

static void places_agree_with_counting_subsets(void **state)
{
    (void)state;
    const int sizes[][2] = {{1, 1},   {1, 50}, {3, 4},   {4, 4},  {5, 5},   {3, 10},
                            {10, 10}, {7, 15}, {20, 20}, {9, 50}, {9, 120}, {30, 31}};
    const double levels[] = {.05, .01, .001};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int n = sizes[i][0], m = sizes[i][1];
        void *scratch = malloc(tare_shift_scratch_bytes(n, m));
        for (size_t l = 0; l < 3; l++) {
            ptrdiff_t expected = k_by_subsets(n, m, levels[l]);
            assert_int_equal(tare_mann_whitney_k(n, m, levels[l], scratch), expected);
            assert_int_equal(tare_mann_whitney_k(m, n, levels[l], scratch), expected);
        }
        free(scratch);
    }
}

/* Beyond 50 by the expansion: within one place of the subsets' count. */
static void places_of_large_samples_are_near_the_exact_ones(void **state)
{
    (void)state;
    const int sizes[][2] = {{10, 51}, {20, 60}, {30, 70}, {12, 100}};
    const double levels[] = {.05, .01, .001};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t l = 0; l < 3; l++) {
            ptrdiff_t exact = k_by_subsets(sizes[i][0], sizes[i][1], levels[l]);
            assert_near(tare_mann_whitney_k(sizes[i][0], sizes[i][1], levels[l], NULL), exact, 1);
        }
}

static void shift_agrees_with_the_list_of_all_differences(void **state)
{
    (void)state;
    struct rng r = rng_seeded(82);
    double x[MOST], y[MOST];
    void *scratch = malloc(tare_shift_scratch_bytes(MOST, MOST));
    for (int n = 1; n <= MOST; n += 1 + n / 6)
        for (int m = 1; m <= MOST; m += 1 + m / 5)
            for (int ties = 0; ties < 2; ties++) {
                for (int i = 0; i < n; i++)
                    x[i] = ties ? (double)rng_below(&r, 5) : rng_normal(&r);
                for (int i = 0; i < m; i++)
                    y[i] = ties ? (double)rng_below(&r, 4) : 1e3 * rng_normal(&r);
                int all = 0;
                for (int i = 0; i < n; i++)
                    for (int j = 0; j < m; j++)
                        slopes[all++] = y[j] - x[i];
                tare_sort(slopes, all);
                struct tare_interval ci;
                assert_int_equal(tare_shift_ci_mann_whitney(x, n, y, m, .05, scratch, &ci), TARE_OK);
                ptrdiff_t k = tare_mann_whitney_k(n, m, .05, scratch);
                double low = k ? slopes[k - 1] : -INFINITY, high = k ? slopes[all - k] : INFINITY;
                double middle = all % 2 ? slopes[all / 2] : slopes[all / 2 - 1] / 2 + slopes[all / 2] / 2;
                assert_true(ci.low == low && ci.high == high && ci.point == middle);
            }
    free(scratch);
}

static void shifts_without_a_value_or_interval(void **state)
{
    (void)state;
    const double x[] = {1, 1, 1, 1, 1}, y[] = {3, 3, 3, 3, 3}, bad[] = {NAN}, far[] = {-DBL_MAX, DBL_MAX};
    void *scratch = malloc(tare_shift_scratch_bytes(5, 5));
    struct tare_interval i;
    assert_int_equal(tare_shift_ci_mann_whitney(x, 5, y, 5, .05, scratch, &i), TARE_OK);
    assert_interval(i, 2, 2, 2, 0);
    assert_int_equal(tare_shift_ci_mann_whitney(x, 3, y, 3, .05, scratch, &i), TARE_OK);
    assert_true(i.point == 2 && isinf(i.low) && isinf(i.high));
    assert_int_equal(tare_shift_ci_mann_whitney(x, 0, y, 3, .05, NULL, &i), TARE_OK);
    assert_true(isnan(i.point) && isinf(i.low) && isinf(i.high));
    assert_int_equal(tare_shift_ci_mann_whitney(x, 3, bad, 1, .05, scratch, &i), TARE_INVALID);
    assert_int_equal(tare_shift_ci_mann_whitney(far, 2, far, 2, .05, scratch, &i), TARE_INVALID);
    assert_int_equal(tare_shift_ci_mann_whitney(x, 3, y, 3, 0, scratch, &i), TARE_INVALID);
    assert_int_equal(tare_mann_whitney_k(0, 3, .05, NULL), 0);
    assert_int_equal(tare_shift_scratch_bytes(0, 3), 0);
    free(scratch);
}

int two_variables_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slope_of_a_published_example),
        cmocka_unit_test(slope_agrees_with_the_list_of_all_pairs),
        cmocka_unit_test(the_slopes_interval_keeps_its_level),
        cmocka_unit_test(slope_is_robust_against_far_points),
        cmocka_unit_test(slopes_without_a_value),
        cmocka_unit_test(rank_sum_of_students_sleep_data),
        cmocka_unit_test(rank_sums_without_a_value),
        cmocka_unit_test(shift_of_a_published_example),
        cmocka_unit_test(places_agree_with_counting_subsets),
        cmocka_unit_test(places_of_large_samples_are_near_the_exact_ones),
        cmocka_unit_test(shift_agrees_with_the_list_of_all_differences),
        cmocka_unit_test(shifts_without_a_value_or_interval),
    };
    return cmocka_run_group_tests_name("two samples, two variables", tests, NULL, NULL);
}
