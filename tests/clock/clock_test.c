/* SPDX-License-Identifier: MIT
 *
 * The clocks on the fake platform, where every figure is known: trust, frequency, conversion, chains.
 */
#include "clock_play.h"
#include "plat.h"
#include <stdio.h>

/* ---- ticks to nanoseconds ---- */

static void ticks_become_the_nearest_nanosecond(void **state)
{
    (void)state;
    const int64_t top = INT64_C(1) << 62;
    const struct {
        uint64_t hz;
        int64_t ticks, ns;
    } known[] = {
        {1000000000, top, top},
        {2000000000, top, top / 2},
        {2000000000, 3, 2}, /* 1.5: half away from zero */
        {2000000000, -3, -2},
        {1, 9, 9000000000},
        {1, top, INT64_MAX},
        {1, -top, INT64_MIN},
        {3000000000, top, INT64_C(1537228672809129301)},
        {10000000000, top, INT64_C(461168601842738790)},
        {2500003840, top, INT64_C(1844671573955417566)},
        {3579545, 3579545 * INT64_C(86400), INT64_C(86400000000000)},
        {62500000, 1, 16},
        {2400000000, 0, 0},
        {2400000000, 24, 10},
        {1000000, INT64_C(9223372036854775), INT64_C(9223372036854775000)},
        {1000000, INT64_C(9223372036854776), INT64_MAX},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct clock_scale scale = clock_scale_of(known[i].hz * 1000000);
        int64_t ns = clock_ticks_ns(&scale, known[i].ticks);
        if (ns != known[i].ns)
            fail_msg("%lld ticks at %llu Hz are %lld ns, not %lld", (long long)known[i].ticks, (unsigned long long)known[i].hz,
                     (long long)known[i].ns, (long long)ns);
    }
}

/* ticks * 1e15 / micro_hz, rounded, by long division, three digits at a time: micro_hz is below 1e16, so that a rest times 1000 fits. */
static int64_t divided(uint64_t ticks, uint64_t micro_hz)
{
    uint64_t ns = ticks / micro_hz, rest = ticks % micro_hz;
    for (int i = 0; i < 5; i++) {
        if (ns > INT64_MAX / 1000)
            return INT64_MAX;
        rest *= 1000;
        ns = ns * 1000 + rest / micro_hz;
        rest %= micro_hz;
    }
    ns += rest >= micro_hz - micro_hz / 2;
    return ns > INT64_MAX ? INT64_MAX : (int64_t)ns;
}

/* Over frequencies and counts of every size. */
static void conversion_is_never_a_nanosecond_off(void **state)
{
    (void)state;
    struct rng r = rng_seeded(7);
    for (int i = 0; i < 200000; i++) {
        uint64_t micro_hz = 1000000 + (rng_next(&r) >> (rng_next(&r) % 44)) % (UINT64_C(10000000000000000) - 1000000);
        int64_t ticks = (int64_t)(rng_next(&r) >> (1 + rng_next(&r) % 63));
        struct clock_scale scale = clock_scale_of(micro_hz);
        int64_t ns = clock_ticks_ns(&scale, ticks), expected = divided((uint64_t)ticks, micro_hz);
        if (ns - expected > 1 || expected - ns > 1)
            fail_msg("%lld ticks at %llu uHz: %lld ns, expected %lld", (long long)ticks, (unsigned long long)micro_hz,
                     (long long)ns, (long long)expected);
        assert_int_equal(clock_ticks_ns(&scale, -ticks), ns == INT64_MAX ? INT64_MIN : -ns);
    }
}

static void a_difference_of_one_tick_is_the_same_everywhere(void **state)
{
    (void)state;
    struct clock_scale scale = clock_scale_of(UINT64_C(1000000000000000)); /* 1 GHz */
    for (int64_t at = INT64_C(1) << 62, i = 0; i < 1000; i++)
        assert_int_equal(clock_ticks_ns(&scale, at + i), at + i);
}

/* ---- order statistics ---- */

