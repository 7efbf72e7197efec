/* SPDX-License-Identifier: MIT
 *
 * exec_state.h - between the files of exec, each of which calls only those below it:
 *
 *     exec.c          life, rounds, runs that nobody times
 *     exec_kinds.c    what runs of a kind of subject are asked, and what they leave
 *     exec_values.c   what a run came to: columns and values
 *     exec_run.c      one run: hooks, descriptors, the measured child, how it ended
 */
#ifndef EXEC_STATE_H
#define EXEC_STATE_H

#include "exec.h"
#include "padding.h"
#include "rng.h"
#include "run_stats.h"

struct counter {
    struct plat_counter *open; /* NULL: not to be had */
    double before;
    double uncounted; /* see exec_counter_uncounted */
    char *reason;
};

/* The standard descriptors of runs. Files are opened anew for each: its input is read from the start, also when a hook put another file in its
 * place, and its output holds what the last run wrote. */
struct streams {
    int null;               /* the null device */
    int input;              /* of the measured commands; may be our standard input */
    const char *input_path; /* a regular file; NULL: what else there is stays open and, where it can, goes back to its start */
    bool input_is_ours;
    bool keep; /* all outputs are kept in memory, but those of own_part */
    /* of the run in progress, -1: none */
    int output;                /* OUTPUT_FILE */
    int pipe_read, pipe_write; /* OUTPUT_PIPE */
    int report;                /* of a process that reports */
    int kept_out, kept_err;    /* when its output is kept in memory */
};

enum { PARTS_MOST = SCRIPTS_MOST + 1 };

/* What is known of one command. */
struct command_state {
    struct plat_file_state program;           /* the file of its first run; all 0: not known */
    struct plat_file_state parts[PARTS_MOST]; /* what that interprets, and what interprets it, likewise */
    bool by_name[PARTS_MOST];                 /* PATH led to it when its first run began */
    bool replaced;                            /* the file of its last run is another one */
    /* Where it has a prepare hook: */
    char *program_path;                    /* where the file of its last run is; NULL: it has had none */
    struct plat_file_state before_prepare; /* of that file, before the hook of the next run */
    bool made_anew;                        /* by the hook, which it may */
    int refused;                           /* enum null_reason: it cannot be followed; 0: not known */
    bool has_process;                      /* of this round; see exec.processes */
    char *printed;                         /* by that process, n_printed bytes; NULL: nothing is to be read from it */
    size_t n_printed;
    char wrote[160]; /* to standard error: the beginning */
    int dealt;       /* how many CPUs of its deck it had */
    int *deck;       /* cpu_each_run: the CPUs in the order of its next runs; NULL: not asked for */
};

/* What runs of one kind of subject are asked beyond those of a command, and what they leave. A call that is NULL does nothing. */
struct exec_kind {
    const char *(*column)(int index); /* of a row, behind those of every command; NULL past the end */
    /* Its process reports. A failure gives up that subject and not the round; it has no hooks, and its time ends with exec_options.end_ns. */
    bool reports;
    /* "NAME=..." appended: the request of its run in this round. The seed is the round's: what is compared gets the same inputs. */
    enum tare_status (*request)(struct exec *x, const struct exec_run *run, uint64_t seed, struct buf *out, struct tare_err *err);
    /* Just before its run, and once what it left was taken. */
    enum tare_status (*begin)(struct exec *x, const struct exec_run *run, struct tare_err *err);
    void (*end)(struct exec *x);
    /* What the run left, into run->kind_values; it sets run->made. */
    enum tare_status (*take)(struct exec *x, struct exec_run *run, struct tare_err *err);
};

/* What the process of these benchmarks printed is read for each of them, after its files are closed. */
enum tare_status exec_keep_printed(struct exec *x, int command, struct tare_err *err);

extern const struct exec_kind exec_benchmarks, exec_targets, exec_traces;

struct exec {
    const struct exec_options *o;
    struct exec_command *commands;
    int n_commands;
    const struct exec_kind *kind; /* of all commands but parts of tare */
    struct plat_spawner *spawner;
    struct record *r;
    struct streams streams;
    struct padding padding;
    struct run_stats account;
    struct command_state *state; /* of each command */
    struct exec_run *processes;  /* what was collected of those of this round that report several, by the first; NULL: none do */
    int *decks;                  /* of all of them */
    struct counter *counters;
    const char *columns[EXEC_COLUMNS_MAX];
    int n_columns, n_kind_columns;
    struct arena arena;  /* column names and reasons */
    struct buf path;     /* of the program about to run */
    struct buf results;  /* the name of the file with results */
    struct buf variable; /* the requests of this round, one after the other */
    struct rng cpus;     /* of the CPUs of rounds and runs */
    struct rng seeds;    /* of requests, a new one each round */
    struct buf folder;   /* of the traced run in progress */
    const int *order;    /* of this round */
    int slots, round;
    bool warmup;
    int round_cpu;    /* -1: as we run */
    int64_t limit_ns; /* of the run about to begin, by end_ns; 0: none */
    int64_t start_ns;
    int64_t asleep_ns; /* exec_asleep_ns() then */
};

