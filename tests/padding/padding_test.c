/* SPDX-License-Identifier: MIT */
#include "buf.h"
#include "padding.h"
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

static const char *const *const bare_environment = (const char *const[]){"PATH=/bin", "HOME=/root", NULL};

struct program {
    const char *path;
    const char *const *argv;
};

static struct padding *make(const char *const *environment, const struct program *programs, int n)
{
    struct padding *p;
    assert_int_equal(padding_create(&p, environment, NULL, 0, n, NULL), TARE_OK);
    for (int i = 0; i < n; i++)
        padding_set_command(p, i, programs[i].path, programs[i].argv);
    return p;
}

static const char *variable(const char *const *envp, const char *name)
{
    size_t len = strlen(name);
    for (; *envp; envp++)
        if (strncmp(*envp, name, len) == 0 && (*envp)[len] == '=')
            return *envp + len + 1;
    return NULL;
}

static int times(const char *const *envp, const char *name)
{
    size_t len = strlen(name);
    int n = 0;
    for (; *envp; envp++)
        n += strncmp(*envp, name, len) == 0 && (*envp)[len] == '=';
    return n;
}

/* ---- sizes, counted anew from what would be handed to exec ---- */

struct place {
    size_t strings, pointers;
};

static struct place place_of(const struct program *program, const char *const *envp)
{
    struct place s = {.strings = strlen(program->path) + 1};
    for (const char *const *w = program->argv; *w; w++, s.pointers++)
        s.strings += strlen(*w) + 1;
    for (; *envp; envp++, s.pointers++)
        s.strings += strlen(*envp) + 1;
    return s;
}

/* Where the stack begins below its top, by the kernel's rule; the constants between cannot be known here, so all are tried. */
static size_t depth(struct place s, size_t constants)
{
    size_t strings = (8 + s.strings + 15) / 16 * 16;
    return (strings + constants + 8 * (s.pointers + 3) + 15) / 16 * 16;
}

