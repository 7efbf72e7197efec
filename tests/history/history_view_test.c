/* SPDX-License-Identifier: MIT
 * From results, commits and events to a series with its changes: where a point is, and what became of a change. */
#include "changes.h"
#include "history_view.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

/* ---- a store, a detector and a git of our own ---- */

enum { ROOM = 64 };

struct history {
    struct history_series series;
    struct history_session sessions[ROOM];
    struct history_point points[ROOM];
    int n;
    struct history_event events[ROOM];
    int n_events;
};

static struct stats_change planted[4];
static int n_planted, n_detected, detected[4][2]; /* lengths and first values of what was looked at */
static enum stats_course course;

const struct history_series *history_series_at(const struct history *h, int i)
{
    (void)i;
    return &h->series;
}

const struct history_session *history_session_at(const struct history *h, int i)
{
    return &h->sessions[i];
}

int history_n_sessions(const struct history *h)
{
    return h->n;
}

void history_forget_points(struct history *h, int series)
{
    (void)h, (void)series;
}

enum tare_status history_points(struct history *h, int series, struct history_points *out, struct tare_err *err)
{
    (void)series, (void)err;
    *out = (struct history_points){h->points, h->n};
    return TARE_OK;
}

int history_n_events(const struct history *h)
{
    return h->n_events;
}

const struct history_event *history_event_at(const struct history *h, int i)
{
    return &h->events[i];
}

size_t stats_changes_scratch_bytes(ptrdiff_t n)
{
    return (size_t)n;
}

/* Finds what is planted in the first part it is asked about that is long enough. */
enum tare_status stats_changes(const double *x, ptrdiff_t n, double least, double tick, void *scratch,
                               struct stats_change *changes, ptrdiff_t room, struct stats_changes *out)
{
    (void)least, (void)tick, (void)scratch, (void)room;
    detected[n_detected][0] = (int)n;
    detected[n_detected++][1] = (int)x[0];
    const bool here = n_planted && planted[n_planted - 1].last < n;
    *out = (struct stats_changes){.course = here ? STATS_COURSE_STEPS : course, .n = here ? n_planted : 0, .sigma = 0.01};
    for (int i = 0; here && i < n_planted; i++)
        changes[i] = planted[i];
    return TARE_OK;
}

static const char *patch_text;

enum tare_status git_ask(struct git *g, struct buf *out, struct tare_err *err, ...)
{
    (void)g, (void)out;
    return err_set(err, TARE_CHILD, "not asked here");
}

enum tare_status git_patch_ids(struct git *g, struct buf *out, struct tare_err *err, const char *most, const char *hash)
{
    (void)g, (void)err, (void)most, (void)hash;
    buf_str(out, patch_text);
    return TARE_OK;
}

/* ---- a history of ten commits ---- */

enum { COMMITS = 10 };
static const char *const hashes[COMMITS] = {"h0", "h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8", "h9"};

struct world {
    struct history h;
    struct history_commit commits[COMMITS];
    int sorted[COMMITS];
    const char *patches[COMMITS];
    struct git git;
    struct history_line line;
    struct arena arena;
    struct history_view v;
    struct view_options o;
};

static void begin(struct world *w)
{
    *w = (struct world){.h = {.series = {.id = "s", .benchmark = "parse", .arguments = ""}}};
    w->h.series.metric = (struct metric){.unit = "ns", .direction = METRIC_LOWER};
    for (int i = 0; i < COMMITS; i++) {
        w->commits[i] = (struct history_commit){.hash = hashes[i], .subject = "", .author = "", .time_s = 1000 + i};
        w->sorted[i] = i;
    }
    w->line = (struct history_line){.commits = w->commits,
                                    .n = COMMITS,
                                    .root = "h0",
                                    .sorted = w->sorted,
                                    .git = &w->git,
                                    .arena = &w->arena,
                                    .patches = w->patches};
    n_planted = n_detected = 0;
    course = STATS_COURSE_FLAT;
    patch_text = "";
}

