/* SPDX-License-Identifier: MIT
 *
 * Where the C library's clock is another than the kernel's, as a preloaded library makes it, a sleep lasts as long as was asked for: a test that hangs fails.
 */
#include "plat.h"
#include "plat_clock.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { HOUR_S = 3600, MS = 1000000 };

static time_t shift_s, step_s; /* at each reading */

int clock_gettime(clockid_t clock, struct timespec *t)
{
    const long failed = syscall(SYS_clock_gettime, clock, t);
    if (!failed && clock == CLOCK_MONOTONIC)
        t->tv_sec += shift_s += step_s;
    return (int)failed;
}

static void a_shifted_clock_prolongs_no_sleep(void **state)
{
    (void)state;
    shift_s = HOUR_S;
    plat_clock_sleep_ns(MS);
    plat_sleep_ns(MS);
    shift_s = 0;
}

static void neither_does_one_that_runs_back(void **state)
{
    (void)state;
    shift_s = 10 * HOUR_S;
    step_s = -HOUR_S;
    plat_clock_sleep_ns(MS);
    plat_sleep_ns(MS);
    shift_s = step_s = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shifted_clock_prolongs_no_sleep),
        cmocka_unit_test(neither_does_one_that_runs_back),
    };
    return cmocka_run_group_tests_name("shifted clock", tests, NULL, NULL);
}
