/* SPDX-License-Identifier: MIT
 * What became of a change: what was measured and what people said. */
#include "history_view_world.h"

static void a_confirmation_narrows_the_change_and_gives_its_ratio(void **state)
{
    struct world w;
    (void)state;
    world_begin(&w);
    world_add_all(&w);
    world_plant(5, 4, 7);
    struct history_event *e = world_note(&w, HISTORY_CONFIRMED, "h6");
    e->before = "h5";
    e->shift = log(1.3);
    e->low = log(1.2);
    e->high = log(1.4);
    world_make(&w, true);
    const struct view_change *c = w.v.changes;
    assert_int_equal(c->state, CHANGE_CONFIRMED);
    assert_int_equal(c->from, 6);
    assert_int_equal(c->to, 6);
    assert_int_equal(c->at, 6);
    assert_true(c->measured && fabs(c->ratio - 1.3) < 1e-9 && fabs(c->high - 1.4) < 1e-9);
    world_end(&w);
}

/* The good end of a search need not be at the level of the last good commit: what is confirmed against it is the direction. */
static void a_size_against_another_level_is_none_of_the_change(void **state)
{
    for (int seen = 0; seen < 2; seen++) {
        struct world w;
        (void)state;
        world_begin(&w);
        world_add_all(&w);
        if (seen)
            world_plant(5, 4, 7);
        struct history_event *e = world_note(&w, HISTORY_CONFIRMED, "h6");
        e->before = "h5";
        e->reference = "h1";
        e->shift = log(1.3);
        e->low = log(1.2);
        e->high = log(1.4);
        world_make(&w, true);
        const struct view_change *c = w.v.changes;
        assert_int_equal(w.v.n_changes, 1);
        assert_int_equal(c->state, CHANGE_CONFIRMED);
        assert_int_equal(c->from, 6);
        assert_true(fabs(c->ratio - c->after / c->before) < 1e-9);
        assert_true(!c->measured && !(fabs(c->high - 1.4) < 1e-9));
        world_end(&w);
    }
}

/* What was confirmed by ratio in a series with a 0, and by difference in one without. */
static void a_size_is_read_on_the_scale_of_the_series(void **state)
{
    for (int difference = 0; difference < 2; difference++) {
        struct world w;
        (void)state;
        world_begin(&w);
        world_add_all(&w);
        w.h.points[0].median = difference ? 100 : 0;
        world_plant(5, 5, 5);
        struct history_event *e = world_note(&w, HISTORY_CONFIRMED, "h5");
        e->before = "h4";
        e->difference = difference;
        e->shift = difference ? 30 : log(1.3);
        e->low = difference ? 20 : log(1.2);
        e->high = difference ? 40 : log(1.4);
        world_make(&w, true);
        const struct view_change *c = w.v.changes;
        const double scale = difference ? 1 : 100, level = difference ? 0 : 1;
        assert_int_equal(c->state, CHANGE_CONFIRMED);
        assert_int_equal(c->difference, !difference);
        assert_true(fabs(c->ratio - scale * (1.3 - level)) < 1e-9);
        assert_true(fabs(c->low - scale * (1.2 - level)) < 1e-9 && fabs(c->high - scale * (1.4 - level)) < 1e-9);
        world_end(&w);
    }
}

/* It was measured without the anchor, so it is one of values, and the series has ratios to the anchor. */
static void a_difference_that_was_measured_is_none_of_ratios_to_an_anchor(void **state)
{
    struct world w;
    (void)state;
    world_begin(&w);
    world_add_all(&w);
    w.h.series.anchor = "./reference";
    for (int i = 0; i < w.h.n; i++)
        w.h.points[i].ratio = i < 5 ? 0 : 2;
    world_plant(5, 5, 5);
    struct history_event *e = world_note(&w, HISTORY_CONFIRMED, "h5");
    e->before = "h4";
    e->difference = true;
    e->shift = 80, e->low = 70, e->high = 90;
    world_make(&w, true);
    const struct view_change *c = w.v.changes;
    assert_int_equal(c->state, CHANGE_CONFIRMED);
    assert_true(c->difference && c->ratio < 3 && c->high < 3);
    world_end(&w);
}

