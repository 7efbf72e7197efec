/* SPDX-License-Identifier: MIT
 *
 * Sessions of many benchmarks in two programs, where those that are decided leave: are the verdicts as often false as promised, and how much time is
 * saved? Whole simulated sessions (plan, record, analyse) in seeded worlds, once with and once without leaving. Limits are exact binomial ones: a
 * count fails when an honest tool would exceed it with a probability below 1 in 1000.
 */
#include "engine.h"
#include "rng_normal.h"
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <tare/stats.h>

#include <cmocka.h>

enum { SESSIONS = 200, PAIRS = 40 };

static const double PROCESS_NS = 60e6; /* what one takes, whatever it measures */

struct world {
    struct rng rng;
    double sd[PAIRS], effect[PAIRS]; /* ln */
    double weather;                  /* shared by the processes of a round */
    int round;
};

/* Benchmarks differ in how much they scatter: from 0.2 % to 2 %. */
static struct world world_of(uint64_t seed, int different, double effect)
{
    struct world w = {.rng = rng_seeded(seed), .round = -1};
    for (int i = 0; i < PAIRS; i++) {
        w.sd[i] = 0.002 * pow(10, rng_uniform(&w.rng));
        w.effect[i] = i < different ? (i % 2 ? -effect : effect) : 0;
    }
    return w;
}

static double process_ns(void *context, int subject, int round, int slot, double elapsed_ns)
{
    (void)slot, (void)elapsed_ns;
    struct world *w = context;
    if (round != w->round)
        w->weather = 0.01 * rng_normal(&w->rng);
    w->round = round;
    const double own = w->sd[subject / 2] * rng_normal(&w->rng);
    return PROCESS_NS * exp(w->weather + own + (subject % 2 ? w->effect[subject / 2] : 0));
}

struct tally {
    int sessions, any_false, covered, comparisons, false_same, false_gates, undecided, right, different;
    double share_false, seconds, rounds; /* sums over sessions */
};

static void count_session(struct tally *t, const struct engine *e, const struct world *w)
{
    int wrong = 0, called = 0;
    t->sessions++;
    t->seconds += e->elapsed_ns / 1e9;
    for (int i = 0; i < e->r.n_comparisons; i++) {
        const struct comparison *c = &e->r.comparisons[i];
        const double effect = w->effect[c->subject / 2];
        const bool slower = c->verdict == VERDICT_SLOWER, faster = c->verdict == VERDICT_FASTER;
        called += slower || faster;
        wrong += (slower && !(effect > 0)) || (faster && !(effect < 0));
        t->comparisons++;
        t->different += effect != 0;
        t->right += (slower && effect > 0) || (faster && effect < 0);
        t->covered += c->low <= effect && effect <= c->high;
        t->false_same += c->verdict == VERDICT_SAME && fabs(effect) >= log1p(c->margin);
        t->false_gates +=
            effect <= log1p(e->r.rule.fail_if_slower) && plan_slower_than(&e->r, c, e->r.rule.fail_if_slower) == SLOWER_YES;
        t->undecided += c->verdict == VERDICT_UNDECIDED;
        t->rounds += c->rounds;
    }
    t->any_false += wrong > 0;
    t->share_false += called ? (double)wrong / called : 0;
}

struct scenario {
    const char *name;
    enum correction correction;
    int different; /* so many of the pairs, by `effect`, every other one the other way */
    double effect, margin, fail_if_slower;
    int max_rounds;
    bool all_stay;
};

static const struct scenario usual = {.margin = 0.01, .fail_if_slower = NAN, .max_rounds = 33};

