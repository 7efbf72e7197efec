/* SPDX-License-Identifier: MIT
 *
 * What the leak engine promises, counted over seeded simulated sessions that are looked at all the time. The marks are exact binomial:
 * an honest engine would miss one of them in 1 of 10 000 such tests.
 */
#include "leak_core.h"
#include "leak_scan.h"
#include "leak_test.h"
#include "leak_worlds.h"
#include "rng_normal.h"

static double scratch[LEAK_SAMPLE_TIMES];

static struct leak_test_set battery_of(const struct leak_rule *rule, int k, int64_t warmup)
{
    struct leak_test_set b;
    assert_int_equal(leak_test_set_start(&b, rule, k, warmup, scratch, true), TARE_OK);
    return b;
}

/* ---- false alarms ---- */

static void reached(enum leak_world_kind kind, uint64_t seed, int k, int blocks, double *most, double *last)
{
    struct leak_rule rule = leak_rule_default(k);
    struct leak_test_set b = battery_of(&rule, k, 100);
    struct leak_world w = leak_world_start(kind, seed, 0);
    for (int i = 0; i < 100 + blocks; i++) {
        double by_class[LEAK_CLASSES_MAX];
        int order[LEAK_CLASSES_MAX];
        for (int c = 0; c < k; c++)
            order[c] = c;
        rng_shuffle(&w.rng, order, k);
        for (int c = 0; c < k; c++)
            by_class[order[c]] = leak_world_call(&w, 0);
        if (leak_test_set_add(&b, by_class))
            leak_test_set_look(&b);
        if (i % 250 == 249) /* a process is over: limits begin anew */
            leak_test_set_round(&b);
    }
    leak_test_set_look(&b);
    *most = b.most;
    *last = b.log_e;
    leak_test_set_finish(&b);
}

static const double alphas[3] = {.05, .01, .001};

static void null_sessions(int k, int sessions, int blocks, int total[3], struct tare_moments *e)
{
    const enum leak_world_kind kinds[] = {LEAK_WORLD_GAUSS,  LEAK_WORLD_EDGE,   LEAK_WORLD_DRIFT,
                                          LEAK_WORLD_CAUCHY, LEAK_WORLD_PARETO, LEAK_WORLD_TIES};
    for (int m = 0; m < 6; m++) {
        int alarms[3] = {0};
        for (int i = 0; i < sessions; i++) {
            double most, last;
            reached(kinds[m], (uint64_t)(k * 10000000 + m * 100000 + i), k, blocks, &most, &last);
            for (int a = 0; a < 3; a++)
                alarms[a] += most >= -log(alphas[a]);
            tare_moments_add(e, exp(last));
        }
        for (int a = 0; a < 3; a++) {
            assert_at_most("ever E >= 1/alpha", leak_world_name(kinds[m]), alarms[a], sessions, alphas[a]);
            total[a] += alarms[a];
        }
    }
}

static void classes_without_effect_rarely_reach_one_over_alpha(void **state)
{
    (void)state;
    int total[3] = {0};
    struct tare_moments e = {0};
    null_sessions(2, 240, 1000, total, &e);
    null_sessions(4, 30, 500, total, &e);
    for (int a = 0; a < 3; a++)
        assert_at_most("ever E >= 1/alpha", "all worlds", total[a], (int)e.n, alphas[a]);
    double mean = tare_moments_mean(&e), error = sqrt(tare_moments_variance(&e) / (double)e.n);
    print_message("             mean of E at the end: %.3f, standard error %.3f, over %td sessions\n", mean, error, e.n);
    assert_true(mean - 4 * error <= 1);
}

