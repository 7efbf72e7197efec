/* SPDX-License-Identifier: MIT
 *
 * The answer of a gate: its bounds against values enumerated elsewhere (all 2^n signs, all Walsh averages; the level of a second look by integrating the bivariate
 * normal law), Holm's steps where p is 2^-n by construction, and who is asked. Then several runners, and what a qualification says.
 */
#include "gate_answer.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const double near = 1e-12;

static void assert_near(double value, double wanted)
{
    if (!(fabs(value - wanted) <= near))
        fail_msg("%.15g, wanted %.15g", value, wanted);
}

static const double same[] = {.004, -.011, .013, .002, -.006, .017, -.003, .009, -.014, .006, .001, -.008};
static const double slower[] = {.031, .052, .044, .061, .038, .049};

/* Screened alone, in one look. */
static struct gate_case screened(const char *name, const double *d, int n)
{
    return (struct gate_case){.name = name, .limit = .02, .screen = d, .n_screen = n};
}

/* It looked slower, and was confirmed with the first n of `slower`. */
static struct gate_case confirmed(const char *name, int n)
{
    struct gate_case c = screened(name, slower, 6);
    gate_look(&c);
    c.confirm = slower;
    c.n_confirm = n;
    return c;
}

static struct gate_result only(const struct gate_case *c)
{
    struct gate_result r;
    gate_answer(c, 1, .05, &r);
    return r;
}

/* ---- bounds ---- */

static void bounds_are_those_of_the_signed_rank_test(void **state)
{
    (void)state;
    const struct gate_case c = screened("a", same, 12);
    const struct gate_result r = only(&c);
    assert_near(r.shift, .001);
    assert_near(r.low, -.0045);
    assert_near(r.high, .006);
    assert_int_equal(r.verdict, GATE_PASS);
}

static void a_second_look_has_what_the_first_one_left(void **state)
{
    (void)state;
    double d[16];
    memcpy(d, same, sizeof same);
    memcpy(d + 10, (const double[]){.005, -.004, .012, -.002, .007, -.009}, 6 * sizeof *d);
    struct gate_case c = screened("a", d, 10);
    gate_look(&c);
    assert_near(only(&c).high, .0095); /* at 2.025 % */
    c.n_screen = 16;
    const struct gate_result r = only(&c); /* at 1.048 %: 0.5 % more is spent */
    assert_near(r.shift, .0015);
    assert_near(r.low, -.0045);
    assert_near(r.high, .008);
}

static void a_benchmark_that_has_passed_stays_so(void **state)
{
    (void)state;
    double d[24];
    for (int i = 0; i < 24; i++)
        d[i] = i < 12 ? same[i] : same[i - 12] + .05;
    struct gate_case c = screened("a", d, 12);
    gate_look(&c);
    assert_int_equal(only(&c).verdict, GATE_PASS);
    c.n_screen = 24;
    assert_int_equal(only(&c).verdict, GATE_PASS);
}

static void rounds_like_their_neighbours_widen_the_bounds(void **state)
{
    (void)state;
    static const double d[] = {-.012, -.010, -.011, -.006, -.007, -.001, .001, .004, .003, .008, .010, .012};
    const struct gate_case c = screened("a", d, 12);
    const struct gate_result r = only(&c); /* worth 4 rounds: by 2.26971 */
    assert_true(fabs(r.low - -.0112137133) < 1e-8);
    assert_true(fabs(r.high - .0103485703) < 1e-8);
}

static void too_few_rounds_decide_nothing(void **state)
{
    (void)state;
    struct gate_case c = screened("a", slower, 4);
    c.limit = .1;
    struct gate_result r = only(&c);
    assert_int_equal(r.verdict, GATE_CANNOT_TELL);
    assert_true(isinf(r.high) && isinf(r.low) && isnan(r.decidable));
    c.n_screen = 5; /* 1/32 */
    r = only(&c);
    assert_int_equal(r.verdict, GATE_PASS);
    assert_near(r.high, .061);
}

/* ---- FAIL ---- */

static void only_the_confirmation_fails(void **state)
{
    (void)state;
    struct gate_case c = screened("a", slower, 6);
    gate_look(&c);
    struct gate_result r = only(&c);
    assert_true(r.nominated);
    assert_int_equal(r.verdict, GATE_CANNOT_TELL); /* however slow it looked */
    c = confirmed("a", 6);
    r = only(&c);
    assert_int_equal(r.verdict, GATE_FAIL);
    assert_near(r.low, .0375);
    assert_near(r.shift, .046);
    c.confirm = same;
    assert_int_not_equal(only(&c).verdict, GATE_FAIL);
}

