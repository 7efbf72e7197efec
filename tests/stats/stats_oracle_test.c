/* SPDX-License-Identifier: MIT
 *
 * The distributions against two independent libraries, GSL and r-mathlib. Both are GPL: this program is
 * for tests only, is never installed, and nothing that ships is linked with them.
 *
 * Allowed difference: 1e-12 relative in the range that tare uses (down to p = 1e-7), 1e-10 beyond.
 */
#include "rng.h"
#include "stats_rates.h"
#include "stats_test.h"
#define MATHLIB_STANDALONE
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <Rmath.h>

static const double degrees[] = {.5, 1, 2, 3, 4, 5, 9, 17.776, 29, 99, 251, 1000, 1e4, 1e5, 1e6, 1e9};
static const double points[] = {1e-9, 1e-3, .1, .5, 1, 1.5, 1.7, 2, 2.6, 3.25, 5, 8, 20, 1000};
static const double tails[] = {1e-100, 1e-20, 1e-9, 1e-7, 1e-5, .001, .0034, .005, .025, .1, .25, .4, .49};
#define COUNT(a) (sizeof(a) / sizeof *(a))

static double allowed(double p)
{
    return p >= 1e-7 ? 1e-12 : 1e-10;
}

static void student_agrees_with_r(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(degrees); i++) {
        for (size_t j = 0; j < COUNT(points); j++) {
            double p = pt(-points[j], degrees[i], 1, 0);
            assert_close(tare_student_cdf(-points[j], degrees[i]), p, allowed(p));
            assert_close(tare_student_cdf(points[j], degrees[i]), pt(points[j], degrees[i], 1, 0), 1e-12);
        }
        for (size_t j = 0; j < COUNT(tails); j++) {
            double t = qt(tails[j], degrees[i], 1, 0);
            if (fabs(t) < 1e140)
                assert_close(tare_student_quantile(tails[j], degrees[i]), t, allowed(tails[j]));
        }
    }
}

static void normal_agrees_with_r(void **state)
{
    (void)state;
    for (double z = -37; z < 9; z += .0917)
        assert_close(tare_normal_cdf(z), pnorm(z, 0, 1, 1, 0), 1e-12);
    for (double e = 0; e < 300; e += .317)
        assert_close(tare_normal_quantile(.999 * pow(10, -e)), qnorm(.999 * pow(10, -e), 0, 1, 1, 0), 1e-13);
}

static void poisson_and_its_interval_agree_with_r(void **state)
{
    (void)state;
    const int counts[] = {0, 1, 2, 5, 17, 100, 5000, 1000000};
    for (size_t i = 0; i < COUNT(counts); i++) {
        int k = counts[i];
        struct tare_interval ci;
        stats_rate_ci_garwood(k, 1, .05, &ci);
        assert_close(ci.low, k ? qgamma(.025, k, 1, 1, 0) : 0, 1e-10); /* as far as qgamma itself is exact */
        assert_close(ci.high, qgamma(.025, k + 1, 1, 0, 0), 1e-10);
        for (double z = -6; z <= 6; z += .5) {
            double mean = fmax(k + z * sqrt(k + 1), 1e-3), p = ppois(k, mean, 1, 0);
            assert_close(stats_poisson_cdf(k, mean), p, 1e-11);
        }
    }
}

static void binomial_and_its_interval_agree_with_r(void **state)
{
    (void)state;
    const int sizes[] = {1, 2, 5, 10, 36, 200, 368, 1000, 100000};
    const double shares[] = {1e-6, .01, .1, .37, .5, .9, .999};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        int n = sizes[i];
        for (size_t j = 0; j < COUNT(shares); j++)
            for (double z = -8; z <= 8; z += .5) {
                double k = floor(n * shares[j] + z * sqrt(n * shares[j] * (1 - shares[j])));
                double p = pbinom(k, n, shares[j], 1, 0);
                if (p > 0)
                    assert_close(tare_binomial_cdf((ptrdiff_t)k, n, shares[j]), p, allowed(p));
            }
        for (int k = 0; k <= n; k += 1 + n / 9) {
            struct tare_interval ci;
            tare_binomial_ci_clopper_pearson(k, n, .05, &ci);
            assert_close(ci.low, k > 0 ? qbeta(.025, k, n - k + 1, 1, 0) : 0, 1e-12);
            assert_close(ci.high, k < n ? qbeta(.025, k + 1, n - k, 0, 0) : 1, 1e-12);
        }
    }
}

