/* SPDX-License-Identifier: MIT
 *
 * Distributions and estimators against two independent libraries, GSL and r-mathlib, and against full lists and other formulas. Both are GPL: this program is
 * for tests only, is never installed, and nothing that ships is linked with them.
 *
 * Allowed difference: 1e-12 relative in the range that tare uses (down to p = 1e-7), 1e-10 beyond.
 */
#include "rng.h"
#include "rng_normal.h"
#include "stats_beyond.h"
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

static void nodes_agree_with_r_and_gsl(void **state)
{
    (void)state;
    struct rng r = rng_seeded(28);
    double x[50], se[50], v[50];
    for (int n = 2; n <= 50; n++) {
        struct stats_nodes of;
        for (int i = 0; i < n; i++) {
            se[i] = .001 + rng_uniform(&r);
            x[i] = rng_normal(&r) * (1 + se[i]);
            v[i] = se[i] * se[i];
        }
        assert_int_equal(stats_nodes(x, se, n, .05, &of), TARE_OK);
        const double mean = gsl_stats_mean(x, 1, (size_t)n), sd = gsl_stats_sd(x, 1, (size_t)n), t = qt(.975, n - 1, 1, 0);
        assert_near(of.mean.high, mean + t * sd / sqrt(n), 1e-12);
        assert_near(of.predicted.high, n < STATS_NODES_PREDICT ? INFINITY : mean + t * sd * sqrt(1 + 1.0 / n), 1e-12);
        assert_near(of.tau * of.tau, fmax(0, sd * sd - gsl_stats_mean(v, 1, (size_t)n)), 1e-12);
    }
}