static void what_was_not_nominated_never_fails(void **state)
{
    (void)state;
    struct gate_case c = screened("a", same, 12);
    gate_look(&c);
    c.confirm = slower;
    c.n_confirm = 6;
    assert_int_not_equal(only(&c).verdict, GATE_FAIL);
}

/* Six rounds on one side have p = 1/64, five 1/32. */
static void holm_goes_on_while_it_finds_something(void **state)
{
    (void)state;
    struct gate_case c[4];
    struct gate_result r[4];
    c[0] = confirmed("a", 6);
    c[1] = confirmed("b", 5);
    assert_int_equal(gate_answer(c, 2, .05, r), GATE_FAIL); /* 1/64 <= .05 / 2, then 1/32 <= .05 */
    assert_int_equal(r[0].verdict, GATE_FAIL);
    assert_int_equal(r[1].verdict, GATE_FAIL);
    c[2] = confirmed("c", 5);
    gate_answer(c, 3, .05, r); /* 1/64 <= .05 / 3, but 1/32 > .05 / 2 */
    assert_int_equal(r[0].verdict, GATE_FAIL);
    assert_int_equal(r[1].verdict, GATE_CANNOT_TELL);
    assert_int_equal(r[2].verdict, GATE_CANNOT_TELL);
    c[3] = confirmed("d", 5);
    assert_int_equal(gate_answer(c, 4, .05, r), GATE_CANNOT_TELL); /* 1/64 > .05 / 4 */
}

static void a_slowdown_must_exceed_what_layout_alone_did(void **state)
{
    (void)state;
    struct gate_case c = confirmed("a", 6);
    c.layout = .037;
    assert_int_equal(only(&c).verdict, GATE_FAIL);
    c.layout = .0375;
    assert_int_equal(only(&c).verdict, GATE_CANNOT_TELL);
    struct gate_result r = only(&c);
    assert_near(gate_largest(&c, 1, .05, &r), .0375);
    c.n_confirm = 0;
    r = only(&c);
    assert_true(isinf(gate_largest(&c, 1, .05, &r)));
}

/* ---- the whole ---- */

/* One process in seven takes five times as long: the estimate does not see it, and what all of them take is no pass. */
static void rare_slow_processes_are_no_pass(void **state)
{
    (void)state;
    double d[42];
    for (int i = 0; i < 42; i++)
        d[i] = (i % 2 ? .001 : -.001) + (i % 7 == 3 ? log(5) : 0);
    struct gate_case c = screened("rare", d, 42);
    const struct gate_result r = only(&c);
    assert_int_equal(r.verdict, GATE_CANNOT_TELL);
    assert_near(r.rare_mean, log(5) / 7);
    const double cost = 1;
    const struct gate_advice a = gate_advise(&c, &r, &cost, 1, 100, 0, .05);
    assert_int_equal(a.hopeless, 1); /* more rounds have their share of them too */
    assert_int_equal(a.rare, 1);
    for (int i = 3; i < 42; i += 14) /* the base has them too */
        d[i] -= 2 * log(5);
    assert_int_equal(only(&c).verdict, GATE_PASS);
}

static void all_must_pass(void **state)
{
    (void)state;
    struct gate_case c[3];
    struct gate_result r[3];
    for (int i = 0; i < 3; i++)
        c[i] = screened("a", same, 12);
    assert_int_equal(gate_answer(c, 3, .05, r), GATE_PASS);
    c[1].limit = .006; /* not below */
    assert_int_equal(gate_answer(c, 3, .05, r), GATE_CANNOT_TELL);
    assert_near(r[1].decidable, expm1(.006));
    c[2] = confirmed("b", 6);
    assert_int_equal(gate_answer(c, 3, .05, r), GATE_FAIL);
    c[0].failure = "exit code 1";
    assert_int_equal(gate_answer(c, 3, .05, r), GATE_NO_RESULT);
    assert_int_equal(r[2].verdict, GATE_FAIL);
}