static void ranks_are_those_of_the_sorted_values(void **state)
{
    (void)state;
    int64_t v[] = {9, 1, 8, 2, 7, 3, 6, 4, 5, 10};
    struct clock_spread s = clock_spread_of(v, 10);
    near(s.min, 1, 0, "min");
    near(s.p10, 1, 0, "p10");
    near(s.median, 5.5, 0, "median");
    near(s.p90, 9, 0, "p90");
    near(s.p99, 10, 0, "p99");
    near(s.max, 10, 0, "max");
    struct clock_spread one = clock_spread_of((int64_t[]){-4}, 1), none = clock_spread_of(NULL, 0);
    near(one.p10 + one.median + one.p99, -12, 0, "one value");
    assert_true(none.n == 0 && isnan(none.median) && isnan(none.max));
}

static void sorting_is_right_at_every_size(void **state)
{
    (void)state;
    struct rng r = rng_seeded(3);
    for (int n = 1; n < 200; n++) {
        int64_t v[200];
        for (int i = 0; i < n; i++)
            v[i] = (int64_t)(rng_next(&r) % 50) - 25;
        clock_spread_of(v, n);
        for (int i = 1; i < n; i++)
            assert_true(v[i - 1] <= v[i]);
    }
}

/* ---- the phase ---- */

/* Exact expectation of a reading of `duration` after a delay that is the sum of two uniforms over 0..width-1, wherever the step begins.
 * Everything in adds. Counter and core are not in step: begin is somewhere in a cycle. */
enum { PARTS = 16 };
static double expected_reading(double duration, double step, double begin, int width)
{
    double sum = 0;
    for (int delay = 0; delay <= 2 * width - 2; delay++)
        for (int part = 0; part < PARTS; part++) {
            const double at = begin + delay + (part + 0.5) / PARTS;
            const double chance = (width - fabs((double)(delay - (width - 1)))) / ((double)width * width);
            sum += chance / PARTS * step * (floor((at + duration) / step) - floor(at / step));
        }
    return sum;
}

/* Steps of 0.4 to 64 ns on cores of 1.5 to 9 GHz, a delay of 16 steps each; what is timed takes whole cycles, as the delay does. */
static void a_drawn_phase_leaves_no_error_of_the_step(void **state)
{
    (void)state;
    static const double steps_ns[] = {0.4, 1, 10, 41.7, 64}, adds_per_ns[] = {1.5, 2.6, 3, 4.99, 6.2, 9};
    for (size_t s = 0; s < sizeof steps_ns / sizeof *steps_ns; s++)
        for (size_t core = 0; core < sizeof adds_per_ns / sizeof *adds_per_ns; core++) {
            char script[100];
            struct clock_phase phase;
            snprintf(script, sizeof script, "ticks 10G\nticks step %.0f\n", steps_ns[s] * 10);
            play(script);
            clock_phase_open(&phase, 1, clock_step_ns());
            const double step = steps_ns[s] * adds_per_ns[core];
            assert_true(phase.width_adds >= 16 * step);
            for (int i = 0; i < 25; i++) {
                const double duration = 1 + i * i, begin = step * (i % 5) / 5;
                near(expected_reading(duration, step, begin, phase.width_adds) / step, duration / step, 0.002,
                     "reading, in steps");
            }
        }
}

static void drawn_phases_are_those_of_the_seed(void **state)
{
    (void)state;
    struct clock_phase a, b;
    play("ticks 2600M\nticks step 26\n");
    clock_phase_open(&a, 7, clock_step_ns());
    clock_phase_open(&b, 7, clock_step_ns());
    for (int i = 0; i < 10; i++) {
        const int64_t begin = plat_now_ns();
        clock_phase_draw(&a);
        const int64_t middle = plat_now_ns();
        clock_phase_draw(&b);
        const int64_t off = plat_now_ns() - middle - (middle - begin);
        assert_true(off >= -1 && off <= 1);
    }
}

/* ---- trust ---- */

static const struct clock_counter *counter_of(const char *script)
{
    play(script);
    return &clock_state()->counter;
}

static void trusted(const char *script, enum clock_source chosen, double hz)
{
    const struct clock_counter *c = counter_of(script);
    if (!c->trusted)
        fail_msg("not trusted: %s\n%s", c->reason, script);
    assert_string_equal(c->reason, "");
    assert_int_equal(c->chosen, chosen);
    near(c->hz, hz, hz * c->error_ppm * 1e-6, "hz");
    assert_string_equal(clock_state()->name, c->name);
}

static void distrusted(const char *script, const char *reason)
{
    const struct clock_counter *c = counter_of(script);
    assert_false(c->trusted);
    if (!strstr(c->reason, reason))
        fail_msg("the reason is \"%s\", expected \"%s\"", c->reason, reason);
    assert_string_equal(clock_state()->name, "raw");
    near(clock_state()->hz, 1e9, 0, "hz of the clock instead");
}

