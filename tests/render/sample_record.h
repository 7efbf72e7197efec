/* SPDX-License-Identifier: MIT
 *
 * sample_record.h - records with figures set by hand, so that every wording of the terminal can be seen and kept.
 *
 *     struct record r = {0};
 *     sample_begin(&r, 64, 9);
 *     sample_command(&r, "grep -c foo", 12.30e6, 0.085e6, 64);
 *     sample_command(&r, "rg -c foo", 6.75e6, 0.04e6, 64);
 *     struct comparison c = sample_comparison(&r, 1, VERDICT_FASTER, -0.6, -0.61, -0.59);
 *     record_add_comparison(&r, &c);
 */
#ifndef SAMPLE_RECORD_H
#define SAMPLE_RECORD_H

#include "record.h"

/* An interleaved session of `rounds` rounds and `looks` planned looks, metric wall. */
void sample_begin(struct record *r, int rounds, int looks);
/* A command with rows scattered around `median` (ns) and the usual estimates, half-width `half`. Returns its index. */
int sample_command(struct record *r, const char *name, double median, double half);
void sample_estimate(struct record *r, int subject, const char *metric, const char *statistic, double point, double half);
/* The usual estimates of `subject` for metric wall, half-width 0: none. */
void sample_estimates(struct record *r, int subject, double median, double half);
struct comparison sample_comparison(const struct record *r, int subject, enum verdict verdict, double shift, double low,
                                    double high);

#endif
