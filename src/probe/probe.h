/* SPDX-License-Identifier: MIT
 *
 * probe.h - what the files of src/probe know of each other: the list of benchmarks, one benchmark's run in one process, and
 * the session that runs them. Users read tare/bench.h.
 *
 *     struct probe_case c;
 *     for (int64_t i = 0; probe_case_at(i, &c); i++)          // each benchmark with each combination of its arguments
 *         probe_run(&session, &c, 0, tell, context);          // -> frames of wire.h, or rows of a table
 *
 * Two things outlive a call and belong to nobody: the list of registered benchmarks, which constructors fill before main, and the state
 * whose code runs in this thread, for tare_saw_constant. Nothing is printed; nothing exits.
 */
#ifndef PROBE_H
#define PROBE_H

#include "buf.h"
#include "clocks.h"
#include "noise_thread.h"
#include "rng.h"
#include "stepped.h"
#include "wire.h"
#include <stdbool.h>
#include <stdint.h>
#include <tare/bench.h>

/* ---- the list ---- */

enum { PROBE_ARGS = 6, PROBE_LISTS = PROBE_ARGS + 1 /* the threads */, PROBE_VALUES_MAX = 1000, PROBE_CASES_MAX = 1000000 };

/* One benchmark with one combination of arguments. */
struct probe_case {
    const struct tare_bench *bench;
    int64_t number; /* among all */
    int n_args;     /* without the threads */
    struct wire_arg args[PROBE_LISTS];
    int threads;
    char name[WIRE_NAME_MAX];
};
/* False: there are no more. */
bool probe_case_at(int64_t number, struct probe_case *out);
/* The next one from *number on that the request wants, behind which *number is then; false: there are no more. */
bool probe_case_wanted(const struct wire_request *q, int64_t *number, struct probe_case *out);
int64_t probe_cases(void);
/* INVALID: the list cannot be run; err says what is wrong with which benchmark. */
enum tare_status probe_check_list(struct tare_err *err);
/* For the list of leak targets too. */
bool probe_printable(const char *name); /* not empty, and without control characters */
/* Which of two of a name is meant nobody can tell. INVALID. */
enum tare_status probe_refuse_twins(const char *what, const char *name, const char *file, int line, const char *other_file,
                                    int other_line, struct tare_err *err);
int probe_values_n(const struct tare_values *v);            /* 0: there is no list; over PROBE_VALUES_MAX: too many */
int64_t probe_value_at(const struct tare_values *v, int i); /* of a word its place in the list */
enum tare_status probe_check_values(const struct tare_values *v, struct tare_err *err); /* INVALID */
/* What tare_bench_note was told; how many. */
uint32_t probe_notes(struct wire_note out[WIRE_NOTES_MAX]);

/* ---- a session ---- */

struct probe_session {
    struct wire_request request;
    const struct clock_state *clock;
    enum tare_ticks_way way;         /* how samples read the counter */
    struct tare_ticks (*read)(void); /* when they do not */
    double hz;                       /* of what samples read */
    double step_ticks;               /* of what is read; 0: not known */
    double pair_ticks;               /* empty bracket */
    double floor_ticks;              /* of an iteration of a loop that only counts down */
    bool chains;                     /* reference chains are run around samples; else no_core says why not */
    double chain_cycles, chain_empty_ticks;
    struct tare_err no_core;
    int64_t sample_ticks;
    bool draws; /* chains are read with drawn phase: the counter's steps are coarse beside them */
    struct clock_phase phase;
    uint64_t first_ticks; /* at the first sample of the process; 0: none yet */
};
/* Examines the clock, some 15 ms, or believes what the request tells of it; makes up for what the request leaves open. INVALID: no such clock; UNSUPPORTED: it cannot
 * be used here. */
enum tare_status probe_session_open(struct probe_session *s, const struct wire_request *q, struct tare_err *err);
void probe_clock_frame(const struct probe_session *s, struct wire_clock *out);

/* ---- what the kernel counted ---- */

int64_t probe_whole(double value); /* NaN: WIRE_NONE */
/* Ends what noise_thread_begin began; wall_ns is the caller's own measurement. */
struct wire_account probe_account(struct noise_thread *t, int64_t wall_ns);

/* ---- one benchmark ---- */

struct probe_memory { /* of tare_alloc */
    struct probe_memory *next;
};

/* Rows of samples in memory that is there before the first of them. */
struct probe_rows {
    int n, room;
    int64_t *column[WIRE_COLUMNS_N]; /* NULL: not taken */
    int64_t *memory;
    /* For the guard, by what this thread did between its own two readings: ticks of an iteration, and the same in iterations of the empty
     * loops beside it. */
    double *own, *times_empty;
};
void probe_rows_close(struct probe_rows *r);

enum probe_phase { PHASE_CALIBRATE, PHASE_HALF, PHASE_WHOLE, PHASE_NONE, PHASE_LONE, PHASE_WARMUP, PHASE_SAMPLE, PHASE_DONE };
enum { PROBE_EMPTIES = 4, PROBE_GUARDS = 12, PROBE_GUARDS_MOST = 32 * PROBE_GUARDS };

