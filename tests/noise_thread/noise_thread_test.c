/* SPDX-License-Identifier: MIT
 *
 * Samples of a scripted thread: each cause alone, judged; and signals that are absent.
 */
#include "fake.h"
#include "noise_thread.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void play(const char *script)
{
    struct tare_err err = {{0}};
    if (fake_script_set(script, &err))
        fail_msg("%s", err.text);
}

static const char GROUPS[] = "file /proc/self/cgroup \"0::/job\\n\"\n"
                             "file /proc/self/mountinfo \"30 1 0:1 / /cg rw - cgroup2 cgroup2 rw\\n\"\n";

/* One sample of 10 ms; what the script does at 5 ms falls into it. */
static struct noise_delta sample(const char *script, enum tare_status expected)
{
    char text[2000] = "clock step 0ns\n";
    strcat(text, GROUPS);
    strcat(text, script);
    play(text);
    struct noise_thread t;
    struct tare_err err = {{0}};
    enum tare_status status = noise_thread_open(&t, &err);
    if (status != expected)
        fail_msg("status %d: %s", status, err.text);
    plat_sleep_ns(1000000);
    noise_thread_begin(&t);
    int64_t begin = plat_now_ns();
    plat_sleep_ns(10000000);
    int64_t end = plat_now_ns();
    struct noise_delta d = noise_thread_end(&t, (double)(end - begin));
    noise_thread_close(&t);
    return d;
}

static void assert_flags(const char *script, uint32_t expected)
{
    struct noise_history h = {0};
    struct noise_delta d = sample(script, TARE_OK);
    struct noise_account a = noise_judge(&h, &d);
    if (a.flags != expected)
        fail_msg("%s: flags %#x, expected %#x", script, a.flags, expected);
}

static void a_quiet_sample_has_no_cause(void **state)
{
    (void)state;
    struct noise_delta d = sample("", TARE_OK);
    assert_true(d.wall_ns == 10e6 && d.cpu_ns == 10e6 && d.delay_ns == 0 && d.voluntary == 0 && d.whole);
    assert_true(d.throttled_ns == 0 && d.first_cpu == 0 && d.last_cpu == 0 && isnan(d.core_hz));
    assert_flags("", 0);
}

static void each_cause_is_recognised(void **state)
{
    (void)state;
    assert_flags("thread delay 4ms at 5ms\nthread forced 1 at 5ms\n", NOISE_PREEMPTED);
    assert_flags("thread steal 2ms at 5ms\n", NOISE_STOLEN);
    assert_flags("thread blocked 3ms at 5ms\nthread voluntary 1 at 5ms\n", NOISE_BLOCKED);
    assert_flags("thread move 1 at 5ms\n", NOISE_MIGRATED);
    assert_flags("thread majflt 3 at 5ms\n", NOISE_FAULTED);
    assert_flags("thread delay 6ms at 5ms\nfile /cg/job/cpu.max \"50000 100000\\n\"\n"
                 "file /cg/job/cpu.stat \"nr_throttled 0\\nthrottled_usec 7\\n\"\n"
                 "file /cg/job/cpu.stat \"nr_throttled 1\\nthrottled_usec 6007\\n\" from 5ms\n",
                 NOISE_THROTTLED);
}

static void many_more_fresh_pages_than_before_are_a_cause(void **state)
{
    (void)state;
    struct noise_history h = {0};
    struct noise_delta d = sample("thread minflt 600 at 5ms\n", TARE_OK); /* 0.12 ms of 10 */
    assert_int_equal(noise_judge(&h, &d).flags, 0);                       /* nothing to compare with */
    struct noise_delta quiet = sample("thread minflt 3 at 5ms\n", TARE_OK);
    for (int i = 0; i < 5; i++)
        assert_int_equal(noise_judge(&h, &quiet).flags, 0);
    assert_int_equal(noise_judge(&h, &d).flags, NOISE_FAULTED);
    d.minflt = 400; /* 80 us, below 1 % */
    assert_int_equal(noise_judge(&h, &d).flags, 0);
}