#define INVARIANT "cpuid 80000007 0 0 0 0 100\n"
#define SOURCE_FILES(current, available)                                                         \
    "file /sys/devices/system/clocksource/clocksource0/current_clocksource \"" current "\\n\"\n" \
    "file /sys/devices/system/clocksource/clocksource0/available_clocksource \"" available " \\n\"\n"

static void a_plain_counter_is_trusted(void **state)
{
    (void)state;
    trusted("ticks 2500M\n", SOURCE_MEASURED, 2.5e9);
    trusted("ticks 2500M\n" SOURCE_FILES("tsc", "tsc kvm-clock acpi_pm"), SOURCE_MEASURED, 2.5e9);
    trusted("ticks 2500M\n" SOURCE_FILES("kvm-clock", "tsc kvm-clock"), SOURCE_MEASURED, 2.5e9);
    assert_string_equal(clock_state()->counter.kernel_clock, "kvm-clock");
    assert_string_equal(clock_state()->counter.kernel_clocks, "tsc kvm-clock");
    trusted("ticks 2500M\nfile /proc/cpuinfo \"processor\\t: 0\\nflags\\t\\t: fpu constant_tsc nonstop_tsc\\n\"\n",
            SOURCE_MEASURED, 2.5e9);
}

static void a_counter_that_may_not_be_read_is_never_read(void **state)
{
    (void)state;
    distrusted("ticks forbidden\n", "may not read"); /* the fake ends the process when it is */
    assert_false(clock_state()->counter.readable);
    double hz;
    struct tare_err err = {{0}};
    assert_int_equal(clock_core_hz(&hz, &err), TARE_UNSUPPORTED);
    assert_non_null(strstr(err.text, "may not read"));
    assert_true(isnan(clock_chain_hz(10000)));
    distrusted("ticks missing \"no rdtscp\"\n", "no rdtscp");
}

static void a_counter_that_is_not_invariant_is_not_trusted(void **state)
{
    (void)state;
    distrusted("cpuid 80000007 0 0 0 0 0\n", "not invariant");
    distrusted("cpuid 80000007 0 0 0 0 100\nfile /proc/cpuinfo \"x\\nflags\\t: fpu tsc constant_tsc\\n\"\n",
               "constant and nonstop");
    distrusted("file /proc/cpuinfo \"x\\nflags : xconstant_tsc nonstop_tscx\\n\"\n", "constant and nonstop");
    distrusted("cpuid denied\n", "neither cpuid nor /proc/cpuinfo");
    distrusted("cpuid denied\nfile /proc/cpuinfo \"rubbish without end\"\n", "neither cpuid nor /proc/cpuinfo");
    trusted("cpuid denied\nfile /proc/cpuinfo \"x\\nflags : constant_tsc tsc nonstop_tsc\\n\"\n", SOURCE_MEASURED, 2e9);
}

static void a_counter_that_the_kernel_dropped_is_not_trusted(void **state)
{
    (void)state;
    distrusted(SOURCE_FILES("hpet", "hpet acpi_pm"), "the kernel keeps time by hpet and");
    distrusted(SOURCE_FILES("kvm-clock", "kvm-clock acpi_pm") "clock kernel 30ns\n",
               "and does not offer tsc, as it does when it finds a counter unstable");
    trusted(SOURCE_FILES("kvm-clock", "kvm-clock") "clock kernel 10us\n", SOURCE_MEASURED, 2e9); /* read by programs */
    distrusted(SOURCE_FILES("hpet", "hpet") "clock kernel 10us\n", "the kernel keeps time by hpet and");
    distrusted(SOURCE_FILES("acpi_pm", "tsc acpi_pm"), "although it still offers tsc");
    trusted(SOURCE_FILES("", ""), SOURCE_MEASURED, 2e9); /* an empty file says nothing */
    assert_string_equal(clock_state()->counter.kernel_clock, "");
    char script[3000] = "file /sys/devices/system/clocksource/clocksource0/current_clocksource \"";
    memset(script + strlen(script), 'x', 2000); /* nor does one that no kernel wrote end us */
    strcat(script, "\"\n");
    assert_false(counter_of(script)->trusted);
}

