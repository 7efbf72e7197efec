/* SPDX-License-Identifier: MIT
 *
 * Properties that hold for any data: shift and scale, order, mirror, nesting of levels. Data are drawn on a grid of 2^-20, shifts and
 * scales are powers of two, so that equality is exact where the mathematics says so.
 */
#include "repeated.h"
#include "rng.h"
#include "rng_normal.h"
#include "stats_test.h"

enum { N_MAX = 230, ROUNDS = REPEATED(400) };

struct sample {
    int n;
    double x[N_MAX], level;
};

static double on_grid(double v)
{
    return ldexp(round(ldexp(v, 20)), -20);
}

static struct sample draw_sample(struct rng *r)
{
    struct sample s = {.n = 1 + (int)rng_below(r, N_MAX), .level = exp(-1 - 8 * rng_uniform(r))};
    int kind = (int)rng_below(r, 4);
    for (int i = 0; i < s.n; i++)
        s.x[i] = on_grid(kind == 0   ? rng_normal(r)
                         : kind == 1 ? exp(rng_normal(r))
                         : kind == 2 ? (double)rng_below(r, 6)
                                     : fmax(-1e4, fmin(1e4, rng_normal(r) / rng_normal(r))));
    return s;
}

static struct sample transformed(const struct sample *s, double scale, double shift)
{
    struct sample t = *s;
    for (int i = 0; i < s->n; i++)
        t.x[i] = scale * s->x[i] + shift;
    return t;
}

static struct tare_interval hl(const struct sample *s, double level)
{
    static double scratch[2 * N_MAX + 200 * 201];
    struct tare_interval ci;
    assert_int_equal(tare_hl_ci_walsh(s->x, s->n, level, scratch, &ci), TARE_OK);
    return ci;
}

static struct tare_interval median(const struct sample *s, double level)
{
    struct sample sorted = *s;
    tare_sort(sorted.x, s->n);
    struct tare_interval ci;
    assert_int_equal(tare_median_ci_binomial(sorted.x, s->n, level, &ci), TARE_OK);
    return ci;
}

static struct tare_interval student(const struct sample *s, double level)
{
    struct tare_interval ci;
    assert_int_equal(tare_mean_ci_student(s->x, s->n, level, &ci), TARE_OK);
    return ci;
}

static void intervals_move_with_the_data(void **state)
{
    (void)state;
    struct rng r = rng_seeded(21);
    for (int i = 0; i < ROUNDS; i++) {
        struct sample s = draw_sample(&r), t = transformed(&s, 8, -16);
        struct tare_interval a = hl(&s, s.level), b = hl(&t, s.level);
        assert_interval(b, 8 * a.point - 16, 8 * a.low - 16, 8 * a.high - 16, 0);
        a = median(&s, s.level), b = median(&t, s.level);
        assert_interval(b, 8 * a.point - 16, 8 * a.low - 16, 8 * a.high - 16, 0);
        a = student(&s, s.level), b = student(&t, s.level);
        double size = fabs(a.point) + 16;
        assert_near(b.point, 8 * a.point - 16, 1e-12 * size);
        if (isfinite(a.low))
            assert_near(b.high - b.low, 8 * (a.high - a.low), 1e-11 * (size + a.high - a.low));
    }
}

static void intervals_of_mirrored_data_are_mirrored(void **state)
{
    (void)state;
    struct rng r = rng_seeded(22);
    for (int i = 0; i < ROUNDS; i++) {
        struct sample s = draw_sample(&r), t = transformed(&s, -1, 0);
        struct tare_interval a = hl(&s, s.level), b = hl(&t, s.level);
        assert_interval(b, -a.point, -a.high, -a.low, 0);
        a = median(&s, s.level), b = median(&t, s.level);
        assert_interval(b, -a.point, -a.high, -a.low, 0);
    }
}

static void order_of_the_data_does_not_matter_to_hodges_lehmann(void **state)
{
    (void)state;
    struct rng r = rng_seeded(23);
    for (int i = 0; i < ROUNDS; i++) {
        struct sample s = draw_sample(&r), t = s;
        tare_sort(t.x, t.n);
        struct tare_interval a = hl(&s, s.level), b = hl(&t, s.level);
        assert_interval(b, a.point, a.low, a.high, 0);
    }
}

static void intervals_hold_their_point_and_grow_with_confidence(void **state)
{
    (void)state;
    struct rng r = rng_seeded(24);
    struct tare_interval (*const kinds[])(const struct sample *, double) = {hl, median, student};
    for (int i = 0; i < ROUNDS; i++) {
        struct sample s = draw_sample(&r);
        for (int k = 0; k < 3; k++) {
            struct tare_interval wide = kinds[k](&s, s.level / 4), narrow = kinds[k](&s, s.level);
            assert_true(narrow.low <= narrow.point && narrow.point <= narrow.high);
            assert_true(wide.low <= narrow.low && narrow.high <= wide.high);
        }
    }
}

static void ratio_scales_and_inverts(void **state)
{
    (void)state;
    struct rng r = rng_seeded(25);
    double x[40], y[40], y8[40];
    for (int i = 0; i < ROUNDS; i++) {
        int n = 10 + (int)rng_below(&r, 31);
        for (int j = 0; j < n; j++) {
            x[j] = exp(.1 * rng_normal(&r));
            y[j] = x[j] * exp(.1 * rng_normal(&r));
            y8[j] = 8 * y[j];
        }
        struct tare_interval a, b, inverse;
        tare_ratio_ci_fieller(x, y, n, .01, &a);
        tare_ratio_ci_fieller(x, y8, n, .01, &b);
        assert_interval(b, 8 * a.point, 8 * a.low, 8 * a.high, 1e-13);
        tare_ratio_ci_fieller(y, x, n, .01, &inverse);
        assert_interval(inverse, 1 / a.point, 1 / a.high, 1 / a.low, 1e-11);
    }
}

