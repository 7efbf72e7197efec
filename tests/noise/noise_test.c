/* SPDX-License-Identifier: MIT
 * Every rule of src/noise/noise.c at its border, and with signals that are not known. */
#include "causes.h"
#include "noise.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static const double MS = 1e6, US = 1e3;

/* 10 ms of one undisturbed thread. */
static struct noise_delta quiet(void)
{
    struct noise_delta d = noise_unknown(10 * MS);
    d.cpu_ns = 10 * MS;
    d.delay_ns = d.throttled_ns = d.voluntary = d.involuntary = d.majflt = 0;
    d.first_cpu = d.last_cpu = 3;
    d.core_hz = 3e9;
    d.clock_ppm = 0;
    d.whole = true;
    return d;
}

static uint32_t flags_of(struct noise_delta d)
{
    struct noise_history h = {0};
    return noise_judge(&h, &d).flags;
}

#define assert_flags(d, expected)                                             \
    do {                                                                      \
        uint32_t seen_ = flags_of(d);                                         \
        if (seen_ != (uint32_t)(expected))                                    \
            fail_msg("flags %#x, expected %#x", seen_, (unsigned)(expected)); \
    } while (0)

static void a_quiet_sample_has_no_flag_and_nothing_lost(void **state)
{
    (void)state;
    struct noise_history h = {0};
    struct noise_delta d = quiet();
    struct noise_account a = noise_judge(&h, &d);
    assert_int_equal(a.flags, 0);
    assert_true(a.delay_ns == 0 && a.steal_ns == 0);
}

static void what_is_not_known_raises_nothing(void **state)
{
    (void)state;
    struct noise_history h = {0};
    for (int i = 0; i < 100; i++) {
        struct noise_delta d = noise_unknown(i == 50 ? 1000 * MS : 10 * MS);
        struct noise_account a = noise_judge(&h, &d);
        assert_int_equal(a.flags, i == 50 ? NOISE_UNEXPLAINED : 0); /* the wall time itself is known */
        assert_true(isnan(a.delay_ns) && isnan(a.steal_ns));
    }
    struct noise_delta nothing = noise_unknown(NAN);
    for (int whole = 0; whole < 2; whole++) {
        nothing.whole = whole;
        assert_int_equal(noise_judge(&h, &nothing).flags, 0);
    }
}

/* Of each signal alone the absence must not raise the flag of another. */
static void one_unknown_signal_is_no_cause(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        struct noise_delta d = quiet();
        double *signals[] = {&d.cpu_ns, &d.delay_ns,  &d.throttled_ns, &d.voluntary, &d.involuntary,
                             &d.majflt, &d.first_cpu, &d.last_cpu,     &d.core_hz,   &d.clock_ppm};
        *signals[i] = NAN;
        assert_flags(d, 0);
    }
}

static void page_faults_need_the_cpu_time_to_be_many(void **state)
{
    (void)state;
    for (int known = 0; known < 2; known++) {
        struct noise_history h = {0};
        struct noise_delta d = quiet();
        d.cpu_ns = known ? d.cpu_ns : NAN;
        d.minflt = 0;
        for (int i = 0; i < 5; i++)
            assert_int_equal(noise_judge(&h, &d).flags, 0);
        d.minflt = 501; /* just over 0.1 ms, a hundredth of 10 */
        assert_int_equal(noise_judge(&h, &d).flags, known ? NOISE_FAULTED : 0);
    }
}

static void the_threshold_is_50_us_or_one_per_cent(void **state)
{
    (void)state;
    assert_true(noise_threshold_ns(0) == 50 * US);
    assert_true(noise_threshold_ns(5 * MS) == 50 * US);
    assert_true(noise_threshold_ns(10 * MS) == 100 * US);
}

static struct noise_delta delayed(double delay_ns)
{
    struct noise_delta d = quiet();
    d.delay_ns = delay_ns;
    d.cpu_ns = d.wall_ns - delay_ns;
    return d;
}

