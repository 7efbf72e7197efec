/* SPDX-License-Identifier: MIT
 *
 * analyse.h - records in, estimates, comparisons and verdicts out.
 *
 *     record_clear_results(&r);
 *     struct look look = {.number = 3, .rounds = 22, .level = 0.0113};
 *     analyse_group(&r, subjects, n, &look, &err);
 *
 * The same call serves every look of a session and the redoing of a stored record. It measures nothing and prints nothing;
 * the statistics are those of tare/stats.h. Scratch memory is taken and freed inside.
 */
#ifndef ANALYSE_H
#define ANALYSE_H

#include "record.h"
#include "shift_function.h"
#include <tare/stats.h>

struct look {
    int number;   /* 1-based; 0: too few rounds for an interval, numbers come without intervals and words */
    int rounds;   /* the first so many rounds are behind intervals and verdicts */
    double level; /* two-sided error of each interval */
    double share; /* of the session that was used; 0: it was planned */
};

/* Adds, for each subject of the group and each metric of the record, the estimates
 *   median (order statistics), mean (Student t)                of the look's rounds, with intervals
 *   stddev, min, max, p10, p90 (from 36 rounds on)             of all rounds made, as observed
 * what disturbed its runs, where the session kept an account of that (the names and how they are made: estimate.c),
 * and, for two or more subjects, one comparison of each with the rule's reference (or the group's first) on the rule's metric, and
 * where they differ in a number alone, how the metric grows with it (the names and how they are made: estimates.h, scan_fit.c).
 * TARE_NO_MEMORY is the only failure. */
enum tare_status analyse_group(struct record *r, const int *subjects, int n_subjects, const struct look *look,
                               struct tare_err *err);

/* What a process of a benchmark came to: from its samples the metrics and columns of its row that are made of them (bench_metrics.def,
 * bench_columns.def), but for core cycles, which need all processes. The last row of the subject; nothing for a command. */
void analyse_process(struct record *r, int subject, bool warmup);
/* The same for all rows, core cycles included: what analyse_group does first, and who reads a stored record. NO_MEMORY. */
enum tare_status analyse_processes(struct record *r, struct tare_err *err);

/* For groups of one, after all of them: adds a comparison without a word (VERDICT_NONE) of each command with the rule's reference:
 * the ratio of the medians (georges: means), and as reason `why` there is no verdict and whether the intervals overlap. Scans get their
 * slopes, from those figures and without intervals. */
enum tare_status analyse_side_by_side(struct record *r, const char *why, struct tare_err *err);

/* For a command, or each benchmark of a program, against itself (rule.against_itself), after all sessions: how often they gave a word
 * that can only be false, and what they can show. Session i is the subjects 2 i and 2 i + 1. Added to the first subject of each
 * (record_first_copy) for the rule's metric:
 *   aa_false_positives     share of sessions called faster or slower, lower or higher (Clopper and Pearson), of those that reached a verdict
 *   aa_same            share of them called the same; the rest was undecided
 *   aa_half_width      median of the sessions' half-widths, as a share (0.01 is 1 %)
 *   aa_pair_sd         robust standard deviation of a pair, median over the sessions, as a share
 *   aa_detectable      difference that a session through its last look finds 9 times in 10, from the half-widths; an estimate
 * and of several benchmarks to the first:
 *   aa_false_positives_of_all   as aa_false_positives, over the sessions of them all
 * Not measurable (no interval, no look, a median of 0): NaN with a reason. NO_MEMORY is the only failure. */
enum tare_status analyse_against_itself(struct record *r, struct tare_err *err);

/* The subjects that are no commands, as the empty program: as observed, no look is made at them. */
enum tare_status analyse_others(struct record *r, struct tare_err *err);

/* Adds p1 p5 p25 p50 p75 p90 p95 p99 of each command and metric, with intervals where they exist (percentiles.c). */
enum tare_status analyse_percentiles(struct record *r, struct tare_err *err);

/* (*out)[subject], in the arena: by how much each quantile differs from the reference's (quantile_shifts.c). NO_MEMORY is the only failure. */
enum tare_status analyse_shifts(const struct record *r, struct arena *a, const struct shift_function **out);

/* What the rows of a record of clocks say: of each subject that has some median, mean, stddev, min, max (p10, p90) as observed, and
 * the granularity of the sleeps. Estimates that are there already stay. */
enum tare_status analyse_clocks(struct record *r, struct tare_err *err);

/* Clears the results of a record and makes them anew from its rows and its rule, at the last look that its complete
 * rounds reach. For records of sessions that were killed. */
enum tare_status analyse_redo(struct record *r, struct tare_err *err);

/* What the rest of the schedule can still bring an undecided comparison. The interval narrows with the square root of n, so at the
 * last look its half-width is about that of now times sqrt(n / n_last) (statistics: Stein's projection; an estimate). */
struct outlook {
    bool futile;       /* undecided, and at the last look wider than the margin and than the shift: no word is in sight */
    double half_width; /* at the last look, on the comparison's scale */
    int rounds_planned;
    double rounds; /* for a half-width of the margin */
};
struct outlook analyse_outlook(const struct record *r, const struct comparison *c);

/* A figure without an interval. */
static inline struct estimate estimate_point(int subject, const char *metric, const char *statistic, const char *method,
                                             double point, int n)
{
    return (struct estimate){.subject = subject,
                             .metric = metric,
                             .statistic = statistic,
                             .method = method,
                             .point = point,
                             .low = -INFINITY,
                             .high = INFINITY,
                             .n = n,
                             .n_effective = NAN};
}

/* The same with the interval's ends. */
static inline struct estimate estimate_bounded(struct estimate e, const struct tare_interval *i, double confidence, double level)
{
    e.low = i->low;
    e.high = i->high;
    e.confidence = confidence;
    e.level = level;
    return e;
}

#endif
