/* SPDX-License-Identifier: MIT */
#include "buf.h"
#include "subjects.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define WORDS(...)         ((const char *const[]){__VA_ARGS__})
#define COUNT(...)         ((int)(sizeof WORDS(__VA_ARGS__) / sizeof(const char *)))
#define GIVEN(member, ...) .member = WORDS(__VA_ARGS__), .n_##member = COUNT(__VA_ARGS__)

static struct arena arena;
static struct subject_plan plan;
static struct tare_err err;

static int forget(void **state)
{
    (void)state;
    arena_finish(&arena);
    return 0;
}

static bool files(void *context, const char *name)
{
    (void)context;
    const char *const there[] = {"echo", "true", "ls", "/opt/my prog"};
    for (size_t i = 0; i < sizeof there / sizeof *there; i++)
        if (strcmp(there[i], name) == 0)
            return true;
    return false;
}

static enum tare_status make(struct subject_input in)
{
    in.program_exists = files;
    return subjects_make(&in, &arena, &plan, &err);
}

static const char *words_of(const char *const *argv)
{
    struct buf b = BUF_INIT(1 << 16);
    for (; argv && *argv; argv++)
        buf_format(&b, "<%s>", *argv);
    const char *text = arena_copy(&arena, buf_text(&b), b.len);
    buf_finish(&b);
    return text;
}

#define assert_made(...)                               \
    do {                                               \
        if (make((struct subject_input){__VA_ARGS__})) \
            fail_msg("%s", err.text);                  \
    } while (0)
#define assert_refused(expected, ...)                                             \
    do {                                                                          \
        assert_int_not_equal(make((struct subject_input){__VA_ARGS__}), TARE_OK); \
        assert_string_equal(err.text, expected);                                  \
        assert_int_equal(plan.n, 0);                                              \
    } while (0)
#define assert_argv(i, expected) assert_string_equal(words_of(plan.subjects[i].argv), expected)

static void each_operand_is_a_command(void **state)
{
    (void)state;
    assert_made(GIVEN(before, "grep -c x 'a b'", "sleep 1"));
    assert_int_equal(plan.n, 2);
    assert_argv(0, "<grep><-c><x><a b>");
    assert_argv(1, "<sleep><1>");
    assert_string_equal(plan.subjects[0].command, "grep -c x 'a b'");
    assert_string_equal(plan.subjects[0].name, "grep -c x 'a b'");
    assert_false(plan.shell);
    assert_null(plan.shell_reason);
    assert_int_equal(plan.n_notes, 0);
    assert_true(plan.same_setup_cleanup);
    assert_false(plan.has_reference);
}

static void bare_operands_are_commands_and_one_line_says_so(void **state)
{
    (void)state;
    assert_made(GIVEN(before, "ls", "wc"));
    assert_int_equal(plan.n, 2);
    assert_int_equal(plan.n_notes, 1);
    assert_string_equal(plan.notes[0], "read as 2 commands: ls, wc (one command with its arguments: in quotes, or after --)");
    assert_made(GIVEN(before, "ls", "wc x"));
    assert_int_equal(plan.n_notes, 0);
}

static void words_after_two_dashes_are_one_command(void **state)
{
    (void)state;
    assert_made(GIVEN(after, "prog", "two words", "*", "it's"));
    assert_int_equal(plan.n, 1);
    assert_argv(0, "<prog><two words><*><it's>");
    assert_string_equal(plan.subjects[0].command, "prog 'two words' '*' 'it'\\''s'");
    assert_false(plan.shell);
    assert_int_equal(plan.n_notes, 0);
    assert_made(GIVEN(after, "prog"));
    assert_int_equal(plan.n_notes, 0);
}

static void words_after_two_dashes_are_commands_if_the_first_has_blanks_and_is_no_program(void **state)
{
    (void)state;
    assert_made(GIVEN(after, "ls -l", "wc f"));
    assert_int_equal(plan.n, 2);
    assert_argv(1, "<wc><f>");
    assert_int_equal(plan.n_notes, 0);
    assert_made(GIVEN(after, "ls -l", "a", "b"));
    assert_int_equal(plan.n, 3);
    assert_string_equal(
        plan.notes[0],
        "the arguments after -- are read as 3 commands, because the first contains blanks and is not a program: ls -l, a, b");
    assert_made(GIVEN(after, "/opt/my prog", "x y"));
    assert_int_equal(plan.n, 1);
    assert_argv(0, "</opt/my prog><x y>");
}