/* Less than nothing is left of 100 after a difference of -200. */
static void what_was_confirmed_by_an_impossible_size_has_that_of_its_levels(void **state)
{
    struct world w;
    (void)state;
    world_begin(&w);
    world_add_all(&w);
    for (int i = 0; i < w.h.n; i++)
        w.h.points[i].median = i < 5 ? 100 : 110;
    struct history_event *e = world_note(&w, HISTORY_CONFIRMED, "h5");
    e->before = "h4";
    e->difference = true;
    e->shift = -200, e->low = -210, e->high = -190;
    world_make(&w, true);
    assert_int_equal(w.v.n_changes, 1);
    assert_true(fabs(w.v.changes[0].ratio - 1.1) < 1e-9 && isnan(w.v.changes[0].low));
    world_end(&w);
}

static void a_confirmation_of_the_opposite_is_of_no_change_here(void **state)
{
    struct world w;
    (void)state;
    world_begin(&w);
    world_add_all(&w);
    world_plant(5, 4, 7);
    world_note(&w, HISTORY_CONFIRMED, "h6")->shift = -0.2;
    world_make(&w, true);
    assert_int_equal(w.v.n_changes, 2);
    assert_int_equal(w.v.changes[0].state, CHANGE_NOMINATED);
    assert_true(w.v.changes[1].state == CHANGE_CONFIRMED && !w.v.changes[1].worse);
    world_end(&w);
}

static struct history_event *confirm_without_nomination(struct world *w, const char *revision)
{
    world_begin(w);
    world_add_all(w);
    struct history_event *e = world_note(w, HISTORY_CONFIRMED, revision);
    e->before = "h4";
    e->shift = log(1.3);
    e->low = log(1.2);
    e->high = log(1.4);
    return e;
}

static void what_was_confirmed_stays_though_it_is_no_longer_nominated(void **state)
{
    struct world w;
    (void)state;
    const struct history_event *e = confirm_without_nomination(&w, "h6");
    world_make(&w, true);
    assert_int_equal(w.v.course, STATS_COURSE_STEPS);
    assert_int_equal(w.v.n_changes, 1);
    const struct view_change *c = w.v.changes;
    assert_true(c->state == CHANGE_CONFIRMED && c->worse && c->said == e);
    assert_true(c->from == 5 && c->to == 6 && c->first == 5 && c->last == 6 && c->at == 6);
    assert_true(c->before == 100 && c->after == 120 && fabs(c->ratio - 1.3) < 1e-9);
    world_note(&w, HISTORY_FIXED, "h6");
    world_make(&w, true);
    assert_int_equal(w.v.n_changes, 1);
    assert_int_equal(w.v.changes[0].state, CHANGE_FIXED);
    world_end(&w);
}

static void what_was_confirmed_is_found_again_after_a_rebase(void **state)
{
    struct world w;
    (void)state;
    struct history_event *e = confirm_without_nomination(&w, "before-the-rebase");
    e->patch = "p6";
    e->at_utc_ns = INT64_C(1009000000000);
    world_patch = "p6 h6\n";
    world_make(&w, true);
    assert_int_equal(w.v.n_changes, 1);
    assert_int_equal(w.v.changes[0].to, 6);
    world_note(&w, HISTORY_ACCEPTED, "before-the-rebase")->patch = "p6";
    world_make(&w, true);
    assert_int_equal(w.v.changes[0].state, CHANGE_ACCEPTED);
    world_end(&w);
}

static void an_event_is_about_the_change_between_its_two_commits(void **state)
{
    struct world w;
    (void)state;
    world_begin(&w);
    world_add_all(&w);
    world_plant(5, 5, 5);
    world_note(&w, HISTORY_REFUTED, "h8")->before = "h2";
    world_make(&w, true);
    assert_int_equal(w.v.changes[0].state, CHANGE_REFUTED);
    w.h.events[0].before = "h6";
    world_make(&w, true);
    assert_int_equal(w.v.changes[0].state, CHANGE_NOMINATED);
    world_end(&w);
}

