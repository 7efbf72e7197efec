/* SPDX-License-Identifier: MIT
 *
 * A session and its repetition: the interval of the change, the three words, and how often the second session of the same truth is said to
 * differ.
 */
#include "analyse.h"
#include "analyse_stored.h"
#include "rng.h"
#include "rng_normal.h"
#include "tabled_record.h"
#include <math.h>
#include <tare/stats.h>

/* ---- the interval of the change ---- */

static void the_change_is_known_by_the_squares_of_both_distances(void **state)
{
    (void)state;
    /* by hand: distances 3 and 4 downwards, 6 and 8 upwards */
    const struct repeated_side then = {.shift = 1, .low = -7, .high = 4}, now = {.shift = 2, .low = -2, .high = 8};
    double change, low, high;
    assert_true(analyse_shift_change(&then, &now, &change, &low, &high));
    assert_close(change, 1, 1e-15);
    assert_close(low, 1 - 5, 1e-15);
    assert_close(high, 1 + 10, 1e-15);
}

static void no_interval_on_one_side_gives_none(void **state)
{
    (void)state;
    const struct repeated_side open = {.shift = 1, .low = -INFINITY, .high = INFINITY},
                               closed = {.shift = 2, .low = 1, .high = 3};
    double change, low = 7, high = 7;
    assert_false(analyse_shift_change(&open, &closed, &change, &low, &high));
    assert_false(analyse_shift_change(&closed, &open, &change, &low, &high));
    assert_close(change, -1, 1e-15);
    assert_close(low, 7, 0);
}

/* ---- the words ---- */

struct sessions {
    struct record then, now;
    struct repetition found;
    struct arena arena;
};

static void add_verdict(struct record *r, enum verdict v, double shift, double half, bool beyond)
{
    const struct comparison c = {.reference = 0,
                                 .subject = 1,
                                 .metric = "wall",
                                 .kind = METRIC_TIME,
                                 .shift = shift,
                                 .low = shift - half,
                                 .high = shift + half,
                                 .confidence = .95,
                                 .level = .05,
                                 .margin = .01,
                                 .verdict = v,
                                 .beyond_margin = beyond,
                                 .rounds = 8};
    assert_true(record_add_comparison(r, &c) >= 0);
}

static void two_sessions(struct sessions *s, int commands)
{
    static const double values[] = {100, 101, 102, 103, 104, 105, 106, 107, 100, 101, 102, 103, 104, 105, 106, 107};
    *s = (struct sessions){0};
    tabled_record(&s->then, "wall", commands, 8, values);
    tabled_record(&s->now, "wall", commands, 8, values);
}

static const struct repeated *judged(struct sessions *s, bool assume)
{
    struct tare_err err = {""};
    if (analyse_repetition(&s->found, &s->then, &s->now, assume, &s->arena, &err))
        fail_msg("%s", err.text);
    assert_true(s->found.n > 0);
    return &s->found.items[0];
}

static void finish(struct sessions *s)
{
    record_finish(&s->then);
    record_finish(&s->now);
    arena_finish(&s->arena);
}

struct claim {
    enum verdict verdict;
    double shift, half;
    bool beyond;
};

static void expect(struct claim then, struct claim now, enum agreement word)
{
    struct sessions s;
    two_sessions(&s, 2);
    add_verdict(&s.then, then.verdict, then.shift, then.half, then.beyond);
    add_verdict(&s.now, now.verdict, now.shift, now.half, now.beyond);
    const struct repeated *p = judged(&s, false);
    if (p->word != word || s.found.word != word)
        fail_msg("%s against %s: %s, expected %s", verdict_name(now.verdict), verdict_name(then.verdict), agreement_name(p->word),
                 agreement_name(word));
    assert_int_equal(s.found.n_deciding, 1);
    finish(&s);
}

static void verdicts_that_contradict_differ(void **state)
{
    (void)state;
    const struct claim slower = {VERDICT_SLOWER, .02, .015, false}, faster = {VERDICT_FASTER, -.02, .015, false};
    const struct claim same = {VERDICT_SAME, 0, .005, false}, much = {VERDICT_SLOWER, .03, .015, true};
    expect(slower, faster, DIFFERS);
    expect(faster, slower, DIFFERS);
    expect(same, much, DIFFERS);
    expect(much, same, DIFFERS);
}

