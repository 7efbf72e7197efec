/* SPDX-License-Identifier: MIT
 *
 * replan.h - from a stored record back to the options and words of the `tare run`, `tare bench` or `tare trace` that made it.
 *
 *     struct replan p;
 *     status = replan_read(&p, &record, &changes, arena, &err);      // then as tare run does with p.options.run and p.operands
 *     status = replan_check(&record, &described, &err);              // and the commands are those that were recorded
 *
 * A record comes from others. Its command line is read by the table of that command and its check, as if it had been typed; what writes
 * files or asks another question (--save, --history, --export-*, --trace-dir, --baseline, --dry-run, what the screen shows) is not taken over. Then what comes of it is held
 * against the subjects that the record says were executed, word by word, so that nothing runs, and nothing goes through a shell,
 * that the record does not show. Of benchmarks only the programs are executed, which stand in the command line; what of them is measured
 * is theirs to say. Pure: runs and opens nothing.
 */
#ifndef REPLAN_H
#define REPLAN_H

#include "bench_options.h"
#include "command.h"
#include "stored_options.h"
#include "trace_options.h"

struct replan {
    const struct command *command; /* run, bench or trace */
    union {                        /* each begins with those of tare run */
        struct run_options run;
        struct bench_options bench;
        struct trace_options trace;
    } options;
    struct option_operands operands;
    const char **words; /* the command line that makes this plan, closed by NULL: for the header of the new record */
    int n_words;
};

bool replan_of_benchmarks(const struct replan *p);
bool replan_of_traces(const struct replan *p);

/* Strings live as long as record and arena. INVALID: the record has no plan that can be repeated, or `o` does not fit it. */
enum tare_status replan_read(struct replan *out, const struct record *then, const struct rerun_options *o, struct arena *a,
                             struct tare_err *err);

/* --rev: the commits of then instead of what their names mean now. INVALID: the record does not say. Without --rev nothing. */
enum tare_status replan_commits(struct run_options *o, const struct record *then, struct arena *a, struct tare_err *err);

/* INVALID for a session of tare gate: `what`, and the command line that makes that gate again. OK: it is of none. */
enum tare_status replan_refuse_gate(const struct record *r, const char *what, struct tare_err *err);

/* FORMAT: the commands, their words, shells, parameters or hooks in `now` are not those of `then`; err says which. */
enum tare_status replan_check(const struct record *then, const struct record *now, struct tare_err *err);

#endif
