/* SPDX-License-Identifier: MIT
 *
 * The pages of a history: held by golden files, which check_site.py reads as a browser and a feed reader do, and harmless whatever the names are. */
#include "golden.h"
#include "site_data.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { PARSE = 0, NEW = 5, ANCHORED = 6, HOSTILE = 7, NOTHING = 8, SERIES_MOST = 10 };

struct made {
    struct arena arena;
    struct site site;
    struct site_series *series;
    struct site_card cards[SERIES_MOST];
    int n;
    struct buf text;
};

static void make(struct made *m)
{
    *m = (struct made){.text = BUF_INIT(1 << 20)};
    m->series = made_site(&m->site, &m->arena, &m->n);
}

static void make_cards(struct made *m)
{
    for (int i = 0; i < m->n; i++) {
        char name[SITE_NAME_BYTES];
        site_name(name, m->series[i].s);
        const char *file = arena_format(&m->arena, "%s.html", name);
        assert_int_equal(site_card(&m->cards[i], &m->site, &m->series[i], file, &m->arena), 0);
    }
}

static void finish(struct made *m)
{
    buf_finish(&m->text);
    arena_finish(&m->arena);
}

static void assert_page(const char *name, struct made *m, int first, int n)
{
    site_page(&m->text, &m->site, &m->series[first], n);
    assert_golden(name, &m->text);
    finish(m);
}

static void the_index_has_each_series_and_those_that_need_a_person_first(void **state)
{
    (void)state;
    struct made m;
    make(&m);
    make_cards(&m);
    site_index(&m.text, &m.site, m.cards, m.n, &m.arena);
    assert_golden("index.html", &m.text);
    finish(&m);
}

static void a_page_shows_all_metrics_of_its_benchmark(void **state)
{
    (void)state;
    struct made m;
    make(&m);
    assert_page("page.html", &m, PARSE, 2);
}

static void pages_of_short_series_and_of_none_are_complete(void **state)
{
    (void)state;
    struct made m;
    make(&m);
    assert_page("short.html", &m, NEW, 1);
    make(&m);
    assert_page("nothing.html", &m, NOTHING, 1);
}

static void a_series_with_an_anchor_is_shown_as_ratios(void **state)
{
    (void)state;
    struct made m;
    make(&m);
    assert_page("anchored.html", &m, ANCHORED, 1);
}

static void where_uplot_lies_beside_them_pages_have_their_figures_for_it(void **state)
{
    (void)state;
    struct made m;
    make(&m);
    m.site.charts = true;
    assert_page("charts.html", &m, NEW, 1);
    make(&m);
    bool shown[60] = {false};
    shown[0] = shown[40] = true;
    site_commits(&m.text, &m.site, shown);
    assert_golden("commits.js", &m.text);
    finish(&m);
}

static void without_a_repository_results_stand_by_time(void **state)
{
    (void)state;
    struct made m;
    make(&m);
    const int64_t times[] = {1767225600};
    m.site.line = NULL;
    m.site.session_s = times;
    for (int i = 0; i < m.series[NEW].v->n; i++) {
        m.series[NEW].v->points[i].position = i;
        m.series[NEW].v->points[i].revision = i ? "feedface0000" : "";
    }
    assert_page("by_time.html", &m, NEW, 1);
}

static void confirmed_changes_are_entries_of_the_feed(void **state)
{
    (void)state;
    struct made m;
    make(&m);
    m.site.feed_url = "https://example.org/perf/";
    make_cards(&m);
    site_feed(&m.text, &m.site, m.cards, m.n, &m.arena);
    assert_golden("feed.xml", &m.text);
    buf_clear(&m.text);
    site_feed(&m.text, &m.site, m.cards, 0, &m.arena);
    assert_golden("empty.feed.xml", &m.text);
    finish(&m);
}

static void texts_of_others_are_only_texts(void **state)
{
    (void)state;
    struct made m;
    make(&m);
    m.site.charts = true;
    m.site.title = "</title><script>alert(1)</script>";
    m.site.commit_url = "javascript:\"><script>{rev}";
    for (int i = 0; i < m.site.line->n; i++) {
        struct history_commit *c = arena_alloc(&m.arena, sizeof *c);
        *c = m.site.line->commits[i];
        c->subject = "</script><script>alert('\xe2\x80\xae')</script>]]>\xff\"";
        memcpy((void *)(uintptr_t)&m.site.line->commits[i], c, sizeof *c);
    }
    bool shown[60] = {true};
    site_commits(&m.text, &m.site, shown);
    assert_golden("hostile.js", &m.text);
    buf_clear(&m.text);
    assert_page("hostile.html", &m, HOSTILE, 1);
}

static void a_page_keeps_its_name_and_no_name_is_in_it(void **state)
{
    (void)state;
    struct made m;
    make(&m);
    char one[SITE_NAME_BYTES], other[SITE_NAME_BYTES], memory[SITE_NAME_BYTES];
    site_name(one, m.series[PARSE].s);
    site_name(memory, m.series[PARSE + 1].s);
    site_name(other, m.series[HOSTILE].s);
    assert_string_equal(one, "6013b1bbd48a");
    assert_string_equal(one, memory);
    assert_int_equal(strspn(other, "0123456789abcdef"), SITE_NAME_BYTES - 1);
    finish(&m);
}

