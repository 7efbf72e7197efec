/* SPDX-License-Identifier: MIT */
#include "quote.h"
#include "rng.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char text[1 << 12];

static const char *taken(struct buf *b)
{
    assert_int_equal(b->status, TARE_OK);
    snprintf(text, sizeof text, "%s", buf_text(b));
    buf_finish(b);
    return text;
}

static const char *masked(const char *s, bool unicode)
{
    struct buf b = BUF_INIT(1 << 16);
    quote_mask(&b, s, unicode);
    return taken(&b);
}

static const char *cut(const char *s, int columns, bool unicode)
{
    struct buf b = BUF_INIT(1 << 16);
    quote_cut(&b, s, columns, unicode);
    return taken(&b);
}

static const char *named(const char *s, int columns)
{
    struct buf b = BUF_INIT(1 << 16);
    quote_name(&b, s, columns, true);
    return taken(&b);
}

static const char *word(const char *s, bool unicode)
{
    struct buf b = BUF_INIT(1 << 16);
    quote_word(&b, s, unicode);
    return taken(&b);
}

static int columns(const char *s)
{
    return text_columns(s, strlen(s));
}

static void what_steers_a_terminal_is_shown_as_an_escape(void **state)
{
    (void)state;
    assert_string_equal(masked("a\033[2Jb\n\t\r\177", true), "a\\x1b[2Jb\\n\\t\\x0d\\x7f");
    assert_string_equal(masked("\xc2\x9b", true), "\\u009b");     /* C1: CSI in one character */
    assert_string_equal(masked("\xe2\x80\xae", true), "\\u202e"); /* right-to-left override */
    assert_string_equal(masked("\xef\xbb\xbf", true), "\\ufeff"); /* byte order mark */
    assert_string_equal(masked("\xf3\xa0\x81\x81", true), "\\U000e0041");
    assert_string_equal(masked("a\xe2\x80\x8b"
                               "b",
                               true),
                        "a\\u200bb"); /* zero width space */
    assert_string_equal(masked("é日😀", true), "é日😀");
    assert_string_equal(masked("é日😀", false), "\\u00e9\\u65e5\\U0001f600");
}

static void bytes_that_are_not_utf8_are_shown_one_by_one(void **state)
{
    (void)state;
    assert_string_equal(masked("\xff", true), "\\xff");
    assert_string_equal(masked("\x80x", true), "\\x80x");
    assert_string_equal(masked("\xc3", true), "\\xc3"); /* cut short */
    assert_string_equal(masked("\xe2\x82z", true), "\\xe2\\x82z");
    assert_string_equal(masked("\xc0\xaf", true), "\\xc0\\xaf"); /* an overlong slash */
    assert_string_equal(masked("\xe0\x80\xaf", true), "\\xe0\\x80\\xaf");
    assert_string_equal(masked("\xed\xa0\x80", true), "\\xed\\xa0\\x80");          /* a surrogate */
    assert_string_equal(masked("\xf4\x90\x80\x80", true), "\\xf4\\x90\\x80\\x80"); /* past the last character */
    assert_string_equal(masked("\xf5\x80\x80\x80", true), "\\xf5\\x80\\x80\\x80");
}

static void widths_are_those_of_terminals(void **state)
{
    (void)state;
    assert_int_equal(columns(""), 0);
    assert_int_equal(columns("abc"), 3);
    assert_int_equal(columns("µ×±"), 3);
    assert_int_equal(columns("日本"), 4);
    assert_int_equal(columns("e\xcc\x81"), 1); /* e and a combining acute */
    assert_int_equal(columns("😀"), 2);
    assert_int_equal(columns("\033[1;31mred\033[0m"), 3);
    assert_int_equal(columns("█▏"), 2);
}

