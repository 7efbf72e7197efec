/* SPDX-License-Identifier: MIT
 *
 * analyse_sessions.h - what several sessions of one plan say together.
 *
 *     struct record over = {0};
 *     status = analyse_sessions(&over, sessions, n, &err);      // then render_sessions, or any exporter
 *     record_finish(&over);
 *
 * `over` is a record whose runs are sessions: the subjects are the commands, row i of each holds the median of session i in every metric, and
 * the estimates follow as for runs; machine, conditions before and build are those of the first session. So the "mean" is the mean of the session medians with Student's t over sessions, and "stddev" the standard
 * deviation between sessions. Within a session runs lean on each other and share what the machine was like; sessions are what varies, so
 * n is their number and nothing else.
 * Each comparison is the mean of the sessions' Hodges-Lehmann shifts (ln ratios, or differences for counts), with Student's t over
 * sessions at the level (1 - confidence) / comparisons, and the word that this interval gives. The deviation between sessions stands in
 * the estimate STATISTIC_OF_SHIFTS of the subject.
 *
 * Assumes sessions independent of each other and their medians (shifts) near normal, which two or three cannot show. Smallest n: 2; one
 * session gives points without intervals, and undecided. A session without a shift (blocks, georges, too few rounds) gives no
 * comparison. It reads and prints nothing.
 */
#ifndef ANALYSE_SESSIONS_H
#define ANALYSE_SESSIONS_H

#include "record.h"

/* n >= 1 sessions with the commands of the first, in its order, and with results. `over` zeroed; finish it in any case. NO_MEMORY. */
enum tare_status analyse_sessions(struct record *over, const struct record *sessions, int n, struct tare_err *err);

#endif
