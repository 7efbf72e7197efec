/* SPDX-License-Identifier: MIT
 *
 * A session of traced programs and its repetition, arc by arc: the words, what decides, and the words of many arcs held together.
 */
#include "analyse_stored.h"
#include "record_arcs.h"
#include "rng.h"
#include "rng_normal.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MANY = 40 };

struct sessions {
    struct record then, now;
    struct repetition found;
    struct arena arena;
};

static void begin(struct record *r, int programs)
{
    static const char *const columns[] = {"wall"};
    const double wall = 1e6;
    record_init(r);
    assert_int_equal(record_add_arc_metric(r), TARE_OK);
    assert_true(record_add_metric(r, metric_builtin_find("wall")) >= 0);
    for (int i = 0; i < programs; i++) {
        const struct subject p = {.kind = SUBJECT_TRACE, .name = "p", .command = "p"};
        assert_int_equal(record_add_subject(r, &p, columns, 1), i);
        assert_int_equal(record_append_row(r, i, &(struct row){.values = &wall}), TARE_OK);
    }
    r->rule = (struct rule){.metric = "wall", .confidence = .95, .margin = .01, .interleaved = true, .fail_if_slower = NAN};
}

static int point(struct record *r, int program, int line)
{
    return record_add_point(
        r, &(struct point){.subject = program, .file = "a.c", .func = "f", .name = "", .line = line, .partner = -1});
}

/* The next arc of a chain of points, with a mean of so many ns and its relative standard error. Returns the arc. */
static int arc(struct record *r, int program, int first_line, int number, double mean, double error, double share)
{
    struct arc_result a;
    int from = point(r, program, first_line + number), to = point(r, program, first_line + number + 1);
    arc_result_init(&a, program, from, to);
    a.runs = a.runs_passed = 20;
    a.mean_ns = mean;
    a.mean_error_ns = mean * error;
    a.mean_df = 19;
    a.share = share;
    return record_add_arc_result(r, &a);
}

static void sessions(struct sessions *s, int programs)
{
    *s = (struct sessions){0};
    begin(&s->then, programs);
    begin(&s->now, programs);
}

static void both(struct sessions *s, int number, double then, double now, double share)
{
    arc(&s->then, 0, 10, number, then, .001, share);
    arc(&s->now, 0, 50, number, now, .001, share); /* elsewhere in the file, and in the same place among its points */
}

static void judge(struct sessions *s, bool assume)
{
    struct tare_err err = {""};
    if (analyse_repetition(&s->found, &s->then, &s->now, assume, &s->arena, &err))
        fail_msg("%s", err.text);
}

static void expect(const struct sessions *s, int item, enum agreement word)
{
    assert_true(item < s->found.n);
    const struct repeated *p = &s->found.items[item];
    if (p->word != word)
        fail_msg("item %d is %s (%s), expected %s", item, agreement_name(p->word), p->reason ? p->reason : "-",
                 agreement_name(word));
}

static void finish(struct sessions *s)
{
    record_finish(&s->then);
    record_finish(&s->now);
    arena_finish(&s->arena);
}

/* ---- each by itself ---- */

static void an_arc_that_takes_as_long_as_then_agrees(void **state)
{
    struct sessions s;
    (void)state;
    sessions(&s, 1);
    both(&s, 0, 100, 100.3, .6); /* within the margin */
    both(&s, 1, 50, 50, .4);
    judge(&s, false);
    assert_int_equal(s.found.n, 2);
    assert_int_equal(s.found.n_deciding, 2);
    expect(&s, 0, AGREES);
    expect(&s, 1, AGREES);
    assert_int_equal(s.found.word, AGREES);
    assert_string_equal(s.found.items[0].from, "a.c:50 (f)");
    assert_true(fabs(s.found.items[0].change - log(1.003)) < 1e-12);
    finish(&s);
}

static void hits(struct record *r, uint64_t in_all, double total)
{
    struct arc_result *a = &r->traced->results[0];
    a->passes = a->n = in_all;
    a->total_ns = total;
    a->total_low = total * .98;
    a->total_high = total * 1.02;
}

/* Of 100 ns each in 20 runs: ten times as many hits, which take ten times as long together; and as many as fit into a given time. */
static void an_arc_that_is_hit_more_often_differs_unless_its_time_is_given(void **state)
{
    static const struct {
        uint64_t hits;
        double total;
        enum agreement word;
    } all[] = {{20000, 100000, DIFFERS}, {2000, 10000, AGREES}, {2100, 10200, AGREES}};
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct sessions s;
        sessions(&s, 1);
        both(&s, 0, 100, 100, 1);
        hits(&s.then, 2000, 10000);
        hits(&s.now, all[i].hits, all[i].total);
        judge(&s, false);
        expect(&s, 0, all[i].word);
        if (!i)
            assert_string_equal(s.found.items[0].reason, "a run has 1000 hits, before 100");
        finish(&s);
    }
}

