/* SPDX-License-Identifier: MIT
 *
 * fake_counter.h - between a scripted child and the counters of plat.h.
 */
#ifndef FAKE_COUNTER_H
#define FAKE_COUNTER_H

#include "fake_state.h"

/* Adds to every open counter of this event. */
void fake_counters_add(struct fake_state *w, const char *event, double n);

#endif