static void add(struct world *w, const char *revision, double value, bool dirty)
{
    struct history *h = &w->h;
    h->sessions[h->n] = (struct history_session){.revision = revision, .dirty = dirty};
    h->points[h->n] = (struct history_point){.session = h->n,
                                             .median = value,
                                             .low = value - 1,
                                             .high = value + 1,
                                             .ratio = NAN,
                                             .ratio_low = NAN,
                                             .ratio_high = NAN,
                                             .n = 10};
    h->n++;
}

static void add_all(struct world *w)
{
    for (int i = 0; i < COMMITS; i++)
        add(w, hashes[i], i < 5 ? 100 : 120, false);
}

/* At point `at`, somewhere in [first, last], 20 % more. */
static void plant(int at, int first, int last)
{
    const double shift = log(1.2);
    planted[n_planted++] = (struct stats_change){at, first, last, 100, 120, shift, shift - 0.01, shift + 0.01};
}

static struct history_event *note(struct world *w, enum history_event_kind kind, const char *revision)
{
    struct history_event *e = &w->h.events[w->h.n_events++];
    *e = (struct history_event){.kind = kind, .id = "", .revision = revision, .shift = NAN, .low = NAN, .high = NAN};
    return e;
}

static void make(struct world *w, bool line)
{
    struct tare_err err;
    w->h.series.n = w->h.n;
    assert_int_equal(history_view_make(&w->v, &w->h, 0, line ? &w->line : NULL, &w->o, &w->arena, &err), TARE_OK);
}

static void end(struct world *w)
{
    arena_finish(&w->arena);
}

/* ---- points ---- */

static void points_stand_in_the_order_of_commits_and_not_of_time(void **state)
{
    struct world w;
    (void)state;
    begin(&w);
    add(&w, "h7", 7, false);
    add(&w, "h2", 2, false);
    add(&w, "h9", 9, false);
    make(&w, true);
    assert_int_equal(w.v.n, 3);
    assert_int_equal(w.v.points[0].position, 2);
    assert_int_equal(w.v.points[2].position, 9);
    assert_true(w.v.points[1].value == 7);
    assert_string_equal(w.v.points[1].revision, "h7");
    end(&w);
}

static void sessions_of_one_commit_are_one_point_their_median(void **state)
{
    struct world w;
    (void)state;
    begin(&w);
    add(&w, "h1", 30, false);
    add(&w, "h4", 5, false);
    add(&w, "h1", 10, false);
    add(&w, "h1", 20, false);
    make(&w, true);
    assert_int_equal(w.v.n, 2);
    assert_true(w.v.points[0].value == 20 && w.v.points[0].low == 19 && w.v.points[0].high == 21);
    assert_int_equal(w.v.points[0].sessions, 3);
    assert_int_equal(w.v.points[0].n, 30);
    assert_int_equal(w.v.points[0].last, 3);
    end(&w);
}

static void a_session_in_two_files_counts_once(void **state)
{
    struct world w;
    (void)state;
    begin(&w);
    add(&w, "h1", 30, false);
    add(&w, "h1", 30, false); /* thinned, so of another name */
    add(&w, "h1", 10, false);
    add(&w, "h1", 10, false);
    w.h.sessions[3].measured_utc_ns = 1; /* another one with the same result */
    make(&w, true);
    assert_int_equal(w.v.points[0].sessions, 3);
    assert_int_equal(w.v.points[0].n, 30);
    assert_true(w.v.points[0].value == 10);
    end(&w);
}

static void results_of_one_name_in_one_session_are_one_session(void **state)
{
    struct world w;
    (void)state;
    begin(&w);
    add(&w, "h1", 10, false);
    add(&w, "h1", 20, false);
    add(&w, "h1", 30, false);
    w.h.points[0].session = w.h.points[1].session = 1;
    make(&w, true);
    assert_int_equal(w.v.n, 1);
    assert_int_equal(w.v.points[0].sessions, 2);
    assert_true(w.v.points[0].value == 22.5 && w.v.points[0].low == 21.5 && w.v.points[0].high == 23.5);
    assert_int_equal(w.v.points[0].n, 30);
    end(&w);
}

