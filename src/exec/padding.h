/* SPDX-License-Identifier: MIT
 *
 * padding.h - the environment of the measured programs, so sized that their stacks begin at the same place.
 *
 *     padding_create(&p, plat_environment(), extra, n_extra, n_commands, &err);
 *     each round:
 *         for each command: padding_set_command(p, i, path, argv);      // path: what is given to exec
 *         padding_round(p, ITERATION_RUN, round, (int)rng_below(&rng, PADDING_OFFSETS), &err);
 *         for each command: spec.envp = padding_environment(p, i);
 *
 * Why: where the stack begins depends on how many bytes of arguments and environment lie above it, and a program's speed
 * depends on where its stack begins (Mytkowicz and others, "Producing wrong data without doing anything obviously wrong!", 2009:
 * tens of per cent). Two commands with names of different lengths would differ by that alone, for ever. So in a round all commands
 * get the same place, and each round another one: the effect averages out, and the comparison within a round never sees it.
 *
 * The layout is that of Linux: from the top down 8 bytes of zero, the path given to exec, the strings of environment and
 * arguments, rounded down to 16; then constants of the kernel; then the pointers to environment and arguments, rounded down to
 * 16 again, which is where the stack begins. Two roundings make equal sums no proof of equal places. Therefore two things are made
 * equal: the number of pointers modulo 2 (one variable TARE_PAD= more where it is odd one out), and the bytes of strings plus pointers
 * (by the length of HYPERFINE_RANDOMIZED_ENVIRONMENT_OFFSET, which also holds the common offset). Then the strings differ by
 * a multiple of 16 exactly as the pointers do, and both roundings cut off the same.
 * Address space randomisation moves the stack once more, by itself, in each run; it stays on.
 *
 * What it does not see: the words that a script's #! line adds, and what a shell does to the environment of the programs it starts.
 *
 * Variables set: HYPERFINE_ITERATION ("0", "1" ..., in warm-up "warmup-0" ...: hyperfine's words; the same for all commands of a
 * round), the two above. What was there under these names is not passed on.
 * Ownership: the struct owns its arrays; environment, extra, paths and words stay the caller's and must outlive it. No memory is
 * allocated after the first round unless a command becomes longer. One thread at a time.
 */
#ifndef PADDING_H
#define PADDING_H

#include <stdbool.h>
#include <tare/status.h>

enum { PADDING_OFFSETS = 4096 }; /* one page, as hyperfine */

enum iteration_kind { ITERATION_NONE, ITERATION_WARMUP, ITERATION_RUN };

struct padding;

/* environment: closed by NULL. extra: NAME=VALUE, in place of a variable of that name; the last of several counts.
 * INVALID: an extra without name or '=', or with a name that is set here. n_commands >= 0. */
enum tare_status padding_create(struct padding **out, const char *const *environment, const char *const *extra, int n_extra,
                                int n_commands, struct tare_err *err);
void padding_destroy(struct padding *p); /* NULL is fine */

/* What will be executed: known before the round begins. argv closed by NULL. Cost: the bytes of argv are counted. */
void padding_set_command(struct padding *p, int command, const char *path, const char *const *argv);

/* Begins a round with its common offset, 0 .. PADDING_OFFSETS - 1. NO_MEMORY only. */
enum tare_status padding_round(struct padding *p, enum iteration_kind kind, int iteration, int offset, struct tare_err *err);

/* The environment of one command in this round, closed by NULL. Valid until the next call with p. */
const char *const *padding_environment(struct padding *p, int command);
/* The same for hooks: no iteration, nothing made equal. Needs no round. */
const char *const *padding_hook_environment(struct padding *p);

/* Are the commands equal in this round? False when the words of two differ by more than a variable can hold (about 100 kB). */
bool padding_equal(const struct padding *p);

#endif