/* The change may be of a commit that was not between the two that were measured. */
static void a_refutation_settles_what_lies_between_its_two_commits(void **state)
{
    static const struct {
        int first, last;
        enum change_state state;
    } cases[] = {{5, 7, CHANGE_REFUTED}, {6, 6, CHANGE_REFUTED}, {5, 8, CHANGE_NOMINATED}, {4, 6, CHANGE_NOMINATED}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct world w;
        (void)state;
        world_begin(&w);
        world_add_all(&w);
        world_plant(6, cases[i].first, cases[i].last);
        world_note(&w, HISTORY_REFUTED, "h7")->before = "h4";
        w.h.events[0].verdict = "same";
        world_make(&w, true);
        if (w.v.changes[0].state != cases[i].state)
            fail_msg("case %zu: %d", i, (int)w.v.changes[0].state);
        w.h.events[0].revision = "before-the-rebase";
        w.h.events[0].before = "nowhere";
        w.h.events[0].patch = "p7";
        world_patch = "p7 h7\n";
        world_make(&w, true);
        assert_int_equal(w.v.changes[0].state, cases[i].last == 7 ? CHANGE_REFUTED : CHANGE_NOMINATED);
        world_end(&w);
    }
}

static void a_measurement_without_an_answer_settles_nothing(void **state)
{
    static const char *const open[] = {"undecided", "invalid"};
    struct world w;
    (void)state;
    for (int i = 0; i < 2; i++) {
        world_begin(&w);
        world_add_all(&w);
        world_plant(5, 5, 5);
        world_note(&w, HISTORY_REFUTED, "h5")->verdict = open[i];
        world_make(&w, true);
        assert_int_equal(w.v.changes[0].state, CHANGE_NOMINATED);
        assert_string_equal(w.v.changes[0].said->verdict, open[i]);
        w.h.events[0].verdict = "same";
        world_make(&w, true);
        assert_int_equal(w.v.changes[0].state, CHANGE_REFUTED);
        world_end(&w);
    }
}

static void what_is_the_same_by_a_wide_margin_is_not_so_by_a_narrow_one(void **state)
{
    static const struct {
        double low, high, margin;
        enum change_state state;
    } cases[] = {{0.029, 0.03, 0.1, CHANGE_REFUTED},       {0.029, 0.03, 0.01, CHANGE_NOMINATED},
                 {-0.03, 0.001, 0.01, CHANGE_NOMINATED},   {-0.001, 0.009, 0.01, CHANGE_REFUTED},
                 {-0.01005, 0.0099, 0.01, CHANGE_REFUTED}, {NAN, NAN, 0.01, CHANGE_REFUTED}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct world w;
        world_begin(&w);
        world_add_all(&w);
        world_plant(5, 5, 5);
        struct history_event *e = world_note(&w, HISTORY_REFUTED, "h5");
        e->verdict = "same";
        e->low = cases[i].low;
        e->high = cases[i].high;
        w.o.margin = cases[i].margin;
        world_make(&w, true);
        if (w.v.changes[0].state != cases[i].state)
            fail_msg("case %zu: %d", i, (int)w.v.changes[0].state);
        world_end(&w);
    }
}

/* Where the history shows a worsening and an improvement is measured, nothing became worse. */
static void an_improvement_that_is_measured_as_a_worsening_is_one(void **state)
{
    struct world w;
    (void)state;
    for (int higher = 0; higher < 2; higher++) {
        world_begin(&w);
        world_add_all(&w); /* 100, then 120 */
        world_plant(5, 5, 5);
        w.h.series.metric.direction = higher ? METRIC_HIGHER : METRIC_LOWER;
        struct history_event *e = world_note(&w, HISTORY_REFUTED, "h5");
        e->verdict = higher ? "lower" : "faster";
        e->shift = e->low = e->high = -log(1.2);
        world_make(&w, true);
        const struct view_change *c = w.v.changes;
        assert_int_equal(c->state, higher ? CHANGE_CONFIRMED : CHANGE_REFUTED);
        assert_true(c->worse && (c->ratio < 1) == (higher == 1));
        world_end(&w);
    }
}

static void what_was_accepted_is_a_change_of_its_size_and_direction(void **state)
{
    static const struct {
        double shift, low, high;
        enum change_state state;
    } cases[] = {{0.18, 0.17, 0.19, CHANGE_ACCEPTED},
                 {0.30, 0.25, 0.35, CHANGE_ACCEPTED}, /* it shrank */
                 {0.05, 0.04, 0.06, CHANGE_NOMINATED},
                 {-0.18, -0.19, -0.17, CHANGE_NOMINATED},
                 {NAN, NAN, NAN, CHANGE_ACCEPTED}};
    struct world w;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        world_begin(&w);
        world_add_all(&w);
        world_plant(5, 5, 5);
        struct history_event *e = world_note(&w, HISTORY_ACCEPTED, "h5");
        e->shift = cases[i].shift;
        e->low = cases[i].low;
        e->high = cases[i].high;
        world_make(&w, true);
        if (w.v.changes[0].state != cases[i].state)
            fail_msg("case %zu: %d", i, (int)w.v.changes[0].state);
        world_end(&w);
    }
}

