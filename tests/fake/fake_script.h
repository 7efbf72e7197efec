/* SPDX-License-Identifier: MIT
 *
 * fake_script.h - a parsed fake script as plain structs. The language is described in fake.h.
 *
 * Everything lives in the script's arena; lists are in the script's order, `next` is the first member of what is listed. Reading a script touches nothing but the files
 * that `file PATH copy FILE` names.
 */
#ifndef FAKE_SCRIPT_H
#define FAKE_SCRIPT_H

#include "arena.h"
#include "fake_model.h"
#include <stddef.h>
#include <tare/status.h>

enum { FAKE_FOREVER = -1 };

/* Which runs of a program something is about: first..last, 1-based; last FAKE_FOREVER = all that follow. */
struct fake_span {
    int64_t first, last;
};

enum fake_exit_kind { FATE_EXIT, FATE_SIGNAL, FATE_HANG, FATE_NOT_STARTED };

struct fake_exit {
    struct fake_exit *next;
    enum fake_exit_kind kind;
    int code;
    struct fake_span span;
};

struct fake_interrupt { /* the session's signal halfway through a run */
    struct fake_interrupt *next;
    int number;
    struct fake_span span;
};

enum fake_found { FOUND_OK, FOUND_NOT, FOUND_DENIED, FOUND_DIRECTORY };

struct fake_lookup {
    struct fake_lookup *next;
    enum fake_found found;
    int64_t from_run;
};

struct fake_count { /* a perf event of one program */
    struct fake_count *next;
    const char *event;
    struct fake_model model;
};

struct fake_memory { /* at this part of its life; heap NaN: nothing is preloaded into it */
    struct fake_memory *next;
    double at, rss, heap;
};

struct fake_text {
    char *bytes;
    size_t n;
};

struct fake_bench { /* a benchmark in a program built with libtare */
    struct fake_bench *next;
    const char *name;
    char *skips;         /* NULL: it does not */
    char *away, *remark; /* why the guard rejects it, and what it says of its figure; NULL */
    char *label;         /* NULL: none */
    char *version;       /* NULL: none */
    char *count, *unit;  /* a counter of its own; NULL: it has none */
    int per;             /* enum wire_per */
    bool inverted;
    int64_t iterations;            /* of a sample; 0: as many as all have */
    double counted, counted_share; /* share 0: it says none */
    bool baseline, complexity;
    int64_t dies_at, turns_at; /* in and from which process; 0: never. turns: it says that it has two threads */
    bool lies;                 /* of each sample it reports these, whatever passed */
    int64_t lied_iterations, lied_ticks;
    double claimed_hz; /* of the processor's counter, by which it says it measures; 0: it has a clock of its own */
    struct fake_model ns;
    int64_t processes; /* while it plays */
};

enum { FAKE_CLASSES = 4 };
struct fake_leak { /* a leak target in such a program */
    struct fake_leak *next;
    const char *name;
    const char *fails; /* NULL: it does not */
    bool broken;       /* and that is known when it is asked for what it has */
    uint32_t facts;    /* bits of enum wire_fact */
    bool blind;        /* planted delays have no effect */
    double hidden_ns;  /* nor has so much of each */
    double harness_ns; /* by which the second slot is slower for the same input */
    int64_t dies_at;
    int n_classes;
    struct fake_model ns[FAKE_CLASSES];
    double element_ns; /* growth; 0: it has none */
    int64_t bit;
    double bit_ns;     /* a secret: this bit set takes so much longer */
    double weight_ns;  /* and each set one, this */
    int64_t processes; /* while it plays */
};

struct fake_point { /* a control point; of its id its place in the list, from 1 */
    struct fake_point *next;
    char *file, *func, *name; /* name NULL: none */
    uint32_t line;
};

struct fake_arc { /* passages, in the order of the script, in each run */
    struct fake_arc *next;
    int64_t from, to, times;
    struct fake_model ns;
};

enum fake_trace_fault { TRACES_WHOLE, TRACES_NOTHING, TRACES_FOREIGN, TRACES_NEWER, TRACES_CUT, TRACES_EMPTY };