struct tare_state {
    struct probe_session *session;
    const struct probe_case *the_case;
    void *context;
    uint64_t seed;
    struct rng rng;
    int thread;
    struct probe_memory *memory;

    /* What came of it. */
    enum wire_state end;
    char reason[WIRE_TEXT_MAX / 4], remark[128];
    bool saw_constant, reported; /* reported: some time in this sample, by tare_manual_ns */
    int unreported;              /* samples without */
    double items, bytes, manual_ns;
    int n_counters;
    struct wire_counter counters[WIRE_COUNTERS_MAX];
    uint32_t counter_of_all[WIRE_COUNTERS_MAX]; /* TARE_OF_ALL, TARE_MEAN_OF_ALL */
    char counter_names[WIRE_COUNTERS_MAX][2][64];
    char label[WIRE_LABEL_MAX];

    /* The loop: see loop.c. */
    enum { LOOP_NONE, LOOP_OPEN, LOOP_CLOSED } loop;
    enum probe_phase phase;
    int in_phase; /* samples of this phase so far */
    int samples, warmup, pairs;
    uint64_t count, calibrated;
    int pass;                    /* of the sample under way, counted from 1; 0: none has begun */
    int passes, middle;          /* it has so many; the one that counts, counted from 0 */
    unsigned slot;               /* of the empties: where its own one empty pass goes, or went last */
    bool ready;                  /* TARE_EACH: the inputs of this pass are made, and all threads know it */
    struct probe_team *team;     /* NULL: one thread */
    struct probe_events *events; /* NULL: none are counted */
    bool dismissed;              /* of a follower */
    int64_t first_ticks, kept_first_ticks;
    int64_t ticks, empties[PROBE_EMPTIES], empty_ticks /* their median */, chain_before, chain_after;
    int64_t own_ticks, own_empties[PROBE_EMPTIES]; /* of this thread alone */
    int64_t cpu_began_ns, cpu_ns;                  /* while the count is looked for: CPU time of the last sample */
    double floor_before, floor_after;
    struct tare_ticks start;
    int first_cpu, last_cpu;
    bool backwards;
    /* Of the guard. The shortest passes, the readings' overhead included; passes of none and of one iteration, as many of each. */
    int64_t best_half, best_whole, best_empty;
    int n_none, n_lone;
    double none[PROBE_GUARDS_MOST], lone[PROBE_GUARDS_MOST];
    double scaling, lone_ticks, before_ticks,
        before_least; /* before_least: what before_ticks is at least, by its standard error */
    struct noise_thread noise;
    struct noise_thread around; /* all samples */
    bool signals;               /* both are open */
    struct noise_delta delta;
    struct wire_account account;
    int64_t account_ns;
    struct probe_rows rows;
    /* Of TARE_EACH. */
    size_t input_bytes, stride;
};

/* What came of a case: the states of its threads in a row, with their samples, and its end; gone after the call. */
typedef enum tare_status probe_tell(void *context, const struct tare_state *states, const struct wire_end *end);
/* Runs one case and tells what came of it. The status is our own trouble, or what tell returned; that of the benchmark is in its end. */
enum tare_status probe_run(struct probe_session *s, const struct probe_case *c, uint64_t iterations, probe_tell *tell,
                           void *context);
/* Gives back what the case got by tare_alloc. */
void probe_memory_release(struct tare_state *st);
/* The first reason counts. */
BUF_FORMATS(3, 4) void probe_end(struct tare_state *st, enum wire_state end, const char *format, ...);
/* The state whose code runs in this thread; NULL: none. */
void probe_current(struct tare_state *st);

void probe_events_on(struct tare_state *st);
void probe_events_off(struct tare_state *st, uint64_t iterations);
void probe_events_close(struct tare_state *st); /* what was counted becomes counters */

/* guard.c: what the passes say of the code. */
/* After the samples of the guard. False: they do not say yet whether something is done before the loop, and there may be more of them. */
bool probe_guard_judge(struct tare_state *st);
void probe_guard_close(struct tare_state *st); /* after all */
bool probe_guard_grows(struct tare_state *st); /* nothing says that the whole count takes no longer than half of it, so far */

/* probe_session.c: ticks of a pair of readings around nothing, the mean of many (stepped.h), phases drawn. */
double probe_pair_ticks(const struct probe_session *s);

/* loop_overhead.c: ticks of an iteration of a loop that only counts down: from one such loop, and the lower quartile of many. */
double probe_floor_once(const struct probe_session *s);
double probe_floor_ticks(const struct probe_session *s);
/* Most of what disturbs makes samples longer, so the lower quartile stands for all. Sorts values. */
double probe_lower_quartile(double *values, int n);

/* alone.c: a program with benchmarks that nobody runs but its user: arguments in, a table out. Exit codes as of tare: 0 done, 2 usage, 5 a benchmark failed,
 * 6 it could not be done. */
int probe_alone(int argc, char **argv, tare_write *write, void *context);

#endif
