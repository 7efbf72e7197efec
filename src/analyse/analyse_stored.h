/* SPDX-License-Identifier: MIT
 *
 * analyse_stored.h - what stored sessions say about each other: two of them or two sets, several of one plan, one and its repetition. It reads and prints nothing.
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
 *   likely_slower .. two sets of at least LIKELY_SESSIONS sessions, by the interval over sessions
 *   undecided        else: the ratio if nothing drifted between the sessions, which nobody can know
 *   a verdict        the same with assume_no_drift, marked as such: by the runs, as if sessions did not differ
 * Estimator: the two-sample shift of the logarithms (of the values, for counts and what is not positive) with the interval of Mann
 * and Whitney (tare_shift_ci_mann_whitney), each at the level (1 - confidence) / comparisons. Values that share a process (column
 * "process") are averaged first. Two sets of sessions, each as a record of analyse_sessions, are compared by Welch's interval over the
 * medians of their sessions, where all have the same anchor over their ratios to it (by_anchor); with assume_no_drift by the runs of all of them, as two sessions are. Conditions that differ (governor, kernel ...) become a finding.
 */
#ifndef ANALYSE_STORED_H
#define ANALYSE_STORED_H

#include "repetition.h"

/* Of each subject of sessions together: the mean of all runs, where "mean" is that of the sessions' medians. */
#define STATISTIC_OF_RUNS "mean_of_runs"

struct stored_set {
    const struct record *sessions;
    int n;
};

struct stored_question {
    const char *metric; /* id; NULL: what decided in the second session */
    double confidence;
    double margin; /* as in struct rule */
    const char *margin_unit;
    double fail_if_slower; /* NaN: not asked */
    bool assume_no_drift;
    const char *names[2];      /* of the sessions, put behind the names of the commands */
    struct stored_set sets[2]; /* of records of analyse_sessions what they are of; zeroed of single sessions */
    enum correction correction;
    /* The second repeats the plan of the first: subjects are matched by place (planned_partner), arcs of programs that cannot be compared are there with
     * that verdict, arcs are held together over all programs, and nothing is said of drift or of the sessions. */
    bool one_plan;
};

/* `out` is initialised. INVALID: the margin's unit does not fit the metric; NOT_FOUND: neither session has the metric. */
enum tare_status analyse_stored(struct record *out, const struct record *first, const struct record *second,
                                const struct stored_question *q, struct tare_err *err);

/* ---- several sessions of one plan ----
 *
 *     struct record over = {0};
 *     status = analyse_sessions(&over, sessions, n, &err);      // then render_sessions, or any exporter
 *     record_finish(&over);
 *
 * `over` is a record whose runs are sessions: the subjects are the commands, row i of each holds the median of session i in every metric, and
 * the estimates follow as for runs; where there is an anchor, the column STATISTIC_OF_ANCHOR has what session i takes as a multiple of it, and the estimate of that name is their geometric mean with Student's t of the logarithms; machine, conditions before and build are those of the first session. So the "mean" is the mean of the session medians with Student's t over sessions, and "stddev" the standard
 * deviation between sessions. Within a session runs lean on each other and share what the machine was like; sessions are what varies, so
 * n is their number and nothing else.
 * Each comparison is the mean of the sessions' Hodges-Lehmann shifts (ln ratios, or differences for counts), with Student's t over
 * sessions at the level (1 - confidence) / comparisons, and the verdict that this interval gives. The deviation between sessions stands in
 * the estimate STATISTIC_OF_SHIFTS of the subject; beside it are STATISTIC_OF_TAU, _SHARE and _ANOTHER (stats_beyond.h). The same for nodes of a
 * fleet, each a record: of a session, or of analyse_sessions over the blocks on that node.
 * Of benchmarks the subjects are those of all sessions, each interval has the level 1 - confidence, and verdicts are corrected as in a session (rule.correction). One
 * that a session lacks, or has no result of, is undecided and says where.
 *
 * Assumes sessions independent of each other and their medians (shifts) near normal, which two or three cannot show. Smallest n: 2; one
 * session gives points without intervals, and undecided. A session without a shift (blocks, georges, too few rounds) gives no
 * comparison.
 */

