/* SPDX-License-Identifier: MIT
 *
 * Growth, over simulated sessions of processes that differ: how often the intervals hold the truth at every look, how often the word is
 * wrong, and which class is named for which law.
 */
#include "leak_growth.h"
#include "leak_test.h"
#include "rng.h"

enum { SIZES = 8, ROUNDS = 12, BLOCKS = 60 };
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
    {"on the bound", 200, 100 / 14., 0, LEAK_GROWTH_GROWS},
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

/* What differs from process to process: the slope, as where memory lies makes a walk dearer in one of them, and the whole. */
struct process {
    double slope, all;
};

static struct process process_of(struct rng *r, double spread)
{
    return (struct process){spread * rng_normal(r), 20 * rng_normal(r)};
}

static const double alphas[2] = {.05, .01}; /* of the evidence; the first is the level of the interval from end to end */

/* The interval lies above the bound just when the evidence has reached 1/level. */
static void assert_one_answer(const struct leak_growth_reading *r)
{
    bool above = r->growth_ticks.low > r->bound_ticks, reached = r->log_e >= -log(alphas[0]);
    if (above == reached || fabs(r->growth_ticks.low - r->bound_ticks) < 1e-6)
        return;
    print_error("from %g above %g, and evidence %g against %g\n", r->growth_ticks.low, r->bound_ticks, r->log_e, -log(alphas[0]));
    fail();
}

struct session {
    bool outside, wrong, reached[2];
};

static void one_session(const struct law *l, uint64_t seed, double spread, struct session *said)
{
    struct leak_growth_rule rule = leak_growth_rule_default(sizes, SIZES);
    struct leak_growth *g;
    struct leak_growth_reading out;
    struct rng r = rng_seeded(seed);
    double level = 0, grown = truth_of(l, sizes[SIZES - 1]) - truth_of(l, sizes[0]);
    rule.confidence = .9;
    rule.bound_ticks = 100;
    rule.warmup_blocks = 30;
    rule.selfchecks = false;
    *said = (struct session){0};
    assert_int_equal(leak_growth_create(&rule, &g, NULL), TARE_OK);
    for (int round = 0; round < ROUNDS; round++) {
        struct process p = process_of(&r, spread);
        for (int b = 0; b < BLOCKS; b++) {
            int order[SIZES];
            uint8_t class[SIZES];
            uint32_t ticks[SIZES];
            for (int i = 0; i < SIZES; i++)
                order[i] = i;
            rng_shuffle(&r, order, SIZES);
            for (int i = 0; i < SIZES; i++) {
                class[i] = (uint8_t)order[i];
                double t = truth_of(l, sizes[order[i]]) + p.all + p.slope * order[i] + noise(&r, &level);
                ticks[i] = (uint32_t)(t + level + rng_uniform(&r)); /* a clock that rounds at random keeps the mean */
            }
            assert_int_equal(leak_growth_blocks(g, SIZES, 1, class, ticks, NULL), TARE_OK);
        }
        leak_growth_round(g);
        leak_growth_read(g, &out);
        assert_one_answer(&out);
        for (int a = 0; a < 2; a++)
            said->reached[a] |= out.log_e >= -log(alphas[a]);
        if (out.blocks < 100)
            continue;
        said->outside |= !(out.growth_ticks.low <= grown && grown <= out.growth_ticks.high);
        for (int s = 0; s < SIZES - 1; s++) {
            double step = (truth_of(l, sizes[s + 1]) - truth_of(l, sizes[s])) / 2; /* two doublings */
            said->outside |= !(out.at[s].per_doubling_ticks.low <= step && step <= out.at[s].per_doubling_ticks.high);
        }
        said->wrong |= out.verdict == l->wrong;
    }
    leak_growth_destroy(g);
}

static void growth_holds_the_truth_and_is_rarely_wrong(void **state)
{
    (void)state;
    enum { SESSIONS = 300 };
    static const double spreads[] = {0, 1.5}; /* of the slope: by which processes differ in growth, 10 ticks */
    for (size_t k = 0; k < 2 * sizeof laws / sizeof *laws; k++) {
        const struct law *l = &laws[k / 2];
        int outside = 0, wrong = 0, reached[2] = {0};
        for (int i = 0; i < SESSIONS; i++) {
            struct session said;
            one_session(l, (uint64_t)(k * 100000 + i), spreads[k % 2], &said);
            outside += said.outside;
            wrong += said.wrong;
            for (int a = 0; a < 2; a++)
                reached[a] += said.reached[a];
        }
        assert_at_most(k % 2 ? "an interval ever outside, processes differ" : "an interval ever outside", l->name, outside,
                       SESSIONS, .1);
        for (int a = 0; a < 2 && l->wrong == LEAK_GROWTH_GROWS; a++)
            assert_at_most(a ? "evidence ever 100" : "evidence ever 20", l->name, reached[a], SESSIONS, alphas[a]);
        assert_at_most(k % 2 ? "ever a wrong word, processes differ" : "ever a wrong word", l->name, wrong, SESSIONS, .05);
    }
}

/* ---- which class ---- */

enum { POINTS = 14, SESSIONS_OF_A_LAW = 100, PROCESSES = 12 };