static void ratio_ends_satisfy_fiellers_equation(void **state)
{
    (void)state;
    struct rng r = rng_seeded(26);
    double x[20], y[20], residual[20];
    for (int i = 0; i < ROUNDS; i++) {
        for (int j = 0; j < 20; j++) {
            x[j] = 5 + rng_normal(&r);
            y[j] = 4 + rng_normal(&r);
        }
        struct tare_interval ci;
        tare_ratio_ci_fieller(x, y, 20, .05, &ci);
        double t = tare_student_quantile(.975, 19);
        for (int end = 0; end < 2; end++) {
            for (int j = 0; j < 20; j++)
                residual[j] = y[j] - (end ? ci.high : ci.low) * x[j];
            double statistic = tare_mean(residual, 20) / (tare_stddev(residual, 20) / sqrt(20));
            assert_close(fabs(statistic), t, 1e-11);
        }
    }
}

static void student_quantile_inverts_its_distribution(void **state)
{
    (void)state;
    struct rng r = rng_seeded(27);
    for (int i = 0; i < REPEATED(3000); i++) {
        double df = exp(12 * rng_uniform(&r) - .69), p = rng_below(&r, 2) ? rng_uniform(&r) / 2 : exp(-40 * rng_uniform(&r)) / 2;
        assert_close(tare_student_cdf(tare_student_quantile(p, df), df), p, 1e-12);
    }
}

static void clopper_pearson_mirrors_and_holds_the_share(void **state)
{
    (void)state;
    struct rng r = rng_seeded(28);
    for (int i = 0; i < ROUNDS; i++) {
        ptrdiff_t n = 1 + (ptrdiff_t)rng_below(&r, 1000), k = (ptrdiff_t)rng_below(&r, (uint64_t)n + 1);
        struct tare_interval a, b;
        tare_binomial_ci_clopper_pearson(k, n, .05, &a);
        tare_binomial_ci_clopper_pearson(n - k, n, .05, &b);
        assert_true(a.low <= a.point && a.point <= a.high);
        assert_near(b.low, 1 - a.high, 1e-14);
        assert_near(b.high, 1 - a.low, 1e-14);
    }
}

static void more_looks_make_each_look_stricter(void **state)
{
    (void)state;
    struct rng r = rng_seeded(29);
    for (int i = 0; i < REPEATED(60); i++) {
        int at[12], k = 2 + (int)rng_below(&r, 11);
        at[0] = 6 + (int)rng_below(&r, 30);
        for (int j = 1; j < k; j++)
            at[j] = at[j - 1] + 1 + (int)rng_below(&r, (uint64_t)at[j - 1]);
        double before = .05, level;
        for (int j = 2; j <= k; j++) {
            assert_int_equal(tare_looks_level(at, j, .05, &level), TARE_OK);
            assert_true(level < before && level > .05 / j);
            before = level;
        }
    }
}

/* Holm, Bonferroni and Benjamini-Hochberg ask the same looks at several levels: who passes at one passes at each looser one. */
static void levels_of_spent_looks_are_nested_in_alpha(void **state)
{
    (void)state;
    static const double alphas[] = {1e-9, 9e-7, 1.1e-6, 1e-4, .001, .05 / 7, .05 / 3, .05, .1, .3, .6};
    enum { ALPHAS = sizeof alphas / sizeof *alphas, LOOKS = 12 };
    struct rng r = rng_seeded(31);
    for (int i = 0; i < REPEATED(90); i++) {
        int at[LOOKS];
        double share[LOOKS], spent[LOOKS], before[LOOKS] = {0}, exponent = .1 + 3 * rng_uniform(&r);
        for (int j = 0; j < LOOKS; j++) {
            at[j] = (j ? at[j - 1] : 5) + 1 + (int)rng_below(&r, j ? (uint64_t)at[j - 1] : 30);
            share[j] = j ? share[j - 1] + rng_uniform(&r) * (1 - share[j - 1]) : .3 * rng_uniform(&r);
        }
        for (int a = 0; a < ALPHAS; a++)
            for (int j = 0; j < LOOKS; j++) {
                double level;
                spent[j] = tare_spending((enum tare_spending)(i % 3), exponent, share[j], alphas[a]);
                assert_int_equal(tare_looks_spent(at, spent, j + 1, &level), TARE_OK);
                assert_true(level >= before[j] * (1 - 1e-9));
                assert_true(level <= spent[j] * (1 + 1e-12) && level >= spent[j] - (j ? spent[j - 1] : 0));
                before[j] = level;
            }
    }
}

int property_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_move_with_the_data),
        cmocka_unit_test(intervals_of_mirrored_data_are_mirrored),
        cmocka_unit_test(order_of_the_data_does_not_matter_to_hodges_lehmann),
        cmocka_unit_test(intervals_hold_their_point_and_grow_with_confidence),
        cmocka_unit_test(ratio_scales_and_inverts),
        cmocka_unit_test(ratio_ends_satisfy_fiellers_equation),
        cmocka_unit_test(student_quantile_inverts_its_distribution),
        cmocka_unit_test(clopper_pearson_mirrors_and_holds_the_share),
        cmocka_unit_test(more_looks_make_each_look_stricter),
        cmocka_unit_test(levels_of_spent_looks_are_nested_in_alpha),
    };
    return cmocka_run_group_tests_name("properties", tests, NULL, NULL);
}
