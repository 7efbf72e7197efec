/* SPDX-License-Identifier: MIT
 *
 * No data, one value, constant data, NaN, infinity, arguments outside their range: for every estimator.
 */
#include "stats_test.h"

enum { N = 12 };

/* All interval estimators behind one signature. */
static enum tare_status student(const double *x, ptrdiff_t n, double level, struct tare_interval *out)
{
    return tare_mean_ci_student(x, n, level, out);
}

static enum tare_status p90(const double *x, ptrdiff_t n, double level, struct tare_interval *out)
{
    return tare_quantile_ci_binomial(x, n, .9, level, out);
}

static enum tare_status hl(const double *x, ptrdiff_t n, double level, struct tare_interval *out)
{
    static double scratch[8000];
    return tare_hl_ci_walsh(x, n, level, scratch, out);
}

static enum tare_status fieller(const double *x, ptrdiff_t n, double level, struct tare_interval *out)
{
    static const double ones[N] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    return tare_ratio_ci_fieller(ones, x, n, level, out); /* = the mean of x */
}

typedef enum tare_status estimator(const double *x, ptrdiff_t n, double level, struct tare_interval *out);
static estimator *const estimators[] = {student, tare_median_ci_binomial, p90, hl, fieller};
enum { ESTIMATORS = sizeof estimators / sizeof *estimators };

static void no_data_give_no_value_and_no_interval(void **state)
{
    (void)state;
    struct tare_interval ci;
    for (int e = 0; e < ESTIMATORS; e++) {
        assert_int_equal(estimators[e](NULL, 0, .05, &ci), TARE_OK);
        assert_interval(ci, NAN, -INFINITY, INFINITY, 0);
        assert_int_equal(ci.n, 0);
    }
    assert_true(isnan(tare_mean(NULL, 0)) && isnan(tare_stddev(NULL, 0)) && isnan(tare_mad(NULL, 0, NULL)));
    assert_true(isnan(tare_quantile_sorted(NULL, 0, .5)) && isnan(tare_lag1_autocorrelation(NULL, 0)));
    assert_true(isnan(tare_geometric_mean(NULL, 0)));
    tare_sort(NULL, 0);
    struct tare_moments m = {0};
    assert_true(isnan(tare_moments_mean(&m)) && isnan(tare_moments_variance(&m)));
    tare_moments_merge(&m, &m);
    assert_int_equal(m.n, 0);
    tare_binomial_ci_clopper_pearson(0, 0, .05, &ci);
    assert_interval(ci, NAN, 0, 1, 0);
    assert_int_equal(tare_hl_scratch_bytes(0), 0);
    assert_int_equal(tare_hl_scratch_bytes(-1), 0);
}

static void checks_accept_no_data(void **state)
{
    (void)state;
    struct tare_dependence d;
    struct tare_trend t;
    struct tare_outliers o;
    struct tare_modes m;
    struct tare_tail s;
    double v, p;
    assert_int_equal(tare_serial_dependence(NULL, 0, NULL, &d), TARE_OK);
    assert_int_equal(tare_mann_kendall(NULL, 0, NULL, &t), TARE_OK);
    assert_close(t.p, 1, 0);
    assert_int_equal(tare_outliers(NULL, 0, NULL, &o), TARE_OK);
    assert_true(isnan(o.median) && o.mild == 0);
    assert_int_equal(tare_two_modes(NULL, 0, NULL, &m), TARE_OK);
    assert_true(isnan(m.ratio));
    assert_int_equal(tare_tail_sign_test(NULL, NULL, 0, NULL, &s), TARE_OK);
    assert_close(s.p, 1, 0);
    assert_int_equal(tare_signed_rank_test(NULL, 0, NULL, &v, &p), TARE_OK);
    assert_close(v, 0, 0);
    assert_close(p, 1, 0);
}

static void one_value_has_a_point_and_no_interval(void **state)
{
    (void)state;
    const double x[] = {3.5};
    struct tare_interval ci;
    for (int e = 0; e < ESTIMATORS; e++) {
        assert_int_equal(estimators[e](x, 1, .05, &ci), TARE_OK);
        assert_interval(ci, 3.5, -INFINITY, INFINITY, 0);
    }
    assert_true(isnan(tare_stddev(x, 1)));
}

static void constant_data_give_a_point_interval(void **state)
{
    (void)state;
    double x[N];
    for (int i = 0; i < N; i++)
        x[i] = 0.3;
    struct tare_interval ci;
    for (int e = 0; e < ESTIMATORS; e++) {
        if (estimators[e] == p90)
            continue; /* 12 values have no upper end for q = .9 */
        estimators[e](x, N, .05, &ci);
        assert_interval(ci, 0.3, 0.3, 0.3, 0);
    }
    assert_close(tare_stddev(x, N), 0, 0);
    double scratch[N];
    assert_close(tare_mad(x, N, scratch), 0, 0);
}