/* ---- exec_run.c: streams ---- */

enum tare_status streams_open(struct streams *s, const struct exec_options *o, struct tare_err *err);
void streams_close(struct streams *s);
/* Until then what was kept can be read. */
void streams_after_run(struct streams *s);
/* For hooks: no input; output hidden unless shown. The terminal is never lent: a session must not wait for someone to type, and in
 * the middle of --max-time nobody would know for what. A hook that wants it all the same (sudo asking for a password) is ended. */
void streams_for_hook(const struct streams *s, bool show, struct plat_child_spec *spec);

/* ---- exec_run.c: how a run ended ---- */

/* TARE_CHILD, and why; `what` stands in front. */
enum tare_status exit_status_not_started(const struct plat_child_result *result, const char *what, const char *program,
                                         struct tare_err *err);
bool exit_status_failed(const struct plat_child_result *result);
/* It failed, and the user does not accept this failure. */
bool exit_status_bad(const struct exec_options *o, const struct plat_child_result *result);
/* "ended with exit code 3" */
void exit_status_describe(struct buf *b, const struct plat_child_result *result, int64_t timeout_ns);
const char *exit_status_advice(const struct plat_child_result *result, bool shown); /* shown: its output was */

/* ---- exec_run.c: a run ---- */

/* The folder: a command's own, or that of the options. */
const char *exec_cwd(const struct exec *x, const char *own);
/* The file that exec gets, into x->path; `what` names it in messages. CHILD: it is not there. */
enum tare_status exec_resolve(struct exec *x, const char *program, const char *const *environment, const char *cwd,
                              const char *what, struct tare_err *err);
struct plat_child_spec exec_spec_for(struct exec *x, const char *const *argv, const char *const *environment, const char *cwd);
enum tare_status exec_hook_in(struct exec *x, const struct exec_hook *hook, const char *what, const char *const *environment,
                              struct tare_err *err);
/* The prepare hook of the command, if it has one. */
enum tare_status exec_run_prepare(struct exec *x, int index, struct tare_err *err);
/* The spec of a command's next run; its streams are open, also after a failure. */
enum tare_status exec_prepare_run(struct exec *x, int index, struct plat_child_spec *spec, struct tare_err *err);
/* The measured run. */
enum tare_status exec_measure(struct exec *x, struct exec_run *run, struct tare_err *err);

/* ---- exec_values.c ---- */

enum {
    FOLLOW_METRICS = 0
#define METRIC(id, title, unit, kind, direction) +1
#include "followed_metrics.def"
    ,
    FOLLOW_COLUMNS = 2 * FOLLOW_METRICS /* each with its reason */
};

void follow_nothing(double *values, int reason); /* no value, all for this enum null_reason */
void follow_fill(const struct plat_child_result *result, double *values);
int follow_reason(enum plat_peak_why why); /* enum null_reason; 0 for PEAK_KNOWN */

enum tare_status exec_set_columns(struct exec *x, struct tare_err *err); /* of all series */
/* What the run just made came to, between runs; the commands of own metrics run now. */
enum tare_status exec_collect(struct exec *x, struct exec_run *run, struct tare_err *err);
/* Output that was kept for own metrics is shown where it would have been seen. */
enum tare_status exec_show_kept(struct exec *x, int index, struct tare_err *err);
/* A counter of the program, after exec_collect: the value of the metrics that are named so. */
void exec_take_counter(const struct exec *x, struct exec_run *run, const char *name, double value, double step);

/* ---- exec_kinds.c ---- */

int64_t exec_asleep_ns(void); /* since the machine was started; 0: not known */
/* Why no more processes of it are made, into c->failure; `more` is advice, or "". */
void exec_give_up(struct exec_command *c, const char *what, const char *more, int round);
/* What the process that was just made says of its benchmark. */
enum tare_status exec_reported_read(const struct exec *x, int command, const struct plat_child_result *result,
                                    struct exec_reported *out, struct tare_err *err);

#endif