static void a_changed_arc_is_drift_or_difference(void **state)
{
    (void)state;
    for (int assume = 0; assume < 2; assume++) {
        struct sessions s;
        sessions(&s, 1);
        both(&s, 0, 100, 110, .6);
        both(&s, 1, 50, 50, .4);
        judge(&s, assume);
        expect(&s, 0, assume ? DIFFERS : NOT_DECIDED);
        expect(&s, 1, AGREES);
        assert_int_equal(s.found.word, assume ? DIFFERS : NOT_DECIDED);
        finish(&s);
    }
}

static void an_arc_of_no_weight_decides_nothing(void **state)
{
    struct sessions s;
    (void)state;
    sessions(&s, 1);
    both(&s, 0, 100, 100, .995);
    both(&s, 1, 1, 3, .005);
    judge(&s, true);
    assert_int_equal(s.found.n, 2);
    assert_int_equal(s.found.n_deciding, 1);
    expect(&s, 1, DIFFERS);
    assert_int_equal(s.found.word, AGREES);
    finish(&s);
}

static void an_arc_that_is_gone_leaves_it_open_and_a_new_one_does_not(void **state)
{
    struct sessions s;
    (void)state;
    sessions(&s, 1);
    both(&s, 0, 100, 100, .5);
    point(&s.then, 0, 12); /* of the other session the point is there too, and was not passed */
    arc(&s.now, 0, 50, 1, 70, .001, .5);
    judge(&s, false);
    assert_int_equal(s.found.n_deciding, 1);
    assert_int_equal(s.found.n, 2);
    assert_true(isnan(s.found.items[1].then_ns));
    assert_int_equal(s.found.word, AGREES);
    finish(&s);
    sessions(&s, 1);
    both(&s, 0, 100, 100, .5);
    arc(&s.then, 0, 10, 1, 70, .001, .5);
    point(&s.now, 0, 52);
    judge(&s, false);
    assert_int_equal(s.found.n_deciding, 2);
    expect(&s, 1, NOT_DECIDED);
    assert_true(isnan(s.found.items[1].now_ns));
    assert_int_equal(s.found.word, NOT_DECIDED);
    finish(&s);
}

static void below_the_probe_nothing_is_decided(void **state)
{
    struct sessions s;
    (void)state;
    sessions(&s, 1);
    both(&s, 0, 100, 100, .5);
    both(&s, 1, .1, .2, .5);
    s.now.traced->results[1].below_resolution = true;
    judge(&s, true);
    assert_int_equal(s.found.n_deciding, 1);
    assert_true(isnan(s.found.items[1].change));
    assert_non_null(strstr(s.found.items[1].reason, "probe"));
    finish(&s);
}

static void another_machine_is_not_comparable(void **state)
{
    struct sessions s;
    (void)state;
    sessions(&s, 1);
    both(&s, 0, 100, 100, 1);
    assert_int_equal(facts_add_text(&s.then, &s.then.machine, "cpu_model", "one"), TARE_OK);
    assert_int_equal(facts_add_text(&s.now, &s.now.machine, "cpu_model", "two"), TARE_OK);
    judge(&s, true);
    expect(&s, 0, NOT_COMPARABLE);
    assert_non_null(strstr(s.found.items[0].reason, "cpu_model"));
    finish(&s);
}

/* The interval of one of many that all stayed the same excludes 1 by chance; proven it is where it stands beside the others. */
static void what_one_of_many_arcs_shows_by_chance_agrees(void **state)
{
    (void)state;
    for (int strong = 0; strong < 2; strong++) {
        struct sessions s;
        sessions(&s, 1);
        for (int i = 0; i < MANY; i++)
            both(&s, i, 100, i ? 100 : strong ? 102 : 100.35, 1. / MANY);
        s.then.rule.margin = 1e-6;
        judge(&s, true);
        assert_int_equal(s.found.n_deciding, MANY);
        assert_true(s.found.items[0].low > 0); /* alone it would be a change */
        expect(&s, 0, strong ? DIFFERS : AGREES);
        if (!strong)
            assert_non_null(strstr(s.found.items[0].reason, "Benjamini"));
        finish(&s);
    }
}

