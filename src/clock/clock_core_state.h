/* SPDX-License-Identifier: MIT
 *
 * clock_core_state.h - between the files of src/clock: what is kept of the chains, and reads of the state's own clock.
 */
#ifndef CLOCK_CORE_STATE_H
#define CLOCK_CORE_STATE_H

#include "clocks.h"
#include <stdatomic.h>

struct clock_core_state {
    atomic_bool usable; /* becomes true once, after all but the reason is there */
    int multiply_cycles;
    double empty_ticks;
    char reason[256];
};
/* Examined at the first call; while the chains disagree by so little that a neighbour may be the cause, at later calls again. */
const struct clock_core_state *clock_core_state(void);

/* Runs `make` once for all threads; *state begins as CLOCK_NOT_MADE. */
enum { CLOCK_NOT_MADE };

/* Differences of readings in a row; begins zeroed. */
struct step_count {
    int64_t divisor, closest;
    int n, still, backwards; /* readings after the one before, the same, and before it */
};
void step_add(struct step_count *s, int64_t difference);
int64_t step_of(const struct step_count *s); /* 0: no difference yet */
/* Of readings until 200 have differed, but at most 100 000. */
int64_t step_in_a_row(uint64_t (*read)(void));

/* What brackets read, the processor's counter or the reference clock, and a reading of it. The state must be made. */
void clock_brackets_read(bool counter);
uint64_t clock_ticks_now(void);
/* Ticks that a bracket shows around nothing beyond its weight: where its closing read looks up which clock to read. */
double clock_bracket_floor(enum tare_ticks_way way, double step_ticks);
/* Ticks of n empty brackets. */
void clock_bracket_weigh(int64_t *empty, int n, enum tare_ticks_way way);
/* One moment; false: the counter went backwards. The counter must be readable. */
bool clock_pair_read(struct clock_pair *out);
/* By how much the rate between two moments can be off, as they were read: see calibrate.c. */
double clock_reading_ppm(const struct clock_pair *from, const struct clock_pair *to, uint64_t step_ticks);

#endif