static void operands_on_both_sides_of_the_dashes_are_compared(void **state)
{
    (void)state;
    assert_made(GIVEN(before, "old x"), GIVEN(after, "new", "x y"));
    assert_int_equal(plan.n, 2);
    assert_argv(0, "<old><x>");
    assert_argv(1, "<new><x y>");
}

static void nothing_to_run_is_refused(void **state)
{
    (void)state;
    assert_refused("no command given; write one in quotes, or after --", .n_before = 0);
    assert_refused("command 2 is empty; remove it, or quote a program's name", GIVEN(before, "a", ""));
    assert_refused("command 1 is empty; remove it, or quote a program's name", GIVEN(before, " \t"));
    assert_refused("command 1 (''): the program's name is empty", GIVEN(before, "''"));
    assert_refused("command 1 is empty; remove it, or quote a program's name", GIVEN(after, "", "x"));
    assert_refused("--reference is empty; give a command", GIVEN(before, "a"), .reference = "");
}

/* ---- the shell ---- */

static void one_command_that_needs_a_shell_gives_it_to_all(void **state)
{
    (void)state;
    assert_made(GIVEN(before, "ls -l", "ls | wc -l"));
    assert_true(plan.shell);
    assert_string_equal(plan.shell_name, "/bin/sh");
    assert_string_equal(plan.shell_reason, "command 2 uses '|' at column 4");
    assert_argv(0, "</bin/sh><-c><ls -l>");
    assert_argv(1, "</bin/sh><-c><ls | wc -l>");
    assert_true(plan.subjects[0].shell);
    assert_int_equal(plan.n_notes, 1);
    assert_made(GIVEN(before, "ls | wc -l", "ls -l", "a; b"));
    assert_true(plan.subjects[1].shell && plan.subjects[2].shell);
    assert_string_equal(plan.shell_reason, "command 1 uses '|' at column 4");
    assert_int_equal(plan.n_notes, 1);
    assert_made(GIVEN(before, "ls -l", "ls | wc -l"));
    assert_string_equal(plan.notes[0],
                        "/bin/sh runs every command: command 2 uses '|' at column 4; its own time is part of all results");
    assert_made(GIVEN(before, "cd /"));
    assert_string_equal(plan.notes[0],
                        "/bin/sh runs the command: the command uses the shell builtin 'cd'; its own time is part of the result");
}

static void a_command_given_as_words_keeps_its_meaning_in_a_shell(void **state)
{
    (void)state;
    assert_made(GIVEN(after, "prog", "a b", "*"), .reference = "x | y");
    assert_string_equal(plan.shell_reason, "the reference uses '|' at column 3");
    assert_argv(1, "</bin/sh><-c><prog 'a b' '*'>");
}

static void on_windows_texts_are_read_as_there(void **state)
{
    (void)state;
    assert_made(GIVEN(before, "C:\\new\\a.exe \"two words\""), .windows = true);
    assert_argv(0, "<C:\\new\\a.exe><two words>");
    assert_made(GIVEN(before, "a.exe | b"), GIVEN(after, "c", "d e", "f&g"), .windows = true);
    assert_argv(0, "<cmd.exe></d></s></c><a.exe | b>");
    assert_argv(1, "<cmd.exe></d></s></c><c \"d e\" \"f&g\">");
    assert_made(GIVEN(before, "ls"), .windows = true, .shell = "C:\\tools\\bash.exe --norc");
    assert_argv(0, "<C:\\tools\\bash.exe><--norc><-c><ls>");
}

static void a_named_shell_always_wins(void **state)
{
    (void)state;
    assert_made(GIVEN(before, "ls"), .shell = "bash --norc", .setup = "true", GIVEN(after, "ls", "a b"));
    assert_argv(0, "<bash><--norc><-c><ls>");
    assert_argv(1, "<bash><--norc><-c><ls 'a b'>");
    assert_string_equal(words_of(plan.hooks[0].setup.argv), "<bash><--norc><-c><true>");
    assert_null(plan.shell_reason);
    assert_string_equal(plan.shell_name, "bash --norc");
    assert_made(GIVEN(before, "ls"), .shell = "default");
    assert_argv(0, "</bin/sh><-c><ls>");
    assert_made(GIVEN(before, "it's fish's"), .shell = "fish");
    assert_argv(0, "<fish><-c><it's fish's>");
    assert_made(GIVEN(before, "ls"), .shell = "cmd", .setup = "it's");
    assert_string_equal(words_of(plan.hooks[0].setup.argv), "<cmd><-c><it's>");
    assert_refused("-S: the shell's name is empty; give a program, \"default\" or \"none\"", GIVEN(before, "ls"), .shell = "");
    assert_refused("-S: the shell's name is empty; give a program, \"default\" or \"none\"", GIVEN(before, "ls"), .shell = "''");
    assert_refused("-S: unmatched ' at column 6; close it, or write \\' to pass it on", GIVEN(before, "ls"), .shell = "bash 'x");
    assert_refused("-S and -N contradict each other; give one of them", GIVEN(before, "ls"), .shell = "sh", .no_shell = true);
}

