/* SPDX-License-Identifier: MIT
 *
 * Values computed elsewhere: 30-digit arithmetic, textbooks' examples, published tables.
 */
#include "stats_test.h"

static void student_quantiles_agree_with_30_digit_arithmetic(void **state)
{
    (void)state;
    const struct {
        double p, df, t;
    } rows[] = {{.975, 1, 12.7062047361747},       {.975, 2, 4.302652729749464},  {.975, 4, 2.776445105197794},
                {.975, 9, 2.262157162798206},      {.975, 29, 2.045229642132704}, {.975, 99, 1.984216951586417},
                {.975, 17.776, 2.102821310380222}, {.995, 1, 63.65674116287158},  {.995, 4, 4.604094871349993},
                {.995, 9, 3.249835541592126},      {.995, 29, 2.756385903670605}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_close(tare_student_quantile(rows[i].p, rows[i].df), rows[i].t, 1e-14);
        assert_close(tare_student_quantile(1 - rows[i].p, rows[i].df), -rows[i].t, 1e-13); /* 1 - p is rounded */
        assert_close(tare_student_cdf(rows[i].t, rows[i].df), rows[i].p, 1e-14);
    }
}

static void student_with_one_and_two_degrees_of_freedom_has_its_closed_form(void **state)
{
    (void)state;
    for (double t = -60; t < 60; t += 0.37) {
        assert_near(tare_student_cdf(t, 1), 0.5 + atan(t) / acos(-1), 1e-15);
        assert_near(tare_student_cdf(t, 2), 0.5 + t / (2 * sqrt(2 + t * t)), 1e-15);
    }
    assert_close(tare_student_quantile(0.5 - 1e-9, 1), tan(acos(-1) * ((0.5 - 1e-9) - 0.5)), 1e-12);
}

static void normal_distribution_agrees_with_30_digit_arithmetic(void **state)
{
    (void)state;
    assert_close(tare_normal_quantile(.975), 1.959963984540054, 1e-15);
    assert_close(tare_normal_quantile(.995), 2.575829303548900, 1e-15);
    assert_close(tare_normal_cdf(-8), 6.22096057427e-16, 1e-12);
    for (double p = 1e-300; p < 1; p = p < 1e-3 ? p * 97 : p + 0.01)
        assert_close(tare_normal_cdf(tare_normal_quantile(p)), p, p < 1e-3 ? 1e-12 : 2e-15); /* z is rounded too */
}

static void signed_rank_k_agrees_with_the_reference_table(void **state)
{
    (void)state;
    const struct {
        ptrdiff_t n, k[3]; /* level .05, .01, .00895 */
    } rows[] = {{5, {0, 0, 0}},        {6, {1, 0, 0}},        {7, {3, 0, 0}},       {8, {4, 1, 1}},     {9, {6, 2, 2}},
                {10, {9, 4, 3}},       {12, {14, 8, 7}},      {15, {26, 16, 16}},   {20, {53, 38, 37}}, {22, {66, 49, 48}},
                {30, {138, 110, 108}}, {33, {171, 139, 137}}, {50, {435, 374, 370}}};
    const double levels[] = {.05, .01, .00895};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        void *scratch = scratch_for(rows[i].n);
        for (int j = 0; j < 3; j++)
            assert_int_equal(tare_signed_rank_k(rows[i].n, levels[j], scratch), rows[i].k[j]);
        free(scratch);
    }
}

