/* SPDX-License-Identifier: MIT
 *
 * exec.h - carries out one round: for each command in the order given its prepare hook, the measured run, and its conclude hook.
 * It decides nothing: order, number and end of rounds are the plan's. A run returns its row, and who asked for it keeps it.
 *
 *     struct exec *x;
 *     struct exec_run run;
 *     exec_create(&x, &options, commands, n, spawner, &record, &err);
 *     status = exec_round(x, order, n, round, false, &err);
 *     for (int slot = 0; slot < n && !status; slot++) {
 *         status = exec_run(x, slot, &run, &err);
 *         ... run.made: append run.row to the record, and save it ...
 *         status = exec_run_end(x, &run, status, &err);
 *     }
 *     exec_destroy(x);
 *
 * Everything a run needs (descriptors, environment, resolved path) is made before its clock starts; between the two clock
 * reads of plat_child_run stands nothing of ours: exec_run.c shows what comes before and after.
 *
 * Ownership: options, commands and their words belong to the caller and must outlive the struct. One thread.
 */
#ifndef EXEC_H
#define EXEC_H

#include "bench_process.h"
#include "leak_report.h"
#include "own_metric.h"
#include "plat.h"
#include "record.h"
#include "trace_request.h"

enum exec_output { OUTPUT_NULL, OUTPUT_PIPE, OUTPUT_INHERIT, OUTPUT_FILE };

enum { OWN_OUTPUT_BYTES = 64 << 20, EXEC_COLUMNS_MAX = 112 };
enum { OWN_COLUMNS = 3 }; /* of an own metric: its value, why it has none, the step in which it was printed (NaN: not known) */
/* Followed runs of a command where they decide nothing: peaks differ little from run to run, and six is the fewest from which the median has an
 * interval at 95 % (order statistics: 1 - 2/2^6 = 97 %). */
enum { FOLLOW_ROUNDS = 6 };

/* ---- what processes are asked; a benchmark's is in bench_process.h ---- */

/* Asked of every process of one target. */
struct leak_request {
    const char *target; /* its name in the program */
    struct wire_request
        asked; /* of the next process; the seed is that of the run. Its first process finds what is handed down, and sets it */
    uint64_t blocks;  /* at most; 0: as many as fit */
    int calls;        /* of a block, as the program describes the target; for who counts them */
    uint32_t facts;   /* bits of enum wire_fact, of all its processes */
    bool unfit;       /* it is no failure: it cannot be judged by the rule */
    bool rests;       /* no process of it in this round: it had its share of the time, and others had not */
    bool out_of_time; /* its last process was stopped at its share of the time */
};

/* Asked of every run of one program. */
struct trace_asked {
    struct trace_request request; /* its folder and seed are those of the run, and not looked at here */
    const char *suffix;           /* of the folders' names, where several programs share a round; "" */
    bool
        prove; /* words for each pass: 1, 2 and 3 in turn, in an order drawn anew for each three rounds; else as the request says */
};

/* ---- what is run ---- */

struct exec_hook {
    const char *const *argv; /* NULL: no such hook */
    const char *text;        /* as the user wrote it, for messages */
    const char *cwd;         /* NULL: that of the options */
};

struct exec_command {
    int subject; /* index in the record, and of its series */
    const char *name;
    const char *const *argv; /* closed by NULL */
    struct exec_hook prepare, conclude;
    enum exec_output output;
    const char *output_file; /* OUTPUT_FILE */
    /* One of them, or none for a command. What is learnt from a benchmark's or a target's report goes into its request. */
    struct bench_request *bench; /* a benchmark of that program: a run is a process that reports */
    int process;               /* of those of which one process reports several, 1 + the index of the first; 0: it has its own */
    struct leak_request *leak; /* likewise a leak target */
    const struct trace_asked *trace; /* a program with control points: each run leaves its files in a folder of its own */
    char failure[600];               /* of one whose processes report: why no more of them are made; "": they are */
    const char *cwd;                 /* NULL: that of the options; of the commands of metrics too */
    const char *const *environment;  /* likewise */
    bool own_part;                   /* a part of tare (the empty program): own metrics and its output are not asked for */
};

/* What one run left beside its row. It has ended, of a traced one in whatever way. */
struct exec_left {
    int subject, round;
    bool warmup, failed;
    const struct leak_report *report; /* of a leak target; else NULL */
    const char *folder;               /* with the files of a traced run; else NULL */
    int64_t had_ns;                   /* since that run began: no time in its files is longer */
    const int *alive;                 /* processes that it started and that go on, 64 at most */
    int n_alive;
};

