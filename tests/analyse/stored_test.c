/* SPDX-License-Identifier: MIT
 *
 * Two stored sessions: what may be compared, with which words.
 */
#include "analyse_stored.h"
#include "tabled_record.h"
#include <math.h>
#include <stdlib.h>
#include <tare/stats.h>

static const double old_values[] = {100, 101, 102, 103, 104, 105, 106, 107}, new_values[] = {110, 112, 113, 115, 116, 118};

static const struct stored_question plain = {.confidence = .95, .margin = .01, .fail_if_slower = NAN, .names = {"old", "new"}};

struct sessions {
    struct record old, new, out;
};

static void two_sessions(struct sessions *s)
{
    tabled_record(&s->old, "wall", 1, 8, old_values);
    tabled_record(&s->new, "wall", 1, 6, new_values);
    record_init(&s->out);
}

static const struct comparison *compared(struct sessions *s, struct stored_question q)
{
    struct tare_err err = {""};
    enum tare_status status = analyse_stored(&s->out, &s->old, &s->new, &q, &err);
    if (status)
        fail_msg("%s", err.text);
    return tabled_comparison(&s->out, 0);
}

static void finish(struct sessions *s)
{
    record_finish(&s->old);
    record_finish(&s->new);
    record_finish(&s->out);
}

static void two_sessions_give_a_ratio_and_no_word(void **state)
{
    (void)state;
    struct sessions s;
    two_sessions(&s);
    const struct comparison *c = compared(&s, plain);
    double x[8], y[6];
    struct tare_interval i;
    for (int k = 0; k < 8; k++)
        x[k] = log(old_values[k]);
    for (int k = 0; k < 6; k++)
        y[k] = log(new_values[k]);
    void *scratch = malloc(tare_shift_scratch_bytes(8, 6));
    assert_int_equal(tare_shift_ci_mann_whitney(x, 8, y, 6, .05, scratch, &i), TARE_OK);
    free(scratch);
    assert_close(c->shift, i.point, 1e-12);
    assert_close(c->low, i.low, 1e-12);
    assert_close(c->high, i.high, 1e-12);
    assert_int_equal(c->verdict, VERDICT_UNDECIDED);
    assert_false(c->sign_proven);
    assert_int_equal(c->better, -1);
    assert_int_equal(c->rounds, 6);
    assert_int_equal(c->reference_rounds, 8);
    assert_true(record_is_of_two_sessions(&s.out));
    finish(&s);
}

static void an_assumption_gives_a_word_that_is_marked(void **state)
{
    (void)state;
    struct sessions s;
    two_sessions(&s);
    struct stored_question q = plain;
    q.assume_no_drift = true;
    const struct comparison *c = compared(&s, q);
    assert_int_equal(c->verdict, VERDICT_SLOWER);
    assert_true(c->assumed_no_drift);
    assert_true(c->beyond_margin);
    assert_non_null(strstr(c->reason, "assuming that nothing drifted"));
    finish(&s);
}

static void another_machine_is_not_comparable_and_the_difference_is_named(void **state)
{
    (void)state;
    struct sessions s;
    two_sessions(&s);
    facts_add_text(&s.old, &s.old.machine, "cpu_brand", "One");
    facts_add_text(&s.new, &s.new.machine, "cpu_brand", "Two");
    struct stored_question q = plain;
    q.assume_no_drift = true;
    const struct comparison *c = compared(&s, q);
    assert_int_equal(c->verdict, VERDICT_NOT_COMPARABLE);
    assert_string_equal(c->reason, "cpu_brand 'One' and 'Two'");
    assert_true(isnan(c->shift));
    finish(&s);
}

static void what_one_side_does_not_know_is_no_difference(void **state)
{
    (void)state;
    struct sessions s;
    two_sessions(&s);
    facts_add_text(&s.old, &s.old.machine, "cpu_brand", "One");
    facts_add_unknown(&s.new, &s.new.machine, "cpu_brand", "not said");
    const struct comparison *c = compared(&s, plain);
    assert_int_equal(c->verdict, VERDICT_UNDECIDED);
    assert_non_null(strstr(c->reason, "same machine"));
    finish(&s);
}

static void settings_that_differ_are_a_finding(void **state)
{
    (void)state;
    struct sessions s;
    two_sessions(&s);
    facts_add_text(&s.old, &s.old.before, "governor", "performance");
    facts_add_text(&s.new, &s.new.before, "governor", "powersave");
    compared(&s, plain);
    assert_int_equal(s.out.n_findings, 1);
    assert_string_equal(s.out.findings[0].id, "conditions_differ");
    assert_non_null(strstr(s.out.findings[0].text, "governor 'performance' and 'powersave'"));
    finish(&s);
}

static void a_missing_value_is_invalid_and_a_missing_metric_is_said(void **state)
{
    (void)state;
    struct sessions s;
    two_sessions(&s);
    s.new.series[0].main.value[0][2] = NAN;
    assert_int_equal(compared(&s, plain)->verdict, VERDICT_INVALID);
    struct stored_question q = plain;
    struct record out;
    struct tare_err err;
    q.metric = "fuel";
    record_init(&out);
    assert_int_equal(analyse_stored(&out, &s.old, &s.new, &q, &err), TARE_NOT_FOUND);
    record_finish(&out);
    finish(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_sessions_give_a_ratio_and_no_word),
        cmocka_unit_test(an_assumption_gives_a_word_that_is_marked),
        cmocka_unit_test(another_machine_is_not_comparable_and_the_difference_is_named),
        cmocka_unit_test(what_one_side_does_not_know_is_no_difference),
        cmocka_unit_test(settings_that_differ_are_a_finding),
        cmocka_unit_test(a_missing_value_is_invalid_and_a_missing_metric_is_said),
    };
    return cmocka_run_group_tests_name("stored sessions", tests, NULL, NULL);
}
