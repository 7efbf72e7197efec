/* SPDX-License-Identifier: MIT
 *
 * The jitter probe in a world whose gaps are known: a reading of the counter costs 100 ns, and every so many readings much more.
 */
#include "clocks.h"
#include "fake.h"
#include "jitter.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define TENTH        "200 200 200 200 200 200 200 200 200 200 "
#define STILL        "ticks 2000M\nticks cost 200\n"
#define GAP_OF_20_US "ticks 2000M\nticks cost list " TENTH TENTH TENTH TENTH "200 200 200 200 200 200 200 200 200 40000\n"

static void near(double value, double expected, double tolerance, const char *what)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%s: %.17g, expected %.17g within %g", what, value, expected, tolerance);
}

static enum tare_status probe(struct jitter *out, const char *script, const int *cpus, int n, int stretches, struct arena *a)
{
    struct tare_err err = {{0}};
    if (fake_script_set(script, &err))
        fail_msg("%s", err.text);
    clock_forget();
    const struct jitter_options o = {.cpus = cpus, .n_cpus = n, .duration_ns = (int64_t)stretches * JITTER_STRETCH_NS};
    return jitter_measure(out, &o, a, &err);
}

static struct jitter_figures figures(const struct jitter *j, int i)
{
    struct jitter_figures f;
    struct tare_err err;
    assert_int_equal(jitter_figures(&f, &j->cpus[i], .05, &err), TARE_OK);
    return f;
}

static void a_still_cpu_loses_nothing(void **state)
{
    (void)state;
    struct arena a = {0};
    struct jitter j;
    assert_int_equal(probe(&j, STILL, (const int[]){1}, 1, 40, &a), TARE_OK);
    assert_int_equal(j.n_cpus, 1);
    assert_int_equal(j.cpus[0].cpu, 1);
    assert_int_equal(j.cpus[0].n, 40);
    struct jitter_figures f = figures(&j, 0);
    near(f.seconds, .4, 1e-4, "seconds");
    for (int i = 0; i < JITTER_SIZES; i++) {
        assert_int_equal(f.count[i], 0);
        assert_true(f.gaps[i].low == 0);
        near(f.gaps[i].high, 3.6888794541 / f.seconds, 1e-6, "upper limit of no gap");
    }
    near(f.lost_share.point, 0, 0, "lost share");
    near(f.largest_ns, 0, 0, "largest gap");
    arena_finish(&a);
}

/* 49 readings of 100 ns and one of 20 us: 24.9 us, 401.6 times in 10 ms. */
static void gaps_are_counted_by_size(void **state)
{
    (void)state;
    struct arena a = {0};
    struct jitter j;
    assert_int_equal(probe(&j, GAP_OF_20_US, (const int[]){0}, 1, 60, &a), TARE_OK);
    struct jitter_figures f = figures(&j, 0);
    near(f.gaps[JITTER_OVER_1_US].point, 1e9 / 24900, 50, "gaps of 1 us and more");
    assert_int_equal(f.count[JITTER_OVER_1_US], f.count[JITTER_OVER_10_US]);
    assert_int_equal(f.count[JITTER_OVER_100_US], 0);
    near(f.lost_share.point, 20.0 / 24.9, 1e-3, "lost share");
    near(f.largest_ns, 20000, 1, "largest gap");
    assert_true(f.gaps[JITTER_OVER_10_US].low < 1e9 / 24900 && 1e9 / 24900 < f.gaps[JITTER_OVER_10_US].high);
    for (int s = 0; s < j.cpus[0].n; s++)
        for (int c = 0; c < JITTER_CLASSES; c++)
            if (jitter_class_ns[c] != 20000 && j.cpus[0].stretches[s].gaps[c])
                fail_msg("stretch %d has %lld gaps of %lld ns", s, (long long)j.cpus[0].stretches[s].gaps[c],
                         (long long)jitter_class_ns[c]);
    arena_finish(&a);
}

