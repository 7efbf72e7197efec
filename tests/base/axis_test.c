/* SPDX-License-Identifier: MIT */
#include "axis.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void assert_ticks(double low, double high, bool logarithmic, int most, int n, const double *expected)
{
    double ticks[AXIS_TICKS_MAX];
    const struct axis a = axis_over(low, high, logarithmic);
    assert_int_equal(axis_ticks(&a, most, ticks), n);
    for (int i = 0; i < n; i++)
        if (fabs(ticks[i] - expected[i]) > 1e-12 * fabs(expected[i]))
            fail_msg("mark %d is %g, expected %g", i, ticks[i], expected[i]);
}

static void ends_lie_at_0_and_1(void **state)
{
    (void)state;
    const struct axis linear = axis_over(-2, 6, false), logarithmic = axis_over(1, 100, true);
    assert_true(axis_place(&linear, -2) == 0 && axis_place(&linear, 6) == 1 && axis_place(&linear, 0) == 0.25);
    assert_true(axis_place(&logarithmic, 1) == 0 && axis_place(&logarithmic, 100) == 1);
    assert_true(fabs(axis_place(&logarithmic, 10) - 0.5) < 1e-15);
    assert_true(isnan(axis_place(&logarithmic, 0)));
}

static void what_has_no_logarithm_gets_a_linear_axis(void **state)
{
    (void)state;
    assert_false(axis_over(0, 5, true).logarithmic);
    assert_true(axis_wants_logarithm(1, 8));
    assert_false(axis_wants_logarithm(1, 7.9) || axis_wants_logarithm(0, 10) || axis_wants_logarithm(-1, 10));
}

static void one_value_gets_room_around_it(void **state)
{
    (void)state;
    const double values[] = {0, 5, -5};
    for (int i = 0; i < 3; i++) {
        const struct axis a = axis_over(values[i], values[i], false);
        assert_true(a.low < values[i] && values[i] < a.high);
    }
    assert_true(axis_over(5, 5, true).low > 0);
}

static void counts_are_marked_at_whole_numbers(void **state)
{
    (void)state;
    double ticks[AXIS_TICKS_MAX];
    struct axis a = axis_over(0.95, 3.05, false);
    assert_int_equal(axis_ticks(&a, 6, ticks), 5); /* 1, 1.5 ... */
    a.whole = true;
    assert_int_equal(axis_ticks(&a, 6, ticks), 3);
    assert_true(ticks[0] == 1 && ticks[2] == 3);
    a = axis_over(-0.475, 61.475, false); /* 60 rounds, with room on both sides */
    a.whole = true;
    a.first = 1;
    assert_int_equal(axis_ticks(&a, 9, ticks), 6);
    assert_true(ticks[0] == 10 && ticks[5] == 60);
}

static void marks_are_round_and_not_too_many(void **state)
{
    (void)state;
    assert_ticks(0, 10, false, 5, 3, (const double[]){0, 5, 10});
    assert_ticks(0, 10, false, 6, 6, (const double[]){0, 2, 4, 6, 8, 10});
    assert_ticks(-0.3, 0.3, false, 4, 3, (const double[]){-0.2, 0, 0.2});
    assert_ticks(1, 100, true, 7, 7, (const double[]){1, 2, 5, 10, 20, 50, 100});
    assert_ticks(1, 100, true, 6, 5, (const double[]){1, 3, 10, 30, 100});
    assert_ticks(1, 100, true, 4, 3, (const double[]){1, 10, 100});
    assert_ticks(1, 1e8, true, 5, 5, (const double[]){1, 1e2, 1e4, 1e6, 1e8});
    assert_ticks(11, 19, true, 5, 4, (const double[]){12, 14, 16, 18});
    assert_ticks(1.8, 8.9, true, 7, 4, (const double[]){2, 4, 6, 8});
}

static void values_that_are_given_are_marked_where_there_is_room(void **state)
{
    (void)state;
    static const double at[] = {1, 64, 66, 4096, 5000};
    double ticks[AXIS_TICKS_MAX];
    struct axis a = axis_over(32, 4096, true);
    a.at = at;
    a.n_at = 5;
    assert_int_equal(axis_ticks(&a, 9, ticks), 2);
    assert_true(ticks[0] == 64 && ticks[1] == 4096);
}

static void hostile_axes_end(void **state)
{
    (void)state;
    const double ends[] = {-1e308, -1, 0, 5e-324, 1e-300, 1, 1e300, 1e308};
    for (int i = 0; i < 8; i++)
        for (int j = i; j < 8; j++)
            for (int logarithmic = 0; logarithmic < 2; logarithmic++)
                for (int most = 2; most <= AXIS_TICKS_MAX; most++) {
                    double ticks[AXIS_TICKS_MAX];
                    const struct axis a = axis_over(ends[i], ends[j], logarithmic);
                    int n = axis_ticks(&a, most, ticks);
                    assert_in_range(n, 0, most);
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_lie_at_0_and_1),
        cmocka_unit_test(what_has_no_logarithm_gets_a_linear_axis),
        cmocka_unit_test(one_value_gets_room_around_it),
        cmocka_unit_test(counts_are_marked_at_whole_numbers),
        cmocka_unit_test(marks_are_round_and_not_too_many),
        cmocka_unit_test(values_that_are_given_are_marked_where_there_is_room),
        cmocka_unit_test(hostile_axes_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