static void waiting_for_a_cpu_is_preemption_from_the_threshold_on(void **state)
{
    (void)state;
    assert_flags(delayed(100 * US), 0);
    assert_flags(delayed(100 * US + 1), NOISE_PREEMPTED);
    struct noise_delta d = delayed(5 * MS);
    d.whole = false; /* of several threads: not told */
    d.cpu_ns = d.wall_ns;
    assert_flags(d, 0);
    struct noise_history h = {0};
    assert_true(isnan(noise_judge(&h, &d).delay_ns));
}

static struct noise_delta lost(double ns)
{
    struct noise_delta d = quiet();
    d.cpu_ns = d.wall_ns - ns;
    return d;
}

static void what_nothing_accounts_for_was_stolen(void **state)
{
    (void)state;
    assert_flags(lost(100 * US), 0);
    assert_flags(lost(100 * US + 1), NOISE_STOLEN);
    struct noise_history h = {0};
    struct noise_delta d = lost(2 * MS);
    d.delay_ns = MS / 2;
    assert_true(noise_judge(&h, &d).steal_ns == 1.5 * MS);
}

static void a_residual_is_no_steal_where_something_else_may_explain_it(void **state)
{
    (void)state;
    struct noise_history h = {0};
    struct noise_delta d = lost(2 * MS);
    d.whole = false;
    assert_flags(d, 0);
    assert_true(isnan(noise_judge(&h, &d).steal_ns));
    d = lost(2 * MS);
    d.voluntary = 1;
    assert_flags(d, NOISE_BLOCKED);
    assert_true(isnan(noise_judge(&h, &d).steal_ns));
    d.voluntary = NAN;
    assert_flags(d, 0);
    d = lost(2 * MS);
    d.throttled_ns = 2 * MS;
    assert_flags(d, NOISE_THROTTLED);
    assert_true(isnan(noise_judge(&h, &d).steal_ns));
}

static void a_negative_residual_is_shown_as_it_is(void **state)
{
    (void)state;
    struct noise_history h = {0};
    struct noise_delta d = lost(-30 * US);
    struct noise_account a = noise_judge(&h, &d);
    assert_int_equal(a.flags, 0);
    assert_true(a.steal_ns == -30 * US);
}

static void throttled_time_is_not_counted_as_preemption_too(void **state)
{
    (void)state;
    struct noise_delta d = delayed(4 * MS);
    d.throttled_ns = 100 * US;
    assert_flags(d, NOISE_PREEMPTED);
    d.throttled_ns = 100 * US + 1;
    assert_flags(d, NOISE_PREEMPTED | NOISE_THROTTLED);
    d.throttled_ns = 4 * MS;
    assert_flags(d, NOISE_THROTTLED);
}

static void waiting_of_its_own_accord_is_blocking(void **state)
{
    (void)state;
    struct noise_delta d = lost(100 * US);
    d.voluntary = 5;
    assert_flags(d, 0);
    d.cpu_ns--;
    assert_flags(d, NOISE_BLOCKED);
    d.delay_ns = NAN; /* any of it may have been the wait for a CPU */
    assert_flags(d, 0);
    d.throttled_ns = 0;
    assert_flags(d, 0);
    d.delay_ns = d.wall_ns - d.cpu_ns; /* all of it was that */
    assert_flags(d, NOISE_PREEMPTED);
    d.whole = false;
    assert_flags(d, 0);
}

static void several_threads_use_more_cpu_time_than_wall_time_and_are_not_called_blocked(void **state)
{
    (void)state;
    struct noise_delta d = quiet();
    d.whole = false;
    d.cpu_ns = 4 * d.wall_ns;
    d.voluntary = 100;
    assert_flags(d, 0);
}

static void another_cpu_at_the_end_is_migration(void **state)
{
    (void)state;
    struct noise_delta d = quiet();
    d.last_cpu = 4;
    assert_flags(d, NOISE_MIGRATED);
    d.first_cpu = NAN;
    assert_flags(d, 0);
}