static void names_are_shortened_in_their_middle(void **state)
{
    (void)state;
    assert_string_equal(cut("abcdefghij", 10, true), "abcdefghij");
    assert_string_equal(cut("abcdefghij", 9, true), "abcd…ghij");
    assert_string_equal(cut("abcdefghij", 8, true), "abcd…hij");
    assert_string_equal(cut("abcdefghij", 8, false), "abc...ij");
    assert_string_equal(cut("abcdefghij", 1, true), "ab…ij");
    assert_string_equal(cut("abcdefghij", 0, true), "abcdefghij");
    assert_string_equal(cut("日本語日本語", 8, true), "日本…語"); /* an odd column stays empty */
    assert_string_equal(cut("", 8, true), "");
}

/* As long as a command line can be: work that grows with the square of it would not end within the test's time. */
static void the_longest_command_line_is_cut_too(void **state)
{
    (void)state;
    enum { LONG = 2 << 20 };
    char *s = malloc(LONG + 1);
    assert_non_null(s);
    memset(s, 'x', LONG);
    memcpy(s, "begin", 5);
    memcpy(s + LONG - 3, "end", 4);
    assert_string_equal(cut(s, 9, true), "begi…xend");
    free(s);
}

static void cut_text_never_exceeds_its_columns(void **state)
{
    (void)state;
    struct rng g = rng_seeded(1);
    for (int i = 0; i < 20000; i++) {
        char s[40];
        int n = (int)rng_below(&g, 39), width = 5 + (int)rng_below(&g, 40);
        for (int k = 0; k < n; k++)
            s[k] = (char)(1 + rng_below(&g, 255));
        s[n] = 0;
        bool unicode = rng_below(&g, 2);
        const char *shown = cut(s, width, unicode);
        if (columns(shown) > width)
            fail_msg("%d columns instead of %d: %s", columns(shown), width, shown);
        char once[1 << 12];
        snprintf(once, sizeof once, "%s", shown);
        assert_string_equal(masked(once, unicode), once); /* nothing left to mask */
    }
}

static void quotation_marks_avoid_those_inside(void **state)
{
    (void)state;
    assert_string_equal(named("grep x", 0), "'grep x'");
    assert_string_equal(named("awk '{print}'", 0), "\"awk '{print}'\"");
    assert_string_equal(named("a \"b\"", 0), "'a \"b\"'");
    assert_string_equal(named("a 'b' \"c\"", 0), "'a 'b' \"c\"'");
    assert_string_equal(named("abcdefghij", 9), "'abc…hij'");
}

static void words_are_quoted_for_a_shell(void **state)
{
    (void)state;
    assert_string_equal(word("/usr/bin/gcc-12", true), "/usr/bin/gcc-12");
    assert_string_equal(word("", true), "''");
    assert_string_equal(word("two words", true), "'two words'");
    assert_string_equal(word("it's", true), "'it'\\''s'");
    assert_string_equal(word("$HOME*", true), "'$HOME*'");
    assert_string_equal(word("~", true), "'~'");
    assert_string_equal(word("a\nb'\\", true), "$'a\\nb\\'\\\\'");
    assert_string_equal(word("é x", true), "'é x'");
    assert_string_equal(word("é x", false), "$'\\u00e9 x'");
    struct buf b = BUF_INIT(1 << 10);
    quote_words(&b, (const char *const[]){"sh", "-c", "a | b", NULL}, true);
    assert_string_equal(taken(&b), "sh -c 'a | b'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_steers_a_terminal_is_shown_as_an_escape),
        cmocka_unit_test(bytes_that_are_not_utf8_are_shown_one_by_one),
        cmocka_unit_test(widths_are_those_of_terminals),
        cmocka_unit_test(names_are_shortened_in_their_middle),
        cmocka_unit_test(the_longest_command_line_is_cut_too),
        cmocka_unit_test(cut_text_never_exceeds_its_columns),
        cmocka_unit_test(quotation_marks_avoid_those_inside),
        cmocka_unit_test(words_are_quoted_for_a_shell),
    };
    return cmocka_run_group_tests_name("quote", tests, NULL, NULL);
}
