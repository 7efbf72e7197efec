/* SPDX-License-Identifier: MIT
 *
 * Changes in histories whose answer is known, and the edges of what is accepted. What is promised of noise is in changes_sim_test.c.
 */
#include "changes.h"
#include "history_models.h"
#include "rng.h"
#include "rng_normal.h"
#include "stats_test.h"

enum { MOST = 1000, ROOM = 40 };

static double x[MOST];
static struct stats_change changes[ROOM];
static struct stats_changes found;

static enum tare_status look(int n, double least)
{
    void *scratch = malloc(stats_changes_scratch_bytes(n) + 1);
    assert_non_null(scratch);
    const enum tare_status status = stats_changes(x, n, least, 0, scratch, changes, ROOM, &found);
    free(scratch);
    return status;
}

/* Noise of a thousandth about the levels. */
static void levels(int n, int at, double before, double after)
{
    struct rng r = rng_seeded(7);
    for (int i = 0; i < n; i++)
        x[i] = (i < at ? before : after) * (1 + .001 * rng_normal(&r));
}

static void assert_course(int n, double least, enum stats_course course)
{
    assert_int_equal(look(n, least), TARE_OK);
    if (found.course != course)
        print_error("%d values: course %d with %td changes, expected %d\n", n, (int)found.course, found.n, (int)course);
    assert_int_equal(found.course, course);
    assert_true((found.n > 0) == (course == STATS_COURSE_STEPS));
    assert_true(!isnan(found.drift) == (course == STATS_COURSE_DRIFT));
}

static void a_step_is_found_where_it_is(void **state)
{
    (void)state;
    const int places[] = {3, 4, 30, 50, 95, 96, 97};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        levels(100, places[i], 250, 275);
        assert_course(100, .01, STATS_COURSE_STEPS);
        assert_int_equal(found.n, 1);
        assert_int_equal(changes[0].at, places[i]);
        assert_true(changes[0].first == places[i] && changes[0].last == places[i]);
        assert_close(changes[0].before, 250, .002);
        assert_close(changes[0].after, 275, .002);
        assert_near(changes[0].shift, log(1.1), .002);
        assert_near(changes[0].shift, log(changes[0].after / changes[0].before), 1e-12);
        assert_true(changes[0].low < log(1.1) && log(1.1) < changes[0].high && changes[0].high - changes[0].low < .01);
    }
}

static void a_change_that_is_reverted_is_two(void **state)
{
    (void)state;
    levels(60, 0, 10, 10);
    for (int i = 20; i < 41; i++)
        x[i] *= 1.08;
    assert_course(60, .01, STATS_COURSE_STEPS);
    assert_int_equal(found.n, 2);
    assert_int_equal(changes[0].at, 20);
    assert_int_equal(changes[1].at, 41);
    assert_near(changes[0].shift, log(1.08), .002);
    assert_near(changes[1].shift, -log(1.08), .002);
}

/* `slow` values from `at` on, of 100, are half as slow again. */
static enum stats_course course_with(int at, int slow)
{
    levels(100, 0, 10, 10);
    for (int i = 0; i < slow; i++)
        x[at + i] *= 1.5;
    assert_int_equal(look(100, .01), TARE_OK);
    return found.course;
}

static void one_or_two_values_are_no_level(void **state)
{
    (void)state;
    for (int slow = 1; slow <= 2; slow++)
        for (int at = 0; at <= 100 - slow; at++)
            assert_int_equal(course_with(at, slow), STATS_COURSE_FLAT);
    for (int at = 0; at < 100; at++) { /* twice */
        course_with(at, 1);
        x[(at + 50) % 100] *= 1.5;
        assert_course(100, .01, STATS_COURSE_FLAT);
    }
}

static void three_values_at_an_end_are_a_level_and_four_anywhere(void **state)
{
    (void)state;
    assert_int_equal(course_with(0, 3), STATS_COURSE_STEPS);
    assert_int_equal(changes[0].at, 3);
    assert_int_equal(course_with(97, 3), STATS_COURSE_STEPS);
    assert_int_equal(changes[0].at, 97);
    for (int at = 3; at < 94; at++) {
        assert_int_equal(course_with(at, 4), STATS_COURSE_STEPS);
        assert_true(found.n == 2 && changes[0].at == at && changes[1].at == at + 4);
    }
}

static void a_line_is_a_drift(void **state)
{
    (void)state;
    for (int noise = 0; noise < 3; noise++) {
        struct made_history h = {.model = HISTORY_WHITE, .n = 200, .at = 200, .drift = .05, .noise = .05 * noise};
        made_history_values(&h, 3, x);
        assert_course(200, .01, STATS_COURSE_DRIFT);
        assert_near(found.drift, log(1.05), .002);
        assert_course(200, .06, STATS_COURSE_FLAT);
    }
}

