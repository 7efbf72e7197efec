/* SPDX-License-Identifier: MIT
 *
 * loop_parts.h - what loop.c, which runs the passes of a sample and says what the next one is for, has for loop_rows.c, which keeps it, and for run.c,
 * which starts the threads of a benchmark.
 *
 *     if (loop_kept(st))
 *         loop_rows_add(st);
 */
#ifndef LOOP_PARTS_H
#define LOOP_PARTS_H

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

/* Before the first sample that is kept: memory and descriptors are had here, and nowhere later. */
void loop_rows_open(struct tare_state *st);
void loop_rows_add(struct tare_state *st);   /* the sample becomes a row */
void loop_rows_close(struct tare_state *st); /* what the kernel counted around all of them */

/* ---- the threads of one benchmark ---- */

struct probe_team;

/* n states, the first of them the leader's; states[i].team is set. NULL: no memory. */
struct probe_team *team_create(struct tare_state *states, int n);
void team_destroy(struct probe_team *t);

/* After the benchmark's function, however it ended: the leader dismisses; the others, who may be early, go on meeting until it is over. */
void team_leave(struct probe_team *t, struct tare_state *st);

#endif
