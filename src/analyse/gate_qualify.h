/* SPDX-License-Identifier: MIT
 *
 * gate_qualify.h - what a gate is worth on this machine: gates of base against base, and with a slowdown planted in one benchmark, as rates.
 *
 *     struct gate_trial t[40] = {{.verdict = GATE_PASS, .largest = -INFINITY}, {.planted = .05, .named = true}, ...};
 *     struct gate_qualified q;
 *     gate_qualify(t, 40, &q);
 *     cases[i].layout = q.layout;     // of the gates that follow
 *
 * Methods and what they assume: gate_qualify.c.
 */
#ifndef GATE_QUALIFY_H
#define GATE_QUALIFY_H

#include "gate_answer.h"
#include <tare/stats.h>

struct gate_trial {
    double planted; /* slowdown of one benchmark, as a ratio less 1; 0: base against base, built twice */
    enum gate_verdict verdict;
    bool named;     /* the planted one failed */
    double largest; /* gate_largest, of base against base */
};

struct gate_qualified {
    int equal, failed, passed, undecided; /* gates of base against base that had a result, and their answers */
    struct tare_interval false_positive;  /* share that failed; 95 % */
    double layout;   /* ln ratio that a FAIL must exceed; 0: nothing was confirmed, or there are no such gates */
    double exceeded; /* in how many gates base against base exceeds it by chance, at most: 1 / (equal + 1) */
    double seen;     /* the smallest planted slowdown that is named 9 times in 10; NaN: none, or none was planted */
    struct tare_interval seen_share; /* how often; 95 % */
};

/* Trials with NO RESULT are left out. */
void gate_qualify(const struct gate_trial *t, int n, struct gate_qualified *out);

#endif
