/* SPDX-License-Identifier: MIT */
#include "shell_syntax.h"
#include "words.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include "words_shown.h"
#include <cmocka.h>

static const char *shown(const char *text)
{
    return words_shown(words_split, text);
}

#define assert_split(text, expected) assert_string_equal(shown(text), expected)

static void blanks_separate_words(void **state)
{
    (void)state;
    assert_split("", "");
    assert_split(" \t\n", "");
    assert_split("a", "<a>");
    assert_split("  ls\t-l \n x ", "<ls><-l><x>");
}

static void quotes_keep_blanks_and_may_stand_within_a_word(void **state)
{
    (void)state;
    assert_split("grep 'two words' f", "<grep><two words><f>");
    assert_split("a\"b c\"'d e'f", "<ab cd ef>");
    assert_split("'' \"\" x''", "<><><x>");
    assert_split("'a\"b' \"a'b\"", "<a\"b><a'b>");
}

static void a_backslash_keeps_the_next_byte_as_in_a_posix_shell(void **state)
{
    (void)state;
    assert_split("a\\ b \\'c\\\" \\\\", "<a b><'c\"><\\>");
    assert_split("\"\\$ \\` \\\" \\\\ \\n\"", "<$ ` \" \\ \\n>");
    assert_split("'\\n'", "<\\n>");
    assert_split("a\\\nb \"c\\\nk\" 'e\\\nf'", "<ab><ck><e\\\nf>");
    assert_split("end\\", "<end\\>");
}

static void bytes_of_utf_8_pass_untouched(void **state)
{
    (void)state;
    assert_split("größe 'naïve façade' 日本", "<größe><naïve façade><日本>");
    assert_split("\xff\xa0 \x80", "<\xff\xa0><\x80>");
}

static void an_unmatched_quote_is_named_with_its_column_in_characters(void **state)
{
    (void)state;
    assert_split("grep 'x", "unmatched ' at column 6; close it, or write \\' to pass it on");
    assert_split("größe \"x", "unmatched \" at column 7; close it, or write \\\" to pass it on");
    assert_split("'a' 'b' '", "unmatched ' at column 9; close it, or write \\' to pass it on");
}

static void quoted_words_read_back_as_themselves(void **state)
{
    (void)state;
    const char *const words[] = {"plain", "",      "two words", "it's", "$HOME", "a\nb", "\\", "'",
                                 "{}",    "--x=1", "A=1",       "*",    "é",     "~",    "#"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct buf b = BUF_INIT(4096), expected = BUF_INIT(4096);
        words_quote(&b, words[i]);
        buf_format(&expected, "<%s>", words[i]);
        assert_string_equal(shown(buf_text(&b)), buf_text(&expected));
        buf_finish(&b);
        buf_finish(&expected);
    }
    struct buf b = BUF_INIT(64);
    words_quote(&b, "--level=1/2");
    assert_string_equal(buf_text(&b), "--level=1/2");
    buf_finish(&b);
}

/* ---- what needs a shell ---- */

static bool files(void *context, const char *name)
{
    (void)context;
    const char *const there[] = {"echo", "[", "test", "printf", "true", "sleep", "time"};
    for (size_t i = 0; i < sizeof there / sizeof *there; i++)
        if (strcmp(there[i], name) == 0)
            return true;
    return false;
}

static const char *need_of(const char *text, int kinds)
{
    struct shell_need need = shell_syntax_find(text, kinds, files, NULL);
    if (!need.kind)
        return "no";
    struct buf b = BUF_INIT(256);
    shell_need_describe(&b, &need);
    const char *result = arena_copy(&arena, buf_text(&b), b.len);
    buf_finish(&b);
    return result;
}

#define assert_need(text, expected) assert_string_equal(need_of(text, SHELL_NEEDS_ALL), expected)

