/* SPDX-License-Identifier: MIT
 *
 * loop_phases.h - between loop.c, which runs the passes of a sample, loop_phases.c, which says what the next sample is for, and loop_rows.c,
 * which keeps it:
 *
 *     if (st->phase == PHASE_CALIBRATE)
 *         loop_calibrate(st);      // st->phase and st->count are those of the next sample
 *     if (loop_kept(st))
 *         loop_rows_add(st);
 *
 * For these three alone.
 */
#ifndef LOOP_PHASES_H
#define LOOP_PHASES_H

#include "probe.h"

/* It reports its own times. */
static inline bool loop_manual(const struct tare_state *st)
{
    return st->the_case->bench->manual_time;
}

static inline bool loop_kept(const struct tare_state *st)
{
    return st->phase == PHASE_WARMUP || st->phase == PHASE_SAMPLE;
}

/* This sample is the difference of two passes. */
static inline bool loop_differs(const struct tare_state *st)
{
    return loop_kept(st) && st->session->request.difference && st->session->request.profile == WIRE_STEADY && !loop_manual(st);
}

static inline uint64_t loop_half(const struct tare_state *st)
{
    return st->count > 1 ? st->count / 2 : 1;
}

/* Nothing of the benchmark's own lies between this kept sample and the one before it. */
static inline bool loop_joined(const struct tare_state *st)
{
    const struct tare_bench *b = st->the_case->bench;
    return loop_kept(st) && st->rows.n && !b->before && !b->after;
}

/* The median of four: what is left in the middle. */
static inline int64_t loop_median(const int64_t e[PROBE_EMPTIES])
{
    int64_t least = e[0], most = e[0], sum = e[0];
    for (int i = 1; i < PROBE_EMPTIES; i++) {
        least = e[i] < least ? e[i] : least;
        most = e[i] > most ? e[i] : most;
        sum += e[i];
    }
    _Static_assert(PROBE_EMPTIES == 4, "without the least and the most two are left");
    return (sum - least - most) / 2;
}

uint64_t loop_most(const struct tare_state *st); /* iterations of a sample, at most */
void loop_enter(struct tare_state *st, enum probe_phase phase);
/* The count is known: what comes next. */
void loop_enter_guard(struct tare_state *st);
/* After a sample of that phase. A count is long enough when two samples in a row are: the first one of all may have met cold caches and fresh
 * pages. Four for a lone iteration: what code does the first few times it is called must not stand for all. A lone one that is far longer than
 * needed is believed at once. */
void loop_calibrate(struct tare_state *st);
/* After a sample of a phase of the guard: half and whole in turn, again and again where what disturbs may be why time does not grow; then none and
 * one, in turns, until it is known whether something is done before the loop. */
void loop_guard(struct tare_state *st);

/* Before the first sample that is kept: memory and descriptors are had here, and nowhere later. */
void loop_rows_open(struct tare_state *st);
void loop_rows_add(struct tare_state *st);   /* the sample becomes a row */
void loop_rows_close(struct tare_state *st); /* what the kernel counted around all of them */

#endif
