/* SPDX-License-Identifier: MIT
 *
 * Samples double in length while that gains more than the time that it takes, up to their limit; twins have one length.
 */
#include "bench_process.h"
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
        sample_length_take(l, values, 3, 3, 3 * (double)l->ns + 30);
    }
}

static void samples_double_while_that_gains(void **state)
{
    (void)state;
    struct sample_length l = {.ns = 10, .most_ns = 45};
    take(&l, 7, 5, 0.1);
    assert_int_equal(l.ns, 10);
    take(&l, 1, 5, 0.1);
    assert_int_equal(l.ns, 20);
    take(&l, 8, 5, 0.1); /* a process takes 90 and would 150: half the variance gains 1.2, too little */
    assert_int_equal(l.ns, 20);
    l = (struct sample_length){.ns = 40, .most_ns = 45};
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

/* One sample in some that was interrupted says nothing of what longer ones would average out. */
static void interruptions_make_no_sample_longer(void **state)
{
    (void)state;
    struct sample_length l = {.ns = 10, .most_ns = 1000};
    for (int i = 0; i < 40; i++) {
        const double mean = 100 + (i % 2 ? 2 : -2), values[] = {mean - 1, mean + (i % 3 ? 0 : 1000), mean + 1};
        sample_length_take(&l, values, 3, 3, 100);
    }
    assert_int_equal(l.ns, 10);
}

/* Variances of the means: within 25 / 3 as the samples say, or 25 / 3 over the median of chi squared with 2 degrees of freedom over 2; between (1.4826 * 5)^2 less that.
 * A process takes t besides the 30: the gain is (30 + t) (w + b) / ((60 + t) (w / 2 + b)). */
static void the_gain_is_that_of_time(void **state)
{
    (void)state;
    const double values[2][3] = {{90, 95, 100}, {100, 105, 110}}, within = 25. / 3 / pow(8. / 9, 3),
                 between = 1.4826 * 1.4826 * 25 - within, worth = 1.25 * (within / 2 + between) / (within + between);
    struct sample_length never = {.ns = 10, .most_ns = 1000}, below = never, above = never;
    assert_true(worth > 1); /* processes differ too much for any time */
    for (int i = 0; i < 32; i++)
        sample_length_take(&never, values[i % 2], 3, 3, 1e12);
    assert_int_equal(never.ns, 10);
    const double closer[2][3] = {{92, 97, 102}, {98, 103, 108}}, rest = 1.4826 * 1.4826 * 9 - within,
                 share = 1.25 * (within / 2 + rest) / (within + rest), least = 30 * (2 * share - 1) / (1 - share);
    assert_true(share < 1);
    for (int i = 0; i < 8; i++) {
        sample_length_take(&below, closer[i % 2], 3, 3, 30 + least * .99);
        sample_length_take(&above, closer[i % 2], 3, 3, 30 + least * 1.01);
    }
    assert_int_equal(below.ns, 10);
    assert_int_equal(above.ns, 20);
}

/* What a runtime does now and then has a place in the samples. */
static void samples_reach_what_they_have_to(void **state)
{
    (void)state;
    struct sample_length l = {.ns = 10, .most_ns = 45};
    sample_length_reach(&l, 0);
    assert_int_equal(l.ns, 10);
    take(&l, 3, 5, 0.1);
    sample_length_reach(&l, 30);
    assert_int_equal(l.ns, 30);
    assert_int_equal(l.n, 0);
    sample_length_reach(&l, 20);
    assert_int_equal(l.ns, 30);
    sample_length_reach(&l, 50);
    assert_int_equal(l.ns, 45);
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
    struct sample_length l = {.ns = 10, .most_ns = 1000, .process_ns = 89}, more = {.ns = 10, .most_ns = 1000, .process_ns = 91};
    take(&l, 8, 5, 0.1); /* each takes 60, and would 90 */
    assert_int_equal(l.ns, 10);
    take(&more, 8, 5, 0.1);
    assert_int_equal(more.ns, 20);
}

static void twins_have_the_longer_length(void **state)
{
    (void)state;
    struct sample_length a = {.ns = 10, .most_ns = 1000}, b = a;
    take(&a, 8, 5, 0.1);
    sample_length_share(&b, &a);
    assert_int_equal(b.ns, 20);
    sample_length_reach(&b, 40);
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
        cmocka_unit_test(interruptions_make_no_sample_longer),
        cmocka_unit_test(the_gain_is_that_of_time),
        cmocka_unit_test(samples_reach_what_they_have_to),
        cmocka_unit_test(processes_that_say_nothing_do_not_count),
        cmocka_unit_test(no_process_takes_more_than_its_share_by_longer_samples),
        cmocka_unit_test(twins_have_the_longer_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
