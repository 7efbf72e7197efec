/* SPDX-License-Identifier: MIT
 *
 * padding.h - the environment of the measured programs, so sized that their stacks begin at the same place.
 *
 *     struct padding p;
 *     padding_init(&p, environment, seed, &err);
 *     for each command: padding_add(&p, argv, NULL, &err);    // 0, 1, 2 ... in this order
 *     for each command: padding_set_path(&p, i, path);        // as soon as it is known, and whenever it was resolved anew
 *     each round:
 *         padding_round(&p, round, warmup, &err);
 *         for each command: spec.envp = padding_environment(&p, i);
 *     padding_finish(&p);
 *
 * Why: where the stack begins depends on how many bytes of arguments and environment lie above it, and a program's speed
 * depends on where its stack begins (Mytkowicz and others, "Producing wrong data without doing anything obviously wrong!",
 * 2009). Two commands with names of different lengths would differ by that alone, for ever. So in a round all commands get
 * the same place, and each round another one: the effect averages out, and the comparison within a round never sees it.
 *
 * The layout is that of Linux: from the top down 8 bytes of zero, the path given to exec, the strings of environment and
 * arguments, rounded down to 16; then constants of the kernel; then the pointers to environment and arguments, rounded down
 * to 16 again, which is where the stack begins. Two roundings make equal sums no proof of equal places. Therefore two things
 * are made equal: the number of pointers modulo 2 (by a variable TARE_PAD= where it differs), and the bytes of strings plus
 * pointers (by the length of HYPERFINE_RANDOMIZED_ENVIRONMENT_OFFSET, which also holds the common offset). Then the strings
 * differ by a multiple of 16, exactly as the pointers do, and both roundings cut off the same.
 * Address space randomisation moves the stack once more, by itself, in each run; it stays on.
 *
 * What it does not see: the words that a script's #! line adds, and what a shell does to the environment of the programs it
 * starts. A path that changes its length in mid-session is made up for from the next round on.
 *
 * Variables set: HYPERFINE_ITERATION ("0", "1" ..., in warm-up "warmup-0" ...: hyperfine's words, the same for all commands
 * of a round) and the two above. What was there under these names is not passed on.
 * Ownership: the struct owns its arrays; the environment's and the commands' words stay the caller's and must outlive it. A
 * zeroed struct may be finished. No memory is allocated after the first round unless a path became longer. One thread at a time.
 */
#ifndef PADDING_H
#define PADDING_H

#include "arena.h"
#include "rng.h"
#include <stdbool.h>
#include <stddef.h>
#include <tare/status.h>

enum { PADDING_OFFSETS = 4096 }; /* offsets are 0 .. 4095 bytes, one page, as hyperfine's */

struct padding {
    const char *const *environment; /* of commands that have none of their own */
    const char **variables;         /* what was passed on last: room for the most, for ours and NULL */
    size_t room_variables;
    struct padding_command {
        const char *const *environment;
        size_t path, words; /* bytes, closing zeros included; words: of environment and arguments */
        size_t n_words;
        const char *variable; /* NULL: it has none of its own */
        size_t added;         /* X's in this round */
    } * commands;
    int n_commands, room_commands;
    char *offset;                   /* the variable: its name, then as many X as are needed */
    size_t offset_room, offset_len; /* X's there are; X's before the zero */
    char iteration[64];
    struct rng rng;
};

/* environment: closed by NULL. The offsets follow from the seed. Fails with NO_MEMORY only, as all calls here. */
enum tare_status padding_init(struct padding *p, const char *const *environment, uint64_t seed, struct tare_err *err);
void padding_finish(struct padding *p);

/* One command more; argv closed by NULL, and so is an environment of its own (NULL: that of padding_init). Until its path is known argv[0] stands for it. */
enum tare_status padding_add(struct padding *p, const char *const *argv, const char *const *environment, struct tare_err *err);
/* The path that will be given to exec. Cheap; counts from the next padding_round on. */
void padding_set_path(struct padding *p, int command, const char *path);

/* Begins a round, 0, 1, 2 ...; warm-up rounds count for themselves. Comes before the first padding_environment. */
enum tare_status padding_round(struct padding *p, int round, bool warmup, struct tare_err *err);
/* The environment of one command in this round, closed by NULL. Valid until the next call with p. */
const char *const *padding_environment(struct padding *p, int command);

/* Can the first n commands be made equal? False when the words of two differ by more than one variable can hold (100 kB). */
bool padding_equal(const struct padding *p, int n);

/* `base` with n changes: "NAME=VALUE" takes the place of NAME or comes last, "NAME" alone is left out. Both lists of pointers are copied; NULL: no memory. */
const char *const *environment_with(struct arena *a, const char *const *base, const char *const *changes, int n);

/* Whether it has the name of NAME or NAME=VALUE. */
bool environment_same_name(const char *variable, const char *name);

/* Is NAME=VALUE one of the variables that are set here? A value given by the user would not arrive. */
bool padding_owns(const char *variable);

#endif
