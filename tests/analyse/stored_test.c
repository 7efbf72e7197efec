/* SPDX-License-Identifier: MIT
 *
 * Two stored sessions: what may be compared, with which words.
 */
#include "analyse_stored.h"
#include "comparable.h"
#include "tabled_record.h"
#include <math.h>
#include <stdlib.h>
#include <tare/stats.h>

static const double old_values[] = {103, 100, 106, 101, 107, 102, 105, 104}, new_values[] = {113, 118, 110, 116, 112, 115};

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

/* All rising: of 8 and 6 runs each session counts for 4 independent ones. */
static void runs_that_are_like_their_neighbours_widen_the_interval(void **state)
{
    (void)state;
    const double rising[] = {100, 101, 102, 103, 104, 105, 106, 107}, later[] = {110, 112, 113, 115, 116, 118};
    struct sessions s;
    tabled_record(&s.old, "wall", 1, 8, rising);
    tabled_record(&s.new, "wall", 1, 6, later);
    record_init(&s.out);
    const struct comparison *c = compared(&s, plain);
    const double inflation = (1. / 4 + 1. / 4) / (1. / 8 + 1. / 6);
    assert_close(c->widened, sqrt(inflation) * tare_student_quantile(.025, 6) / tare_student_quantile(.025, 12), 1e-12);
    assert_close(c->effective_rounds, 6 / inflation, 1e-12);
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

/* As in one session (compare.c), but that no rounds tie the runs together. */
static void a_command_that_failed_in_one_session_alone_has_no_verdict(void **state)
{
    (void)state;
    static const struct {
        double old, new;
        int runs_old, runs_new; /* that failed */
        bool invalid;
    } cases[] = {{3, 3, 0, 6, true}, {3, 3, 8, 0, true}, {3, 3, 0, 1, true}, {3, 3, 8, 6, false}, {3, 4, 8, 6, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sessions s;
        two_sessions(&s);
        for (int k = 0; k < cases[i].runs_old; k++)
            s.old.series[0].main.value[TABLED_EXIT][k] = cases[i].old;
        for (int k = 0; k < cases[i].runs_new; k++)
            s.new.series[0].main.value[TABLED_EXIT][k] = cases[i].new;
        struct stored_question q = plain;
        q.assume_no_drift = true;
        const struct comparison *c = compared(&s, q);
        assert_int_equal(c->verdict, cases[i].invalid ? VERDICT_INVALID : VERDICT_SLOWER);
        if (cases[i].invalid)
            assert_non_null(strstr(c->reason, "one failed where the other did not: 'a (old)' in "));
        finish(&s);
    }
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

/* What the kernel keeps for itself differs from version to version. */
static void a_little_more_memory_is_the_same_machine(void **state)
{
    (void)state;
    static const double bytes[] = {8331104256, 8330055680, 8031104256, 16662208512};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        struct sessions s;
        two_sessions(&s);
        facts_add_number(&s.old, &s.old.machine, "memory_bytes", bytes[0]);
        facts_add_number(&s.new, &s.new.machine, "memory_bytes", bytes[i]);
        const struct comparison *c = compared(&s, plain);
        assert_int_equal(c->verdict, i < 3 ? VERDICT_UNDECIDED : VERDICT_NOT_COMPARABLE);
        if (i == 3)
            assert_string_equal(c->reason, "memory_bytes 8331104256 and 16662208512");
        finish(&s);
    }
}

static void fewer_cpus_or_a_quota_are_a_finding(void **state)
{
    (void)state;
    struct sessions s;
    two_sessions(&s);
    facts_add_number(&s.old, &s.old.before, "cpus_allowed", 8);
    facts_add_number(&s.new, &s.new.before, "cpus_allowed", 1);
    facts_add_text(&s.old, &s.old.before, "cpu_quota_cpus", "none");
    facts_add_number(&s.new, &s.new.before, "cpu_quota_cpus", 0.5);
    compared(&s, plain);
    assert_int_equal(s.out.n_findings, 1);
    assert_string_equal(s.out.findings[0].id, "conditions_differ");
    assert_non_null(strstr(s.out.findings[0].text, "cpus_allowed 8 and 1; cpu_quota_cpus 'none' and 0.5"));
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

/* One command and an anchor a session, with these commands and hashes of the anchor. */
static int anchor_findings(const char *old_command, const char *old_hash, const char *new_command, const char *new_hash)
{
    const double old[] = {103, 100, 106, 101, 107, 102, 50, 51, 52, 50, 51, 52},
                 new[] = {113, 118, 110, 116, 112, 115, 50, 51, 52, 50, 51, 52};
    struct sessions s;
    tabled_record(&s.old, "wall", 2, 6, old);
    tabled_record(&s.new, "wall", 2, 6, new);
    record_init(&s.out);
    s.old.subjects[1].anchor = s.new.subjects[1].anchor = true;
    s.old.subjects[1].command = old_command;
    s.new.subjects[1].command = new_command;
    facts_add_text(&s.old, &s.old.build, "program_2_fnv1a64", old_hash);
    facts_add_text(&s.new, &s.new.build, "program_2_fnv1a64", new_hash);
    const struct comparison *c = compared(&s, plain);
    assert_int_equal(s.out.n_comparisons, 1); /* anchors are not compared */
    assert_close(c->level, .05, 1e-12);       /* nor do they share the confidence */
    const int n = s.out.n_findings;
    if (n)
        assert_string_equal(s.out.findings[0].id, "anchors_differ");
    finish(&s);
    return n;
}

static void other_anchors_are_a_finding(void **state)
{
    (void)state;
    assert_int_equal(anchor_findings("./old", "1111", "./old", "1111"), 0);
    assert_int_equal(anchor_findings("./old 7", "1111", "/pinned/old 7", "1111"), 0); /* a copy that lies elsewhere */
    assert_int_equal(anchor_findings("./old 7", "1111", "./old 8", "1111"), 1);
    assert_int_equal(anchor_findings("./old", "1111", "./old", "2222"), 1);
}

/* The same name for another quantity, or the same one turned around, would make of worse better. */
static void metrics_of_one_name_that_are_not_the_same_are_not_comparable(void **state)
{
    (void)state;
    static const struct {
        enum metric_direction direction;
        const char *definition, *said;
    } cases[] = {{METRIC_LOWER, "regex=rate: (.*)", NULL},
                 {METRIC_LOWER, NULL, NULL},
                 {METRIC_HIGHER, "regex=rate: (.*)", "better direction 'lower' and 'higher'"},
                 {METRIC_LOWER, "regex=loss: (.*)", "wall 'regex=rate: (.*)' and 'regex=loss: (.*)'"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sessions s;
        two_sessions(&s);
        s.old.metrics[0].definition = "regex=rate: (.*)";
        s.new.metrics[0].definition = cases[i].definition;
        s.new.metrics[0].direction = cases[i].direction;
        struct stored_question q = plain;
        q.assume_no_drift = true;
        const struct comparison *c = compared(&s, q);
        assert_int_equal(c->verdict, cases[i].said ? VERDICT_NOT_COMPARABLE : VERDICT_SLOWER);
        if (cases[i].said)
            assert_string_equal(c->reason, cases[i].said);
        finish(&s);
    }
}

static void the_first_call_is_not_compared_with_the_time_in_the_long_run(void **state)
{
    (void)state;
    struct sessions s;
    two_sessions(&s);
    s.old.subjects[0].kind = s.new.subjects[0].kind = SUBJECT_BENCH;
    s.old.rule.profile = PROFILE_STARTUP;
    const struct comparison *c = compared(&s, plain);
    assert_int_equal(c->verdict, VERDICT_NOT_COMPARABLE);
    assert_string_equal(c->reason, "--profile 'startup' and 'steady'");
    finish(&s);
}

static void traced_program(struct record *r, const char *const *words, const char *hash)
{
    static const char *const columns[] = {"wall"};
    const struct subject s = {.kind = SUBJECT_TRACE, .name = words[0], .command = words[0], .argv = words};
    record_init(r);
    assert_true(record_add_metric(r, metric_builtin_find("wall")) >= 0);
    assert_int_equal(record_add_subject(r, &s, columns, 1), 0);
    assert_int_equal(facts_add_text(r, &r->build, "program_1_fnv1a64", hash), TARE_OK);
}

static void traced_programs_are_known_by_their_arguments_and_not_by_their_path(void **state)
{
    (void)state;
    static const char *const old[] = {"./old/p", "10", NULL}, *const new[] = {"./new/p", "10", NULL},
                             *const other[] = {"./new/p", "10", "20", NULL};
    static const struct {
        const char *const *words;
        const char *hash, *said;
        bool one_code;
    } cases[] = {{new, "a", "", true}, {new, "b", "", false}, {other, "a", "arguments '10' and '10 20'", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record a, b;
        struct buf text = BUF_INIT(1 << 12);
        traced_program(&a, old, "a");
        traced_program(&b, cases[i].words, cases[i].hash);
        assert_int_equal(stored_partner(&a, 0, &b), 0);
        comparable_differences(&a, 0, &b, 0, "wall", &text);
        assert_string_equal(buf_text(&text), cases[i].said);
        assert_int_equal(comparable_one_code(&a, 0, &b, 0), cases[i].one_code);
        buf_finish(&text);
        record_finish(&a);
        record_finish(&b);
    }
}

static void command_record(struct record *r, const char *name, const char *command)
{
    static const char *const columns[] = {"wall"};
    const struct subject s = {.kind = SUBJECT_COMMAND, .name = name, .command = command};
    record_init(r);
    assert_true(record_add_metric(r, metric_builtin_find("wall")) >= 0);
    assert_int_equal(record_add_subject(r, &s, columns, 1), 0);
}

static void two_programs_with_the_same_arguments_are_compared(void **state)
{
    (void)state;
    static const struct {
        const char *names[2], *commands[2], *said;
        int partner;
    } cases[] = {{{"sort", "sort"}, {"./old/sort 10", "./new/sort 10"}, "", 0},
                 {{"./old 10", "./new 10"}, {"./old 10", "./new 10"}, "", 0},
                 {{"./old", "./new"}, {"./old", "./new"}, "", 0},
                 {{"sort", "sort"}, {"./sort 10", "./sort 20"}, "command './sort 10' and './sort 20'", 0},
                 {{"./old 10", "./new 20"}, {"./old 10", "./new 20"}, "command './old 10' and './new 20'", -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record a, b;
        struct buf text = BUF_INIT(1 << 12);
        command_record(&a, cases[i].names[0], cases[i].commands[0]);
        command_record(&b, cases[i].names[1], cases[i].commands[1]);
        assert_int_equal(stored_partner(&a, 0, &b), cases[i].partner);
        assert_int_equal(stored_partner(&b, 0, &a), cases[i].partner);
        comparable_differences(&a, 0, &b, 0, "wall", &text);
        assert_string_equal(buf_text(&text), cases[i].said);
        buf_finish(&text);
        record_finish(&a);
        record_finish(&b);
    }
}

/* Of two in a session it is not known which is meant. */
static void of_several_traced_programs_each_goes_by_its_name(void **state)
{
    (void)state;
    static const char *const columns[] = {"wall"}, *const words[] = {"./p", NULL}, *const others[] = {"./q", NULL};
    struct record one, two;
    traced_program(&one, others, "a");
    traced_program(&two, words, "a");
    const struct subject more = {.kind = SUBJECT_TRACE, .name = "./q", .command = "./q", .argv = others};
    assert_int_equal(record_add_subject(&two, &more, columns, 1), 1);
    assert_int_equal(stored_partner(&one, 0, &two), 1);
    assert_int_equal(stored_partner(&two, 0, &one), -1);
    assert_int_equal(stored_partner(&two, 1, &one), 0);
    record_finish(&one);
    record_finish(&two);
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
        cmocka_unit_test(runs_that_are_like_their_neighbours_widen_the_interval),
        cmocka_unit_test(an_assumption_gives_a_word_that_is_marked),
        cmocka_unit_test(a_command_that_failed_in_one_session_alone_has_no_verdict),
        cmocka_unit_test(another_machine_is_not_comparable_and_the_difference_is_named),
        cmocka_unit_test(what_one_side_does_not_know_is_no_difference),
        cmocka_unit_test(a_little_more_memory_is_the_same_machine),
        cmocka_unit_test(fewer_cpus_or_a_quota_are_a_finding),
        cmocka_unit_test(settings_that_differ_are_a_finding),
        cmocka_unit_test(other_anchors_are_a_finding),
        cmocka_unit_test(metrics_of_one_name_that_are_not_the_same_are_not_comparable),
        cmocka_unit_test(the_first_call_is_not_compared_with_the_time_in_the_long_run),
        cmocka_unit_test(two_programs_with_the_same_arguments_are_compared),
        cmocka_unit_test(traced_programs_are_known_by_their_arguments_and_not_by_their_path),
        cmocka_unit_test(of_several_traced_programs_each_goes_by_its_name),
        cmocka_unit_test(a_missing_value_is_invalid_and_a_missing_metric_is_said),
    };
    return cmocka_run_group_tests_name("stored sessions", tests, NULL, NULL);
}