struct exec_options {
    const char *const *environment; /* base, closed by NULL */
    const char *cwd;                /* NULL = ours */
    const char *input_file;         /* NULL = the null device; "-" = our standard input */
    bool no_advice;                 /* of a run that fails no options are named that would accept it */
    bool show_hook_output;          /* hooks write where we write; else to the null device */
    int64_t timeout_ns;             /* of one run, of one hook; 0 = none */
    /* Of targets, on plat_now_ns(): from then on no process is begun but the first of all. One that is under way gets its share of what is left, and
     * half a second for what does not shrink with the time that it is asked for; then it is stopped. 0 = none */
    int64_t end_ns;
    /* One of these CPUs is drawn for each round, and all its runs are pinned to it: they meet the same core. None: as we run. */
    const int *pin_cpus;
    int n_pin_cpus;
    /* One of them is drawn for each run instead, each as often as the others: of every n runs of a command each CPU has one, in an order that is drawn
     * anew. One that is not allowed any more is passed over: the run is not pinned. */
    bool cpu_each_run;
    bool ignore_all;         /* failures are rows like others */
    const int *ignore_codes; /* or only these exit codes; 128 + N is signal N */
    int n_ignore_codes;
    const char *const *counters; /* perf events, ids of metrics "perf:EVENT" without the prefix */
    int n_counters;
    /* Metrics of the user's. With any, or compare_output, output goes to files in memory (OUTPUT_NULL, OUTPUT_INHERIT; the latter is shown after each
     * run), of which OWN_OUTPUT_BYTES each are kept; the text is standard output, then standard error. */
    const struct own_metric *own;
    int n_own;
    /* A file that each run writes, in the folder of its command; NULL: none. What is there is removed before each run (a regular file; anything else ends
     * the session), and after it read_results reads it, and sets OWN_COLUMNS values of each own metric of kind OWN_RESULT. */
    const char *results;
    enum tare_status (*read_results)(void *context, int subject, const char *path, double *own, struct tare_err *err);
    /* In the first so many rounds each command runs once more, untimed and followed, with its hooks: followed_metrics.def. */
    int follow_rounds;
    const char
        *follow_decides;    /* the one of them without which there is no answer: UNSUPPORTED where it cannot be had; NULL: none */
    bool compare_output;    /* hashes standard output */
    uint64_t seed;          /* of the environment padding and of the CPUs */
    const char *trace_base; /* of programs with control points: where their runs' folders are made */
    bool keep_traces;       /* the folders stay */
    /* Of leak targets whose process ended well, and of traced programs: what the run left, between two runs. Sets the values of leak_columns.def or
     * trace_columns.def. A failure ends the round, but for TARE_CHILD of a target: no more processes of it are made, and err is why. */
    enum tare_status (*take)(void *context, const struct exec_left *left, double *values, struct tare_err *err);
    void *context;
};

/* One run of a round, and its row. */
struct exec_run {
    int command, subject, round, slot;
    bool warmup;
    bool made; /* it has a row */
    struct row row;
    double values[EXEC_COLUMNS_MAX]; /* of the row */
    /* the files of exec */
    struct plat_child_result result;
    double *kind_values, *followed; /* of the kind's columns; of followed_metrics.def, NULL: not asked for */
    bool begun;                     /* what the prepare hook began is to be ended */
};

struct exec;
struct memory_watch;

/* The file `results` of a command that runs in that folder (NULL: ours) into `path`; what is there is removed. INVALID: it is no regular file. */
enum tare_status exec_clear_results(const char *results, const char *cwd, struct buf *path, struct tare_err *err);

/* Opens inputs and outputs. What is learnt goes into the commands' requests and failures. All series get their columns: built-in metrics, counters (NaN until they are opened),
 * own metrics with their reasons, covariates.def, the hash of the output, those of the kind. */
enum tare_status exec_create(struct exec **out, const struct exec_options *options, struct exec_command *commands, int n_commands,
                             struct plat_spawner *spawner, struct record *r, struct tare_err *err);
void exec_destroy(struct exec *x); /* NULL is fine */

/* Opens the counters; from then on they cost every run a little. One that cannot be had stays NaN; the reason is kept. */
enum tare_status exec_open_counters(struct exec *x, struct tare_err *err);