static void without_a_shell_what_would_run_something_else_is_refused(void **state)
{
    (void)state;
    assert_refused("command 1 (echo a | wc): '|' at column 8 needs a shell, which -N forbids; drop -N, or quote it to pass it on "
                   "unchanged",
                   GIVEN(before, "echo a | wc"), .no_shell = true);
    assert_refused(
        "command 1 (A=1 x): the assignment A= at column 1 needs a shell, which -N forbids; drop -N, or quote it to pass it on "
        "unchanged",
        GIVEN(before, "A=1 x"), .shell = "none");
    assert_refused("command 1 (cd x): the shell builtin 'cd' needs a shell, which -N forbids; drop -N", GIVEN(before, "cd x"),
                   .no_shell = true);
    assert_refused("--prepare: ';' at column 5 needs a shell, which -N forbids; drop -N, or quote it to pass it on unchanged",
                   GIVEN(before, "x"), GIVEN(prepare, "sync; echo"), .no_shell = true);
}

static void without_a_shell_patterns_are_passed_on_with_one_line(void **state)
{
    (void)state;
    assert_made(GIVEN(before, "rg x[a-z]+ f"), .no_shell = true);
    assert_argv(0, "<rg><x[a-z]+><f>");
    assert_int_equal(plan.n_notes, 1);
    assert_string_equal(
        plan.notes[0],
        "command 1 (rg x[a-z]+ f): '[' at column 5 is passed to the program unchanged, because -N forbids a shell");
    assert_made(GIVEN(before, "rg 'a|b' f"), .no_shell = true);
    assert_int_equal(plan.n_notes, 0);
}

static void open_quotes_are_refused_where_no_shell_could_read_them(void **state)
{
    (void)state;
    assert_refused("command 2 (grep 'x): unmatched ' at column 6; close it, or write \\' to pass it on",
                   GIVEN(before, "ls", "grep 'x"));
    assert_refused("command 1 (a | grep 'x): unmatched ' at column 10; close it, or write \\' to pass it on",
                   GIVEN(before, "a | grep 'x"));
    assert_refused("--setup: unmatched \" at column 3; close it, or write \\\" to pass it on", GIVEN(before, "ls"),
                   .setup = "a \"");
    assert_made(GIVEN(before, "cat <<E\nit's\nE"));
    assert_true(plan.shell);
    assert_refused("command 1 (grep 'x): unmatched ' at column 6; close it, or write \\' to pass it on", GIVEN(before, "grep 'x"),
                   .no_shell = true);
}

/* ---- parameters ---- */

static void lists_multiply_with_the_command_changing_fastest(void **state)
{
    (void)state;
    assert_made(GIVEN(before, "echo {p}{q}", "printf {p} {q}"), .lists = WORDS("p", "a,b", "q", "z,y"), .n_lists = 2);
    const char *const expected[] = {"echo az", "printf a z", "echo bz", "printf b z",
                                    "echo ay", "printf a y", "echo by", "printf b y"};
    assert_int_equal(plan.n, 8);
    for (int i = 0; i < 8; i++) {
        assert_string_equal(plan.subjects[i].command, expected[i]);
        assert_string_equal(plan.subjects[i].name, expected[i]);
    }
    assert_int_equal(plan.subjects[3].n_parameters, 2);
    assert_string_equal(plan.subjects[3].parameters[0].name, "p");
    assert_string_equal(plan.subjects[3].parameters[0].value, "b");
    assert_string_equal(plan.subjects[3].parameters[1].value, "z");
}

