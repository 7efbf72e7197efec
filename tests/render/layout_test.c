/* SPDX-License-Identifier: MIT
 *
* Signs, styles, lines and columns. */
#include "layout.h"
#include "quote.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* ---- signs ---- */

static struct record nothing;

/* What `put` writes into the piece of a page with these options. */
static const char *written(const struct render_options *o, void (*put)(struct page *, double), double value)
{
    static char text[512];
    struct buf out = BUF_INIT(1 << 16);
    struct page p = page_over(&nothing, o, &out);
    put(&p, value);
    piece_adapt(&p);
    snprintf(text, sizeof text, "%s", buf_text(&p.piece));
    page_finish(&p);
    buf_finish(&out);
    return text;
}

static void put_a_sentence(struct page *p, double figure)
{
    put_text(p, "5 µs → −3 %, ±1 × é\xc3 \xe2\x88 ");
    figure_signed(&p->piece, figure, 1);
}

static void our_signs_have_twins_in_ascii(void **state)
{
    (void)state;
    const struct render_options utf8 = {.unicode = true}, ascii = {0};
    assert_string_equal(written(&utf8, put_a_sentence, -2), "5 µs → −3 %, ±1 × é\\xc3 \\xe2\\x88 −2.0");
    assert_string_equal(written(&ascii, put_a_sentence, INFINITY), "5 us -> -3 %, +/-1 x \\u00e9\\xc3 \\xe2\\x88 +inf");
}

