/* SPDX-License-Identifier: MIT
 * The search of tare history bisect: it ends at the commit of the change, passes over what cannot be compared, and is wrong no oftener than it may be. */
#include "bisect_search.h"
#include "rng.h"
#include "rng_normal.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>
#include <tare/stats.h>

enum { ROOM = 200 };

/* Every comparison tells the truth: the change is at `change`. Returns how many there were. */
static int search(struct bisect_search *s, int change, double shift)
{
    int n = 0;
    bisect_begin(s);
    for (int at; (at = bisect_next(s)) >= 0; n++) {
        const bool differs = at >= change && s->good < change;
        bisect_answer(s, at, differs, differs ? shift : 0, differs ? shift : 0);
    }
    return n;
}

static void each_commit_is_found_in_as_many_comparisons_as_planned(void **state)
{
    bool skipped[ROOM] = {false};
    (void)state;
    for (int bad = 1; bad < 70; bad++)
        for (int change = 1; change <= bad; change++) {
            struct bisect_search s = {.good = 0, .bad = bad, .margin = 0.01, .error = 0.05, .skipped = skipped};
            assert_true(search(&s, change, change % 2 ? 0.2 : -0.2) <= s.planned);
            assert_int_equal(s.bad, change);
            assert_int_equal(s.good, change - 1);
            assert_true(2 * s.planned * s.level <= 0.05 * (1 + 1e-12));
        }
}

static void what_cannot_be_compared_is_left_in_the_answer(void **state)
{
    bool skipped[ROOM] = {false};
    (void)state;
    for (int i = 8; i < 12; i++)
        skipped[i] = true;
    struct bisect_search s = {.good = 0, .bad = 20, .error = 0.05, .skipped = skipped};
    search(&s, 10, 0.2);
    assert_int_equal(s.good, 7);
    assert_int_equal(s.bad, 12);
    s = (struct bisect_search){.good = 0, .bad = 20, .error = 0.05, .skipped = skipped};
    search(&s, 5, 0.2);
    assert_int_equal(s.good, 4);
    assert_int_equal(s.bad, 5);
}

/* Else all comparisons together err more often than they may. */
static void what_cannot_be_compared_costs_no_comparison(void **state)
{
    struct rng r = rng_seeded(21);
    (void)state;
    for (int i = 0; i < 20000; i++) {
        bool skipped[ROOM] = {false};
        const int bad = 2 + (int)rng_below(&r, 130), change = 1 + (int)rng_below(&r, (uint64_t)bad);
        const uint64_t share = rng_below(&r, 10);
        for (int k = 1; k < bad; k++)
            skipped[k] = rng_below(&r, 10) < share;
        struct bisect_search s = {.good = 0, .bad = bad, .margin = 0.01, .error = 0.05, .skipped = skipped};
        assert_true(search(&s, change, 0.2) <= s.planned);
        assert_true(s.good < change && change <= s.bad);
    }
}

static void without_a_change_between_the_ends_nothing_is_searched(void **state)
{
    bool skipped[ROOM] = {false};
    (void)state;
    struct bisect_search s = {.good = 0, .bad = 20, .error = 0.05, .skipped = skipped};
    assert_int_equal(search(&s, 100, 0), 1);
    assert_true(s.none);
}

static void steps_tell_two_levels_apart_and_no_more(void **state)
{
    bool skipped[ROOM] = {false};
    (void)state;
    struct bisect_search s = {.good = 0, .bad = 20, .margin = 0.01, .error = 0.05, .skipped = skipped};
    bisect_begin(&s);
    bisect_answer(&s, 20, true, 0.2, 0.19);
    assert_true(fabs(s.margin - expm1(0.1)) < 1e-12);
    s = (struct bisect_search){.good = 0, .bad = 20, .margin = 0.01, .error = 0.05, .skipped = skipped};
    bisect_begin(&s);
    bisect_answer(&s, 20, true, 0.012, 0.011);
    assert_true(s.margin == 0.01);
    s = (struct bisect_search){.good = 0, .bad = 20, .margin = 0.01, .error = 0.05, .skipped = skipped};
    bisect_begin(&s);
    bisect_answer(&s, 20, true, -0.012, -0.008);
    assert_true(fabs(s.margin - expm1(0.008)) < 1e-12);
}

/* ---- with noise ---- */

enum answer { SAME, DIFFERS, OPEN };

/* A measurement with a standard error, by the rule of a verdict: the interval excludes 0 and is not within the margin, or is within it. */
static enum answer compare(const struct bisect_search *s, double truth, double error, struct rng *r, double *shift, double *least)
{
    const double half = tare_normal_quantile(1 - s->level / 2) * error;
    *shift = truth + error * rng_normal(r);
    *least = fabs(*shift) - half;
    if (fabs(*shift) + half <= log1p(s->margin))
        return SAME;
    return fabs(*shift) > half ? DIFFERS : OPEN;
}

/* 1: a wrong commit, or none at all; 0: the right one; -1: not decided. */
static int search_with_noise(int bad, int change, double truth, double error, struct rng *r)
{
    bool skipped[ROOM] = {false};
    struct bisect_search s = {.good = 0, .bad = bad, .margin = 0.01, .error = 0.05, .skipped = skipped};
    bisect_begin(&s);
    for (int at; (at = bisect_next(&s)) >= 0;) {
        const double between = at >= change && s.good < change ? truth : 0;
        double shift, least;
        enum answer a = compare(&s, between, error, r, &shift, &least);
        if (a == OPEN)
            a = compare(&s, between, error / 2, r, &shift, &least);
        if (a == OPEN)
            return -1;
        bisect_answer(&s, at, a == DIFFERS, shift, least);
    }
    return s.none ? fabs(truth) > log1p(0.01) : s.bad != change;
}

static void a_wrong_answer_is_no_oftener_than_its_error(void **state)
{
    static const struct {
        double truth, noise;
    } worlds[] = {{0.05, 0.005},  {0.05, 0.01},   {0.05, 0.02},   {0.05, 0.03},   {0.003, 0.0003},
                  {0.003, 0.001}, {0.006, 0.001}, {0.006, 0.002}, {0.012, 0.001}, {0.012, 0.003}}; /* margin: 0.01 */
    enum { SEARCHES = 20000 };
    struct rng r = rng_seeded(22);
    (void)state;
    for (size_t k = 0; k < sizeof worlds / sizeof *worlds; k++) {
        int wrong = 0, open = 0;
        for (int i = 0; i < SEARCHES; i++) {
            const int found = search_with_noise(64, 1 + i % 64, i % 2 ? worlds[k].truth : -worlds[k].truth, worlds[k].noise, &r);
            wrong += found > 0;
            open += found < 0;
        }
        print_message("%.3f, noise %.4f: %d wrong, %d not decided of %d\n", worlds[k].truth, worlds[k].noise, wrong, open,
                      SEARCHES);
        assert_true(wrong <= 0.05 * SEARCHES);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_commit_is_found_in_as_many_comparisons_as_planned),
                                       cmocka_unit_test(what_cannot_be_compared_is_left_in_the_answer),
                                       cmocka_unit_test(what_cannot_be_compared_costs_no_comparison),
                                       cmocka_unit_test(without_a_change_between_the_ends_nothing_is_searched),
                                       cmocka_unit_test(steps_tell_two_levels_apart_and_no_more),
                                       cmocka_unit_test(a_wrong_answer_is_no_oftener_than_its_error)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