/* Stretches made by hand: `lost` of each in ms, which makes it so much longer, in `gaps` gaps. */
static struct jitter_figures figures_of(const double *lost_ms, const int *gaps, int n)
{
    static struct jitter_stretch stretches[64];
    struct jitter_figures f;
    for (int i = 0; i < n; i++) {
        stretches[i] = (struct jitter_stretch){.wall_ns = JITTER_STRETCH_NS + lost_ms[i] * 1e6,
                                               .least_ns = 1000,
                                               .lost_ns = lost_ms[i] * 1e6,
                                               .largest_ns = lost_ms[i] * 1e6,
                                               .core_hz = 3e9};
        stretches[i].gaps[9] = gaps[i];
    }
    const struct jitter_cpu cpu = {.stretches = stretches, .n = n};
    assert_int_equal(jitter_figures(&f, &cpu, .05, NULL), TARE_OK);
    return f;
}

/* By hand: r = 40 / 120, d = -10/3 and 10/3 four times each, s = sqrt(8/7 800/9) / 120, t(.975, 7) = 2.364624252. One long gap: r = 80 / 160, while the mean of the
 * shares is 1/9 and an interval of that mean would end at .374. */
static void the_share_lost_is_a_ratio_and_lies_in_its_interval(void **state)
{
    (void)state;
    const double half = 2.364624252 * sqrt(8. / 7 * 800 / 9) / 120;
    const double every_other[8] = {0, 10, 0, 10, 0, 10, 0, 10}, lost[8] = {0, 0, 0, 80, 0, 0, 0, 0}, even[4] = {5, 5, 5, 5};
    const int one[8] = {0, 0, 0, 1, 0, 0, 0, 0}, each[4] = {1, 1, 1, 1};
    struct jitter_figures f = figures_of(every_other, one, 8);
    near(f.lost_share.point, 1. / 3, 1e-12, "share");
    near(f.lost_share.low, 1. / 3 - half, 1e-9, "low end");
    near(f.lost_share.high, 1. / 3 + half, 1e-9, "high end");
    f = figures_of(lost, one, 8);
    near(f.lost_share.point, .5, 1e-12, "share");
    assert_true(f.lost_share.low <= .5 && .5 <= f.lost_share.high && f.lost_share.low >= 0 && f.lost_share.high <= 1);
    f = figures_of(even, each, 4);
    near(f.lost_share.point, 1. / 3, 1e-12, "share");
    near(f.lost_share.low, 1. / 3, 1e-12, "low end of constant data");
    near(f.lost_share.high, 1. / 3, 1e-12, "high end of constant data");
    f = figures_of(even, each, 1);
    near(f.lost_share.low, 0, 0, "low end of one stretch");
    near(f.lost_share.high, 1, 0, "high end of one stretch");
    f = figures_of(even, each, 0);
    assert_true(isnan(f.lost_share.point) && isnan(f.gaps[0].point) && isnan(f.core_hz[1].point));
}

/* 40 gaps in one of eight stretches of 10 ms; and 5 in each. The first is a burst: Garwood's limits for 40 events would be [357, 681]. */
static void gaps_that_come_in_bursts_have_the_wider_interval(void **state)
{
    (void)state;
    const double none[8] = {0};
    const int burst[8] = {0, 0, 0, 40, 0, 0, 0, 0}, even[8] = {5, 5, 5, 5, 5, 5, 5, 5};
    struct jitter_figures f = figures_of(none, burst, 8);
    near(f.gaps[JITTER_OVER_100_US].point, 500, 1e-9, "rate");
    near(f.gaps[JITTER_OVER_100_US].low, 0, 0, "low end");
    near(f.gaps[JITTER_OVER_100_US].high, 500 + 2.364624252 * 500, 1e-3, "high end");
    f = figures_of(none, even, 8);
    near(f.gaps[JITTER_OVER_100_US].low, 357.2, .1, "low end of Garwood");
    near(f.gaps[JITTER_OVER_100_US].high, 680.9, .1, "high end of Garwood");
}