static void what_was_accepted_stays_so_where_the_change_is_placed_better(void **state)
{
    struct world w;
    (void)state;
    world_begin(&w);
    world_add_all(&w);
    world_plant(5, 5, 5);
    struct history_event *e = world_note(&w, HISTORY_ACCEPTED, "h6"); /* it was one of h4 to h7 */
    world_make(&w, true);
    assert_int_equal(w.v.changes[0].state, CHANGE_NOMINATED);
    e->before = "h3";
    e->last = "h7";
    world_make(&w, true);
    assert_int_equal(w.v.changes[0].state, CHANGE_ACCEPTED);
    e->revision = "h4";
    world_make(&w, true);
    assert_int_equal(w.v.changes[0].state, CHANGE_ACCEPTED);
    e->last = "h4";
    world_make(&w, true);
    assert_int_equal(w.v.changes[0].state, CHANGE_NOMINATED);
    world_end(&w);
}

static void the_first_confirmation_stays_known(void **state)
{
    struct world w;
    (void)state;
    world_begin(&w);
    world_add_all(&w);
    world_plant(5, 5, 6);
    world_note(&w, HISTORY_CONFIRMED, "h6")->before = "h4";
    world_note(&w, HISTORY_CONFIRMED, "h5");
    world_note(&w, HISTORY_NOTE, "h5");
    world_make(&w, true);
    assert_ptr_equal(w.v.changes[0].confirmed, &w.h.events[0]);
    assert_ptr_equal(w.v.changes[0].said, &w.h.events[2]);
    world_end(&w);
}

static void confirm_at(struct world *w, const char *before, const char *revision, double shift)
{
    struct history_event *e = world_note(w, HISTORY_CONFIRMED, revision);
    e->before = before;
    e->shift = shift;
    e->low = shift - 0.01;
    e->high = shift + 0.01;
}

static void a_worsening_that_was_taken_back_is_fixed(void **state)
{
    struct world w;
    (void)state;
    world_begin(&w);
    world_add_all(&w);
    confirm_at(&w, "h2", "h3", 0.2);
    confirm_at(&w, "h6", "h7", -0.1);
    world_make(&w, true);
    assert_int_equal(w.v.n_changes, 2);
    assert_int_equal(w.v.changes[0].state, CHANGE_CONFIRMED); /* half of it is left */
    w.h.events[1].shift = -0.195;
    world_make(&w, true);
    assert_true(w.v.changes[0].state == CHANGE_FIXED && w.v.changes[0].undone);
    assert_int_equal(w.v.changes[1].state, CHANGE_CONFIRMED);
    world_end(&w);
}

/* Whose size is that of its levels, with no interval. */
static void what_was_measured_against_another_level_is_taken_back_too(void **state)
{
    struct world w;
    (void)state;
    world_begin(&w);
    world_add_all(&w);
    for (int i = 0; i < w.h.n; i++)
        w.h.points[i].median = i < 3 || i > 6 ? 100 : 120;
    confirm_at(&w, "h2", "h3", 0.2);
    w.h.events[0].reference = "h0";
    confirm_at(&w, "h6", "h7", -log(1.2));
    world_make(&w, true);
    assert_int_equal(w.v.n_changes, 2);
    assert_true(isnan(w.v.changes[0].low));
    assert_int_equal(w.v.changes[0].state, CHANGE_FIXED);
    world_end(&w);
}

static void an_improvement_takes_back_one_of_two_worsenings(void **state)
{
    struct world w;
    (void)state;
    world_begin(&w);
    world_add_all(&w);
    confirm_at(&w, "h1", "h2", 0.2);
    confirm_at(&w, "h4", "h5", 0.2);
    confirm_at(&w, "h7", "h8", -0.2);
    world_make(&w, true);
    assert_int_equal(w.v.n_changes, 3);
    assert_int_equal(w.v.changes[0].state, CHANGE_CONFIRMED); /* two were made, and one of them is left */
    assert_int_equal(w.v.changes[1].state, CHANGE_FIXED);
    w.h.events[2].shift = -0.4;
    world_make(&w, true);
    assert_true(w.v.changes[0].undone && w.v.changes[1].undone);
    /* two improvements together take one worsening back */
    w.h.events[1].shift = w.h.events[2].shift = -0.1;
    world_make(&w, true);
    assert_true(w.v.changes[0].state == CHANGE_FIXED && w.v.changes[0].undone);
    world_end(&w);
}