/* Steps of one standard deviation of AR(1) noise, of which a line made a drift in 5 of these 20 series, and of three in few values. */
static void what_may_be_a_step_or_a_drift_has_changes_where_they_are_large(void **state)
{
    (void)state;
    static const struct made_history of[] = {{.model = HISTORY_AR5, .n = 300, .at = 150, .shift = .02, .noise = 1},
                                             {.model = HISTORY_WHITE, .n = 30, .at = 12, .shift = .06, .noise = 1}};
    int either[2] = {0}, drift[2] = {0};
    for (uint64_t i = 0; i < 40; i++) {
        const struct made_history *h = &of[i / 20];
        made_history_values(h, i % 20, x);
        assert_int_equal(look(h->n, .01), TARE_OK);
        drift[i / 20] += found.course == STATS_COURSE_DRIFT;
        if (found.course != STATS_COURSE_EITHER)
            continue;
        either[i / 20]++;
        assert_true((found.n > 0) == (i >= 20) && found.drift > .01);
        assert_true(!found.n || changes[0].shift > 1.5 * found.sigma);
    }
    assert_true(either[0] > 2 && either[1] > 5 && drift[0] <= 1 && drift[1] <= 1);
}

static void what_is_smaller_than_asked_for_is_no_change(void **state)
{
    (void)state;
    levels(100, 50, 100, 104);
    assert_course(100, .03, STATS_COURSE_STEPS);
    assert_course(100, .05, STATS_COURSE_FLAT);
    for (int i = 75; i < 100; i++)
        x[i] *= 1.1;
    assert_course(100, .05, STATS_COURSE_STEPS);
    assert_int_equal(found.n, 1);
    assert_int_equal(changes[0].at, 75);
}

static void changes_beyond_the_room_are_counted(void **state)
{
    (void)state;
    levels(500, 0, 10, 10);
    for (int i = 0; i < 500; i++)
        x[i] *= i / 10 % 2 ? 1.2 : 1;
    assert_course(500, .01, STATS_COURSE_STEPS);
    assert_int_equal(found.n, 49);
    for (int i = 0; i < ROOM; i++)
        assert_int_equal(changes[i].at, 10 * (i + 1));
    void *scratch = malloc(stats_changes_scratch_bytes(500));
    struct stats_change none = {.at = -5};
    assert_int_equal(stats_changes(x, 500, .01, 0, scratch, &none, 0, &found), TARE_OK);
    assert_int_equal(found.n, 49);
    assert_int_equal(none.at, -5);
    free(scratch);
}

/* The same answer in seconds and in nanoseconds, and backwards in time. */
static void units_and_direction_do_not_matter(void **state)
{
    (void)state;
    struct made_history h = {.model = HISTORY_SPIKES, .n = 240, .at = 150, .shift = .04, .noise = 1};
    double copy[MOST];
    for (uint64_t seed = 0; seed < 20; seed++) {
        made_history_values(&h, seed, x);
        memcpy(copy, x, sizeof copy);
        look(h.n, 0);
        const struct stats_changes first = found;
        const struct stats_change change = changes[0];
        for (int i = 0; i < h.n; i++)
            x[i] = copy[i] * 1e-9;
        look(h.n, 0);
        assert_true(found.course == first.course && found.n == first.n);
        assert_true(found.n == 0 || (changes[0].at == change.at && changes[0].first == change.first));
        for (int i = 0; i < h.n; i++)
            x[i] = copy[h.n - 1 - i];
        look(h.n, 0);
        assert_true(found.course == first.course && found.n == first.n);
        if (first.n == 1) {
            assert_int_equal(changes[0].at, h.n - change.at);
            assert_int_equal(changes[0].last, h.n - change.first);
            assert_near(changes[0].shift, -change.shift, 1e-9);
        }
    }
}

static void values_that_are_not_positive_are_compared_as_they_are(void **state)
{
    (void)state;
    struct rng r = rng_seeded(9);
    for (int i = 0; i < 100; i++)
        x[i] = (i < 40 ? -200 : 100) + rng_normal(&r);
    assert_course(100, .01, STATS_COURSE_STEPS);
    assert_int_equal(found.n, 1);
    assert_int_equal(changes[0].at, 40);
    assert_near(changes[0].shift / 300, 1, .01);
    assert_near(changes[0].before / -200, 1, .01);
    assert_true(changes[0].low < 300 && 300 < changes[0].high);
    assert_near(found.sigma, 1, .3);
    for (int i = 0; i < 100; i++)
        x[i] = i < 40 ? 0 : 5; /* allocations that were none before */
    assert_course(100, .01, STATS_COURSE_STEPS);
    assert_int_equal(changes[0].at, 40);
    assert_near(changes[0].before, 0, 1e-12);
    assert_close(changes[0].after, 5, 1e-12);
}

