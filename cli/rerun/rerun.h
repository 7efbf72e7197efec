/* SPDX-License-Identifier: MIT
 *
 * rerun.h - what `tare rerun` holds while it works, and the steps that commands, benchmarks and traced programs share. Used by cli/rerun only.
 *
 *     struct cli as_recorded = rerun_cli(x);
 *     ... describe what would run, with nothing started ...
 *     code = rerun_consent(x, &run, &agreed);
 *     if (agreed) ... measure, with run.concluded = rerun_answer and run.context = x ...
 */
#ifndef RERUN_H
#define RERUN_H

#include "repetition.h"
#include "replan.h"
#include "run.h"

struct rerun {
    struct cli *cli;
    const struct rerun_options *o;
    const char *path;
    struct record then;
    struct replan plan;
    struct repetition found; /* once rerun_answer was called */
};

/* Ours, with the words of the plan. */
struct cli rerun_cli(const struct rerun *x);
/* Shows what would run, and asks unless --yes was given. *agreed false with EXIT_ANSWERED: --dry-run wanted no more than that. */
enum exit_code rerun_consent(const struct rerun *x, const struct run *run, bool *agreed);
/* For run.concluded, with the rerun as context: whether the new session agrees. */
enum exit_code rerun_answer(void *rerun, struct run *run);

int rerun_benchmarks(struct rerun *x); /* the whole, where the record is of tare bench */
int rerun_traces(struct rerun *x);     /* of tare trace */

#endif