static void equal_results_of_one_session_are_several(void **state)
{
    struct world w;
    (void)state;
    begin(&w);
    add(&w, "h1", 12, false);
    add(&w, "h1", 12, false);
    add(&w, "h1", 18, false);
    w.h.points[1].session = w.h.points[2].session = 0;
    make(&w, true);
    assert_int_equal(w.v.points[0].sessions, 1);
    assert_true(w.v.points[0].value == 12);
    end(&w);
}

static void very_many_runs_are_counted_up_to_the_most(void **state)
{
    struct world w;
    (void)state;
    begin(&w);
    add(&w, "h1", 30, false);
    add(&w, "h1", 20, false);
    w.h.points[0].n = w.h.points[1].n = INT32_MAX;
    make(&w, true);
    assert_int_equal(w.v.points[0].n, INT32_MAX);
    end(&w);
}

static void changed_trees_and_commits_of_other_branches_are_no_points(void **state)
{
    struct world w;
    (void)state;
    begin(&w);
    add(&w, "h1", 1, false);
    add(&w, "h2", 2, true);
    add(&w, "elsewhere", 3, false);
    make(&w, true);
    assert_int_equal(w.v.n, 1);
    assert_int_equal(w.v.off_line, 2);
    end(&w);
}

static void with_an_anchor_the_ratio_is_followed(void **state)
{
    struct world w;
    (void)state;
    begin(&w);
    w.h.series.anchor = "./reference";
    add(&w, "h1", 100, false);
    add(&w, "h2", 200, false);
    w.h.points[0].ratio = 1.5;
    make(&w, true);
    assert_int_equal(w.v.n, 1); /* the other one has none */
    assert_true(w.v.points[0].value == 1.5 && isnan(w.v.points[0].low));
    end(&w);
}

static void without_a_repository_revisions_stand_by_time(void **state)
{
    struct world w;
    (void)state;
    begin(&w);
    add(&w, "b", 1, false);
    add(&w, "a", 2, false);
    add(&w, "b", 3, false);
    add(&w, "", 4, false);
    add(&w, "", 5, false);
    make(&w, false);
    assert_int_equal(w.v.n, 4); /* those without a revision are one each */
    assert_true(w.v.points[0].value == 2 && w.v.points[0].sessions == 2);
    assert_true(w.v.points[3].value == 5);
    end(&w);
}

/* ---- changes ---- */

static void a_change_is_one_of_the_commits_since_the_point_before(void **state)
{
    struct world w;
    (void)state;
    begin(&w);
    for (int i = 1; i < COMMITS; i += 2)
        add(&w, hashes[i], i < 5 ? 100 : 120, false);
    plant(2, 2, 3);
    make(&w, true);
    assert_int_equal(w.v.course, STATS_COURSE_STEPS);
    assert_int_equal(w.v.n_changes, 1);
    const struct view_change *c = w.v.changes;
    assert_int_equal(c->from, 4); /* the point before is that of h3 */
    assert_int_equal(c->to, 7);
    assert_true(c->worse && c->state == CHANGE_NOMINATED && fabs(c->ratio - 1.2) < 1e-9);
    end(&w);
}

static void what_is_better_follows_from_the_direction(void **state)
{
    struct world w;
    (void)state;
    for (int d = 0; d < 3; d++) {
        begin(&w);
        w.h.series.metric.direction = (enum metric_direction)d;
        add_all(&w);
        plant(5, 5, 5);
        make(&w, true);
        assert_int_equal(w.v.changes[0].worse, d == METRIC_LOWER);
        end(&w);
    }
}

static void after_a_reset_only_what_follows_counts(void **state)
{
    struct world w;
    (void)state;
    begin(&w);
    add_all(&w);
    note(&w, HISTORY_RESET, "h6");
    note(&w, HISTORY_RESET, "h4");
    struct history_event *e = note(&w, HISTORY_CONFIRMED, "h5");
    e->before = "h4";
    e->shift = 0.2;
    make(&w, true);
    assert_int_equal(n_detected, 1);
    assert_int_equal(detected[0][0], 4);
    assert_int_equal(w.v.start, 6);
    assert_int_equal(w.v.n, 10); /* the older ones are shown */
    assert_int_equal(w.v.n_changes, 0);
    end(&w);
}