static void a_stretch_in_which_the_counter_went_back_is_in_no_share(void **state)
{
    (void)state;
    struct jitter_stretch stretches[3] = {
        {.wall_ns = 1e7, .lost_ns = 1e6, .largest_ns = 1e6, .cpu_ns = 1e7, .core_hz = 3e9},
        {.backwards = true, .lost_ns = 9e9, .largest_ns = 9e9, .cpu_ns = 1e7, .core_hz = 3e9, .gaps = {[9] = 7}},
        {.wall_ns = 1e7, .lost_ns = 1e6, .largest_ns = 1e6, .cpu_ns = 1e7, .core_hz = 3e9}};
    const struct jitter_cpu cpu = {.stretches = stretches, .n = 3}, only = {.stretches = stretches + 1, .n = 1};
    struct jitter_figures f;
    assert_int_equal(jitter_figures(&f, &cpu, .05, NULL), TARE_OK);
    near(f.seconds, .02, 1e-12, "seconds");
    near(f.lost_share.point, .1, 1e-12, "share");
    near(f.largest_ns, 1e6, 0, "largest");
    near(f.stolen_seconds, 0, 1e-12, "stolen");
    assert_int_equal(f.count[0], 0);
    assert_int_equal(jitter_figures(&f, &only, .05, NULL), TARE_OK);
    assert_true(isnan(f.lost_share.point) && isnan(f.gaps[0].point));
}

static void the_core_frequency_is_measured_between_stretches(void **state)
{
    (void)state;
    struct arena a = {0};
    struct jitter j;
    assert_int_equal(probe(&j, STILL "core 3000M\ncore 2400M at 600ms\n", (const int[]){0}, 1, 100, &a), TARE_OK);
    struct jitter_figures f = figures(&j, 0);
    near(f.core_hz[0].point, 2.4e9, 3e6, "5th percentile");
    near(f.core_hz[2].point, 3.0e9, 3e6, "95th percentile");
    near(f.core_spread, .6 / f.core_hz[1].point * 1e9, .01, "spread");
    assert_true(f.core_hz[0].low <= f.core_hz[0].point && f.core_hz[0].point <= f.core_hz[0].high);
    arena_finish(&a);
}

static void what_others_and_the_hypervisor_took_is_told_apart(void **state)
{
    (void)state;
    struct arena a = {0};
    struct jitter j;
    assert_int_equal(probe(&j, STILL "thread delay 4ms at 300ms\nthread steal 2ms at 400ms\nthread forced 3 at 300ms\n",
                           (const int[]){0}, 1, 60, &a),
                     TARE_OK);
    struct jitter_figures f = figures(&j, 0);
    near(f.others_seconds, .004, 1e-5, "seconds of others");
    near(f.stolen_seconds, .002, 1e-4, "stolen seconds");
    near(f.involuntary * f.seconds, 3, 1e-9, "switches");
    arena_finish(&a);
}

/* It never sleeps by itself. */
static void a_stretch_in_which_a_signal_stopped_the_probe_is_made_again(void **state)
{
    (void)state;
    struct arena a = {0};
    struct jitter j;
    assert_int_equal(probe(&j, STILL "thread blocked 4ms at 300ms\nthread voluntary 1 at 300ms\n", (const int[]){0}, 1, 60, &a),
                     TARE_OK);
    assert_int_equal(j.cpus[0].n, 60);
    near(figures(&j, 0).stolen_seconds, 0, 1e-4, "stolen seconds");
    arena_finish(&a);
}

static void absent_signals_are_not_known(void **state)
{
    (void)state;
    struct arena a = {0};
    struct jitter j;
    assert_int_equal(
        probe(&j, STILL "thread without delay\nthread without voluntary\ncore add 0.4\n", (const int[]){0}, 1, 10, &a), TARE_OK);
    struct jitter_figures f = figures(&j, 0);
    assert_true(isnan(f.others_seconds) && isnan(f.stolen_seconds) && isnan(f.interrupt_seconds) && isnan(f.involuntary));
    assert_true(isnan(f.core_hz[1].point) && isnan(f.core_spread));
    assert_true(j.cpus[0].interrupts == -1 && isnan(j.cpus[0].ticks_per_second) && isnan(j.cpus[0].steal_seconds));
    assert_false(j.users_known);
    arena_finish(&a);
}