static struct tally simulate(struct scenario s)
{
    struct tally t = {0};
    for (int i = 0; i < SESSIONS; i++) {
        struct engine e;
        struct world w = world_of((uint64_t)i * 7919 + (uint64_t)s.different * 104729 + 1, s.different, s.effect);
        engine_init_pairs(&e, PAIRS);
        e.all_stay = s.all_stay;
        e.r.rule.correction = s.correction;
        e.r.rule.margin = s.margin;
        e.r.rule.fail_if_slower = s.fail_if_slower;
        e.plan_options.max_rounds = s.max_rounds;
        e.plan_options.seed = (uint64_t)i ^ 0x5eed;
        engine_run(&e, process_ns, &w);
        count_session(&t, &e, &w);
        engine_finish(&e);
    }
    printf("  %s%s: %.0f s, %.1f rounds; called wrongly in %d of %d sessions, %.2f %% of those called; %d \"same\" and %d gates "
           "wrong; "
           "%.1f %% undecided, %d of %d found; %.2f %% of intervals cover\n",
           s.name, s.all_stay ? ", all stay" : "", t.seconds / SESSIONS, t.rounds / t.comparisons, t.any_false, SESSIONS,
           100 * t.share_false / SESSIONS, t.false_same, t.false_gates, 100.0 * t.undecided / t.comparisons, t.right, t.different,
           100.0 * t.covered / t.comparisons);
    return t;
}

/* Largest count that n events of probability p exceed in fewer than 1 of 1000 such experiments. */
static int most(int n, double p)
{
    int k = 0;
    while (1 - tare_binomial_cdf(k, n, p) > 0.001)
        k++;
    return k;
}

static void intervals_cover(const struct tally *t)
{
    assert_in_range(t->comparisons - t->covered, 0, most(t->comparisons, 0.05));
}

/* With a margin that no session of this length resolves only a false verdict lets a benchmark leave. */
static void equal_programs_get_a_false_verdict_in_no_more_sessions_than_promised(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct scenario s = usual;
        s.correction = i % 2 ? CORRECTION_HOLM : CORRECTION_BH;
        s.margin = i < 2 ? 0.01 : 1e-5;
        s.name = (const char *[]){"equal, BH", "equal, Holm", "equal, no margin, BH", "equal, no margin, Holm"}[i];
        struct tally t = simulate(s);
        assert_in_range(t.any_false, 0, most(SESSIONS, 0.05));
        intervals_cover(&t);
    }
}

/* Of a mean of shares in [0, 1] whose expectation is alpha a binomial law is the widest. */
static void share_false_is_kept(const struct tally *t)
{
    assert_in_range((int)ceil(t->share_false), 0, most(SESSIONS, 0.05));
}

static void of_those_called_different_no_more_are_false_than_promised(void **state)
{
    (void)state;
    struct scenario s = usual;
    s.name = "a quarter by 2 %", s.different = PAIRS / 4, s.effect = log(1.02);
    const struct tally leave = simulate(s);
    s.all_stay = true;
    const struct tally stay = simulate(s);
    s = (struct scenario){"a quarter by 2 %, until time is over", CORRECTION_BH, PAIRS / 4, log(1.02), 0.01, NAN, 0, false};
    const struct tally on = simulate(s);
    s = (struct scenario){"a quarter by 0.5 %, no margin", CORRECTION_BH, PAIRS / 4, log(1.005), 1e-5, NAN, 33, false};
    const struct tally open = simulate(s);
    const struct tally *all[] = {&leave, &on, &open};
    for (int i = 0; i < 3; i++) {
        share_false_is_kept(all[i]);
        intervals_cover(all[i]);
    }
    assert_true(leave.seconds < stay.seconds);
    assert_true(on.undecided < leave.undecided);
}

static void an_effect_of_the_margin_is_not_called_same(void **state)
{
    (void)state;
    struct scenario s = usual;
    s.name = "4 by the margin", s.different = 4, s.effect = log(1.01);
    struct tally t = simulate(s);
    assert_in_range(t.false_same, 0, most(4 * SESSIONS, 0.025));
    intervals_cover(&t);
}

static void a_gate_is_as_seldom_wrong_as_promised(void **state)
{
    (void)state;
    struct scenario s = usual;
    s.name = "all by what the gate allows", s.different = PAIRS, s.effect = log(1.02), s.fail_if_slower = 0.02;
    struct tally t = simulate(s);
    assert_in_range(t.false_gates, 0, most(PAIRS / 2 * SESSIONS, 0.025));
    intervals_cover(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_programs_get_a_false_verdict_in_no_more_sessions_than_promised),
        cmocka_unit_test(of_those_called_different_no_more_are_false_than_promised),
        cmocka_unit_test(an_effect_of_the_margin_is_not_called_same),
        cmocka_unit_test(a_gate_is_as_seldom_wrong_as_promised),
    };
    return cmocka_run_group_tests_name("suites", tests, NULL, NULL);
}