static void a_counter_that_steps_back_is_not_trusted(void **state)
{
    (void)state;
    distrusted("ticks jump -100M at 5ms\n", "went backwards");
    distrusted("ticks step 1000000\nticks 1000\n", "stood still");
}

static void a_counter_in_steps_too_coarse_to_measure_its_frequency_is_not_trusted(void **state)
{
    (void)state;
    trusted("ticks step 16000\n", SOURCE_MEASURED, 2e9); /* 8 us */
    distrusted("ticks step 40000\n", "too coarse to measure its frequency: fewer than 1000 in 10 ms");
    distrusted("ticks step 15600000\n", "too coarse");
    distrusted("ticks step 6000000\nclock start 20ms\nticks kernel 2000M\n", "too coarse"); /* no step in the readings in a row */
}

static void the_first_objection_is_the_reason(void **state)
{
    (void)state;
    distrusted("cpuid 80000007 0 0 0 0 0\nticks kernel 1M\nticks jump -100M at 5ms\n", "not invariant");
}

/* ---- where the frequency comes from ---- */

static void frequency_sources_are_asked_in_order(void **state)
{
    (void)state;
    /* 24 MHz * 250 / 2 = 3 GHz; the crystal in ECX */
    trusted("ticks 3000M\n" INVARIANT "cpuid 15 0 2 fa 16e3600 0\n", SOURCE_CPUID_15, 3e9);
    trusted("ticks 3000M\nticks kernel 3000M\n" INVARIANT "cpuid 15 0 2 fa 16e3600 0\n", SOURCE_KERNEL, 3e9);
    /* the crystal by the model: 906ea, Coffee Lake */
    trusted("ticks 3000M\n" INVARIANT "cpuid 1 0 906ea 0 0 0\ncpuid 15 0 2 fa 0 0\n", SOURCE_CPUID_15, 3e9);
    /* 2 GHz as 2000000 kHz, under a hypervisor whose leaves go so far */
    trusted(INVARIANT "cpuid 1 0 0 0 80000000 0\ncpuid 40000000 0 40000010 0 0 0\ncpuid 40000010 0 1e8480 0 0 0\n",
            SOURCE_HYPERVISOR, 2e9);
    trusted("ticks name cntvct\nticks 25M\nticks register 25M\n", SOURCE_REGISTER, 25e6);
}

static void what_is_missing_is_said_for_each_source(void **state)
{
    (void)state;
    const struct clock_counter *c =
        counter_of(INVARIANT "cpuid 15 0 2 fa 0 0\ncpuid 1 0 0 0 80000000 0\ncpuid 40000000 0 40000001 0 0 0\n");
    assert_string_equal(c->sources[SOURCE_KERNEL].reason, "the kernel does not say");
    assert_string_equal(c->sources[SOURCE_CPUID_15].reason, "CPUID 15h does not give the crystal's frequency");
    assert_string_equal(c->sources[SOURCE_HYPERVISOR].reason, "the hypervisor has no leaf 40000010h");
    assert_string_equal(c->sources[SOURCE_REGISTER].reason, "tsc has no frequency register");
    assert_true(isnan(c->sources[SOURCE_KERNEL].off_ppm));
    assert_int_equal(c->sources[SOURCE_MEASURED].status, TARE_OK);
}

static void sources_that_disagree_are_refused(void **state)
{
    (void)state;
    distrusted("ticks kernel 2001M\n", "kernel says 2001.000000 MHz");
    distrusted("ticks name cntvct\nticks 62M\nticks register 62500000\n", "cntfrq_el0 says 62.500000 MHz");
    /* within 100 ppm, and what it is off by is in the error */
    trusted("ticks kernel 2000100k\n", SOURCE_KERNEL, 2e9);
    assert_true(clock_state()->error_ppm >= 50);
    const struct clock_counter *c = counter_of("ticks kernel 2001M\n");
    near(c->sources[SOURCE_KERNEL].off_ppm, 500, 1, "ppm");
}

