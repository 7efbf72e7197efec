/* SPDX-License-Identifier: MIT
 *
 * Two levels of repetition, modes that lie apart, and series that settle.
 */
#include "rng.h"
#include "rng_normal.h"
#include "stats_test.h"

/* ---- two levels ---- */

static const double kalibera[] = {10, 10.2, 10.1, 10.6, 10.4, 10.5, 9.8, 9.9, 10, 10.3, 10.5, 10.4};

static void levels_of_the_reference_rows(void **state)
{
    (void)state;
    const ptrdiff_t sizes[] = {3, 3, 3, 3};
    struct tare_levels l;
    assert_int_equal(tare_two_levels(kalibera, sizes, 4, &l), TARE_OK);
    assert_close(l.within, .01, 1e-12);
    assert_close(l.of_means, .0758333333333333, 1e-12);
    assert_close(l.between, .0725, 1e-12);
    assert_close(l.mean, 10.225, 1e-15);
    assert_int_equal(l.n, 12);
    assert_close(tare_two_levels_best(&l, 1, 10), 2, 0); /* 1.174, rounded up */
    const double means[] = {10.1, 10.5, 9.9, 10.4};
    struct tare_interval i;
    tare_mean_ci_student(means, 4, .05, &i);
    assert_close((i.high - i.low) / 2, .438188688483, 1e-11);
}

static void groups_that_do_not_differ_ask_for_one_long_group(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3, 3, 2, 1, 2, 1, 3};
    const ptrdiff_t sizes[] = {3, 3, 3};
    struct tare_levels l;
    tare_two_levels(x, sizes, 3, &l);
    assert_close(l.between, 0, 0);
    assert_true(isinf(tare_two_levels_best(&l, 1, 1)));
    assert_close(tare_two_levels_best(&(struct tare_levels){.within = 0, .between = 0}, 1, 1), 1, 0);
}

static void levels_that_cannot_be_told_are_nan(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3};
    const ptrdiff_t one[] = {3}, singles[] = {1, 1, 1}, none[] = {0};
    struct tare_levels l;
    assert_int_equal(tare_two_levels(x, one, 1, &l), TARE_OK);
    assert_close(l.within, 1, 0);
    assert_true(isnan(l.between) && isnan(tare_two_levels_best(&l, 1, 1)));
    assert_int_equal(tare_two_levels(x, singles, 3, &l), TARE_OK);
    assert_true(isnan(l.within) && isnan(l.between));
    assert_close(l.of_means, 1, 0);
    assert_int_equal(tare_two_levels(x, singles, 0, &l), TARE_OK);
    assert_true(isnan(l.mean));
    assert_int_equal(tare_two_levels(x, none, 1, &l), TARE_INVALID);
    assert_int_equal(tare_two_levels((const double[]){NAN}, singles, 1, &l), TARE_INVALID);
}

static void unequal_groups_give_what_was_planted(void **state)
{
    (void)state;
    enum { GROUPS = 4000 };
    static double x[GROUPS * 8];
    static ptrdiff_t sizes[GROUPS];
    struct rng r = rng_seeded(31);
    ptrdiff_t n = 0;
    for (int g = 0; g < GROUPS; g++) {
        double level = 100 + 2 * rng_normal(&r);
        sizes[g] = 2 + (ptrdiff_t)rng_below(&r, 7);
        for (ptrdiff_t i = 0; i < sizes[g]; i++)
            x[n++] = level + 3 * rng_normal(&r);
    }
    struct tare_levels l;
    tare_two_levels(x, sizes, GROUPS, &l);
    assert_close(l.within, 9, .05);
    assert_close(l.between, 4, .06);
}

/* ---- modes ---- */

static void one_far_value_is_a_mode(void **state)
{
    (void)state;
    double x[33], room[33];
    struct rng r = rng_seeded(5);
    for (int i = 0; i < 33; i++)
        x[i] = 100 * exp(.02 * rng_normal(&r));
    x[7] *= 10;
    struct tare_mode m[4];
    int n;
    assert_int_equal(tare_modes_by_gaps(x, 33, .05, room, m, 4, &n), TARE_OK);
    assert_int_equal(n, 2);
    assert_int_equal(m[0].n, 32);
    assert_int_equal(m[1].n, 1);
    assert_close(m[1].median, x[7], 1e-12);
    assert_close(m[0].median, 100, .02);
}

