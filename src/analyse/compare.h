/* SPDX-License-Identifier: MIT
 *
 * compare.h - one command against the reference, from paired rounds. Used by analyse_group only.
 */
#ifndef COMPARE_H
#define COMPARE_H

#include "analyse.h"

size_t compare_scratch_bytes(int rounds); /* enough for the estimates of a subject too */
enum tare_status compare_group(struct record *r, const int *subjects, int n_subjects, const struct look *look, void *scratch);

/* n pairs of values that are not the rows of two subjects, as those of an arc: fills c from its level and margin. scratch: compare_scratch_bytes(n). */
void compare_pairs(const struct record *r, struct comparison *c, const struct metric *metric, const double *x, const double *y,
                   int n, void *scratch);

/* All that is known before anything is computed: undecided, unbounded, nothing better. */
struct comparison comparison_without_word(const struct record *r, int reference, int subject, const struct look *look);

/* The same without a verdict, and why. */
struct comparison comparison_invalid(struct comparison c, const char *reason);

/* Whether one failed where the other did not, in n rounds that both share. False where either does not tell. */
bool outcomes_differ(const struct series *a, const struct series *b, int n);
/* Why figures of the two say nothing of each other: one was given up, or failed where the other did not, a program file was replaced meanwhile, or
 * --check-output saw one print different things, or one alone reports its times itself. NULL: nothing is known against it. rounds: how many they share; 0: none, they are of two sessions. */
const char *other_work(struct record *r, int reference, int subject, int rounds);

/* The level that a look has where alpha may be spent over all looks of the rule. look: from 1 to n_looks. */
double level_at_look(const struct rule *rule, int look, double alpha);
/* Rounds that its session has in all if it goes on to its end, at the pace so far or as planned. */
int comparison_rounds_at_end(const struct record *r, const struct comparison *c);

/* scratch: room for n; may be x itself, which is then sorted. */
double compare_median(const double *x, int n, double *scratch);

/* The word, from shift, low and high and the margin on their scale (NaN: none). */
void comparison_judge(struct comparison *c, const struct metric *metric, double limit);

#endif