static void what_happens_beside_the_sample_is_not_in_it(void **state)
{
    (void)state;
    assert_flags("thread delay 4ms at 0.5ms\nthread majflt 2 at 0.5ms\nthread move 1 at 0.5ms\nthread delay 4ms at 11.5ms\n"
                 "thread move 1 at 12ms\n",
                 0);
}

static void a_loss_that_the_wall_time_does_not_show_was_at_the_readings(void **state)
{
    (void)state;
    struct noise_delta d = sample("thread delay 4ms at 5ms\nfile /cg/job/cpu.max \"50000 100000\\n\"\n"
                                  "file /cg/job/cpu.stat \"throttled_usec 0\\n\"\n"
                                  "file /cg/job/cpu.stat \"throttled_usec 9000\\n\" from 5ms\n",
                                  TARE_OK);
    assert_true(d.delay_ns == 4e6 && d.throttled_ns == 4e6);
}

static void an_absent_signal_is_not_a_number_and_raises_nothing(void **state)
{
    (void)state;
    struct noise_delta d = sample("thread without delay\nthread without cputime\nthread without voluntary\nthread without move\n"
                                  "thread steal 2ms at 5ms\n",
                                  TARE_UNSUPPORTED);
    assert_true(isnan(d.delay_ns) && isnan(d.cpu_ns) && isnan(d.voluntary) && isnan(d.majflt) && isnan(d.first_cpu));
    struct noise_history h = {0};
    assert_int_equal(noise_judge(&h, &d).flags, 0);
}

static uint32_t flags_without_delay(const char *script)
{
    char text[256] = "thread without delay\n";
    struct noise_history h = {0};
    strcat(text, script);
    struct noise_delta d = sample(text, TARE_UNSUPPORTED);
    return noise_judge(&h, &d).flags;
}

/* As on Windows, which counts switches, and not what a thread waited. */
static void where_only_switches_are_counted_they_tell_a_wait_for_a_cpu(void **state)
{
    (void)state;
    assert_int_equal(flags_without_delay("thread delay 4ms at 5ms\nthread forced 1 at 5ms\n"), NOISE_PREEMPTED);
    assert_int_equal(flags_without_delay("thread steal 2ms at 5ms\n"), NOISE_STOLEN);
    assert_int_equal(flags_without_delay("thread blocked 3ms at 5ms\nthread voluntary 1 at 5ms\n"),
                     0); /* or the wait of one that woke up */
    assert_int_equal(flags_without_delay(""), 0);
}

static void without_groups_the_throttled_time_is_unknown(void **state)
{
    (void)state;
    play("clock step 0ns\n");
    struct noise_thread t;
    struct tare_err err = {{0}};
    assert_int_equal(noise_thread_open(&t, &err), TARE_UNSUPPORTED);
    assert_non_null(strstr(err.text, "/proc/self/cgroup"));
    noise_thread_begin(&t);
    assert_true(isnan(noise_thread_end(&t, 5).throttled_ns));
    noise_thread_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quiet_sample_has_no_cause),
        cmocka_unit_test(each_cause_is_recognised),
        cmocka_unit_test(many_more_fresh_pages_than_before_are_a_cause),
        cmocka_unit_test(what_happens_beside_the_sample_is_not_in_it),
        cmocka_unit_test(a_loss_that_the_wall_time_does_not_show_was_at_the_readings),
        cmocka_unit_test(an_absent_signal_is_not_a_number_and_raises_nothing),
        cmocka_unit_test(where_only_switches_are_counted_they_tell_a_wait_for_a_cpu),
        cmocka_unit_test(without_groups_the_throttled_time_is_unknown),
    };
    return cmocka_run_group_tests_name("noise_thread", tests, NULL, NULL);
}