static const struct program programs[] = {
    {"/bin/a", (const char *const[]){"a", NULL}},
    {"/usr/local/bin/a-much-longer-name", (const char *const[]){"a-much-longer-name", "-x", NULL}},
    {"/bin/b", (const char *const[]){"b", "1", "", "3", "4", "5", "6", NULL}},
    {"./c", (const char *const[]){"./c", "some words", "more", "é", NULL}},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

static void in_a_round_all_commands_are_equally_large(void **state)
{
    (void)state;
    struct padding *p = make(bare_environment, programs, PROGRAMS);
    for (int offset = 0; offset < PADDING_OFFSETS; offset += 7) {
        assert_int_equal(padding_round(p, ITERATION_RUN, offset, offset, NULL), TARE_OK);
        assert_true(padding_equal(p));
        struct place first = place_of(&programs[0], padding_environment(p, 0));
        for (int i = 1; i < PROGRAMS; i++) {
            struct place s = place_of(&programs[i], padding_environment(p, i));
            assert_int_equal(s.strings + 8 * s.pointers, first.strings + 8 * first.pointers);
            for (size_t constants = 0; constants < 64; constants++)
                assert_int_equal(depth(s, constants), depth(first, constants));
        }
    }
    padding_destroy(p);
}

static void the_offset_is_common_and_moves_all_commands_by_as_many_bytes(void **state)
{
    (void)state;
    struct padding *p = make(bare_environment, programs, PROGRAMS);
    for (int i = 0; i < PROGRAMS; i++) {
        padding_round(p, ITERATION_RUN, 0, 0, NULL);
        struct place zero = place_of(&programs[i], padding_environment(p, i));
        padding_round(p, ITERATION_RUN, 1, 1234, NULL);
        struct place moved = place_of(&programs[i], padding_environment(p, i));
        assert_int_equal(moved.strings - zero.strings, 1234);
        assert_int_equal(moved.pointers, zero.pointers);
    }
    padding_destroy(p);
}

static void the_largest_command_gets_the_offset_alone(void **state)
{
    (void)state;
    struct padding *p = make(bare_environment, programs, PROGRAMS);
    padding_round(p, ITERATION_RUN, 0, 3, NULL);
    size_t least = SIZE_MAX;
    for (int i = 0; i < PROGRAMS; i++) {
        size_t n = strlen(variable(padding_environment(p, i), "HYPERFINE_RANDOMIZED_ENVIRONMENT_OFFSET"));
        least = n < least ? n : least;
    }
    assert_int_equal(least, 3);
    padding_destroy(p);
}

static void a_new_path_is_made_up_for_from_the_next_round_on(void **state)
{
    (void)state;
    struct program pair[] = {programs[0], programs[0]};
    struct padding *p = make(bare_environment, pair, 2);
    padding_round(p, ITERATION_RUN, 0, 0, NULL);
    char longer[9001];
    memset(longer, '/', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    pair[1].path = longer;
    padding_set_command(p, 1, longer, pair[1].argv);
    assert_int_equal(padding_round(p, ITERATION_RUN, 1, 4095, NULL), TARE_OK);
    struct place a = place_of(&pair[0], padding_environment(p, 0)), b = place_of(&pair[1], padding_environment(p, 1));
    assert_int_equal(a.strings, b.strings);
    assert_int_equal(a.pointers, b.pointers);
    padding_destroy(p);
}

static void a_difference_that_no_variable_can_hold_is_admitted(void **state)
{
    (void)state;
    static char huge[120001];
    memset(huge, 'h', sizeof huge - 1);
    const struct program pair[] = {programs[0], {"/bin/a", (const char *const[]){"a", huge, NULL}}};
    struct padding *p = make(bare_environment, pair, 2);
    assert_int_equal(padding_round(p, ITERATION_RUN, 0, 4095, NULL), TARE_OK);
    assert_false(padding_equal(p));
    assert_true(strlen(variable(padding_environment(p, 0), "HYPERFINE_RANDOMIZED_ENVIRONMENT_OFFSET")) < 128 * 1024 - 64);
    assert_int_equal(strlen(variable(padding_environment(p, 1), "HYPERFINE_RANDOMIZED_ENVIRONMENT_OFFSET")), 4095);
    padding_destroy(p);
}

/* ---- variables ---- */

static void iterations_are_counted_in_the_words_of_hyperfine(void **state)
{
    (void)state;
    struct padding *p = make(bare_environment, programs, 2);
    padding_round(p, ITERATION_WARMUP, 0, 0, NULL);
    assert_string_equal(variable(padding_environment(p, 1), "HYPERFINE_ITERATION"), "warmup-0");
    padding_round(p, ITERATION_RUN, INT_MAX, 0, NULL);
    assert_string_equal(variable(padding_environment(p, 0), "HYPERFINE_ITERATION"), "2147483647");
    padding_round(p, ITERATION_NONE, 0, 0, NULL);
    assert_null(variable(padding_environment(p, 0), "HYPERFINE_ITERATION"));
    padding_destroy(p);
}

static void hooks_get_the_environment_without_an_iteration(void **state)
{
    (void)state;
    struct padding *p = make(bare_environment, programs, PROGRAMS);
    assert_string_equal(variable(padding_hook_environment(p), "HYPERFINE_RANDOMIZED_ENVIRONMENT_OFFSET"), "");
    padding_round(p, ITERATION_RUN, 5, 2, NULL);
    const char *const *envp = padding_hook_environment(p);
    assert_null(variable(envp, "HYPERFINE_ITERATION"));
    assert_string_equal(variable(envp, "HYPERFINE_RANDOMIZED_ENVIRONMENT_OFFSET"), "XX");
    assert_string_equal(variable(envp, "HOME"), "/root");
    padding_destroy(p);
}

static void extra_variables_replace_and_the_last_counts(void **state)
{
    (void)state;
    struct padding *p;
    assert_int_equal(padding_create(&p, bare_environment, LIST("HOME=/a", "NEW=", "HOME=/b=c", "HOM=x"), 4, 0, NULL), TARE_OK);
    const char *const *envp = padding_hook_environment(p);
    assert_string_equal(variable(envp, "HOME"), "/b=c");
    assert_string_equal(variable(envp, "NEW"), "");
    assert_string_equal(variable(envp, "HOM"), "x");
    assert_string_equal(variable(envp, "PATH"), "/bin");
    assert_int_equal(times(envp, "HOME"), 1);
    padding_destroy(p);
}

static void our_own_variables_are_not_inherited(void **state)
{
    (void)state;
    const char *const *environment =
        LIST("HYPERFINE_ITERATION=7", "HYPERFINE_RANDOMIZED_ENVIRONMENT_OFFSET=XX", "TARE_PAD=", "TARE_PADDED=1", "odd entry");
    struct padding *p = make(environment, programs, 2);
    padding_round(p, ITERATION_RUN, 1, 1, NULL);
    const char *const *envp = padding_environment(p, 0);
    assert_int_equal(times(envp, "HYPERFINE_ITERATION"), 1);
    assert_int_equal(times(envp, "HYPERFINE_RANDOMIZED_ENVIRONMENT_OFFSET"), 1);
    assert_int_equal(times(envp, "TARE_PAD"), 0);
    assert_int_equal(times(envp, "TARE_PADDED"), 1);
    assert_string_equal(envp[1], "odd entry");
    padding_destroy(p);
}

static void extra_variables_without_a_name_or_with_one_of_ours_are_refused(void **state)
{
    (void)state;
    struct padding *p;
    struct tare_err err;
    assert_int_equal(padding_create(&p, bare_environment, LIST("NAME"), 1, 0, &err), TARE_INVALID);
    assert_string_equal(err.text, "--env 'NAME': write it as NAME=VALUE");
    assert_int_equal(padding_create(&p, bare_environment, LIST("=x"), 1, 0, &err), TARE_INVALID);
    assert_int_equal(padding_create(&p, bare_environment, LIST("HYPERFINE_ITERATION=3"), 1, 0, &err), TARE_INVALID);
    assert_string_equal(err.text, "--env HYPERFINE_ITERATION: tare sets this variable anew for each run; choose another name");
    assert_null(p);
    padding_destroy(NULL);
}

/* ---- live: where the kernel really puts the stack ---- */

/* The place a program prints, 0 when randomisation cannot be switched off here. */
static uintptr_t run(const struct program *program, const char *const *envp)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (dup2(ends[1], 1) < 0 || personality(ADDR_NO_RANDOMIZE) < 0 || personality(0xffffffff) != ADDR_NO_RANDOMIZE)
            _exit(99);
        execve(program->path, (char *const *)(uintptr_t)program->argv, (char *const *)(uintptr_t)envp);
        _exit(98);
    }
    close(ends[1]);
    char text[64] = "";
    ssize_t n = read(ends[0], text, sizeof text - 1);
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 99)
        return 0;
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_true(n > 0);
    return (uintptr_t)strtoull(text, NULL, 16);
}

