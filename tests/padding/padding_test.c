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

static struct padding *make(const char *const *environment, const struct program *list, int n)
{
    static struct padding p;
    assert_int_equal(padding_init(&p, environment, 7, NULL), TARE_OK);
    for (int i = 0; i < n; i++) {
        assert_int_equal(padding_add(&p, list[i].argv, NULL, NULL), TARE_OK);
        padding_set_path(&p, i, list[i].path);
    }
    return &p;
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
    for (int round = 0; round < 500; round++) {
        assert_int_equal(padding_round(p, round, false, NULL), TARE_OK);
        assert_true(padding_equal(p, PROGRAMS));
        struct place first = place_of(&programs[0], padding_environment(p, 0));
        for (int i = 1; i < PROGRAMS; i++) {
            struct place s = place_of(&programs[i], padding_environment(p, i));
            assert_int_equal(s.strings + 8 * s.pointers, first.strings + 8 * first.pointers);
            for (size_t constants = 0; constants < 64; constants++)
                assert_int_equal(depth(s, constants), depth(first, constants));
        }
    }
    padding_finish(p);
}

static size_t added_to(struct padding *p, int command)
{
    return strlen(variable(padding_environment(p, command), "HYPERFINE_RANDOMIZED_ENVIRONMENT_OFFSET"));
}

static void the_offset_is_common_lies_within_a_page_and_changes_from_round_to_round(void **state)
{
    (void)state;
    struct padding *p = make(bare_environment, programs, PROGRAMS);
    size_t least = SIZE_MAX, most = 0, before = 0;
    int repeated = 0;
    for (int round = 0; round < 2000; round++) {
        padding_round(p, round, false, NULL);
        size_t offset = SIZE_MAX; /* that of the largest command, which needs nothing else */
        for (int i = 0; i < PROGRAMS; i++)
            offset = added_to(p, i) < offset ? added_to(p, i) : offset;
        repeated += offset == before;
        before = offset;
        least = offset < least ? offset : least;
        most = offset > most ? offset : most;
    }
    assert_in_range(least, 0, 40); /* 2000 draws of 4096: missed by an unlucky seed once in 10^8 */
    assert_in_range(most, PADDING_OFFSETS - 41, PADDING_OFFSETS - 1);
    assert_in_range(repeated, 0, 10);
    padding_finish(p);
}

static void the_same_seed_gives_the_same_offsets(void **state)
{
    (void)state;
    size_t first[20];
    for (int pass = 0; pass < 2; pass++) {
        struct padding *p = make(bare_environment, programs, PROGRAMS);
        for (int round = 0; round < 20; round++) {
            padding_round(p, round, false, NULL);
            if (pass == 0)
                first[round] = added_to(p, 1);
            assert_int_equal(added_to(p, 1), first[round]);
        }
        padding_finish(p);
    }
}

