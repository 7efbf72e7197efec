/* SPDX-License-Identifier: MIT
 *
 * bench_process.h - one process of a benchmark: what it is asked for, and its report as columns and samples. Used by the files of exec, and
 * bench_list by the command line.
 *
 *     struct bench_request q = {.benchmark = "sort/100", .asked = wire_request_default(CHILD_REPORT)};
 *     bench_variable(&q, seed, &text);                     // "TARE_WIRE=..." for the environment
 *     ... run the program with a report, read its bytes ...
 *     struct bench_report report;
 *     bench_read(bytes, n, &q, had_ns, &report);           // report.trouble "": all is well
 *     bench_fill(&report, &q, values);                     // BENCH_COLUMNS values: bench_metrics.def, then bench_columns.def
 *     bench_samples(&report, &row, record, series);        // its samples into the record
 *
 * The report is that of wire.h. It is material of a program that may be broken: nothing in it is believed before it was held against
 * what was asked for. Nothing here starts a process.
 */
#ifndef BENCH_PROCESS_H
#define BENCH_PROCESS_H

#include "record.h"
#include "wire.h"

enum {
    BENCH_METRICS = 0
#define BENCH_METRIC(id, title, unit, kind, direction) +1
#include "bench_metrics.def"
    ,
    BENCH_COLUMNS = BENCH_METRICS
#define BENCH_COLUMN(id, title, unit) +1
#include "bench_columns.def"
    ,
    BENCH_REPORT_BYTES = 64 << 20,
    BENCH_SAMPLES_MAX = 1 << 22,    /* of one benchmark in a session: some 600 MB */
    BENCH_SESSION_SAMPLES = 1 << 24 /* of all benchmarks */
};

/* How long the samples of a benchmark of another harness are to be. A process takes s besides the m of its samples, and its value has
 * the variance w / m + b, within and between processes. In a given time the mean is most precise where (s + m) (w / m + b) is least. Samples double where
 * that becomes less by a fifth. Both variances are robust, as the comparison is: those of normal values with the same medians. What a harness runs beyond
 * what it is asked for counts as s. The shorter the processes, the closer are the two that are compared, too: what disturbs the machine for longer than a
 * pair cancels. Nor do samples double where a process would then take longer than its share of the session: harnesses run more than they are asked for, and
 * on a busy machine a process waits.
 *
 *     struct sample_length l = {.ns = 15000000, .most_ns = 100000000, .process_ns = 200000000};
 *     sample_length_take(&l, values, n, n, took_ns); // after each process, the times of an iteration in its samples
 *     sample_length_share(&l, twin);              // before each round
 *     ... ask for samples of l.ns ...
 */
enum { SAMPLE_LENGTH_SEEN = 32 };

struct sample_length {
    int64_t ns, most_ns; /* no longer than that */
    double process_ns;   /* of a process's time; 0: any */
    /* Processes of this length so far, the first of them: the variance of each one's mean as its samples say, its mean, its time. */
    int n;
    float within[SAMPLE_LENGTH_SEEN], means[SAMPLE_LENGTH_SEEN], took_ns[SAMPLE_LENGTH_SEEN];
};

/* Some values of a process that made so many samples. took_ns: of the process; 0: not known, the length stays. Some samples that are no times, or fewer than two, say nothing. */
void sample_length_take(struct sample_length *l, const double *values, int n, int samples, double took_ns);
/* No longer than most_ns; half of it where a process has a share of the time, as it takes about twice what it is asked for. */
void sample_length_reach(struct sample_length *l, int64_t least_ns);
/* What is compared has samples of one length: the longer one. */
void sample_length_share(struct sample_length *a, struct sample_length *b);

struct bench_event { /* as perf_event_open takes it */
    const char *name;
    uint64_t type, config;
    bool user_only;
};

/* Asked of every process of one benchmark. */
struct bench_request {
    const char *benchmark; /* full name in the program */
    struct wire_request
        asked; /* the seed is that of the run; the first process that looked for code that was taken away unsets guard */
    uint64_t iterations;              /* of a sample; 0: the next process finds out how many, and then sets it */
    uint64_t terms;                   /* bench_terms of what was reported before; 0: nothing was, and the next process sets it */
    const struct bench_event *events; /* to be counted around samples; such times are no figures */
    int n_events;
    /* NULL: it answers in frames. Else they are made of what it prints, or of what was read for exec_options.results, by this. */
    enum tare_status (*translate)(void *context, const char *benchmark, char *text, size_t n, struct buf *frames,
                                  struct tare_err *err);
    void *context;
    bool others_iterations; /* another process may have made them, as those in a file: they are held against no clock */
    /* A folder for what it writes, made before each process, removed behind it, and named in this variable; NULL: none. */
    const char *home, *home_variable;
    struct sample_length length;
    const int64_t *least_ns;                       /* of a sample, by what the last process printed */
    void (*set_length)(void *context, int64_t ns); /* in the words of the next processes; NULL: they cannot be told */
    const bool
        *failure_reported; /* the file says that a benchmark failed, which explains the process's exit code; NULL: no file */
    const double *
        printed_steps; /* in which it printed times (ns), then the report's counters (NaN: not known; 0: exactly); NULL: of none */
    struct bench_request *twin; /* the same benchmark of another program, which gets as many iterations; NULL */
};

/* Ids of the columns in a row, BENCH_COLUMNS of them; NULL past the end. */
const char *bench_column(int index);
/* Ids of the columns of samples; *n of them. */
const char *const *bench_sample_columns(int *n);

/* "TARE_WIRE=..." appended to out. */
void bench_variable(const struct bench_request *q, uint64_t seed, struct buf *out);

struct bench_report {
    const void *bytes;
    size_t n;
    struct wire_hello hello;
    struct wire_clock clock;
    struct wire_bench bench;
    struct wire_end end;
    struct wire_bye bye;
    bool has_hello, has_clock, has_bench, has_end, has_bye;
    int samples; /* rows of thread 0 */
    char trouble[256];
};

/* What must be the same in all processes of a benchmark: its arguments, threads, version, and whether it times itself. Never 0. */
uint64_t bench_terms(const struct wire_bench *b);
/* What the bytes say of the one benchmark that was asked for. had_ns: what the process had (INFINITY: not known); a report of more is trouble.
 * Always fills out->trouble. */
void bench_read(const void *bytes, size_t n, const struct bench_request *q, double had_ns, struct bench_report *out);
#define BENCH_STEP_COLUMN \
    "ns:step" /* step_column of "ns", before the columns of its kind where times are read from what was printed */
/* Metrics first, those made of samples NaN. */
void bench_fill(const struct bench_report *report, double *values);
/* Whether the record has room for its samples beside those that the session brought before. */
bool bench_samples_fit(const struct bench_report *report, const struct record *r, int series);
/* Appends the samples; round and start_ns of `process` are taken over. NO_MEMORY. */
enum tare_status bench_samples(const struct bench_report *report, const struct row *process, struct record *r, int series);
/* Appends what the program counted itself, values that are no numbers left out. NO_MEMORY. */
enum tare_status bench_counts(const struct bench_report *report, const struct row *process, struct record *r, int series);

#endif
