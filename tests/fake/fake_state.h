/* SPDX-License-Identifier: MIT
 *
 * fake_state.h - the one fake world of this process: the script and how far it has played.
 *
 *     struct fake_state *w = fake_state();
 *     fake_advance(w, 1000000);            // a millisecond passes; signals that fall into it arrive
 */
#ifndef FAKE_STATE_H
#define FAKE_STATE_H

#include "buf.h"
#include "fake_script.h"
#include "plat.h"

struct fake_state {
    struct fake_script script;
    int64_t now_ns;
    double part_ns;      /* of the next nanosecond: the counter is finer than the clock */
    struct rng tick_rng; /* of the costs of reading it */
    int64_t tick_reads;
    int cpu;      /* where our thread is */
    bool watched; /* plat_signals_watch was called */
    bool warned;  /* one came: the next kills, even when plat_signal_clear forgot it */
    int noted;    /* what plat_signal gives */
    bool helper_dead;
    int descriptors; /* open now */
    int64_t naps, slices;
    enum plat_priority priority; /* as last accepted and kept */
    int64_t children;
    const struct fake_program *before; /* the child that ran last, for carry-over */
    struct plat_counter *counters;     /* open ones */
    struct buf log;
    int log_fd; /* -1: not open */
};

/* Never NULL. The first call reads the script that TARE_FAKE_SCRIPT names, unless fake_script_set came before. */
struct fake_state *fake_state(void);

/* Time since the clock's start: what the times of a script count. */
int64_t fake_elapsed(const struct fake_state *w);
int64_t fake_utc_ns(const struct fake_state *w); /* the wall clock, not advanced */
void fake_advance(struct fake_state *w, int64_t ns);
/* The same for times that are not whole nanoseconds; the rest is kept. */
void fake_advance_part(struct fake_state *w, double ns);
/* When the next signal of the script arrives, as elapsed time; INT64_MAX: none does. */
int64_t fake_next_signal(const struct fake_state *w);
/* A signal arrives now: noted, or deadly when nobody watches or one was noted before. */
void fake_deliver(struct fake_state *w, int number);

/* How much slower everything is at this moment: 1 = as scripted. */
double fake_session_factor(const struct fake_state *w);

/* The script cannot go on: says so on standard error and exits with 99. */
__attribute__((format(printf, 1, 2))) _Noreturn void fake_fault(const char *format, ...);

/* Writes what it can; a closed pipe or a full disk is nobody's concern here. */
void fake_write(int fd, const void *bytes, size_t n);

#endif