static void nan_and_infinity_are_refused(void **state)
{
    (void)state;
    const double bad[] = {NAN, INFINITY, -INFINITY};
    struct tare_interval ci;
    for (int b = 0; b < 3; b++)
        for (int at = 0; at < N; at++) {
            double x[N] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, scratch[8000], v, p;
            x[at] = bad[b];
            for (int e = 0; e < ESTIMATORS; e++) {
                assert_int_equal(estimators[e](x, N, .05, &ci), TARE_INVALID);
                assert_interval(ci, NAN, -INFINITY, INFINITY, 0);
            }
            struct tare_dependence d;
            struct tare_trend t;
            struct tare_outliers o;
            struct tare_modes m;
            struct tare_tail s;
            assert_int_equal(tare_serial_dependence(x, N, scratch, &d), TARE_INVALID);
            assert_int_equal(tare_mann_kendall(x, N, scratch, &t), TARE_INVALID);
            assert_int_equal(tare_outliers(x, N, scratch, &o), TARE_INVALID);
            assert_int_equal(tare_two_modes(x, N, scratch, &m), TARE_INVALID);
            assert_int_equal(tare_tail_sign_test(x, x, N, scratch, &s), TARE_INVALID);
            assert_int_equal(tare_signed_rank_test(x, N, scratch, &v, &p), TARE_INVALID);
            assert_true(isnan(d.r) && isnan(t.p) && isnan(o.median) && isnan(m.ratio) && isnan(s.p) && isnan(v) && isnan(p));
            assert_true(isnan(tare_mean(x, N)) && isnan(tare_stddev(x, N)) && isnan(tare_mad(x, N, scratch)));
            assert_true(isnan(tare_lag1_autocorrelation(x, N)) && isnan(tare_geometric_mean(x, N)));
        }
}

static void arguments_outside_their_range_are_refused(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3, 4, 5, 6, 7, 8}, unsorted[] = {1, 3, 2, 4, 5, 6, 7, 8}, levels[] = {0, 1, -.1, 1.5, NAN};
    struct tare_interval ci;
    for (int e = 0; e < ESTIMATORS; e++) {
        for (int l = 0; l < 5; l++)
            assert_int_equal(estimators[e](x, 8, levels[l], &ci), TARE_INVALID);
        assert_int_equal(estimators[e](x, -1, .05, &ci), TARE_INVALID);
    }
    assert_int_equal(tare_median_ci_binomial(unsorted, 8, .05, &ci), TARE_INVALID);
    assert_int_equal(tare_quantile_ci_binomial(x, 8, 0, .05, &ci), TARE_INVALID);
    assert_int_equal(tare_quantile_ci_binomial(x, 8, 1, .05, &ci), TARE_INVALID);
    assert_int_equal(tare_quantile_ci_binomial(x, 8, NAN, .05, &ci), TARE_INVALID);
    assert_int_equal(tare_binomial_ci_clopper_pearson(-1, 8, .05, &ci), TARE_INVALID);
    assert_int_equal(tare_binomial_ci_clopper_pearson(9, 8, .05, &ci), TARE_INVALID);
    assert_true(isnan(tare_quantile_sorted(x, 8, 1.1)) && isnan(tare_quantile_sorted(x, 8, NAN)));
    assert_true(isnan(tare_normal_quantile(-.1)) && isnan(tare_normal_quantile(1.1)) && isnan(tare_normal_quantile(NAN)));
    assert_true(isnan(tare_student_quantile(.5, 0)) && isnan(tare_student_quantile(2, 3)) && isnan(tare_student_cdf(NAN, 3)));
    assert_true(isnan(tare_binomial_cdf(1, -1, .5)) && isnan(tare_binomial_cdf(1, 2, 1.5)));
    const double negative[] = {1, -1};
    assert_true(isnan(tare_geometric_mean(negative, 2)));
    double level;
    const int descending[] = {10, 10}, zero[] = {0, 5};
    assert_int_equal(tare_looks_level(descending, 2, .05, &level), TARE_INVALID);
    assert_int_equal(tare_looks_level(zero, 2, .05, &level), TARE_INVALID);
    assert_int_equal(tare_looks_level(descending, 0, .05, &level), TARE_INVALID);
    assert_int_equal(tare_looks_level(descending, 1, 1, &level), TARE_INVALID);
    assert_true(isnan(level));
    assert_int_equal(tare_signed_rank_k(10, 0, NULL), 0);
    assert_int_equal(tare_signed_rank_k(-3, .05, NULL), 0);
}