static void nothing_measured_is_no_pass(void **state)
{
    (void)state;
    struct gate_case c = {.name = "a", .limit = .02};
    struct gate_result r;
    assert_int_equal(gate_answer(&c, 0, .05, &r), GATE_NO_RESULT);
    assert_int_equal(gate_answer(&c, 1, .05, &r), GATE_NO_RESULT);
    c = screened("a", same, 12);
    c.control = true;
    assert_int_equal(gate_answer(&c, 1, .05, &r), GATE_NO_RESULT);
    assert_int_equal(r.verdict, GATE_PASS); /* reported all the same */
}

static void accepted_slowdowns_and_controls_never_fail(void **state)
{
    (void)state;
    struct gate_case c[3];
    struct gate_result r[3];
    c[0] = screened("a", same, 12);
    c[1] = confirmed("b", 6);
    c[2] = confirmed("c", 6);
    c[1].accepted = c[2].control = true;
    assert_int_equal(gate_answer(c, 3, .05, r), GATE_PASS);
    bool nominated[3];
    gate_nominated(c, 3, nominated);
    assert_false(nominated[1] || nominated[2]);
    c[1].failure = "exit code 1"; /* accepted was that it is slower, not that it crashes */
    assert_int_equal(gate_answer(c, 3, .05, r), GATE_NO_RESULT);
}

/* ---- phases ---- */

static double rounds_needed(const struct gate_case *c)
{
    double rounds;
    gate_rounds_needed(c, 1, .05, &rounds);
    return rounds;
}

static void planned_rounds_need_the_scatter_and_the_distance(void **state)
{
    (void)state;
    struct gate_case c = screened("a", same, 12);
    gate_look(&c);
    assert_near(rounds_needed(&c), 0); /* passes */
    c.limit = .006;
    /* quantiles of 1 - .05 x .9 x .55 x .45 and .75: 2.9601, x 1.4826 x .0075 sqrt(pi / 36) / .005 = 1.945; 12 (1.945^2 - 1) = 33.4 */
    assert_near(rounds_needed(&c), 34);
    c.accepted = true; /* the answer does not depend on it */
    assert_true(isinf(rounds_needed(&c)));
    c.accepted = false;
    c.failure = "exit code 1";
    assert_true(isinf(rounds_needed(&c)));
    c = confirmed("a", 0);
    assert_near(rounds_needed(&c), 0); /* phase 3 has it */
    assert_true(gate_evidence(&c) > 0);
}

/* What is chosen fits, for as many rounds as were made, and what is cheap to decide comes first. */
static void the_second_phase_keeps_to_the_time(void **state)
{
    (void)state;
    struct gate_case c[3];
    bool chosen[3];
    const double cost[] = {1, 1, 1};
    for (int i = 0; i < 3; i++) {
        c[i] = screened("a", same, 12);
        gate_look(&c[i]);
    }
    c[0].limit = .005; /* needs 59 */
    c[1].limit = .006; /* 34 */
    assert_int_equal(gate_second(c, cost, 3, 1000, 1000, .05, chosen), 12);
    assert_true(chosen[0] && chosen[1] && !chosen[2]);
    assert_int_equal(gate_second(c, cost, 3, 20, 60, .05, chosen), 12);
    assert_true(!chosen[0] && chosen[1] && !chosen[2]);
    assert_int_equal(gate_second(c, cost, 3, 15, 60, .05, chosen), 12); /* a twentieth is kept */
    assert_near(gate_second_most(c, cost, 3, 30, 60, chosen, 12), 16);
    assert_near(gate_second_most(c, cost, 3, 15, 60, chosen, 12), 12); /* also of a machine that gets slower meanwhile */
    assert_int_equal(gate_second(c, cost, 3, 14, 60, .05, chosen), 0);
    for (int i = 0; i < 9; i++) {
        c[1].n_looks = i;
        assert_int_equal(gate_second(c, cost, 3, 20, 60, .05, chosen) > 0, true);
        assert_int_equal(chosen[1], i < GATE_LOOKS_MAX);
    }
}