static void a_page_from_disk_is_a_fault(void **state)
{
    (void)state;
    struct noise_delta d = quiet();
    d.majflt = 1;
    assert_flags(d, NOISE_FAULTED);
}

static void clocks_may_differ_by_ten_ppm_and_never_go_back(void **state)
{
    (void)state;
    struct noise_delta d = quiet();
    d.clock_ppm = 10;
    assert_flags(d, 0);
    d.clock_ppm = -10.1;
    assert_flags(d, NOISE_CLOCK);
    d.clock_ppm = 10.1;
    assert_flags(d, NOISE_CLOCK);
    d = quiet();
    d.clock_went_backwards = true;
    assert_flags(d, NOISE_CLOCK);
    d = noise_unknown(-1);
    assert_flags(d, NOISE_CLOCK);
}

/* Flags of the sample after n at 3 GHz. */
static uint32_t flags_at(int n, double hz)
{
    struct noise_history h = {0};
    struct noise_delta d = quiet();
    for (int i = 0; i < n; i++)
        noise_judge(&h, &d);
    d.core_hz = hz;
    return noise_judge(&h, &d).flags;
}

static void frequency_is_held_against_the_median_of_the_last_samples(void **state)
{
    (void)state;
    assert_int_equal(flags_at(0, 1e9), 0);
    assert_int_equal(flags_at(2, 1e9), 0);
    assert_int_equal(flags_at(3, 1e9), NOISE_FREQUENCY);
    assert_int_equal(flags_at(100, 3.03e9), 0);
    assert_int_equal(flags_at(100, 3.0301e9), NOISE_FREQUENCY);
    assert_int_equal(flags_at(100, 2.97e9), 0);
    assert_int_equal(flags_at(100, 2.9699e9), NOISE_FREQUENCY);
    assert_int_equal(flags_at(100, NAN), 0);
}

static void a_new_frequency_becomes_the_usual_one(void **state)
{
    (void)state;
    struct noise_history h = {0};
    struct noise_delta d = quiet();
    for (int i = 0; i < 100; i++)
        noise_judge(&h, &d);
    d.core_hz = 2e9;
    for (int i = 0; i < NOISE_WINDOW / 2 + 1; i++)
        assert_int_equal(noise_judge(&h, &d).flags, NOISE_FREQUENCY);
    for (int i = 0; i < 100; i++)
        assert_int_equal(noise_judge(&h, &d).flags, 0);
}

/* Wall times 9.9, 10, 10.1 in turn: median 10, deviation 1.4826 * 0.1 ms. */
static void fill(struct noise_history *h, int n)
{
    for (int i = 0; i < n; i++) {
        struct noise_delta d = noise_unknown((9.9 + 0.1 * (i % 3)) * MS);
        assert_int_equal(noise_judge(h, &d).flags, 0);
    }
}

static uint32_t flags_after(int n, double wall_ns)
{
    struct noise_history h = {0};
    fill(&h, n);
    struct noise_delta d = noise_unknown(wall_ns);
    return noise_judge(&h, &d).flags;
}

static void ten_deviations_over_the_median_without_a_cause_are_unexplained(void **state)
{
    (void)state;
    assert_int_equal(flags_after(9, 100 * MS), 0);
    assert_int_equal(flags_after(12, 100 * MS), NOISE_UNEXPLAINED);
    assert_int_equal(flags_after(30, 11.48 * MS), 0);
    assert_int_equal(flags_after(30, 11.49 * MS), NOISE_UNEXPLAINED);
    assert_int_equal(flags_after(30, MS), 0);
}

static void a_cause_explains(void **state)
{
    (void)state;
    struct noise_history h = {0};
    fill(&h, 30);
    struct noise_delta d = noise_unknown(100 * MS);
    d.majflt = 1;
    assert_int_equal(noise_judge(&h, &d).flags, NOISE_FAULTED);
}

