/* SPDX-License-Identifier: MIT */
#include "engine.h"
#include "rng.h"
#include "rng_normal.h"
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <tare/stats.h>

#include <cmocka.h>

/* A world of normal noise: base time, relative deviation, and how much slower each further command is. */
struct noisy {
    struct rng rng;
    double base_ns, sd, step;
};

static double noisy_world(void *context, int subject, int round, int slot, double elapsed_ns)
{
    (void)round, (void)slot, (void)elapsed_ns;
    struct noisy *w = context;
    return w->base_ns * (1 + w->step * subject) * exp(w->sd * rng_normal(&w->rng));
}

static struct noisy noisy_of(double base_ns, double sd, double step)
{
    return (struct noisy){.rng = rng_seeded(42), .base_ns = base_ns, .sd = sd, .step = step};
}

static const struct comparison *word(const struct engine *e)
{
    return &e->r.comparisons[0];
}

static void exact_runs_are_made_exactly_and_looked_at_once(void **state)
{
    (void)state;
    for (int runs = 1; runs <= 40; runs += 13) {
        struct engine e;
        struct noisy w = noisy_of(1e6, 0.01, 0);
        engine_init(&e, 2, METHOD_TARE);
        e.plan_options.runs = runs;
        e.plan_options.warmup = 3;
        engine_run(&e, noisy_world, &w);
        assert_int_equal(e.r.series[0].main.n, runs);
        assert_int_equal(e.r.series[1].main.n, runs);
        assert_int_equal(e.r.series[0].warmup.n, 3);
        assert_int_equal(e.looks_taken, 1);
        assert_true(e.r.rule.look_level[0] == 0.05 || fabs(e.r.rule.look_level[0] - 0.05) < 1e-12);
        assert_int_equal(e.plan.end, PLAN_RUNS_MADE);
        engine_finish(&e);
    }
}

/* A session whose looks all say: undecided, and how many rounds would change that. How many looks it takes. back_ns: by so much its clock is set back
 * after three seconds. */
static int looks_until_the_end(double rounds_needed, int64_t back_ns, enum plan_end *end)
{
    struct engine e;
    int looks = 0;
    engine_init(&e, 2, METHOD_TARE);
    plan_init(&e.plan, &e.plan_options, &e.r.rule);
    int64_t elapsed_ns = 0;
    for (struct step s; (s = plan_next(&e.plan, &e.r, elapsed_ns)).kind != STEP_END; elapsed_ns += 50000000) {
        const double ns = 1e6;
        if (elapsed_ns > 3000000000) {
            elapsed_ns -= back_ns;
            back_ns = 0;
        }
        for (int slot = 0; s.kind != STEP_LOOK && slot < s.n; slot++)
            record_append_row(
                &e.r, s.order[slot],
                &(struct row){.round = s.round, .slot = slot, .flags = s.kind == STEP_WARMUP ? ROW_WARMUP : 0, .values = &ns});
        if (s.kind != STEP_LOOK)
            continue;
        const struct comparison open = {.reference = 0,
                                        .subject = 1,
                                        .metric = e.r.rule.metric,
                                        .low = -.1,
                                        .high = .1,
                                        .verdict = VERDICT_UNDECIDED,
                                        .better = -1,
                                        .rounds_needed = rounds_needed};
        record_clear_results(&e.r);
        assert_true(record_add_comparison(&e.r, &open) >= 0);
        looks++;
    }
    *end = e.plan.end;
    engine_finish(&e);
    return looks;
}

static void what_no_number_of_rounds_would_decide_is_answered_at_the_first_look(void **state)
{
    (void)state;
    enum plan_end end;
    assert_int_equal(looks_until_the_end(INFINITY, 0, &end), 1);
    assert_int_equal(end, PLAN_ANSWERED);
    assert_true(looks_until_the_end(NAN, 0, &end) > 1);
    assert_int_equal(end, PLAN_BUDGET_SPENT);
}

static void a_clock_that_is_set_back_takes_back_nothing_that_was_spent(void **state)
{
    (void)state;
    enum plan_end end;
    assert_true(looks_until_the_end(NAN, 20000000000, &end) > 1);
    assert_int_equal(end, PLAN_BUDGET_SPENT);
}

