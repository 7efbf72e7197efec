/* SPDX-License-Identifier: MIT
 *
 * The number of adds that a process plants, where the clock, the calls and what adds do to them are a script: a tick is a nanosecond and an add's
 * cycle. Beside a call run the first adds of a delay, as they may where the clock is read by a call, or all of them.
 */
#include "leak_harness.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { READ = 10, CALL = 200, SHORT = 129, PROCESS_NS = 50000000, MOST_NUMBERS = 64 };

static struct {
    int64_t now;
    double (*lengthens)(int adds);
    int scatter; /* ticks, of each call */
    struct rng rng;
    int numbers[MOST_NUMBERS], n_numbers; /* of adds that were asked for, each once */
} script;

int64_t __wrap_plat_clock_ns(enum plat_clock clock);
uintptr_t __wrap_cpu_delay(int adds);
enum tare_status __wrap_clock_core_hz(double *hz, struct tare_err *err);

int64_t __wrap_plat_clock_ns(enum plat_clock clock)
{
    (void)clock;
    return script.now;
}

uintptr_t __wrap_cpu_delay(int adds)
{
    int i = 0;
    while (i < script.n_numbers && script.numbers[i] != adds)
        i++;
    if (i == script.n_numbers && i < MOST_NUMBERS)
        script.numbers[script.n_numbers++] = adds;
    script.now += llround(script.lengthens(adds));
    return 0;
}

enum tare_status __wrap_clock_core_hz(double *hz, struct tare_err *err)
{
    (void)err;
    *hz = 1e9;
    return TARE_OK;
}

static struct tare_ticks read_script(void)
{
    script.now += READ;
    return (struct tare_ticks){(uint64_t)script.now};
}

static uint64_t call(void *state, const unsigned char *in)
{
    (void)state;
    (void)in;
    script.now += CALL + (script.scatter ? (int64_t)rng_below(&script.rng, (uint64_t)script.scatter) : 0);
    return 0;
}

/* ---- what adds do ---- */

static double in_proportion(int adds)
{
    return adds;
}

static double beside_151(int adds)
{
    return fmax(0, adds - 151);
}

static double beside_500(int adds)
{
    return fmax(0, adds - 500);
}

static double from_249_on_whole(int adds)
{
    return adds < 249 ? adds / 4 : adds;
}

static double nothing_at_all(int adds)
{
    (void)adds;
    return 0;
}

/* ---- the cases ---- */

static struct leak_timer timer_with(double (*lengthens)(int adds), double spike_ns, int told, int scatter)
{
    const struct tare_leak target = {.name = "it", .run = call};
    struct wire_request q = wire_request_default(-1);
    struct probe_session session = {.read = read_script, .hz = 1e9};
    struct leak_job job = {.session = &session, .q = &q, .target = &target, .order = chacha_seeded(1)};
    memset(&script, 0, sizeof script);
    script.lengthens = lengthens;
    script.scatter = scatter;
    script.rng = rng_seeded(2);
    q.leak_ns = PROCESS_NS;
    q.spike_ns = spike_ns;
    q.spike_adds = told;
    leak_timer_open(&job);
    assert_int_equal(job.end, WIRE_OK);
    assert_int_equal(job.timer.repeat, 1);
    if (script.now > PROCESS_NS / 2)
        fail_msg("%lld of %d ns", (long long)script.now, PROCESS_NS);
    return job.timer;
}

static void assert_delay(struct leak_timer t, int adds, double ticks)
{
    if (t.adds != adds || t.delay_ticks != ticks)
        fail_msg("%d adds of %g ticks, not %d of %g", t.adds, t.delay_ticks, adds, ticks);
}

static void adds_that_weigh_a_cycle_are_as_many_as_cycles(void **state)
{
    (void)state;
    assert_delay(timer_with(in_proportion, 100, 0, 0), 100, 100);
    assert_int_equal(script.n_numbers, 2); /* the short one, and the first guess */
    assert_delay(timer_with(in_proportion, 1, 0, 0), 1, 1);
}

static void those_that_run_beside_the_call_are_planted_in_addition(void **state)
{
    (void)state;
    const struct leak_timer few = timer_with(beside_151, 100, 0, 0), many = timer_with(beside_500, 100, 0, 0);
    assert_in_range(few.adds, 95 + 151 - SHORT, 105 + 151 - SHORT);
    assert_true(few.delay_ticks == few.adds + SHORT - 151);
    assert_in_range(many.adds, 95 + 500 - SHORT, 105 + 500 - SHORT);
    assert_true(many.delay_ticks == many.adds + SHORT - 500);
}

/* 248 adds weigh 62 ticks, 249 of them 249. */
static void of_two_numbers_around_a_jump_the_nearer_is_planted(void **state)
{
    (void)state;
    assert_delay(timer_with(from_249_on_whole, 100, 0, 0), 249 - SHORT, 249 - SHORT / 4);
    const struct leak_timer t = timer_with(from_249_on_whole, 40, 0, 0);
    assert_in_range(t.adds, 248 - SHORT - 3, 248 - SHORT); /* which weigh about alike */
    assert_true(t.delay_ticks == (t.adds + SHORT) / 4 - SHORT / 4);
}

static void what_never_shows_is_given_up(void **state)
{
    (void)state;
    const struct leak_timer t = timer_with(nothing_at_all, 100, 0, 0);
    assert_true(t.adds >= 100 && t.delay_ticks == 0);
}

static void adds_that_were_told_are_only_weighed(void **state)
{
    (void)state;
    assert_delay(timer_with(beside_151, 100, 60, 0), 60, 60 + SHORT - 151);
    assert_int_equal(script.n_numbers, 2);
    assert_true(script.numbers[0] + script.numbers[1] == SHORT + SHORT + 60);
    assert_delay(timer_with(nothing_at_all, 100, 60, 0), 60, 0);
}

static void calls_that_scatter_are_weighed_until_it_is_known(void **state)
{
    (void)state;
    const struct leak_timer t = timer_with(beside_151, 100, 0, 100);
    if (!(fabs(t.delay_ticks - (t.adds + SHORT - 151)) < 8 && fabs(t.delay_ticks - 100) < 15))
        fail_msg("%d adds weigh %g ticks", t.adds, t.delay_ticks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adds_that_weigh_a_cycle_are_as_many_as_cycles),
        cmocka_unit_test(those_that_run_beside_the_call_are_planted_in_addition),
        cmocka_unit_test(of_two_numbers_around_a_jump_the_nearer_is_planted),
        cmocka_unit_test(what_never_shows_is_given_up),
        cmocka_unit_test(adds_that_were_told_are_only_weighed),
        cmocka_unit_test(calls_that_scatter_are_weighed_until_it_is_known),
    };
    return cmocka_run_group_tests_name("leak_delay", tests, NULL, NULL);
}
