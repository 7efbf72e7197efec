/* SPDX-License-Identifier: MIT */
#include "buf.h"
#include "shell_line.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The words of a shell's line: '+' before one that starts a command, '>' before one that is redirected. */
static void line_is(const char *line, const char *expected)
{
    struct arena a = {0};
    struct buf b = BUF_INIT(1 << 12);
    struct shell_word *words;
    const char *const argv[] = {"sh", "-c", line, NULL};
    const int n = shell_line_words(&a, argv, &words);
    for (int i = 3; i < n; i++)
        buf_format(&b, "%s%s%s", i > 3 ? " " : "", words[i].redirected ? ">" : words[i].starts ? "+" : "", words[i].text);
    assert_string_equal(buf_text(&b), expected);
    buf_finish(&b);
    arena_finish(&a);
}

static void words_are_split_at_quotes_blanks_and_operators(void **state)
{
    (void)state;
    line_is("", "");
    line_is("a b|c", "+a b +c");
    line_is("a;b && c\nd", "+a +b +c +d");
    line_is("(a 'b c' \"d\"e)", "+a b c de");
    line_is("sort <in >out 2>&1", "+sort >in >out 2 >1");
    line_is("<in sort", ">in +sort");
    line_is("a >|b; c", "+a >b +c");
    line_is("x=$(cat f) y", "+x=$ +cat f +y");
    line_is("a 'unclosed", "+a unclosed");
    line_is("a\\ b \\| c", "+a b | c");
    line_is("a > ; b", "+a +b");
}

static void lines_within_a_line_are_split_three_deep(void **state)
{
    (void)state;
    line_is("sh -c 'a | b'", "+sh -c a | b +a +b");
    line_is("bash -lc \"sh -c 'x y'\"", "+bash -lc sh -c 'x y' +sh -c x y +x y");
    line_is("nice -n 5 /bin/bash -c 'x y'", "+nice -n 5 /bin/bash -c x y +x y");
    line_is("wc -c f", "+wc -c f");
    line_is("sh -x -c 'x y' -c 'v w'", "+sh -x -c x y +x y -c v w");
    line_is("sh a; wc -c f", "+sh a +wc -c f");
}

static void a_command_is_without_what_runs_it(void **state)
{
    (void)state;
    struct arena a = {0};
    struct shell_word *words;
    const char *const argv[] = {"sh", "-c", "if A=1 env -i B=2 nice -n 5 ./p x <f; then cd d; fi", NULL};
    const int n = shell_line_words(&a, argv, &words);
    bool elsewhere = false, wrapped;
    int at = 3;
    const char *const *command = shell_line_command(&a, words, n, &at, &elsewhere, &wrapped);
    assert_string_equal(command[0], "./p");
    assert_string_equal(command[1], "x");
    assert_null(command[2]);
    assert_false(elsewhere);
    shell_line_command(&a, words, n, &at, &elsewhere, &wrapped);
    assert_true(elsewhere);
    arena_finish(&a);
}

static void what_runs_another_is_left_out(void **state)
{
    (void)state;
    static const char *const lines[] = {"env A=1 ./p",
                                        "taskset -c 0 ./p",
                                        "timeout 5 ./p",
                                        "setarch -R ./p",
                                        "ionice -c3 ./p",
                                        "chrt -o 0 ./p",
                                        "eval ./p",
                                        "time ./p",
                                        "xargs -n 1 ./p",
                                        "numactl -N 0 -m 0 ./p",
                                        "setpriv --no-new-privs ./p"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct arena a = {0};
        struct shell_word *words;
        const char *const argv[] = {"sh", "-c", lines[i], NULL};
        const int n = shell_line_words(&a, argv, &words);
        bool elsewhere = false, wrapped;
        int at = 3;
        const char *const *command = shell_line_command(&a, words, n, &at, &elsewhere, &wrapped);
        if (!command[0] || strcmp(command[0], "./p"))
            fail_msg("%s: %s", lines[i], command[0] ? command[0] : "nothing");
        arena_finish(&a);
    }
}

/* Which of them is the program only a look at the files can tell. */
static void values_of_options_may_stand_before_what_is_run(void **state)
{
    (void)state;
    struct arena a = {0};
    struct shell_word *words;
    const char *const argv[] = {"sh", "-c", "timeout -s KILL 9 ./p x; ./q", NULL};
    const int n = shell_line_words(&a, argv, &words);
    bool elsewhere = false, wrapped;
    int at = 3;
    const char *const *command = shell_line_command(&a, words, n, &at, &elsewhere, &wrapped);
    assert_true(wrapped);
    assert_string_equal(command[0], "KILL");
    assert_string_equal(command[2], "./p");
    shell_line_command(&a, words, n, &at, &elsewhere, &wrapped);
    assert_false(wrapped);
    arena_finish(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_split_at_quotes_blanks_and_operators),
        cmocka_unit_test(lines_within_a_line_are_split_three_deep),
        cmocka_unit_test(a_command_is_without_what_runs_it),
        cmocka_unit_test(what_runs_another_is_left_out),
        cmocka_unit_test(values_of_options_may_stand_before_what_is_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