/* Subject 0 takes the same time whenever it runs, subject 1 any. */
static double wild_beside(void *context, int subject, int round, int slot, double elapsed_ns)
{
    (void)round, (void)slot, (void)elapsed_ns;
    struct noisy *w = context;
    return w->base_ns * exp((subject ? 1 : 1e-4) * rng_normal(&w->rng));
}

static void an_anchor_is_in_each_round_and_nothing_is_asked_of_it(void **state)
{
    (void)state;
    struct engine e;
    struct noisy w = noisy_of(1e6, 0, 0);
    engine_init(&e, 2, METHOD_TARE);
    e.r.subjects[1].anchor = true;
    e.r.rule.precision = 0.01;
    e.plan_options.sharing = 1;
    engine_run(&e, wild_beside, &w);
    assert_int_equal(e.plan.end, PLAN_ANSWERED);
    assert_int_equal(e.r.series[0].main.n, PLAN_FIRST_LOOK);
    assert_int_equal(e.r.series[1].main.n, PLAN_FIRST_LOOK);
    assert_int_equal(e.r.n_comparisons, 0);
    assert_non_null(record_ratio_to_anchor(&e.r, 0));
    engine_finish(&e);
}

static void looks_follow_the_published_schedule(void **state)
{
    (void)state;
    const int expected[] = {10, 15, 22, 33, 50, 75, 112, 168, 252, 378, 567, 850};
    struct engine e;
    struct noisy w = noisy_of(1e6, 0.3, 0.002); /* never decided */
    engine_init(&e, 2, METHOD_TARE);
    e.plan_options.max_rounds = 850;
    engine_run(&e, noisy_world, &w);
    assert_int_equal(e.r.rule.n_looks, 12);
    for (int i = 0; i < 12; i++) {
        assert_int_equal(e.r.rule.look_at[i], expected[i]);
        assert_true(e.r.rule.look_share[i] == expected[i] / 850.0); /* more than of the time, which is 10 s */
    }
    double share = 10 / 850.0;
    assert_true(fabs(e.r.rule.look_level[0] * 20 / pow(share, PLAN_SPENDING) - 1) < 1e-12);
    assert_int_equal(e.last_look_rounds, 850);
    assert_int_equal(e.plan.end, PLAN_RUNS_MADE);
    assert_int_equal(word(&e)->verdict, VERDICT_UNDECIDED);
    assert_true(word(&e)->rounds_needed > 850);
    engine_finish(&e);
}

static void a_clear_difference_stops_at_the_first_look(void **state)
{
    (void)state;
    struct engine e;
    struct noisy w = noisy_of(5e6, 0.005, 0.1);
    engine_init(&e, 2, METHOD_TARE);
    engine_run(&e, noisy_world, &w);
    assert_int_equal(e.looks_taken, 1);
    assert_int_equal(e.last_look_rounds, 10);
    assert_int_equal(word(&e)->verdict, VERDICT_SLOWER);
    assert_true(word(&e)->beyond_margin);
    assert_int_equal(word(&e)->better, 0);
    assert_true(fabs(exp(word(&e)->shift) - 1.1) < 0.01);
    assert_int_equal(e.plan.end, PLAN_ANSWERED);
    engine_finish(&e);
}

static void equal_commands_are_the_same_within_the_margin(void **state)
{
    (void)state;
    struct engine e;
    struct noisy w = noisy_of(5e6, 0.005, 0);
    engine_init(&e, 2, METHOD_TARE);
    engine_run(&e, noisy_world, &w);
    assert_int_equal(word(&e)->verdict, VERDICT_SAME);
    assert_int_equal(word(&e)->better, word(&e)->sign_proven ? word(&e)->better : -1);
    engine_finish(&e);
}

static void the_default_budget_never_prevents_the_first_look(void **state)
{
    (void)state;
    struct engine e;
    struct noisy w = noisy_of(60e9, 0.001, 0.5); /* a minute a run */
    engine_init(&e, 2, METHOD_TARE);
    engine_run(&e, noisy_world, &w);
    assert_int_equal(e.last_look_rounds, 10);
    assert_int_equal(word(&e)->verdict, VERDICT_SLOWER);
    engine_finish(&e);
}