static void people_have_the_last_word(void **state)
{
    struct world w;
    (void)state;
    world_begin(&w);
    world_add_all(&w);
    world_plant(5, 5, 5);
    world_note(&w, HISTORY_ACCEPTED, "h5");
    world_note(&w, HISTORY_CONFIRMED, "h5")->shift = 0.2;
    world_note(&w, HISTORY_NOTE, "h5");
    world_make(&w, true);
    assert_int_equal(w.v.changes[0].state, CHANGE_ACCEPTED);
    assert_int_equal(w.v.changes[0].said->kind, HISTORY_NOTE);
    assert_true(fabs(w.v.changes[0].ratio - exp(0.2)) < 1e-9);
    world_note(&w, HISTORY_FIXED, "h5");
    world_make(&w, true);
    assert_int_equal(w.v.changes[0].state, CHANGE_FIXED);
    world_end(&w);
}

static void an_accepted_change_is_found_again_after_a_rebase(void **state)
{
    struct world w;
    (void)state;
    world_begin(&w);
    world_add_all(&w);
    world_plant(5, 5, 6);
    world_note(&w, HISTORY_ACCEPTED, "before-the-rebase")->patch = "p6";
    world_patch = "p6 h6\np5 h5\n";
    world_make(&w, true);
    assert_int_equal(w.v.changes[0].state, CHANGE_ACCEPTED);
    assert_string_equal(w.patches[5], "p5");
    w.h.events[0].patch = "p7";
    world_make(&w, true);
    assert_int_equal(w.v.changes[0].state, CHANGE_NOMINATED);
    world_end(&w);
}

static void a_reset_is_found_again_after_a_rebase(void **state)
{
    struct world w;
    (void)state;
    world_begin(&w);
    world_add_all(&w);
    struct history_event *e = world_note(&w, HISTORY_RESET, "before-the-rebase");
    e->patch = "p3";
    e->at_utc_ns = INT64_C(1004000000000);
    world_patch = "p3 h3\n";
    world_make(&w, true);
    assert_int_equal(w.v.start, 3);
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_confirmation_narrows_the_change_and_gives_its_ratio),
        cmocka_unit_test(a_size_against_another_level_is_none_of_the_change),
        cmocka_unit_test(a_size_is_read_on_the_scale_of_the_series),
        cmocka_unit_test(a_difference_that_was_measured_is_none_of_ratios_to_an_anchor),
        cmocka_unit_test(what_was_confirmed_by_an_impossible_size_has_that_of_its_levels),
        cmocka_unit_test(a_confirmation_of_the_opposite_is_of_no_change_here),
        cmocka_unit_test(what_was_confirmed_stays_though_it_is_no_longer_nominated),
        cmocka_unit_test(what_was_confirmed_is_found_again_after_a_rebase),
        cmocka_unit_test(an_event_is_about_the_change_between_its_two_commits),
        cmocka_unit_test(a_refutation_settles_what_lies_between_its_two_commits),
        cmocka_unit_test(a_measurement_without_an_answer_settles_nothing),
        cmocka_unit_test(what_is_the_same_by_a_wide_margin_is_not_so_by_a_narrow_one),
        cmocka_unit_test(an_improvement_that_is_measured_as_a_worsening_is_one),
        cmocka_unit_test(what_was_accepted_is_a_change_of_its_size_and_direction),
        cmocka_unit_test(what_was_accepted_stays_so_where_the_change_is_placed_better),
        cmocka_unit_test(the_first_confirmation_stays_known),
        cmocka_unit_test(a_worsening_that_was_taken_back_is_fixed),
        cmocka_unit_test(what_was_measured_against_another_level_is_taken_back_too),
        cmocka_unit_test(an_improvement_takes_back_one_of_two_worsenings),
        cmocka_unit_test(people_have_the_last_word),
        cmocka_unit_test(an_accepted_change_is_found_again_after_a_rebase),
        cmocka_unit_test(a_reset_is_found_again_after_a_rebase),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
