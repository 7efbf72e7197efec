/* SPDX-License-Identifier: MIT
 *
 * run_ask.h - asks a program that was built with libtare what it has: benchmarks, leak targets; and one of another harness for its benchmarks.
 *
 *     struct program_answer a;
 *     status = run_ask(&run, path, argv, &where, &o->filters, NULL, &a, &err);      // a.bytes: BENCH and TARGET frames of those that the filters want
 *     ... wire_next over them ...
 *     program_answer_finish(&a);
 *
 * The answer's texts point into its bytes. What it lacks of what the caller wants is the caller's to judge.
 */
#ifndef RUN_ASK_H
#define RUN_ASK_H

#include "harness.h"
#include "run.h"
#include "wire.h"

struct result_file;

struct program_answer {
    char *bytes;
    size_t n;
    struct wire_hello hello;
    int benchmarks, targets; /* frames of each */
    int exit_code;           /* -1: it did not exit; also after a failure */
};

struct run_place {
    const char *cwd; /* NULL: here */
    const char *const *environment;
};

/* errors: gets what it writes to standard error; NULL: that goes where its output goes.
 * CHILD: it could not be started, ended early, or is no program of libtare; VERSION: of another version; INTERRUPTED; NO_MEMORY, IO. `path` is
 * how messages name it. After a failure there is nothing to finish. */
enum tare_status run_ask(const struct run *run, const char *path, const char *const *argv, const struct run_place *where,
                         const struct option_list *filters, struct buf *errors, struct program_answer *out, struct tare_err *err);
/* The same of a program of another harness: its list, in the same frames. */
enum tare_status run_ask_harness(const struct run *run, const struct harness *h, const char *path, const struct run_place *where,
                                 struct program_answer *out, struct tare_err *err);
/* Likewise of a command that writes a file with results (--results): it runs once, and what the file has is the list. `results` keeps what it wrote. */
enum tare_status run_ask_results(const struct run *run, const char *name, const char *const *argv, const struct run_place *where,
                                 struct result_file *results, struct program_answer *out, struct tare_err *err);
void program_answer_finish(struct program_answer *a);

/* The program as a command of one word; NULL: no memory. */
const char **run_program_argv(const struct run *run, const char *path);
/* Room for n subjects that are parts of programs: without hooks, revisions and texts of their own. False: no memory. */
bool run_room_for_parts(struct run *run, int n);

#endif
