/* SPDX-License-Identifier: MIT
 *
 * Growth, over simulated sessions: how often the intervals hold the truth at every look, and how often the word is wrong.
 */
#include "leak_growth.h"
#include "leak_test.h"
#include "rng.h"

enum { SIZES = 8, ROUNDS = 8, BLOCKS = 60 };
static const double sizes[SIZES] = {1, 4, 16, 64, 256, 1024, 4096, 16384};

struct law {
    const char *name;
    double base, per_log, per_element; /* ticks */
    enum leak_growth_verdict wrong;
};

/* Tolerated are 100: half of 200. */
static const struct law laws[] = {
    {"constant", 200, 0, 0, LEAK_GROWTH_GROWS},
    {"inside, near the bound", 200, 90 / 14., 0, LEAK_GROWTH_GROWS},
    {"outside, near the bound", 200, 110 / 14., 0, LEAK_GROWTH_BOUNDED},
    {"linear", 200, 0, .1, LEAK_GROWTH_BOUNDED},
};

static double truth_of(const struct law *l, double n)
{
    return l->base + l->per_log * log2(n) + l->per_element * n;
}

/* Noise of mean 0 about a level that a block shares: it drifts, and is bounded, so that nothing is clipped. */
static double noise(struct rng *r, double *level)
{
    *level = .9 * *level + (double)rng_below(r, 2001) / 100 - 10;
    return (double)rng_below(r, 6001) / 100 - 30;
}

static void one_session(const struct law *l, uint64_t seed, bool *outside, bool *wrong)
{
    struct leak_growth_rule rule = leak_growth_rule_default(sizes, SIZES);
    struct leak_growth *g;
    struct leak_growth_reading out;
    struct rng r = rng_seeded(seed);
    double level = 0, grown = truth_of(l, sizes[SIZES - 1]) - truth_of(l, sizes[0]);
    rule.confidence = .9;
    rule.bound_ticks = 100;
    rule.warmup_blocks = 30;
    *outside = *wrong = false;
    assert_int_equal(leak_growth_create(&rule, &g, NULL), TARE_OK);
    for (int round = 0; round < ROUNDS; round++) {
        for (int b = 0; b < BLOCKS; b++) {
            int order[SIZES];
            uint8_t class[SIZES];
            uint32_t ticks[SIZES];
            for (int i = 0; i < SIZES; i++)
                order[i] = i;
            rng_shuffle(&r, order, SIZES);
            for (int i = 0; i < SIZES; i++) {
                class[i] = (uint8_t)order[i];
                double t = truth_of(l, sizes[order[i]]) + noise(&r, &level);
                ticks[i] = (uint32_t)(t + level + rng_uniform(&r)); /* a clock that rounds at random keeps the mean */
            }
            assert_int_equal(leak_growth_blocks(g, SIZES, 1, class, ticks, NULL), TARE_OK);
        }
        leak_growth_round(g);
        leak_growth_read(g, &out);
        if (out.blocks < 100)
            continue;
        *outside |= !(out.growth_ticks.low <= grown && grown <= out.growth_ticks.high);
        for (int s = 0; s < SIZES - 1; s++) {
            double step = (truth_of(l, sizes[s + 1]) - truth_of(l, sizes[s])) / 2; /* two doublings */
            *outside |= !(out.at[s].per_doubling_ticks.low <= step && step <= out.at[s].per_doubling_ticks.high);
        }
        *wrong |= out.verdict == l->wrong;
    }
    leak_growth_destroy(g);
}

static void growth_holds_the_truth_and_is_rarely_wrong(void **state)
{
    (void)state;
    enum { SESSIONS = 300 };
    for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
        int outside = 0, wrong = 0;
        for (int i = 0; i < SESSIONS; i++) {
            bool o, w;
            one_session(&laws[k], (uint64_t)(k * 100000 + i), &o, &w);
            outside += o;
            wrong += w;
        }
        assert_at_most("an interval ever outside", laws[k].name, outside, SESSIONS, .1);
        assert_at_most("ever a wrong word", laws[k].name, wrong, SESSIONS, .05);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(growth_holds_the_truth_and_is_rarely_wrong)};
    return cmocka_run_group_tests_name("growth, simulated", tests, NULL, NULL);
}