struct fake_program {
    struct fake_program *next;
    char **words;
    int n_words;
    struct fake_model wall, user, sys, rss, minflt, majflt, ctx_voluntary, ctx_involuntary;
    struct fake_model delay, steal, blocked, throttled; /* lost: on top of wall */
    struct fake_model peak, tree;                       /* of runs that are followed; without terms tree is not known */
    bool privileged;                                    /* by its file, so that it cannot be followed */
    struct fake_model first_cpu, last_cpu, hz;
    double hz_exponent, hz_reference; /* wall follows hz; exponent 0: it does not */
    bool threads;                     /* it has more than one, or children */
    double tasks;                     /* that end in a run, where the kernel tells what they waited; 0: it does not */
    struct fake_model tree_delay, tree_least;
    struct fake_count *counts;
    struct fake_memory *memory; /* by rising part */
    const char *nopreload;      /* why nothing can be preloaded into it; NULL: it can */
    struct fake_exit *exit_statuses;
    struct fake_interrupt *interrupts;
    struct fake_lookup *lookups;
    int64_t first_runs;
    double first_factor;
    const char *after; /* NULL: no carry-over */
    double after_factor;
    struct fake_text out, err;
    int64_t prints_bytes;
    struct fake_text report; /* bytes NULL: it reports nothing */
    struct fake_model reported;
    bool reads;
    int64_t wire;                /* version of wire.h; 0: it is not built with libtare */
    double measured_ns;          /* what it measured of itself in the run that plays: it lives so long at least */
    char *note_name, *note_text; /* NULL: it says nothing of itself */
    struct fake_bench *benches;
    struct fake_leak *leaks;
    struct fake_point *points;
    struct fake_arc *arcs;
    struct fake_model probe; /* without terms 20 ns */
    enum fake_trace_fault leaves;
    /* while it plays */
    struct rng rng;
    int64_t runs;
};

enum fake_file_kind { CANNED_TEXT, CANNED_DENIED };

struct fake_canned {
    struct fake_canned *next;
    const char *path;
    enum fake_file_kind kind;
    struct fake_text text;
    int64_t from_ns;
};

enum fake_noise_kind { NOISE_DRIFT, NOISE_WAVE, NOISE_STEPS };

struct fake_noise { /* of the session, shared by all programs */
    struct fake_noise *next;
    enum fake_noise_kind kind;
    double ratio, period_ns;
};

struct fake_signal {
    struct fake_signal *next;
    int number;
    int64_t at_ns;
    bool delivered;
};

struct fake_jump { /* of a clock; children: runs are timed by it too */
    struct fake_jump *next;
    int64_t by_ns, at_ns;
    bool children;
};

struct fake_disk { /* written counts up while it plays */
    struct fake_disk *next;
    const char *file; /* NULL: all files together */
    bool denied;
    int64_t limit_bytes, written_bytes;
};

enum fake_counter_kind { COUNTER_OPEN, COUNTER_UNSUPPORTED, COUNTER_DENIED };

struct fake_event {
    struct fake_event *next;
    const char *event;
    enum fake_counter_kind kind;
    const char *reason;
    double running_ratio;
    bool user_only;
};

struct fake_rate { /* of a counter or of the core, from then on */
    struct fake_rate *next;
    double hz;
    int64_t at_ns;
};

struct fake_tick_jump {
    struct fake_tick_jump *next;
    int64_t by_ticks, at_ns;
};

struct fake_tick_skew { /* of one CPU's counter */
    struct fake_tick_skew *next;
    int cpu;
    int64_t by_ticks;
};

struct fake_cpuid {
    struct fake_cpuid *next;
    uint32_t leaf, subleaf, registers[4];
};

