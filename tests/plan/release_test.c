/* SPDX-License-Identifier: MIT
 *
 * Which benchmarks take part in no further round once a look has answered what was asked of them.
 */
#include "engine.h"
#include <math.h>
#include <setjmp.h>
#include <string.h>
#include <tare/stats.h>

#include <cmocka.h>

/* Three benchmarks in two programs: 1 is compared with 0, 3 with 2, 5 with 4. */
static void begin(struct engine *e)
{
    engine_init_pairs(e, 3);
    e->plan_options.max_rounds = 33;
}

/* To the first look, which comes after ten rounds. */
static void go_on_to_a_look(struct engine *e)
{
    for (;;) {
        const struct step s = plan_next(&e->plan, &e->r, (int64_t)e->elapsed_ns);
        const double values[] = {1e6, 1e9};
        assert_int_not_equal(s.kind, STEP_END);
        if (s.kind == STEP_LOOK)
            return;
        for (int slot = 0; slot < s.n; slot++) {
            record_append_row(&e->r, s.order[slot], &(struct row){.round = s.round, .slot = slot, .values = values});
            e->elapsed_ns += 1e6;
        }
    }
}

static void found(struct engine *e, int reference, int subject, enum verdict verdict)
{
    const bool differs = verdict == VERDICT_SLOWER;
    const struct comparison c = {.reference = reference,
                                 .subject = subject,
                                 .metric = "ns",
                                 .low = differs ? .05 : -.002,
                                 .high = differs ? .07 : .012,
                                 .verdict = verdict,
                                 .sign_proven = differs,
                                 .rounds_needed = NAN};
    assert_true(record_add_comparison(&e->r, &c) >= 0);
}

static void expect_left(struct engine *e, const int *expected, int n)
{
    int left[ENGINE_SUBJECTS];
    assert_int_equal(plan_release(&e->plan, &e->r, left), n);
    for (int i = 0; i < n; i++)
        assert_int_equal(left[i], expected[i]);
    engine_finish(e);
}

static void look_at_three(struct engine *e, enum verdict first, enum verdict second, enum verdict third)
{
    plan_init(&e->plan, &e->plan_options, &e->r.rule);
    go_on_to_a_look(e);
    found(e, 0, 1, first);
    found(e, 2, 3, second);
    found(e, 4, 5, third);
}

static void what_is_compared_leaves_together(void **state)
{
    (void)state;
    struct engine e;
    begin(&e);
    look_at_three(&e, VERDICT_SLOWER, VERDICT_UNDECIDED, VERDICT_SAME);
    int left[ENGINE_SUBJECTS];
    assert_int_equal(plan_release(&e.plan, &e.r, left), 4);
    const struct step s = plan_next(&e.plan, &e.r, (int64_t)e.elapsed_ns);
    assert_int_equal(s.kind, STEP_ROUND);
    assert_int_equal(s.n, 2);
    assert_int_equal(s.order[0] + s.order[1], 2 + 3);
    engine_finish(&e);
}

static void a_reference_stays_for_all_that_are_compared_with_it(void **state)
{
    (void)state;
    struct engine e;
    begin(&e);
    e.r.subjects[3].reference = 0;
    e.r.subjects[2].reference = 1; /* which stays for it, as 0 does for both */
    plan_init(&e.plan, &e.plan_options, &e.r.rule);
    go_on_to_a_look(&e);
    found(&e, 0, 1, VERDICT_SLOWER);
    found(&e, 0, 3, VERDICT_SLOWER);
    found(&e, 1, 2, VERDICT_UNDECIDED);
    found(&e, 4, 5, VERDICT_SAME);
    expect_left(&e, (int[]){3, 4, 5}, 3);
}

static void an_anchor_stays_as_long_as_what_it_is_of(void **state)
{
    (void)state;
    struct engine e;
    begin(&e);
    e.r.subjects[4].anchor = e.r.subjects[5].anchor = true;
    e.r.subjects[5].reference = -1;
    e.r.subjects[4].benchmark = "b0";
    e.r.subjects[5].benchmark = "b1";
    plan_init(&e.plan, &e.plan_options, &e.r.rule);
    go_on_to_a_look(&e);
    found(&e, 0, 1, VERDICT_SLOWER);
    found(&e, 2, 3, VERDICT_UNDECIDED);
    assert_int_equal(record_anchor(&e.r, 0), 4);
    assert_int_equal(record_anchor(&e.r, 3), 5);
    expect_left(&e, (int[]){0, 1, 4}, 3);
}

static void a_benchmark_whose_growth_is_asked_for_stays(void **state)
{
    (void)state;
    struct engine e;
    begin(&e);
    e.r.subjects[1].complexity = true;
    look_at_three(&e, VERDICT_SLOWER, VERDICT_UNDECIDED, VERDICT_SAME);
    expect_left(&e, (int[]){4, 5}, 2);
}

static void a_gate_that_is_open_keeps_its_benchmark(void **state)
{
    (void)state;
    struct engine e;
    begin(&e);
    e.r.rule.fail_if_slower = .06; /* between the ends of the interval of what is slower */
    look_at_three(&e, VERDICT_SLOWER, VERDICT_UNDECIDED, VERDICT_SAME);
    expect_left(&e, (int[]){2, 3, 4, 5}, 4); /* both are slower by less than that */
}

