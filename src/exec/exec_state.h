/* SPDX-License-Identifier: MIT
 *
 * exec_state.h - what the files of exec share: exec.c (life, rounds), exec_hooks.c, exec_values.c (what a run came to), exec_reporting.c
 * (a process of a benchmark or target), exec_untimed.c (runs that are no rows). Inside of exec.h; not for others.
 */
#ifndef EXEC_STATE_H
#define EXEC_STATE_H

#include "exec.h"
#include "padding.h"
#include "rng.h"
#include "run_stats.h"
#include "streams.h"

enum { COLUMNS_MAX = 96 };

struct counter {
    struct plat_counter *open; /* NULL: not to be had */
    double before;
    char *reason;
};

struct exec {
    const struct exec_options *o;
    const struct exec_command *commands;
    int n_commands;
    struct plat_spawner *spawner;
    struct record *r;
    struct streams streams;
    struct padding padding;
    struct run_stats account;
    struct plat_file_state *programs; /* of each command the file of its first run; all 0: not known */
    bool *replaced;                   /* of each command: the file of its last run is another one */
    int *refused;                     /* of each command, enum null_reason: it cannot be followed; 0: not known */
    struct counter *counters;
    const char *columns[COLUMNS_MAX];
    int n_columns;
    struct arena arena;  /* column names and reasons */
    struct buf path;     /* of the program about to run */
    struct buf variable; /* of the benchmarks of this round, one after the other */
    struct rng cpus;     /* of the CPUs of rounds and runs */
    int *deck;           /* cpu_each_run: of each command the CPUs in the order of its next runs; NULL: not asked for */
    int *dealt;          /* how many of them it had */
    struct rng seeds;    /* of benchmarks, a new one each round */
    bool benchmarks;     /* commands are */
    bool targets;        /* commands are targets of leaks */
    bool traced;         /* commands are programs with control points */
    struct buf folder;   /* of the traced run in progress */
    int round_cpu;       /* -1: as we run */
    int64_t limit_ns;    /* of the run about to begin, by end_ns; 0: none */
    int64_t start_ns;
    int64_t asleep_ns; /* exec_asleep_ns() then */
};

/* What a run came to: its row's values, in the order of the columns. */
struct run_values {
    double values[COLUMNS_MAX];
    double *followed; /* those of followed_metrics.def; NULL: not asked for */
    uint32_t flags;
};

/* ---- exec_hooks.c ---- */

/* The folder: a command's own, or that of the options. */
const char *exec_cwd(const struct exec *x, const char *own);
/* The file that exec gets, into x->path. */
enum tare_status exec_resolve(struct exec *x, const char *program, const char *const *environment, const char *cwd,
                              struct tare_err *err);
struct plat_child_spec exec_spec_for(struct exec *x, const char *const *argv, const char *const *environment, const char *cwd);
enum tare_status exec_hook_in(struct exec *x, const struct exec_hook *hook, const char *what, const char *const *environment,
                              struct tare_err *err);

/* ---- exec_values.c ---- */

void exec_counters_before(struct exec *x);
/* What the run just made came to, between runs; the commands of own metrics run now. */
enum tare_status exec_collect(struct exec *x, int index, const struct plat_child_result *result, struct run_values *y,
                              struct tare_err *err);

/* ---- exec.c ---- */

/* The spec of a command's next run; its streams are open, also after a failure. */
enum tare_status exec_prepare_run(struct exec *x, int index, struct plat_child_spec *spec, struct tare_err *err);
enum tare_status exec_measure(struct exec *x, int index, int round, struct plat_child_result *result, struct tare_err *err);
enum tare_status exec_append(struct exec *x, int index, int round, int slot, bool warmup, const struct plat_child_result *result,
                             const struct run_values *y, struct tare_err *err);

/* ---- exec_reporting.c ---- */

struct exec_place {
    int round, slot, slots; /* the slot-th of so many runs of the round, from 0 */
};

int64_t exec_asleep_ns(void); /* since the machine was started; 0: not known */
/* The requests of a round, all made before its environments are sized. */
enum tare_status exec_reporting_requests(struct exec *x, const int *order, int n, struct tare_err *err);
/* A program that is not there any more, or cannot be started, gives up its benchmarks, not the session. */
enum tare_status exec_reporting_run(struct exec *x, int index, const struct exec_place *place, bool warmup, struct tare_err *err);
/* What the process that was just made says of its benchmark. */
enum tare_status exec_reported_read(struct exec *x, int command, const struct plat_child_result *result,
                                    struct exec_reported *out, struct tare_err *err);

/* ---- exec_tracing.c: nothing for a command that is not traced ---- */

/* The requests of a round, all made before its environments are sized. */
enum tare_status exec_tracing_requests(struct exec *x, const int *order, int n, int round, bool warmup, struct tare_err *err);
/* The folder of the run that is about to start. */
enum tare_status exec_tracing_begin(struct exec *x, int index, int round, bool warmup, struct tare_err *err);
/* What it left, into the row's values. */
enum tare_status exec_tracing_take(struct exec *x, int index, int round, bool warmup, const struct plat_child_result *result,
                                   struct run_values *y, struct tare_err *err);
void exec_tracing_end(struct exec *x, int index); /* the folder goes, unless it stays */

/* ---- exec_untimed.c ---- */

bool exec_to_be_followed(const struct exec *x, int index, int round, bool warmup, const struct plat_child_result *result);
/* The run just made once more, followed. *begun: what prepare began is to be ended once more. */
enum tare_status exec_follow(struct exec *x, int index, double *values, bool *begun, struct tare_err *err);

#endif
