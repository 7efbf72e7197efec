/* SPDX-License-Identifier: MIT
 *
 * team.h - the threads of one benchmark, which do the same passes at the same time. Thread 0 leads: it decides what each pass is.
 *
 *     leader                                       follower
 *     team_decide(team, st);                       go = team_follow(team, st);      // all wait for each other here
 *     ... pass ...                                 ... pass ...
 *     ticks = team_finish(team, st, begin, end);   team_finish(...)                 // and here
 *
 * They wait by spinning, so that they begin within a fraction of a microsecond of each other; who waits long gives its CPU away.
 */
#ifndef TEAM_H
#define TEAM_H

#include "probe.h"

struct probe_team;

/* n states, the first of them the leader's; states[i].team is set. NULL: no memory. */
struct probe_team *team_create(struct tare_state *states, int n);
void team_destroy(struct probe_team *t);

/* The leader has chosen phase, count and pass of its state; the others take them. */
void team_decide(struct probe_team *t, const struct tare_state *leader);
/* False: it is over. */
bool team_follow(struct probe_team *t, struct tare_state *st);
/* The leader: there is no further pass. The others are, or come to be, in team_follow. */
void team_dismiss(struct probe_team *t);
/* After the benchmark's function, however it ended: the leader dismisses; the others, who may be early, go on meeting until it is over. */
void team_leave(struct probe_team *t, struct tare_state *st);
/* All have made their inputs. */
void team_meet(struct probe_team *t);
/* The ticks of the pass: for the leader from the first begin to the last end, and in *first_ticks to the first end; for the others their own. */
int64_t team_finish(struct probe_team *t, const struct tare_state *st, uint64_t begin, uint64_t end, int64_t *first_ticks);
/* The first thread that is no longer fine; NULL: all are. For the leader, after team_finish. */
const struct tare_state *team_fallen(const struct probe_team *t);

#endif