static void ends_of_distributions(void **state)
{
    (void)state;
    assert_close(tare_normal_quantile(0), -INFINITY, 0);
    assert_close(tare_normal_quantile(1), INFINITY, 0);
    assert_close(tare_normal_quantile(.5), 0, 0);
    assert_close(tare_student_quantile(0, 3), -INFINITY, 0);
    assert_close(tare_student_quantile(1, 3), INFINITY, 0);
    assert_close(tare_student_quantile(.5, 3), 0, 0);
    assert_close(tare_student_cdf(INFINITY, 3), 1, 0);
    assert_close(tare_student_cdf(-INFINITY, 3), 0, 0);
    assert_close(tare_student_cdf(0, 3), .5, 0);
    assert_close(tare_student_cdf(-2, INFINITY), tare_normal_cdf(-2), 0);
    assert_close(tare_student_quantile(.01, INFINITY), tare_normal_quantile(.01), 0);
    assert_close(tare_binomial_cdf(-1, 5, .3), 0, 0);
    assert_close(tare_binomial_cdf(5, 5, .3), 1, 0);
    assert_close(tare_binomial_cdf(2, 5, 0), 1, 0);
    assert_close(tare_binomial_cdf(2, 5, 1), 0, 0);
}

static void a_denominator_near_zero_has_no_ratio_interval(void **state)
{
    (void)state;
    const double x[] = {1, -1, 2, -1.5, .5, -.8}, y[] = {3, 4, 5, 4, 3, 4}, zero[] = {1, -1, 1, -1, 1, -1};
    struct tare_interval ci;
    assert_int_equal(tare_ratio_ci_fieller(x, y, 6, .05, &ci), TARE_OK);
    assert_true(isfinite(ci.point));
    assert_interval(ci, ci.point, -INFINITY, INFINITY, 0);
    assert_int_equal(tare_ratio_ci_fieller(zero, y, 6, .05, &ci), TARE_OK);
    assert_interval(ci, NAN, -INFINITY, INFINITY, 0);
}

static void all_zero_differences_are_no_evidence(void **state)
{
    (void)state;
    const double d[8] = {0};
    void *scratch = scratch_for(8);
    double v, p;
    tare_signed_rank_test(d, 8, scratch, &v, &p);
    assert_close(v, 0, 0);
    assert_close(p, 1, 0);
    free(scratch);
}

/* Two ways to the same ranks: by direct summation, and by the incomplete beta function. */
static void the_median_has_the_ranks_of_the_quantile_a_half(void **state)
{
    (void)state;
    static const double levels[] = {.5, .1, .05, .0123, .01, 1e-3, 1e-6, 1e-12, 1e-60};
    enum { MOST = 20000 };
    double *ranks = malloc(MOST * sizeof *ranks);
    assert_non_null(ranks);
    for (int i = 0; i < MOST; i++)
        ranks[i] = i + 1;
    for (ptrdiff_t n = 1; n <= MOST; n = n < 400 ? n + 1 : n * 5 / 4 + 1)
        for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
            struct tare_interval one, other;
            assert_int_equal(tare_median_ci_binomial(ranks, n, levels[l], &one), TARE_OK);
            assert_int_equal(tare_quantile_ci_binomial(ranks, n, .5, levels[l], &other), TARE_OK);
            if (one.low != other.low || one.high != other.high || one.point != other.point)
                fail_msg("n %td, level %g: [%g, %g] and [%g, %g]", n, levels[l], one.low, one.high, other.low, other.high);
        }
    free(ranks);
}

static void scratch_for_n_serves_every_smaller_n(void **state)
{
    (void)state;
    for (ptrdiff_t n = 1; n < 1000; n++)
        assert_true(tare_hl_scratch_bytes(n) >= tare_hl_scratch_bytes(n - 1));
}

int edge_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_data_give_no_value_and_no_interval),
        cmocka_unit_test(checks_accept_no_data),
        cmocka_unit_test(one_value_has_a_point_and_no_interval),
        cmocka_unit_test(constant_data_give_a_point_interval),
        cmocka_unit_test(nan_and_infinity_are_refused),
        cmocka_unit_test(arguments_outside_their_range_are_refused),
        cmocka_unit_test(ends_of_distributions),
        cmocka_unit_test(a_denominator_near_zero_has_no_ratio_interval),
        cmocka_unit_test(all_zero_differences_are_no_evidence),
        cmocka_unit_test(the_median_has_the_ranks_of_the_quantile_a_half),
        cmocka_unit_test(scratch_for_n_serves_every_smaller_n),
    };
    return cmocka_run_group_tests_name("edges", tests, NULL, NULL);
}
