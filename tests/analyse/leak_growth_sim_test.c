/* SPDX-License-Identifier: MIT
 *
 * Growth, over simulated sessions of processes that differ: how often the intervals hold the truth at every look, how often the word is
 * wrong, and which class is named for which law.
 */
#include "leak_growth.h"
#include "leak_test.h"
#include "rng.h"
#include "rng_normal.h"

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

/* --repeat 8 with a clock in steps of 26, one call a reading at the largest size: its times are 208 apart. One in twenty is the higher one, and counts in
 * full. */
static void steps_of_scaled_readings_are_not_clipped(void **state)
{
    (void)state;
    static const double two[] = {1, 1000};
    struct leak_growth_rule rule = leak_growth_rule_default(two, 2);
    struct leak_growth *g;
    struct leak_growth_reading out;
    rule.drawn_step_ticks = 26;
    rule.repeat = 8;
    rule.warmup_blocks = 40;
    rule.selfchecks = false;
    assert_int_equal(leak_growth_create(&rule, &g, NULL), TARE_OK);
    for (int b = 0; b < 2000; b++) {
        const uint8_t class[] = {0, 1};
        const uint32_t ticks[] = {b % 5 < 2 ? 2106 : 2080, b % 20 == 7 ? 2288 : 2080}; /* 2090.4 each */
        assert_int_equal(leak_growth_blocks(g, 2, 1, class, ticks, NULL), TARE_OK);
        if (b % 200 == 199)
            leak_growth_round(g);
    }
    leak_growth_read(g, &out);
    if (!(fabs(out.growth_ticks.point) < 1))
        fail_msg("grows by %g ticks", out.growth_ticks.point);
    leak_growth_destroy(g);
}

/* ---- which class ---- */

enum { POINTS = 14, SESSIONS_OF_A_LAW = 60 };

