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
 *   for two or more subjects: a comparison for each arc that the reference has too; matched as arc_matches says; its verdicts stand as
 *   one of many (rule.correction)
 * NO_MEMORY is the only failure. */
enum tare_status analyse_arcs(struct record *r, const int *subjects, int n_subjects, const struct look *look,
                              struct tare_err *err);

#define ARCS_METRIC     "arc"
#define ARCS_HALF_WIDTH "arcs_half_width"

/* For each point of the subject the reference's point that it is: by name where it has one; else by file, function and place among the
 * function's points without a name; else none: -1. `of`: n_points of the record, written; -1 for points of others. */
enum tare_status arc_matches(const struct record *r, int reference, int subject, int *of);

/* What analyse_arcs does of two or more subjects. NO_MEMORY. */
enum tare_status arcs_compare(struct record *r, const int *subjects, int n_subjects, const struct look *look);
/* Two subjects of `out` from two sessions: a comparison for each arc that both have, which correct_for_many is to see. `like`: reference, subject, level, what is to be said
 * of all; judged: verdicts are given; one_code: comparable_one_code. NO_MEMORY. */
enum tare_status arcs_compare_sessions(struct record *out, const struct comparison *like, bool judged, bool one_code);

#endif
