/* SPDX-License-Identifier: MIT
 *
 * clock_core_state.h - between the files of src/clock: what is kept of the chains, and reads of the state's own clock.
 */
#ifndef CLOCK_CORE_STATE_H
#define CLOCK_CORE_STATE_H

#include "clocks.h"

struct clock_core_state {
    bool usable;
    int multiply_cycles;
    double empty_ticks;
    char reason[256];
};
const struct clock_core_state *clock_core_state(void);

/* A reading of what brackets read. The state must be made. */
uint64_t clock_ticks_now(void);
/* One moment; false: the counter went backwards. The counter must be readable. */
bool clock_pair_read(struct clock_pair *out);

#endif