static void calibration_is_within_its_own_bound(void **state)
{
    (void)state;
    const char *const scripts[] = {"ticks 2500M\n",
                                   "ticks 1M\nticks cost 1\n",
                                   "ticks 10G\nticks cost spikes 20 10% 3000\n",
                                   "ticks 62500k\nticks step 62\n",
                                   "ticks 24M\nclock step 300ns\n",
                                   "ticks 3333333333\nclock raw 0.02%\n"};
    const double hz[] = {2.5e9, 1e6, 1e10, 62.5e6, 24e6, 3333333333 / 1.0002};
    for (size_t i = 0; i < sizeof hz / sizeof *hz; i++)
        for (int64_t ns = 1000000; ns <= 1000000000; ns *= 10) {
            struct clock_calibration c;
            play(scripts[i]);
            assert_int_equal(clock_calibrate(&c, ns, NULL), TARE_OK);
            near((c.hz / hz[i] - 1) * 1e6, 0, c.error_ppm, scripts[i]);
        }
}

/* Both reads around the clock's fall into one step of the counter, and the width of such a bracket is 0. */
static void a_counter_in_coarse_steps_is_within_its_bound_wherever_it_begins(void **state)
{
    (void)state;
    double largest = 0;
    for (int64_t begin = 0; begin < 1000; begin += 37) {
        struct clock_calibration c;
        play("ticks 1000M\nticks step 1000\nclock step 25ns\n");
        plat_clock_sleep_ns(1000000 + begin);
        assert_int_equal(clock_calibrate(&c, 1000500, NULL), TARE_OK);
        near((c.hz / 1e9 - 1) * 1e6, 0, c.error_ppm, "off, in ppm");
        largest = fmax(largest, fabs(c.hz / 1e9 - 1) * 1e6);
    }
    assert_true(largest > 100); /* else the step was not in play */
}

static void a_longer_calibration_has_a_smaller_error(void **state)
{
    (void)state;
    double last = INFINITY;
    for (int64_t ns = 1000000; ns <= 1000000000; ns *= 10) {
        struct clock_calibration c;
        play("");
        assert_int_equal(clock_calibrate(&c, ns, NULL), TARE_OK);
        assert_true(c.error_ppm < last / 5);
        last = c.error_ppm;
    }
}

/* ---- later ---- */

static void a_counter_that_keeps_its_rate_has_not_drifted(void **state)
{
    (void)state;
    double ppm, bound;
    play("");
    struct clock_pair since = clock_state()->start;
    plat_clock_sleep_ns(1000000000);
    assert_int_equal(clock_drift(&since, &ppm, &bound, NULL), TARE_OK);
    near(ppm, 0, bound, "drift");
    assert_true(bound < 200);
}

/* What the frequency is uncertain by must not add up over the session and hide what happened in its last tenth of a second. */
static void a_change_late_in_a_long_session_is_seen(void **state)
{
    (void)state;
    double ppm, bound;
    play("ticks 2000M\nticks 2001M at 3600s\n");
    struct clock_pair since = clock_state()->start;
    plat_clock_sleep_ns(3590000000000);
    assert_int_equal(clock_drift(&since, &ppm, &bound, NULL), TARE_OK);
    near(ppm, 0, bound, "nearly an hour");
    plat_clock_sleep_ns(20000000000); /* past the change */
    assert_int_equal(clock_drift(&since, &ppm, &bound, NULL), TARE_OK);
    plat_clock_sleep_ns(100000000);
    assert_int_equal(clock_drift(&since, &ppm, &bound, NULL), TARE_OK);
    near(ppm, 500, bound, "a tenth of a second at 500 ppm more");
    assert_true(bound < 200);
}

static void another_rate_is_seen(void **state)
{
    (void)state;
    double ppm, bound;
    play("ticks 2000M\nticks 2100M at 1s\n");
    struct clock_pair since = clock_state()->start;
    plat_clock_sleep_ns(1980000000);
    assert_int_equal(clock_drift(&since, &ppm, &bound, NULL), TARE_OK);
    near(ppm, 25000, 500, "half of the time at 5 % more");
    struct tare_err err = {{0}};
    play("ticks jump -8000M at 2s\n");
    since = clock_state()->start;
    plat_clock_sleep_ns(3000000000);
    assert_int_equal(clock_drift(&since, &ppm, &bound, &err), TARE_INVALID);
    assert_non_null(strstr(err.text, "backwards"));
    plat_clock_sleep_ns(100000000); /* a step is told once, and the counter then goes on from where it is */
    assert_int_equal(clock_drift(&since, &ppm, &bound, &err), TARE_OK);
    near(ppm, 0, bound, "after the step");
    play("ticks forbidden\n");
    assert_int_equal(clock_drift(&since, &ppm, &bound, &err), TARE_UNSUPPORTED);
}

