/* SPDX-License-Identifier: MIT
 *
 * analyse_stored.h - what two stored sessions can say about each other.
 *
 *     struct record out = {0};
 *     const struct stored_question q = {.confidence = .95, .margin = .01, .fail_if_slower = NAN, .names = {"old.jsonl", "new.jsonl"}};
 *     record_init(&out);
 *     status = analyse_stored(&out, &old, &new, &q, &err);
 *     ... out.n_comparisons is 0: no command of one is in the other
 *
 * Commands are matched by name; the only traced program of each session also where its path is another, as those of two builds are. Each pair becomes two subjects of `out`, with the rows and estimates of their sessions, and one
 * comparison of the second session's with the first's:
 *   not_comparable   machine, build rule, metric or benchmark differ; the reason lists how
 *   undecided        else: the ratio if nothing drifted between the sessions, which nobody can know
 *   a word           the same with assume_no_drift, marked as such
 * Estimator: the two-sample shift of the logarithms (of the values, for counts and what is not positive) with the interval of Mann
 * and Whitney (tare_shift_ci_mann_whitney), each at the level (1 - confidence) / comparisons. Values that share a process (column
 * "process") are averaged first. Two sets of sessions, each as a record of analyse_sessions, are compared by Welch's interval over the
 * medians of their sessions. Conditions that differ (governor, kernel ...) become a finding.
 * It reads and prints nothing.
 */
#ifndef ANALYSE_STORED_H
#define ANALYSE_STORED_H

#include "buf.h"
#include "record.h"

struct stored_question {
    const char *metric; /* id; NULL: what decided in the second session */
    double confidence;
    double margin; /* as in struct rule */
    const char *margin_unit;
    double fail_if_slower; /* NaN: not asked */
    bool assume_no_drift;
    const char *names[2]; /* of the sessions, put behind the names of the commands */
    enum correction correction;
    /* The second repeats the plan of the first: subjects are matched by place (planned_partner), arcs of programs that cannot be compared are there with
     * that verdict, arcs are held together over all programs, and nothing is said of drift or of the sessions. */
    bool one_plan;
};

/* `out` is initialised. INVALID: the margin's unit does not fit the metric; NOT_FOUND: neither session has the metric. */
enum tare_status analyse_stored(struct record *out, const struct record *first, const struct record *second,
                                const struct stored_question *q, struct tare_err *err);

#endif