static void modes_of_any_share_are_told(void **state)
{
    (void)state;
    double x[30], room[30];
    struct rng r = rng_seeded(6);
    struct tare_mode m[4];
    for (int share = 3; share <= 27; share += 3) {
        int n;
        for (int i = 0; i < 30; i++)
            x[i] = (i < share ? 100 : 150) * exp(.01 * rng_normal(&r));
        tare_modes_by_gaps(x, 30, .05, room, m, 4, &n);
        assert_int_equal(n, 2);
        assert_int_equal(m[0].n, share);
        assert_true(m[0].high < 110 && m[1].low > 140);
    }
}

static void too_many_modes_end_in_the_last(void **state)
{
    (void)state;
    double x[40], room[40];
    for (int i = 0; i < 40; i++)
        x[i] = i < 20 ? 10 : i < 30 ? 20 : i < 35 ? 30 : 40;
    struct tare_mode m[3];
    int n;
    tare_modes_by_gaps(x, 40, .05, room, m, 3, &n);
    assert_int_equal(n, 3);
    assert_int_equal(m[0].n + m[1].n + m[2].n, 40);
    assert_close(m[2].low, 30, 1e-12);
    assert_close(m[2].high, 40, 1e-12);
}

static void few_or_small_gaps_are_no_modes(void **state)
{
    (void)state;
    double room[20];
    struct tare_mode m[4];
    int n;
    tare_modes_by_gaps((const double[]){1, 1, 1, 9, 9, 9, 9}, 7, .05, room, m, 4, &n);
    assert_int_equal(n, 1);
    tare_modes_by_gaps((const double[]){1, 1, 1, 1, 1, 1, 1, 1.04, 1.04}, 9, .05, room, m, 4, &n);
    assert_int_equal(n, 1);
    tare_modes_by_gaps((const double[]){1, 1, 1, 1, 1, 1, 1, 1.06, 1.06}, 9, .05, room, m, 4, &n);
    assert_int_equal(n, 2);
    assert_int_equal(tare_modes_by_gaps((const double[]){0}, 1, .05, room, m, 4, &n), TARE_INVALID);
    assert_int_equal(tare_modes_by_gaps(NULL, 0, .05, room, m, 4, &n), TARE_OK);
    assert_int_equal(n, 0);
}

static void the_chance_to_see_a_rare_mode(void **state)
{
    (void)state;
    assert_close(tare_chance_to_see(.01, 30), 0.260299627, 1e-8);
    assert_close(tare_chance_to_see(0, 30), 0, 0);
    assert_close(tare_chance_to_see(1, 1), 1, 0);
    assert_true(isnan(tare_chance_to_see(1.5, 3)));
}

/* ---- steady state ---- */

enum { SERIES = 300 };

static struct tare_steady steady_of(const double *x, ptrdiff_t n)
{
    void *scratch = malloc(tare_steady_scratch_bytes(n) + 1);
    struct tare_steady s;
    assert_int_equal(tare_steady_state(x, n, scratch, &s), TARE_OK);
    free(scratch);
    return s;
}

static void noisy(double *x, uint64_t seed, double sd)
{
    struct rng r = rng_seeded(seed);
    for (int i = 0; i < SERIES; i++)
        x[i] = 1000 * exp(sd * rng_normal(&r));
}

static void noise_alone_is_flat(void **state)
{
    (void)state;
    double x[SERIES];
    noisy(x, 11, .01);
    struct tare_steady s = steady_of(x, SERIES);
    assert_string_equal(tare_steady_name(s.word), "flat");
    assert_int_equal(s.onset, 0);
    assert_close(s.sigma, .01, .25);
    assert_close(s.level, 1000, .005);
}

static void a_slow_beginning_is_a_warm_up_with_its_end(void **state)
{
    (void)state;
    double x[SERIES];
    noisy(x, 12, .01);
    for (int i = 0; i < 60; i++)
        x[i] *= 1.5;
    struct tare_steady s = steady_of(x, SERIES);
    assert_string_equal(tare_steady_name(s.word), "warm-up");
    assert_true(s.onset >= 58 && s.onset <= 62);
    assert_close(s.level, 1000, .005);
}

static void a_fast_beginning_is_a_slow_down(void **state)
{
    (void)state;
    double x[SERIES];
    noisy(x, 13, .01);
    for (int i = 0; i < 100; i++)
        x[i] *= .8;
    struct tare_steady s = steady_of(x, SERIES);
    assert_string_equal(tare_steady_name(s.word), "slow-down");
    assert_true(s.onset >= 98 && s.onset <= 102);
}