static void signed_rank_agrees_with_r(void **state)
{
    (void)state;
    const double levels[] = {.2, .05, .01, .00895, .0068, 1e-4};
    void *scratch = scratch_for(200);
    for (int n = 6; n <= 200; n += 1 + n / 20)
        for (size_t i = 0; i < COUNT(levels); i++) {
            double k = (double)tare_signed_rank_k(n, levels[i], scratch); /* P(V <= k-1) <= level/2 < P(V <= k) */
            assert_true(k == 0 || psignrank(k - 1, n, 1, 0) <= levels[i] / 2);
            assert_true(psignrank(k, n, 1, 0) > levels[i] / 2);
        }
    double d[50], v, p;
    struct rng r = rng_seeded(61);
    for (int n = 1; n <= 50; n++) {
        for (int i = 0; i < n; i++)
            d[i] = rng_normal(&r) + .3;
        tare_signed_rank_test(d, n, scratch, &v, &p);
        double smaller = fmin(v, n * (n + 1) / 2.0 - v);
        assert_close(p, fmin(1, 2 * psignrank(smaller, n, 1, 0)), 1e-12);
    }
    free(scratch);
    signrank_free();
}

/* The normal with continuity correction against the exact law. */
static void rank_sum_is_near_the_exact_law_of_r(void **state)
{
    (void)state;
    struct rng r = rng_seeded(63);
    double x[40], y[40], scratch[120];
    for (int n = 8; n <= 40; n += 8)
        for (int i = 0; i < 50; i++) {
            for (int k = 0; k < n; k++)
                x[k] = rng_normal(&r) + .02 * i, y[k] = rng_normal(&r);
            struct tare_rank_sum t;
            tare_rank_sum_test(x, n, y, n, scratch, &t);
            double smaller = fmin(t.u, (double)n * n - t.u), exact = fmin(1, 2 * pwilcox(smaller, n, n, 1, 0));
            assert_near(t.p, exact, .003 + .05 * exact);
        }
    wilcox_free();
}

/* qwilcox gives the least u with P(U <= u) >= p: the place of the interval's end, unless p is hit exactly. */
static void shift_places_are_those_of_r(void **state)
{
    (void)state;
    const int sizes[][2] = {{4, 4}, {5, 9}, {10, 10}, {10, 30}, {25, 25}, {50, 50}, {9, 200}, {60, 60}, {40, 90}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int n = sizes[i][0], m = sizes[i][1];
        void *scratch = malloc(tare_shift_scratch_bytes(n, m));
        for (int l = 0; l < 3; l++) {
            double level = ((const double[]){.05, .01, .001})[l];
            ptrdiff_t k = tare_mann_whitney_k(n, m, level, scratch);
            bool exact = n <= 50 && m <= 50;
            if (exact || n <= 9)
                assert_int_equal(k, (int)qwilcox(level / 2, n, m, 1, 0));
            else
                assert_near(k, qwilcox(level / 2, n, m, 1, 0), 1);
        }
        free(scratch);
    }
    wilcox_free();
}

/* On points without noise all slopes agree. */
static void slope_of_a_line_agrees_with_gsl(void **state)
{
    (void)state;
    struct rng r = rng_seeded(64);
    double x[50], y[50], scratch[200], c0, c1, cov00, cov01, cov11, sum;
    for (int i = 0; i < 20; i++) {
        double slope = 4 * rng_normal(&r);
        for (int k = 0; k < 50; k++)
            x[k] = rng_normal(&r), y[k] = 3 + slope * x[k];
        struct tare_interval ci;
        tare_slope_ci_kendall(x, y, 50, .05, scratch, &ci);
        gsl_fit_linear(x, 1, y, 1, 50, &c0, &c1, &cov00, &cov01, &cov11, &sum);
        assert_near(ci.point, c1, 1e-9);
    }
}

static void student_agrees_with_gsl(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(degrees); i++)
        for (size_t j = 0; j < COUNT(points); j++) {
            double p = gsl_cdf_tdist_P(-points[j], degrees[i]);
            if (p > 1e-7 && degrees[i] <= 1e5) /* beyond, GSL itself loses digits */
                assert_close(tare_student_cdf(-points[j], degrees[i]), p, 1e-12);
        }
}

static void normal_and_binomial_agree_with_gsl(void **state)
{
    (void)state;
    for (double z = -37; z < 9; z += .0917)
        assert_close(tare_normal_cdf(z), gsl_cdf_ugaussian_P(z), 1e-12);
    for (unsigned k = 0; k < 60; k++)
        for (double p = .01; p < 1; p += .07)
            assert_close(tare_binomial_cdf(k, 60, p), gsl_cdf_binomial_P(k, p, 60),
                         gsl_cdf_binomial_P(k, p, 60) > 1e-7 ? 1e-12 : 1e-9);
}

