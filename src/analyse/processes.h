/* SPDX-License-Identifier: MIT
 *
 * processes.h - the figures of processes that need all of them (see processes.c). Used by analyse only.
 */
#ifndef PROCESSES_H
#define PROCESSES_H

#include "analyse.h"
#include <tare/stats.h>

/* Why no program's time follows the core's frequency with this exponent; NULL: it may. */
const char *frequency_exponent_refusal(double exponent);
/* Column cycles of all benchmarks, from the columns ns and chain_hz. */
enum tare_status process_cycles(struct record *r);
/* Value i of a counter as it is shown: a rate, or what one of them takes, in a process whose time per iteration is ns. */
double process_count(const struct count *c, int i, double ns);
/* How the benchmark's time follows the core's frequency: the exponent used for its cycles, from -1 to 0, and what was measured of it; 0
 * where that is refused.
 * room: 6 doubles for each of its rows. */
double process_frequency_slope(const struct record *r, const struct series *s, double *room, struct tare_interval *interval);
/* Core cycles of the first n rounds of two benchmarks for a comparison, with one exponent for both; x, y: n values each. *known: false where
 * the record lacks what it takes, and nothing was written. */
enum tare_status process_compared_cycles(const struct record *r, int reference, int subject, int n, double *x, double *y,
                                         bool *known);

/* What is systematic in a benchmark's core cycles over its first `rounds` processes, relative (processes.c). */
struct control {
    double bias;  /* the truth may be lower by so much */
    double error; /* on either side */
};
enum tare_status process_control(const struct record *r, int subject, int rounds, struct control *out);

#endif