static void a_scan_fills_commands_and_hooks(void **state)
{
    (void)state;
    assert_made(GIVEN(before, "sleep {d}"), .scans = WORDS("d", "0.3", "0.7"), .n_scans = 1, .scan_step = "0.2",
                .setup = "make {d}", GIVEN(prepare, "sync"), GIVEN(conclude, "rm {d} *"), .cleanup = "true");
    assert_int_equal(plan.n, 3);
    assert_argv(2, "<sleep><0.7>");
    assert_string_equal(plan.subjects[1].setup, "make 0.5");
    assert_string_equal(words_of(plan.hooks[1].setup.argv), "<make><0.5>");
    assert_string_equal(words_of(plan.hooks[2].conclude.argv), "</bin/sh><-c><rm 0.7 *>");
    assert_true(plan.hooks[2].conclude.shell);
    assert_false(plan.hooks[2].prepare.shell);
    assert_false(plan.shell);
    assert_false(plan.same_setup_cleanup);
    assert_ptr_equal(plan.hooks[0].prepare.argv, plan.hooks[2].prepare.argv);
}

static void values_with_blanks_are_one_word_only_after_two_dashes(void **state)
{
    (void)state;
    assert_made(GIVEN(before, "grep {p}"), .lists = WORDS("p", "a b"), .n_lists = 1);
    assert_argv(0, "<grep><a><b>");
    assert_made(GIVEN(after, "grep", "{p}"), .lists = WORDS("p", "a b"), .n_lists = 1);
    assert_argv(0, "<grep><a b>");
    assert_string_equal(plan.subjects[0].command, "grep 'a b'");
}

static void parameters_that_contradict_each_other_are_refused(void **state)
{
    (void)state;
    assert_refused("-P and -L cannot be combined; write the scan as a list: -L VAR 1,2,3", GIVEN(before, "x"),
                   .scans = WORDS("d", "1", "2"), .n_scans = 1, .lists = WORDS("e", "1"), .n_lists = 1);
    assert_refused("-P may be given once; write further parameters as lists: -L VAR a,b", GIVEN(before, "x"),
                   .scans = WORDS("d", "1", "2", "e", "1", "2"), .n_scans = 2);
    assert_refused("-D is the step of a scan; it needs -P VAR MIN MAX", GIVEN(before, "x"), .scan_step = "1");
    assert_refused("-L p is given twice; put all its values into one list", GIVEN(before, "x"),
                   .lists = WORDS("p", "1", "p", "2"), .n_lists = 2);
    assert_refused("-P d: 'nan' is not a plain decimal number (such as 10, -2 or 0.25)", GIVEN(before, "x"),
                   .scans = WORDS("d", "nan", "2"), .n_scans = 1);
    assert_refused("the commands and parameters multiply to more than 100000 commands; give fewer values",
                   GIVEN(before, "x {d}", "y {d}"), .scans = WORDS("d", "1", "50001"), .n_scans = 1);
    assert_refused("command 2 is empty; remove it, or quote a program's name", GIVEN(before, "{c}"), .lists = WORDS("c", "a,"),
                   .n_lists = 1);
}

static void parameters_that_go_nowhere_and_braces_that_are_none_are_said(void **state)
{
    (void)state;
    assert_made(GIVEN(before, "sleep {delya}"), .lists = WORDS("delay", "1,2", "x", "3"), .n_lists = 2, .setup = "make {x}");
    assert_int_equal(plan.n_notes, 3);
    assert_string_equal(plan.notes[0],
                        "/bin/sh runs every command: command 1 uses '{' at column 7; its own time is part of all results");
    assert_string_equal(plan.notes[1], "parameter delay changes nothing: no command or hook contains {delay}");
    assert_string_equal(plan.notes[2], "command 1: {delya} is not a parameter and is left unchanged; parameters are delay, x");
    assert_made(GIVEN(before, "awk '{print}' {f}"));
    assert_string_equal(
        plan.notes[1], "command 1: {f} is not a parameter and is left unchanged; -L VAR a,b or -P VAR MIN MAX would make it one");
    assert_made(GIVEN(before, "find -exec x {} + ${a} {a,b}"));
    assert_int_equal(plan.n_notes, 1);
}

/* ---- names ---- */