static void a_zero_before_the_reset_makes_no_differences_after_it(void **state)
{
    struct world w;
    (void)state;
    begin(&w);
    add_all(&w);
    w.h.points[0].median = 0;
    note(&w, HISTORY_RESET, "h1");
    plant(4, 4, 4);
    make(&w, true);
    assert_int_equal(w.v.n_changes, 1);
    assert_false(w.v.changes[0].difference);
    assert_true(fabs(w.v.changes[0].ratio - 1.2) < 1e-9);
    end(&w);
}

static void commits_of_results_alone_have_made_no_change(void **state)
{
    static const bool only_results[COMMITS] = {[4] = true, [6] = true, [7] = true};
    struct world w;
    (void)state;
    begin(&w);
    w.line.only_results = only_results;
    add(&w, "h3", 100, false);
    add(&w, "h7", 120, false);
    plant(1, 1, 1);
    make(&w, true);
    assert_int_equal(w.v.changes[0].from, 5);
    assert_int_equal(w.v.changes[0].to, 5);
    end(&w);
}

static void a_reset_of_another_series_does_not(void **state)
{
    struct world w;
    (void)state;
    begin(&w);
    add_all(&w);
    note(&w, HISTORY_RESET, "h4")->series = "another";
    make(&w, true);
    assert_int_equal(n_detected, 1);
    end(&w);
}

static void changes_before_since_are_left_out(void **state)
{
    struct world w;
    (void)state;
    begin(&w);
    add_all(&w);
    plant(5, 4, 6);
    w.o.since = 6;
    make(&w, true);
    assert_int_equal(w.v.n_changes, 1);
    w.o.since = 7;
    make(&w, true);
    assert_int_equal(w.v.n_changes, 0);
    end(&w);
}

/* ---- what became of them ---- */

static void a_confirmation_narrows_the_change_and_gives_its_ratio(void **state)
{
    struct world w;
    (void)state;
    begin(&w);
    add_all(&w);
    plant(5, 4, 7);
    struct history_event *e = note(&w, HISTORY_CONFIRMED, "h6");
    e->before = "h5";
    e->shift = log(1.3);
    e->low = log(1.2);
    e->high = log(1.4);
    make(&w, true);
    const struct view_change *c = w.v.changes;
    assert_int_equal(c->state, CHANGE_CONFIRMED);
    assert_int_equal(c->from, 6);
    assert_int_equal(c->to, 6);
    assert_int_equal(c->at, 6);
    assert_true(fabs(c->ratio - 1.3) < 1e-9 && fabs(c->high - 1.4) < 1e-9);
    end(&w);
}

/* What was confirmed by ratio in a series with a 0, and by difference in one without. */
static void a_size_is_read_on_the_scale_of_the_series(void **state)
{
    for (int difference = 0; difference < 2; difference++) {
        struct world w;
        (void)state;
        begin(&w);
        add_all(&w);
        w.h.points[0].median = difference ? 100 : 0;
        plant(5, 5, 5);
        struct history_event *e = note(&w, HISTORY_CONFIRMED, "h5");
        e->before = "h4";
        e->difference = difference;
        e->shift = difference ? 30 : log(1.3);
        e->low = difference ? 20 : log(1.2);
        e->high = difference ? 40 : log(1.4);
        make(&w, true);
        const struct view_change *c = w.v.changes;
        const double scale = difference ? 1 : 100, level = difference ? 0 : 1;
        assert_int_equal(c->state, CHANGE_CONFIRMED);
        assert_int_equal(c->difference, !difference);
        assert_true(fabs(c->ratio - scale * (1.3 - level)) < 1e-9);
        assert_true(fabs(c->low - scale * (1.2 - level)) < 1e-9 && fabs(c->high - scale * (1.4 - level)) < 1e-9);
        end(&w);
    }
}

