/* SPDX-License-Identifier: MIT
 *
 * Sizes over simulated processes that differ, looked at behind each process from the least number on: how often an interval ever leaves out the mean over
 * all processes there could be. Where their means are normal the promise is exact; where they are skewed, or of few kinds, the figures are what
 * docs/leak.md says of it.
 */
#include "leak_core.h"
#include "leak_test.h"
#include "rng.h"
#include "rng_normal.h"

/* ---- what differs between processes; mean 0 or 1, a standard deviation of about 1 ---- */

static double normal(struct rng *r)
{
    return rng_normal(r);
}

static double exponential(struct rng *r)
{
    return -log1p(-rng_uniform(r));
}

static double lognormal(struct rng *r)
{
    return exp(rng_normal(r) - .5);
}

static double kind_of(struct rng *r, double share)
{
    return (rng_uniform(r) < share) + .05 * rng_normal(r);
}

static double half_of_them(struct rng *r)
{
    return kind_of(r, .5);
}

static double a_quarter_of_them(struct rng *r)
{
    return kind_of(r, .25);
}

static double a_tenth_of_them(struct rng *r)
{
    return kind_of(r, .1);
}

/* most: chance of an interval that ever misses, of 99 % for all sizes of a pair together, that is asserted; the promise for normal means. */
static const struct world {
    const char *name;
    double (*draw)(struct rng *r);
    double mean, most;
} worlds[] = {
    {"normal", normal, 0, .01 / 2 / LEAK_JUDGED},
    {"two kinds, half each", half_of_them, .5, .01},
    {"two kinds, a quarter the other", a_quarter_of_them, .25, .02},
    {"two kinds, a tenth the other", a_tenth_of_them, .1, .2},
    {"exponential", exponential, 1, .02},
    {"lognormal", lognormal, 1, .06},
};

static bool ever_outside(const struct world *w, struct rng *r, double level, int64_t least, int processes)
{
    struct leak_running means = {0};
    for (int n = 1; n <= processes; n++) {
        double x = w->draw(r), off = x - means.mean;
        means.mean += off / n;
        means.m2 += off * (x - means.mean);
        if (n < least)
            continue;
        struct tare_interval about = leak_over_processes(&means, n, level);
        if (w->mean < about.low || w->mean > about.high)
            return true;
    }
    return false;
}

static void means_over_processes_hold_the_truth_at_every_number_of_them(void **state)
{
    (void)state;
    enum { SESSIONS = 20000, PROCESSES = 100 };
    const double confidence = .99, level = (1 - confidence) / 2 / LEAK_JUDGED;
    for (size_t k = 0; k < sizeof worlds / sizeof *worlds; k++) {
        struct rng r = rng_seeded(4000 + k);
        int outside = 0;
        for (int i = 0; i < SESSIONS; i++)
            outside += ever_outside(&worlds[k], &r, level, leak_least_processes(confidence), PROCESSES);
        assert_at_most("ever outside", worlds[k].name, outside, SESSIONS, worlds[k].most);
    }
}

/* ---- through a battery, beside an interval over the calls ---- */

struct missed {
    bool over_processes, over_calls;
};

static struct missed session_of(const struct world *w, uint64_t seed, double *scratch)
{
    enum { BLOCKS = 100, PROCESSES = 40, UNCLIPPED = LEAK_CLIPS - 1 };
    const double unit = 20;
    struct leak_rule rule = leak_rule_default(2);
    struct leak_test_set b;
    struct rng r = rng_seeded(seed);
    struct missed m = {false, false};
    rule.confidence = .9;
    assert_int_equal(leak_test_set_start(&b, &rule, 2, BLOCKS, scratch, true), TARE_OK);
    for (int p = 0; p < PROCESSES; p++) {
        const double effect = unit * w->draw(&r);
        for (int i = 0; i < BLOCKS; i++) {
            double by_class[2] = {1000 + 30 * rng_normal(&r), 1000 + effect + 30 * rng_normal(&r)};
            leak_test_set_add(&b, by_class);
        }
        leak_test_set_round(&b);
        if (b.over.processes < leak_least_processes(rule.confidence))
            continue;
        struct leak_difference d;
        leak_size_at_clip(&b, 0, UNCLIPPED, &d);
        assert_int_equal(d.ticks.n, b.over.processes);
        m.over_processes |= d.ticks.low > unit * w->mean || d.ticks.high < unit * w->mean;
        struct leak_running calls = leak_careful(&b, 0, UNCLIPPED);
        d.ticks = leak_running_interval(&calls, b.n, rule.tight_blocks, leak_size_level(&rule, 1));
        m.over_calls |= d.ticks.low > unit * w->mean || d.ticks.high < unit * w->mean;
    }
    leak_test_set_finish(&b);
    return m;
}