static void median_ranks_agree_with_the_reference_table(void **state)
{
    (void)state;
    const struct {
        ptrdiff_t n;
        double level, low, high;
    } rows[] = {{5, .05, -INFINITY, INFINITY},
                {6, .05, 1, 6},
                {6, .01, -INFINITY, INFINITY},
                {10, .05, 2, 9},
                {10, .01, 1, 10},
                {20, .05, 6, 15},
                {20, .01, 4, 17},
                {30, .05, 10, 21},
                {30, .01, 8, 23},
                {50, .05, 18, 33},
                {50, .01, 16, 35},
                {100, .05, 40, 61},
                {100, .01, 37, 64}};
    double ranks[400];
    for (int i = 0; i < 400; i++)
        ranks[i] = i + 1;
    struct tare_interval ci;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(tare_median_ci_binomial(ranks, rows[i].n, rows[i].level, &ci), TARE_OK);
        assert_interval(ci, (double)(rows[i].n + 1) / 2, rows[i].low, rows[i].high, 0);
    }
    const struct {
        double q;
        ptrdiff_t smallest;
    } needs[] = {{.5, 6}, {.9, 36}, {.99, 368}};
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        tare_quantile_ci_binomial(ranks, needs[i].smallest, needs[i].q, .05, &ci);
        assert_true(isfinite(ci.low) && isfinite(ci.high));
        tare_quantile_ci_binomial(ranks, needs[i].smallest - 1, needs[i].q, .05, &ci);
        assert_false(isfinite(ci.low) && isfinite(ci.high));
    }
}

static void an_interval_exists_exactly_from_one_plus_log2_of_one_over_level(void **state)
{
    (void)state;
    double x[40];
    for (int i = 0; i < 40; i++)
        x[i] = i;
    for (int n = 2; n <= 40; n++) {
        void *scratch = scratch_for(n);
        struct tare_interval ci;
        double level = ldexp(1, 1 - n); /* just reached: 2 * 2^-n */
        assert_int_equal(tare_signed_rank_k(n, level, scratch), 1);
        assert_int_equal(tare_signed_rank_k(n, level * (1 - 1e-9), scratch), 0);
        tare_median_ci_binomial(x, n, level, &ci);
        assert_interval(ci, (n - 1) / 2.0, 0, n - 1.0, 0);
        tare_median_ci_binomial(x, n, level * (1 - 1e-9), &ci);
        assert_interval(ci, (n - 1) / 2.0, -INFINITY, INFINITY, 0);
        free(scratch);
    }
}

