/* SPDX-License-Identifier: MIT
 *
 * A command against itself: the share of false words, and what a session can show.
 */
#include "tabled_record.h"
#include <math.h>
#include <stdlib.h>
#include <tare/stats.h>

enum { SESSIONS = 4, ROUNDS = 10 };

/* Session i: the second of the pair takes (1 + shift[i]) times as long, give or take what the rounds scatter. */
static void make(struct record *r, const double *shift)
{
    double values[2 * SESSIONS * ROUNDS];
    for (int s = 0; s < SESSIONS; s++)
        for (int i = 0; i < ROUNDS; i++) {
            values[2 * s * ROUNDS + i] = 1e6;
            values[(2 * s + 1) * ROUNDS + i] = 1e6 * (1 + shift[s]) * (1 + 0.002 * (i % 5 - 2));
        }
    tabled_record(r, "wall", 2 * SESSIONS, ROUNDS, values);
    r->rule.against_itself = true;
    r->rule.n_looks = 2;
    r->rule.look_at[0] = ROUNDS;
    r->rule.look_at[1] = 4 * ROUNDS;
    r->rule.look_level[0] = r->rule.look_level[1] = 0.03;
}

static void analyse(struct record *r, int sessions)
{
    struct look look = tabled_look(ROUNDS, 0.03);
    record_clear_results(r);
    for (int i = 0; i < sessions; i++)
        assert_int_equal(analyse_group(r, (int[]){2 * i, 2 * i + 1}, 2, &look, NULL), TARE_OK);
    assert_int_equal(analyse_against_itself(r, NULL), TARE_OK);
}

static void words_are_counted_with_their_exact_interval(void **state)
{
    (void)state;
    struct record r;
    make(&r, (double[]){0, 0.05, 0, -0.05});
    analyse(&r, SESSIONS);
    const struct estimate *e = tabled_estimate(&r, 0, "aa_false_positives");
    assert_close(e->point, 0.5, 1e-15);
    assert_close(e->low, 0.0675859864, 1e-8); /* 2 of 4 by Clopper and Pearson */
    assert_close(e->high, 0.9324140136, 1e-8);
    assert_int_equal(e->n, SESSIONS);
    assert_close(tabled_estimate(&r, 0, "aa_same")->point, 0.5, 1e-15);
    for (int i = 0; i < SESSIONS; i++)
        assert_int_equal(tabled_comparison(&r, i)->reference, 2 * i);
    record_finish(&r);
}

static void what_is_detectable_follows_from_the_half_widths(void **state)
{
    (void)state;
    struct record r;
    make(&r, (double[]){0, 0, 0, 0});
    analyse(&r, SESSIONS);
    const struct comparison *c = tabled_comparison(&r, 0);
    double half = (c->high - c->low) / 2, z = tare_normal_quantile(0.985), more = tare_normal_quantile(0.9);
    assert_close(tabled_estimate(&r, 0, "aa_half_width")->point, expm1(half), 1e-12);
    assert_close(tabled_estimate(&r, 0, "aa_detectable")->point, expm1(half / 2 * (1 + more / z)),
                 1e-12); /* four times the rounds */
    assert_true(tabled_estimate(&r, 0, "aa_pair_sd")->point > 0.002);
    assert_true(tabled_estimate(&r, 0, "aa_pair_sd")->point < 0.004);
    record_finish(&r);
}

static void without_sessions_there_are_reasons_and_no_numbers(void **state)
{
    (void)state;
    struct record r;
    make(&r, (double[]){0, 0, 0, 0});
    analyse(&r, 0);
    const char *all[] = {"aa_false_positives", "aa_same", "aa_half_width", "aa_pair_sd", "aa_detectable"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        assert_true(isnan(tabled_estimate(&r, 0, all[i])->point));
        assert_non_null(tabled_estimate(&r, 0, all[i])->reason);
    }
    record_finish(&r);
}