/* To the nearest it would be a limit that the bound does not pass. */
static void a_bound_is_rounded_up(void **state)
{
    static const double ratios[][2] = {{1.04, 1.1}, {.104, .11}, {.0662, .067}, {.00112, .002}, {0, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++)
        assert_float_equal(upper_bound(ratios[i][0]), ratios[i][1], 1e-11);
    assert_float_equal(upper_bound(expm1(log(1.06))), .06, 1e-11);
}

static void bars_show_whatever_is_not_nothing(void **state)
{
    (void)state;
    const struct render_options utf8 = {.unicode = true}, ascii = {0};
    assert_string_equal(written(&utf8, put_bar, 0), "");
    assert_string_equal(written(&utf8, put_bar, 0.01), "▏");
    assert_string_equal(written(&utf8, put_bar, 2.5), "██▌");
    assert_string_equal(written(&utf8, put_bar, 2.99), "███");
    assert_string_equal(written(&ascii, put_bar, 0.01), "#");
    assert_string_equal(written(&ascii, put_bar, 2.6), "###");
}

/* ---- styles ---- */

static struct render_options styled(enum render_style style, struct render_terminal t)
{
    struct render_options o = {.width = -1};
    render_style_apply(&o, style, &t);
    return o;
}

static void a_style_is_what_it_says_and_auto_asks_the_surroundings(void **state)
{
    (void)state;
    static const struct {
        enum render_style style;
        struct render_terminal terminal;
        bool colour, live, unicode;
        int width;
    } cases[] = {
        {RENDER_AUTO, {true, 80, NULL, "xterm", NULL, NULL, "en_GB.UTF-8"}, true, true, true, 80},
        {RENDER_AUTO, {true, 80, "1", "xterm", NULL, NULL, "en_GB.UTF-8"}, false, true, true, 80},
        {RENDER_AUTO, {true, 80, "", "xterm", NULL, NULL, "en_GB.UTF-8"}, true, true, true, 80},
        {RENDER_AUTO, {true, 80, NULL, "dumb", NULL, NULL, "en_GB.UTF-8"}, false, false, true, 80},
        {RENDER_AUTO, {true, 80, NULL, NULL, NULL, NULL, "C.utf8"}, true, true, true, 80},
        {RENDER_AUTO, {false, 80, NULL, "xterm", NULL, NULL, "en_GB.UTF-8"}, false, false, true, 0},
        {RENDER_FULL, {true, 60, "1", "dumb", NULL, NULL, "en_GB.UTF-8"}, true, true, true, 60},
        {RENDER_FULL, {false, 60, NULL, "xterm", NULL, NULL, "en_GB.UTF-8"}, true, false, true, 0},
        {RENDER_BASIC, {true, 80, NULL, "xterm", NULL, NULL, "en_GB.UTF-8"}, false, false, true, 80},
        {RENDER_NOCOLOR, {true, 80, NULL, "xterm", NULL, NULL, "en_GB.UTF-8"}, false, true, true, 80},
        {RENDER_COLOR, {true, 80, NULL, "xterm", NULL, NULL, "en_GB.UTF-8"}, true, false, true, 80},
        {RENDER_NONE, {true, 80, NULL, "xterm", NULL, NULL, "en_GB.UTF-8"}, false, false, true, 80},
        {RENDER_BASIC, {true, 80, NULL, NULL, "C", NULL, "en_GB.UTF-8"}, false, false, false, 80},
        {RENDER_BASIC, {true, 80, NULL, NULL, "", "en_GB.UTF-8@euro", "C"}, false, false, true, 80},
        {RENDER_BASIC, {true, 80, NULL, NULL, NULL, NULL, "de_DE.ISO-8859-1"}, false, false, false, 80},
        {RENDER_BASIC, {true, 80, NULL, NULL, NULL, NULL, NULL}, false, false, false, 80},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct render_options o = styled(cases[i].style, cases[i].terminal);
        if (o.colour != cases[i].colour || o.live != cases[i].live || o.unicode != cases[i].unicode || o.width != cases[i].width)
            fail_msg("case %zu: colour %d live %d unicode %d width %d", i, o.colour, o.live, o.unicode, o.width);
    }
}

/* ---- lines ---- */

static void check_flow(int width, const char *expected)
{
    struct buf out = BUF_INIT(1 << 16);
    const struct render_options o = {.width = width, .unicode = true};
    struct page p = page_over(&nothing, &o, &out);
    flow_begin(&p, 1, 3);
    static const char *const pieces[] = {"one", "two and", "µµµ", "three is long"};
    for (int i = 0; i < 4; i++) {
        buf_str(&p.piece, pieces[i]);
        flow_put(&p, "  ");
    }
    flow_put(&p, "  "); /* an empty piece */
    flow_end(&p);
    flow_begin(&p, 5, 5);
    flow_end(&p);
    page_finish(&p);
    assert_string_equal(buf_text(&out), expected);
    buf_finish(&out);
}

static void pieces_stay_whole_where_a_line_can_hold_them(void **state)
{
    (void)state;
    check_flow(0, " one  two and  µµµ  three is long\n");
    check_flow(33, " one  two and  µµµ  three is long\n");
    check_flow(32, " one  two and  µµµ\n   three is long\n");
    check_flow(17, " one  two and\n   µµµ\n   three is long\n");
    check_flow(12, " one\n   two and\n   µµµ\n   three is\n   long\n");
    check_flow(1, " one\n   two\n   and\n   µµµ\n   three\n   is\n   long\n");
}

static void check_table(int width, bool stacked, const char *expected)
{
    struct buf out = BUF_INIT(1 << 16);
    const struct render_options o = {.width = width, .stacked = stacked, .unicode = true};
    struct page p = page_over(&nothing, &o, &out);
    const struct table_column columns[] = {{.title = "name", .side = SIDE_LEFT},
                                           {.title = "n", .side = SIDE_RIGHT, .weight = 1},
                                           {.title = "value", .side = SIDE_POINT, .weight = 2},
                                           {.title = "void", .side = SIDE_LEFT, .weight = 3}};
    struct table t;
    table_begin(&t, &p, columns, 4);
    static const char *const cells[] = {"a", "100", "1.5", "", "µs", "7", "22.25", "", "c", "", "3", ""};
    for (int i = 0; i < 12; i++) {
        buf_str(&p.piece, cells[i]);
        table_cell(&t);
    }
    table_end(&t, 1);
    page_finish(&p);
    assert_string_equal(buf_text(&out), expected);
    buf_finish(&out);
}

static void tables_align_points_and_lose_columns_by_weight(void **state)
{
    (void)state;
    check_table(0, false, " name    n  value\n a     100   1.5\n µs      7  22.25\n c           3\n");
    check_table(17, false, " name    n  value\n a     100   1.5\n µs      7  22.25\n c           3\n");
    check_table(16, false, " name  value\n a      1.5\n µs    22.25\n c      3\n");
    check_table(8, false, " name\n a\n µs\n c\n");
    check_table(1, false, " name\n a\n µs\n c\n");
}

static void stacked_rows_lose_nothing(void **state)
{
    (void)state;
    check_table(17, true, " name    n  value\n a     100   1.5\n µs      7  22.25\n c           3\n");
    check_table(16, true, " a\n   n: 100\n   value: 1.5\n µs\n   n: 7\n   value: 22.25\n c\n   value: 3\n");
}

static void check_rest(int width, const char *expected)
{
    struct buf out = BUF_INIT(1 << 16);
    const struct render_options o = {.width = width};
    struct page p = page_over(&nothing, &o, &out);
    const struct table_column columns[] = {{"a", SIDE_LEFT, 0}, {"b", SIDE_RIGHT, 1}, {"c", SIDE_RIGHT, 0}};
    struct table t;
    table_begin(&t, &p, columns, 3);
    for (int i = 0; i < 3; i++)
        table_format(&t, "one");
    buf_str(&p.piece, "it was too long");
    table_rest(&t);
    for (int i = 0; i < 3; i++)
        table_format(&t, "two");
    table_end(&t, 1);
    page_finish(&p);
    assert_string_equal(buf_text(&out), expected);
    buf_finish(&out);
}

static void a_cell_may_go_on_to_the_end_of_its_row_and_widens_no_column(void **state)
{
    (void)state;
    check_rest(0, " a      b    c\n one  one  one\n it was too long\n two  two  two\n");
    check_rest(16, " a      b    c\n one  one  one\n it was too long\n two  two  two\n");
    check_rest(12, " a      c\n one  one\n   it was\n     too\n     long\n two  two\n");
}

int main(void)
{
    record_init(&nothing);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(our_signs_have_twins_in_ascii),
        cmocka_unit_test(a_bound_is_rounded_up),
        cmocka_unit_test(bars_show_whatever_is_not_nothing),
        cmocka_unit_test(a_style_is_what_it_says_and_auto_asks_the_surroundings),
        cmocka_unit_test(pieces_stay_whole_where_a_line_can_hold_them),
        cmocka_unit_test(tables_align_points_and_lose_columns_by_weight),
        cmocka_unit_test(stacked_rows_lose_nothing),
        cmocka_unit_test(a_cell_may_go_on_to_the_end_of_its_row_and_widens_no_column),
    };
    int failed = cmocka_run_group_tests_name("layout", tests, NULL, NULL);
    record_finish(&nothing);
    return failed;
}