static void equal_values_are_flat_and_exact_steps_exact(void **state)
{
    (void)state;
    for (int n = 12; n <= MOST; n = 3 * n + 1) {
        for (int i = 0; i < n; i++)
            x[i] = 1e9;
        assert_course(n, 0, STATS_COURSE_FLAT);
        for (int i = 0; i < n; i++)
            x[i] = i < n / 2 ? 123456789 : 123456789 * 1.0001; /* instructions */
        assert_course(n, 0, STATS_COURSE_STEPS);
        assert_true(found.n == 1 && changes[0].at == n / 2 && changes[0].first == n / 2 && changes[0].last == n / 2);
        assert_close(changes[0].shift, log(1.0001), .02);
        for (int i = 0; i < n; i++)
            x[i] = 0;
        assert_course(n, .01, STATS_COURSE_FLAT);
    }
}

static void short_series_have_no_course(void **state)
{
    (void)state;
    levels(12, 6, 1, 2);
    for (int n = 0; n < 12; n++)
        assert_course(n, 0, STATS_COURSE_SHORT);
    assert_course(12, 0, STATS_COURSE_STEPS);
    assert_int_equal(changes[0].at, 6);
}

static void what_is_no_number_is_refused(void **state)
{
    (void)state;
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t b = 0; b < 3; b++)
        for (int at = 0; at < 30; at += 29) {
            levels(30, 10, 1, 2);
            x[at] = bad[b];
            assert_int_equal(look(30, .01), TARE_INVALID);
            assert_true(found.n == 0 && isnan(found.sigma));
        }
    levels(30, 10, 1, 2);
    assert_int_equal(look(30, NAN), TARE_INVALID);
    assert_int_equal(look(30, -1), TARE_INVALID);
    assert_int_equal(stats_changes(x, -1, 0, 0, NULL, NULL, 0, &found), TARE_INVALID);
    assert_true(stats_changes_scratch_bytes(PTRDIFF_MAX) == SIZE_MAX && stats_changes_scratch_bytes(-1) == 0);
}

static void assert_in_order(int n)
{
    assert_true(found.course >= STATS_COURSE_FLAT && found.course <= STATS_COURSE_EITHER && found.n >= 0 && found.n < n / 3 + 1);
    for (int i = 0; i < found.n && i < ROOM; i++) {
        const struct stats_change *c = &changes[i];
        assert_true(0 < c->first && c->first <= c->at && c->at <= c->last && c->last < n);
        assert_true(i == 0 || c->at > changes[i - 1].at);
        assert_true(c->low <= c->shift && c->shift <= c->high);
    }
}

/* Sizes that a double can hold and their squares cannot, walks, and few different values. */
static void hostile_series_give_an_answer_in_order(void **state)
{
    (void)state;
    struct rng r = rng_seeded(11);
    for (int i = 0; i < 3000; i++) {
        const int n = 12 + (int)rng_below(&r, 200), kind = i % 6;
        double walk = 0;
        for (int k = 0; k < n; k++) {
            const double z = rng_normal(&r);
            walk += z;
            const double values[] = {z * 1e307, exp(fmin(200 * z, 700)),          5e-324 * (double)rng_below(&r, 3),
                                     walk,      (double)rng_below(&r, 2) * 1e300, 1 + 1e-15 * walk};
            x[k] = values[kind];
        }
        assert_int_equal(look(n, i % 2 ? .01 : 0), TARE_OK);
        assert_in_order(n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_found_where_it_is),
        cmocka_unit_test(a_change_that_is_reverted_is_two),
        cmocka_unit_test(one_or_two_values_are_no_level),
        cmocka_unit_test(three_values_at_an_end_are_a_level_and_four_anywhere),
        cmocka_unit_test(a_line_is_a_drift),
        cmocka_unit_test(what_may_be_a_step_or_a_drift_has_changes_where_they_are_large),
        cmocka_unit_test(what_is_smaller_than_asked_for_is_no_change),
        cmocka_unit_test(changes_beyond_the_room_are_counted),
        cmocka_unit_test(units_and_direction_do_not_matter),
        cmocka_unit_test(values_that_are_not_positive_are_compared_as_they_are),
        cmocka_unit_test(equal_values_are_flat_and_exact_steps_exact),
        cmocka_unit_test(short_series_have_no_course),
        cmocka_unit_test(what_is_no_number_is_refused),
        cmocka_unit_test(hostile_series_give_an_answer_in_order),
    };
    return cmocka_run_group_tests_name("changes", tests, NULL, NULL);
}
