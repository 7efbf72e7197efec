/* SPDX-License-Identifier: MIT
 *
 * spawn_block.h - the memory that tare and its spawn helper share, and the words between them.
 *
 *   tare                                        tare-spawn (spawn_helper.c)
 *   posix_spawn(tare-spawn) ------------------> maps the block, writes `base`; makes a child, which waits
 *             <------------------- SPAWN_DONE -- "I am there"
 *   fills the request, strings included
 *   SPAWN_RUN + three or four descriptors ----> lets the child go
 *             <------------------- SPAWN_HELD -- only with `hold`: the child waits, its id is in `child`
 *   attaches counters to it
 *   SPAWN_GO ---------------------------------> child: stamp start_ns, exec
 *   (drains a pipe meanwhile)                   waits; stamp end_ns; reads what the kernel counted
 *             <------------------- SPAWN_DONE -- the result is in the block; reaps the child and makes the next one while tare works
 *
 * SPAWN_CANCEL, sent by tare as a signal, ends the running child. The end of the socket ends the helper.
 * Pointers in the request are addresses in the helper, so that the child hands them to exec as they are.
 * Both ends come from one build; `layout` catches a helper left over from another.
 */
#ifndef SPAWN_BLOCK_H
#define SPAWN_BLOCK_H

#include <signal.h>
#include <stdint.h>

enum {
    SPAWN_SOCKET = 3, /* descriptors the helper is started with */
    SPAWN_MEMORY = 4,
    SPAWN_STREAMS = 4,         /* the most descriptors of a child: 0, 1, 2, and 3 for a report */
    SPAWN_BYTES = 16 << 20,    /* the kernel takes at most 6 MiB of arguments and environment; untouched pages cost nothing */
    SPAWN_LAYOUT = 0x7461000b, /* changes with this file */
    SPAWN_CANCEL = SIGUSR1,    /* sent to the helper */
    SPAWN_SMALL = 64 << 10,    /* a request up to this size leaves no trace in the next run's peak memory worth a call */
    SPAWN_CPUS = 8192,         /* highest CPU number + 1 that can be pinned */
    SPAWN_STAT = 512,          /* /proc/PID/stat has 52 numbers and a name of 16 bytes; the CPU is the 39th */
    SPAWN_SCHEDSTAT = 64,      /* three numbers */
};

/* One byte each. */
enum spawn_word { SPAWN_RUN = 'r', SPAWN_GO = 'g', SPAWN_HELD = 'h', SPAWN_DONE = 'd' };

enum spawn_step { /* what the child was about to do when it failed */
                  STEP_NONE,
                  STEP_CLONE,
                  STEP_GROUP,
                  STEP_HOLD,
                  STEP_STREAMS,
                  STEP_DIRECTORY,
                  STEP_PIN,
                  STEP_EXEC,
};

enum spawn_cut { CUT_NONE, CUT_TIMEOUT, CUT_CANCEL, CUT_OWNER_DIED };

struct spawn_block {
    /* once, at the start */
    uint32_t layout; /* written by tare, checked by the helper */
    int32_t owner;   /* process id of tare */
    uint64_t base;   /* address of this block in the helper; 0 = not ready */

    /* the request: written by tare before each run */
    uint64_t path, argv, envp, cwd; /* addresses in the helper; cwd 0 = as the helper runs */
    int64_t timeout_ns;             /* 0 = none */
    int32_t pin_cpu;                /* -1 = none */
    uint32_t give_terminal, hold, chain;
    uint32_t count;      /* tare takes the records of all that end: say whether some did not */
    uint32_t cancel;     /* set with SPAWN_CANCEL: only then tare sent it, and not the measured program to its parent */
    uint64_t text_bytes; /* used by the tables and strings */
    int32_t owner_cpu;   /* where tare was when it heard of the last end, below 0: not known */

    /* the result: written by child and helper */
    int64_t start_ns, end_ns;
    int32_t child; /* process id and group until it is reaped, else 0 */
    int32_t step, error;
    int32_t took_terminal;
    int32_t ended, left; /* with `count`: the child's process id; whether processes of this run or an earlier one live on */
    int32_t wait_code, wait_status; /* CLD_EXITED, CLD_KILLED ... and exit code or signal */
    int32_t cut, stopped;           /* enum spawn_cut; the signal that stopped it for want of a terminal, or 0 */
    int32_t not_ours;               /* it could not be killed: it runs as another user */
    int32_t paused;                 /* it was stopped, and went on */
    int64_t user_us, sys_us, rss_kib, minflt, majflt, ctx_voluntary, ctx_involuntary;

    /* What explains the run: files of /proc as they are, read by exit_records.c. An empty text: could not be read. */
    int32_t first_cpu;                                             /* where the child was when start_ns was taken, or below 0 */
    int64_t chain_ticks;                                           /* of the reference chain before it, 0: not asked */
    int64_t setup_cpu_ns;                                          /* CPU time of the child then */
    char setup_schedstat[SPAWN_SCHEDSTAT];                         /* of it, just before */
    char child_schedstat[SPAWN_SCHEDSTAT], child_stat[SPAWN_STAT]; /* of its first thread, when it had ended */
    int32_t stayed;                                                /* it ended where it began, and child_stat was not read */
    char waiter_schedstat[2][SPAWN_SCHEDSTAT];                     /* of the helper, before it went to sleep and after end_ns */

    _Alignas(uint64_t) char text[]; /* pointer tables and strings of the request */
};

/* Whether the first thread, which had a CPU for run_ns, speaks for all: user and system time are cut to microseconds each. */
static inline int spawn_speaks_for_all(const struct spawn_block *b, int64_t run_ns)
{
    int64_t apart_us = b->user_us + b->sys_us - run_ns / 1000;
    return apart_us >= -2 && apart_us <= 2;
}

#endif