/* ---- what another process found ---- */

static void what_was_told_is_believed_at_once(void **state)
{
    (void)state;
    const struct clock_told told = {.hz = 2.4999e9, .error_ppm = 3, .step_ticks = 2, .chain_cycles = 12000};
    double hz, cycles, empty;
    play("ticks 2500M\ncore 3000M\ncore 1500M at 1s\n");
    clock_tell(&told);
    const int64_t begun = plat_now_ns();
    const struct clock_state *c = clock_state();
    assert_int_equal(clock_core_hz(&hz, NULL), TARE_OK);
    assert_true(plat_now_ns() - begun < 1000000); /* 10 ms are a calibration */
    assert_true(c->counter.trusted && c->counter.told && c->hz == 2.4999e9 && c->error_ppm == 3 && c->step_ticks == 2);
    struct tare_clock_info said;
    tare_clock_describe(&said);
    assert_string_equal(said.source, "told");
    near(hz, 3e9 * 2.4999 / 2.5, 1e6, "core");
    plat_clock_sleep_ns(1000000000); /* the core's frequency is that of now */
    assert_int_equal(clock_core_hz(&hz, NULL), TARE_OK);
    near(hz, 1.5e9 * 2.4999 / 2.5, 1e6, "core, later");
    assert_int_equal(clock_chain_weights(&cycles, &empty, NULL), TARE_OK);
    assert_true(cycles == 12000 && empty > 0);
}

static void what_a_process_may_not_or_should_not_read_is_not_believed(void **state)
{
    (void)state;
    static const char *const scripts[] = {"ticks forbidden\n", SOURCE_FILES("hpet", "hpet acpi_pm")};
    const struct clock_told told = {.hz = 2.5e9, .step_ticks = 1, .chain_cycles = 12000};
    for (int i = 0; i < 2; i++) {
        double hz;
        play(scripts[i]);
        clock_tell(&told);
        const struct clock_state *c = clock_state();
        assert_true(!c->counter.trusted && c->counter.reason[0] && c->hz == 1e9);
        assert_int_equal(clock_core_hz(&hz, NULL), TARE_UNSUPPORTED);
    }
}

static void chains_of_no_possible_length_are_examined(void **state)
{
    (void)state;
    static const double lengths[] = {0, 3, 8000, 12001, 24000, 1e6}; /* a tsc's chains have 4000 multiplies of 3 cycles */
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int agree = 0; agree < 2; agree++) {
            const struct clock_told told = {.hz = 2e9, .step_ticks = 1, .chain_cycles = lengths[i]};
            double hz;
            play(agree ? "" : "core add 0.4\n");
            clock_tell(&told);
            assert_int_equal(clock_core_hz(&hz, NULL), agree ? TARE_OK : TARE_UNSUPPORTED);
        }
}

/* ---- the core ---- */

static void the_core_is_measured(void **state)
{
    (void)state;
    double hz = 0;
    struct tare_err err = {{0}};
    play("core 3100M\n");
    if (clock_core_hz(&hz, &err))
        fail_msg("%s", err.text);
    near(hz, 3.1e9, 3.1e9 * 2e-4, "core");
    struct clock_core core;
    assert_int_equal(clock_core_examine(&core, NULL), TARE_OK);
    assert_true(core.agree);
    near(core.ratio, 3, 0.003, "ratio");
    near(core.adds_hz, 3.1e9, 3.1e9 * 1e-3, "adds");
    assert_int_equal(core.sets, 1);
}

static void another_frequency_is_followed(void **state)
{
    (void)state;
    double hz = 0;
    play("core 3000M\ncore 1200M at 1s\n");
    assert_int_equal(clock_core_hz(&hz, NULL), TARE_OK);
    near(hz, 3e9, 1e6, "before");
    plat_clock_sleep_ns(1000000000);
    assert_int_equal(clock_core_hz(&hz, NULL), TARE_OK);
    near(hz, 1.2e9, 1e6, "after");
}