enum law_of { IS_1, IS_STEP, IS_LOG, IS_SQRT, IS_N, IS_N_LOG_N, IS_N2, LAWS };

struct expected {
    const char *name, *class; /* NULL: any */
    enum leak_growth_verdict verdict;
    int right; /* of 100 sessions at least */
};
/* step: another level of cache at 512 elements, 69 ticks */
static const struct expected expected[LAWS] = {
    [IS_1] = {"1", NULL, LEAK_GROWTH_BOUNDED, 99},        [IS_STEP] = {"step", NULL, LEAK_GROWTH_BOUNDED, 99},
    [IS_LOG] = {"log n", "log n", LEAK_GROWTH_GROWS, 90}, [IS_SQRT] = {"sqrt n", "sqrt n", LEAK_GROWTH_GROWS, 90},
    [IS_N] = {"n", "n", LEAK_GROWTH_GROWS, 90},           [IS_N_LOG_N] = {"n log n", "n log n", LEAK_GROWTH_GROWS, 90},
    [IS_N2] = {"n^2", "n^2", LEAK_GROWTH_GROWS, 90},
};

static double ticks_of(enum law_of law, double n)
{
    switch (law) {
    case IS_STEP:
        return 150 + (n >= 512 ? 69 : 0);
    case IS_LOG:
        return 100 + 40 * log2(n);
    case IS_SQRT:
        return 150 + 12 * sqrt(n);
    case IS_N:
        return 150 + 9 * n;
    case IS_N_LOG_N:
        return 150 + 3 * n * log(n);
    case IS_N2:
        return 150 + .05 * n * n;
    default:
        return 150;
    }
}

static struct leak_growth_reading session_of(enum law_of law, uint64_t seed)
{
    double points[POINTS];
    for (int i = 0; i < POINTS; i++)
        points[i] = ldexp(1, i);
    struct leak_growth_rule rule = leak_growth_rule_default(points, POINTS);
    struct leak_growth *g;
    struct leak_growth_reading out;
    struct rng r = rng_seeded(seed);
    rule.latency_ticks = 50;
    rule.selfchecks = false;
    assert_int_equal(leak_growth_create(&rule, &g, NULL), TARE_OK);
    for (int p = 0; p < PROCESSES; p++) {
        double machine = 1 + .03 * rng_normal(&r);
        for (int b = 0; b < 60; b++) {
            int order[POINTS];
            uint8_t class[POINTS];
            uint32_t ticks[POINTS];
            for (int i = 0; i < POINTS; i++)
                order[i] = i;
            rng_shuffle(&r, order, POINTS);
            for (int i = 0; i < POINTS; i++) {
                double t = ticks_of(law, points[order[i]]) * machine * (1 + .05 * fabs(rng_normal(&r)));
                class[i] = (uint8_t)order[i];
                ticks[i] = (uint32_t)(t + (rng_uniform(&r) < .01 ? 20000 : 0)); /* one in a hundred is preempted */
            }
            assert_int_equal(leak_growth_blocks(g, POINTS, 1, class, ticks, NULL), TARE_OK);
        }
        leak_growth_round(g);
    }
    leak_growth_read(g, &out);
    leak_growth_destroy(g);
    return out;
}

static void each_law_is_told_from_the_others(void **state)
{
    (void)state;
    static const char *const names[] = {"1", "log n", "sqrt n", "n", "n log n", "n^2", "n^3"};
    print_message("             %-8s bounded undecided grows;  as %7s %7s %7s %7s %7s %7s %7s\n", "law", names[0], names[1],
                  names[2], names[3], names[4], names[5], names[6]);
    for (int law = 0; law < LAWS; law++) {
        const struct expected *x = &expected[law];
        int words[LEAK_GROWTH_VERDICTS] = {0}, classes[7] = {0}, right = 0;
        for (int i = 0; i < SESSIONS_OF_A_LAW; i++) {
            struct leak_growth_reading r = session_of((enum law_of)law, (uint64_t)(60000 + 1000 * law + i));
            words[r.verdict]++;
            for (int c = 0; c < 7; c++)
                classes[c] += r.class && !strcmp(r.class, names[c]);
            right += r.verdict == x->verdict && (!x->class || (r.class && !strcmp(r.class, x->class)));
        }
        print_message("             %-8s %7d %9d %5d;     %7d %7d %7d %7d %7d %7d %7d\n", x->name, words[LEAK_GROWTH_BOUNDED],
                      words[LEAK_GROWTH_UNDECIDED], words[LEAK_GROWTH_GROWS], classes[0], classes[1], classes[2], classes[3],
                      classes[4], classes[5], classes[6]);
        enum leak_growth_verdict wrong = x->verdict == LEAK_GROWTH_GROWS ? LEAK_GROWTH_BOUNDED : LEAK_GROWTH_GROWS;
        assert_at_most("a wrong word", x->name, words[wrong], SESSIONS_OF_A_LAW, .01);
        assert_true(right >= x->right);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(growth_holds_the_truth_and_is_rarely_wrong),
                                       cmocka_unit_test(each_law_is_told_from_the_others)};
    return cmocka_run_group_tests_name("growth, simulated", tests, NULL, NULL);
}