/* Measured without the anchor, or more than there was. */
static void a_size_without_a_place_on_the_scale_of_the_series_is_none_of_it(void **state)
{
    for (int anchor = 0; anchor < 2; anchor++) {
        struct world w;
        (void)state;
        begin(&w);
        add_all(&w);
        w.h.series.anchor = anchor ? "./reference" : NULL;
        for (int i = 0; anchor && i < w.h.n; i++)
            w.h.points[i].ratio = i < 5 ? 0 : 2;
        if (anchor)
            plant(5, 5, 5);
        struct history_event *e = note(&w, HISTORY_CONFIRMED, "h5");
        e->difference = true;
        e->shift = anchor ? 80 : -200;
        make(&w, true);
        assert_int_equal(w.v.changes[0].state, CHANGE_CONFIRMED);
        assert_true(fabs(w.v.changes[0].ratio - (anchor ? log(1.2) : 1.2)) < 1e-9);
        end(&w);
    }
}

static void a_confirmation_of_the_opposite_is_of_no_change_here(void **state)
{
    struct world w;
    (void)state;
    begin(&w);
    add_all(&w);
    plant(5, 4, 7);
    note(&w, HISTORY_CONFIRMED, "h6")->shift = -0.2;
    make(&w, true);
    assert_int_equal(w.v.n_changes, 2);
    assert_int_equal(w.v.changes[0].state, CHANGE_NOMINATED);
    assert_true(w.v.changes[1].state == CHANGE_CONFIRMED && !w.v.changes[1].worse);
    end(&w);
}

static struct history_event *confirm_without_nomination(struct world *w, const char *revision)
{
    begin(w);
    add_all(w);
    struct history_event *e = note(w, HISTORY_CONFIRMED, revision);
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
    make(&w, true);
    assert_int_equal(w.v.course, STATS_COURSE_STEPS);
    assert_int_equal(w.v.n_changes, 1);
    const struct view_change *c = w.v.changes;
    assert_true(c->state == CHANGE_CONFIRMED && c->worse && c->said == e);
    assert_true(c->from == 5 && c->to == 6 && c->first == 5 && c->last == 6 && c->at == 6);
    assert_true(c->before == 100 && c->after == 120 && fabs(c->ratio - 1.3) < 1e-9);
    note(&w, HISTORY_FIXED, "h6");
    make(&w, true);
    assert_int_equal(w.v.n_changes, 1);
    assert_int_equal(w.v.changes[0].state, CHANGE_FIXED);
    end(&w);
}

static void what_was_confirmed_is_found_again_after_a_rebase(void **state)
{
    struct world w;
    (void)state;
    struct history_event *e = confirm_without_nomination(&w, "before-the-rebase");
    e->patch = "p6";
    e->at_utc_ns = INT64_C(1009000000000);
    patch_text = "p6 h6\n";
    make(&w, true);
    assert_int_equal(w.v.n_changes, 1);
    assert_int_equal(w.v.changes[0].to, 6);
    note(&w, HISTORY_ACCEPTED, "before-the-rebase")->patch = "p6";
    make(&w, true);
    assert_int_equal(w.v.changes[0].state, CHANGE_ACCEPTED);
    end(&w);
}

static void an_event_is_about_the_change_between_its_two_commits(void **state)
{
    struct world w;
    (void)state;
    begin(&w);
    add_all(&w);
    plant(5, 5, 5);
    note(&w, HISTORY_REFUTED, "h8")->before = "h2";
    make(&w, true);
    assert_int_equal(w.v.changes[0].state, CHANGE_REFUTED);
    w.h.events[0].before = "h6";
    make(&w, true);
    assert_int_equal(w.v.changes[0].state, CHANGE_NOMINATED);
    end(&w);
}