static void the_third_phase_confirms_in_enough_rounds(void **state)
{
    (void)state;
    struct gate_case c[3];
    bool chosen[3];
    const double cost[] = {1, 1, 1};
    double wide[12];
    c[0] = confirmed("a", 0);
    c[1] = confirmed("b", 0);
    c[2] = screened("c", same, 12);
    c[1].limit = .03; /* less evident */
    assert_int_equal(gate_third(c, cost, 3, 60, .05, chosen), 30);
    assert_true(chosen[0] && chosen[1] && !chosen[2]);
    assert_int_equal(gate_third(c, cost, 3, 19, .05, chosen), 19);
    assert_true(chosen[0] && !chosen[1] && !chosen[2]);
    assert_int_equal(gate_third(c, cost, 3, 9, .05, chosen), 0);
    /* By the noise, however large the estimate is. */
    c[0] = screened("a", same, 12);
    for (int i = 0; i < 12; i++)
        wide[i] = .1 + 2 * same[i];
    c[0].screen = wide;
    assert_int_equal(gate_third(c, cost, 3, 1e6, .05, chosen), (int)gate_rounds_to_confirm(&c[0], .05));
    assert_true(gate_rounds_to_confirm(&c[0], .05) > 60);
}

static struct gate_advice advice_on(struct gate_case *c, int n, double total_s)
{
    static const double cost[] = {2, 1, 1};
    struct gate_result r[3];
    gate_answer(c, n, .05, r);
    return gate_advise(c, r, cost, n, 100, total_s, .05);
}

static void without_a_verdict_the_time_that_would_give_one_is_known(void **state)
{
    (void)state;
    struct gate_case c[3];
    for (int i = 0; i < 3; i++) {
        c[i] = screened("a", same, 12);
        gate_look(&c[i]);
    }
    struct gate_advice a = advice_on(c, 3, 110);
    assert_int_equal(a.open, 0);
    assert_true(isnan(a.time_s));
    c[0].limit = .006; /* needs 34 more */
    c[1].limit = .0011;
    a = advice_on(c, 3, 110);
    assert_int_equal(a.open, 2);
    assert_int_equal(a.hopeless, 1);
    assert_false(a.few);
    assert_near(a.time_s, 100 + 1.25 * 36 * 2);    /* the rounds are doubled: 12, 24, 48 */
    assert_near(advice_on(c, 3, 300).time_s, 300); /* no less than it had */
    a = advice_on(c + 1, 1, 110);
    assert_int_equal(a.hopeless, a.open);
    assert_true(isnan(a.time_s));
    c[1].limit = .00134; /* 12 (1.945 x .005 / .00034)^2: far more than a gate makes */
    assert_int_equal(advice_on(c + 1, 1, 110).hopeless, 1);
    c[2].n_screen = c[2].n_looks = 1; /* the fewest of all */
    a = advice_on(c, 3, 110);
    assert_true(a.few);
    assert_near(a.time_s, 1.25 * GATE_FIRST_FEWEST * 4);
}

/* What they share is found once for all, and there is room for some of it alone. */
static void many_cases_are_answered_as_each_alone(void **state)
{
    (void)state;
    enum { CASES = 42 };
    double d[6 + CASES], needed[CASES];
    struct gate_case c[CASES];
    struct gate_result r[CASES];
    bool nominated[CASES];
    for (int i = 0; i < 6 + CASES; i++)
        d[i] = same[i % 12] + .004 * (i % 7);
    for (int i = 0; i < CASES; i++) {
        c[i] = screened("a", d, 3 + i);
        gate_look(&c[i]);
        c[i].n_screen += 3;
    }
    gate_answer(c, CASES, .05, r);
    gate_nominated(c, CASES, nominated);
    gate_rounds_needed(c, CASES, .05, needed);
    for (int i = 0; i < CASES; i++) {
        const struct gate_result one = only(&c[i]);
        if (one.low != r[i].low || one.high != r[i].high || one.shift != r[i].shift || one.nominated != nominated[i] ||
            needed[i] != rounds_needed(&c[i]))
            fail_msg("%d rounds: %g to %g, alone %g to %g", c[i].n_screen, r[i].low, r[i].high, one.low, one.high);
    }
}

static void assert_as_anew(const struct gate_case *c)
{
    struct gate_case anew = *c;
    anew.found = NULL;
    for (int i = 0; i < 2; i++) { /* found, then known */
        const struct gate_result a = only(c), b = only(&anew);
        assert_true(a.low == b.low && a.high == b.high && a.shift == b.shift && a.nominated == b.nominated);
        assert_true(rounds_needed(c) == rounds_needed(&anew));
    }
}