static void nobody_leaves_where_the_session_ends_or_answers_do_not_count(void **state)
{
    (void)state;
    struct engine e;
    begin(&e); /* all are answered */
    look_at_three(&e, VERDICT_SLOWER, VERDICT_SLOWER, VERDICT_SAME);
    expect_left(&e, NULL, 0);
    begin(&e); /* the last look */
    e.plan_options.max_rounds = 10;
    look_at_three(&e, VERDICT_SLOWER, VERDICT_UNDECIDED, VERDICT_SAME);
    expect_left(&e, NULL, 0);
    begin(&e); /* the user's own number */
    e.plan_options.runs = 20;
    look_at_three(&e, VERDICT_SLOWER, VERDICT_UNDECIDED, VERDICT_SAME);
    expect_left(&e, NULL, 0);
    begin(&e);
    e.plan_options.min_time_ns = 1000000000;
    look_at_three(&e, VERDICT_SLOWER, VERDICT_UNDECIDED, VERDICT_SAME);
    expect_left(&e, NULL, 0);
}

/* Alternatives of each other have one table, in which all have as many runs. */
static void commands_stay(void **state)
{
    (void)state;
    struct engine e;
    engine_init(&e, 3, METHOD_TARE);
    plan_init(&e.plan, &e.plan_options, &e.r.rule);
    go_on_to_a_look(&e);
    found(&e, 0, 1, VERDICT_SLOWER);
    found(&e, 0, 2, VERDICT_UNDECIDED);
    expect_left(&e, NULL, 0);
}

static void a_session_whose_last_benchmarks_fail_is_answered_by_those_that_left(void **state)
{
    (void)state;
    struct engine e;
    begin(&e);
    look_at_three(&e, VERDICT_SLOWER, VERDICT_UNDECIDED, VERDICT_SAME);
    int left[ENGINE_SUBJECTS];
    assert_int_equal(plan_release(&e.plan, &e.r, left), 4);
    plan_drop(&e.plan, 2);
    plan_drop(&e.plan, 3);
    assert_int_equal(plan_next(&e.plan, &e.r, (int64_t)e.elapsed_ns).kind, STEP_END);
    assert_int_equal(e.plan.end, PLAN_ANSWERED);
    engine_finish(&e);
}

/* Rounds are shorter at once, so that time for more of them is known to be left. */
static void the_time_of_a_round_shrinks_with_its_benchmarks(void **state)
{
    (void)state;
    struct engine e;
    begin(&e);
    e.plan_options.max_rounds = 0;
    e.plan_options.budget_ns = 120000000; /* twenty rounds of six */
    look_at_three(&e, VERDICT_SLOWER, VERDICT_UNDECIDED, VERDICT_SAME);
    assert_int_equal(plan_rounds_planned(&e.plan), 20);
    int left[ENGINE_SUBJECTS];
    assert_int_equal(plan_release(&e.plan, &e.r, left), 4);
    assert_int_equal(plan_rounds_planned(&e.plan), 40);
    engine_finish(&e);
}

/* Each at its own look, whatever the others did after it. */
static void who_left_keeps_what_its_last_look_found(void **state)
{
    (void)state;
    struct engine e;
    begin(&e);
    plan_init(&e.plan, &e.plan_options, &e.r.rule);
    for (int i = 0; i < 6; i++)
        for (int round = 0; round < (i < 2 ? 10 : 15); round++) {
            const double values[] = {(i == 1 ? 1.1e6 : 1e6) + 1e3 * ((round * (i + 3)) % 7), 1e9};
            record_append_row(&e.r, i, &(struct row){.round = round, .slot = (round + i) % 2, .values = values});
        }
    e.r.rule.n_looks = 2;
    e.r.rule.look_at[0] = 10, e.r.rule.look_at[1] = 15;
    e.r.rule.look_share[0] = .3, e.r.rule.look_share[1] = 1;
    e.r.series[0].look = e.r.series[1].look = (struct own_look){1, 10, .03, .3};
    const struct look last = {.number = 2, .rounds = 15, .level = .02, .share = 1};
    assert_int_equal(analyse_group(&e.r, e.subjects, 6, &last, NULL), TARE_OK);
    const struct comparison *c = e.r.comparisons;
    assert_int_equal(c[0].rounds, 10);
    assert_int_equal(c[0].look, 1);
    assert_true(c[0].level == .03 && c[0].share == .3);
    assert_int_equal(c[0].verdict, VERDICT_SLOWER);
    assert_int_equal(c[1].rounds, 15);
    assert_int_equal(c[1].look, 2);
    const struct estimate *left = record_estimate(&e.r, 0, "ns", "median"), *stayed = record_estimate(&e.r, 2, "ns", "median");
    assert_int_equal(left->n, 10);
    assert_true(left->level == .03);
    assert_int_equal(stayed->n, 15);
    engine_finish(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_compared_leaves_together),
        cmocka_unit_test(a_reference_stays_for_all_that_are_compared_with_it),
        cmocka_unit_test(an_anchor_stays_as_long_as_what_it_is_of),
        cmocka_unit_test(a_benchmark_whose_growth_is_asked_for_stays),
        cmocka_unit_test(a_gate_that_is_open_keeps_its_benchmark),
        cmocka_unit_test(nobody_leaves_where_the_session_ends_or_answers_do_not_count),
        cmocka_unit_test(commands_stay),
        cmocka_unit_test(a_session_whose_last_benchmarks_fail_is_answered_by_those_that_left),
        cmocka_unit_test(the_time_of_a_round_shrinks_with_its_benchmarks),
        cmocka_unit_test(who_left_keeps_what_its_last_look_found),
    };
    return cmocka_run_group_tests_name("release", tests, NULL, NULL);
}
