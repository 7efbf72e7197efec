/* SPDX-License-Identifier: MIT
 *
 * leak_sessions.h - what several sessions of one plan say of leak targets together. Part of analyse_sessions.h, which calls it.
 *
 *     status = leak_sessions(&over, sessions, n);        // over: with the rule of the first; its targets are then over sessions
 *
 * The session is the unit: what its processes share (the state of the CPUs, the machine's other guests, the minute) is in no interval over processes.
 *
 * Sizes. Of each pair of classes at each clip that counts the sessions' sizes x_1 .. x_n, in ns and in core cycles: their mean with Student's t over
 * sessions, mean -+ t(1 - a/2, n - 1) s / sqrt(n), a = (1 - confidence) / 2 over all of them (Bonferroni), the other half for the advantage. It is about the
 * mean over sessions like these. Printed is the pair, and its clip, that most sessions print, of several one at 90 %, of these the largest. The choice costs nothing, for all of
 * them hold together. Of readings with several calls there is no advantage. The advantage: the mean of the sessions' own, which is too large
 * rather than too small, for each is the largest over limits.
 * Evidence. Each session draws orders of its own, so that its E, where it stopped, is an e-value given the sessions before it: their product is one, and
 * reaches 1/alpha by chance in at most alpha of all sets of sessions, however many are made (Ville). Several targets: e-BH.
 *
 * Verdict:
 *     leak        the evidence of all sessions reaches 1/alpha
 *     leak_small  it does, all sizes lie within the margin and the advantage within what is tolerated, and no session was blind
 *     no_leak     it does not, sizes and advantage lie within, and every session could be judged and found its injected delay
 *     undecided   else
 *     invalid     more than half of the sessions could not be judged, or were blind and all together found nothing
 * A session in which the target failed or was invalid gives no size and no evidence; how many there were is told (sessions_left_out). One that is blind, which
 * found neither a difference nor its injected delay, gives both (sessions_blind): it is invalid for what it found, so without it the mean
 * would be of those that found something, and the product of the rest no e-value.
 *
 * Assumes sessions independent of each other and their sizes near normal, which three cannot show. What lasts longer than the time between sessions (a CPU
 * in another state for an hour) makes neighbours alike and intervals too short: spread them. Fixed n: an interval is for the number of sessions that was planned, not
 * for stopping where it suits. Smallest n: 2; one gives points without intervals. Equal sizes: no width. It reads and prints nothing.
 */
#ifndef LEAK_SESSIONS_H
#define LEAK_SESSIONS_H

#include "record.h"

enum tare_status leak_sessions(struct record *over, const struct record *sessions, int n); /* NO_MEMORY */

#endif