static void a_scan_of_bits_without_effect_rarely_reaches_one_over_alpha(void **state)
{
    (void)state;
    enum { SESSIONS = 200, CALLS = 1500, BYTES = 2 };
    const enum leak_world_kind kinds[] = {LEAK_WORLD_DRIFT, LEAK_WORLD_PARETO, LEAK_WORLD_TIES};
    static uint8_t secret[CALLS * BYTES];
    static uint32_t ticks[CALLS];
    for (int m = 0; m < 3; m++) {
        int alarms = 0, claims = 0;
        for (int i = 0; i < SESSIONS; i++) {
            struct leak_rule rule = leak_rule_default(2);
            struct leak_world w = leak_world_start(kinds[m], (uint64_t)(900000 + m * 1000 + i), 0);
            struct leak_scan *s;
            struct leak_scan_reading r;
            struct leak_bit bits[8 * BYTES];
            rule.alpha = .05;
            rule.warmup_blocks = 100;
            assert_int_equal(leak_scan_create(BYTES, &rule, &s, NULL), TARE_OK);
            for (int c = 0; c < CALLS; c++) {
                for (int b = 0; b < BYTES; b++)
                    secret[c * BYTES + b] = (uint8_t)rng_below(&w.rng, 256);
                ticks[c] = leak_world_call(&w, 0);
            }
            leak_scan_calls(s, LEAK_MAIN, CALLS, secret, ticks);
            assert_true(leak_scan_read(s, &r, bits));
            leak_scan_destroy(s);
            alarms += r.log_e_most >= -log(.05);
            claims += r.leaking + r.weight_leaks > 0;
        }
        assert_at_most("scan ever E >= 1/alpha", leak_world_name(kinds[m]), alarms, SESSIONS, .05);
        assert_at_most("scan claims a bit", leak_world_name(kinds[m]), claims, SESSIONS, .05);
    }
}

/* ---- coverage against a truth that is known for every clip and limit: times from a table ---- */

enum { VALUES = 12 };

struct table {
    const char *name;
    double at[VALUES], share[2][VALUES]; /* of class 0 and 1 */
    double drift; /* sd of a step of the level, which a block shares; in 1 of 300 blocks it jumps by 20 of them */
};

/* coarse: a clock that steps by 24; drifting: skewed, about a level that wanders and jumps; skewed: a tail, longer for class 1; rare: one call in 50 of class 1 takes very long */
static const struct table tables[] = {
    {"coarse", {24, 48, 72, 96}, {{.10, .55, .30, .05}, {.09, .54, .31, .06}}, 0},
    {"skewed",
     {100, 102, 104, 106, 108, 112, 118, 126, 140, 170, 250, 600},
     {{.2, .2, .15, .12, .1, .08, .06, .04, .02, .015, .01, .005}, {.18, .2, .15, .13, .1, .08, .06, .04, .02, .015, .015, .01}},
     0},
    {"rare", {100, 101, 102, 103, 104, 2000}, {{.2, .2, .2, .2, .2, 0}, {.196, .196, .196, .196, .196, .02}}, 0},
    {"drifting",
     {100, 102, 104, 106, 108, 112, 118, 126, 140, 170, 250, 600},
     {{.2, .2, .15, .12, .1, .08, .06, .04, .02, .015, .01, .005}, {.18, .2, .15, .13, .1, .08, .06, .04, .02, .015, .015, .01}},
     2},
};

static double draw(struct rng *r, const struct table *t, int class)
{
    double u = rng_uniform(r);
    int i = 0;
    while (i < VALUES - 1 && u >= t->share[class][i])
        u -= t->share[class][i++];
    return t->at[i];
}

static double true_difference(const struct table *t, double level, const struct leak_limits *l, int clip)
{
    double d = 0;
    for (int i = 0; i < VALUES; i++)
        d += (t->share[1][i] - t->share[0][i]) * leak_clipped(l, clip, level + t->at[i]);
    return d;
}

static double true_advantage(const struct table *t, double level, double limit)
{
    double d = 0;
    for (int i = 0; i < VALUES; i++)
        d += level + t->at[i] <= limit ? t->share[1][i] - t->share[0][i] : 0;
    return d;
}

