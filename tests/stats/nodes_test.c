/* SPDX-License-Identifier: MIT
 *
 * Nodes of a class. The reference values were computed with numpy from the definitions, with t(.975, 4) of a table.
 */
#include "stats_beyond.h"
#include "stats_test.h"

static const double x[] = {.021, .034, .012, .047, .029}, se[] = {.004, .006, .003, .009, .005};

static void five_nodes_give_what_the_definitions_say(void **state)
{
    (void)state;
    struct stats_nodes n;
    assert_int_equal(stats_nodes(x, se, 5, .05, &n), TARE_OK);
    assert_interval(n.mean, .028600000000000004, .012160256126644824, .04503974387335519, 1e-12);
    assert_interval(n.predicted, .028600000000000004, -.011668983991766097, .06886898399176611, 1e-12);
    assert_close(n.sd, .01324009063413087, 1e-12);
    assert_close(n.tau, .011912178642045291, 1e-12);
    assert_close(n.share, .809469480889903, 1e-12);
}

static void the_mean_is_that_of_sessions(void **state)
{
    (void)state;
    struct stats_nodes n;
    struct tare_interval sessions;
    for (ptrdiff_t count = 0; count <= 5; count++) {
        assert_int_equal(stats_nodes(x, se, count, .05, &n), tare_mean_ci_student(x, count, .05, &sessions));
        assert_interval(n.mean, sessions.point, sessions.low, sessions.high, 0);
    }
}

static void another_node_is_predicted_from_four_on(void **state)
{
    (void)state;
    struct stats_nodes n;
    stats_nodes(x, se, 3, .05, &n);
    assert_true(isfinite(n.mean.low) && n.predicted.low == -INFINITY && n.predicted.high == INFINITY);
    stats_nodes(x, se, 4, .05, &n);
    assert_true(n.predicted.low < n.mean.low && n.predicted.high > n.mean.high && isfinite(n.predicted.high));
    stats_nodes(x, se, 1, .05, &n);
    assert_true(n.mean.low == -INFINITY && isnan(n.sd) && isnan(n.tau) && isnan(n.share));
}

/* The help of --min-nodes says "3.6 times" at 95 %. */
static void two_nodes_of_the_same_scatter_give_an_interval_that_is_much_wider_than_three(void **state)
{
    (void)state;
    const double two = tare_student_quantile(.975, 1) / sqrt(2), three = tare_student_quantile(.975, 2) / sqrt(3);
    assert_in_range((uintmax_t)round(10 * two / three), 36, 36);
}

static void errors_of_measuring_that_explain_all_leave_nothing_between_nodes(void **state)
{
    (void)state;
    const double wide[] = {.1, .1, .1, .1, .1}, none[5] = {0}, unknown[] = {.004, NAN, .003, .009, .005}, equal[5] = {0};
    struct stats_nodes n;
    stats_nodes(x, wide, 5, .05, &n);
    assert_true(n.tau == 0 && n.share == 0);
    stats_nodes(x, none, 5, .05, &n);
    assert_true(n.tau == n.sd && n.share == 1);
    stats_nodes(equal, none, 5, .05, &n);
    assert_true(n.tau == 0 && n.share == 0 && n.mean.low == 0 && n.predicted.high == 0);
    stats_nodes(x, unknown, 5, .05, &n);
    assert_true(isnan(n.tau) && isnan(n.share) && isfinite(n.predicted.low));
    stats_nodes(x, NULL, 5, .05, &n);
    assert_true(isnan(n.tau) && isnan(n.share) && isfinite(n.mean.low));
}

static void bad_nodes_give_nothing(void **state)
{
    (void)state;
    const double negative[] = {.1, -.1, .1, .1, .1}, infinite[] = {.1, INFINITY, .1, .1, .1}, no_value[] = {.1, NAN, .2};
    struct stats_nodes n;
    assert_int_equal(stats_nodes(x, negative, 5, .05, &n), TARE_INVALID);
    assert_true(isnan(n.mean.point) && n.mean.low == -INFINITY);
    assert_int_equal(stats_nodes(x, infinite, 5, .05, &n), TARE_INVALID);
    assert_int_equal(stats_nodes(no_value, NULL, 3, .05, &n), TARE_INVALID);
    assert_int_equal(stats_nodes(x, se, 5, 1, &n), TARE_INVALID);
    assert_true(isnan(n.predicted.point) && n.predicted.high == INFINITY);
}

static void the_scale_of_the_data_is_that_of_the_result(void **state)
{
    (void)state;
    struct stats_nodes n, large;
    double scaled_x[5], scaled_se[5];
    for (int i = 0; i < 5; i++) {
        scaled_x[i] = ldexp(x[i], 900);
        scaled_se[i] = ldexp(se[i], 900);
    }
    stats_nodes(x, se, 5, .05, &n);
    stats_nodes(scaled_x, scaled_se, 5, .05, &large);
    assert_close(large.tau, ldexp(n.tau, 900), 1e-14);
    assert_close(large.share, n.share, 1e-14);
    assert_close(large.predicted.high, ldexp(n.predicted.high, 900), 1e-14);
}

int nodes_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(five_nodes_give_what_the_definitions_say),
        cmocka_unit_test(the_mean_is_that_of_sessions),
        cmocka_unit_test(another_node_is_predicted_from_four_on),
        cmocka_unit_test(two_nodes_of_the_same_scatter_give_an_interval_that_is_much_wider_than_three),
        cmocka_unit_test(errors_of_measuring_that_explain_all_leave_nothing_between_nodes),
        cmocka_unit_test(bad_nodes_give_nothing),
        cmocka_unit_test(the_scale_of_the_data_is_that_of_the_result),
    };
    return cmocka_run_group_tests_name("nodes", tests, NULL, NULL);
}