static void names_hold_parameters_and_show_those_the_command_does_not(void **state)
{
    (void)state;
    assert_made(GIVEN(before, "make {j}"), .lists = WORDS("j", "1,2", "c", "old,new"), .n_lists = 2, .setup = "git checkout {c}");
    assert_string_equal(plan.subjects[0].name, "make 1 (c = old)");
    assert_string_equal(plan.subjects[3].name, "make 2 (c = new)");
    assert_string_equal(plan.subjects[3].command, "make 2");
    assert_made(GIVEN(before, "sleep {d}"), GIVEN(names, "nap {d}"), .lists = WORDS("d", "1,2"), .n_lists = 1);
    assert_string_equal(plan.subjects[1].name, "nap 2");
    assert_made(GIVEN(before, "a {d}", "b {d}"), GIVEN(names, "A", "B"), .lists = WORDS("d", "1,2"), .n_lists = 1);
    assert_string_equal(plan.subjects[2].name, "A (d = 2)");
    assert_string_equal(plan.subjects[3].name, "B (d = 2)");
    assert_made(GIVEN(before, "a {d}"), GIVEN(names, "one", "two {d}"), .lists = WORDS("d", "1,2"), .n_lists = 1);
    assert_string_equal(plan.subjects[0].name, "one");
    assert_string_equal(plan.subjects[1].name, "two 2");
}

static void the_first_commands_may_be_named_and_no_two_names_are_equal(void **state)
{
    (void)state;
    assert_made(GIVEN(before, "a x", "b x"), GIVEN(names, "first"));
    assert_string_equal(plan.subjects[0].name, "first");
    assert_string_equal(plan.subjects[1].name, "b x");
    assert_made(GIVEN(before, "a x", "a x", "a x #2", "a x"));
    assert_string_equal(plan.subjects[0].name, "a x");
    assert_string_equal(plan.subjects[1].name, "a x #2");
    assert_string_equal(plan.subjects[2].name, "a x #2 #2");
    assert_string_equal(plan.subjects[3].name, "a x #3");
    assert_refused("-n is given 2 times for 1 command; give each command at most one name", GIVEN(before, "a"),
                   GIVEN(names, "x", "y"));
    assert_refused("-n is given 3 times for 4 commands; give it once (with {VAR} in it), or once for each",
                   GIVEN(before, "a {d}", "b"), GIVEN(names, "x", "y", "z"), .lists = WORDS("d", "1,2"), .n_lists = 1);
    assert_refused("-n: a name cannot be blank", GIVEN(before, "a"), GIVEN(names, " "));
}

static void the_reference_comes_first_and_has_no_parameters(void **state)
{
    (void)state;
    assert_made(GIVEN(before, "new {d}"), .reference = "old 1", .reference_name = "baseline", .lists = WORDS("d", "1,2"),
                .n_lists = 1, GIVEN(names, "n{d}"));
    assert_true(plan.has_reference);
    assert_int_equal(plan.n, 3);
    assert_int_equal(plan.n_texts, 2);
    assert_string_equal(plan.subjects[0].name, "baseline");
    assert_string_equal(plan.subjects[0].command, "old 1");
    assert_int_equal(plan.subjects[0].n_parameters, 0);
    assert_string_equal(plan.subjects[2].name, "n2");
    assert_refused("--reference-name needs --reference", GIVEN(before, "a"), .reference_name = "x");
    assert_refused("--reference uses {d}, but it is one command for all values; write the value out", GIVEN(before, "a {d}"),
                   .reference = "b {d}", .lists = WORDS("d", "1"), .n_lists = 1);
    assert_refused("--setup uses {d}, which the --reference command does not have; make the reference one of the commands",
                   GIVEN(before, "a {d}"), .reference = "b", .setup = "make {d}", .lists = WORDS("d", "1"), .n_lists = 1);
}

/* ---- hooks ---- */

