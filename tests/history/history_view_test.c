/* SPDX-License-Identifier: MIT
 * From results and commits to a series with its changes: where a point is, and which commits may have made a change. */
#include "history_view_world.h"

/* ---- points ---- */

static void points_stand_in_the_order_of_commits_and_not_of_time(void **state)
{
    struct world w;
    (void)state;
    world_begin(&w);
    world_add(&w, "h7", 7, false);
    world_add(&w, "h2", 2, false);
    world_add(&w, "h9", 9, false);
    world_make(&w, true);
    assert_int_equal(w.v.n, 3);
    assert_int_equal(w.v.points[0].position, 2);
    assert_int_equal(w.v.points[2].position, 9);
    assert_true(w.v.points[1].value == 7);
    assert_string_equal(w.v.points[1].revision, "h7");
    world_end(&w);
}

static void sessions_of_one_commit_are_one_point_their_median(void **state)
{
    struct world w;
    (void)state;
    world_begin(&w);
    world_add(&w, "h1", 30, false);
    world_add(&w, "h4", 5, false);
    world_add(&w, "h1", 10, false);
    world_add(&w, "h1", 20, false);
    world_make(&w, true);
    assert_int_equal(w.v.n, 2);
    assert_true(w.v.points[0].value == 20 && w.v.points[0].low == 19 && w.v.points[0].high == 21);
    assert_int_equal(w.v.points[0].sessions, 3);
    assert_int_equal(w.v.points[0].n, 30);
    assert_int_equal(w.v.points[0].last, 3);
    world_end(&w);
}

static void a_session_in_two_files_counts_once(void **state)
{
    struct world w;
    (void)state;
    world_begin(&w);
    world_add(&w, "h1", 30, false);
    world_add(&w, "h1", 30, false); /* thinned, so of another name */
    world_add(&w, "h1", 10, false);
    world_add(&w, "h1", 10, false);
    w.h.sessions[3].measured_utc_ns = 1; /* another one with the same result */
    world_make(&w, true);
    assert_int_equal(w.v.points[0].sessions, 3);
    assert_int_equal(w.v.points[0].n, 30);
    assert_true(w.v.points[0].value == 10);
    world_end(&w);
}

static void results_of_one_name_in_one_session_are_one_session(void **state)
{
    struct world w;
    (void)state;
    world_begin(&w);
    world_add(&w, "h1", 10, false);
    world_add(&w, "h1", 20, false);
    world_add(&w, "h1", 30, false);
    w.h.points[0].session = w.h.points[1].session = 1;
    world_make(&w, true);
    assert_int_equal(w.v.n, 1);
    assert_int_equal(w.v.points[0].sessions, 2);
    assert_true(w.v.points[0].value == 22.5 && w.v.points[0].low == 21.5 && w.v.points[0].high == 23.5);
    assert_int_equal(w.v.points[0].n, 30);
    world_end(&w);
}

static void equal_results_of_one_session_are_several(void **state)
{
    struct world w;
    (void)state;
    world_begin(&w);
    world_add(&w, "h1", 12, false);
    world_add(&w, "h1", 12, false);
    world_add(&w, "h1", 18, false);
    w.h.points[1].session = w.h.points[2].session = 0;
    world_make(&w, true);
    assert_int_equal(w.v.points[0].sessions, 1);
    assert_true(w.v.points[0].value == 12);
    world_end(&w);
}

static void very_many_runs_are_counted_up_to_the_most(void **state)
{
    struct world w;
    (void)state;
    world_begin(&w);
    world_add(&w, "h1", 30, false);
    world_add(&w, "h1", 20, false);
    w.h.points[0].n = w.h.points[1].n = INT32_MAX;
    world_make(&w, true);
    assert_int_equal(w.v.points[0].n, INT32_MAX);
    world_end(&w);
}

static void changed_trees_and_commits_of_other_branches_are_no_points(void **state)
{
    struct world w;
    (void)state;
    world_begin(&w);
    world_add(&w, "h1", 1, false);
    world_add(&w, "h2", 2, true);
    world_add(&w, "elsewhere", 3, false);
    world_make(&w, true);
    assert_int_equal(w.v.n, 1);
    assert_int_equal(w.v.off_line, 2);
    world_end(&w);
}

static void with_an_anchor_the_ratio_is_followed(void **state)
{
    struct world w;
    (void)state;
    world_begin(&w);
    w.h.series.anchor = "./reference";
    world_add(&w, "h1", 100, false);
    world_add(&w, "h2", 200, false);
    w.h.points[0].ratio = 1.5;
    world_make(&w, true);
    assert_int_equal(w.v.n, 1); /* the other one has none */
    assert_true(w.v.points[0].value == 1.5 && isnan(w.v.points[0].low));
    world_end(&w);
}

static void without_a_repository_revisions_stand_by_time(void **state)
{
    struct world w;
    (void)state;
    world_begin(&w);
    world_add(&w, "b", 1, false);
    world_add(&w, "a", 2, false);
    world_add(&w, "b", 3, false);
    world_add(&w, "", 4, false);
    world_add(&w, "", 5, false);
    world_make(&w, false);
    assert_int_equal(w.v.n, 4); /* those without a revision are one each */
    assert_true(w.v.points[0].value == 2 && w.v.points[0].sessions == 2);
    assert_true(w.v.points[3].value == 5);
    world_end(&w);
}

/* ---- changes ---- */

