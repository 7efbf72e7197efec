/* SPDX-License-Identifier: MIT
 *
 * Sleeps, tick and slices of a scripted system, from the measuring to what follows from the rows.
 */
#include "analyse.h"
#include "fake.h"
#include "timers.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static int rows_told;

static void count_row(void *context, int series)
{
    (void)series;
    ++*(int *)context;
}

static struct timers play(struct record *r, const char *script)
{
    struct tare_err err = {{0}};
    if (fake_script_set(script, &err))
        fail_msg("%s", err.text);
    record_init(r);
    assert_int_equal(record_add_clock_metrics(r), TARE_OK);
    rows_told = 0;
    return (struct timers){.record = r, .start_ns = plat_now_ns(), .cpu = 0, .after_row = count_row, .context = &rows_told};
}

static void measure(struct timers *t)
{
    struct tare_err err;
    assert_int_equal(timers_describe(t, &err), TARE_OK);
    assert_int_equal(timers_measure_sleeps(t, &err), TARE_OK);
    assert_int_equal(timers_measure_slices(t, &err), TARE_OK);
    assert_int_equal(analyse_clocks(t->record, &err), TARE_OK);
}

static const struct estimate *found(const struct record *r, int subject, const char *metric, const char *statistic)
{
    const struct estimate *e = record_estimate(r, subject, metric, statistic);
    if (!e)
        fail_msg("no %s of %s", statistic, metric);
    return e;
}

static void assert_point(const struct record *r, int subject, const char *metric, const char *statistic, double expected,
                         double tolerance)
{
    double point = found(r, subject, metric, statistic)->point;
    if (!(fabs(point - expected) <= tolerance))
        fail_msg("%s of %s: %.17g, expected %.17g", statistic, metric, point, expected);
}

static void sleeps_of_every_length_are_made_three_times(void **state)
{
    (void)state;
    struct record r;
    struct timers t = play(&r, "clock step 100ns\nnap late 60us\n");
    measure(&t);
    const struct series *s = &r.series[t.sleeps];
    assert_int_equal(s->main.n, 60);
    assert_int_equal(rows_told, 60 + r.series[t.scheduler].main.n);
    for (int i = 0; i < s->main.n; i++) {
        assert_true(series_values(s, "asked")[i] == 1e6 * (i % 20 + 1));
        assert_true(series_values(s, "wall")[i] == series_values(s, "asked")[i] + 60100); /* one step of the clock */
    }
    assert_point(&r, t.sleeps, "late", "median", 60100, 0.5);
    assert_point(&r, t.sleeps, "late", "granularity", 60100, 0.5);
    record_finish(&r);
}

/* As on a system whose timer ticks 64 times a second: Sleep(1) to Sleep(15) last 15.625 ms. */
static void a_coarse_timer_shows_as_granularity(void **state)
{
    (void)state;
    struct record r;
    struct timers t = play(&r, "clock step 100ns\nnap late 0ns\nnap tick 15.625ms\n");
    measure(&t);
    double granularity = found(&r, t.sleeps, "late", "granularity")->point;
    assert_true(granularity > 14e6 && granularity <= 15.625e6);
    record_finish(&r);
}

/* One undisturbed sleep of each length is enough. */
static void disturbed_sleeps_do_not_make_the_timer_coarse(void **state)
{
    (void)state;
    struct record r;
    struct timers t = play(&r, "nap late spikes 60us 20% 5ms\n");
    measure(&t);
    assert_true(found(&r, t.sleeps, "late", "max")->point > 1e6);
    assert_true(found(&r, t.sleeps, "late", "granularity")->point < 1e6);
    record_finish(&r);
}

static void what_the_kernel_says_is_kept_as_its_word(void **state)
{
    (void)state;
    struct record r;
    struct timers t = play(&r, "nap slack 40us\nclock coarse 1ms\nslice told 2.8ms\nslice list 1ms 2ms 3ms\n");
    measure(&t);
    assert_point(&r, t.sleeps, "slack", "told", 40000, 0);
    assert_point(&r, t.scheduler, "tick", "told", 1e6, 0);
    assert_point(&r, t.scheduler, "slice", "told", 2.8e6, 0);
    assert_point(&r, t.scheduler, "slice", "median", 2e6, 0);
    record_finish(&r);
}

/* As on Windows: 15.625 ms, and 0.5 ms for who asks. */
static void a_timer_with_a_period_is_measured_with_the_finest_too(void **state)
{
    (void)state;
    struct record r;
    struct timers t = play(&r, "nap late 0ns\nnap period 15.625ms 0.5ms\n");
    measure(&t);
    assert_true(t.period >= 0);
    assert_point(&r, t.period, "period", "now", 15625000, 0);
    assert_point(&r, t.period, "period", "finest", 500000, 0);
    assert_point(&r, t.period, "period", "coarsest", 15625000, 0);
    assert_point(&r, t.period, "period", "day", 15625000, 0);
    assert_point(&r, t.period, "period", "requested", 500000, 0);
    assert_true(found(&r, t.sleeps, "late", "granularity")->point > 13e6);
    assert_true(found(&r, t.period, "late", "granularity")->point <= 500000);
    assert_int_equal(r.series[t.period].main.n, 60);
    record_finish(&r);
}

static void a_period_that_is_not_told_has_a_reason_and_is_not_asked_for(void **state)
{
    (void)state;
    struct record r;
    struct timers t = play(&r, "nap period unknown \"not implemented\"\n");
    measure(&t);
    assert_string_equal(found(&r, t.period, "period", "now")->reason, "not implemented");
    assert_int_equal(r.series[t.period].main.n, 0);
    record_finish(&r);
}

