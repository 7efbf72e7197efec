/* SPDX-License-Identifier: MIT
 *
 * leak_process.h - one process of a leak target: what it is asked for, and its report as columns. Used by exec.c, and by who replays what was
 * kept of it.
 *
 *     struct leak_request q = {.target = "memcmp_32", .kind = WIRE_PAIRS, .ns = 200000000, ...};
 *     leak_variable(&q, seed, &text);                       // "TARE_WIRE=..." for the environment
 *     ... run the program with a report, read its bytes ...
 *     struct leak_report report;
 *     leak_read(bytes, n, q.target, had_ns, &report);       // report.trouble "": all is well
 *     leak_fill(&report, raw_at, values);                   // LEAK_COLUMNS values: leak_columns.def
 *
 * The report is that of wire.h, of a program that may be broken: nothing in it is believed before it was held against what was asked for.
 * Nothing here starts a process, keeps times or judges them.
 */
#ifndef LEAK_PROCESS_H
#define LEAK_PROCESS_H

#include "record.h"
#include "wire.h"

enum {
    LEAK_COLUMNS = 0
#define LEAK_COLUMN(id, title, unit) +1
#include "leak_columns.def"
#undef LEAK_COLUMN
};

/* Asked of every process of one target. */
struct leak_request {
    const char *target; /* its name in the program */
    enum wire_leak_kind kind;
    int64_t ns;      /* time of the next process; 0: the library's choice */
    uint64_t blocks; /* at most; 0: as many as fit */
    int calls;       /* of a block, as the program describes the target; for who counts them */
    double spike_ns;
    int spike_adds; /* that last so long, as earlier processes found; 0: the next one looks for them */
    int selfcheck;  /* blocks in a hundred that are A/A, and as many that are spikes */
    enum wire_cache cache;
    bool noise;
    int repeat; /* calls in a bracket; 0: the next process calibrates, and then sets it */
    int dit;
    int bits;
    double tick_hz, tick_ppm; /* as wire.h has these four: its first process finds them, and then sets them */
    int tick_step, chain_cycles;
    const char *clock;
    uint32_t facts;    /* bits of enum wire_fact, of all its processes */
    bool unfit;        /* it is no failure: it cannot be judged by the rule */
    bool rests;        /* no process of it in this round: it had its share of the time, and others had not */
    bool out_of_time;  /* its last process was stopped at its share of the time */
    char failure[600]; /* why no more processes of it are made; "": they are */
};

const char *leak_column(int index);            /* NULL past the end */
double leak_hash(const void *bytes, size_t n); /* as column raw_hash has it */
/* "TARE_WIRE=..." appended to out. */
void leak_variable(const struct leak_request *q, uint64_t seed, struct buf *out);

struct leak_report {
    const void *bytes;
    size_t n;
    struct wire_hello hello;
    struct wire_clock clock;
    struct wire_target target;
    struct wire_target_end end;
    bool has_hello, has_clock, has_target, has_end, has_bye;
    int64_t blocks[WIRE_BLOCKS_KINDS], calls; /* calls: of scans */
    uint64_t readings;                        /* times that came, of blocks and scans */
    double ticks;                             /* that they took at least, but for those that were too long to be kept */
    double core_hz; /* of the core just before the process, as the row says; who reads sets it; NaN: not known */
    int cpu;        /* that it ran on, likewise; -1: not known, or it moved */
    char trouble[256];
};

/* Keeps what the target's next processes are told, so that they need not find it again. */
void leak_learn(struct leak_request *q, const struct leak_report *report);
/* What the bytes say of the one target that was asked for. had_ns: what the process had (INFINITY: not known); a report of more is trouble.
 * Always fills out->trouble. Texts point into the bytes. */
void leak_read(const void *bytes, size_t n, const char *target, double had_ns, struct leak_report *out);
/* The CPU of a process by its row; -1: not known, or it moved. */
int leak_cpu(double first_cpu, double last_cpu);
/* raw_at: -1: the report was not kept. */
void leak_fill(const struct leak_report *report, int64_t raw_at, double *values);

#endif