static void a_counter_that_may_not_be_read_is_replaced_by_the_clock(void **state)
{
    (void)state;
    struct arena a = {0};
    struct jitter j;
    assert_int_equal(probe(&j, "clock step 200ns\nticks forbidden\n", (const int[]){0}, 1, 4, &a), TARE_OK);
    near(figures(&j, 0).seconds, .04, 1e-4, "seconds");
    arena_finish(&a);
}

static void a_clock_that_takes_a_microsecond_tells_larger_gaps_only(void **state)
{
    (void)state;
    struct arena a = {0};
    struct jitter j;
    assert_int_equal(probe(&j, "clock step 1us\nticks forbidden\n", (const int[]){0}, 1, 4, &a), TARE_OK);
    struct jitter_figures f = figures(&j, 0);
    assert_true(isnan(f.gaps[JITTER_OVER_1_US].point));
    assert_int_equal(f.count[JITTER_OVER_10_US], 0);
    near(j.cpus[0].stretches[0].least_ns, 5000, 0, "least gap");
    near(f.lost_share.point, 0, 0, "lost share");
    arena_finish(&a);
}

static void a_counter_that_steps_back_is_said_so(void **state)
{
    (void)state;
    struct arena a = {0};
    struct jitter j;
    assert_int_equal(probe(&j, STILL "ticks jump -100000000 at 200ms\n", (const int[]){0}, 1, 30, &a), TARE_OK);
    int backwards = 0;
    for (int i = 0; i < j.cpus[0].n; i++)
        backwards += j.cpus[0].stretches[i].backwards;
    assert_int_equal(backwards, 1);
    arena_finish(&a);
}

static void a_cpu_that_is_not_there_is_refused(void **state)
{
    (void)state;
    struct arena a = {0};
    struct jitter j;
    assert_int_equal(probe(&j, STILL "cpus 2\n", (const int[]){0, 7}, 2, 4, &a), TARE_INVALID);
    assert_int_equal(j.n_cpus, 1); /* what was measured before is there */
    arena_finish(&a);
}

static void told(void *context, int cpu, double done)
{
    double *last = context;
    assert_int_equal(cpu, *last < .5 - 1e-9 ? 0 : 1);
    assert_true(done > *last);
    *last = done;
}

static void progress_is_told_over_all_cpus(void **state)
{
    (void)state;
    struct arena a = {0};
    struct jitter j;
    struct tare_err err;
    double last = 0;
    assert_int_equal(fake_script_set(STILL "cpus 2\n", &err), TARE_OK);
    clock_forget();
    const struct jitter_options o = {
        .cpus = (const int[]){0, 1}, .n_cpus = 2, .duration_ns = 1, .progress = told, .context = &last};
    assert_int_equal(jitter_measure(&j, &o, &a, &err), TARE_OK);
    assert_true(last == 1);
    assert_int_equal(j.cpus[1].n, 2); /* never fewer */
    arena_finish(&a);
}

/* ---- /proc ---- */

static const char interrupts_text[] = "           CPU0       CPU2       \n"
                                      "  4:         10        100  IO-APIC   4-edge      ttyS0\n"
                                      " 24:          1          2  PCI-MSI 49152-edge      virtio0-req.0\n"
                                      "LOC:       1000       2000   Local timer interrupts\n"
                                      "ERR:          0\n"
                                      "MIS:          0\n";