struct misses {
    int sizes, advantage;
};

/* Means so far of the truth at the limits that were in force. */
struct truth {
    double size[LEAK_JUDGED], signs[LEAK_LIMITS];
};

static void add_truth(struct truth *sum, const struct table *t, double level, const struct leak_test_set *b)
{
    const struct leak_limits *l = b->exact ? &b->first : &b->limits;
    for (int c = 0; c < LEAK_JUDGED; c++)
        sum->size[c] += true_difference(t, level, l, c);
    for (int i = 0; i < LEAK_LIMITS; i++)
        sum->signs[i] += true_advantage(t, level, b->limits.at[i]);
}

static void count_misses(const struct leak_test_set *b, const struct truth *sum, struct misses *m)
{
    struct leak_pair p;
    double n = (double)b->n, most = 0;
    leak_size_of_pair(b, 0, &p);
    for (int c = 0; c < LEAK_JUDGED; c++)
        m->sizes += !(p.at[c].ticks.low <= sum->size[c] / n + 1e-9 && sum->size[c] / n - 1e-9 <= p.at[c].ticks.high);
    for (int i = 0; i < LEAK_LIMITS; i++)
        most = fmax(most, fabs(sum->signs[i]) / n);
    m->advantage += !(p.advantage.low <= most + 1e-9 && most - 1e-9 <= p.advantage.high);
}

static struct misses one_session(const struct table *t, uint64_t seed, bool exact, int blocks)
{
    enum { BURN_IN = 200 };
    struct leak_rule rule = leak_rule_default(2);
    rule.confidence = .9;
    rule.exact = exact;
    rule.processes = false; /* leak_processes_sim_test.c has those */
    struct leak_test_set b = battery_of(&rule, 2, 500);
    struct rng r = rng_seeded(seed);
    struct truth sum = {0};
    struct misses m = {0};
    double level = 1000;
    while (b.n < blocks) {
        double by_class[2];
        bool warm = b.warm;
        if (t->drift > 0)
            level = fmax(0, level + t->drift * (rng_normal(&r) + (rng_below(&r, 300) ? 0 : rng_below(&r, 2) ? 20 : -20)));
        if (warm) /* before the limits move with this block */
            add_truth(&sum, t, level, &b);
        for (int c = 0; c < 2; c++)
            by_class[c] = level + draw(&r, t, c);
        if (leak_test_set_add(&b, by_class) && (exact || b.n >= BURN_IN))
            count_misses(&b, &sum, &m);
    }
    leak_test_set_finish(&b);
    return m;
}

static void coverage(bool exact, int sessions, int blocks)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct misses ever = {0};
        for (int s = 0; s < sessions; s++) {
            struct misses m = one_session(&tables[i], (uint64_t)(s + 5000 * (int)i + 77), exact, blocks);
            ever.sizes += m.sizes > 0;
            ever.advantage += m.advantage > 0;
        }
        assert_at_most(exact ? "exact sizes ever outside" : "sizes ever outside", tables[i].name, ever.sizes, sessions, .05);
        assert_at_most(exact ? "exact advantage ever outside" : "advantage ever outside", tables[i].name, ever.advantage,
                       sessions, .05);
    }
}

static void sizes_hold_the_truth_at_every_look(void **state)
{
    (void)state;
    coverage(false, 150, 4000);
}

static void exact_sizes_hold_the_truth_at_every_look(void **state)
{
    (void)state;
    coverage(true, 120, 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_without_effect_rarely_reach_one_over_alpha),
        cmocka_unit_test(a_scan_of_bits_without_effect_rarely_reaches_one_over_alpha),
        cmocka_unit_test(sizes_hold_the_truth_at_every_look),
        cmocka_unit_test(exact_sizes_hold_the_truth_at_every_look),
    };
    return cmocka_run_group_tests_name("leak engine, simulated", tests, NULL, NULL);
}