struct fake_ticks { /* the processor, see fake_cpu.c */
    const char *name, *missing;
    bool forbidden, cpuid_denied;
    struct fake_model cost;
    int64_t step, register_hz;
    double kernel_hz;                     /* 0: the kernel does not say */
    struct fake_rate *rates, *core_rates; /* as the script has them; the last that has begun holds */
    struct fake_tick_jump *jumps;
    struct fake_tick_skew *skews;
    struct fake_cpuid *cpuid;
    double multiply_cycles, add_cycles;
    int64_t add_until_ns; /* an add takes add_cycles until then, and 1 after; 0: for ever */
    double raw_ratio;     /* how much faster the raw clock runs */
    int64_t coarse_step_ns, kernel_cost_ns;
    int64_t cpu_step_ns; /* of the CPU time of runs; 0: of 1 ns */
};

struct fake_siblings { /* two CPUs of one core: while both work each gets so much of what it would get alone */
    struct fake_siblings *next;
    int one, other;
    double share;
};

struct fake_stealing { /* from then on the hypervisor takes this share of the time of working CPUs */
    struct fake_stealing *next;
    double share;
    int64_t at_ns;
};

struct fake_stress {
    struct fake_rate *rates; /* multiplies a second of each CPU; the last that has begun holds, 3 G without */
    struct fake_siblings *siblings;
    struct fake_stealing *stealing;
    const char *reason; /* NULL: threads can be had */
};

/* Of the measuring thread itself (plat_thread.h); STEAL and BLOCKED only shorten its CPU time. */
enum fake_thread_signal {
    THREAD_DELAY,
    THREAD_STEAL,
    THREAD_BLOCKED,
    THREAD_CPU_TIME, /* never an event, only absent */
    THREAD_VOLUNTARY,
    THREAD_INVOLUNTARY,
    THREAD_MINFLT,
    THREAD_MAJFLT,
    THREAD_MOVE,    /* so many CPUs up */
    THREAD_SUSPEND, /* the machine's */
    THREAD_SIGNALS
};

struct fake_thread_event {
    struct fake_thread_event *next;
    enum fake_thread_signal signal;
    int64_t value, at_ns;
};

struct fake_other { /* a session that measures too */
    struct fake_other *next;
    int64_t pid, from_ns;
};

struct fake_script {
    struct arena arena;
    struct fake_ticks ticks;
    uint64_t seed;
    int64_t step_ns, start_ns, utc_ns;
    int64_t before_ns, after_ns, shell_ns;
    int cpus;
    const char *uname[5];
    const char *folder;
    int terminal_width;
    bool terminal[3];
    int descriptors; /* -1: no limit */
    bool priority_denied, priority_ignored, helper_missing;
    struct fake_model nap_late, slice;
    struct rng timer_rng;
    struct fake_stress stress;
    const char *slice_reason;                     /* NULL: two threads can be had */
    int64_t nap_tick_ns;                          /* naps end on its multiples; 0: anywhere */
    int64_t period_coarsest_ns, period_finest_ns; /* 0: there is no such period */
    const char *period_reason;                    /* NULL: it is told */
    int64_t slack_ns, slice_told_ns;              /* -1: not told */
    int64_t helper_dies_at;                       /* 0: never */
    const char *log;                              /* NULL: none */
    struct fake_canned *files;
    struct fake_noise *noises;
    struct fake_signal *signals;     /* by time */
    struct fake_jump *jumps, *backs; /* of the wall clock, and of the other one, which go back */
    struct fake_disk *disks;
    struct fake_event *events;
    struct fake_thread_event *thread_events;
    struct fake_other *others;
    bool presence_denied, memory_hidden;
    int peak_refused; /* enum plat_peak_why */
    bool floor_told;
    int64_t floor_helper_bytes, floor_unseen_bytes;
    bool thread_absent[THREAD_SIGNALS];
    struct fake_program *programs;
};

/* *s is overwritten. On failure it is finished and zero. */
enum tare_status fake_script_parse(struct fake_script *s, const char *text, struct tare_err *err);
void fake_script_finish(struct fake_script *s);

/* 0 when the word is neither a name ("INT", "SIGINT") nor a number from 1 to 64. */
int fake_signal_number(const char *word);

#endif
