/* SPDX-License-Identifier: MIT */
#include "timeline.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct timeline_samples room;

static void assert_number(double value, double expected)
{
    if (value != expected && !(isnan(value) && isnan(expected)))
        fail_msg("%.17g, expected %.17g", value, expected);
}

static void a_sample_holds_the_largest_of_its_time(void **state)
{
    (void)state;
    struct timeline t;
    timeline_init(&t, &room, 100);
    timeline_add(&t, -5, 10, NAN);
    timeline_add(&t, 20, 40, 3);
    timeline_add(&t, 99, 30, 9);
    timeline_add(&t, 100, 5, 1);
    timeline_add(&t, 731, 6, NAN);
    assert_int_equal(t.n, 3);
    assert_int_equal(t.at_ns[0], 0);
    assert_number(t.rss[0], 40);
    assert_number(t.heap[0], 9);
    assert_int_equal(t.at_ns[1], 100);
    assert_int_equal(t.at_ns[2], 700);
    assert_number(t.heap[2], NAN);
    assert_number(t.rss_peak, 40);
    assert_number(t.rss_peak_ns, 20);
}

static void a_long_run_stays_bounded_and_loses_no_peak(void **state)
{
    (void)state;
    struct timeline t;
    timeline_init(&t, &room, 1);
    for (int64_t i = 0; i < 1000000; i++)
        timeline_add(&t, i, i == 777777 ? 5e6 : (double)i, i == 1234 ? 9e9 : 1);
    assert_true(t.n <= TIMELINE_MOST);
    assert_true(t.n >= TIMELINE_MOST / 2);
    assert_int_equal(t.period_ns, 1024);
    double heap = 0, rss = 0;
    for (int i = 0; i < t.n; i++) {
        assert_int_equal(t.at_ns[i], (int64_t)i * 1024);
        heap = fmax(heap, t.heap[i]);
        rss = fmax(rss, t.rss[i]);
    }
    assert_number(t.heap[1], 9e9);
    assert_number(heap, 9e9);
    assert_number(rss, 5e6);
    assert_number(t.rss[777777 / 1024], 5e6);
    assert_number(t.rss_peak, 5e6);
    assert_number(t.rss_peak_ns, 777777);
}

static void a_gap_longer_than_all_before_keeps_both_sides(void **state)
{
    (void)state;
    struct timeline t;
    timeline_init(&t, &room, 1);
    for (int i = 0; i < TIMELINE_MOST; i++)
        timeline_add(&t, i, 1, 1);
    timeline_add(&t, INT64_C(1000000000000), 2, 2);
    assert_int_equal(t.n, TIMELINE_MOST / 2 + 1);
    assert_int_equal(t.at_ns[t.n - 1], INT64_C(1000000000000));
    assert_number(t.rss[t.n - 1], 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sample_holds_the_largest_of_its_time),
        cmocka_unit_test(a_long_run_stays_bounded_and_loses_no_peak),
        cmocka_unit_test(a_gap_longer_than_all_before_keeps_both_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