static void what_was_found_holds_until_the_rounds_begin_anew(void **state)
{
    (void)state;
    struct gate_found found = {.n = 0};
    struct gate_case c = screened("a", same, 6);
    c.found = &found;
    for (; c.n_screen <= 12; c.n_screen += 2) {
        gate_look(&c);
        assert_as_anew(&c);
    }
    c.n_looks = 0;
    c.screen = slower;
    c.n_screen = 6;
    gate_look(&c);
    assert_as_anew(&c);
    assert_true(only(&c).nominated);
    c.confirm = slower;
    c.n_confirm = 6;
    assert_as_anew(&c);
}

/* ---- runners ---- */

static enum gate_verdict merge(const struct gate_case *a, int n, const struct gate_case *b, int m, struct gate_merged *out)
{
    const struct gate_runner runners[] = {{a, n}, {b, m}};
    int found;
    const enum gate_verdict v = gate_merge(runners, 2, .05, out, &found);
    assert_int_equal(found, n > m ? n : m);
    return v;
}

static void a_slowdown_must_hold_on_every_runner(void **state)
{
    (void)state;
    struct gate_case a = confirmed("a", 6), b = confirmed("a", 6);
    struct gate_merged m[4];
    assert_int_equal(merge(&a, 1, &b, 1, m), GATE_FAIL);
    assert_int_equal(m[0].failed, 2);
    b = screened("a", same, 12);
    assert_int_equal(merge(&a, 1, &b, 1, m), GATE_CANNOT_TELL);
    assert_int_equal(m[0].failed, 1);
    assert_true(m[0].passes);
    assert_int_equal(merge(&a, 1, NULL, 0, m), GATE_FAIL); /* the other one does not have it */
}

static void one_runner_that_shows_it_or_all_that_do_pass(void **state)
{
    (void)state;
    struct gate_case a = screened("a", same, 12), b = screened("a", same, 4);
    struct gate_merged m[4];
    assert_int_equal(merge(&a, 1, &b, 1, m), GATE_PASS);
    a = screened("a", same, 5);
    a.limit = .018;
    assert_int_equal(only(&a).verdict, GATE_PASS); /* at 1/32, which is above .05 / 2 */
    assert_int_equal(merge(&a, 1, &b, 1, m), GATE_CANNOT_TELL);
    b = a; /* both at .05 */
    assert_int_equal(merge(&a, 1, &b, 1, m), GATE_PASS);
    assert_near(m[0].result.high, only(&a).high);
    a = screened("a", same, 12);
    b = confirmed("a", 0); /* nominated there, and not cleared */
    assert_int_equal(merge(&a, 1, &b, 1, m), GATE_CANNOT_TELL);
    b = (struct gate_case){.name = "a", .limit = .02, .failure = "exit code 1"};
    assert_int_equal(merge(&a, 1, &b, 1, m), GATE_NO_RESULT);
}

/* However many there are, and though none of them shows it alone. */
static void all_of_many_runners_pass_together(void **state)
{
    (void)state;
    struct gate_case a = screened("a", same, 5);
    struct gate_runner runners[GATE_RUNNERS_MOST];
    struct gate_merged m[GATE_RUNNERS_MOST];
    int found;
    a.limit = .018;
    for (int k = 0; k < GATE_RUNNERS_MOST; k++) {
        runners[k] = (struct gate_runner){&a, 1};
        assert_int_equal(gate_merge(runners, k + 1, .05, m, &found), GATE_PASS);
        assert_int_equal(found, 1);
        assert_near(m[0].result.high, only(&a).high);
    }
}

/* No rounds are needed there: it is not slower on that runner, which does not tell how it is on others. */
static void a_runner_with_equal_builds_passes(void **state)
{
    (void)state;
    struct gate_case a = confirmed("a", 6);
    const struct gate_case equal = {.name = "a", .limit = .02, .equal = true};
    struct gate_merged m[4];
    assert_int_equal(only(&equal).verdict, GATE_PASS);
    assert_int_equal(merge(&a, 1, &equal, 1, m), GATE_CANNOT_TELL);
    assert_int_equal(m[0].failed, 1);
    a = screened("a", same, 4);
    assert_int_equal(only(&a).verdict, GATE_CANNOT_TELL);
    assert_int_equal(merge(&a, 1, &equal, 1, m), GATE_CANNOT_TELL);
    a = screened("a", same, 5);
    assert_int_equal(only(&a).verdict, GATE_PASS);
    assert_int_equal(merge(&a, 1, &equal, 1, m), GATE_PASS);
    assert_near(m[0].result.high, only(&a).high);
    assert_near(m[0].result.shift, only(&a).shift);
}