static void chains_that_disagree_are_not_used(void **state)
{
    (void)state;
    struct clock_core core;
    struct tare_err err = {{0}};
    double hz = 0;
    play("core add 0.4\n");
    assert_int_equal(clock_core_examine(&core, NULL), TARE_OK);
    assert_false(core.agree);
    assert_non_null(strstr(core.reason, "as long as 7.5"));
    assert_int_equal(clock_core_hz(&hz, &err), TARE_UNSUPPORTED);
    assert_string_equal(err.text, core.reason);
    play("core multiply 3.02\n");
    assert_int_equal(clock_core_hz(&hz, NULL), TARE_UNSUPPORTED);
    play("core multiply 3.01\n");
    assert_int_equal(clock_core_hz(&hz, NULL), TARE_OK);
}

static void a_neighbour_that_leaves_does_not_switch_the_feature_off(void **state)
{
    (void)state;
    double hz = 0;
    play("core add 1.03 until 1s\n");
    assert_int_equal(clock_core_hz(&hz, NULL), TARE_UNSUPPORTED);
    plat_clock_sleep_ns(1000000000);
    assert_int_equal(clock_core_hz(&hz, NULL), TARE_OK);
    near(hz, 3e9, 1e6, "core");
    play("core add 0.5 until 1s\n"); /* no neighbour makes an add shorter */
    assert_int_equal(clock_core_hz(&hz, NULL), TARE_UNSUPPORTED);
    plat_clock_sleep_ns(1000000000);
    assert_int_equal(clock_core_hz(&hz, NULL), TARE_UNSUPPORTED);
}

/* A frequency that moves, a neighbour that begins: the first call waits for it to pass, and no longer than its budget. */
static void a_short_disagreement_is_waited_for(void **state)
{
    (void)state;
    static const double adds[] = {1.03, 0.97};
    double hz = 0;
    struct tare_err err = {{0}};
    for (int i = 0; i < 2; i++) {
        char script[100];
        snprintf(script, sizeof script, "ticks 2600M\nticks step 26\ncore add %g until 120ms\n", adds[i]);
        play(script);
        assert_int_equal(clock_core_hz(&hz, &err), TARE_OK);
        near(hz, 3e9, 3e9 * 2e-3, "core");
    }
    play("core add 1.03\n");
    clock_state();
    const int64_t begun = plat_now_ns();
    assert_int_equal(clock_core_hz(&hz, &err), TARE_UNSUPPORTED);
    assert_true(plat_now_ns() - begun > 200000000 && plat_now_ns() - begun < 250000000);
    assert_non_null(strstr(err.text, "core cycles cannot be counted (the last of "));
    play("core add 0.4\n"); /* no chain of adds at all: not worth waiting for */
    clock_state();
    const int64_t again = plat_now_ns();
    assert_int_equal(clock_core_hz(&hz, &err), TARE_UNSUPPORTED);
    assert_true(plat_now_ns() - again < 100000000);
}

/* Chains of 3 to 4 us against steps of 10 and 41.7 ns: the least of three is short by up to a step. */
static void a_coarse_counter_does_not_make_the_core_faster(void **state)
{
    (void)state;
    static const char *const counters[] = {"ticks 2600M\nticks step 26\n", "ticks 24M\nticks cost 1\n"};
    for (int i = 0; i < 2; i++) {
        double sum = 0, hz = 0;
        char script[100];
        snprintf(script, sizeof script, "%score 3130M\n", counters[i]);
        play(script);
        for (int k = 0; k < 40; k++) {
            assert_int_equal(clock_core_hz(&hz, NULL), TARE_OK);
            sum += hz / 40;
            plat_clock_sleep_ns(12345);
        }
        near(sum / 3.13e9, 1, 1e-3, counters[i]);
    }
}

/* Chains of 1535 steps: the least of 64 is short by a third of a step in the mean, 2.7e-4. */
static void what_is_said_of_the_core_is_not_the_least_of_stepped_readings(void **state)
{
    (void)state;
    double multiplies = 0, adds = 0;
    for (int i = 0; i < 20; i++) {
        struct clock_core core;
        char script[100];
        snprintf(script, sizeof script, "ticks 2600M\nticks step 26\ncore %dk\n", 2990000 + 500 * i);
        play(script);
        assert_int_equal(clock_core_examine(&core, NULL), TARE_OK);
        multiplies += core.hz / (2990e6 + .5e6 * i) / 20;
        adds += core.adds_hz / (2990e6 + .5e6 * i) / 20;
    }
    near(multiplies, 1, 1e-4, "multiplies");
    near(adds, 1, 1e-4, "adds");
}