/* NULL: the counter counts */
const char *exec_counter_reason(const struct exec *x, int counter);
/* It counts without the kernel's part. */
bool exec_counter_user_only(const struct exec *x, int counter);
/* The share of the time of a run, of all runs the largest, in which it did not count, as the processor has too few counters for all: its values are scaled up. */
double exec_counter_uncounted(const struct exec *x, int counter);

/* The first n commands have equally much on the stack in each round (see padding.h). */
bool exec_padding_equal(const struct exec *x, int n);

/* Each run reads on where the one before stopped: the input is a pipe. A terminal is not meant, someone types there. */
bool exec_input_reads_on(const struct exec *x);

/* Begins a round of these commands, whose runs follow in this order, one exec_run for each of the n. A session has only commands, only benchmarks, only
 * targets or only traced programs. */
enum tare_status exec_round(struct exec *x, const int *order, int n, int round, bool warmup, struct tare_err *err);
/* The prepare hook and the run. A benchmark or target whose process fails, in whatever way, is no failure of the round: its failure says why, it has no
 * row, and is not run again. TARE_INTERRUPTED: a signal ended it, and the run cut short has no row. */
enum tare_status exec_run(struct exec *x, int slot, struct exec_run *out, struct tare_err *err);
/* After exec_run, which ended with `status`, and after its row was kept. Runs the conclude hook, whatever happened since the prepare hook. TARE_CHILD: the run failed
 * and failures are not ignored; err names command, run and exit status. */
enum tare_status exec_run_end(struct exec *x, const struct exec_run *run, enum tare_status status, struct tare_err *err);

/* Why the benchmark or target is not run any more; NULL: it is, or it is a command. */
const char *exec_failure(const struct exec *x, int command);
/* The target has rows, and its last process was stopped at its share of the time (end_ns): no more are made, and it has not failed. */
bool exec_out_of_time(const struct exec *x, int command);
/* What the process of a benchmark reported. */
struct exec_reported {
    uint64_t iterations; /* of a sample, of each thread */
    int threads;
    char trouble[256]; /* "" or why it is no use */
    int n_events;      /* of those that were asked for */
    struct {
        char name[64];  /* of the counter */
        double value;   /* per iteration */
        double counted; /* share of the time in which it was, 1: all; the rest is extrapolated */
    } event[WIRE_EVENTS_MAX];
};
/* One more run of a command, whose time nobody counts: with its hooks, as in a round, and without a row. */
struct exec_untimed {
    const char *what;           /* "the run for --memory-timeline", for messages */
    const char *variable;       /* of a benchmark, "TARE_WIRE=...": asked in place of the last round's request; NULL: that one */
    struct memory_watch *watch; /* looks at its memory; NULL: nobody does */
    bool peak;                  /* it is followed for followed_metrics.def */
    struct exec_reported *reported; /* out, of a benchmark; NULL: nobody asks */
};
/* TARE_CHILD: it failed and failures are not ignored, or it could not be started; *result says how it ended. TARE_INTERRUPTED as in a round. */
enum tare_status exec_untimed(struct exec *x, int command, const struct exec_untimed *how, struct plat_child_result *result,
                              struct tare_err *err);

/* Runs a setup or cleanup hook (`what` names it in messages). An absent one is fine. */
enum tare_status exec_run_hook(struct exec *x, const struct exec_hook *hook, const char *what, struct tare_err *err);

/* The moment from which start_ns of rows counts. */
int64_t exec_start_ns(const struct exec *x);

/* ---- requests of the next run, for exec itself and tests ---- */

/* "TARE_WIRE=..." appended to out. */
void leak_variable(const struct leak_request *q, uint64_t seed, struct buf *out);
/* Keeps what the target's next processes are told, so that they need not find it again. */
void leak_learn(struct leak_request *q, const struct leak_report *report);

enum {
    TRACE_RUN_COLUMNS = 0
#define TRACE_COLUMN(id, title, unit) +1
#include "trace_columns.def"
};

const char *trace_column(int index); /* NULL past the end */

/* The folder of a run (0, 1 ...), in `base`. Of one length for all programs whose suffixes are of one length: the environment is as long. */
void trace_folder(struct buf *out, const char *base, const struct trace_asked *asked, int round, bool warmup);
/* Words for each pass in that round. The same whenever it is asked, so also in a round that is made again. */
int trace_repeat(const struct trace_asked *asked, uint64_t seed, int round, bool warmup);
/* request.repeat is `repeat`. */
void trace_variable(const struct trace_asked *asked, const char *folder, uint64_t seed, int repeat, struct buf *out);

#endif