static void what_a_signal_paused_was_neither_blocked_nor_stolen(void **state)
{
    (void)state;
    for (int switches = 0; switches < 2; switches++) {
        struct noise_history h = {0};
        struct noise_delta d = noise_unknown(2000 * MS);
        d.cpu_ns = 10 * MS;
        d.delay_ns = 0;
        d.voluntary = switches;
        d.whole = d.paused = true;
        const struct noise_account a = noise_judge(&h, &d);
        assert_int_equal(a.flags, NOISE_PAUSED);
        assert_true(isnan(a.steal_ns));
    }
}

static void constant_times_leave_one_per_cent(void **state)
{
    (void)state;
    struct noise_history h = {0};
    struct noise_delta d = noise_unknown(10 * MS);
    for (int i = 0; i < 40; i++)
        noise_judge(&h, &d);
    d.wall_ns = 10.1 * MS;
    assert_int_equal(noise_judge(&h, &d).flags, 0);
    d.wall_ns = 10.1001 * MS;
    assert_int_equal(noise_judge(&h, &d).flags, NOISE_UNEXPLAINED);
}

static void the_history_keeps_the_last_values_only(void **state)
{
    (void)state;
    struct noise_history h = {0};
    for (int i = 0; i < 1000; i++) {
        struct noise_delta d = noise_unknown(i);
        noise_judge(&h, &d);
    }
    assert_int_equal(h.wall_ns.n, NOISE_WINDOW);
    assert_int_equal(h.core_hz.n, 0);
    for (int i = 0; i < NOISE_WINDOW; i++)
        assert_true(h.wall_ns.values[i] >= 1000 - NOISE_WINDOW);
}

static void causes_have_their_bits_of_files(void **state)
{
    (void)state;
    assert_int_equal(NOISE_PREEMPTED, 256);
    assert_int_equal(NOISE_UNEXPLAINED, 65536);
    assert_int_equal(NOISE_PAUSED, 131072);
    assert_true(causes_exogenous() & NOISE_MIGRATED);
    assert_false(causes_exogenous() & NOISE_FAULTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quiet_sample_has_no_flag_and_nothing_lost),
        cmocka_unit_test(what_is_not_known_raises_nothing),
        cmocka_unit_test(one_unknown_signal_is_no_cause),
        cmocka_unit_test(page_faults_need_the_cpu_time_to_be_many),
        cmocka_unit_test(the_threshold_is_50_us_or_one_per_cent),
        cmocka_unit_test(waiting_for_a_cpu_is_preemption_from_the_threshold_on),
        cmocka_unit_test(what_nothing_accounts_for_was_stolen),
        cmocka_unit_test(a_residual_is_no_steal_where_something_else_may_explain_it),
        cmocka_unit_test(a_negative_residual_is_shown_as_it_is),
        cmocka_unit_test(throttled_time_is_not_counted_as_preemption_too),
        cmocka_unit_test(waiting_of_its_own_accord_is_blocking),
        cmocka_unit_test(several_threads_use_more_cpu_time_than_wall_time_and_are_not_called_blocked),
        cmocka_unit_test(another_cpu_at_the_end_is_migration),
        cmocka_unit_test(a_page_from_disk_is_a_fault),
        cmocka_unit_test(clocks_may_differ_by_ten_ppm_and_never_go_back),
        cmocka_unit_test(frequency_is_held_against_the_median_of_the_last_samples),
        cmocka_unit_test(a_new_frequency_becomes_the_usual_one),
        cmocka_unit_test(ten_deviations_over_the_median_without_a_cause_are_unexplained),
        cmocka_unit_test(a_cause_explains),
        cmocka_unit_test(what_a_signal_paused_was_neither_blocked_nor_stolen),
        cmocka_unit_test(constant_times_leave_one_per_cent),
        cmocka_unit_test(the_history_keeps_the_last_values_only),
        cmocka_unit_test(causes_have_their_bits_of_files),
    };
    return cmocka_run_group_tests_name("noise", tests, NULL, NULL);
}