/* ---- qualification ---- */

static void false_positives_have_exact_limits(void **state)
{
    (void)state;
    struct gate_trial t[20];
    struct gate_qualified q;
    for (int i = 0; i < 20; i++)
        t[i] = (struct gate_trial){.verdict = i < 15   ? GATE_PASS
                                              : i < 19 ? GATE_CANNOT_TELL
                                                       : GATE_FAIL,
                                   .largest = i ? -INFINITY : .031};
    gate_qualify(t, 20, &q);
    assert_int_equal(q.equal, 20);
    assert_int_equal(q.passed, 15);
    assert_int_equal(q.undecided, 4);
    assert_int_equal(q.failed, 1);
    assert_true(fabs(q.false_positive.low - .0012650895) < 1e-9 &&
                fabs(q.false_positive.high - .2487328) < 1e-7); /* of 1 in 20 */
    assert_near(q.layout, .031);
    assert_near(q.exceeded, 1. / 21);
    assert_true(isnan(q.seen));
    t[3].verdict = GATE_NO_RESULT;
    gate_qualify(t, 20, &q);
    assert_int_equal(q.equal, 19);
}

/* Of ten each: 2 % named twice, 3 % nine times, 4 % eight times, 5 % and 8 % always. 3 and 4 % are pooled: 17 of 20. */
static void the_smallest_slowdown_seen_is_that_of_a_rising_share(void **state)
{
    (void)state;
    static const double sizes[] = {.05, .02, .08, .03, .04};
    static const int named[] = {10, 2, 10, 9, 8};
    struct gate_trial t[50];
    struct gate_qualified q;
    for (int i = 0; i < 50; i++)
        t[i] = (struct gate_trial){.planted = sizes[i % 5], .named = i / 5 < named[i % 5]};
    gate_qualify(t, 50, &q);
    assert_near(q.seen, .05);
    assert_int_equal(q.seen_named, 10);
    assert_int_equal(q.seen_n, 10);
    assert_true(fabs(q.seen_share.low - .6915028921) < 1e-9 && q.seen_share.high == 1); /* .025^(1/10) */
    assert_int_equal(q.equal, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_are_those_of_the_signed_rank_test),
        cmocka_unit_test(a_second_look_has_what_the_first_one_left),
        cmocka_unit_test(a_benchmark_that_has_passed_stays_so),
        cmocka_unit_test(rounds_like_their_neighbours_widen_the_bounds),
        cmocka_unit_test(too_few_rounds_decide_nothing),
        cmocka_unit_test(only_the_confirmation_fails),
        cmocka_unit_test(what_was_not_nominated_never_fails),
        cmocka_unit_test(holm_goes_on_while_it_finds_something),
        cmocka_unit_test(a_slowdown_must_exceed_what_layout_alone_did),
        cmocka_unit_test(rare_slow_processes_are_no_pass),
        cmocka_unit_test(all_must_pass),
        cmocka_unit_test(nothing_measured_is_no_pass),
        cmocka_unit_test(accepted_slowdowns_and_controls_never_fail),
        cmocka_unit_test(planned_rounds_need_the_scatter_and_the_distance),
        cmocka_unit_test(the_second_phase_keeps_to_the_time),
        cmocka_unit_test(the_third_phase_confirms_in_enough_rounds),
        cmocka_unit_test(without_a_verdict_the_time_that_would_give_one_is_known),
        cmocka_unit_test(many_cases_are_answered_as_each_alone),
        cmocka_unit_test(what_was_found_holds_until_the_rounds_begin_anew),
        cmocka_unit_test(a_slowdown_must_hold_on_every_runner),
        cmocka_unit_test(one_runner_that_shows_it_or_all_that_do_pass),
        cmocka_unit_test(all_of_many_runners_pass_together),
        cmocka_unit_test(a_runner_with_equal_builds_passes),
        cmocka_unit_test(false_positives_have_exact_limits),
        cmocka_unit_test(the_smallest_slowdown_seen_is_that_of_a_rising_share),
    };
    return cmocka_run_group_tests_name("gate: the answer", tests, NULL, NULL);
}