static void a_measurement_without_an_answer_settles_nothing(void **state)
{
    static const char *const open[] = {"undecided", "invalid"};
    struct world w;
    (void)state;
    for (int i = 0; i < 2; i++) {
        begin(&w);
        add_all(&w);
        plant(5, 5, 5);
        note(&w, HISTORY_REFUTED, "h5")->verdict = open[i];
        make(&w, true);
        assert_int_equal(w.v.changes[0].state, CHANGE_NOMINATED);
        assert_string_equal(w.v.changes[0].said->verdict, open[i]);
        w.h.events[0].verdict = "same";
        make(&w, true);
        assert_int_equal(w.v.changes[0].state, CHANGE_REFUTED);
        end(&w);
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
        begin(&w);
        add_all(&w);
        plant(5, 5, 5);
        struct history_event *e = note(&w, HISTORY_ACCEPTED, "h5");
        e->shift = cases[i].shift;
        e->low = cases[i].low;
        e->high = cases[i].high;
        make(&w, true);
        if (w.v.changes[0].state != cases[i].state)
            fail_msg("case %zu: %d", i, (int)w.v.changes[0].state);
        end(&w);
    }
}

static void what_was_accepted_stays_so_where_the_change_is_placed_better(void **state)
{
    struct world w;
    (void)state;
    begin(&w);
    add_all(&w);
    plant(5, 5, 5);
    struct history_event *e = note(&w, HISTORY_ACCEPTED, "h6"); /* it was one of h4 to h7 */
    make(&w, true);
    assert_int_equal(w.v.changes[0].state, CHANGE_NOMINATED);
    e->before = "h3";
    e->last = "h7";
    make(&w, true);
    assert_int_equal(w.v.changes[0].state, CHANGE_ACCEPTED);
    e->revision = "h4";
    make(&w, true);
    assert_int_equal(w.v.changes[0].state, CHANGE_ACCEPTED);
    e->last = "h4";
    make(&w, true);
    assert_int_equal(w.v.changes[0].state, CHANGE_NOMINATED);
    end(&w);
}

static void the_first_confirmation_stays_known(void **state)
{
    struct world w;
    (void)state;
    begin(&w);
    add_all(&w);
    plant(5, 5, 6);
    note(&w, HISTORY_CONFIRMED, "h6")->before = "h4";
    note(&w, HISTORY_CONFIRMED, "h5");
    note(&w, HISTORY_NOTE, "h5");
    make(&w, true);
    assert_ptr_equal(w.v.changes[0].confirmed, &w.h.events[0]);
    assert_ptr_equal(w.v.changes[0].said, &w.h.events[2]);
    end(&w);
}

static void confirm_at(struct world *w, const char *before, const char *revision, double shift)
{
    struct history_event *e = note(w, HISTORY_CONFIRMED, revision);
    e->before = before;
    e->shift = shift;
    e->low = shift - 0.01;
    e->high = shift + 0.01;
}

static void a_worsening_that_was_taken_back_is_fixed(void **state)
{
    struct world w;
    (void)state;
    begin(&w);
    add_all(&w);
    confirm_at(&w, "h2", "h3", 0.2);
    confirm_at(&w, "h6", "h7", -0.1);
    make(&w, true);
    assert_int_equal(w.v.n_changes, 2);
    assert_int_equal(w.v.changes[0].state, CHANGE_CONFIRMED); /* half of it is left */
    w.h.events[1].shift = -0.195;
    make(&w, true);
    assert_true(w.v.changes[0].state == CHANGE_FIXED && w.v.changes[0].undone);
    assert_int_equal(w.v.changes[1].state, CHANGE_CONFIRMED);
    end(&w);
}

static void people_have_the_last_word(void **state)
{
    struct world w;
    (void)state;
    begin(&w);
    add_all(&w);
    plant(5, 5, 5);
    note(&w, HISTORY_ACCEPTED, "h5");
    note(&w, HISTORY_CONFIRMED, "h5")->shift = 0.2;
    note(&w, HISTORY_NOTE, "h5");
    make(&w, true);
    assert_int_equal(w.v.changes[0].state, CHANGE_ACCEPTED);
    assert_int_equal(w.v.changes[0].said->kind, HISTORY_NOTE);
    assert_true(fabs(w.v.changes[0].ratio - exp(0.2)) < 1e-9);
    note(&w, HISTORY_FIXED, "h5");
    make(&w, true);
    assert_int_equal(w.v.changes[0].state, CHANGE_FIXED);
    end(&w);
}

