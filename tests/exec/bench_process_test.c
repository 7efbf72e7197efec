/* SPDX-License-Identifier: MIT
 *
 * How much one program may report.
 */
#include "bench_process.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void samples_fit_up_to_the_limits_of_benchmark_and_session(void **state)
{
    (void)state;
    struct series series[5] = {{.samples = {.n = BENCH_SAMPLES_MAX - 20}}};
    const struct record r = {.series = series, .n_subjects = 5};
    const struct bench_report twenty = {.samples = 20}, one_more = {.samples = 21};
    assert_true(bench_samples_fit(&twenty, &r, 0));
    assert_false(bench_samples_fit(&one_more, &r, 0));
    assert_true(bench_samples_fit(&one_more, &r, 1)); /* another benchmark has room of its own */
    for (int i = 1; i < 4; i++)
        series[i].samples.n = BENCH_SAMPLES_MAX;
    assert_true(bench_samples_fit(&twenty, &r, 4));
    assert_false(bench_samples_fit(&one_more, &r, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_fit_up_to_the_limits_of_benchmark_and_session),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
