/* SPDX-License-Identifier: MIT
 *
 * point_modes.h - the modes of control points other than writing each pass down.
 *
 *     point_add(t, own, p);
 *
 * For the thread itself, in any frame of it.
 */
#ifndef POINT_MODES_H
#define POINT_MODES_H

#include "point_state.h"

void point_count(struct point_thread *own, const struct tare_point *p);
void point_add(struct tare_trace_thread *t, struct point_thread *own, const struct tare_point *p);
/* What a pass weighs that is written down, added up: rows of words, or sums in the head of the file where there is no room for these. Nothing where
 * none is. Signals are off. */
void point_weigh(struct tare_trace_thread *t, struct point_thread *own);
void point_weigh_added(struct tare_trace_thread *t, struct point_thread *own);
/* By the code of points that may go away after this, or at the end of the thread. */
void point_weigh_last(struct tare_trace_thread *t, struct point_thread *own);
/* Counts, and says whether the pass is to be written too, and where in its window it stands. */
enum point_burst { BURST_OUTSIDE, BURST_FIRST, BURST_WITHIN, BURST_LAST };
enum point_burst point_burst(struct tare_trace_thread *t, struct point_thread *own, const struct tare_point *p);
/* Draws how many passes are counted until the next window, and lets points count them in line. */
void point_burst_gap(struct tare_trace_thread *t, struct point_thread *own);

#endif
