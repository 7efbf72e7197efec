/* SPDX-License-Identifier: MIT
 *
 * Machines of a class. The reference values follow from the definitions by hand.
 */
#include "stats_beyond.h"
#include "stats_test.h"

enum { MOST = 1000 };
static double scratch[MOST + STATS_CLASS_SCRATCH];

static void the_closest_quarters_say_where_the_class_is(void **state)
{
    (void)state;
    const double four[] = {10, 1, 3, 2}, eight[] = {9, 30, 11, 10, 31, 12, 8, 13}; /* h = 3; h = 6, and two are far */
    struct stats_class c;
    assert_int_equal(stats_class(four, 4, scratch, &c), TARE_OK);
    assert_close(c.center, 2, 0);
    assert_close(c.scale, 1, 1e-15);
    assert_int_equal(stats_class(eight, 8, scratch, &c), TARE_OK);
    assert_close(c.center, 10.5, 0);
    assert_close(c.scale, sqrt(3.5), 1e-15);
}

/* Of windows that slide: what was far away before leaves nothing behind. */
static void the_closest_may_be_anywhere(void **state)
{
    (void)state;
    struct stats_class c;
    double x[101];
    for (int at = 0; at + 76 <= 101; at += 5) {
        for (int i = 0; i < 101; i++)
            x[i] = i < at || i >= at + 76 ? 1e9 * (i - at) : i - at;
        assert_int_equal(stats_class(x, 101, scratch, &c), TARE_OK);
        assert_close(c.center, 37.5, 1e-12);
        assert_close(c.scale, sqrt(76. * 77 / 12), 1e-12); /* of 0 ... 75 */
    }
}

static void equal_values_have_no_scale(void **state)
{
    (void)state;
    const double x[] = {.1, .3, .1, .1, .1};
    struct stats_class c;
    assert_int_equal(stats_class(x, 5, scratch, &c), TARE_OK);
    assert_true(c.center == .1 && c.scale == 0);
}

static void what_cannot_be_judged_is_refused(void **state)
{
    (void)state;
    const double x[] = {1, NAN, 3, INFINITY};
    struct stats_class c;
    double limit;
    assert_int_equal(stats_class(x, 2, scratch, &c), TARE_TOO_FEW);
    assert_true(isnan(c.center) && isnan(c.scale));
    assert_int_equal(stats_class(x, 3, scratch, &c), TARE_INVALID);
    assert_int_equal(stats_class(x + 1, 3, scratch, &c), TARE_INVALID);
    assert_int_equal(stats_class_limit(2, .03, false, scratch, &limit), TARE_TOO_FEW);
    assert_int_equal(stats_class_limit(8, 0, false, scratch, &limit), TARE_INVALID);
    assert_true(isnan(limit));
    assert_int_equal(stats_class_limit(8, 1e-5, false, scratch, &limit), TARE_OK); /* rarer than the draws can tell */
    assert_true(limit == INFINITY);
}

static void the_limit_is_the_same_each_time_and_falls_with_more_machines(void **state)
{
    (void)state;
    static const ptrdiff_t sizes[] = {3, 4, 8, 20, 60};
    double before = INFINITY;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        double limit, again, above, rarer;
        stats_class_limit(sizes[i], .03, false, scratch, &limit);
        stats_class_limit(sizes[i], .03, false, scratch, &again);
        stats_class_limit(sizes[i], .03, true, scratch, &above);
        stats_class_limit(sizes[i], .01, false, scratch, &rarer);
        print_message("             %td machines: %.3g, above alone %.3g, for 1 %% %.3g\n", sizes[i], limit, above, rarer);
        assert_true(limit == again && above < limit && limit < rarer && limit < before);
        before = limit;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_closest_quarters_say_where_the_class_is),
        cmocka_unit_test(the_closest_may_be_anywhere),
        cmocka_unit_test(equal_values_have_no_scale),
        cmocka_unit_test(what_cannot_be_judged_is_refused),
        cmocka_unit_test(the_limit_is_the_same_each_time_and_falls_with_more_machines),
    };
    return cmocka_run_group_tests_name("machines of a class", tests, NULL, NULL);
}
