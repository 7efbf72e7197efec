/* SPDX-License-Identifier: MIT
 *
 * Samples double in length while that gains more than the time that it takes, up to their limit; twins have one length.
 */
#include "sample_length.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Processes whose means are +-between apart and whose samples are +-within around them. */
static void take(struct sample_length *l, int processes, double within, double between)
{
    for (int i = 0; i < processes; i++) {
        const double mean = 100 + (i % 2 ? between : -between), values[] = {mean - within, mean, mean + within};
        sample_length_take(l, values, 3, 3, 3 * (double)l->ns + 10);
    }
}

static void samples_double_while_that_gains(void **state)
{
    (void)state;
    struct sample_length l = {.ns = 10, .most_ns = 45};
    take(&l, 3, 5, 0.1);
    assert_int_equal(l.ns, 10);
    take(&l, 1, 5, 0.1);
    assert_int_equal(l.ns, 20);
    take(&l, 4, 5, 0.1);
    assert_int_equal(l.ns, 40);
    take(&l, 40, 5, 0.1); /* 80 would be too long */
    assert_int_equal(l.ns, 40);
}

/* The time that a process takes besides its samples is what longer ones save. */
static void samples_stay_as_they_are_where_longer_ones_gain_nothing(void **state)
{
    (void)state;
    struct sample_length l = {.ns = 10, .most_ns = 1000};
    take(&l, 40, 1, 5); /* processes differ */
    assert_int_equal(l.ns, 10);
    take(&l, 40, 0, 0); /* there is no noise */
    assert_int_equal(l.ns, 10);
    const double values[2][3] = {{94, 99, 104}, {96, 101, 106}};
    for (int i = 0; i < 40; i++)
        sample_length_take(&l, values[i % 2], 3, 3, 30); /* nothing besides */
    assert_int_equal(l.ns, 10);
}

/* Variances: within 25 / 3, between 9 n / (n - 1) less that, so what is besides counts 2.4 times or less of what is asked for. */
static void the_gain_is_that_of_time(void **state)
{
    (void)state;
    const double values[2][3] = {{92, 97, 102}, {98, 103, 108}}, between = 9. * 4 / 3 - 25. / 3,
                 least = 30 * 2 * between / (25. / 3);
    struct sample_length below = {.ns = 10, .most_ns = 1000}, above = below;
    for (int i = 0; i < 4; i++) {
        sample_length_take(&below, values[i % 2], 3, 3, 30 + least * .99);
        sample_length_take(&above, values[i % 2], 3, 3, 30 + least * 1.01);
    }
    assert_int_equal(below.ns, 10);
    assert_int_equal(above.ns, 20);
}

static void processes_that_say_nothing_do_not_count(void **state)
{
    (void)state;
    struct sample_length l = {.ns = 10, .most_ns = 1000};
    const double none[] = {NAN, 1, 2}, one = 5;
    for (int i = 0; i < 40; i++) {
        sample_length_take(&l, none, 3, 3, 0);
        sample_length_take(&l, &one, 1, 1, 0);
        sample_length_take(&l, NULL, 0, 0, 0);
    }
    assert_int_equal(l.ns, 10);
    assert_int_equal(l.n, 0);
}

static void no_process_takes_more_than_its_share_by_longer_samples(void **state)
{
    (void)state;
    struct sample_length l = {.ns = 10, .most_ns = 1000, .process_ns = 90};
    take(&l, 4, 5, 0.1);
    assert_int_equal(l.ns, 20);
    take(&l, 40, 5, 0.1); /* each takes 70, and would 130 */
    assert_int_equal(l.ns, 20);
}

static void twins_have_the_longer_length(void **state)
{
    (void)state;
    struct sample_length a = {.ns = 10, .most_ns = 1000}, b = a;
    take(&a, 4, 5, 0.1);
    sample_length_share(&b, &a);
    assert_int_equal(b.ns, 20);
    take(&b, 4, 5, 0.1);
    sample_length_share(&b, &a);
    assert_int_equal(a.ns, 40);
    take(&a, 2, 5, 0.1);
    sample_length_share(&a, &b);
    assert_int_equal(a.n, 2); /* what it has seen is of this length */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_double_while_that_gains),
        cmocka_unit_test(samples_stay_as_they_are_where_longer_ones_gain_nothing),
        cmocka_unit_test(the_gain_is_that_of_time),
        cmocka_unit_test(processes_that_say_nothing_do_not_count),
        cmocka_unit_test(no_process_takes_more_than_its_share_by_longer_samples),
        cmocka_unit_test(twins_have_the_longer_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
