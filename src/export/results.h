/* SPDX-License-Identifier: MIT
 *
 * results.h - what all formats look up in a record. Ends of intervals that do not exist are infinite, values that do not are NaN.
 */
#ifndef RESULTS_H
#define RESULTS_H

#include "arena.h"
#include "record.h"

/* The commands' indexes, in the record's order or by their mean (those without one last), closed by -1.
 * In the arena; NULL when memory is exhausted. */
const int *results_order(const struct record *r, bool by_mean, struct arena *arena);

/* What stands in the columns of hyperfine's times: wall time, of benchmarks the time per iteration. */
const char *results_time(const struct record *r);

/* In the metric's base unit; of its point see record_point. */
double results_low(const struct record *r, int subject, const char *metric, const char *statistic);
double results_high(const struct record *r, int subject, const char *metric, const char *statistic);
/* Of the account of a subject's runs: "preempted", "_ns". NaN: the record has none. */
double results_account(const struct record *r, int subject, const char *word, const char *statistic);
double results_account_runs(const struct record *r, int subject, const char *word); /* 0: no run has it, or there is no account */

/* The comparison of the metric that decides, NULL when there is none. */
const struct comparison *results_comparison(const struct record *r, int subject);
/* Kind COUNT compares by difference, all others by ratio; the ratio's shift and ends are logarithms. */
bool results_by_difference(const struct comparison *c);
/* "ratio", "difference" or "ratio or difference": how the metric that decides was compared; NULL: it was not. */
const char *results_compared_by(const struct record *r);
/* Command less reference, in the metric's base unit: what was compared for differences, else the difference of the medians, which has no interval.
 * NaN: not known. */
double results_difference(const struct record *r, const struct comparison *c);

/* Wall time of the very first run, warm-up included; NaN when there is none. */
double results_first_run_ns(const struct series *s);

/* All parameter names of all commands, each once, in the order of their bytes (hyperfine's); in the arena, closed by NULL. */
const char *const *results_parameters(const struct record *r, struct arena *arena);

#endif
