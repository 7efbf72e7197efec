/* SPDX-License-Identifier: MIT
 *
 * Texts and words as Windows has them. What command_line makes is read back by windows_words_split here, and by the system's own CommandLineToArgvW in
 * tests/ports/child_test.c.
 */
#include "command_line.h"
#include "rng.h"
#include "windows_quote.h"
#include "windows_words.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include "words_shown.h"
#include <cmocka.h>

static const char *shown(const char *text)
{
    return words_shown(windows_words_split, text);
}

#define assert_split(text, expected) assert_string_equal(shown(text), expected)

static void backslashes_are_part_of_paths(void **state)
{
    (void)state;
    assert_split("C:\\new\\table.exe C:\\data\\ \\\\server\\x", "<C:\\new\\table.exe><C:\\data\\><\\\\server\\x>");
    assert_split("\"C:\\My Tools\\a.exe\" \"C:\\my data\\\\\" x", "<C:\\My Tools\\a.exe><C:\\my data\\><x>");
    assert_split("\"C:\\dir\\\" x", "<C:\\dir\\><x>"); /* the program's own */
}

static void quotes_keep_blanks_and_can_be_said(void **state)
{
    (void)state;
    assert_split(" a \"b c\"\td'e f' ", "<a><b c><d'e><f'>");
    assert_split("a \"\" \"say \\\"x\\\"\" \\\"y \"z\"\"w\"", "<a><><say \"x\"><\"y><z\"w>");
    assert_split("a \\\\\"b c\\\\\" \\\\\\\"d", "<a><\\b c\\><\\\"d>");
    assert_split("", "");
    assert_split("a \"b", "unmatched \" at column 3; close it, or write \\\" to pass it on");
}

static void a_carriage_return_ends_a_line_and_no_word(void **state)
{
    (void)state;
    assert_split("a b\r", "<a><b>");
    assert_split("a\r\nb\r\n", "<a><b>");
    assert_split("a\rb \"c\r\"", "<a\rb><c\r>"); /* elsewhere the C library keeps it */
}

/* ---- cmd.exe ---- */

static bool only_find(void *context, const char *name)
{
    (void)context;
    return !strcmp(name, "time");
}

static const char *need(const char *text)
{
    const struct shell_need found = windows_shell_find(text, SHELL_NEEDS_ALL, only_find, NULL);
    struct buf b = BUF_INIT(1 << 10);
    shell_need_describe(&b, &found);
    const char *result = arena_copy(&arena, buf_text(&b), b.len);
    buf_finish(&b);
    return result;
}

static void a_shell_is_for_what_cmd_alone_does(void **state)
{
    (void)state;
    assert_string_equal(need("a.exe C:\\x\\*.c 'q' $HOME 50% (x)"), "nothing");
    assert_string_equal(need("a.exe | b"), "'|' at column 7");
    assert_string_equal(need("a.exe \"x|y\" > z"), "'>' at column 13");
    assert_string_equal(need("a \"%TEMP%\""), "'%' at column 4");
    assert_string_equal(need("\"%ProgramFiles(x86)%\\a.exe\""), "'%' at column 2");
    assert_string_equal(need("Dir /b"), "the shell builtin 'Dir'");
    assert_string_equal(need("time /t"), "nothing"); /* there is such a program */
    assert_string_equal(need("a\nb"), "a newline at column 2");
    assert_string_equal(need("\na\n"), "nothing");
    assert_string_equal(need("dir\r"), "the shell builtin 'dir'");
}

/* ---- the other way ---- */

static const char *line_of(const char *const *argv)
{
    struct buf b = BUF_INIT(1 << 20);
    struct tare_err err;
    if (command_line(argv, &b, &err))
        buf_str(&b, err.text);
    const char *result = arena_copy(&arena, buf_text(&b), b.len);
    buf_finish(&b);
    return result;
}

#define assert_line(expected, ...) assert_string_equal(line_of((const char *const[]){__VA_ARGS__, NULL}), expected)

static void words_become_a_command_line(void **state)
{
    (void)state;
    assert_line("a.exe b C:\\x\\", "a.exe", "b", "C:\\x\\");
    assert_line("\"C:\\a b\\c.exe\" \"x y\\\\\" \"\" \"\\\"\"", "C:\\a b\\c.exe", "x y\\", "", "\"");
    assert_line("cannot run a\"b: the name of a program on Windows has no quotes in it", "a\"b");
}

static void cmd_gets_its_text_as_it_is(void **state)
{
    (void)state;
    assert_line("cmd.exe /d /s /c \"type \"a b.txt\" | find \"x\\\"\"", "cmd.exe", "/d", "/s", "/c",
                "type \"a b.txt\" | find \"x\\\"");
    assert_line("C:\\W\\CMD.EXE /C \"dir\"", "C:\\W\\CMD.EXE", "/C", "dir");
    assert_line("other.exe /c \"a \\\"b\\\"\"", "other.exe", "/c", "a \"b\"");
    assert_true(windows_is_cmd("cmd") && !windows_is_cmd("cmdx.exe") && !windows_is_cmd("C:\\cmd\\a.exe"));
}

static char *random_word(struct rng *r, char *word)
{
    static const char letters[] = "\\\\\\\"\"  \tab'^%&|<>\xc3\xa4";
    const size_t n = (size_t)rng_below(r, 12);
    for (size_t i = 0; i < n; i++)
        word[i] = letters[rng_below(r, sizeof letters - 3)];
    word[n] = 0;
    return word;
}

static void any_words_come_back(void **state)
{
    (void)state;
    struct rng r = rng_seeded(23);
    char room[6][16];
    for (int round = 0; round < 20000; round++) {
        const char *argv[8] = {"a b.exe"};
        const int n = 1 + (int)rng_below(&r, 6);
        for (int i = 1; i < n; i++)
            argv[i] = random_word(&r, room[i]);
        argv[n] = NULL;
        const char *const *again;
        int found;
        struct arena one = {0};
        struct buf line = BUF_INIT(1 << 16);
        assert_int_equal(command_line(argv, &line, NULL), TARE_OK);
        assert_int_equal(windows_words_split(&one, buf_text(&line), &again, &found, NULL), TARE_OK);
        assert_int_equal(found, n);
        for (int i = 0; i < n; i++)
            assert_string_equal(again[i], argv[i]);
        buf_finish(&line);
        arena_finish(&one);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(backslashes_are_part_of_paths),
        cmocka_unit_test(quotes_keep_blanks_and_can_be_said),
        cmocka_unit_test(a_shell_is_for_what_cmd_alone_does),
        cmocka_unit_test(words_become_a_command_line),
        cmocka_unit_test(cmd_gets_its_text_as_it_is),
        cmocka_unit_test(any_words_come_back),
        cmocka_unit_test(a_carriage_return_ends_a_line_and_no_word),
    };
    return cmocka_run_group_tests(tests, NULL, forget);
}
