/* SPDX-License-Identifier: MIT
 *
 * verdict.h - from two series of values to a verdict: on which scale they are compared, and which verdict an interval on it gives.
 *
 *     struct comparison c = comparison_undecided(r, reference, subject, &look);
 *     comparison_scale(&c, &r->rule, metric, &x, &y, scratch);     // ratio or difference, and the margin
 *     ... an interval on that scale: of paired rounds, of two sessions, of sets of sessions, of arcs ...
 *     comparison_conclude(&c, metric, &interval);
 *     correct_for_many(r, first);                                  // of all from `first` on
 *
 * The rule that says `same` is verdict_of. Which sessions may be compared at all: comparable.h.
 */
#ifndef VERDICT_H
#define VERDICT_H

#include "analyse.h"
#include "buf.h"
#include <tare/stats.h>

/* The verdict of an interval of differences on the scale where 0 is "equal" and +-limit is the margin, 0 where there is none (statistics of
 * the equivalence test: both one-sided tests at half the level). In this order: same, slower or higher, faster or lower, undecided. */
enum verdict verdict_of(double low, double high, double limit, bool is_time);

/* All that is known before anything is computed: undecided, unbounded, nothing better. */
struct comparison comparison_undecided(const struct record *r, int reference, int subject, const struct look *look);
/* The same without a verdict, and why. */
struct comparison comparison_invalid(struct comparison c, const char *reason);

struct values {
    const double *x;
    int n;
};

bool all_positive(const double *x, int n);
/* Kind and margin: ln ratios, or differences for counts, for a margin with a unit and for values that are not all above 0. scratch: room for the
 * reference's values. */
void comparison_scale(struct comparison *c, const struct rule *rule, const struct metric *metric, const struct values *reference,
                      const struct values *subject, double *scratch);
double comparison_limit(const struct comparison *c); /* its margin on its scale; NaN: there is none */
/* Of differences, where values of 0 leave the means without a ratio: whether the mean of all runs is worse by `share` of the reference's, and by more than the
 * intervals of the two means, or half of the reference's where few runs make these wide. means: the reference's, the subject's. False too where they
 * are not known. */
bool comparison_means_worse(const struct record *r, const struct comparison *c, double share, double means[2]);
/* The verdict, from low and high and the margin. */
void comparison_judge(struct comparison *c, const struct metric *metric);

/* Values that a program printed in few digits (the user's own metric) step as a coarse clock does. */
struct printed {
    /* The step in which they were printed; where that is not known the largest power of ten, of sizes also in KiB to TiB, that divides all.
     * INFINITY: all are 0; 0: exact as far as is known, or in steps that matter to nobody. */
    double step;
    double one, other; /* the least magnitude above 0 of the reference and of the subject; NaN: none */
};
/* as_text: a program printed them, as those in a file of another tool or of a metric of the user's own, so that their clock may be coarser than their
 * digits. step: printed_step; NaN: not known. */
struct printed printed_values(const struct metric *metric, bool as_text, double step, const struct values *reference,
                              const struct values *subject);
/* The largest in which the values of either were printed, or of a coarser clock that they show; NaN: of one it is not known. */
double printed_step(const struct series *reference, const struct series *subject, const struct metric *metric);
/* Opens an interval that is narrower than a step by what rounding may hide, half a step of either value; true: it did. Of ratios it is unbounded where a
 * value may be 0. */
bool printed_open(const struct printed *p, enum metric_kind kind, struct tare_interval *i);
/* The same by the values of two series, whatever the interval was made of. */
bool printed_open_series(const struct series *reference, const struct series *subject, const struct metric *metric,
                         enum metric_kind kind, struct tare_interval *i);
/* Where it was opened and is undecided. r: the session that has both series as they were measured, or one that was made by the same options. */
const char *printed_reason(const struct record *r, const struct series *reference, const struct series *subject,
                           const struct metric *metric);

/* Takes shift, low and high, and the verdict from them. metric NULL: no verdict follows from them. */
void comparison_conclude(struct comparison *c, const struct metric *metric, const struct tare_interval *i);

/* Takes back the verdicts that do not survive as one of many, by the rule's correction; the comparisons are those from `first` on, each of its own look. */
void correct_for_many(struct record *r, int first);

struct look look_at_most(struct look look, int rounds); /* number 0 where none are left */
/* What the group's look is for this subject: its own last one where it left, and of no more rounds than it has. */
struct look look_of_subject(const struct record *r, int subject, const struct look *look);

/* The level that a look has where alpha may be spent over all looks of the rule. look: from 1 to n_looks. */
double level_at_look(const struct rule *rule, int look, double alpha);
/* Rounds that its session has in all if it goes on to its end, at the pace so far or as planned. */
int comparison_rounds_at_end(const struct record *r, const struct comparison *c);

/* scratch: room for n; may be x itself, which is then sorted. */
double median_of(const double *x, int n, double *scratch);
/* The text in the arena, never NULL; the buffer is finished. */
const char *keep_reason(struct arena *a, struct buf *b);

#endif