static void a_late_change_and_a_drift_are_no_steady_state(void **state)
{
    (void)state;
    double x[SERIES];
    noisy(x, 14, .01);
    for (int i = 250; i < SERIES; i++)
        x[i] *= 1.2;
    assert_string_equal(tare_steady_name(steady_of(x, SERIES).word), "no steady state");
    noisy(x, 15, .01);
    for (int i = 0; i < SERIES; i++)
        x[i] *= 1 + .003 * i;
    assert_string_equal(tare_steady_name(steady_of(x, SERIES).word), "no steady state");
}

static void spikes_are_counted_and_change_nothing(void **state)
{
    (void)state;
    double x[SERIES];
    noisy(x, 16, .01);
    for (int i = 20; i < SERIES; i += 40)
        x[i] *= 4;
    struct tare_steady s = steady_of(x, SERIES);
    assert_string_equal(tare_steady_name(s.word), "flat");
    assert_int_equal(s.outliers, 7);
}

static void a_decay_ends_where_a_hundredth_is_left(void **state)
{
    (void)state;
    double x[SERIES];
    for (int tau = 5; tau <= 40; tau += 5) {
        noisy(x, 17 + (uint64_t)tau, .005);
        for (int i = 0; i < SERIES; i++)
            x[i] *= 1 + .1 * exp(-(double)i / tau);
        struct tare_steady s = steady_of(x, SERIES);
        assert_string_equal(tare_steady_name(s.word), "warm-up");
        assert_true(s.level < 1005); /* within half a percent of where it goes */
    }
}

static void constant_and_short_series(void **state)
{
    (void)state;
    double x[SERIES];
    for (int i = 0; i < SERIES; i++)
        x[i] = 5;
    struct tare_steady s = steady_of(x, SERIES);
    assert_string_equal(tare_steady_name(s.word), "flat");
    assert_int_equal(s.segments, 1);
    assert_string_equal(tare_steady_name(steady_of(x, 11).word), "unknown");
    assert_string_equal(tare_steady_name(steady_of(x, 0).word), "unknown");
    x[3] = -1;
    double scratch[8 * (SERIES + 1)];
    assert_int_equal(tare_steady_state(x, SERIES, scratch, &s), TARE_INVALID);
    x[3] = NAN;
    assert_int_equal(tare_steady_state(x, SERIES, scratch, &s), TARE_INVALID);
}

static void the_published_window_is_the_first_that_is_quiet(void **state)
{
    (void)state;
    const double x[] = {10, 8, 6, 5, 5.01, 5, 4.99, 5};
    assert_int_equal(tare_steady_window_cov(x, 8, 3, .02), 3);
    assert_int_equal(tare_steady_window_cov(x, 8, 8, .02), -1);
    assert_int_equal(tare_steady_window_cov(x, 4, 5, .02), -1);
    double drifting[30];
    for (int i = 0; i < 30; i++)
        drifting[i] = 100 * (1 + .003 * i);
    assert_int_equal(tare_steady_window_cov(drifting, 30, 10, .02), 0); /* what it is known for */
}

int levels_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_of_the_reference_rows),
        cmocka_unit_test(groups_that_do_not_differ_ask_for_one_long_group),
        cmocka_unit_test(levels_that_cannot_be_told_are_nan),
        cmocka_unit_test(unequal_groups_give_what_was_planted),
        cmocka_unit_test(one_far_value_is_a_mode),
        cmocka_unit_test(modes_of_any_share_are_told),
        cmocka_unit_test(too_many_modes_end_in_the_last),
        cmocka_unit_test(few_or_small_gaps_are_no_modes),
        cmocka_unit_test(the_chance_to_see_a_rare_mode),
        cmocka_unit_test(noise_alone_is_flat),
        cmocka_unit_test(a_slow_beginning_is_a_warm_up_with_its_end),
        cmocka_unit_test(a_fast_beginning_is_a_slow_down),
        cmocka_unit_test(a_late_change_and_a_drift_are_no_steady_state),
        cmocka_unit_test(spikes_are_counted_and_change_nothing),
        cmocka_unit_test(a_decay_ends_where_a_hundredth_is_left),
        cmocka_unit_test(constant_and_short_series),
        cmocka_unit_test(the_published_window_is_the_first_that_is_quiet),
    };
    return cmocka_run_group_tests_name("levels, modes and series that settle", tests, NULL, NULL);
}