/* Of sessions of one truth few have any arc that is said to differ: by chance alone, 5 in 100; 40 free words would make 87. */
static void sessions_of_one_truth_seldom_differ(void **state)
{
    enum { TIMES = 400 };
    struct rng rng = rng_seeded(7);
    int said = 0;
    (void)state;
    for (int k = 0; k < TIMES; k++) {
        struct sessions s;
        sessions(&s, 1);
        for (int i = 0; i < MANY; i++)
            both(&s, i, 100 * exp(.001 * rng_normal(&rng)), 100 * exp(.001 * rng_normal(&rng)), 1. / MANY);
        s.then.rule.margin = 1e-6;
        judge(&s, true);
        said += s.found.word == DIFFERS;
        finish(&s);
    }
    if (said > TIMES * .09 || said == 0)
        fail_msg("%d of %d sessions of one truth differ", said, TIMES);
}

/* ---- ratios of compared programs ---- */

struct ratio {
    enum verdict verdict;
    double shift;
    int reference;
};

static void add_ratio(struct record *r, int line, const struct ratio *q)
{
    int a = arc(r, 0, line, 0, 100, .001, 1), b = arc(r, 1, line, 0, 100 * exp(q->shift), .001, 1);
    const struct comparison c = {.reference = q->reference,
                                 .subject = 1,
                                 .metric = "arc",
                                 .kind = METRIC_TIME,
                                 .shift = q->shift,
                                 .low = q->shift - .002,
                                 .high = q->shift + .002,
                                 .confidence = .95,
                                 .level = .05,
                                 .margin = .01,
                                 .verdict = q->verdict,
                                 .beyond_margin = fabs(q->shift) > .02,
                                 .rounds = 20,
                                 .arc = b + 1,
                                 .reference_arc = a + 1};
    assert_true(record_add_comparison(r, &c) >= 0);
}

static void ratio_is(struct ratio then, struct ratio now, enum agreement word)
{
    struct sessions s;
    sessions(&s, 2);
    add_ratio(&s.then, 10, &then);
    add_ratio(&s.now, 50, &now);
    judge(&s, false);
    assert_int_equal(s.found.n_deciding, 1); /* both arcs by themselves are told beside */
    assert_int_equal(s.found.n, 3);
    assert_int_equal(s.found.items[0].reference, 0);
    expect(&s, 0, word);
    assert_int_equal(s.found.word, word);
    finish(&s);
}

static void ratios_are_held_against_ratios(void **state)
{
    (void)state;
    const struct ratio slower = {VERDICT_SLOWER, .05, 0}, faster = {VERDICT_FASTER, -.05, 0}, same = {VERDICT_SAME, .001, 0},
                       much = {VERDICT_SLOWER, .2, 0}, other = {VERDICT_SLOWER, .05, 1}, none = {VERDICT_INVALID, NAN, 0};
    ratio_is(slower, slower, AGREES);
    ratio_is(slower, faster, DIFFERS);
    ratio_is(same, slower, DIFFERS);
    ratio_is(slower, much, DIFFERS);
    ratio_is(slower, other, NOT_COMPARABLE);
    ratio_is(slower, none, NOT_COMPARABLE);
}

/* A file may say anything. */
static void comparisons_of_arcs_that_are_not_there_are_passed_over(void **state)
{
    struct sessions s;
    (void)state;
    sessions(&s, 1);
    both(&s, 0, 100, 100, 1);
    const struct comparison c = {.metric = "arc", .verdict = VERDICT_SAME, .arc = 77, .reference_arc = -3};
    assert_true(record_add_comparison(&s.then, &c) >= 0);
    assert_true(record_add_comparison(&s.now, &c) >= 0);
    judge(&s, false);
    assert_int_equal(s.found.n, 1);
    expect(&s, 0, AGREES);
    finish(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_arc_that_takes_as_long_as_then_agrees),
        cmocka_unit_test(an_arc_that_is_hit_more_often_differs_unless_its_time_is_given),
        cmocka_unit_test(a_changed_arc_is_drift_or_difference),
        cmocka_unit_test(an_arc_of_no_weight_decides_nothing),
        cmocka_unit_test(an_arc_that_is_gone_leaves_it_open_and_a_new_one_does_not),
        cmocka_unit_test(below_the_probe_nothing_is_decided),
        cmocka_unit_test(another_machine_is_not_comparable),
        cmocka_unit_test(what_one_of_many_arcs_shows_by_chance_agrees),
        cmocka_unit_test(sessions_of_one_truth_seldom_differ),
        cmocka_unit_test(ratios_are_held_against_ratios),
        cmocka_unit_test(comparisons_of_arcs_that_are_not_there_are_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
