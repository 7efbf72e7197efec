/* SPDX-License-Identifier: MIT
 *
 * The pages of a history: held by golden files, well formed and harmless whatever the names are. */
#include "golden.h"
#include "site_data.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

struct made {
    struct arena arena;
    struct site site;
    struct site_series *series;
    struct site_card cards[10];
    int n;
};

static void make(struct made *m)
{
    *m = (struct made){0};
    m->series = made_site(&m->site, &m->arena, &m->n);
    for (int i = 0; i < m->n; i++) {
        char name[SITE_NAME_BYTES], file[32];
        site_name(name, m->series[i].s);
        struct buf b = buf_over(file, sizeof file);
        buf_format(&b, "%s.html", name);
        assert_int_equal(site_card(&m->cards[i], &m->site, &m->series[i], file, &m->arena), 0);
    }
}

static void the_index_has_each_series_once(void **state)
{
    (void)state;
    struct made m;
    make(&m);
    struct buf b = BUF_INIT(1 << 20);
    site_index(&b, &m.site, m.cards, m.n, &m.arena);
    assert_golden("index", &b);
    buf_finish(&b);
    arena_finish(&m.arena);
}

static void a_page_shows_all_metrics_of_its_benchmark(void **state)
{
    (void)state;
    struct made m;
    make(&m);
    struct buf b = BUF_INIT(1 << 20);
    site_page(&b, &m.site, m.series, 2);
    assert_golden("page", &b);
    buf_finish(&b);
    arena_finish(&m.arena);
}

static void confirmed_changes_are_entries_of_the_feed(void **state)
{
    (void)state;
    struct made m;
    make(&m);
    struct buf b = BUF_INIT(1 << 20);
    m.site.feed_url = "https://example.org/perf/";
    site_feed(&b, &m.site, m.cards, m.n, &m.arena);
    assert_golden("feed", &b);
    buf_finish(&b);
    arena_finish(&m.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_index_has_each_series_once),
        cmocka_unit_test(a_page_shows_all_metrics_of_its_benchmark),
        cmocka_unit_test(confirmed_changes_are_entries_of_the_feed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
