/* SPDX-License-Identifier: MIT
 * When the account of a run says that its clocks disagree. The scripted platform runs no reference chain with its children, so the
 * results are made here; tests/cli has the other causes. */
#include "cpu.h"
#include "fake.h"
#include "plat_clock.h"
#include "run_stats.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const int64_t MS = 1000000;

static void play(const char *script)
{
    struct tare_err err = {{0}};
    if (fake_script_set(script, &err))
        fail_msg("%s", err.text);
    clock_forget();
}

/* An undisturbed run of 10 ms; true: the clocks disagreed about the time since they were last looked at. */
static bool run_disagrees(struct run_stats *a)
{
    double values[RUN_STATS_COLUMNS];
    struct plat_child_result r = {.run_ns = 10e6, .whole = true, .throttled_ns = NAN, .core_hz = NAN, .ctx_voluntary = 1};
    run_stats_before(a);
    r.start_ns = plat_now_ns();
    r.chain_ticks = cpu_chain_ticks(CHAIN_OF_MULTIPLIES, CPU_PROBE_STEPS);
    plat_clock_sleep_ns(10 * MS);
    r.end_ns = r.start_ns + 10 * MS;
    uint32_t flags = run_stats_fill(a, 0, &r, values);
    assert_true(isfinite(values[RUN_STATS_COLUMNS - 1])); /* the core's frequency: the chain was of use */
    return flags & NOISE_CLOCK;
}

static int runs_that_disagree(struct run_stats *a, int runs)
{
    int found = 0;
    for (int i = 0; i < runs; i++)
        found += run_disagrees(a);
    return found;
}

static struct run_stats opened(const char *script)
{
    struct run_stats a;
    play(script);
    assert_int_equal(run_stats_open(&a, 1), TARE_OK);
    return a;
}

static void steady_clocks_never_disagree(void **state)
{
    (void)state;
    struct run_stats a = opened("");
    assert_int_equal(runs_that_disagree(&a, 100), 0);
    plat_clock_sleep_ns(3600 * 1000 * MS);
    assert_int_equal(runs_that_disagree(&a, 100), 0);
    run_stats_close(&a);
}

/* A guest that is moved to another host, an hour after its clocks were calibrated. */
static void another_rate_is_seen_at_every_look_however_late(void **state)
{
    (void)state;
    struct run_stats a = opened("ticks 2000M\nticks 2001M at 3601s\n");
    assert_int_equal(runs_that_disagree(&a, 20), 0);
    plat_clock_sleep_ns(3600 * 1000 * MS);
    int found = runs_that_disagree(&a, 200); /* two seconds and more: a look every tenth of a second */
    if (found < 8 || found > 25)
        fail_msg("%d runs of 200", found);
    run_stats_close(&a);
}

static void a_step_back_is_seen_once(void **state)
{
    (void)state;
    struct run_stats a = opened("ticks jump -1000M at 3s\n");
    assert_int_equal(runs_that_disagree(&a, 20), 0);
    plat_clock_sleep_ns(2800 * MS);
    assert_int_equal(runs_that_disagree(&a, 60), 1);
    run_stats_close(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steady_clocks_never_disagree),
        cmocka_unit_test(another_rate_is_seen_at_every_look_however_late),
        cmocka_unit_test(a_step_back_is_seen_once),
    };
    return cmocka_run_group_tests_name("account", tests, NULL, NULL);
}
