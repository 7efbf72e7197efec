/* SPDX-License-Identifier: MIT
 *
 * The jitter probe and the burden on this machine. What they find is the machine's affair; that it hangs together is ours. Nothing here asserts a time.
 */
#include "jitter.h"
#include "plat.h"
#include "plat_clock.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static int some_cpu(void)
{
    int cpu = 0;
    while (!plat_cpu_allowed(cpu))
        cpu++;
    return cpu;
}

static void parts_of_the_probe_add_up(void **state)
{
    (void)state;
    struct arena a = {0};
    struct jitter j;
    struct jitter_figures f;
    struct tare_err err = {{0}};
    const int cpu = some_cpu();
    const struct jitter_options o = {.cpus = &cpu, .n_cpus = 1, .duration_ns = 400000000};
    struct plat_cpus before, after;
    plat_thread_cpus(&before);
    if (jitter_measure(&j, &o, &a, &err))
        fail_msg("%s", err.text);
    plat_thread_cpus(&after);
    assert_memory_equal(&before, &after, sizeof before);
    assert_int_equal(j.cpus[0].n, 40);
    assert_int_equal(jitter_figures(&f, &j.cpus[0], .05, &err), TARE_OK);
    assert_true(f.seconds >= .4 && f.lost_seconds <= f.seconds && f.largest_ns <= f.lost_seconds * 1e9 + 1);
    assert_true(f.count[0] >= f.count[1] && f.count[1] >= f.count[2]);
    assert_true(f.lost_share.low <= f.lost_share.point && f.lost_share.point <= f.lost_share.high);
    print_message(
        "             CPU %d: %g gaps/s of 1 us, %g of 10 us, %g of 100 us; %.3g %% lost, largest %g us; %g to %g GHz\n", cpu,
        f.gaps[0].point, f.gaps[1].point, f.gaps[2].point, 100 * f.lost_share.point, f.largest_ns / 1e3, f.core_hz[0].point / 1e9,
        f.core_hz[2].point / 1e9);
    print_message("             others %g s, stolen %g s, interrupts %g s; %g ticks/s; %s\n", f.others_seconds, f.stolen_seconds,
                  f.interrupt_seconds, j.cpus[0].ticks_per_second, j.users_known && j.users.n ? j.users.top[0].name : "");
    arena_finish(&a);
}

static void a_burdened_cpu_works_and_one_that_is_not_there_is_refused(void **state)
{
    (void)state;
    struct tare_err err = {{0}};
    const int cpu = some_cpu(), none[] = {cpu, 8191};
    struct plat_stressed one = {0}, two[2];
    for (int64_t ms = 20; !(one.multiplies > 0) && ms < 20000; ms *= 5) /* it may not have had the CPU in so short a time */
        if (plat_stress(&cpu, 1, ms * 1000000, &one, &err))
            fail_msg("%s", err.text);
    assert_true(one.multiplies > 0 && one.wall_ns >= 0 && one.cpu_ns > 0);
    assert_true(isfinite(one.multiplies));
    assert_int_equal(plat_stress(none, 2, 20000000, two, &err), TARE_INVALID);
    assert_non_null(strstr(err.text, "8191"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_the_probe_add_up),
        cmocka_unit_test(a_burdened_cpu_works_and_one_that_is_not_there_is_refused),
    };
    return cmocka_run_group_tests_name("jitter on this machine", tests, NULL, NULL);
}