static void a_hard_budget_gives_one_look_at_what_fits(void **state)
{
    (void)state;
    struct engine e;
    struct noisy w = noisy_of(1e9, 0.001, 0.5);
    engine_init(&e, 2, METHOD_TARE);
    e.plan_options.budget_hard = true;
    e.plan_options.budget_ns = 20000000000; /* 8 rounds of 2.5 s */
    engine_run(&e, noisy_world, &w);
    assert_in_range(e.r.series[0].main.n, 7, 8);
    assert_int_equal(e.looks_taken, 1);
    assert_int_equal(word(&e)->verdict, VERDICT_SLOWER);
    assert_true(e.elapsed_ns <= 20e9);
    engine_finish(&e);
}

static void below_six_rounds_a_hard_budget_gives_no_look(void **state)
{
    (void)state;
    struct engine e;
    struct noisy w = noisy_of(1e9, 0.001, 0.5);
    engine_init(&e, 2, METHOD_TARE);
    e.plan_options.budget_hard = true;
    e.plan_options.budget_ns = 11000000000;
    engine_run(&e, noisy_world, &w);
    assert_int_equal(e.looks_taken, 0);
    assert_int_equal(e.plan.end, PLAN_BUDGET_SPENT);
    assert_int_equal(e.r.n_comparisons, 0);
    struct look none = {0};
    assert_int_equal(analyse_group(&e.r, e.subjects, 2, &none, NULL), TARE_OK);
    assert_int_equal(word(&e)->verdict, VERDICT_UNDECIDED);
    assert_non_null(word(&e)->reason);
    const struct estimate *median = record_estimate(&e.r, 0, "wall", "median");
    assert_true(median->point > 0.9e9);
    assert_true(isinf(median->low));
    engine_finish(&e);
}

/* Every fifth run takes twice as long, which the median of the rounds does not show. */
static double spiky_world(void *context, int subject, int round, int slot, double elapsed_ns)
{
    struct noisy *w = context;
    double ns = noisy_world(w, subject, round, slot, elapsed_ns);
    return rng_below(&w->rng, 5) ? ns : 2 * ns;
}

static void the_last_look_fits_the_budget_when_rounds_are_spiky(void **state)
{
    (void)state;
    int reached = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct engine e;
        struct noisy w = noisy_of(5e6, 0.01, 0);
        w.rng = rng_seeded(seed);
        engine_init(&e, 2, METHOD_TARE);
        e.r.rule.margin = 1e-6; /* never decided */
        engine_run(&e, spiky_world, &w);
        reached += e.last_look_rounds == e.r.series[0].main.n;
        engine_finish(&e);
    }
    assert_in_range(reached, 30, 40); /* by the median of the rounds it was 12 */
}

static void one_round_is_made_whatever_the_budget(void **state)
{
    (void)state;
    struct engine e;
    struct noisy w = noisy_of(1e9, 0.001, 0.5);
    engine_init(&e, 2, METHOD_TARE);
    e.plan_options.budget_hard = true;
    e.plan_options.budget_ns = 1000000000;
    e.plan_options.warmup = 3;
    engine_run(&e, noisy_world, &w);
    assert_int_equal(e.r.series[0].warmup.n, 1); /* it was over within the first */
    assert_int_equal(e.r.series[0].main.n, 1);
    assert_int_equal(e.r.series[1].main.n, 1);
    assert_int_equal(e.plan.end, PLAN_BUDGET_SPENT);
    engine_finish(&e);
}

static void the_budget_bounds_the_last_look(void **state)
{
    (void)state;
    struct engine e;
    struct noisy w = noisy_of(5e6, 0.5, 0.001);
    engine_init(&e, 2, METHOD_TARE);
    engine_run(&e, noisy_world, &w);
    assert_true(e.elapsed_ns > 6e9);
    assert_true(e.elapsed_ns <= 10.1e9);
    engine_finish(&e);
}

