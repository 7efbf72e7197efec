/* SPDX-License-Identifier: MIT
 *
 * Charts as characters, SVG and HTML: held by golden files, and drawn from hostile values without harm. */
#include "chart_export.h"
#include "golden.h"
#include "render.h"
#include "sample_charts.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct samples samples;

static void check_terminal(const char *name, struct render_options o)
{
    const struct chart_page page = sample_page(&samples);
    struct buf b = BUF_INIT(1 << 20);
    render_charts(&page, &o, &b);
    assert_golden(name, &b);
    buf_finish(&b);
}

static void the_terminal_shows_every_chart(void **state)
{
    (void)state;
    check_terminal("terminal.80", (struct render_options){.width = 80, .unicode = true});
    check_terminal("terminal.50", (struct render_options){.width = 50, .unicode = true});
    check_terminal("terminal.ascii", (struct render_options){.width = 80});
}

static void no_line_is_longer_than_the_terminal(void **state)
{
    (void)state;
    for (int width = 40; width < 120; width += 7) {
        const struct chart_page page = sample_page(&samples);
        const struct render_options o = {.width = width};
        struct buf b = BUF_INIT(1 << 20);
        render_charts(&page, &o, &b);
        for (const char *line = buf_text(&b); *line;) {
            size_t n = strcspn(line, "\n");
            if (n > (size_t)width)
                fail_msg("width %d: [%.*s]", width, (int)n, line);
            line += n + (line[n] != 0);
        }
        buf_finish(&b);
    }
}

static void a_narrow_terminal_gets_no_pictures(void **state)
{
    (void)state;
    const struct chart_page page = sample_page(&samples);
    const struct render_options o = {.width = 20};
    struct buf b = BUF_INIT(1 << 20);
    render_charts(&page, &o, &b);
    assert_null(strstr(buf_text(&b), "Drift"));
    buf_finish(&b);
}

static void svg_holds_every_chart(void **state)
{
    (void)state;
    const struct chart_page page = sample_page(&samples);
    struct buf b = BUF_INIT(1 << 22);
    struct sink sink = sink_to_buf(&b);
    assert_int_equal(chart_pages_svg("Timing leaks", &page, 1, &sink, NULL), TARE_OK);
    assert_golden("svg", &b);
    buf_finish(&b);
}

static void a_page_says_all_without_a_script(void **state)
{
    (void)state;
    const struct chart_page page = sample_page(&samples);
    struct record r;
    const struct export_options o = {.about = "Measured on a machine & nowhere else."};
    struct buf b = BUF_INIT(1 << 22);
    struct sink sink = sink_to_buf(&b);
    record_init(&r);
    r.pages = &page;
    r.n_pages = 1;
    assert_int_equal(chart_pages_html("tare leak ./ct_tests", &r, &o, &sink, NULL), TARE_OK);
    golden_without_record(&b);
    assert_golden("html", &b);
    const char *script = strstr(buf_text(&b), "<script");
    assert_true(script && !strncmp(script, "<script>/* SPDX", 15) && !strstr(script + 1, "<script"));
    assert_null(strstr(buf_text(&b), "src="));
    assert_non_null(strstr(buf_text(&b), "2.1 ns [1.9, 2.3]"));
    assert_non_null(strstr(buf_text(&b), "&lt;odd&gt; &amp; name"));
    buf_finish(&b);
}

/* ---- any values ---- */

static void draw_everywhere(const struct chart *c)
{
    const struct chart_page page = {.heading = "any", .charts = c, .n_charts = 1};
    struct buf svg = BUF_INIT(1 << 22), text = BUF_INIT(1 << 20);
    struct sink sink = sink_to_buf(&svg);
    assert_int_equal(chart_pages_svg("Timing leaks", &page, 1, &sink, NULL), TARE_OK);
    for (int i = 0; i < 4; i++)
        render_charts(&page, &(struct render_options){.width = i < 2 ? 80 : 0, .unicode = i % 2}, &text);
    assert_int_equal(text.status, TARE_OK);
    assert_null(strstr(buf_text(&svg), "nan"));
    assert_null(strstr(buf_text(&svg), "inf"));
    buf_finish(&svg);
    buf_finish(&text);
}