static void sessions_without_a_verdict_are_left_out(void **state)
{
    (void)state;
    struct record r;
    make(&r, (double[]){0, 0, 0, 0});
    analyse(&r, SESSIONS);
    r.comparisons[0].verdict = VERDICT_INVALID;
    r.comparisons[1].verdict = VERDICT_UNDECIDED; /* too few rounds for an interval */
    r.comparisons[1].low = -INFINITY;
    r.comparisons[1].high = INFINITY;
    r.comparisons[2].verdict = VERDICT_SLOWER;
    assert_int_equal(analyse_against_itself(&r, NULL), TARE_OK);
    const struct estimate *e = tabled_estimate(&r, 0, "aa_false_positives");
    assert_int_equal(e->n, 2);
    assert_close(e->point, 0.5, 1e-15);
    assert_close(tabled_estimate(&r, 0, "aa_same")->point, 0.5, 1e-15);
    r.comparisons[2].verdict = r.comparisons[3].verdict = VERDICT_NONE;
    assert_int_equal(analyse_against_itself(&r, NULL), TARE_OK);
    e = tabled_estimate(&r, 0, "aa_false_positives");
    assert_int_equal(e->n, 0);
    assert_true(isnan(e->point));
    assert_non_null(e->reason);
    record_finish(&r);
}

static void a_killed_file_leaves_the_session_out_that_was_under_way(void **state)
{
    (void)state;
    struct record r;
    make(&r, (double[]){0, 0.05, 0, 0.05});
    r.ended = NULL;
    assert_int_equal(analyse_redo(&r, NULL), TARE_OK);
    assert_int_equal(r.n_comparisons, SESSIONS - 1);
    assert_int_equal(tabled_estimate(&r, 0, "aa_false_positives")->n, SESSIONS - 1);
    r.ended = "answered";
    assert_int_equal(analyse_redo(&r, NULL), TARE_OK);
    assert_int_equal(r.n_comparisons, SESSIONS);
    assert_close(tabled_estimate(&r, 0, "aa_false_positives")->point, 0.5, 1e-15);
    record_finish(&r);
}

/* Sessions of x and y in turn. */
static void as_benchmarks(struct record *r)
{
    for (int i = 0; i < r->n_subjects; i++) {
        struct subject *s = &r->subjects[i];
        s->kind = SUBJECT_BENCH;
        s->program = "mine";
        s->benchmark = s->group = i / 2 % 2 ? "y" : "x";
        s->reference = i % 2 ? i - 1 : -1;
    }
}

static void each_benchmark_has_its_share_and_all_have_one(void **state)
{
    (void)state;
    struct record r;
    make(&r, (double[]){0, 0.05, 0, -0.05});
    as_benchmarks(&r);
    analyse(&r, SESSIONS);
    assert_int_equal(record_first_copy(&r, 5), 0);
    assert_int_equal(record_first_copy(&r, 7), 2);
    assert_close(tabled_estimate(&r, 0, "aa_false_positives")->point, 0, 1e-15);
    assert_close(tabled_estimate(&r, 2, "aa_false_positives")->point, 1, 1e-15);
    assert_int_equal(tabled_estimate(&r, 2, "aa_false_positives")->n, 2);
    assert_close(tabled_estimate(&r, 0, "aa_false_positives_of_all")->point, 0.5, 1e-15);
    assert_int_equal(tabled_estimate(&r, 0, "aa_false_positives_of_all")->n, SESSIONS);
    record_finish(&r);
}

static void a_benchmark_that_was_given_up_stops_no_other(void **state)
{
    (void)state;
    struct record r;
    make(&r, (double[]){0, 0, 0, 0.05});
    as_benchmarks(&r);
    for (int i = 0; i < 4; i++) { /* both sessions of x */
        struct series *s = &r.series[i / 2 * 4 + i % 2];
        s->main.n = 0;
        r.subjects[s->subject].failure = "crashed";
    }
    r.ended = "answered";
    assert_int_equal(analyse_redo(&r, NULL), TARE_OK);
    assert_int_equal(r.n_comparisons, 2);
    assert_int_equal(tabled_estimate(&r, 0, "aa_false_positives")->n, 0);
    assert_int_equal(tabled_estimate(&r, 2, "aa_false_positives")->n, 2);
    assert_close(tabled_estimate(&r, 2, "aa_false_positives")->point, 0.5, 1e-15);
    record_finish(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_counted_with_their_exact_interval),
        cmocka_unit_test(what_is_detectable_follows_from_the_half_widths),
        cmocka_unit_test(without_sessions_there_are_reasons_and_no_numbers),
        cmocka_unit_test(sessions_without_a_verdict_are_left_out),
        cmocka_unit_test(a_killed_file_leaves_the_session_out_that_was_under_way),
        cmocka_unit_test(each_benchmark_has_its_share_and_all_have_one),
        cmocka_unit_test(a_benchmark_that_was_given_up_stops_no_other),
    };
    return cmocka_run_group_tests_name("against_itself", tests, NULL, NULL);
}