/* Whether both are the same session, read twice. */
bool session_is_again(const struct record *a, const struct record *b);

/* Whether more sessions were planned than are there. */
bool sessions_missing(const struct record *sessions, int n);
/* As record_undeciding, of a session that is alone: of a plan of several it decides nothing. */
const char *session_undeciding(const struct record *r);

/* n >= 1 sessions with the commands of the first, in its order, and with results. `over` zeroed; finish it in any case. INVALID: one of them is there
 * twice; NO_MEMORY. */
enum tare_status analyse_sessions(struct record *over, const struct record *sessions, int n, struct tare_err *err);

/* The same of leak targets (leak_sessions.c): what analyse_sessions calls for them. */
enum tare_status leak_sessions(struct record *over, const struct record *sessions, int n);

/* ---- a session and its repetition ----
 *
 *     struct repetition result;
 *     status = analyse_repetition(&result, &then, &now, false, &arena, &err);
 *     ... result.word
 *
 * Both records are of one plan: command i of the one is command i of the other (replan_check), benchmarks go by their names. Each comparison that the first session made
 * is held against that of the second:
 *
 *   agrees          the verdicts do not contradict each other, and the change of the ratio may be 0 or lies within the margin
 *   differs         one says faster and the other slower, or one same and the other more than the margin; or, on the same machine,
 *                   the ratio changed, by more than chance and not within the margin
 *   undecided       a side has no verdict or no interval; or the machine is another one and only the size of the ratio changed, which it may
 *   not_comparable  a side is invalid, or its reference or the kind of its ratio is another one
 *
 * Undecided contradicts nothing. Agreement is no proof of equality: the interval of the change says how much may have stayed unseen.
 * Where the plan compares nothing (one command, blocks, georges) each command is held against itself, as tare compare does: other machines
 * are not comparable; a change that is proven is drift or a difference, which two sessions cannot tell, so the word is undecided, or
 * differs with assume_no_drift. Beside comparisons that is told and decides nothing; but a benchmark that is in no comparison is a claim of its own.
 * A benchmark that its program no longer has is undecided, one that was given up now not comparable; one that was given up then claimed nothing.
 *
 * Estimator of the change: the difference of the two Hodges-Lehmann shifts, s2 - s1. The sessions are independent, so its interval is by
 * squares of the distances from each shift to the ends of its own interval (Howe 1974; Zou and Donner 2008):
 *     low  = s2 - s1 - sqrt((s2 - l2)^2 + (h1 - s1)^2),   high = s2 - s1 + sqrt((h2 - s2)^2 + (s1 - l1)^2)
 * with the intervals of the looks that decided, which hold for all looks: it needs neither equal spread nor equal numbers of rounds, and the
 * early stop of a session that happened to see much does not pass for a difference. Unbounded intervals give none; ends that
 * coincide with the shift (all rounds equal) are taken as they are. The comparisons of commands share the confidence; of n comparisons of benchmarks
 * each interval has it alone, so here their distances are multiplied by z(1 - alpha/2n) / z(1 - alpha/2), as nearly normal estimates need
 * for n at once (Bonferroni); not with the correction none.
 */

/* All memory is the arena's. Both records have their results. NO_MEMORY is the only failure. */
enum tare_status analyse_repetition(struct repetition *out, const struct record *then, const struct record *now,
                                    bool assume_no_drift, struct arena *a, struct tare_err *err);

/* The interval above. False: an end is infinite or NaN, and nothing is set but the point. */
bool analyse_shift_change(const struct repeated_side *then, const struct repeated_side *now, double *change, double *low,
                          double *high);

/* ---- two sets of stored sessions in the order in which they were measured: whether they take turns ----
 *
 *     if (sets_apart(sets, &first)) ...                                 // all sessions of set `first` began before those of the other
 *
 * False too where a session does not say when it began. */
bool sets_apart(const struct stored_set sets[2], int *first);

#define TREND_REASON \
    "results change over time within the sets too, and that trend may be the difference; measure the two in turns"

#endif
