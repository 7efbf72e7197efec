/* SPDX-License-Identifier: MIT
 *
 * Which rounds of a gate have a ratio, and when a benchmark has no answer. */
#include "gate_rounds.h"
#include "tabled_record.h"
#include <math.h>

enum { ROUNDS = 4, BASE = 0, HEAD = 1 };

static struct record base_and_head(const double *values)
{
    struct record r;
    tabled_record(&r, "wall", 2, ROUNDS, values);
    return r;
}

static void rounds_that_both_have_give_ratios(void **state)
{
    (void)state;
    struct record r = base_and_head((const double[]){10, 20, 0, 40, 11, 20, 0, 20});
    double d[ROUNDS];
    assert_int_equal(gate_ratios(&r, BASE, HEAD, d, ROUNDS), ROUNDS);
    assert_close(d[0], log(1.1), 1e-12);
    assert_true(d[1] == 0 && d[2] == 0); /* nothing is as much as nothing */
    assert_close(d[3], log(.5), 1e-12);
    assert_int_equal(gate_ratios(&r, BASE, HEAD, d, 3), 3);
    assert_null(gate_failure(&r, BASE, HEAD, &r.arena));
    r.series[HEAD].main.round[1] = 7; /* of another round, and those behind it too */
    r.series[HEAD].main.round[2] = 8;
    r.series[HEAD].main.round[3] = 9;
    assert_int_equal(gate_ratios(&r, BASE, HEAD, NULL, ROUNDS), 1);
    record_finish(&r);
}

static void a_round_without_a_ratio_leaves_no_answer(void **state)
{
    (void)state;
    static const double rows[][2 * ROUNDS] = {{10, 0, 12, 13, 10, 11, 12, 13},
                                              {10, 11, 12, 13, 10, 11, 12, 0},
                                              {10, 11, 12, 13, 10, -1, 12, 13},
                                              {NAN, 11, 12, 13, 10, 11, 12, 13}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct record r = base_and_head(rows[i]);
        assert_int_equal(gate_ratios(&r, BASE, HEAD, NULL, ROUNDS), -1);
        assert_non_null(strstr(gate_failure(&r, BASE, HEAD, &r.arena), "there is no ratio"));
        record_finish(&r);
    }
}

static void a_failure_says_on_which_side_it_was(void **state)
{
    (void)state;
    struct record r = base_and_head((const double[]){10, 11, 12, 13, 10, 11, 12, 13});
    r.subjects[HEAD].failure = "exit code 1";
    assert_string_equal(gate_failure(&r, BASE, HEAD, &r.arena), "head: exit code 1");
    r.subjects[BASE].failure = "exit code 1";
    assert_string_equal(gate_failure(&r, BASE, HEAD, &r.arena), "base and head: exit code 1");
    r.subjects[BASE].failure = "SIGSEGV";
    assert_string_equal(gate_failure(&r, BASE, HEAD, &r.arena), "base: SIGSEGV; head: exit code 1");
    r.subjects[HEAD].failure = NULL;
    assert_string_equal(gate_failure(&r, BASE, HEAD, &r.arena), "base: SIGSEGV");
    record_finish(&r);
}

/* As in every other comparison. */
static void what_measured_something_else_has_no_answer(void **state)
{
    (void)state;
    struct record r = base_and_head((const double[]){10, 11, 12, 13, 10, 11, 12, 13});
    r.series[HEAD].main.flags[2] |= ROW_OTHER_PROGRAM;
    assert_non_null(strstr(gate_failure(&r, BASE, HEAD, &r.arena), "was replaced or changed before run 3"));
    r.series[HEAD].main.flags[2] = 0;
    assert_null(gate_failure(&r, BASE, HEAD, &r.arena));
    r.subjects[BASE].kind = r.subjects[HEAD].kind = SUBJECT_BENCH;
    r.subjects[HEAD].version = "2";
    assert_string_equal(gate_failure(&r, BASE, HEAD, &r.arena), "benchmark version 'none' and '2'");
    r.subjects[HEAD].version = NULL;
    record_finish(&r);
}

/* From the start it is no failure; once there are rounds, of this session or of one before, it is. */
static void what_is_skipped_after_rounds_is_not_left_out(void **state)
{
    (void)state;
    struct record r = base_and_head((const double[]){10, 11, 12, 13, 10, 11, 12, 13});
    r.subjects[HEAD].failure = r.subjects[BASE].failure = "skipped: no data";
    assert_false(gate_skipped(&r, BASE, HEAD, 0));
    r.series[BASE].main.n = r.series[HEAD].main.n = 0;
    assert_true(gate_skipped(&r, BASE, HEAD, 0));
    assert_false(gate_skipped(&r, BASE, HEAD, 3));
    r.subjects[BASE].failure = "exit code 1";
    assert_false(gate_skipped(&r, BASE, HEAD, 0));
    record_finish(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_that_both_have_give_ratios),
        cmocka_unit_test(a_round_without_a_ratio_leaves_no_answer),
        cmocka_unit_test(a_failure_says_on_which_side_it_was),
        cmocka_unit_test(what_measured_something_else_has_no_answer),
        cmocka_unit_test(what_is_skipped_after_rounds_is_not_left_out),
    };
    return cmocka_run_group_tests_name("gate_rounds", tests, NULL, NULL);
}