static void without_such_a_timer_nothing_is_said_of_it(void **state)
{
    (void)state;
    struct record r;
    struct timers t = play(&r, "");
    measure(&t);
    assert_int_equal(t.period, -1);
    assert_int_equal(r.n_subjects, 2);
    record_finish(&r);
}

static void what_is_not_told_or_not_to_be_had_has_a_reason(void **state)
{
    (void)state;
    struct record r;
    struct timers t = play(&r, "nap slack unknown\nslice told unknown\nslice unsupported \"no threads here\"\n");
    measure(&t);
    assert_true(isnan(found(&r, t.sleeps, "slack", "told")->point));
    assert_non_null(found(&r, t.sleeps, "slack", "told")->reason);
    assert_string_equal(found(&r, t.scheduler, "slice", "median")->reason, "no threads here");
    assert_int_equal(r.series[t.scheduler].main.n, 0);
    record_finish(&r);
}

static void threads_that_never_give_way_are_no_slice(void **state)
{
    (void)state;
    struct record r;
    struct timers t = play(&r, "slice 1s\n");
    measure(&t);
    assert_non_null(strstr(found(&r, t.scheduler, "slice", "median")->reason, "gave way"));
    record_finish(&r);
}

static void a_signal_ends_the_sleeps(void **state)
{
    (void)state;
    struct record r;
    struct timers t = play(&r, "signal INT at 100ms\n");
    struct tare_err err;
    plat_signals_watch();
    assert_int_equal(timers_describe(&t, &err), TARE_OK);
    assert_int_equal(timers_measure_sleeps(&t, &err), TARE_INTERRUPTED);
    assert_true(r.series[t.sleeps].main.n > 0 && r.series[t.sleeps].main.n < 60);
    assert_int_equal(analyse_clocks(&r, &err), TARE_OK);
    record_finish(&r);
}

static void a_record_without_rows_has_no_granularity(void **state)
{
    (void)state;
    struct record r;
    struct timers t = play(&r, "");
    struct tare_err err;
    assert_int_equal(timers_describe(&t, &err), TARE_OK);
    assert_int_equal(analyse_clocks(&r, &err), TARE_OK);
    assert_true(isnan(found(&r, t.sleeps, "late", "granularity")->point));
    assert_string_equal(found(&r, t.sleeps, "late", "granularity")->reason, "no sleep was measured");
    record_finish(&r);
}

/* 20 lengths of one sleep each, late by 1 us to 20 us; two may be disturbed before the granularity grows. */
static double granularity_with(int disturbed, double late_ns)
{
    static const char *const columns[] = {"asked", "late"};
    struct record r = {0};
    struct tare_err err;
    record_init(&r);
    assert_int_equal(record_add_clock_metrics(&r), TARE_OK);
    record_add_subject(&r, &(struct subject){.kind = SUBJECT_TIMER, .name = "sleeps", .command = "sleeps"}, columns, 2);
    for (int i = 0; i < 20; i++) {
        const double values[] = {1e6 * (i + 1), i < disturbed ? late_ns : 1000.0 * (i + 1)};
        assert_int_equal(record_append_row(&r, 0, &(struct row){.round = i, .values = values}), TARE_OK);
    }
    assert_int_equal(analyse_clocks(&r, &err), TARE_OK);
    double value = found(&r, 0, "late", "granularity")->point;
    record_finish(&r);
    return value;
}

static void granularity_bears_two_disturbed_lengths(void **state)
{
    (void)state;
    assert_true(granularity_with(0, 0) == 18000);
    assert_true(granularity_with(2, 9e6) == 20000);
    assert_true(granularity_with(3, 9e6) == 9e6);
    assert_true(isnan(granularity_with(1, NAN)));
}

static void a_timer_that_is_misspelt_is_a_fault_of_the_script(void **state)
{
    (void)state;
    static const char *const scripts[] = {"nap soon\n",          "nap tick soon\n",   "nap slack\n", "nap period 1ms\n",
                                          "slice unsupported\n", "slice told soon\n", "slice\n",     "nap period unknown\n"};
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        struct tare_err err = {{0}};
        assert_int_equal(fake_script_set(scripts[i], &err), TARE_FORMAT);
        assert_non_null(strstr(err.text, "line 1"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sleeps_of_every_length_are_made_three_times),
        cmocka_unit_test(a_coarse_timer_shows_as_granularity),
        cmocka_unit_test(disturbed_sleeps_do_not_make_the_timer_coarse),
        cmocka_unit_test(what_the_kernel_says_is_kept_as_its_word),
        cmocka_unit_test(a_timer_with_a_period_is_measured_with_the_finest_too),
        cmocka_unit_test(a_period_that_is_not_told_has_a_reason_and_is_not_asked_for),
        cmocka_unit_test(without_such_a_timer_nothing_is_said_of_it),
        cmocka_unit_test(what_is_not_told_or_not_to_be_had_has_a_reason),
        cmocka_unit_test(threads_that_never_give_way_are_no_slice),
        cmocka_unit_test(a_signal_ends_the_sleeps),
        cmocka_unit_test(a_record_without_rows_has_no_granularity),
        cmocka_unit_test(granularity_bears_two_disturbed_lengths),
        cmocka_unit_test(a_timer_that_is_misspelt_is_a_fault_of_the_script),
    };
    return cmocka_run_group_tests_name("timers", tests, NULL, NULL);
}