static void verdicts_that_may_both_be_true_agree(void **state)
{
    (void)state;
    const struct claim slower = {VERDICT_SLOWER, .008, .006, false}, same = {VERDICT_SAME, .004, .005, false};
    const struct claim open = {VERDICT_UNDECIDED, -.01, .05, false}, much = {VERDICT_SLOWER, .03, .01, true};
    expect(slower, same, AGREES);
    expect(same, slower, AGREES);
    expect(open, much, AGREES);
    expect(much, much, AGREES);
}

static void another_size_differs_unless_it_is_within_the_margin(void **state)
{
    (void)state;
    const struct claim much = {VERDICT_SLOWER, .10, .01, true}, more = {VERDICT_SLOWER, .20, .01, true};
    const struct claim exact = {VERDICT_SLOWER, .100, .001, true}, near = {VERDICT_SLOWER, .105, .001, true};
    expect(much, more, DIFFERS);
    expect(exact, near, AGREES); /* proven to have changed, by half the margin */
}

static void no_interval_is_undecided_and_invalid_not_comparable(void **state)
{
    (void)state;
    const struct claim slower = {VERDICT_SLOWER, .02, .01, false}, invalid = {VERDICT_INVALID, NAN, NAN, false};
    const struct claim few = {VERDICT_UNDECIDED, .02, INFINITY, false};
    expect(slower, invalid, NOT_COMPARABLE);
    expect(slower, few, NOT_DECIDED);
    expect(few, slower, NOT_DECIDED);
}

static void on_another_machine_only_words_count(void **state)
{
    (void)state;
    struct sessions s;
    two_sessions(&s, 2);
    add_verdict(&s.then, VERDICT_SLOWER, .10, .01, true);
    add_verdict(&s.now, VERDICT_SLOWER, .20, .01, true);
    assert_int_equal(facts_add_text(&s.then, &s.then.machine, "cpu_brand", "one"), TARE_OK);
    assert_int_equal(facts_add_text(&s.now, &s.now.machine, "cpu_brand", "other"), TARE_OK);
    assert_int_equal(judged(&s, false)->word, NOT_DECIDED);
    assert_string_equal(s.found.machine, "cpu_brand 'one' and 'other'");
    record_clear_results(&s.now);
    add_verdict(&s.now, VERDICT_FASTER, -.20, .01, true);
    assert_int_equal(judged(&s, false)->word, DIFFERS);
    finish(&s);
}

static void one_command_differs_only_under_an_assumption(void **state)
{
    (void)state;
    struct sessions s;
    two_sessions(&s, 1);
    const struct repeated *p = judged(&s, false);
    assert_int_equal(p->reference, -1);
    assert_int_equal(p->word, AGREES);
    for (int i = 0; i < 8; i++)
        s.now.series[0].main.value[0][i] *= 1.2;
    p = judged(&s, false);
    assert_int_equal(p->word, NOT_DECIDED);
    assert_close(p->change, log(1.2), 1e-12);
    assert_int_equal(judged(&s, true)->word, DIFFERS);
    finish(&s);
}

static void programs_that_changed_are_listed(void **state)
{
    (void)state;
    struct sessions s;
    two_sessions(&s, 1);
    assert_int_equal(facts_add_text(&s.then, &s.then.build, "program_1_fnv1a64", "aa"), TARE_OK);
    assert_int_equal(facts_add_text(&s.now, &s.now.build, "program_1_fnv1a64", "bb"), TARE_OK);
    assert_int_equal(facts_add_text(&s.now, &s.now.build, "program_1_modified", "today"), TARE_OK);
    judged(&s, false);
    assert_string_equal(s.found.programs, "program_1_fnv1a64 'aa' and 'bb'");
    finish(&s);
}

/* ---- benchmarks ---- */

/* All of one program; those after the first are compared with it, but for the last. */
static void as_benchmarks(struct record *r)
{
    for (int i = 0; i < r->n_subjects; i++) {
        struct subject *s = &r->subjects[i];
        s->kind = SUBJECT_BENCH;
        s->program = "mine";
        s->benchmark = s->group = s->name;
        s->reference = i && i < r->n_subjects - 1 ? 0 : -1;
    }
}