static void hostile_values_are_drawn_or_left_out(void **state)
{
    (void)state;
    static const double odd[] = {NAN, INFINITY, -INFINITY, 0, -1, 1e308, -1e308, 1e-300, 1, 2};
    enum { ODD = sizeof odd / sizeof *odd };
    for (int shape = 0; shape < 3; shape++)
        for (int logarithmic = 0; logarithmic < 2; logarithmic++)
            for (int first = 0; first < ODD; first++)
                for (int second = 0; second < ODD; second++) {
                    const double x[] = {odd[first], 1, odd[second]}, y[] = {odd[second], odd[first], 3};
                    const struct chart c = {.id = "odd",
                                            .title = "odd",
                                            .x_title = "x",
                                            .y_title = "y",
                                            .logarithmic_x = logarithmic,
                                            .settles = first % 2,
                                            .lines = {{"a", (enum chart_shape)shape, 3, x, y, y, x}},
                                            .n_lines = 1,
                                            .rules = {{odd[second], "rule"}},
                                            .n_rules = 1,
                                            .shaded = {odd[first], odd[second], "shade"}};
                    draw_everywhere(&c);
                }
}

/* Of the last quantile nothing is known: that it lies far away is said at the edge, and the others stay apart. */
static void a_vague_point_does_not_choose_the_scale(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3, 4}, low[] = {.9, 1, .8, -60}, high[] = {1.1, 1.2, 1, INFINITY};
    for (int near = 0; near < 2; near++) {
        const double y[] = {1, 1.1, .9, near ? 1.5 : 41};
        struct axis ax, ay;
        const struct chart c = {.id = "shift",
                                .title = "shift",
                                .x_title = "x",
                                .y_title = "y",
                                .lines = {{"a", CHART_POINTS, 4, x, y, low, high}},
                                .n_lines = 1,
                                .cuts_vague = true,
                                .shaded = {NAN, NAN, NULL}};
        const struct chart_page page = {.heading = "any", .charts = &c, .n_charts = 1};
        struct buf svg = BUF_INIT(1 << 20);
        struct sink sink = sink_to_buf(&svg);
        assert_true(chart_axes(&c, &ax, &ay));
        assert_true(ay.high < 2 && ay.low > 0 && (ay.high > 1.5) == (near == 1));
        assert_int_equal(chart_pages_svg("Timing leaks", &page, 1, &sink, NULL), TARE_OK);
        assert_int_equal(strstr(buf_text(&svg), ">41.0</text>") != NULL, !near);
        buf_finish(&svg);
    }
}

static void charts_without_values_are_left_out(void **state)
{
    (void)state;
    struct axis x, y;
    const struct chart empty = {
        .id = "empty", .title = "empty", .x_title = "x", .y_title = "y", .n_lines = 1, .shaded = {NAN, NAN, NULL}};
    assert_false(chart_axes(&empty, &x, &y));
    draw_everywhere(&empty);
}

static void a_chart_without_a_picture_says_why(void **state)
{
    (void)state;
    const struct chart c = {.id = "shift", .title = "Shift", .says = "Not resolved.", .shaded = {NAN, NAN, NULL}};
    const struct chart_page page = {.heading = "any", .charts = &c, .n_charts = 1};
    struct buf svg = BUF_INIT(1 << 22), text = BUF_INIT(1 << 20);
    struct sink sink = sink_to_buf(&svg);
    assert_int_equal(chart_pages_svg("Timing leaks", &page, 1, &sink, NULL), TARE_OK);
    render_charts(&page, &(struct render_options){.width = 80}, &text);
    assert_non_null(strstr(buf_text(&svg), "Not resolved."));
    assert_null(strstr(buf_text(&svg), "There are no values"));
    assert_non_null(strstr(buf_text(&text), "Not resolved."));
    buf_finish(&svg);
    buf_finish(&text);
}

static void a_wild_beginning_does_not_choose_the_scale(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3, 4}, y[] = {1e6, -1e6, 2, 3};
    struct chart c = {
        .settles = true, .lines = {{"a", CHART_LINE, 4, x, y, NULL, NULL}}, .n_lines = 1, .shaded = {NAN, NAN, NULL}};
    struct axis across, up;
    assert_true(chart_axes(&c, &across, &up));
    assert_true(up.high < 4 && up.low > 1);
    assert_true(across.low == 1 && across.high == 4);
    c.settles = false;
    assert_true(chart_axes(&c, &across, &up));
    assert_true(up.high > 1e6 - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_terminal_shows_every_chart),          cmocka_unit_test(no_line_is_longer_than_the_terminal),
        cmocka_unit_test(a_narrow_terminal_gets_no_pictures),      cmocka_unit_test(svg_holds_every_chart),
        cmocka_unit_test(a_page_says_all_without_a_script),        cmocka_unit_test(hostile_values_are_drawn_or_left_out),
        cmocka_unit_test(a_vague_point_does_not_choose_the_scale), cmocka_unit_test(charts_without_values_are_left_out),
        cmocka_unit_test(a_chart_without_a_picture_says_why),      cmocka_unit_test(a_wild_beginning_does_not_choose_the_scale),
    };
    return cmocka_run_group_tests_name("charts", tests, NULL, NULL);
}