static void interrupts_of_one_cpu_are_read_from_its_column(void **state)
{
    (void)state;
    struct arena a = {0};
    struct interrupt_counts c;
    assert_int_equal(interrupts_parse(&c, interrupts_text, 2, &a), TARE_OK);
    assert_true(c.known);
    assert_int_equal(c.n, 3);
    assert_string_equal(c.items[0].name, "ttyS0");
    assert_int_equal(c.items[0].count, 100);
    assert_string_equal(c.items[1].name, "virtio0-req.0");
    assert_string_equal(c.items[2].id, "LOC");
    assert_string_equal(c.items[2].name, "Local timer interrupts");
    assert_int_equal(c.items[2].count, 2000);
    interrupts_parse(&c, interrupts_text, 1, &a);
    assert_false(c.known);
    const char *const bad[] = {"",
                               "\n",
                               "CPU0",
                               "CPU0\n",
                               "CPU0 CPU1\n 1: 5\n",
                               "CPU0\n:\n: 4 x\n 7\n8: 99999999999999999999 x\n",
                               "CPU0\n8: 9223372036854775807 x\n9: 9223372036854775807 y\n",
                               "CPUx CPU0\n1: 2 3 y\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(interrupts_parse(&c, bad[i], 0, &a), TARE_OK);
        assert_int_equal(c.n, 0);
    }
    arena_finish(&a);
}

static void interrupts_that_came_meanwhile_are_ranked(void **state)
{
    (void)state;
    struct arena a = {0};
    struct jitter j;
    assert_int_equal(
        probe(&j,
              STILL "file /proc/interrupts \"CPU0\\n1: 5 x kbd\\nLOC: 100 Local timer interrupts\\n\"\n"
                    "file /proc/interrupts \"CPU0\\n1: 9 x kbd\\n2: 40 y disk\\nLOC: 150 Local timer interrupts\\n\" from 200ms\n"
                    "file /proc/stat \"cpu 1 1 1 1 1 1 1 1\\ncpu0 0 0 0 0 0 0 0 7\\n\"\n"
                    "file /proc/stat \"cpu 1 1 1 1 1 1 1 1\\ncpu0 0 0 0 0 0 0 0 9 0\\n\" from 200ms\n",
              (const int[]){0}, 1, 50, &a),
        TARE_OK);
    const struct jitter_cpu *c = &j.cpus[0];
    assert_int_equal(c->interrupts, 4 + 40 + 50);
    assert_int_equal(c->n_interrupts, 3);
    assert_string_equal(c->top[0].id, "LOC");
    assert_string_equal(c->top[1].name, "disk");
    assert_int_equal(c->top[1].count, 40);
    assert_string_equal(c->top[2].name, "kbd");
    near(c->ticks_per_second * c->window_seconds, 50, 1e-6, "ticks of the timer");
    near(c->steal_seconds, .02, 1e-9, "steal");
    arena_finish(&a);
}

static void steal_of_one_cpu_is_the_eighth_number(void **state)
{
    (void)state;
    assert_int_equal(steal_parse("cpu  1 2 3 4 5 6 7 8\ncpu0 1 2 3 4 5 6 7 80 9 10\ncpu10 0 0 0 0 0 0 0 5\n", 0), 80);
    assert_int_equal(steal_parse("cpu  1 2 3 4 5 6 7 8\ncpu10 0 0 0 0 0 0 0 5\n", 10), 5);
    assert_int_equal(steal_parse("cpu  1 2 3 4 5 6 7 8\ncpu10 0 0 0 0 0 0 0 5\n", 1), -1);
    assert_int_equal(steal_parse("\ncpu1 1 2 3\n", 1), -1);
    assert_int_equal(steal_parse("", 0), -1);
}

/* ---- two runs ---- */

static void more_gaps_are_worse_and_the_same_are_not(void **state)
{
    (void)state;
    struct arena a = {0};
    struct jitter still, gaps, again;
    struct jitter_change c;
    struct tare_err err;
    assert_int_equal(probe(&still, STILL, (const int[]){0}, 1, 60, &a), TARE_OK);
    assert_int_equal(probe(&again, STILL, (const int[]){0}, 1, 60, &a), TARE_OK);
    assert_int_equal(probe(&gaps, GAP_OF_20_US, (const int[]){0}, 1, 60, &a), TARE_OK);
    assert_int_equal(jitter_worse(&still, &again, .05, &c, &err), TARE_OK);
    assert_false(c.worse);
    assert_null(c.what);
    assert_int_equal(jitter_worse(&still, &gaps, .001, &c, &err), TARE_OK);
    assert_true(c.worse && c.grown[JITTER_GAPS] && c.grown[JITTER_LOST] && !c.grown[JITTER_FREQUENCY]);
    assert_string_equal(c.what, "gaps of 10 us and more");
    assert_false(c.by_others);
    assert_int_equal(jitter_worse(&gaps, &still, .05, &c, &err), TARE_OK);
    assert_false(c.worse);
    arena_finish(&a);
}

