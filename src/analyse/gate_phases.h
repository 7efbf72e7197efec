/* SPDX-License-Identifier: MIT
 *
 * gate_phases.h - how the time of a gate is split among its three phases: which benchmarks run in each, and for how many rounds.
 *
 *     ... phase 1: all benchmarks, for GATE_FIRST_SHARE of the time, or GATE_FIRST_MOST rounds; at least GATE_FIRST_FEWEST
 *     int rounds = gate_second(c, cost_s, n, left_s, 300, .05, chosen);      // those that more rounds would decide; 0: none
 *     rounds = gate_third(c, cost_s, n, left_s, .05, chosen);          // those nominated, and what is still open; 0: none
 *
 * cost_s: seconds that one round of a case takes, both builds together. left_s: what is left of the gate's time. chosen: n, filled in. All chosen cases run
 * in every round of their phase. Rules and their reasons: gate_phases.c.
 */
#ifndef GATE_PHASES_H
#define GATE_PHASES_H

#include "gate_answer.h"

enum { GATE_FIRST_FEWEST = 8, GATE_FIRST_MOST = 12, GATE_ROUNDS_MOST = 1024 /* of a case in phases 1 and 2, and in 3 */ };
#define GATE_FIRST_SHARE .6 /* of the time, of phase 1; more where the fewest rounds need it */

/* To be called again after each session of phase 2, as long as there are rounds. */
int gate_second(const struct gate_case *c, const double *cost_s, int n, double left_s, double total_s, double alpha,
                bool *chosen);
/* Seconds that those rounds may take: a quarter more than they should, of a machine that gets slower, but nothing of what is kept for phase 3. */
double gate_second_most(const struct gate_case *c, const double *cost_s, int n, double left_s, double total_s, const bool *chosen,
                        int rounds);
int gate_third(const struct gate_case *c, const double *cost_s, int n, double left_s, double alpha, bool *chosen);

struct gate_advice {    /* on cases that are asked and have no verdict */
    int open, hopeless; /* so many; of these no time decides so many: too close to the limit, or too noisy */
    int rare;           /* and of those so many are slower only in rare processes */
    bool few;           /* some have not the fewest rounds: time_s is for these */
    double time_s;      /* that the gate would take to decide what is not hopeless; NaN: nothing, or not known */
};

/* r: from gate_answer. spent_s: what this gate took. */
struct gate_advice gate_advise(const struct gate_case *c, const struct gate_result *r, const double *cost_s, int n,
                               double spent_s, double alpha);

#endif