enum law_of { IS_1, IS_STEP, IS_LOG, IS_SQRT, IS_N, IS_N_LOG_N, IS_N2, LAWS };
static const struct {
    const char *name, *class; /* NULL: any */
    enum leak_growth_verdict verdict;
} truth[LAWS] = {
    [IS_1] = {"1", NULL, LEAK_GROWTH_BOUNDED},
    [IS_STEP] = {"step", NULL, LEAK_GROWTH_BOUNDED}, /* another level of cache at 512 elements, 69 ticks */
    [IS_LOG] = {"log n", "log n", LEAK_GROWTH_GROWS},
    [IS_SQRT] = {"sqrt n", "sqrt n", LEAK_GROWTH_GROWS},
    [IS_N] = {"n", "n", LEAK_GROWTH_GROWS},
    [IS_N_LOG_N] = {"n log n", "n log n", LEAK_GROWTH_GROWS},
    [IS_N2] = {"n^2", "n^2", LEAK_GROWTH_GROWS},
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

/* What no law has: by how much a size is off in all processes of a session, and in one. Of caches: what an element costs grows by so much from 256 elements to
 * 8192. */
struct world {
    const char *name;
    int points, processes;
    double each, all, caches;
    bool told; /* so clean that the law is named alone */
};
static const struct world worlds[] = {
    {"clean", POINTS, 12, 0, 0, 0, true},
    {"clean, 6 processes", POINTS, 6, 0, 0, 0, true},
    {"processes differ by 8 %", POINTS, 12, .08, 0, 0, false},
    {"sizes are off by 5 %", POINTS, 6, .02, .05, 0, false},
    {"sizes are off by 15 %", POINTS, 12, .02, .15, 0, false},
    {"caches cost 1.3 times", POINTS, 6, .02, .02, .3, false},
    {"caches cost 2 times", POINTS, 6, .02, .02, 1, false},
    {"caches cost 4 times", POINTS, 6, .02, .02, 3, false},
    {"7 sizes, 64 at most", 7, 6, .02, 0, 0, false},
};
enum { WORLDS = sizeof worlds / sizeof *worlds };

struct off {
    double all[POINTS];
};

static double cost_of(enum law_of law, const struct world *w, const struct off *off, int size, double machine, double each)
{
    double doublings = fmax(0, fmin(5, size - 8));
    return ticks_of(law, ldexp(1, size)) * off->all[size] * machine * each * (1 + w->caches * doublings / 5);
}

static void feed(struct leak_growth *g, enum law_of law, const struct world *w, const struct off *off, struct rng *r)
{
    double machine = 1 + .03 * rng_normal(r), each[POINTS];
    for (int i = 0; i < w->points; i++)
        each[i] = 1 + w->each * rng_normal(r);
    for (int b = 0; b < 40; b++) {
        int order[POINTS];
        uint8_t class[POINTS];
        uint32_t ticks[POINTS];
        for (int i = 0; i < w->points; i++)
            order[i] = i;
        rng_shuffle(r, order, w->points);
        for (int i = 0; i < w->points; i++) {
            double t = cost_of(law, w, off, order[i], machine, each[order[i]]) * (1 + .05 * fabs(rng_normal(r)));
            class[i] = (uint8_t)order[i];
            ticks[i] = (uint32_t)(t + (rng_uniform(r) < .01 ? 20000 : 0)); /* one in a hundred is interrupted */
        }
        assert_int_equal(leak_growth_blocks(g, w->points, 1, class, ticks, NULL), TARE_OK);
    }
    leak_growth_round(g);
}

static struct leak_growth_reading session_of(enum law_of law, const struct world *w, uint64_t seed)
{
    double points[POINTS];
    struct off off;
    struct rng r = rng_seeded(seed);
    for (int i = 0; i < w->points; i++) {
        points[i] = ldexp(1, i);
        off.all[i] = 1 + w->all * (2 * rng_uniform(&r) - 1);
    }
    struct leak_growth_rule rule = leak_growth_rule_default(points, w->points);
    struct leak_growth *g;
    struct leak_growth_reading out;
    rule.latency_ticks = 50;
    rule.warmup_blocks = 20;
    rule.selfchecks = false;
    assert_int_equal(leak_growth_create(&rule, &g, NULL), TARE_OK);
    for (int p = 0; p < w->processes; p++)
        feed(g, law, w, &off, &r);
    leak_growth_read(g, &out);
    leak_growth_destroy(g);
    return out;
}

/* "n" is no part of "n log n". */
static bool is_among(const char *class, const char *list)
{
    size_t n = strlen(class);
    for (const char *at = list; at; at = strstr(at, " or ")) {
        at += strncmp(at, " or ", 4) ? 0 : 4;
        if (!strncmp(at, class, n) && (!at[n] || !strncmp(at + n, " or ", 4)))
            return true;
    }
    return false;
}

struct named {
    int sessions, grows, among, alone, others, wrong_word;
};

static void note(const struct leak_growth_reading *r, enum law_of law, struct named *n)
{
    const char *class = truth[law].class;
    n->sessions++;
    n->wrong_word += r->verdict != truth[law].verdict && r->verdict != LEAK_GROWTH_UNDECIDED;
    if (!class || r->verdict != LEAK_GROWTH_GROWS)
        return;
    bool best = !strcmp(r->class, class);
    n->grows++;
    n->alone += best && !r->not_told_from[0];
    n->among += best || is_among(class, r->not_told_from);
    n->others += r->not_told_from[0] != 0;
    for (const char *at = r->not_told_from; (at = strstr(at, " or ")); at++)
        n->others++;
}

static void the_law_is_among_those_that_are_named(void **state)
{
    (void)state;
    for (int k = 0; k < WORLDS * LAWS; k++) {
        const struct world *w = &worlds[k / LAWS];
        const enum law_of law = (enum law_of)(k % LAWS);
        struct named n = {0};
        for (int i = 0; i < SESSIONS_OF_A_LAW; i++) {
            struct leak_growth_reading r = session_of(law, w, (uint64_t)(60000 + 1000 * k + i));
            note(&r, law, &n);
        }
        print_message("             %s, %s: grows %d of %d; alone %d, others with it %.1f\n", truth[law].name, w->name, n.grows,
                      n.sessions, n.alone, n.grows ? (double)n.others / n.grows : 0);
        assert_at_most("the law is not named", w->name, n.grows - n.among, n.grows ? n.grows : 1, .01);
        if (w->points == POINTS && w->caches < 1) /* else laws grow by less, or more, than they do */
            assert_at_most("a wrong word", truth[law].name, n.wrong_word, n.sessions, .01);
        assert_true(!w->told || !truth[law].class || (n.alone > n.grows * 7 / 10 && n.grows > n.sessions * 8 / 10));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(growth_holds_the_truth_and_is_rarely_wrong),
                                       cmocka_unit_test(steps_of_scaled_readings_are_not_clipped),
                                       cmocka_unit_test(the_law_is_among_those_that_are_named)};
    return cmocka_run_group_tests_name("growth, simulated", tests, NULL, NULL);
}
