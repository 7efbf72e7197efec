/* SPDX-License-Identifier: MIT
 *
 * taint.h - `tare leak --taint`: the same targets once more, with their secrets marked, under valgrind's memcheck or as an MSan build.
 *
 *     const struct taint_request q = {.argv = argv, .environment = envp, .targets = names, .n_targets = n, .known = hello.taint,
 *                                     .timeout_ns = 120000000000, .seed = seed};
 *     struct taint_result result;
 *     status = taint_run(spawner, &q, &arena, &result, &err);
 *     taint_text(&result, &render_options, &b);
 *     code = taint_code(&result);
 *
 * Each target has a process of its own, so that one that crashes or hangs does so alone. No shell. What a clean result does not
 * cover is shown with -v. Texts live in the arena.
 */
#ifndef TAINT_H
#define TAINT_H

#include "cli.h"
#include "plat.h"
#include "render.h"
#include "taint_report.h"

struct taint_request {
    const char *const *argv; /* the program and its words, closed by NULL */
    const char *const *environment;
    const char *cwd;            /* NULL: ours */
    const char *const *targets; /* full names */
    int n_targets;
    const char *suppressions; /* a file for memcheck; NULL */
    uint32_t known;           /* wire_hello.taint, as the program answered when it was asked for its targets */
    int64_t timeout_ns;       /* of each target; 0: none. Under valgrind code takes 20 to 100 times as long */
    uint64_t seed;
    bool show_output;
    void (*progress)(void *context, const char *target, int done, int of); /* before each; NULL */
    void *progress_context;
};

enum taint_state {
    TAINT_CLEAN,  /* nothing was reported */
    TAINT_FOUND,  /* a jump, an address, a system call or a use depended on the secret */
    TAINT_FAILED, /* why says how; nothing was reported until then */
    TAINT_NOT_RUN /* interrupted before */
};
const char *taint_state_word(enum taint_state state); /* "clean", "found", "failed", "not run" */

struct taint_target {
    const char *name;
    enum taint_state state;
    const char *why; /* of FAILED; of FOUND: "" or what went wrong afterwards */
    struct taint_report report;
};

struct taint_result {
    const char *tool; /* "valgrind 3.19.0, memcheck" */
    bool msan;
    struct taint_target *targets;
    int n_targets;
};

/* What can be known before anything runs: as taint_run, but it starts nothing. */
enum tare_status taint_check(const struct taint_request *q, struct tare_err *err);
/* UNSUPPORTED: no valgrind, or a program whose marks have no effect; one sentence says which. INVALID: the suppression file is not
 * to be read. INTERRUPTED: result holds what was there. CHILD is no status of this call: see state. */
enum tare_status taint_run(struct plat_spawner *spawner, const struct taint_request *q, struct arena *arena,
                           struct taint_result *out, struct tare_err *err);

/* For people: targets that are not clean, with their places. verbosity above 0: all of them, stacks, and what taint does not show. */
void taint_text(const struct taint_result *result, const struct render_options *o, struct buf *out);
/* One target in one line: "found: 4 jumps, 2 addresses; 4 x jump at compare.c:12 (compare)", with its most frequent places. */
void taint_line(const struct taint_target *target, struct buf *out);

#endif
