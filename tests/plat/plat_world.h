/* SPDX-License-Identifier: MIT
 *
 * plat_world.h - what the tests of plat share: a spawner, a folder for files, children whose output is kept.
 *
 *     struct plat_child_result r = run_probe(NULL, (const char *[]){PROBE, "exit", "3", NULL});
 *     assert_ends(r, CHILD_EXITED, 3);
 */
#ifndef PLAT_WORLD_H
#define PLAT_WORLD_H

#include "plat.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

extern struct plat_spawner *spawner; /* of the whole program */
extern int null_fd;

int world_begin(void **state);
int world_end(void **state);

/* A path in a folder that vanishes at the end. The text lives until the next call but three. */
const char *scratch(const char *name);
void write_text(const char *path, const char *text);
const char *read_text(const char *path); /* lives until the next call */
int read_pid(const char *path);          /* -1 when there is none */
bool gone(int pid);                      /* neither alive nor a zombie */
bool gone_soon(int pid);                 /* waits for it, for as long as a loaded machine may need */
int open_descriptors(int pid);

struct plat_child_spec spec_for(const char *const *argv); /* null streams, no timeout; path = argv[0] */
/* With the spawner of the program; fails the test when plat_child_run does. */
struct plat_child_result run_spec(const struct plat_child_spec *spec);
struct plat_child_result run_quietly(const char *const *argv);
/* With a time limit, of which the program makes all files, each with an id, before it is reached: where it is too short for that on this machine, again
 * with a longer one, of a minute at last. */
struct plat_child_result run_into_limit(struct plat_child_spec spec, const char *const *files);
/* Its standard output, which lives until the next call. The child must exit with 0. */
const char *output_of(const char *const *argv);

/* Runs the function in a process of its own (and so with its own signals, limits and spawner); its answer, or 1000 + signal. */
int in_process(int (*body)(void));
/* For such bodies, which have no assert: prints the text and gives 1 where the condition does not hold. */
int unless(bool holds, const char *what);

#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

#define assert_ends(result, how, number)                                                           \
    do {                                                                                           \
        struct plat_child_result r_ = (result);                                                    \
        if (r_.end != (how) || r_.code != (number))                                                \
            fail_msg("end %d code %d, expected %s %d", (int)r_.end, r_.code, #how, (int)(number)); \
    } while (0)

#define assert_ok(call)                          \
    do {                                         \
        if (call)                                \
            fail_msg("%s: %s", #call, err.text); \
    } while (0)

#define assert_text_has(text, part)                                     \
    do {                                                                \
        if (!strstr((text), (part)))                                    \
            fail_msg("\"%s\" does not contain \"%s\"", (text), (part)); \
    } while (0)

extern const struct CMUnitTest account_tests[], child_tests[], directory_tests[], end_tests[], fault_tests[], file_tests[],
    machine_tests[], share_tests[], terminal_tests[];
extern const int account_test_count, child_test_count, directory_test_count, end_test_count, fault_test_count, file_test_count,
    machine_test_count, share_test_count, terminal_test_count;

#define TESTS(part, ...)                                    \
    const struct CMUnitTest part##_tests[] = {__VA_ARGS__}; \
    const int part##_test_count = sizeof part##_tests / sizeof *part##_tests

#endif