/* Rounds, time and what comes first end a session: its last look is at all of them, and spends what is left. */
static void the_last_look_has_every_finished_round(void **state)
{
    (void)state;
    static const int most[] = {0, 0, 0, 11, 12, 57, 300};
    static const double round_s[] = {.3, .9, 1.1, .1, 2, .01, .2};
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        struct engine e;
        struct noisy w = noisy_of(round_s[i] / 2 * 1e9, 0.3, 0.002);
        engine_init(&e, 2, METHOD_TARE);
        e.plan_options.max_rounds = most[i];
        e.r.rule.margin = 1e-6; /* never decided */
        engine_run(&e, noisy_world, &w);
        const struct rule *u = &e.r.rule;
        double spent[LOOKS_MAX], level;
        assert_int_equal(e.last_look_rounds, e.r.series[0].main.n);
        assert_int_equal(u->n_looks, e.looks_taken);
        assert_true(u->look_share[u->n_looks - 1] == 1);
        for (int k = 0; k < u->n_looks; k++) {
            spent[k] = .05 * pow(u->look_share[k], PLAN_SPENDING);
            assert_int_equal(tare_looks_spent(u->look_at, spent, k + 1, &level), TARE_OK);
            assert_true(fabs(level / u->look_level[k] - 1) < 1e-12);
            assert_true(k == u->n_looks - 1 || u->look_share[k] < 1 / 1.2);
        }
        assert_int_equal(word(&e)->looks_planned, -1);
        assert_true(word(&e)->share == 1 && word(&e)->look == u->n_looks);
        engine_finish(&e);
    }
}

/* Of 24 comparisons each has 1/480 for the session: no interval of ten rounds is that sure. */
static void a_look_at_which_no_interval_exists_spends_nothing(void **state)
{
    (void)state;
    struct engine e;
    struct noisy w = noisy_of(5e6, 0.3, 0.002);
    engine_init(&e, 2, METHOD_TARE);
    e.plan_options.sharing = 24;
    engine_run(&e, noisy_world, &w);
    assert_int_equal(e.r.rule.look_at[0], 15);
    assert_true(fabs(e.r.rule.look_level[0] * 480 / pow(e.r.rule.look_share[0], PLAN_SPENDING) - 1) < 1e-12);
    engine_finish(&e);
}

static void one_command_stops_when_its_median_is_known(void **state)
{
    (void)state;
    struct engine e;
    struct noisy w = noisy_of(5e6, 0.02, 0);
    engine_init(&e, 1, METHOD_TARE);
    engine_run(&e, noisy_world, &w);
    const struct estimate *median = record_estimate(&e.r, 0, "wall", "median");
    assert_true((median->high - median->low) / 2 <= 0.01 * median->point);
    assert_int_equal(e.plan.end, PLAN_ANSWERED);
    assert_true(e.last_look_rounds > 10);
    engine_finish(&e);
}

static void georges_looks_after_each_run_and_stops_on_the_width(void **state)
{
    (void)state;
    struct engine e;
    struct noisy w = noisy_of(1e9, 0.005, 0);
    engine_init(&e, 1, METHOD_GEORGES);
    engine_run(&e, noisy_world, &w);
    const struct estimate *mean = record_estimate(&e.r, 0, "wall", "mean");
    assert_true(mean->high - mean->low <= 0.02 * mean->point);
    assert_true(mean->level > 0.0499 && mean->level < 0.0501);
    assert_in_range(mean->n, 5, 10);
    engine_finish(&e);
    w = noisy_of(1e9, 0.2, 0);
    engine_init(&e, 1, METHOD_GEORGES);
    engine_run(&e, noisy_world, &w);
    assert_int_equal(e.r.series[0].main.n, 30);
    assert_int_equal(e.looks_taken, 26);
    assert_int_equal(e.plan.end, PLAN_RUNS_MADE);
    engine_finish(&e);
}

static void the_coin_is_fair_and_follows_the_seed(void **state)
{
    (void)state;
    int first[2][2];
    for (int i = 0; i < 2; i++) {
        struct engine e;
        struct noisy w = noisy_of(1e6, 0.01, 0);
        engine_init(&e, 2, METHOD_TARE);
        e.plan_options.runs = 10000;
        engine_run(&e, noisy_world, &w);
        assert_int_equal(e.first_of_round[0] + e.first_of_round[1], 10000);
        assert_in_range(e.first_of_round[0], 4700, 5300); /* 6 sd of a binomial */
        first[i][0] = e.first_of_round[0];
        first[i][1] = e.first_of_round[1];
        engine_finish(&e);
    }
    assert_int_equal(first[0][0], first[1][0]);
}