static void prepare_and_conclude_are_given_once_or_once_for_each(void **state)
{
    (void)state;
    assert_made(GIVEN(before, "a", "b x"), GIVEN(prepare, "p1 {x}", "p2"), GIVEN(conclude, "c"));
    assert_string_equal(plan.subjects[0].prepare, "p1 {x}");
    assert_string_equal(plan.subjects[1].prepare, "p2");
    assert_string_equal(plan.subjects[1].conclude, "c");
    assert_null(plan.subjects[1].setup);
    assert_null(plan.hooks[1].setup.argv);
    assert_made(GIVEN(before, "a {d}", "b {d}"), .reference = "r", GIVEN(prepare, "pr", "pa {d}", "pb {d}"),
                .lists = WORDS("d", "1,2"), .n_lists = 1);
    const char *const expected[] = {"pr", "pa 1", "pb 1", "pa 2", "pb 2"};
    for (int i = 0; i < 5; i++)
        assert_string_equal(plan.subjects[i].prepare, expected[i]);
    assert_made(GIVEN(before, "a {d}", "b {d}"), GIVEN(prepare, "1", "2", "3", "4 {d}"), .lists = WORDS("d", "1,2"),
                .n_lists = 1);
    assert_string_equal(plan.subjects[2].prepare, "3");
    assert_string_equal(plan.subjects[3].prepare, "4 2");
    assert_int_equal(subjects_choice(&plan, 3, 0), -1);
    assert_refused("--prepare is given 3 times for 2 commands; give it once for all, or once for each", GIVEN(before, "a", "b x"),
                   GIVEN(prepare, "1", "2", "3"));
    assert_refused("--conclude is given 2 times for 3 commands (the reference is one); give it once for all, or once for each",
                   GIVEN(before, "a", "b x"), .reference = "r", GIVEN(conclude, "1", "2"));
}

static void a_blank_hook_is_none(void **state)
{
    (void)state;
    assert_made(GIVEN(before, "a", "b x"), GIVEN(prepare, "", "p"), .setup = " ");
    assert_null(plan.hooks[0].prepare.argv);
    assert_null(plan.subjects[0].prepare);
    assert_null(plan.subjects[0].setup);
    assert_string_equal(words_of(plan.hooks[1].prepare.argv), "<p>");
}

static void setups_that_differ_in_their_parameters_are_noticed(void **state)
{
    (void)state;
    assert_made(GIVEN(before, "a {c}"), .lists = WORDS("c", "1,2"), .n_lists = 1, .cleanup = "rm {c}");
    assert_false(plan.same_setup_cleanup);
    assert_made(GIVEN(before, "a {c}"), .lists = WORDS("c", "1,2"), .n_lists = 1, .setup = "make", .cleanup = "rm");
    assert_true(plan.same_setup_cleanup);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(each_operand_is_a_command, forget),
        cmocka_unit_test_teardown(bare_operands_are_commands_and_one_line_says_so, forget),
        cmocka_unit_test_teardown(words_after_two_dashes_are_one_command, forget),
        cmocka_unit_test_teardown(words_after_two_dashes_are_commands_if_the_first_has_blanks_and_is_no_program, forget),
        cmocka_unit_test_teardown(operands_on_both_sides_of_the_dashes_are_compared, forget),
        cmocka_unit_test_teardown(nothing_to_run_is_refused, forget),
        cmocka_unit_test_teardown(one_command_that_needs_a_shell_gives_it_to_all, forget),
        cmocka_unit_test_teardown(a_command_given_as_words_keeps_its_meaning_in_a_shell, forget),
        cmocka_unit_test_teardown(a_named_shell_always_wins, forget),
        cmocka_unit_test_teardown(on_windows_texts_are_read_as_there, forget),
        cmocka_unit_test_teardown(without_a_shell_what_would_run_something_else_is_refused, forget),
        cmocka_unit_test_teardown(without_a_shell_patterns_are_passed_on_with_one_line, forget),
        cmocka_unit_test_teardown(open_quotes_are_refused_where_no_shell_could_read_them, forget),
        cmocka_unit_test_teardown(lists_multiply_with_the_command_changing_fastest, forget),
        cmocka_unit_test_teardown(a_scan_fills_commands_and_hooks, forget),
        cmocka_unit_test_teardown(values_with_blanks_are_one_word_only_after_two_dashes, forget),
        cmocka_unit_test_teardown(parameters_that_contradict_each_other_are_refused, forget),
        cmocka_unit_test_teardown(parameters_that_go_nowhere_and_braces_that_are_none_are_said, forget),
        cmocka_unit_test_teardown(names_hold_parameters_and_show_those_the_command_does_not, forget),
        cmocka_unit_test_teardown(the_first_commands_may_be_named_and_no_two_names_are_equal, forget),
        cmocka_unit_test_teardown(the_reference_comes_first_and_has_no_parameters, forget),
        cmocka_unit_test_teardown(prepare_and_conclude_are_given_once_or_once_for_each, forget),
        cmocka_unit_test_teardown(a_blank_hook_is_none, forget),
        cmocka_unit_test_teardown(setups_that_differ_in_their_parameters_are_noticed, forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
