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

/* A reading of what brackets read. The state must be made. */
uint64_t clock_ticks_now(void);
/* One moment; false: the counter went backwards. The counter must be readable. */
bool clock_pair_read(struct clock_pair *out);

#endif