static void add_comparison(struct record *r, int reference, int subject, enum verdict v, double shift, double half)
{
    const struct comparison c = {.reference = reference,
                                 .subject = subject,
                                 .metric = "wall",
                                 .kind = METRIC_TIME,
                                 .shift = shift,
                                 .low = shift - half,
                                 .high = shift + half,
                                 .confidence = .95,
                                 .level = .05,
                                 .margin = .01,
                                 .verdict = v,
                                 .rounds = 8};
    assert_true(record_add_comparison(r, &c) >= 0);
}

static const struct repeated *claim_of(const struct sessions *s, const char *name)
{
    for (int i = 0; i < s->found.n_deciding; i++)
        if (!strcmp(s->found.items[i].name, name))
            return &s->found.items[i];
    fail_msg("%s is no claim", name);
    return NULL;
}

static void two_of_benchmarks(struct sessions *s)
{
    static const double values[24] = {100, 101, 102, 103, 104, 105, 106, 107, 100, 101, 102, 103,
                                      104, 105, 106, 107, 100, 101, 102, 103, 104, 105, 106, 107};
    *s = (struct sessions){0};
    tabled_record(&s->then, "wall", 3, 8, values);
    tabled_record(&s->now, "wall", 3, 8, values);
    as_benchmarks(&s->then);
    as_benchmarks(&s->now);
    add_comparison(&s->then, 0, 1, VERDICT_SLOWER, .05, .004);
}

static void rename_to(struct subject *s, const char *name)
{
    s->name = s->benchmark = s->command = name;
}

static void benchmarks_go_by_their_names_and_each_is_a_claim(void **state)
{
    (void)state;
    struct sessions s;
    two_of_benchmarks(&s);
    rename_to(&s.now.subjects[0], "c");
    rename_to(&s.now.subjects[1], "a");
    rename_to(&s.now.subjects[2], "b");
    s.now.subjects[2].reference = 1;
    s.now.subjects[1].reference = -1;
    add_comparison(&s.now, 1, 2, VERDICT_SLOWER, .05, .004);
    judged(&s, false);
    assert_int_equal(s.found.word, AGREES);
    assert_int_equal(s.found.n_deciding, 2);
    assert_int_equal(claim_of(&s, "b")->subject, 2);
    assert_int_equal(claim_of(&s, "b")->reference, 1);
    assert_int_equal(claim_of(&s, "c")->subject, 0);
    assert_int_equal(claim_of(&s, "c")->reference, -1);
    finish(&s);
}

static void what_is_gone_is_undecided_and_another_reference_not_comparable(void **state)
{
    (void)state;
    struct sessions s;
    two_of_benchmarks(&s);
    add_comparison(&s.now, 0, 1, VERDICT_SLOWER, .05, .004);
    rename_to(&s.now.subjects[2], "d");
    judged(&s, false);
    assert_int_equal(s.found.word, NOT_DECIDED);
    assert_int_equal(claim_of(&s, "b")->word, AGREES);
    assert_int_equal(claim_of(&s, "c")->subject, -1);
    assert_int_equal(claim_of(&s, "c")->word, NOT_DECIDED);
    record_clear_results(&s.now);
    add_comparison(&s.now, 2, 1, VERDICT_SLOWER, .05, .004);
    judged(&s, false);
    assert_int_equal(claim_of(&s, "b")->word, NOT_COMPARABLE);
    finish(&s);
}

/* As exit codes do: not comparable before differs before undecided. */
static void of_several_claims_the_worst_decides(void **state)
{
    (void)state;
    struct sessions s;
    two_of_benchmarks(&s);
    add_comparison(&s.now, 0, 1, VERDICT_FASTER, -.05, .004);
    rename_to(&s.now.subjects[2], "d");
    judged(&s, false);
    assert_int_equal(claim_of(&s, "b")->word, DIFFERS);
    assert_int_equal(claim_of(&s, "c")->word, NOT_DECIDED);
    assert_int_equal(s.found.word, DIFFERS);
    record_clear_results(&s.now);
    add_comparison(&s.now, 0, 1, VERDICT_INVALID, NAN, NAN);
    judged(&s, false);
    assert_int_equal(s.found.word, NOT_COMPARABLE);
    finish(&s);
}