static void sizes_are_about_processes_and_not_about_the_calls_of_a_few(void **state)
{
    (void)state;
    enum { SESSIONS = 200 };
    static double scratch[LEAK_SAMPLE_TIMES];
    for (size_t k = 0; k < 2; k++) {
        int processes = 0, calls = 0;
        for (int i = 0; i < SESSIONS; i++) {
            struct missed m = session_of(&worlds[k], 7000 + 1000 * k + (uint64_t)i, scratch);
            processes += m.over_processes;
            calls += m.over_calls;
        }
        assert_at_most("size ever outside", worlds[k].name, processes, SESSIONS, .1 / 2 / LEAK_JUDGED);
        print_message("             the same over calls, %s: %d of %d\n", worlds[k].name, calls, SESSIONS);
        assert_true(calls > SESSIONS / 4);
    }
}

/* ---- CPUs ---- */

/* Two CPUs in permuted blocks of two. */
static int next_cpu(struct rng *r, int process, int *first)
{
    if (process % 2 == 0)
        *first = (int)rng_below(r, 2);
    return process % 2 ? 1 - *first : *first;
}

/* One CPU's state changes in mid-session, as it does on virtual machines: 0.52 ns before a moment that is drawn, 0.95 behind it; the other has 0.52. Processes
 * scatter beside that. What a reading is about: the mean over both CPUs as they were at each process so far. */
static bool a_state_is_missed(uint64_t seed, double level, int processes, bool one_cpu)
{
    struct rng r = rng_seeded(seed);
    struct leak_running means = {0};
    const int moment = (int)rng_below(&r, (uint64_t)processes);
    double truth = 0;
    bool missed = false;
    for (int i = 0, first = 0; i < processes; i++) {
        const int cpu = one_cpu ? 0 : next_cpu(&r, i, &first);
        const double other = i < moment ? .52 : .95, here = cpu ? .52 : other, n = i + 1;
        truth += ((.52 + other) / 2 - truth) / n;
        leak_running_add(&means, here + .05 * rng_normal(&r), 1 / n);
        if (n < leak_least_processes(.99))
            continue;
        const struct tare_interval about = leak_over_processes(&means, i + 1, level);
        missed |= truth < about.low || truth > about.high;
    }
    return missed;
}

static void an_interval_holds_the_mean_over_cpus_whose_state_changes(void **state)
{
    (void)state;
    enum { SESSIONS = 4000, PROCESSES = 40 };
    const double level = (1 - .99) / 2 / LEAK_JUDGED;
    int missed = 0, on_one = 0;
    for (int i = 0; i < SESSIONS; i++) {
        missed += a_state_is_missed(90000 + (uint64_t)i, level, PROCESSES, false);
        on_one += a_state_is_missed(90000 + (uint64_t)i, level, PROCESSES, true);
    }
    assert_at_most("misses", "CPUs in turn", missed, SESSIONS, .01);
    print_message("             all on one of them: %d of %d\n", on_one, SESSIONS);
    assert_true(on_one > SESSIONS / 10); /* what it was where all processes ran on one of them */
}

/* ---- do CPUs differ? ---- */

static double cubed(struct rng *r)
{
    return exp(1.5 * rng_normal(r));
}

static int differ(struct rng *r, double (*draw)(struct rng *), int cpus, int processes, double off)
{
    static struct leak_reading out;
    struct leak_strata s;
    int said;
    assert_int_equal(leak_strata_start(&s, 1), TARE_OK);
    for (int i = 0; i < processes; i++) {
        const int at = leak_strata_at(&s, 10 + i % cpus);
        leak_running_add(&leak_stratum(&s, 1, at, 0)[1], draw(r) + (i % cpus ? 0 : off), 1 / (double)s.processes[at]);
    }
    leak_strata_read(&s, 1, 0, 1, .01, &out);
    assert_int_equal(out.n_cpus, processes < cpus ? processes : cpus);
    said = out.cpus_differ;
    leak_strata_finish(&s);
    return said;
}

