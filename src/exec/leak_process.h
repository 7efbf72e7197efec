/* SPDX-License-Identifier: MIT
 *
 * leak_process.h - what the processes of a leak target are asked for. Used by exec.c, and by who schedules them.
 *
 *     struct leak_request q = {.target = "memcmp_32", .kind = WIRE_PAIRS, .ns = 200000000, ...};
 *     leak_variable(&q, seed, &text);                       // "TARE_WIRE=..." for the environment
 *     ... run the program with a report, read its bytes: leak_report.h ...
 *     leak_learn(&q, &report);
 *
 * Nothing here starts a process, keeps times or judges them.
 */
#ifndef LEAK_PROCESS_H
#define LEAK_PROCESS_H

#include "leak_report.h"

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
    uint32_t facts;   /* bits of enum wire_fact, of all its processes */
    bool unfit;       /* it is no failure: it cannot be judged by the rule */
    bool rests;       /* no process of it in this round: it had its share of the time, and others had not */
    bool out_of_time; /* its last process was stopped at its share of the time */
};

/* "TARE_WIRE=..." appended to out. */
void leak_variable(const struct leak_request *q, uint64_t seed, struct buf *out);

/* Keeps what the target's next processes are told, so that they need not find it again. */
void leak_learn(struct leak_request *q, const struct leak_report *report);

#endif