/* Each round of three pairs: twins next to each other, either first, any pair first. */
static void pairs_run_next_to_each_other(void **state)
{
    (void)state;
    enum { ROUNDS = 300 };
    struct engine e;
    int head_first[3] = {0}, pair_first[3] = {0};
    engine_init_pairs(&e, 3);
    e.plan_options.runs = ROUNDS;
    plan_init(&e.plan, &e.plan_options, &e.r.rule);
    for (int round = 0; round < ROUNDS; round++) {
        const struct step s = plan_next(&e.plan, &e.r, 0);
        assert_int_equal(s.kind, STEP_ROUND);
        assert_int_equal(s.n, 6);
        for (int i = 0; i < s.n; i += 2) {
            assert_int_equal(s.order[i] / 2, s.order[i + 1] / 2);
            head_first[s.order[i] / 2] += s.order[i] % 2;
        }
        pair_first[s.order[0] / 2]++;
    }
    for (int i = 0; i < 3; i++) {
        assert_in_range(head_first[i], 110, 190);
        assert_in_range(pair_first[i], 65, 135);
    }
    engine_finish(&e);
}

static void several_commands_share_the_error_of_the_session(void **state)
{
    (void)state;
    struct engine e;
    struct noisy w = noisy_of(5e6, 0.005, 0.1);
    engine_init(&e, 4, METHOD_TARE);
    engine_run(&e, noisy_world, &w);
    assert_int_equal(e.r.n_comparisons, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(e.r.comparisons[i].verdict, VERDICT_SLOWER);
    assert_true(e.r.rule.look_level[0] < 0.05 / 3);
    engine_finish(&e);
}

static void a_first_look_beyond_the_usual_budget_is_known_before_it(void **state)
{
    (void)state;
    static const int64_t s = 1000000000;
    struct engine e;
    struct plan p;
    int subjects[] = {0, 1};
    engine_init(&e, 2, METHOD_TARE);
    struct plan_options o = {.subjects = subjects, .n_subjects = 2, .warmup = 1, .budget_ns = 10 * s};
    plan_init(&p, &o, &e.r.rule);
    assert_int_equal(plan_next(&p, &e.r, 0).kind, STEP_WARMUP);
    assert_int_equal(plan_overrun_ns(&p, 0), 0); /* nothing to judge it by */
    assert_int_equal(plan_next(&p, &e.r, 3 * s).kind, STEP_ROUND);
    assert_int_equal(plan_overrun_ns(&p, 3 * s), 33 * s);
    assert_int_equal(plan_next(&p, &e.r, 4 * s).kind, STEP_ROUND); /* the warm-up had been cold */
    assert_int_equal(plan_overrun_ns(&p, 4 * s), 13 * s);
    assert_int_equal(plan_next(&p, &e.r, 4 * s + s / 2).kind, STEP_ROUND);
    assert_int_equal(plan_overrun_ns(&p, 4 * s + s / 2), 0);
    o.budget_hard = true; /* the user's own holds, but for one round */
    plan_init(&p, &o, &e.r.rule);
    plan_next(&p, &e.r, 0);
    assert_int_equal(plan_next(&p, &e.r, 3 * s).kind, STEP_ROUND);
    assert_int_equal(plan_overrun_ns(&p, 3 * s), 0);
    plan_init(&p, &o, &e.r.rule);
    plan_next(&p, &e.r, 0);
    assert_int_equal(plan_next(&p, &e.r, 9 * s).kind, STEP_ROUND);
    assert_int_equal(plan_overrun_ns(&p, 9 * s), 18 * s);
    assert_int_equal(plan_next(&p, &e.r, 18 * s).kind, STEP_END);
    o.budget_hard = false;
    o.runs = 30;
    plan_init(&p, &o, &e.r.rule);
    plan_next(&p, &e.r, 0);
    plan_next(&p, &e.r, 3 * s);
    assert_int_equal(plan_overrun_ns(&p, 3 * s), 0);
    engine_finish(&e);
}

static void slower_than_allowed_has_three_answers(void **state)
{
    (void)state;
    struct record r;
    record_init(&r);
    struct comparison c = {.low = log(1.03), .high = log(1.05), .sign_proven = true};
    assert_int_equal(plan_slower_than(&r, &c, 0.02), SLOWER_YES);
    assert_int_equal(plan_slower_than(&r, &c, 0.06), SLOWER_NOT);
    assert_int_equal(plan_slower_than(&r, &c, 0.04), SLOWER_UNDECIDED);
    record_finish(&r);
}

/* As one of many its difference is not proven: its interval alone is no reason to fail, nor to be let through. */
static void what_is_not_proven_as_one_of_many_is_not_slower_than_allowed(void **state)
{
    (void)state;
    struct record r;
    record_init(&r);
    struct comparison c = {.low = log(1.6), .high = log(2.4), .verdict = VERDICT_UNDECIDED};
    assert_int_equal(plan_slower_than(&r, &c, 0.5), SLOWER_UNDECIDED);
    assert_int_equal(plan_slower_than(&r, &c, 2), SLOWER_NOT);
    c.sign_proven = true;
    assert_int_equal(plan_slower_than(&r, &c, 0.5), SLOWER_YES);
    record_finish(&r);
}

static void what_is_equal_in_every_round_is_not_slower_than_nothing(void **state)
{
    (void)state;
    struct record r;
    record_init(&r);
    const struct comparison c = {.low = 0, .high = 0, .verdict = VERDICT_SAME};
    assert_int_equal(plan_slower_than(&r, &c, 0), SLOWER_NOT);
    record_finish(&r);
}

static void slower_than_allowed_is_a_share_of_the_references_median_where_differences_are_compared(void **state)
{
    (void)state;
    struct record r;
    record_init(&r);
    const struct estimate median = {.metric = "majflt", .statistic = "median", .method = "", .point = 200};
    record_add_estimate(&r, &median);
    struct comparison c = {.metric = "majflt", .kind = METRIC_COUNT, .low = 6, .high = 10, .sign_proven = true};
    assert_int_equal(plan_slower_than(&r, &c, 0.03), SLOWER_YES);
    assert_int_equal(plan_slower_than(&r, &c, 0.05), SLOWER_UNDECIDED);
    assert_int_equal(plan_slower_than(&r, &c, 0.051), SLOWER_NOT);
    const struct metric rate = {"majflt", "", "1/s", METRIC_OWN, METRIC_HIGHER, NULL};
    c = (struct comparison){.metric = "majflt", .kind = METRIC_COUNT, .low = -150, .high = -101, .sign_proven = true};
    assert_int_equal(plan_slower_than(&r, &c, 1), SLOWER_NOT); /* of a metric that is not there */
    assert_true(record_add_metric(&r, &rate) >= 0);
    assert_int_equal(plan_slower_than(&r, &c, 1), SLOWER_YES); /* less than half */
    assert_int_equal(plan_slower_than(&r, &c, 2), SLOWER_UNDECIDED);
    assert_int_equal(plan_slower_than(&r, &c, 4), SLOWER_NOT);
    r.n_metrics = 0;
    c.reference = 1; /* of which nothing is known */
    assert_int_equal(plan_slower_than(&r, &c, 0.03), SLOWER_UNDECIDED);
    r.estimates[0].point = 0;
    c = (struct comparison){.metric = "majflt", .kind = METRIC_COUNT, .low = 0, .high = 0};
    assert_int_equal(plan_slower_than(&r, &c, 0.02), SLOWER_NOT);
    c.high = 1;
    assert_int_equal(plan_slower_than(&r, &c, 0.02), SLOWER_UNDECIDED);
    c.low = 1;
    c.sign_proven = true;
    assert_int_equal(plan_slower_than(&r, &c, 0.02), SLOWER_YES);
    record_finish(&r);
}

static void an_absolute_margin_leaves_the_other_limits_relative(void **state)
{
    (void)state;
    struct engine e;
    struct noisy w = noisy_of(5e6, 0.01, 0.03);
    engine_init(&e, 2, METHOD_TARE);
    e.r.rule.margin_unit = "ns";
    e.r.rule.margin = 1e6;
    e.r.rule.fail_if_slower = 0.2;
    engine_run(&e, noisy_world, &w);
    assert_int_equal(word(&e)->kind, METRIC_COUNT);
    assert_int_equal(plan_slower_than(&e.r, word(&e), 0.2), SLOWER_NOT);
    assert_int_equal(e.looks_taken, 1);
    engine_finish(&e);
    engine_init(&e, 2, METHOD_TARE);
    e.r.rule.margin_unit = "ns";
    e.r.rule.margin = 1e6;
    e.r.rule.precision = 0.01;
    engine_run(&e, noisy_world, &w);
    assert_int_equal(e.plan.end, PLAN_ANSWERED);
    assert_true((word(&e)->high - word(&e)->low) / 2 <= 0.01 * 5.1e6);
    engine_finish(&e);
}

static void fail_if_slower_goes_on_until_its_own_question_is_answered(void **state)
{
    (void)state;
    struct engine e;
    struct noisy w = noisy_of(5e6, 0.05, 0.10);
    engine_init(&e, 2, METHOD_TARE);
    e.r.rule.fail_if_slower = 0.08;
    engine_run(&e, noisy_world, &w);
    assert_int_equal(plan_slower_than(&e.r, word(&e), 0.08), SLOWER_YES);
    assert_true(e.last_look_rounds > 33);
    engine_finish(&e);
}

static void precision_is_reached_beside_the_word(void **state)
{
    (void)state;
    struct engine e;
    struct noisy w = noisy_of(5e6, 0.03, 0.5);
    engine_init(&e, 2, METHOD_TARE);
    e.r.rule.precision = 0.01;
    engine_run(&e, noisy_world, &w);
    assert_int_equal(word(&e)->verdict, VERDICT_SLOWER);
    assert_true((word(&e)->high - word(&e)->low) / 2 <= log1p(0.01));
    engine_finish(&e);
}

/* ---- rounds made again ---- */

struct dirty_world {
    struct noisy noisy;
    int runs, disturbed_from, disturbed_to; /* runs, counted from 0, that were disturbed */
};

static double dirty_ns(void *context, int subject, int round, int slot, double elapsed_ns)
{
    struct dirty_world *w = context;
    w->runs++;
    return noisy_world(&w->noisy, subject, round, slot, elapsed_ns);
}

static bool is_dirty(void *context)
{
    const struct dirty_world *w = context;
    return w->runs > w->disturbed_from && w->runs <= w->disturbed_to;
}

/* A session of two commands in which these runs are disturbed. */
static struct engine with_dirty_runs(int from, int to, int64_t budget_ns)
{
    struct engine e;
    struct dirty_world w = {.noisy = noisy_of(1e6, 0.3, 0.002), .disturbed_from = from, .disturbed_to = to};
    engine_init(&e, 2, METHOD_TARE);
    e.plan_options.max_rounds = 33;
    e.plan_options.budget_ns = budget_ns;
    e.plan_options.budget_hard = true;
    e.dirty = is_dirty;
    engine_run(&e, dirty_ns, &w);
    return e;
}

static void a_disturbed_round_is_made_again_in_its_place(void **state)
{
    (void)state;
    struct engine e = with_dirty_runs(6, 7, INT64_C(10000000000)); /* one run of round 3 */
    assert_int_equal(e.plan.repeats, 1);
    for (int i = 0; i < 2; i++) {
        const struct series *s = &e.r.series[i];
        assert_int_equal(s->main.n, 33);
        assert_int_equal(s->replaced.n, 1);
        assert_int_equal(s->replaced.round[0], 3);
        for (int k = 0; k < 33; k++)
            assert_int_equal(s->main.round[k], k);
        assert_true(s->main.start_ns[3] > s->replaced.start_ns[0]);
    }
    assert_int_equal(e.last_look_rounds, 33);
    engine_finish(&e);
}

static void one_round_is_made_again_three_times_at_most(void **state)
{
    (void)state;
    struct engine e = with_dirty_runs(6, 14, INT64_C(10000000000)); /* the first four tries of round 3 */
    assert_int_equal(e.plan.repeats, PLAN_AGAIN_MOST);
    assert_int_equal(e.r.series[0].replaced.n, PLAN_AGAIN_MOST);
    assert_int_equal(e.r.series[0].main.n, 33);
    engine_finish(&e);
}

static void no_more_rounds_are_made_again_than_are_planned(void **state)
{
    (void)state;
    struct engine e = with_dirty_runs(0, 1000000, INT64_C(10000000000)); /* all of them */
    assert_int_equal(e.plan.repeats, 33);
    assert_int_equal(e.r.series[0].replaced.n, 33);
    assert_int_equal(e.r.series[0].main.n, 33);
    assert_int_equal(e.last_look_rounds, 33);
    engine_finish(&e);
}

static void no_round_is_made_again_past_the_budget(void **state)
{
    (void)state;
    int64_t budget_ns = 25000000; /* about twelve rounds in all */
    struct engine e = with_dirty_runs(0, 1000000, budget_ns);
    assert_true(e.plan.repeats > 0);
    assert_true(e.r.series[0].replaced.start_ns[e.r.series[0].replaced.n - 1] < budget_ns);
    assert_true(e.elapsed_ns < (double)budget_ns * 1.3); /* the rounds differ from what one takes on average */
    assert_int_equal(e.plan.end, PLAN_BUDGET_SPENT);
    engine_finish(&e);
}

static void only_a_round_just_made_can_be_made_again(void **state)
{
    (void)state;
    struct engine e;
    engine_init(&e, 2, METHOD_TARE);
    e.plan_options.warmup = 1;
    plan_init(&e.plan, &e.plan_options, &e.r.rule);
    assert_false(plan_again(&e.plan, 0));
    assert_int_equal(plan_next(&e.plan, &e.r, 0).kind, STEP_WARMUP);
    assert_false(plan_again(&e.plan, 10));
    assert_int_equal(plan_next(&e.plan, &e.r, 10).kind, STEP_ROUND);
    assert_true(plan_again(&e.plan, 20));
    assert_false(plan_again(&e.plan, 20));
    struct step again = plan_next(&e.plan, &e.r, 20), next = plan_next(&e.plan, &e.r, 30);
    assert_int_equal(again.kind, STEP_ROUND);
    assert_int_equal(again.round, 0);
    assert_int_equal(next.round, 1);
    engine_finish(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_runs_are_made_exactly_and_looked_at_once),
        cmocka_unit_test(what_no_number_of_rounds_would_decide_is_answered_at_the_first_look),
        cmocka_unit_test(a_clock_that_is_set_back_takes_back_nothing_that_was_spent),
        cmocka_unit_test(an_anchor_is_in_each_round_and_nothing_is_asked_of_it),
        cmocka_unit_test(looks_follow_the_published_schedule),
        cmocka_unit_test(a_clear_difference_stops_at_the_first_look),
        cmocka_unit_test(equal_commands_are_the_same_within_the_margin),
        cmocka_unit_test(the_default_budget_never_prevents_the_first_look),
        cmocka_unit_test(a_hard_budget_gives_one_look_at_what_fits),
        cmocka_unit_test(below_six_rounds_a_hard_budget_gives_no_look),
        cmocka_unit_test(the_last_look_fits_the_budget_when_rounds_are_spiky),
        cmocka_unit_test(one_round_is_made_whatever_the_budget),
        cmocka_unit_test(the_budget_bounds_the_last_look),
        cmocka_unit_test(the_last_look_has_every_finished_round),
        cmocka_unit_test(a_look_at_which_no_interval_exists_spends_nothing),
        cmocka_unit_test(one_command_stops_when_its_median_is_known),
        cmocka_unit_test(georges_looks_after_each_run_and_stops_on_the_width),
        cmocka_unit_test(the_coin_is_fair_and_follows_the_seed),
        cmocka_unit_test(pairs_run_next_to_each_other),
        cmocka_unit_test(several_commands_share_the_error_of_the_session),
        cmocka_unit_test(a_first_look_beyond_the_usual_budget_is_known_before_it),
        cmocka_unit_test(slower_than_allowed_has_three_answers),
        cmocka_unit_test(what_is_not_proven_as_one_of_many_is_not_slower_than_allowed),
        cmocka_unit_test(what_is_equal_in_every_round_is_not_slower_than_nothing),
        cmocka_unit_test(slower_than_allowed_is_a_share_of_the_references_median_where_differences_are_compared),
        cmocka_unit_test(an_absolute_margin_leaves_the_other_limits_relative),
        cmocka_unit_test(fail_if_slower_goes_on_until_its_own_question_is_answered),
        cmocka_unit_test(precision_is_reached_beside_the_word),
        cmocka_unit_test(a_disturbed_round_is_made_again_in_its_place),
        cmocka_unit_test(one_round_is_made_again_three_times_at_most),
        cmocka_unit_test(no_more_rounds_are_made_again_than_are_planned),
        cmocka_unit_test(no_round_is_made_again_past_the_budget),
        cmocka_unit_test(only_a_round_just_made_can_be_made_again),
    };
    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
