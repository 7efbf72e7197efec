/* SPDX-License-Identifier: MIT
 *
 * Sizes over simulated processes that differ, looked at behind each process from the least number on: how often an interval ever leaves out the mean over
 * all processes there could be. Where their means are normal the promise is exact; where they are skewed, or of few kinds, the figures are what
 * docs/leak.md says of it.
 */
#include "leak_core.h"
#include "leak_test.h"
#include "rng.h"

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
    struct leak_battery b;
    struct rng r = rng_seeded(seed);
    struct missed m = {false, false};
    rule.confidence = .9;
    assert_int_equal(leak_battery_start(&b, &rule, 2, BLOCKS, scratch, true), TARE_OK);
    for (int p = 0; p < PROCESSES; p++) {
        const double effect = unit * w->draw(&r);
        for (int i = 0; i < BLOCKS; i++) {
            double by_class[2] = {1000 + 30 * rng_normal(&r), 1000 + effect + 30 * rng_normal(&r)};
            leak_battery_add(&b, by_class);
        }
        leak_battery_round(&b);
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
    leak_battery_finish(&b);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means_over_processes_hold_the_truth_at_every_number_of_them),
        cmocka_unit_test(sizes_are_about_processes_and_not_about_the_calls_of_a_few),
    };
    return cmocka_run_group_tests_name("leak sizes over processes, simulated", tests, NULL, NULL);
}
