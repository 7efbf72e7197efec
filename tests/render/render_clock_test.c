/* SPDX-License-Identifier: MIT
 *
 * The layout of a session of tare clock, held by golden files. */
#include "golden.h"
#include "render.h"
#include "sample_clocks.h"
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void check(const char *file, const struct record *r, struct render_options options)
{
    struct buf b = BUF_INIT(1 << 20);
    render_result(r, &options, &b);
    assert_golden(file, &b);
    buf_finish(&b);
}

static void it_fits_every_width(void **state)
{
    (void)state;
    static const int widths[] = {0, 40, 80, 120};
    struct record r = {0};
    sample_clocks(&r, 5);
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        char file[32];
        snprintf(file, sizeof file, "clock.%d", widths[i]);
        check(file, &r, (struct render_options){.width = widths[i], .unicode = true});
    }
    record_finish(&r);
}

static void ascii_colour_and_more_words_on_request(void **state)
{
    (void)state;
    struct record r = {0};
    sample_clocks(&r, 5);
    check("clock.ascii", &r, (struct render_options){.width = 80});
    check("clock.colour", &r, (struct render_options){.width = 100, .unicode = true, .colour = true});
    check("clock.verbose", &r, (struct render_options){.width = 100, .unicode = true, .verbosity = 1});
    check("clock.rows", &r, (struct render_options){.width = 100, .unicode = true, .verbosity = 2});
    check("clock.quiet", &r, (struct render_options){.width = 100, .unicode = true, .verbosity = -1});
    record_finish(&r);
}

static void many_runs_are_not_listed(void **state)
{
    (void)state;
    struct record r = {0};
    sample_clocks(&r, 40);
    check("clock.many", &r, (struct render_options){.width = 80, .unicode = true, .verbosity = 1});
    record_finish(&r);
}

static void without_a_counter_the_reason_stands_there(void **state)
{
    (void)state;
    struct record r = {0};
    sample_clocks(&r, 0);
    r.partial = true;
    r.ended = "interrupted";
    check("clock.forbidden", &r, (struct render_options){.width = 80, .unicode = true});
    record_finish(&r);
}

/* Of a session that was interrupted at once there is a record with subjects and little else. */
static void a_record_with_nothing_in_it_can_be_shown(void **state)
{
    (void)state;
    struct record r = {0};
    record_init(&r);
    record_add_clock_metrics(&r);
    r.rule.metric = "wall";
    for (int kind = SUBJECT_CLOCK; kind <= SUBJECT_EXPERIMENT; kind++)
        record_add_subject(&r, &(struct subject){.kind = (enum subject_kind)kind, .name = "x", .command = "x"}, NULL, 0);
    check("clock.empty", &r, (struct render_options){.width = 80, .unicode = true, .verbosity = 2});
    record_finish(&r);
}

static size_t length_with(const char *clock_source)
{
    struct record r = {0};
    struct buf b = BUF_INIT(1 << 20);
    sample_clocks(&r, 5);
    assert_int_equal(facts_add_text(&r, &r.before, "clocksource", clock_source), TARE_OK);
    render_result(&r, &(struct render_options){.unicode = true, .verbosity = 1}, &b);
    size_t n = b.len;
    assert_int_equal(b.status, TARE_OK);
    buf_finish(&b);
    record_finish(&r);
    return n;
}

static void a_fact_of_any_length_does_not_fill_the_screen(void **state)
{
    (void)state;
    static char endless[300000];
    memset(endless, '7', sizeof endless - 1);
    assert_in_range(length_with(endless), length_with("tsc") + 100, length_with("tsc") + 500);
}

/* As in a damaged file. */
static void an_experiment_without_its_shortest_run_is_shown(void **state)
{
    (void)state;
    struct record r = {0};
    struct buf b = BUF_INIT(1 << 20);
    const struct render_options o = {.width = 80};
    sample_clocks(&r, 5);
    for (int i = 0; i < r.n_estimates; i++)
        if (!strcmp(r.estimates[i].statistic, "min"))
            r.estimates[i].statistic = "p10";
    render_result(&r, &o, &b);
    assert_non_null(strstr(buf_text(&b), "Sleep(500 ms)"));
    buf_finish(&b);
    record_finish(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_fits_every_width),
        cmocka_unit_test(ascii_colour_and_more_words_on_request),
        cmocka_unit_test(many_runs_are_not_listed),
        cmocka_unit_test(without_a_counter_the_reason_stands_there),
        cmocka_unit_test(a_record_with_nothing_in_it_can_be_shown),
        cmocka_unit_test(an_experiment_without_its_shortest_run_is_shown),
        cmocka_unit_test(a_fact_of_any_length_does_not_fill_the_screen),
    };
    return cmocka_run_group_tests_name("render_clock", tests, NULL, NULL);
}