static void intervals_of_rates_agree_with_r(void **state)
{
    (void)state;
    const int counts[] = {0, 1, 2, 5, 17, 100, 5000, 1000000};
    const double levels[] = {.5, .05, 1e-3, 1e-9};
    for (size_t i = 0; i < COUNT(counts); i++)
        for (size_t j = 0; j < COUNT(levels); j++) {
            const int k = counts[i];
            const double tail = levels[j] / 2;
            struct tare_interval ci;
            stats_rate_ci_garwood(k, 1, levels[j], &ci);
            assert_close(ci.low, k ? qgamma(tail, k, 1, 1, 0) : 0, 1e-10); /* as far as qgamma itself is exact */
            assert_close(ci.high, qgamma(tail, k + 1, 1, 0, 0), 1e-10);
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

/* ---- estimators: other formulas, full lists and libraries, on seeded data of several kinds ---- */

enum { SETS = 400, MOST = 60 };
static const double levels[] = {.3, .05, .01, 1e-4};

struct sample {
    struct rng r;
    int n;
    double level, x[MOST], sorted[MOST], other[MOST], scratch[20 * MOST];
};

/* Noise, ties, two groups, a trend, tails, constant; 0 to MOST values, all positive. */
static struct sample sample_of(int set)
{
    struct sample s = {.r = rng_seeded(9000 + (uint64_t)set), .n = set % (MOST + 1), .level = levels[set % COUNT(levels)]};
    for (int i = 0; i < s.n; i++)
        for (int side = 0; side < 2; side++) {
            const double z = rng_normal(&s.r), u = rng_uniform(&s.r), shifts[] = {0, 0, 9 * (u < .4), .1 * i, exp(1.5 * z), -z};
            const double value = 100 * exp(.02 * (z + shifts[set % 6]));
            (side ? s.other : s.x)[i] = set % 6 == 1 ? rint(value / 2) : value;
        }
    memcpy(s.sorted, s.x, sizeof s.x);
    tare_sort(s.sorted, s.n);
    return s;
}

static double middle_of(double *list, size_t n)
{
    gsl_sort(list, 1, n);
    return n ? list[(n - 1) / 2] + (list[n / 2] - list[(n - 1) / 2]) / 2 : NAN;
}

static void moments_and_means(struct sample *s)
{
    const size_t n = (size_t)s->n;
    struct tare_moments a = {0}, b = {0};
    long double product = 1;
    for (int i = 0; i < s->n; i++) {
        tare_moments_add(i % 3 ? &a : &b, s->x[i]);
        product *= s->x[i];
    }
    tare_moments_merge(&a, &b);
    assert_close(tare_moments_mean(&a), n ? gsl_stats_mean(s->x, 1, n) : NAN, 1e-14);
    assert_near(tare_moments_variance(&a), n > 1 ? gsl_stats_variance(s->x, 1, n) : NAN, 1e-10);
    assert_close(tare_geometric_mean(s->x, s->n), n ? (double)powl(product, 1 / (long double)n) : NAN, 1e-14);
}

static void intervals_of_means(struct sample *s)
{
    const int m = s->n / 2;
    struct tare_interval mean, shift;
    assert_int_equal(tare_mean_ci_student(s->x, s->n, s->level, &mean), TARE_OK);
    assert_int_equal(tare_shift_ci_welch(s->x, s->n, s->other, m, s->level, &shift), TARE_OK);
    if (s->n < 2)
        assert_true(isinf(mean.low) && isinf(mean.high));
    else {
        const double reach = qt(1 - s->level / 2, s->n - 1, 1, 0) * gsl_stats_sd(s->x, 1, (size_t)s->n) / sqrt(s->n);
        assert_near(mean.point - mean.low, reach, 1e-10);
        assert_near(mean.high - mean.point, reach, 1e-10);
    }
    if (m < 2) {
        assert_true(isinf(shift.low) && isinf(shift.high));
        return;
    }
    const double v = gsl_stats_variance(s->x, 1, (size_t)s->n) / s->n, w = gsl_stats_variance(s->other, 1, (size_t)m) / m;
    const double df = (v + w) * (v + w) / (v * v / (s->n - 1) + w * w / (m - 1));
    const double reach = v + w > 0 ? qt(1 - s->level / 2, df, 1, 0) * sqrt(v + w) : 0;
    const double difference = gsl_stats_mean(s->other, 1, (size_t)m) - gsl_stats_mean(s->x, 1, (size_t)s->n);
    assert_near(shift.point, difference, 1e-10);
    assert_near(shift.low, difference - reach, 1e-9);
    assert_near(shift.high, difference + reach, 1e-9);
}

static void intervals_of_quantiles(struct sample *s)
{
    const double q = ((const double[]){.5, .1, .75, .99})[s->n % 4];
    struct tare_interval ci, median;
    assert_int_equal(tare_quantile_ci_binomial(s->sorted, s->n, q, s->level, &ci), TARE_OK);
    assert_int_equal(tare_median_ci_binomial(s->sorted, s->n, s->level, &median), TARE_OK);
    int l = 0, u = s->n + 1;
    while (l < s->n && pbinom(l, s->n, q, 1, 0) <= s->level / 2 * (1 + 1e-12))
        l++;
    while (u > 1 && pbinom(u - 2, s->n, q, 0, 0) <= s->level / 2 * (1 + 1e-12))
        u--;
    assert_true(ci.low == (l > 0 ? s->sorted[l - 1] : -INFINITY));
    assert_true(ci.high == (u <= s->n ? s->sorted[u - 1] : INFINITY));
    assert_close(ci.point, s->n ? gsl_stats_quantile_from_sorted_data(s->sorted, 1, (size_t)s->n, q) : NAN, 1e-15);
    assert_true(q != .5 || (median.low == ci.low && median.high == ci.high));
}

/* Ends and middle of a full list of `n` values whose k-th from either end bounds the interval. */
static void assert_list(double *list, size_t n, int k, const struct tare_interval *ci)
{
    assert_close(ci->point, middle_of(list, n), 1e-14);
    assert_close(ci->low, k > 0 ? list[k - 1] : -INFINITY, 1e-14);
    assert_close(ci->high, k > 0 ? list[n - (size_t)k] : INFINITY, 1e-14);
}

static void walsh_averages(struct sample *s)
{
    static double list[MOST * (MOST + 1) / 2];
    size_t n = 0;
    for (int i = 0; i < s->n; i++)
        for (int j = i; j < s->n; j++)
            list[n++] = (s->x[i] + s->x[j]) / 2;
    int k = 0;
    while (s->n && psignrank(k, s->n, 1, 0) <= s->level / 2 * (1 + 1e-12))
        k++;
    void *scratch = scratch_for(s->n);
    struct tare_interval ci;
    assert_int_equal(tare_hl_ci_walsh(s->x, s->n, s->level, scratch, &ci), TARE_OK);
    assert_list(list, n, k, &ci);
    free(scratch);
}

static void differences_of_two_samples(struct sample *s)
{
    static double list[MOST * MOST];
    const int a = s->n < 50 ? s->n : 50, b = a / 2; /* where the law is exact */
    for (int i = 0; i < a * b; i++)
        list[i] = s->other[i % b] - s->x[i / b];
    int k = 0;
    while (b && pwilcox(k, a, b, 1, 0) <= s->level / 2 * (1 + 1e-12))
        k++;
    void *scratch = malloc(tare_shift_scratch_bytes(a, b) + 1);
    struct tare_interval ci;
    assert_int_equal(tare_shift_ci_mann_whitney(s->x, a, s->other, b, s->level, scratch, &ci), TARE_OK);
    assert_list(list, (size_t)(a * b), k, &ci);
    free(scratch);
}

static void trend_and_dependence(struct sample *s)
{
    static double slopes[MOST * MOST];
    double sum = 0, n = s->n, variance = n * (n - 1) * (2 * n + 5), ranks[MOST];
    size_t pairs = 0;
    for (int i = 0; i < s->n; i++) {
        int below = 0, equal = 0, before = 0;
        for (int j = 0; j < s->n; j++) {
            below += s->x[j] < s->x[i];
            equal += s->x[j] == s->x[i];
            before += j < i && s->x[j] == s->x[i];
            if (j > i) {
                sum += (s->x[j] > s->x[i]) - (s->x[j] < s->x[i]);
                slopes[pairs++] = (s->x[j] - s->x[i]) / (j - i);
            }
        }
        ranks[i] = below + (equal + 1) / 2.;
        variance -= before ? 0 : equal * (equal - 1.) * (2. * equal + 5);
    }
    struct tare_trend t;
    assert_int_equal(tare_mann_kendall(s->x, s->n, s->scratch, &t), TARE_OK);
    const double z = s->n < 3 || variance <= 0 || sum == 0 ? 0 : (sum - (sum > 0 ? 1 : -1)) / sqrt(variance / 18);
    assert_true(t.s == sum);
    assert_near(t.z, z, 1e-13);
    assert_close(t.p, 2 * pnorm(-fabs(z), 0, 1, 1, 0), 1e-12);
    assert_near(t.slope, middle_of(slopes, pairs), 1e-12);
    struct tare_dependence d;
    assert_int_equal(tare_serial_dependence(s->x, s->n, s->scratch, &d), TARE_OK);
    const bool varies = s->n > 1 && s->sorted[0] < s->sorted[s->n - 1];
    const double r = varies ? gsl_stats_lag1_autocorrelation(ranks, 1, (size_t)s->n) : NAN, mended = r + (1 + 3 * r) / n;
    assert_near(d.r_ranks, r, 1e-11);
    assert_near(d.r, varies ? gsl_stats_lag1_autocorrelation(s->x, 1, (size_t)s->n) : NAN, 1e-9);
    assert_near(d.n_effective, varies && mended > 0 ? fmax(1, n * (1 - mended) / (1 + mended)) : n, 1e-8);
}

static void outliers_and_tails(struct sample *s)
{
    struct tare_outliers o;
    const size_t n = (size_t)s->n;
    assert_int_equal(tare_outliers(s->x, s->n, s->scratch, &o), TARE_OK);
    double sd = n ? gsl_stats_mad0(s->x, 1, n, s->scratch) / qnorm(.75, 0, 1, 1, 0) : 0;
    if (n && sd == 0)
        sd = (gsl_stats_quantile_from_sorted_data(s->sorted, 1, n, .75) -
              gsl_stats_quantile_from_sorted_data(s->sorted, 1, n, .25)) /
             (2 * qnorm(.75, 0, 1, 1, 0));
    const double median = n ? gsl_stats_median_from_sorted_data(s->sorted, 1, n) : NAN;
    int mild = 0, severe = 0, low = 0;
    for (int i = 0; i < s->n && sd > 0; i++) {
        mild += s->x[i] > median + 5 * sd;
        severe += s->x[i] > median + 10 * sd;
        low += s->x[i] < median - 5 * sd;
    }
    assert_close(o.median, median, 1e-14);
    assert_close(o.sd, sd, 1e-12);
    assert_true(o.mild == mild && o.severe == severe && o.low == low);

    struct tare_tail t;
    double both[2 * MOST];
    int only[2] = {0};
    memcpy(both, s->x, n * sizeof *both);
    memcpy(both + n, s->other, n * sizeof *both);
    gsl_sort(both, 1, 2 * n);
    const double threshold = n ? gsl_stats_quantile_from_sorted_data(both, 1, 2 * n, .9) : NAN;
    for (int i = 0; i < s->n; i++)
        if ((s->x[i] > threshold) != (s->other[i] > threshold))
            only[s->other[i] > threshold]++;
    assert_int_equal(tare_tail_sign_test(s->x, s->other, s->n, s->scratch, &t), TARE_OK);
    assert_true(t.a_only == only[0] && t.b_only == only[1]);
    assert_close(t.threshold, threshold, 1e-14);
    const int fewer = only[0] < only[1] ? only[0] : only[1];
    assert_close(t.p, fmin(1, 2 * pbinom(fewer, only[0] + only[1], .5, 1, 0)), 1e-12);
}

static void groups_of_processes(struct sample *s)
{
    ptrdiff_t sizes[MOST] = {0}, groups = 0, inner = 0;
    double means[MOST], within = 0, shares = 0;
    for (int first = 0; first < s->n; first += (int)sizes[groups++]) {
        const int wanted = 1 + (int)(rng_uniform(&s->r) * 7);
        sizes[groups] = wanted < s->n - first ? wanted : s->n - first;
        means[groups] = gsl_stats_mean(s->x + first, 1, (size_t)sizes[groups]);
        if (sizes[groups] < 2)
            continue;
        const double v = gsl_stats_variance(s->x + first, 1, (size_t)sizes[groups]);
        within += v, shares += v / (double)sizes[groups], inner++;
    }
    struct tare_levels l;
    assert_int_equal(tare_two_levels(s->x, sizes, groups, &l), TARE_OK);
    const double of_means = groups > 1 ? gsl_stats_variance(means, 1, (size_t)groups) : NAN;
    const double between = of_means - (inner ? shares / (double)inner : NAN);
    assert_true(l.groups == groups && l.n == s->n);
    assert_close(l.mean, groups ? gsl_stats_mean(means, 1, (size_t)groups) : NAN, 1e-14);
    assert_near(l.within, inner ? within / (double)inner : NAN, 1e-10);
    assert_near(l.of_means, of_means, 1e-10);
    assert_near(l.between, between < 0 ? 0 : between, 1e-10);
    const double cost = 1 + 30 * rng_uniform(&s->r), best = tare_two_levels_best(&l, 1, cost);
    if (!(l.between > 0 && l.within > 0)) {
        assert_true(isnan(l.between) ? isnan(best) : best == (l.within > 0 ? INFINITY : 1));
        return;
    }
    double least = INFINITY, at = 0; /* variance in a given time */
    for (double r = 1; r < 4 * best + 10; r++)
        if ((cost + r) * (l.between + l.within / r) < least)
            least = (cost + r) * (l.between + l.within / r), at = r;
    assert_true(best >= at && best <= at + 1); /* rounded up */
}

/* Ratios of neighbours against the least ratio over a third of the values. */
static void modes_that_lie_apart(struct sample *s)
{
    enum { ROOM = 4 };
    struct tare_mode modes[ROOM];
    int found, i = 0;
    assert_int_equal(tare_modes_by_gaps(s->x, s->n, .05, s->scratch, modes, ROOM, &found), TARE_OK);
    long double dense = INFINITY, n = s->n, allowed_ratio = INFINITY;
    for (int k = 0, third = (s->n + 2) / 3; k + third < s->n; k++)
        dense = fminl(dense, (long double)s->sorted[k + third] / s->sorted[k]);
    if (s->n >= 8)
        allowed_ratio = fmaxl(powl(dense, 1.5L + 4 / sqrtl(n) + 75 / n), 1.05L);
    for (int m = 0; m < found; m++) {
        const int first = i++;
        while (i < s->n && (m == ROOM - 1 || (long double)s->sorted[i] / s->sorted[i - 1] <= allowed_ratio))
            i++;
        const long double a = s->sorted[first + (i - first - 1) / 2], b = s->sorted[first + (i - first) / 2];
        assert_int_equal(modes[m].n, i - first);
        assert_true(modes[m].low == s->sorted[first] && modes[m].high == s->sorted[i - 1]);
        assert_close(modes[m].median, (double)sqrtl(a * b), 1e-15);
    }
    assert_int_equal(i, s->n);
}

static void evidence_of_a_coin_and_averages(struct sample *s)
{
    static const double priors[] = {.5, 20, 800, 30000};
    const double heads = floor(rng_uniform(&s->r) * 40 * s->n), fails = floor(rng_uniform(&s->r) * 40 * s->n);
    long double sum = 0;
    for (size_t i = 0; i < COUNT(priors); i++)
        sum += expl((long double)((heads + fails) * log(2)) + lbeta(heads + priors[i], fails + priors[i]) -
                    lbeta(priors[i], priors[i]));
    assert_near(tare_log_e_coin(heads, fails), (double)logl(sum / COUNT(priors)), 1e-9);

    double log_e[MOST];
    bool rejected[MOST];
    long double mean = 0;
    for (int i = 0; i < s->n; i++) {
        log_e[i] = 6 * rng_normal(&s->r) + (i % 7 ? 0 : 4);
        mean += expl(log_e[i]) / s->n;
    }
    assert_near(tare_log_mean_exp(log_e, s->n), (double)logl(mean), 1e-14);
    int most = 0; /* the largest k that k of them pass */
    for (int k = 1; k <= s->n; k++) {
        int pass = 0;
        for (int i = 0; i < s->n; i++)
            pass += expl(log_e[i]) >= s->n / (k * (long double)s->level);
        most = pass >= k ? k : most;
    }
    assert_int_equal(tare_e_bh(log_e, s->n, s->level, rejected, s->scratch), most);
    for (int i = 0; i < s->n; i++)
        assert_true(rejected[i] == (most && expl(log_e[i]) >= s->n / (most * (long double)s->level)));
    const double share = pow(rng_uniform(&s->r), 3);
    assert_close(tare_chance_to_see(share, s->n), pbinom(0, s->n, share, 0, 0), 1e-12);
}

/* A bet drawn from a normal law of variance `spread` on a sum with so large squares. */
struct bet {
    double sum, squares, spread;
};

static double gain(double z, void *context)
{
    const struct bet *b = context;
    const double l = z * sqrt(b->spread);
    return exp(l * b->sum - l * l * b->squares / 2 - z * z / 2) / sqrt(2 * M_PI);
}

static double expected_gain(struct bet b)
{
    double value, error;
    gsl_integration_workspace *room = gsl_integration_workspace_alloc(1000);
    gsl_integration_qagi(&(gsl_function){gain, &b}, 0, 1e-9, 1000, room, &value, &error);
    gsl_integration_workspace_free(room);
    return value;
}

static void evidence_of_sums(struct sample *s)
{
    const double scale = exp(rng_normal(&s->r)), squares = s->n * 500 * scale, sum = 2 * rng_normal(&s->r) * sqrt(squares);
    const double at[] = {1e3, 3e4, 1e6};
    double mean = 0;
    for (size_t i = 0; i < COUNT(at); i++)
        mean += expected_gain((struct bet){sum, squares, 1 / (scale * at[i])}) / COUNT(at);
    assert_near(tare_log_e_symmetric(sum, squares, scale), log(mean), 1e-7);

    struct tare_interval ci; /* at its ends a bet on the sum has gained 1/level */
    const int n = 2 + s->n * 37, tight = 1 + s->n * 11;
    const double wanted = (-2 * log(s->level) + log(1 - 2 * log(s->level))) / tight, sd = exp(rng_normal(&s->r));
    assert_int_equal(tare_mean_cs_asymptotic(7, sd, n, tight, s->level, &ci), TARE_OK);
    assert_close(expected_gain((struct bet){n * (ci.high - 7) / sd, n, wanted}), 1 / s->level, 1e-7);
    assert_near(ci.high - 7, 7 - ci.low, 1e-12);
}

static void the_first_quiet_window(struct sample *s)
{
    const int k = 2 + s->n % 9;
    const double limit = .03 * rng_uniform(&s->r);
    ptrdiff_t first = -1;
    for (int i = s->n - k; i >= 0; i--)
        first = gsl_stats_sd(s->x + i, 1, (size_t)k) / gsl_stats_mean(s->x + i, 1, (size_t)k) < limit ? i : first;
    assert_int_equal(tare_steady_window_cov(s->x, s->n, k, limit), first);
}

static const struct estimator {
    const char *name;
    void (*check)(struct sample *s);
} estimators[] = {{"moments, means", moments_and_means},
                  {"intervals of means", intervals_of_means},
                  {"intervals of quantiles", intervals_of_quantiles},
                  {"Hodges-Lehmann", walsh_averages},
                  {"Mann-Whitney's shift", differences_of_two_samples},
                  {"Mann-Kendall, dependence", trend_and_dependence},
                  {"outliers, tails", outliers_and_tails},
                  {"two levels", groups_of_processes},
                  {"modes by gaps", modes_that_lie_apart},
                  {"coin, e-BH, averages, chance to see", evidence_of_a_coin_and_averages},
                  {"symmetry, asymptotic sequence", evidence_of_sums},
                  {"window of Georges", the_first_quiet_window}};

static void estimators_agree_with_another_way(void **state)
{
    (void)state;
    for (size_t e = 0; e < COUNT(estimators); e++)
        for (int set = 0; set < SETS; set++) {
            struct sample s = sample_of(set);
            estimators[e].check(&s);
        }
    signrank_free();
    wilcox_free();
}

/* ---- the shift function by its definition: every point (s, t) between values, its quadrants counted anew, the tails by R ---- */

static double deviate_of(double p)
{
    return p < 1 ? -qnorm(p / 2, 0, 1, 1, 0) : 0;
}

static bool is_in_region(const struct sample *s, double q, double z, double at_x, double at_y)
{
    int x = 0, y = 0, both = 0;
    for (int i = 0; i < s->n; i++) {
        x += s->x[i] <= at_x;
        y += s->other[i] <= at_y;
        both += s->x[i] <= at_x && s->other[i] <= at_y;
    }
    const double alone = x + y - 2 * both, opposed = -.95 * fmin(q, 1 - q) / fmax(q, 1 - q);
    const double m = 2 * s->n / (1 + fmax(1 - alone / (2 * s->n * q * (1 - q)), opposed)), k = (x + y) * m / (2 * s->n);
    const double below = k >= m ? 1 : pbeta(1 - q, m - k, k + 1, 1, 0), above = k <= 0 ? 1 : pbeta(q, k, m - k + 1, 1, 0);
    const double by_s = deviate_of(2 * fmin(below, above)), by_t = deviate_of(2 * pbinom(fmin(x, y) - both, alone, .5, 1, 0));
    return by_s * by_s + by_t * by_t <= z * z;
}

static void shift_functions_are_what_their_definition_says(void **state)
{
    (void)state;
    static const double quantiles[] = {.1, .3, .5, .9};
    for (int set = 2; set < SETS; set++) {
        struct sample s = sample_of(set);
        double y[MOST];
        if (set % 6 == 1 || set % 6 == 5 || s.n < 2) /* ties have an order of their own */
            continue;
        for (int i = 0; i < s.n; i++) /* some sets have pairs that share much */
            s.other[i] += set % 4 ? 0 : 3 * s.x[i];
        memcpy(y, s.other, sizeof y);
        tare_sort(y, s.n);
        struct tare_interval ci[COUNT(quantiles)];
        assert_int_equal(stats_shift_function(s.x, s.other, s.n, quantiles, COUNT(quantiles), .2, 1, s.scratch, ci), TARE_OK);
        for (size_t k = 0; k < COUNT(quantiles); k++) {
            const double q = quantiles[k], z = -qnorm(.2 / COUNT(quantiles) / 2, 0, 1, 1, 0);
            double low = ci[k].point, high = ci[k].point;
            for (int i = 0; i <= s.n; i++)
                for (int j = 0; j <= s.n; j++)
                    if (is_in_region(&s, q, z, i ? s.sorted[i - 1] : -1e300, j ? y[j - 1] : -1e300)) {
                        low = fmin(low, j > 0 && i < s.n ? y[j - 1] - s.sorted[i] : -INFINITY);
                        high = fmax(high, i > 0 && j < s.n ? y[j] - s.sorted[i - 1] : INFINITY);
                    }
            assert_near(ci[k].low, low, 1e-12);
            assert_near(ci[k].high, high, 1e-12);
        }
    }
}

/* Up to i of n values: how far from the quantile, squared, by the binomial of R. */
static double off_quantile(int i, int n, double q)
{
    const double tail = fmin(pbinom(i, n, q, 1, 0), i ? pbinom(i - 1, n, q, 0, 0) : 1), z = deviate_of(2 * tail);
    return z * z;
}

static void shift_functions_of_samples_are_what_their_definition_says(void **state)
{
    (void)state;
    static const double quantiles[] = {.1, .3, .5, .9};
    for (int set = 2; set < SETS; set++) {
        struct sample s = sample_of(set);
        double y[MOST];
        const int m = s.n - s.n / 3;
        if (m < 1)
            continue;
        memcpy(y, s.other, sizeof y);
        tare_sort(y, m);
        struct tare_interval ci[COUNT(quantiles)];
        assert_int_equal(stats_shift_function_of_samples(s.x, s.n, s.other, m, quantiles, COUNT(quantiles), .2, 1, s.scratch, ci),
                         TARE_OK);
        for (size_t k = 0; k < COUNT(quantiles); k++) {
            const double q = quantiles[k], z = -qnorm(.2 / COUNT(quantiles) / 2, 0, 1, 1, 0);
            double low = ci[k].point, high = ci[k].point;
            for (int i = 0; i <= s.n; i++)
                for (int j = 0; j <= m; j++)
                    if (off_quantile(i, s.n, q) + off_quantile(j, m, q) <= z * z) {
                        low = fmin(low, j > 0 && i < s.n ? y[j - 1] - s.sorted[i] : -INFINITY);
                        high = fmax(high, i > 0 && j < m ? y[j] - s.sorted[i - 1] : INFINITY);
                    }
            assert_near(ci[k].low, low, 1e-12);
            assert_near(ci[k].high, high, 1e-12);
        }
    }
}

/* Of large samples counts are taken for normal. */
static void a_large_sample_beside_a_small_one_has_the_exact_interval_nearly(void **state)
{
    (void)state;
    enum { N = 9000, M = 50 };
    static double x[N], y[M], scratch[8 * N];
    const double q[] = {.5};
    struct rng r = rng_seeded(31);
    for (int i = 0; i < N; i++)
        x[i] = qnorm(rng_uniform(&r), 0, 1, 1, 0);
    for (int j = 0; j < M; j++)
        y[j] = qnorm(rng_uniform(&r), 1, 1, 1, 0);
    struct tare_interval ci;
    assert_int_equal(stats_shift_function_of_samples(x, N, y, M, q, 1, .05, 1, scratch, &ci), TARE_OK);
    tare_sort(x, N);
    tare_sort(y, M);
    const double z = qnorm(.975, 0, 1, 1, 0);
    double low = ci.point, high = ci.point;
    for (int i = N / 2 - 300; i <= N / 2 + 300; i++) /* 6 standard errors */
        for (int j = 1; j < M; j++)
            if (off_quantile(i, N, .5) + off_quantile(j, M, .5) <= z * z) {
                low = fmin(low, y[j - 1] - x[i]);
                high = fmax(high, y[j] - x[i - 1]);
            }
    assert_near(ci.low, low, 1e-3);
    assert_near(ci.high, high, 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(student_agrees_with_r),
        cmocka_unit_test(normal_agrees_with_r),
        cmocka_unit_test(binomial_and_its_interval_agree_with_r),
        cmocka_unit_test(intervals_of_rates_agree_with_r),
        cmocka_unit_test(nodes_agree_with_r_and_gsl),
        cmocka_unit_test(signed_rank_agrees_with_r),
        cmocka_unit_test(rank_sum_is_near_the_exact_law_of_r),
        cmocka_unit_test(shift_places_are_those_of_r),
        cmocka_unit_test(student_agrees_with_gsl),
        cmocka_unit_test(normal_and_binomial_agree_with_gsl),
        cmocka_unit_test(descriptive_statistics_agree_with_gsl),
        cmocka_unit_test(slope_of_a_line_agrees_with_gsl),
        cmocka_unit_test(estimators_agree_with_another_way),
        cmocka_unit_test(shift_functions_are_what_their_definition_says),
        cmocka_unit_test(shift_functions_of_samples_are_what_their_definition_says),
        cmocka_unit_test(a_large_sample_beside_a_small_one_has_the_exact_interval_nearly),
        cmocka_unit_test(third_looks_spend_what_the_quadrature_of_gsl_says),
    };
    return cmocka_run_group_tests_name("oracles", tests, NULL, NULL);
}
