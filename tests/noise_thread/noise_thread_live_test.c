/* SPDX-License-Identifier: MIT
 *
 * A real thread's samples: what holds on any machine. No cause is asserted to be absent, as the machine is not ours alone.
 */
#include "noise_thread.h"
#include "plat.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void a_sample_that_sleeps_has_blocked(void **state)
{
    (void)state;
    struct noise_thread t;
    struct noise_history h = {0};
    noise_thread_open(&t, NULL);
    noise_thread_begin(&t);
    int64_t begin = plat_now_ns();
    plat_sleep_ns(20000000);
    struct noise_delta d = noise_thread_end(&t, (double)(plat_now_ns() - begin));
    struct noise_account a = noise_judge(&h, &d);
    assert_true(d.voluntary >= 1);
    if (!isnan(d.delay_ns) && d.delay_ns < 10e6) /* else it waited for a CPU most of the time */
        assert_true(a.flags & NOISE_BLOCKED);
    noise_thread_close(&t);
}

static void a_sample_that_works_accounts_for_its_time(void **state)
{
    (void)state;
    struct noise_thread t;
    noise_thread_open(&t, NULL);
    for (int i = 0; i < 50; i++) {
        noise_thread_begin(&t);
        int64_t begin = plat_now_ns();
        for (volatile int k = 0; k < 100000; k++)
            ;
        struct noise_delta d = noise_thread_end(&t, (double)(plat_now_ns() - begin));
        assert_true(d.cpu_ns > 0);
        assert_true(isnan(d.delay_ns) || d.delay_ns >= 0);
        assert_true(d.involuntary >= 0 && d.majflt >= 0 && d.first_cpu >= 0);
    }
    noise_thread_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sample_that_sleeps_has_blocked),
        cmocka_unit_test(a_sample_that_works_accounts_for_its_time),
    };
    return cmocka_run_group_tests_name("noise_thread_live", tests, NULL, NULL);
}