static void descriptive_statistics_agree_with_gsl(void **state)
{
    (void)state;
    struct rng r = rng_seeded(62);
    double x[400], sorted[400], scratch[400];
    for (int n = 2; n <= 400; n += 7) {
        for (int i = 0; i < n; i++)
            x[i] = 1000 + rng_normal(&r);
        memcpy(sorted, x, sizeof x);
        gsl_sort(sorted, 1, (size_t)n);
        assert_close(tare_mean(x, n), gsl_stats_mean(x, 1, (size_t)n), 1e-14);
        assert_close(tare_stddev(x, n), gsl_stats_sd(x, 1, (size_t)n), 1e-12);
        assert_near(tare_lag1_autocorrelation(x, n), gsl_stats_lag1_autocorrelation(x, 1, (size_t)n), 1e-11);
        assert_close(tare_mad(x, n, scratch), gsl_stats_mad0(x, 1, (size_t)n, scratch), 1e-12);
        for (double q = 0; q <= 1; q += .05)
            assert_close(tare_quantile_sorted(sorted, n, q), gsl_stats_quantile_from_sorted_data(sorted, 1, (size_t)n, q), 1e-15);
    }
}

/* Three looks by nested adaptive quadrature over the increments, without the code under test. */
struct three_looks {
    double c[3], step[3]; /* bounds; standard deviations of the increments, of which z = sum / sqrt(n) */
    double n[3], first;
    gsl_integration_workspace *inner;
};

static double second_look(double sum, void *context)
{
    const struct three_looks *t = context;
    double c = t->c[2] * sqrt(t->n[2]);
    double out = gsl_cdf_ugaussian_Q((c - sum) / t->step[2]) + gsl_cdf_ugaussian_P((-c - sum) / t->step[2]);
    return gsl_ran_gaussian_pdf(sum - t->first, t->step[1]) * out;
}

static double first_look(double sum, void *context)
{
    struct three_looks *t = context;
    double c = t->c[1] * sqrt(t->n[1]), result, error;
    t->first = sum;
    gsl_function f = {second_look, t};
    gsl_integration_qag(&f, -c, c, 1e-12, 1e-10, 400, GSL_INTEG_GAUSS61, t->inner, &result, &error);
    return gsl_ran_gaussian_pdf(sum, t->step[0]) * result;
}

static void third_looks_spend_what_the_quadrature_of_gsl_says(void **state)
{
    (void)state;
    const int schedules[][3] = {{10, 15, 22}, {6, 200, 210}, {100, 110, 1000}};
    const double shares[][3] = {{.1, .3, 1}, {.5, .6, .7}, {.01, .02, .9}};
    gsl_integration_workspace *outer = gsl_integration_workspace_alloc(400), *inner = gsl_integration_workspace_alloc(400);
    for (int s = 0; s < 27; s++) {
        const int *at = schedules[s % 3];
        double spent[3], level, result, error;
        struct three_looks t = {.inner = inner};
        for (int k = 0; k < 3; k++) {
            spent[k] = tare_spending((enum tare_spending)(s / 9), .5, shares[s / 3 % 3][k], .05);
            assert_int_equal(tare_looks_spent(at, spent, k + 1, &level), TARE_OK);
            t.c[k] = -gsl_cdf_ugaussian_Pinv(level / 2);
            t.n[k] = at[k];
            t.step[k] = sqrt(at[k] - (k ? at[k - 1] : 0));
        }
        gsl_function f = {first_look, &t};
        double c = t.c[0] * sqrt(t.n[0]);
        gsl_integration_qag(&f, -c, c, 1e-12, 1e-10, 400, GSL_INTEG_GAUSS61, outer, &result, &error);
        assert_close(result, spent[2] - spent[1], 1e-7);
    }
    gsl_integration_workspace_free(outer);
    gsl_integration_workspace_free(inner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(student_agrees_with_r),
        cmocka_unit_test(normal_agrees_with_r),
        cmocka_unit_test(binomial_and_its_interval_agree_with_r),
        cmocka_unit_test(poisson_and_its_interval_agree_with_r),
        cmocka_unit_test(signed_rank_agrees_with_r),
        cmocka_unit_test(rank_sum_is_near_the_exact_law_of_r),
        cmocka_unit_test(shift_places_are_those_of_r),
        cmocka_unit_test(student_agrees_with_gsl),
        cmocka_unit_test(normal_and_binomial_agree_with_gsl),
        cmocka_unit_test(descriptive_statistics_agree_with_gsl),
        cmocka_unit_test(slope_of_a_line_agrees_with_gsl),
        cmocka_unit_test(third_looks_spend_what_the_quadrature_of_gsl_says),
    };
    return cmocka_run_group_tests_name("oracles", tests, NULL, NULL);
}
