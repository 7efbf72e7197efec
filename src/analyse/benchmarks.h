/* SPDX-License-Identifier: MIT
 *
 * benchmarks.h - what is estimated of benchmarks beyond what every subject has. Used by analyse_group, and for percentiles.
 */
#ifndef BENCHMARKS_H
#define BENCHMARKS_H

#include "analyse.h"

/* Nothing for a command. rounds: processes made. */
enum tare_status estimate_benchmark(struct record *r, int subject, int rounds);
/* The samples of all its processes that count, in nanoseconds an iteration, process after process: their number. room: for twice as many
 * values as it has samples, and two. */
int benchmark_samples(const struct record *r, int subject, double *room);

#endif