static void a_frequency_that_begins_to_move_is_worse(void **state)
{
    (void)state;
    struct arena a = {0};
    struct jitter still, moves;
    struct jitter_change c;
    struct tare_err err;
    assert_int_equal(probe(&still, STILL, (const int[]){0}, 1, 60, &a), TARE_OK);
    assert_int_equal(probe(&moves, STILL "core 3000M\ncore 2900M at 200ms\ncore 3050M at 400ms\n", (const int[]){0}, 1, 60, &a),
                     TARE_OK);
    assert_int_equal(jitter_worse(&still, &moves, .01, &c, &err), TARE_OK);
    assert_true(c.worse && c.grown[JITTER_FREQUENCY] && !c.grown[JITTER_GAPS] && !c.grown[JITTER_LOST]);
    arena_finish(&a);
}

static void nothing_to_compare_is_said(void **state)
{
    (void)state;
    struct arena a = {0};
    struct jitter one, other;
    struct jitter_change c;
    struct tare_err err;
    assert_int_equal(probe(&one, STILL, (const int[]){0}, 1, 8, &a), TARE_OK);
    assert_int_equal(probe(&other, STILL, (const int[]){1}, 1, 8, &a), TARE_OK);
    assert_int_equal(jitter_worse(&one, &other, .05, &c, &err), TARE_TOO_FEW);
    assert_int_equal(probe(&other, STILL, (const int[]){0}, 1, 7, &a), TARE_OK);
    assert_int_equal(jitter_worse(&one, &other, .05, &c, &err), TARE_TOO_FEW);
    assert_int_equal(jitter_worse(&one, &one, 1, &c, &err), TARE_INVALID);
    arena_finish(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_still_cpu_loses_nothing),
        cmocka_unit_test(gaps_are_counted_by_size),
        cmocka_unit_test(the_share_lost_is_a_ratio_and_lies_in_its_interval),
        cmocka_unit_test(gaps_that_come_in_bursts_have_the_wider_interval),
        cmocka_unit_test(a_stretch_in_which_the_counter_went_back_is_in_no_share),
        cmocka_unit_test(the_core_frequency_is_measured_between_stretches),
        cmocka_unit_test(what_others_and_the_hypervisor_took_is_told_apart),
        cmocka_unit_test(a_stretch_in_which_a_signal_stopped_the_probe_is_made_again),
        cmocka_unit_test(absent_signals_are_not_known),
        cmocka_unit_test(a_counter_that_may_not_be_read_is_replaced_by_the_clock),
        cmocka_unit_test(a_clock_that_takes_a_microsecond_tells_larger_gaps_only),
        cmocka_unit_test(a_counter_that_steps_back_is_said_so),
        cmocka_unit_test(a_cpu_that_is_not_there_is_refused),
        cmocka_unit_test(progress_is_told_over_all_cpus),
        cmocka_unit_test(interrupts_of_one_cpu_are_read_from_its_column),
        cmocka_unit_test(interrupts_that_came_meanwhile_are_ranked),
        cmocka_unit_test(steal_of_one_cpu_is_the_eighth_number),
        cmocka_unit_test(more_gaps_are_worse_and_the_same_are_not),
        cmocka_unit_test(a_frequency_that_begins_to_move_is_worse),
        cmocka_unit_test(nothing_to_compare_is_said),
    };
    return cmocka_run_group_tests_name("jitter", tests, NULL, NULL);
}
