/* SPDX-License-Identifier: MIT
 *
 * The scripted thread: signals that grow when the script says so, and those that it takes away.
 */
#include "fake.h"
#include "plat_thread.h"
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

static void a_thread_alone_uses_all_the_time(void **state)
{
    (void)state;
    play("clock step 0ns\n");
    struct plat_thread t;
    assert_int_equal(plat_thread_open(&t, NULL), TARE_OK);
    plat_sleep_ns(5000);
    assert_int_equal(plat_thread_cpu_ns(), 5000);
    assert_int_equal(plat_thread_delay_ns(&t), 0);
    assert_int_equal(plat_suspended_ns(), 0);
    assert_int_equal(plat_thread_cpu(), 0);
}

static void signals_grow_at_their_time(void **state)
{
    (void)state;
    play("clock step 0ns\nthread delay 3us at 10us\nthread steal 2us at 10us\nthread blocked 1us at 10us\nthread voluntary 4 at "
         "10us\n"
         "thread forced 5 at 10us\nthread minflt 6 at 10us\nthread majflt 7 at 10us\nthread move 2 at 10us\n"
         "thread move 1 at 20us\nthread suspended 2s at 20us\n");
    struct plat_thread t;
    struct plat_thread_counts counts;
    assert_int_equal(plat_thread_open(&t, NULL), TARE_OK);
    assert_true(plat_thread_counts(&counts));
    assert_int_equal(counts.voluntary + counts.involuntary + counts.minflt + counts.majflt, 0);
    plat_sleep_ns(10000);
    assert_int_equal(plat_thread_cpu_ns(), 4000);
    assert_int_equal(plat_thread_delay_ns(&t), 3000);
    assert_true(plat_thread_counts(&counts));
    assert_int_equal(counts.voluntary, 4);
    assert_int_equal(counts.involuntary, 5);
    assert_int_equal(counts.minflt, 6);
    assert_int_equal(counts.majflt, 7);
    assert_int_equal(plat_thread_cpu(), 2);
    plat_sleep_ns(10000);
    assert_int_equal(plat_thread_cpu(), 3);
    assert_int_equal(plat_suspended_ns(), 2000000000);
}

static void what_is_absent_reads_as_minus_one(void **state)
{
    (void)state;
    play("thread without delay\nthread without cputime\nthread without voluntary\nthread without move\nthread without "
         "suspended\n");
    struct plat_thread t;
    struct plat_thread_counts counts;
    struct tare_err err = {{0}};
    assert_int_equal(plat_thread_open(&t, &err), TARE_UNSUPPORTED);
    assert_non_null(strstr(err.text, "is not available"));
    assert_int_equal(plat_thread_delay_ns(&t), -1);
    assert_int_equal(plat_thread_cpu_ns(), -1);
    assert_false(plat_thread_counts(&counts));
    assert_int_equal(counts.majflt, -1);
    assert_int_equal(plat_thread_cpu(), -1);
    assert_int_equal(plat_suspended_ns(), -1);
    plat_thread_close(&t);
}

static void faults_in_the_script_are_named(void **state)
{
    (void)state;
    struct tare_err err = {{0}};
    assert_int_equal(fake_script_set("thread sideways 3\n", &err), TARE_FORMAT);
    assert_non_null(strstr(err.text, "no such signal"));
    assert_int_equal(fake_script_set("thread delay much\n", &err), TARE_FORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_alone_uses_all_the_time),
        cmocka_unit_test(signals_grow_at_their_time),
        cmocka_unit_test(what_is_absent_reads_as_minus_one),
        cmocka_unit_test(faults_in_the_script_are_named),
    };
    return cmocka_run_group_tests_name("fake_thread", tests, NULL, NULL);
}