static void a_multiply_of_another_length_is_found_where_it_may_be_so(void **state)
{
    (void)state;
    struct clock_core core;
    for (int cycles = 2; cycles <= 5; cycles++) {
        char script[100];
        snprintf(script, sizeof script, "ticks name cntvct\nticks 1000M\ncore 2600M\ncore multiply %d\n", cycles);
        play(script);
        assert_int_equal(clock_core_examine(&core, NULL), TARE_OK);
        assert_true(core.agree);
        assert_int_equal(core.multiply_cycles, cycles);
        near(core.hz, 2.6e9, 2.6e6, "core");
    }
    play("core multiply 4\n"); /* a tsc is of x86-64, where it takes 3 */
    assert_int_equal(clock_core_examine(&core, NULL), TARE_OK);
    assert_false(core.agree);
}

static void a_slow_counter_gets_longer_chains(void **state)
{
    (void)state;
    struct clock_core core;
    play("ticks name cntvct\nticks 62500k\nticks step 62\ncore 2600M\ncore multiply 4\n");
    assert_int_equal(clock_core_examine(&core, NULL), TARE_OK);
    assert_true(core.agree);
    near(core.hz, 2.6e9, 2.6e9 * 2e-3, "core");
    const struct clock_told told = {.hz = 3, .error_ppm = 3, .step_ticks = 20};
    play("ticks 3\n"); /* the longest chain is shorter than its step */
    clock_tell(&told);
    assert_int_equal(clock_core_examine(&core, NULL), TARE_OK);
    assert_true(!core.agree && isnan(core.hz) && strstr(core.reason, "less than a step"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_become_the_nearest_nanosecond),
        cmocka_unit_test(conversion_is_never_a_nanosecond_off),
        cmocka_unit_test(a_difference_of_one_tick_is_the_same_everywhere),
        cmocka_unit_test(ranks_are_those_of_the_sorted_values),
        cmocka_unit_test(sorting_is_right_at_every_size),
        cmocka_unit_test(a_drawn_phase_leaves_no_error_of_the_step),
        cmocka_unit_test(drawn_phases_are_those_of_the_seed),
        cmocka_unit_test(a_plain_counter_is_trusted),
        cmocka_unit_test(a_counter_that_may_not_be_read_is_never_read),
        cmocka_unit_test(a_counter_that_is_not_invariant_is_not_trusted),
        cmocka_unit_test(a_counter_that_the_kernel_dropped_is_not_trusted),
        cmocka_unit_test(a_counter_that_steps_back_is_not_trusted),
        cmocka_unit_test(a_counter_in_steps_too_coarse_to_measure_its_frequency_is_not_trusted),
        cmocka_unit_test(the_first_objection_is_the_reason),
        cmocka_unit_test(frequency_sources_are_asked_in_order),
        cmocka_unit_test(what_is_missing_is_said_for_each_source),
        cmocka_unit_test(sources_that_disagree_are_refused),
        cmocka_unit_test(calibration_is_within_its_own_bound),
        cmocka_unit_test(a_counter_in_coarse_steps_is_within_its_bound_wherever_it_begins),
        cmocka_unit_test(a_longer_calibration_has_a_smaller_error),
        cmocka_unit_test(a_counter_that_keeps_its_rate_has_not_drifted),
        cmocka_unit_test(a_change_late_in_a_long_session_is_seen),
        cmocka_unit_test(another_rate_is_seen),
        cmocka_unit_test(what_was_told_is_believed_at_once),
        cmocka_unit_test(what_a_process_may_not_or_should_not_read_is_not_believed),
        cmocka_unit_test(chains_of_no_possible_length_are_examined),
        cmocka_unit_test(the_core_is_measured),
        cmocka_unit_test(another_frequency_is_followed),
        cmocka_unit_test(chains_that_disagree_are_not_used),
        cmocka_unit_test(a_neighbour_that_leaves_does_not_switch_the_feature_off),
        cmocka_unit_test(a_short_disagreement_is_waited_for),
        cmocka_unit_test(a_coarse_counter_does_not_make_the_core_faster),
        cmocka_unit_test(what_is_said_of_the_core_is_not_the_least_of_stepped_readings),
        cmocka_unit_test(a_multiply_of_another_length_is_found_where_it_may_be_so),
        cmocka_unit_test(a_slow_counter_gets_longer_chains),
    };
    return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