static void depression_scores_of_hollander_and_wolfe(void **state)
{
    (void)state;
    const double x[] = {1.83, .50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
    const double y[] = {.878, .647, .598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
    double d[9], v, p;
    for (int i = 0; i < 9; i++)
        d[i] = x[i] - y[i];
    void *scratch = scratch_for(9);
    assert_int_equal(tare_signed_rank_test(d, 9, scratch, &v, &p), TARE_OK);
    assert_close(v, 40, 0);
    assert_close(p, .0390625, 1e-15);
    struct tare_interval ci;
    tare_hl_ci_walsh(d, 9, 1 - .9609375, scratch, &ci);
    assert_interval(ci, .46, .010, .786, 1e-12);
    assert_int_equal(tare_signed_rank_k(9, 1 - .9609375, scratch), 6);
    free(scratch);
}

static const double sleep_a[] = {.7, -1.6, -.2, -1.2, -.1, 3.4, 3.7, .8, 0, 2};
static const double sleep_b[] = {1.9, .8, 1.1, .1, -.1, 4.4, 5.5, 1.6, 4.6, 3.4};

static void students_sleep_data_give_the_paired_t_interval(void **state)
{
    (void)state;
    double d[10];
    for (int i = 0; i < 10; i++)
        d[i] = sleep_a[i] - sleep_b[i];
    struct tare_interval ci;
    tare_mean_ci_student(d, 10, .05, &ci);
    assert_interval(ci, -1.58, -2.459885763276982, -.700114236723018, 1e-14);
    double t = ci.point / (tare_stddev(d, 10) / sqrt(10));
    assert_close(t, -4.06212768338204, 1e-14);
    assert_close(2 * tare_student_cdf(t, 9), .00283289019738427, 1e-13);
}

static void sleep_data_have_ties_and_a_zero_and_still_an_exact_p(void **state)
{
    (void)state;
    double d[10], v, p;
    for (int i = 0; i < 10; i++)
        d[i] = sleep_b[i] - sleep_a[i];
    void *scratch = scratch_for(10);
    tare_signed_rank_test(d, 10, scratch, &v, &p);
    /* |d|: 0 .8 1 1.2 1.3 1.4 1.8 ... all others positive: V = 55 - 1, only the sign vector "all" is as extreme */
    assert_close(v, 54, 0);
    assert_close(p, 2 / 512.0, 1e-15);
    free(scratch);
}

static void ratio_example_has_its_fieller_interval(void **state)
{
    (void)state;
    const double a[] = {10.1, 9.9, 10.0, 10.3, 9.8, 10.2}, b[] = {10.4, 10.1, 10.3, 10.6, 10.0, 10.5};
    double d[6];
    for (int i = 0; i < 6; i++)
        d[i] = log(b[i] / a[i]);
    struct tare_interval ci;
    tare_ratio_ci_fieller(a, b, 6, .05, &ci);
    assert_interval(ci, 1.02653399668, 1.02148375255, 1.03142997306, 2e-11);
    tare_mean_ci_student(d, 6, .05, &ci);
    assert_close(exp(ci.point), 1.02646586199, 1e-11);
    assert_close(exp(ci.low), 1.02144535543, 1e-11);
    assert_close(exp(ci.high), 1.03151104486, 1e-11);
    void *scratch = scratch_for(6);
    tare_hl_ci_walsh(d, 6, 1 - .96875, scratch, &ci);
    assert_close(exp(ci.point), 1.02519286389, 1e-11);
    assert_close(exp(ci.low), 1.02020202020, 1e-11);
    assert_close(exp(ci.high), 1.03, 1e-11);
    free(scratch);
}

static void clopper_pearson_agrees_with_the_reference_values(void **state)
{
    (void)state;
    const struct {
        ptrdiff_t k, n;
        double low, high; /* per cent, one decimal */
    } rows[] = {{10, 200, 2.4, 9.0}, {20, 400, 3.1, 7.6}, {50, 1000, 3.7, 6.5}};
    struct tare_interval ci;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tare_binomial_ci_clopper_pearson(rows[i].k, rows[i].n, .05, &ci);
        assert_near(round(ci.low * 1000) / 10, rows[i].low, 1e-9);
        assert_near(round(ci.high * 1000) / 10, rows[i].high, 1e-9);
        assert_close(1 - tare_binomial_cdf(rows[i].k - 1, rows[i].n, ci.low), .025, 1e-11);
        assert_close(tare_binomial_cdf(rows[i].k, rows[i].n, ci.high), .025, 1e-11);
    }
    tare_binomial_ci_clopper_pearson(0, 20, .05, &ci);
    assert_interval(ci, 0, 0, 1 - pow(.025, 1 / 20.0), 1e-13);
    tare_binomial_ci_clopper_pearson(20, 20, .05, &ci);
    assert_interval(ci, 1, pow(.025, 1 / 20.0), 1, 1e-13);
}

static void binomial_distribution_agrees_with_its_sum(void **state)
{
    (void)state;
    for (ptrdiff_t n = 1; n < 40; n += 3) {
        double p = .37, term = pow(1 - p, (double)n), sum = 0;
        for (ptrdiff_t k = 0; k <= n; k++) {
            sum += term;
            assert_close(tare_binomial_cdf(k, n, p), fmin(sum, 1), 1e-13);
            term *= (double)(n - k) / (double)(k + 1) * p / (1 - p);
        }
    }
}

static const int usual_looks[] = {10, 15, 22, 33, 50, 75, 112, 168, 252, 378, 567, 850};

static void look_levels_agree_with_the_simulated_table(void **state)
{
    (void)state;
    const struct {
        int k;
        double z05, z01;
    } rows[] = {{1, 1.960, 2.576}, {2, 2.150, 2.748}, {3, 2.263, 2.853}, {4, 2.351, 2.930},  {5, 2.423, 2.994}, {6, 2.483, 3.043},
                {7, 2.533, 3.092}, {8, 2.576, 3.129}, {9, 2.614, 3.163}, {10, 2.649, 3.194}, {12, 2.709, 3.246}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double level;
        assert_int_equal(tare_looks_level(usual_looks, rows[i].k, .05, &level), TARE_OK);
        assert_near(-tare_normal_quantile(level / 2), rows[i].z05, .004 / rows[i].z05); /* the table is good to .003 or so */
        assert_int_equal(tare_looks_level(usual_looks, rows[i].k, .01, &level), TARE_OK);
        assert_near(-tare_normal_quantile(level / 2), rows[i].z01, .004 / rows[i].z01);
    }
    double level;
    tare_looks_level(usual_looks, 1, .05, &level);
    assert_close(level, .05, 0);
}

/* P(|Z1| < c, |Z2| < c) for correlation rho by Simpson's rule, without the code under test. */
static double two_looks_inside(double c, double rho)
{
    enum { STEPS = 20000 };
    double tau = sqrt(1 - rho * rho), h = 2 * c / STEPS, sum = 0;
    for (int i = 0; i <= STEPS; i++) {
        double y = -c + h * i, w = i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2;
        double inside = 0.5 * (erfc(-(c - rho * y) / tau / sqrt(2)) - erfc((c + rho * y) / tau / sqrt(2)));
        sum += w * exp(-y * y / 2) * inside;
    }
    return sum * h / 3 / sqrt(2 * acos(-1));
}

static void two_looks_spend_exactly_alpha(void **state)
{
    (void)state;
    const int schedules[][2] = {{10, 15}, {6, 600}, {100, 101}, {1, 1000000}, {50, 51}, {10, 20}};
    const double alphas[] = {.2, .05, .01, 1e-4};
    for (size_t s = 0; s < sizeof schedules / sizeof *schedules; s++)
        for (size_t a = 0; a < sizeof alphas / sizeof *alphas; a++) {
            double level;
            assert_int_equal(tare_looks_level(schedules[s], 2, alphas[a], &level), TARE_OK);
            double c = -tare_normal_quantile(level / 2), rho = sqrt((double)schedules[s][0] / schedules[s][1]);
            assert_near(1 - two_looks_inside(c, rho), alphas[a], 1e-8);
        }
}

/* Bounds for five evenly spaced looks, alpha .05: the tables of Lan & DeMets (1983) and Jennison & Turnbull (2000), to their digits. */
static void spent_looks_have_the_published_bounds(void **state)
{
    (void)state;
    static const struct {
        enum tare_spending family;
        double bounds[5];
    } rows[] = {{TARE_SPEND_OBRIEN_FLEMING, {4.877, 3.357, 2.680, 2.290, 2.031}},
                {TARE_SPEND_POCOCK, {2.438, 2.427, 2.410, 2.397, 2.386}}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        int at[5];
        double spent[5], level;
        for (int k = 0; k < 5; k++) {
            at[k] = 20 * (k + 1);
            spent[k] = tare_spending(rows[r].family, NAN, (k + 1) / 5.0, .05);
            assert_int_equal(tare_looks_spent(at, spent, k + 1, &level), TARE_OK);
            assert_true(fabs(-tare_normal_quantile(level / 2) - rows[r].bounds[k]) < .00051);
        }
    }
}

/* What is spent evenly over the looks of an equal-level schedule exits there by the same bound. */
static void looks_of_one_level_spend_what_their_recursion_says(void **state)
{
    (void)state;
    for (int k = 1; k <= 2; k++) {
        const int at[] = {10, 15};
        double equal, level, spent[2];
        tare_looks_level(at, k, .05, &equal);
        spent[0] = equal, spent[k - 1] = .05;
        assert_int_equal(tare_looks_spent(at, spent, k, &level), TARE_OK);
        assert_close(level, equal, 1e-8);
    }
}

static void looks_that_nearly_coincide_err_to_the_safe_side(void **state)
{
    (void)state;
    const int tight[] = {1000000, 1000001}, looser[] = {1000000, 1000400};
    double level, looser_level;
    assert_int_equal(tare_looks_level(tight, 2, .05, &level), TARE_OK);
    tare_looks_level(looser, 2, .05, &looser_level);
    double c = -tare_normal_quantile(level / 2), rho = sqrt(1000000 / 1000001.0);
    assert_true(1 - two_looks_inside(c, rho) <= .05);
    assert_true(level > .045 && level >= looser_level);
    int every[40];
    for (int i = 0; i < 40; i++)
        every[i] = 10 + i;
    assert_int_equal(tare_looks_level(every, 40, .05, &level), TARE_OK);
    assert_true(level > .05 / 40 && level < .05);
}

/* Student 1908 as two groups, as R's t.test(extra ~ group, data = sleep) has them: t = -1.8608, df = 17.776. */
static void sleep_data_as_two_groups_give_the_interval_of_welch(void **state)
{
    (void)state;
    static const double x[] = {.7, -1.6, -.2, -1.2, -.1, 3.4, 3.7, .8, 0, 2},
                        y[] = {1.9, .8, 1.1, .1, -.1, 4.4, 5.5, 1.6, 4.6, 3.4}, same[] = {5, 5, 5}, other[] = {7, 7};
    struct tare_interval i;
    assert_int_equal(tare_shift_ci_welch(x, 10, y, 10, .05, &i), TARE_OK);
    assert_true(fabs(i.point - 1.58) < 1e-12);
    assert_true(fabs(i.low - -.2054832) < 5e-8 && fabs(i.high - 3.3654832) < 5e-8);
    assert_int_equal(i.n, 10);
    assert_int_equal(tare_shift_ci_welch(same, 3, other, 2, .05, &i), TARE_OK);
    assert_true(i.point == 2 && i.low == 2 && i.high == 2);
    assert_int_equal(tare_shift_ci_welch(x, 10, y, 1, .05, &i), TARE_OK);
    assert_true(i.low == -INFINITY && i.high == INFINITY && i.n == 1);
    const double broken[] = {1, NAN};
    assert_int_equal(tare_shift_ci_welch(x, 10, broken, 2, .05, &i), TARE_INVALID);
    assert_int_equal(tare_shift_ci_welch(x, 10, y, 10, 0, &i), TARE_INVALID);
}

int reference_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(student_quantiles_agree_with_30_digit_arithmetic),
        cmocka_unit_test(student_with_one_and_two_degrees_of_freedom_has_its_closed_form),
        cmocka_unit_test(normal_distribution_agrees_with_30_digit_arithmetic),
        cmocka_unit_test(signed_rank_k_agrees_with_the_reference_table),
        cmocka_unit_test(median_ranks_agree_with_the_reference_table),
        cmocka_unit_test(an_interval_exists_exactly_from_one_plus_log2_of_one_over_level),
        cmocka_unit_test(depression_scores_of_hollander_and_wolfe),
        cmocka_unit_test(students_sleep_data_give_the_paired_t_interval),
        cmocka_unit_test(sleep_data_have_ties_and_a_zero_and_still_an_exact_p),
        cmocka_unit_test(sleep_data_as_two_groups_give_the_interval_of_welch),
        cmocka_unit_test(ratio_example_has_its_fieller_interval),
        cmocka_unit_test(clopper_pearson_agrees_with_the_reference_values),
        cmocka_unit_test(binomial_distribution_agrees_with_its_sum),
        cmocka_unit_test(look_levels_agree_with_the_simulated_table),
        cmocka_unit_test(two_looks_spend_exactly_alpha),
        cmocka_unit_test(spent_looks_have_the_published_bounds),
        cmocka_unit_test(looks_of_one_level_spend_what_their_recursion_says),
        cmocka_unit_test(looks_that_nearly_coincide_err_to_the_safe_side),
    };
    return cmocka_run_group_tests_name("reference values", tests, NULL, NULL);
}
