/* SPDX-License-Identifier: MIT
 *
 * arcs.h - what the passages of many runs say of each arc, and of two programs compared arc by arc.
 *
 *     record_clear_results(&r);
 *     struct look look = {.number = 1, .rounds = 30, .level = 0.05};
 *     analyse_arcs(&r, subjects, n, &look, &err);       // r.traced->results, and comparisons whose `arc` is not 0
 *
 * Runs are the clusters: passages of one run are no independent values. It measures nothing and prints nothing; arcs.c says how each
 * figure is made.
 */
#ifndef ARCS_H
#define ARCS_H

#include "analyse.h"
#include "record_arcs.h"

/* Part of analyse_group for subjects of kind SUBJECT_TRACE. Adds
 *   an arc_result for each arc of each subject
 *   for the subject, metric "arc": estimates arcs_half_width (the largest relative half-width among arcs with more than ARC_SHARE of the time; what
 *   the stop rule looks at), probe (weight of a probe with its interval over runs), points, points_passed, arcs, arcs_in_all (passed in every run)
 *   for two or more subjects: a comparison for each arc that the reference has too; matched as arc_matches says; its words stand as
 *   one of many (rule.correction)
 * NO_MEMORY is the only failure. */
enum tare_status analyse_arcs(struct record *r, const int *subjects, int n_subjects, const struct look *look,
                              struct tare_err *err);

#define ARCS_METRIC     "arc"
#define ARCS_HALF_WIDTH "arcs_half_width"

/* For each point of the subject the reference's point that it is: by name where it has one; else by file, function and place among the
 * function's points without a name; else none: -1. `of`: n_points of the record, written; -1 for points of others. */
enum tare_status arc_matches(const struct record *r, int reference, int subject, int *of);

/* Arcs have no word where one program failed and the other did not (other_work, rounds as there), nor in runs that lost hits: which passes are
 * missing is not known, and the time between those that are there is that of other arcs. INVALID then, and the reason, in `text` or the record, which
 * copies it, says how many hits. Else x stays as it is. */
enum { ARC_LOSS_TEXT = 160 };
void arc_judge_runs(struct record *r, struct comparison *x, int rounds, char text[ARC_LOSS_TEXT]);

struct arc_ends { /* of a comparison */
    const struct arc_result *reference, *subject;
    bool
        one_code; /* both are one program with the same arguments: what the probe shows too much of its arcs is the same on both sides */
};

/* Opens the interval, which is bounded, by the probe's loose part: of each mean as much as that may be too much, since the work of one may hide of
 * the probe what that of the other does not. Not for one code. */
void arc_open_interval(struct comparison *x, const struct arc_ends *ends);
/* The same, and the word that follows from the open interval. Where a mean is below its resolution there is no word, and no part in the many that
 * words stand among. A comparison that has no word of an interval stays as it is. */
void arc_judge(struct comparison *x, const struct arc_ends *ends);

#endif