static void a_new_path_is_made_up_for_from_the_next_round_on(void **state)
{
    (void)state;
    struct program pair[] = {programs[0], programs[0]};
    struct padding *p = make(bare_environment, pair, 2);
    padding_round(p, 0, false, NULL);
    const size_t before = added_to(p, 1);
    char longer[9001];
    memset(longer, '/', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    pair[1].path = longer;
    padding_set_path(p, 1, longer);
    assert_int_equal(added_to(p, 1), before);
    for (int round = 1; round < 3; round++) {
        assert_int_equal(padding_round(p, round, false, NULL), TARE_OK);
        struct place a = place_of(&pair[0], padding_environment(p, 0)), b = place_of(&pair[1], padding_environment(p, 1));
        assert_int_equal(a.strings, b.strings);
        assert_int_equal(a.pointers, b.pointers);
        pair[1].path = "/";
        padding_set_path(p, 1, pair[1].path);
    }
    padding_finish(p);
}

static void a_difference_that_no_variable_can_hold_is_admitted(void **state)
{
    (void)state;
    static char huge[120001];
    memset(huge, 'h', sizeof huge - 1);
    const struct program pair[] = {programs[0], {"/bin/a", (const char *const[]){"a", huge, NULL}}};
    struct padding *p = make(bare_environment, pair, 2);
    assert_int_equal(padding_round(p, 0, false, NULL), TARE_OK);
    assert_true(padding_equal(p, 1));
    assert_false(padding_equal(p, 2));
    assert_in_range(added_to(p, 0), 100000, 104095);
    assert_in_range(added_to(p, 1), 0, 4095);
    padding_finish(p);
}

static void a_hundred_commands_and_none_are_fine(void **state)
{
    (void)state;
    struct padding *p = make(bare_environment, programs, 0);
    assert_int_equal(padding_round(p, 0, false, NULL), TARE_OK);
    padding_finish(p);
    padding_finish(p);
    p = make(bare_environment, programs, 1);
    for (int i = 1; i < 100; i++)
        assert_int_equal(padding_add(p, programs[i % PROGRAMS].argv, NULL, NULL), TARE_OK);
    assert_int_equal(padding_round(p, 0, false, NULL), TARE_OK);
    assert_string_equal(variable(padding_environment(p, 99), "HOME"), "/root");
    padding_finish(p);
}

/* ---- variables ---- */

static void iterations_are_counted_in_the_words_of_hyperfine(void **state)
{
    (void)state;
    struct padding *p = make(bare_environment, programs, 2);
    padding_round(p, 0, true, NULL);
    assert_string_equal(variable(padding_environment(p, 1), "HYPERFINE_ITERATION"), "warmup-0");
    padding_round(p, INT_MAX, false, NULL);
    assert_string_equal(variable(padding_environment(p, 0), "HYPERFINE_ITERATION"), "2147483647");
    padding_finish(p);
}

static void our_own_variables_are_not_inherited(void **state)
{
    (void)state;
    const char *const *environment =
        LIST("HYPERFINE_ITERATION=7", "HYPERFINE_RANDOMIZED_ENVIRONMENT_OFFSET=XX", "TARE_PAD=", "TARE_PADDED=1", "odd entry");
    struct padding *p = make(environment, programs, 2);
    padding_round(p, 1, false, NULL);
    const char *const *envp = padding_environment(p, 0);
    assert_int_equal(times(envp, "HYPERFINE_ITERATION"), 1);
    assert_int_equal(times(envp, "HYPERFINE_RANDOMIZED_ENVIRONMENT_OFFSET"), 1);
    assert_int_equal(times(envp, "TARE_PAD"), 0);
    assert_int_equal(times(envp, "TARE_PADDED"), 1);
    assert_string_equal(envp[1], "odd entry");
    assert_true(padding_owns("HYPERFINE_ITERATION="));
    assert_false(padding_owns("HYPERFINE_ITERATIONS="));
    assert_false(padding_owns("HYPERFINE_ITERATION"));
    padding_finish(p);
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
    uintptr_t lowest = UINTPTR_MAX, highest = 0;
    for (int round = 0; round < 40; round++) {
        assert_int_equal(padding_round(p, round, false, NULL), TARE_OK);
        uintptr_t first = run(&live[0], padding_environment(p, 0));
        for (int i = 1; i < PROGRAMS; i++)
            assert_int_equal(run(&live[i], padding_environment(p, i)), first);
        lowest = first < lowest ? first : lowest;
        highest = first > highest ? first : highest;
    }
    assert_in_range(highest - lowest, 2048, PADDING_OFFSETS + 16);
}

static void live_stacks_begin_at_one_place_in_a_round_and_wander_over_a_page(void **state)
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
    padding_finish(p);
    unlink_programs();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_a_round_all_commands_are_equally_large),
        cmocka_unit_test(the_offset_is_common_lies_within_a_page_and_changes_from_round_to_round),
        cmocka_unit_test(the_same_seed_gives_the_same_offsets),
        cmocka_unit_test(a_new_path_is_made_up_for_from_the_next_round_on),
        cmocka_unit_test(a_difference_that_no_variable_can_hold_is_admitted),
        cmocka_unit_test(a_hundred_commands_and_none_are_fine),
        cmocka_unit_test(iterations_are_counted_in_the_words_of_hyperfine),
        cmocka_unit_test(our_own_variables_are_not_inherited),
        cmocka_unit_test(live_stacks_begin_at_one_place_in_a_round_and_wander_over_a_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