static void a_change_is_one_of_the_commits_since_the_point_before(void **state)
{
    struct world w;
    (void)state;
    world_begin(&w);
    for (int i = 1; i < COMMITS; i += 2)
        world_add(&w, world_hashes[i], i < 5 ? 100 : 120, false);
    world_plant(2, 2, 3);
    world_make(&w, true);
    assert_int_equal(w.v.course, STATS_COURSE_STEPS);
    assert_int_equal(w.v.n_changes, 1);
    const struct view_change *c = w.v.changes;
    assert_int_equal(c->from, 4); /* the point before is that of h3 */
    assert_int_equal(c->to, 7);
    assert_true(c->worse && c->state == CHANGE_NOMINATED && fabs(c->ratio - 1.2) < 1e-9);
    world_end(&w);
}

static void what_may_be_a_drift_is_nominated_where_the_detector_gives_changes(void **state)
{
    (void)state;
    for (int large = 0; large < 2; large++) {
        struct world w;
        world_begin(&w);
        world_add_all(&w);
        world_course = STATS_COURSE_EITHER;
        if (large)
            world_plant(5, 4, 6);
        world_make(&w, true);
        assert_int_equal(w.v.course, large ? STATS_COURSE_STEPS : STATS_COURSE_EITHER);
        assert_true(w.v.n_changes == large && isnan(w.v.drift_ratio) == large && (!large || w.v.changes->maybe_drift));
        world_note(&w, HISTORY_CONFIRMED, "h5")->shift = log(1.2);
        world_make(&w, true);
        assert_true(w.v.course == STATS_COURSE_STEPS && w.v.changes->state == CHANGE_CONFIRMED);
        world_end(&w);
    }
}

static void what_is_better_follows_from_the_direction(void **state)
{
    struct world w;
    (void)state;
    for (int d = 0; d < 3; d++) {
        world_begin(&w);
        w.h.series.metric.direction = (enum metric_direction)d;
        world_add_all(&w);
        world_plant(5, 5, 5);
        world_make(&w, true);
        assert_int_equal(w.v.changes[0].worse, d == METRIC_LOWER);
        world_end(&w);
    }
}

static void after_a_reset_only_what_follows_counts(void **state)
{
    struct world w;
    (void)state;
    world_begin(&w);
    world_add_all(&w);
    world_note(&w, HISTORY_RESET, "h6");
    world_note(&w, HISTORY_RESET, "h4");
    struct history_event *e = world_note(&w, HISTORY_CONFIRMED, "h5");
    e->before = "h4";
    e->shift = 0.2;
    world_make(&w, true);
    assert_int_equal(world_n_detected, 1);
    assert_int_equal(world_detected[0][0], 4);
    assert_int_equal(w.v.start, 6);
    assert_int_equal(w.v.n, 10); /* the older ones are shown */
    assert_int_equal(w.v.n_changes, 0);
    world_end(&w);
}

static void a_zero_before_the_reset_makes_no_differences_after_it(void **state)
{
    struct world w;
    (void)state;
    world_begin(&w);
    world_add_all(&w);
    w.h.points[0].median = 0;
    world_note(&w, HISTORY_RESET, "h1");
    world_plant(4, 4, 4);
    world_make(&w, true);
    assert_int_equal(w.v.n_changes, 1);
    assert_false(w.v.changes[0].difference);
    assert_true(fabs(w.v.changes[0].ratio - 1.2) < 1e-9);
    world_end(&w);
}

static void commits_of_results_alone_have_made_no_change(void **state)
{
    static const bool only_results[COMMITS] = {[4] = true, [6] = true, [7] = true};
    struct world w;
    (void)state;
    world_begin(&w);
    w.line.only_results = only_results;
    world_add(&w, "h3", 100, false);
    world_add(&w, "h7", 120, false);
    world_plant(1, 1, 1);
    world_make(&w, true);
    assert_int_equal(w.v.changes[0].from, 5);
    assert_int_equal(w.v.changes[0].to, 5);
    world_end(&w);
}

static void a_reset_of_another_series_does_not(void **state)
{
    struct world w;
    (void)state;
    world_begin(&w);
    world_add_all(&w);
    world_note(&w, HISTORY_RESET, "h4")->series = "another";
    world_make(&w, true);
    assert_int_equal(world_n_detected, 1);
    world_end(&w);
}

static void changes_before_since_are_left_out(void **state)
{
    struct world w;
    (void)state;
    world_begin(&w);
    world_add_all(&w);
    world_plant(5, 4, 6);
    w.o.since = 6;
    world_make(&w, true);
    assert_int_equal(w.v.n_changes, 1);
    w.o.since = 7;
    world_make(&w, true);
    assert_int_equal(w.v.n_changes, 0);
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_stand_in_the_order_of_commits_and_not_of_time),
        cmocka_unit_test(sessions_of_one_commit_are_one_point_their_median),
        cmocka_unit_test(a_session_in_two_files_counts_once),
        cmocka_unit_test(results_of_one_name_in_one_session_are_one_session),
        cmocka_unit_test(equal_results_of_one_session_are_several),
        cmocka_unit_test(very_many_runs_are_counted_up_to_the_most),
        cmocka_unit_test(changed_trees_and_commits_of_other_branches_are_no_points),
        cmocka_unit_test(with_an_anchor_the_ratio_is_followed),
        cmocka_unit_test(without_a_repository_revisions_stand_by_time),
        cmocka_unit_test(a_change_is_one_of_the_commits_since_the_point_before),
        cmocka_unit_test(what_may_be_a_drift_is_nominated_where_the_detector_gives_changes),
        cmocka_unit_test(what_is_better_follows_from_the_direction),
        cmocka_unit_test(after_a_reset_only_what_follows_counts),
        cmocka_unit_test(a_zero_before_the_reset_makes_no_differences_after_it),
        cmocka_unit_test(commits_of_results_alone_have_made_no_change),
        cmocka_unit_test(a_reset_of_another_series_does_not),
        cmocka_unit_test(changes_before_since_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