static void cpus_that_do_not_differ_are_said_to_in_one_session_of_a_hundred(void **state)
{
    (void)state;
    enum { SESSIONS = 4000 };
    static const struct {
        const char *name;
        double (*draw)(struct rng *r);
        int cpus, processes;
    } worlds_of[] = {{"normal, 2 CPUs", normal, 2, 17},
                     {"normal, 8 CPUs", normal, 8, 64},
                     {"two kinds, 2 CPUs", half_of_them, 2, 17},
                     {"exponential, 2 CPUs", exponential, 2, 17},
                     {"skewed, 4 CPUs", cubed, 4, 40}};
    for (size_t k = 0; k < sizeof worlds_of / sizeof *worlds_of; k++) {
        struct rng r = rng_seeded(500 + k);
        int said = 0;
        for (int i = 0; i < SESSIONS; i++)
            said += differ(&r, worlds_of[k].draw, worlds_of[k].cpus, worlds_of[k].processes, 0) > 0;
        assert_at_most("said to differ", worlds_of[k].name, said, SESSIONS, .01);
    }
}

static void cpus_that_differ_by_twice_their_scatter_are_found(void **state)
{
    (void)state;
    struct rng r = rng_seeded(77);
    int found = 0;
    for (int i = 0; i < 400; i++)
        found += differ(&r, normal, 2, 17, 2) > 0;
    assert_true(found > 320);
    assert_int_equal(differ(&r, normal, 8, 17, 100), -1); /* 2 or 3 processes on each are too few to say */
    assert_int_equal(differ(&r, normal, 1, 17, 100), -1);
}

/* ---- places and cycles through a battery ---- */

/* Code that computes: as many cycles at any frequency. */
static void sizes_are_told_by_cpu_and_by_core_cycle(void **state)
{
    (void)state;
    enum { BLOCKS = 100, PROCESSES = 20, UNCLIPPED = LEAK_CLIPS - 1 };
    static double scratch[LEAK_SAMPLE_TIMES];
    static struct leak_reading out;
    struct leak_rule rule = leak_rule_default(2);
    struct leak_test_set b;
    struct rng r = rng_seeded(3);
    assert_int_equal(leak_test_set_start(&b, &rule, 2, BLOCKS, scratch, true), TARE_OK);
    for (int p = 0; p < PROCESSES; p++) {
        const double cycles_per_tick = p % 4 < 2 ? 1 : 1.25, effect = 50 / cycles_per_tick;
        for (int i = 0; i < BLOCKS; i++) {
            double by_class[2] = {1000 + rng_normal(&r), 1000 + effect + rng_normal(&r)};
            leak_test_set_add(&b, by_class);
        }
        leak_over_place(&b.over, p % 2, cycles_per_tick);
        leak_test_set_round(&b);
    }
    struct leak_difference d;
    leak_size_at_clip(&b, 0, UNCLIPPED, &d);
    leak_strata_read(&b.over.strata, 1, 0, UNCLIPPED, .01, &out);
    assert_true(out.n_cpus == 2 && out.cpu[0].cpu == 0 && out.cpu[1].cpu == 1 && out.cpus_differ == 0);
    assert_int_equal(out.cpu[0].processes + out.cpu[1].processes,
                     b.over.processes - 1); /* the first, which warmed up, goes with the second */
    assert_near("cycles", d.cycles.point, 50, .2);
    assert_true(d.cycles.low <= 50 && 50 <= d.cycles.high);
    assert_true((d.cycles.high - d.cycles.low) / 50 < .3 * (d.ticks.high - d.ticks.low) / 45);
    leak_over_place(&b.over, 0, NAN); /* one whose cycles are not known, and there is no figure of all */
    for (int i = 0; i < 2 * BLOCKS; i++)
        leak_test_set_add(&b, (double[]){1000, 1040});
    leak_test_set_round(&b);
    leak_size_at_clip(&b, 0, UNCLIPPED, &d);
    assert_true(isnan(d.cycles.point) && isfinite(d.ticks.point));
    leak_test_set_finish(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means_over_processes_hold_the_truth_at_every_number_of_them),
        cmocka_unit_test(sizes_are_about_processes_and_not_about_the_calls_of_a_few),
        cmocka_unit_test(an_interval_holds_the_mean_over_cpus_whose_state_changes),
        cmocka_unit_test(cpus_that_do_not_differ_are_said_to_in_one_session_of_a_hundred),
        cmocka_unit_test(cpus_that_differ_by_twice_their_scatter_are_found),
        cmocka_unit_test(sizes_are_told_by_cpu_and_by_core_cycle),
    };
    return cmocka_run_group_tests_name("leak sizes over processes, simulated", tests, NULL, NULL);
}
