/* SPDX-License-Identifier: MIT
 *
 * Percentiles have intervals from exactly that many runs on that the binomial law asks for, and say so below.
 */
#include "tabled_record.h"

enum { MOST = 400 };

static void analysed(struct record *r, int n)
{
    double values[MOST];
    for (int i = 0; i < n; i++)
        values[i] = 1 + (i * 7) % n; /* 1 to n, each once, where 7 does not divide n */
    tabled_record(r, "wall", 1, n, values);
    const struct look look = tabled_look(n, 0.05);
    r->look = 1;
    tabled_analyse(r, &look);
    assert_int_equal(analyse_percentiles(r, NULL), TARE_OK);
}

static void p99_has_an_interval_from_368_runs_on(void **state)
{
    (void)state;
    struct record r;
    analysed(&r, 368);
    const struct estimate *p99 = tabled_estimate(&r, 0, "p99");
    assert_close(p99->high, 368, 0);
    assert_true(isfinite(p99->low));
    assert_null(p99->reason);
    record_finish(&r);
    analysed(&r, 367);
    p99 = tabled_estimate(&r, 0, "p99");
    assert_true(isinf(p99->high));
    assert_string_equal(p99->reason, "no interval at n = 367; 368 are needed");
    record_finish(&r);
}

static void the_middle_one_is_the_median_with_its_interval(void **state)
{
    (void)state;
    struct record r;
    analysed(&r, 30);
    const struct estimate *p50 = tabled_estimate(&r, 0, "p50"), *median = tabled_estimate(&r, 0, "median");
    assert_close(p50->point, median->point, 0);
    assert_close(p50->low, 10, 0); /* ranks 10 and 21 of 30 */
    assert_close(p50->high, 21, 0);
    assert_close(tabled_estimate(&r, 0, "p25")->point, 8.25, 1e-15);
    record_finish(&r);
}

static void a_missing_value_leaves_no_percentile(void **state)
{
    (void)state;
    struct record r;
    const double values[] = {1, NAN, 3};
    tabled_record(&r, "wall", 1, 3, values);
    const struct look none = {0};
    tabled_analyse(&r, &none);
    assert_int_equal(analyse_percentiles(&r, NULL), TARE_OK);
    assert_null(record_estimate(&r, 0, "wall", "p50"));
    record_finish(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(p99_has_an_interval_from_368_runs_on),
        cmocka_unit_test(the_middle_one_is_the_median_with_its_interval),
        cmocka_unit_test(a_missing_value_leaves_no_percentile),
    };
    return cmocka_run_group_tests_name("percentiles", tests, NULL, NULL);
}