static void values_of_any_size_are_drawn(void **state)
{
    (void)state;
    const double values[] = {0, -1, 1e-300, 1e300, NAN, INFINITY, -INFINITY, 5e-324, 1.7976931348623157e308};
    enum { N = sizeof values / sizeof *values };
    for (int i = 0; i < N; i++) {
        struct made m;
        make(&m);
        m.site.charts = true;
        struct history_view *v = made_view(&m.arena, 1, 8, 1, 5, 0.1, 4, 2);
        struct view_change *c = arena_alloc(&m.arena, sizeof *c);
        *c = made_change(v, 4, 2, CHANGE_CONFIRMED);
        c->after = c->ratio = c->low = values[i];
        v->changes = c;
        v->n_changes = 1;
        for (int k = 0; k < v->n; k++)
            v->points[k].value = v->points[k].low = v->points[k].high = values[(i + k % 2 * k) % N];
        m.series[0].v = v;
        make_cards(&m);
        site_page(&m.text, &m.site, m.series, 1);
        assert_int_equal(m.text.status, 0);
        finish(&m);
    }
}

static void a_level_of_one_commit_is_seen(void **state)
{
    (void)state;
    struct made m;
    make(&m);
    struct history_view *v = made_view(&m.arena, 1, 8, 1, 5, 0.1, 1, 2);
    struct view_change c = made_change(v, 1, 2, CHANGE_NOMINATED);
    v->changes = &c;
    v->n_changes = 1;
    m.series[0].v = v;
    site_page(&m.text, &m.site, m.series, 1);
    const char *levels = strstr(buf_text(&m.text), "class=\"median\" d=\"M");
    long from = 0, y = 0, to = 0;
    assert_non_null(levels);
    assert_int_equal(sscanf(strchr(levels, 'M'), "M%ld %ldH%ld", &from, &y, &to), 3);
    assert_true(from < to);
    finish(&m);
}

static void a_difference_of_any_size_has_the_mark_of_its_direction(void **state)
{
    for (int up = 0; up < 2; up++) {
        (void)state;
        struct made m;
        make(&m);
        struct history_view *v = made_view(&m.arena, 1, 8, 1, 5, 0.1, 4, 1.1);
        struct view_change c = made_change(v, 4, up ? 0.5 : -0.5, CHANGE_CONFIRMED);
        c.low = NAN; /* as of one that was measured against another level */
        c.high = NAN;
        v->difference = c.difference = true;
        v->changes = &c;
        v->n_changes = 1;
        m.series[0].v = v;
        site_page(&m.text, &m.site, m.series, 1);
        assert_non_null(strstr(buf_text(&m.text), up ? "▲" : "▼"));
        assert_null(strstr(buf_text(&m.text), up ? "▼" : "▲"));
        finish(&m);
    }
}

static void what_undid_a_change_and_what_was_found_of_it_are_two_clauses(void **state)
{
    (void)state;
    struct made m;
    make(&m);
    struct history_view *v = made_view(&m.arena, 1, 8, 1, 5, 0.1, 4, 1.1);
    struct view_change c = made_change(v, 4, 1.1, CHANGE_FIXED);
    struct history_event e = {.kind = HISTORY_REFUTED, .shift = 0.01, .low = -0.2, .high = 0.3, .verdict = "undecided"};
    c.undone = true;
    c.said = &e;
    v->changes = &c;
    v->n_changes = 1;
    m.series[0].v = v;
    site_page(&m.text, &m.site, m.series, 1);
    assert_non_null(strstr(buf_text(&m.text), "takes it back; measured again: "));
    finish(&m);
}

static void what_lies_beside_the_pages_is_built_in(void **state)
{
    (void)state;
    struct site_asset asset;
    int n = 0;
    for (; (asset = site_asset(n)).name; n++)
        if ((asset.n > 0) != (!asset.of_charts || site_has_uplot()))
            fail_msg("%s has %zu bytes", asset.name, asset.n);
    assert_int_equal(n, 4); /* ours, and uPlot's script, style and licence */
    struct buf style = BUF_INIT(1 << 20);
    site_style(&style);
    assert_non_null(strstr(buf_text(&style), "prefers-color-scheme:dark"));
    assert_null(strstr(buf_text(&style), "url("));
    buf_finish(&style);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_index_has_each_series_and_those_that_need_a_person_first),
        cmocka_unit_test(a_page_shows_all_metrics_of_its_benchmark),
        cmocka_unit_test(pages_of_short_series_and_of_none_are_complete),
        cmocka_unit_test(a_series_with_an_anchor_is_shown_as_ratios),
        cmocka_unit_test(where_uplot_lies_beside_them_pages_have_their_figures_for_it),
        cmocka_unit_test(without_a_repository_results_stand_by_time),
        cmocka_unit_test(confirmed_changes_are_entries_of_the_feed),
        cmocka_unit_test(texts_of_others_are_only_texts),
        cmocka_unit_test(a_page_keeps_its_name_and_no_name_is_in_it),
        cmocka_unit_test(values_of_any_size_are_drawn),
        cmocka_unit_test(a_level_of_one_commit_is_seen),
        cmocka_unit_test(a_difference_of_any_size_has_the_mark_of_its_direction),
        cmocka_unit_test(what_undid_a_change_and_what_was_found_of_it_are_two_clauses),
        cmocka_unit_test(what_lies_beside_the_pages_is_built_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