static void plain_words_need_no_shell(void **state)
{
    (void)state;
    const char *const texts[] = {"",        "ls -l",      "grep -c x f.txt",  "./a --x=1 a=b", "/usr/bin/cd x",
                                 "a-b=c d", "tr a-z A-Z", "x^y 50% a,b +@:%", "\n ls \n",      "a!b",
                                 "prog !x", "a~ b#c"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_need(texts[i], "no");
}

static void operators_and_expansions_need_one_and_are_named_with_their_column(void **state)
{
    (void)state;
    assert_need("a | b", "'|' at column 3");
    assert_need("é|b", "'|' at column 2");
    assert_need("a&& b", "'&' at column 2");
    assert_need("a;b", "';' at column 2");
    assert_need("a <f", "'<' at column 3");
    assert_need("a 2>&1", "'>' at column 4");
    assert_need("(a)", "'(' at column 1");
    assert_need("a )", "')' at column 3");
    assert_need("a `b`", "'`' at column 3");
    assert_need("a\n\n b", "a newline at column 2");
    assert_need("a $x", "'$' at column 3");
    assert_need("a $(b)", "'$' at column 3");
    assert_need("ls *.c", "'*' at column 4");
    assert_need("ls a?", "'?' at column 5");
    assert_need("ls [ab]", "'[' at column 4");
    assert_need("ls ~/x", "'~' at column 4");
    assert_need("ls # all", "'#' at column 4");
    assert_need("echo {a,b}", "'{' at column 6");
    assert_need("echo a}", "'}' at column 7");
    assert_need("{ a", "'{' at column 1");
}

static void quoting_takes_the_meaning_away_except_from_dollar_and_backtick_in_double_quotes(void **state)
{
    (void)state;
    assert_need("a '|&;<>()$`*?[~#{}\n'", "no");
    assert_need("a \"|&;<>()*?[~#{}\n\"", "no");
    assert_need("a \\| \\& \\; \\< \\> \\( \\) \\$x \\` \\* \\? \\[ \\~ \\# \\{ \\}", "no");
    assert_need("a \"x $y\"", "'$' at column 6");
    assert_need("a \"x `y`\"", "'`' at column 6");
    assert_need("a \"\\$x \\`\"", "no");
}

static void what_every_shell_takes_literally_needs_none(void **state)
{
    (void)state;
    assert_need("find . -exec grep x {} +", "no");
    assert_need("xargs -I {} x", "no");
    assert_need("xargs -I {}x", "'{' at column 10");
    assert_need("grep x$ f", "no");
    assert_need("grep \"x$\" f", "no");
    assert_need("grep x$", "no");
    assert_need("[ -f x ]", "no");
}

static void assignments_count_only_in_front_of_the_program(void **state)
{
    (void)state;
    assert_need("A=1 prog", "the assignment A= at column 1");
    assert_need(" _b2='x y' prog", "the assignment _b2= at column 2");
    assert_need("prog A=1", "no");
    assert_need("'A'=1 prog", "no");
    assert_need("\\A=1 prog", "no");
    assert_need("A\\=1 prog", "no");
    assert_need("A-B=1", "no");
    assert_need("2A=1", "no");
    assert_need("=1", "no");
}

static void builtins_and_keywords_need_one_unless_such_a_file_is_on_path(void **state)
{
    (void)state;
    assert_need("cd /tmp", "the shell builtin 'cd'");
    assert_need("  ulimit -n", "the shell builtin 'ulimit'");
    assert_need("\"cd\" /tmp", "the shell builtin 'cd'");
    assert_need("! true", "the shell builtin '!'");
    assert_need(": x", "the shell builtin ':'");
    assert_need("exec", "the shell builtin 'exec'");
    assert_need("echo x", "no");
    assert_need("time sleep 1", "no");
    assert_need("kill 0", "the shell builtin 'kill'");
    assert_need("prog cd", "no");
    assert_need("cdx", "no");
    assert_need("a_very_long_name_of_a_program cd", "no");
}

static void one_can_ask_for_some_kinds_only(void **state)
{
    (void)state;
    assert_string_equal(need_of("ls *.c | wc", SHELL_OPERATOR), "'|' at column 8");
    assert_string_equal(need_of("ls *.c", SHELL_OPERATOR | SHELL_ASSIGNMENT | SHELL_BUILTIN), "no");
    assert_string_equal(need_of("A=1 ls *.c", SHELL_EXPANSION), "'*' at column 8");
}

static void an_open_quote_is_sure_only_where_nothing_before_may_pair_it(void **state)
{
    (void)state;
    const struct {
        const char *text;
        char quote;
        bool sure;
    } cases[] = {{"echo 'a", '\'', true},         {"echo it's | wc", '\'', true},       {"cat <<E\nit's\nE", '\'', false},
                 {"a # it's", '\'', false},       {"echo \"$(echo \"a)\"", '"', false}, {"echo 'a'", 0, false},
                 {"echo $'it\\'s'", '\'', false}, {"echo `echo \"x", '"', false},       {"a < f 'x", '\'', true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct shell_need need = shell_syntax_find(cases[i].text, SHELL_NEEDS_ALL, files, NULL);
        assert_int_equal(need.open_quote, cases[i].quote);
        assert_int_equal(need.open_sure, cases[i].sure);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(blanks_separate_words, forget),
        cmocka_unit_test_teardown(quotes_keep_blanks_and_may_stand_within_a_word, forget),
        cmocka_unit_test_teardown(a_backslash_keeps_the_next_byte_as_in_a_posix_shell, forget),
        cmocka_unit_test_teardown(bytes_of_utf_8_pass_untouched, forget),
        cmocka_unit_test_teardown(an_unmatched_quote_is_named_with_its_column_in_characters, forget),
        cmocka_unit_test_teardown(quoted_words_read_back_as_themselves, forget),
        cmocka_unit_test_teardown(plain_words_need_no_shell, forget),
        cmocka_unit_test_teardown(operators_and_expansions_need_one_and_are_named_with_their_column, forget),
        cmocka_unit_test_teardown(quoting_takes_the_meaning_away_except_from_dollar_and_backtick_in_double_quotes, forget),
        cmocka_unit_test_teardown(what_every_shell_takes_literally_needs_none, forget),
        cmocka_unit_test_teardown(assignments_count_only_in_front_of_the_program, forget),
        cmocka_unit_test_teardown(builtins_and_keywords_need_one_unless_such_a_file_is_on_path, forget),
        cmocka_unit_test_teardown(one_can_ask_for_some_kinds_only, forget),
        cmocka_unit_test_teardown(an_open_quote_is_sure_only_where_nothing_before_may_pair_it, forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
