/* SPDX-License-Identifier: MIT
 *
 * compare.h - one command against the reference, and an arc of one program against that of another, from paired rounds.
 */
#ifndef COMPARE_H
#define COMPARE_H

#include "analyse.h"

size_t compare_scratch_bytes(int rounds); /* enough for the estimates of a subject too */
enum tare_status compare_group(struct record *r, const int *subjects, int n_subjects, const struct look *look, void *scratch);
/* What follows from all comparisons from `first` on: verdicts that do not survive as one of many are taken back, programs get their geometric means. */
enum tare_status compare_together(struct record *r, int first);
/* The estimate STATISTIC_OF_ANCHOR of each subject whose anchor is in the group. */
enum tare_status compare_to_anchor(struct record *r, const int *subjects, int n_subjects, const struct look *look, void *scratch);

/* n pairs of values that are not the rows of two subjects, as those of an arc: fills c from its level and margin. scratch: compare_scratch_bytes(n). */
void compare_pairs(const struct record *r, struct comparison *c, const struct metric *metric, const double *x, const double *y,
                   int n, void *scratch);

/* One of two samples that no round ties together (stored.c): values that share a process become their mean, runs of which none was wanted are left out.
 * Returns how many, -1 when one is missing. out: room for all rows. */
int stored_sample(const struct record *r, int subject, const char *metric, double *out);

/* What the comparison says of its widening: the variance of the shift is so many times that of independent runs, by Student's t of those degrees of freedom. */
void compare_set_widened(struct comparison *c, double inflation, double df, double df_independent);
void compare_widen(const struct comparison *c, struct tare_interval *i); /* by c->widened about its point */

#endif
