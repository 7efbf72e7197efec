/* SPDX-License-Identifier: MIT
 *
 * fake_peak.h - what becomes of a run that is followed for its peak (spec.peak).
 */
#ifndef FAKE_PEAK_H
#define FAKE_PEAK_H

#include "fake_state.h"
#include "plat.h"

/* Not PEAK_KNOWN: the program is not run. p NULL: the script knows none. */
enum plat_peak_why fake_peak_refusal(const struct fake_state *w, const struct fake_program *p);
void fake_peak_draw(struct fake_program *p, struct plat_child_result *result);

#endif
