/* SPDX-License-Identifier: MIT
 *
 * analyse_repetition.h - does a session that was measured again agree with the one before?
 *
 *     struct repetition result;
 *     status = analyse_repetition(&result, &then, &now, false, &arena, &err);
 *     ... result.word
 *
 * Both records are of one plan: command i of the one is command i of the other (replan_check), benchmarks go by their names. Each comparison that the first session made
 * is held against that of the second:
 *
 *   agrees          the words do not contradict each other, and the change of the ratio may be 0 or lies within the margin
 *   differs         one says faster and the other slower, or one same and the other more than the margin; or, on the same machine,
 *                   the ratio changed, by more than chance and not within the margin
 *   not_comparable  a side has no verdict or no interval; or the machine is another one and only the size of the ratio changed, which it may
 *
 * Undecided contradicts nothing. Agreement is no proof of equality: the interval of the change says how much may have stayed unseen.
 * Where the plan compares nothing (one command, blocks, georges) each command is held against itself, as tare compare does: other machines
 * are not comparable; a change that is proven is drift or a difference, which two sessions cannot tell, so the word is not_comparable, or
 * differs with assume_no_drift. Beside comparisons that is told and decides nothing; but a benchmark that is in no comparison is a claim of its own.
 * A benchmark that its program no longer has, or that was given up now, is not comparable; one that was given up then claimed nothing.
 *
 * Estimator of the change: the difference of the two Hodges-Lehmann shifts, s2 - s1. The sessions are independent, so its interval is by
 * squares of the distances from each shift to the ends of its own interval (Howe 1974; Zou and Donner 2008):
 *     low  = s2 - s1 - sqrt((s2 - l2)^2 + (h1 - s1)^2),   high = s2 - s1 + sqrt((h2 - s2)^2 + (s1 - l1)^2)
 * with the intervals of the looks that decided, which hold for all looks: it needs neither equal spread nor equal numbers of rounds, and the
 * early stop of a session that happened to see much does not pass for a difference. Unbounded intervals give none; ends that
 * coincide with the shift (all rounds equal) are taken as they are. The comparisons of commands share the confidence; of n comparisons of benchmarks
 * each interval has it alone, so here their distances are multiplied by z(1 - alpha/2n) / z(1 - alpha/2), as nearly normal estimates need
 * for n at once (Bonferroni); not with the correction none.
 * It reads and prints nothing.
 */
#ifndef ANALYSE_REPETITION_H
#define ANALYSE_REPETITION_H

#include "repetition.h"

/* All memory is the arena's. Both records have their results. NO_MEMORY is the only failure. */
enum tare_status analyse_repetition(struct repetition *out, const struct record *then, const struct record *now,
                                    bool assume_no_drift, struct arena *a, struct tare_err *err);

/* The interval above. False: an end is infinite or NaN, and nothing is set but the point. */
bool analyse_shift_change(const struct repeated_side *then, const struct repeated_side *now, double *change, double *low,
                          double *high);

#endif