static void what_was_given_up_then_claimed_nothing(void **state)
{
    (void)state;
    struct sessions s;
    two_of_benchmarks(&s);
    add_comparison(&s.now, 0, 1, VERDICT_SLOWER, .05, .004);
    s.then.subjects[2].failure = "skipped: no time";
    judged(&s, false);
    assert_int_equal(s.found.n_deciding, 1);
    assert_int_equal(s.found.word, AGREES);
    s.then.subjects[2].failure = NULL;
    s.now.subjects[2].failure = "crashed";
    judged(&s, false);
    assert_int_equal(s.found.word, NOT_COMPARABLE);
    assert_string_equal(claim_of(&s, "c")->reason, "it was given up: crashed");
    finish(&s);
}

/* Two comparisons at once: by the normal law each interval of 95 % must become one of 97.5 %. */
static void intervals_of_several_benchmarks_are_as_wide_as_all_of_them_need(void **state)
{
    (void)state;
    struct sessions s;
    two_of_benchmarks(&s);
    add_comparison(&s.then, 0, 2, VERDICT_SLOWER, .05, .004);
    add_comparison(&s.now, 0, 1, VERDICT_SLOWER, .05, .003);
    add_comparison(&s.now, 0, 2, VERDICT_SLOWER, .05, .003);
    judged(&s, false);
    const double factor = 2.241402727604947 / 1.959963984540054; /* z(.9875) and z(.975) */
    assert_close(claim_of(&s, "b")->high, factor * .005, 1e-9);
    s.then.rule.correction = CORRECTION_NONE;
    judged(&s, false);
    assert_close(claim_of(&s, "b")->high, .005, 1e-9);
    finish(&s);
}

/* ---- how often ---- */

/* A session of n rounds whose paired differences are normal around the truth; every tenth scatters three times as much. */
static struct repeated_side simulated(struct rng *g, int n, double truth, double sd)
{
    double d[64];
    double scratch[4096];
    struct tare_interval i;
    assert_true(tare_hl_scratch_bytes(n) <= sizeof scratch);
    for (int k = 0; k < n; k++) {
        d[k] = truth + sd * rng_normal(g) * (k % 10 ? 1 : 3);
    }
    assert_int_equal(tare_hl_ci_walsh(d, n, .05, scratch, &i), TARE_OK);
    return (struct repeated_side){.shift = i.point, .low = i.low, .high = i.high, .rounds = n};
}

/* Two sessions of unequal length and spread: the interval of the change holds the true one as often as it promises, within the limits
 * of a binomial law that an honest one leaves once in a thousand times. */
static void the_interval_of_the_change_holds_the_truth_as_promised(void **state)
{
    (void)state;
    enum { TRIALS = 4000 };
    struct rng g = rng_seeded(20261121);
    int held = 0;
    for (int i = 0; i < TRIALS; i++) {
        struct repeated_side then = simulated(&g, 12, .02, .01), now = simulated(&g, 40, .05, .03);
        double change, low, high;
        assert_true(analyse_shift_change(&then, &now, &change, &low, &high));
        held += low <= .03 && high >= .03;
    }
    int least = 0;
    while (tare_binomial_cdf(least, TRIALS, .95) < .001)
        least++;
    if (held < least || held > TRIALS * .985)
        fail_msg("held %d times of %d, at least %d promised", held, TRIALS, least);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_change_is_known_by_the_squares_of_both_distances),
        cmocka_unit_test(no_interval_on_one_side_gives_none),
        cmocka_unit_test(verdicts_that_contradict_differ),
        cmocka_unit_test(verdicts_that_may_both_be_true_agree),
        cmocka_unit_test(another_size_differs_unless_it_is_within_the_margin),
        cmocka_unit_test(no_interval_is_undecided_and_invalid_not_comparable),
        cmocka_unit_test(on_another_machine_only_words_count),
        cmocka_unit_test(one_command_differs_only_under_an_assumption),
        cmocka_unit_test(programs_that_changed_are_listed),
        cmocka_unit_test(benchmarks_go_by_their_names_and_each_is_a_claim),
        cmocka_unit_test(what_is_gone_is_undecided_and_another_reference_not_comparable),
        cmocka_unit_test(of_several_claims_the_worst_decides),
        cmocka_unit_test(what_was_given_up_then_claimed_nothing),
        cmocka_unit_test(intervals_of_several_benchmarks_are_as_wide_as_all_of_them_need),
        cmocka_unit_test(the_interval_of_the_change_holds_the_truth_as_promised),
    };
    return cmocka_run_group_tests_name("repetition", tests, NULL, NULL);
}