static char folder[64], long_path[256];

static void link_programs(struct program *out)
{
    strcpy(folder, "/tmp/tare-padding-XX"
                   "XX"
                   "XX");
    assert_non_null(mkdtemp(folder));
    snprintf(long_path, sizeof long_path, "%s/a-name-of-no-particular-length-but-a-long-one", folder);
    assert_int_equal(symlink(STACK_PLACE, long_path), 0);
    for (int i = 0; i < PROGRAMS; i++)
        out[i] = (struct program){i % 2 ? long_path : STACK_PLACE, programs[i].argv};
}

static void unlink_programs(void)
{
    unlink(long_path);
    rmdir(folder);
}

static void check_live(struct padding *p, const struct program *live)
{
    uintptr_t before = 0;
    for (int round = 0; round < 40; round++) {
        assert_int_equal(padding_round(p, ITERATION_RUN, round, round * 101 + 16, NULL), TARE_OK);
        uintptr_t first = run(&live[0], padding_environment(p, 0));
        for (int i = 1; i < PROGRAMS; i++)
            assert_int_equal(run(&live[i], padding_environment(p, i)), first);
        assert_int_not_equal(first, before);
        before = first;
    }
}

static void live_stacks_begin_at_one_place_in_a_round_and_at_another_in_the_next(void **state)
{
    (void)state;
    struct program live[PROGRAMS];
    link_programs(live);
    uintptr_t alone = run(&live[0], bare_environment), other = run(&live[2], bare_environment);
    if (alone == 0) {
        unlink_programs();
        print_message("address randomisation cannot be switched off here\n");
        skip();
    }
    assert_int_not_equal(alone, other); /* six words more, 48 bytes of pointers: so the rest can fail */
    struct padding *p = make(bare_environment, live, PROGRAMS);
    check_live(p, live);
    padding_destroy(p);
    unlink_programs();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_a_round_all_commands_are_equally_large),
        cmocka_unit_test(the_offset_is_common_and_moves_all_commands_by_as_many_bytes),
        cmocka_unit_test(the_largest_command_gets_the_offset_alone),
        cmocka_unit_test(a_new_path_is_made_up_for_from_the_next_round_on),
        cmocka_unit_test(a_difference_that_no_variable_can_hold_is_admitted),
        cmocka_unit_test(iterations_are_counted_in_the_words_of_hyperfine),
        cmocka_unit_test(hooks_get_the_environment_without_an_iteration),
        cmocka_unit_test(extra_variables_replace_and_the_last_counts),
        cmocka_unit_test(our_own_variables_are_not_inherited),
        cmocka_unit_test(extra_variables_without_a_name_or_with_one_of_ours_are_refused),
        cmocka_unit_test(live_stacks_begin_at_one_place_in_a_round_and_at_another_in_the_next),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