static void an_accepted_change_is_found_again_after_a_rebase(void **state)
{
    struct world w;
    (void)state;
    begin(&w);
    add_all(&w);
    plant(5, 5, 6);
    note(&w, HISTORY_ACCEPTED, "before-the-rebase")->patch = "p6";
    patch_text = "p6 h6\np5 h5\n";
    make(&w, true);
    assert_int_equal(w.v.changes[0].state, CHANGE_ACCEPTED);
    assert_string_equal(w.patches[5], "p5");
    w.h.events[0].patch = "p7";
    make(&w, true);
    assert_int_equal(w.v.changes[0].state, CHANGE_NOMINATED);
    end(&w);
}

static void a_reset_is_found_again_after_a_rebase(void **state)
{
    struct world w;
    (void)state;
    begin(&w);
    add_all(&w);
    struct history_event *e = note(&w, HISTORY_RESET, "before-the-rebase");
    e->patch = "p3";
    e->at_utc_ns = INT64_C(1004000000000);
    patch_text = "p3 h3\n";
    make(&w, true);
    assert_int_equal(w.v.start, 3);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(points_stand_in_the_order_of_commits_and_not_of_time),
                                       cmocka_unit_test(sessions_of_one_commit_are_one_point_their_median),
                                       cmocka_unit_test(a_session_in_two_files_counts_once),
                                       cmocka_unit_test(results_of_one_name_in_one_session_are_one_session),
                                       cmocka_unit_test(equal_results_of_one_session_are_several),
                                       cmocka_unit_test(very_many_runs_are_counted_up_to_the_most),
                                       cmocka_unit_test(changed_trees_and_commits_of_other_branches_are_no_points),
                                       cmocka_unit_test(with_an_anchor_the_ratio_is_followed),
                                       cmocka_unit_test(without_a_repository_revisions_stand_by_time),
                                       cmocka_unit_test(a_change_is_one_of_the_commits_since_the_point_before),
                                       cmocka_unit_test(what_is_better_follows_from_the_direction),
                                       cmocka_unit_test(after_a_reset_only_what_follows_counts),
                                       cmocka_unit_test(a_zero_before_the_reset_makes_no_differences_after_it),
                                       cmocka_unit_test(commits_of_results_alone_have_made_no_change),
                                       cmocka_unit_test(a_reset_of_another_series_does_not),
                                       cmocka_unit_test(changes_before_since_are_left_out),
                                       cmocka_unit_test(a_confirmation_narrows_the_change_and_gives_its_ratio),
                                       cmocka_unit_test(a_size_is_read_on_the_scale_of_the_series),
                                       cmocka_unit_test(a_size_without_a_place_on_the_scale_of_the_series_is_none_of_it),
                                       cmocka_unit_test(a_confirmation_of_the_opposite_is_of_no_change_here),
                                       cmocka_unit_test(what_was_confirmed_stays_though_it_is_no_longer_nominated),
                                       cmocka_unit_test(what_was_confirmed_is_found_again_after_a_rebase),
                                       cmocka_unit_test(an_event_is_about_the_change_between_its_two_commits),
                                       cmocka_unit_test(a_measurement_without_an_answer_settles_nothing),
                                       cmocka_unit_test(what_was_accepted_is_a_change_of_its_size_and_direction),
                                       cmocka_unit_test(what_was_accepted_stays_so_where_the_change_is_placed_better),
                                       cmocka_unit_test(the_first_confirmation_stays_known),
                                       cmocka_unit_test(a_worsening_that_was_taken_back_is_fixed),
                                       cmocka_unit_test(people_have_the_last_word),
                                       cmocka_unit_test(an_accepted_change_is_found_again_after_a_rebase),
                                       cmocka_unit_test(a_reset_is_found_again_after_a_rebase)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
