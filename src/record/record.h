/* SPDX-License-Identifier: MIT
 *
 * record.h - the record: all that one measuring session found, as plain structs. The only thing that all parts share.
 *
 *     subject  what was measured (a command with its words, a benchmark of a program)
 *     series   one subject's runs: one array per column, row i of every series belongs to round i. Of a benchmark a row is a process,
 *              and what that process measured are its samples
 *     estimate one number with its interval, comparison one verdict, finding one remark with its advice
 *
 * A session ends when its record exists; everything after can be redone from the file (record_write.h, record_read.h).
 * Values are doubles: durations are whole nanoseconds (exact below 104 days), sizes bytes, NaN is "not measurable".
 * Ownership: the record owns all it points to, through its arena and its growing arrays; record_finish frees all.
 * Strings handed in are copied. One thread at a time.
 */
#ifndef RECORD_H
#define RECORD_H

#include "arena.h"
#include "buf.h"
#include "timeline.h"
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tare/status.h>

enum { RECORD_SCHEMA = 1, RECORD_SUBJECTS_MAX = 10000 }; /* the most that a reader takes */
#define RECORD_MARGIN_MAX 1e18                           /* of any unit */
#define RECORD_NS_MOST    3.15576e18                     /* a hundred years: no duration is longer */

/* ---- metrics: one list, metrics.def; perf events and own metrics are added at run time ---- */

/* How it is compared: log ratio for times and sizes, difference for counts. An own metric is one that the user defined: by log ratio
 * where all values are positive, else by difference; runs without a value are left out, up to OWN_NULL_SHARE of them. */
enum metric_kind { METRIC_TIME, METRIC_SIZE, METRIC_COUNT, METRIC_OWN };
enum metric_direction { METRIC_LOWER, METRIC_HIGHER, METRIC_NEUTRAL }; /* which is better */

struct metric {
    const char *id;    /* "wall" */
    const char *title; /* "wall time" */
    const char *unit;  /* "ns", "bytes", "1" */
    enum metric_kind kind;
    enum metric_direction direction;
    const char *definition; /* of the user's own, "regex=..." or "cmd=...": what a value is; NULL: tare's own, or not known */
};

#define OWN_NULL_SHARE 0.1 /* a larger share of runs without a value makes what is said of an own metric invalid */

/* Why a run has no value of a metric "rate" that need not have one: the number in its column "rate:null", 0 where it has one. */
enum null_reason {
#define NULL_REASON(name, code, text) NULL_##name = (code),
#include "null_reasons.def"
};
enum { NULL_COLUMN_BYTES = 64 };
/* A column of series for which standard output was compared: a hash of what the run wrote there; null where it was too much to be kept. */
#define OUTPUT_COLUMN   "output_hash"
#define CPU_STEP_COLUMN "cpu_step" /* in which the system counts CPU time, ns; absent: too fine to matter */

/* ---- facts: machine, conditions and build are ordered lists of them ---- */

struct fact {
    const char *key;    /* "cpu_brand"; unit as suffix where it has one ("memory_bytes") */
    const char *text;   /* the value as text, or NULL: then the number */
    double number;      /* NaN with text NULL: unknown, and reason says why */
    const char *reason; /* NULL when known */
};

struct facts {
    struct fact *items;
    int n, room;
};

#define RECORD_NOTE "note:" /* before the name of what a program says of itself, among the facts of the build */

/* ---- subjects and series ---- */

enum subject_kind {
    SUBJECT_COMMAND,
    SUBJECT_BENCH, /* a function inside a program built with libtare; a run of it is a process */
    SUBJECT_LEAK,  /* a target of such a program whose time may tell its input; likewise. Or a file with times */
    SUBJECT_TRACE, /* a command whose control points are read: record_arcs.h */
    SUBJECT_NOOP,  /* an empty program, measured to know tare's own weight */
    /* of tare clock: they have properties as parameters, estimates, and where they were measured run by run, rows */
    SUBJECT_CLOCK,      /* a way to read a clock */
    SUBJECT_SERIALISER, /* what stands around a reading of the counter to keep it in its place */
    SUBJECT_TIMER,      /* what the system does by the clock: sleeps, tick, slices */
    SUBJECT_EXPERIMENT, /* a piece of code between two readings of the counter */
    SUBJECT_HOST        /* of tare system qualify: what one CPU, or several together, were seen to do */
};

struct parameter {
    const char *name, *value;
};

struct subject {
    enum subject_kind kind;
    const char *name;        /* shown; unique within the record */
    const char *command;     /* as the user wrote it, parameters filled in */
    const char *const *argv; /* the words executed, closed by NULL (shell words included) */
    bool shell;
    bool anchor; /* it runs in each round so that results of other sessions can be held against it: no verdict compares it */
    const char *setup, *prepare, *conclude, *cleanup; /* hook texts, parameters filled in; NULL = none */
    const struct parameter *parameters;
    int n_parameters;
    /* SUBJECT_BENCH, SUBJECT_LEAK (program and benchmark alone), else NULL */
    const char *program;   /* as the user named it */
    const char *benchmark; /* its full name in there: "sort_ints/1000", "memcmp_32" */
    const char *group;     /* as registered: "sort_ints" */
    const char *version;   /* of what the benchmark measures, as its program says; NULL: it does not */
    bool complexity;       /* how it grows with its first parameter, a number, is asked for */
    int reference;         /* the subject it is compared with; -1: none. Not looked at for commands: see record_reference */
    const char *failure;   /* why it was given up; NULL: it was not */
    const char *remark;    /* what its program says of the figure; NULL: nothing */
    const char *label;     /* a text of its program that stands with the figure; NULL: none */
};

/* Bits of a row's flags; the words in a file are those of row_flag_name(). */
enum row_flag {
    ROW_FAILED = 1 << 0,        /* exit code not 0 (kept because the user asked to ignore it) */
    ROW_TIMED_OUT = 1 << 1,     /* killed at --timeout */
    ROW_WARMUP = 1 << 2,        /* made and set aside */
    ROW_OTHER_PROGRAM = 1 << 3, /* the program's file is not that of the first run */
/* what disturbed it: ROW_PREEMPTED ... of cause.def */
#define CAUSE(name, bit, word, exogenous, text) ROW_##name = 1 << (bit),
#include "cause.def"
};

struct rows {
    int n, room;
    int32_t *round;    /* 0, 1, 2 ...; warm-up rounds count for themselves. A file that lost a line lacks that round */
    int32_t *slot;     /* place within the round: 0 ran first */
    int64_t *start_ns; /* from the session's start */
    uint32_t *flags;
    double **value; /* value[column][row] */
};

/* What a benchmark counts itself, a value for each process. */
enum count_per {
    COUNT_PER_ITERATION,
    COUNT_PER_SECOND,
    COUNT_TOTAL,
    COUNT_AS_GIVEN
}; /* PER_SECOND: kept per iteration, shown as a rate */
struct count {
    const char *name, *unit; /* "" has none */
    enum count_per per;
    bool
        inverted; /* kept as counted; shown is what one of them takes: nanoseconds for PER_SECOND, else iterations or the inverse */
    int n, room;
    int32_t *round; /* of the process, rising */
    double *value;
};
enum { COUNTS_MAX = 42 };
/* Two that tare adds: calls to the allocator in an iteration, and the bytes that they asked for. */
#define COUNT_ALLOCATIONS "heap:allocations"
#define COUNT_ALLOCATED   "heap:bytes"
#define COUNT_EVENT       "perf:" /* before the name of an event that was counted in a process of its own */

/* The last look of a block of one command or of a session of --aa, which have looks of their own, or of a benchmark that left; number 0: none. */
struct own_look {
    int number, rounds;
    double level, share;
};

struct series {
    int subject; /* index into record.subjects */
    struct own_look
        look; /* of the block or session that begins with it, or of itself (subject_left); elsewhere those of the rule */
    int n_columns;
    const char **columns; /* ids of metrics (metrics.def, perf events) and of what explains a row (covariates.def) */
    struct rows main, warmup;
    struct rows
        replaced; /* disturbed and made again (--on-dirty=rerun): kept without samples, and in no figure. A round may be here
                             many times */
    /* Of a benchmark: all that its processes measured, as measured; round is the process, slot the sample in it. With ROW_WARMUP it came before
     * those that count. Processes that were made for warm-up have none here. */
    int n_sample_columns;
    const char **sample_columns;
    struct rows samples;
    struct count *counts;
    int n_counts;
};

/* ---- results ---- */

/* NaN point: not measurable. low/high -inf/+inf: at this n and level no interval exists. */
struct estimate {
    int subject;
    const char *metric;
    const char *statistic; /* "median", "mean", "min", "max", "stddev", "p90" ... */
    const char *method;    /* "order statistics", "Student t", "as observed" ... */
    double point, low, high;
    double confidence; /* of the whole procedure, 0.95; 0 = no interval belongs to this statistic */
    double level;      /* two-sided error of this look's interval */
    int n;
    double n_effective; /* NaN: not computed */
    const char *reason; /* why there is no value or interval; NULL */
    int before;         /* the record's own: 1 + index of the one of this subject that came before; 0: none */
};

enum verdict {
    VERDICT_NONE, /* not asked or not made; see reason */
    VERDICT_FASTER,
    VERDICT_SLOWER,
    VERDICT_LOWER,
    VERDICT_HIGHER,
    VERDICT_SAME,
    VERDICT_UNDECIDED,
    VERDICT_INVALID,
    VERDICT_NOT_COMPARABLE,
    /* of leak targets */
    VERDICT_LEAK,       /* proven, and not proven to be small */
    VERDICT_LEAK_SMALL, /* proven, and within the margin */
    VERDICT_NO_LEAK,    /* none larger than the margin */
    /* of two sets of stored sessions, in the order of those that interleaved rounds reach */
    VERDICT_LIKELY_FASTER,
    VERDICT_LIKELY_SLOWER,
    VERDICT_LIKELY_LOWER,
    VERDICT_LIKELY_HIGHER,
    VERDICT_LIKELY_SAME
};

#define STATISTIC_OF_SHIFTS \
    "stddev_of_shifts"                       /* of several sessions: how much their comparisons scatter, on the scale of shift */
#define STATISTIC_OF_TAU     "tau_of_shifts" /* what of it is between them, and no error of measuring */
#define STATISTIC_OF_SHARE   "i_squared_of_shifts" /* that as a share of the variance */
#define STATISTIC_OF_ANOTHER "another_shift"       /* with the interval in which one more of them would lie */

struct comparison {
    int reference, subject; /* indexes of subjects */
    const char *metric;
    enum metric_kind kind;   /* METRIC_COUNT: difference, low, high are absolute; else they are ln ratios */
    double shift, low, high; /* Hodges-Lehmann of ln(t/t_ref) or of t - t_ref, and its interval; infinite = unbounded */
    double mean_ratio, mean_low, mean_high; /* ratio of means; NaN where it has no value */
    double confidence, level;               /* of the session; two-sided error of this look's interval */
    int look, looks_planned;                /* 1-based look that decided, 0 = none was made; planned -1: as the session went on */
    double share;                           /* of the session that was used at this look; 0: it was one of those planned */
    double margin; /* the smallest difference that matters: relative, or absolute in base units for kind COUNT */
    enum verdict verdict;
    bool beyond_margin;     /* the whole interval lies outside the margin */
    bool sign_proven;       /* the interval excludes 0, also as one of many (with `same`: proven but too small to matter) */
    int better;             /* index of the better subject, -1 when none is proven */
    int rounds;             /* rounds behind the numbers; of two sessions the subject's runs */
    int reference_rounds;   /* two stored sessions: the reference's runs, not paired with those; 0: rounds are shared */
    bool assumed_no_drift;  /* two stored sessions: the word holds if nothing drifted between them */
    bool by_anchor;         /* two sets of stored sessions: of their ratios to the anchor, not of their values */
    bool by_trend;          /* the same: what changed over time within the sets has opened the interval */
    double seconds;         /* wall time of the session so far */
    double slot_effect;     /* Hodges-Lehmann of ln(second/first) within pairs, less the shift; NaN when not computed */
    double slot_p;          /* its signed-rank p value */
    double p;               /* signed-rank p value of "equal" at this look; NaN: not computed */
    double rounds_needed;   /* undecided: rounds of a look that decide 9 times in 10, were shift true; NaN unknown, inf none */
    const char *reason;     /* why there is no verdict; NULL */
    int arc, reference_arc; /* of an arc: 1 + index of the two results in record.traced; 0: of the subjects as a whole */
    /* Where neighbouring rounds are alike: how many independent ones would say as much, how many times as wide the interval is for it. Else 0. */
    double effective_rounds, widened;
};

enum severity { SEVERITY_NOTE, SEVERITY_WARNING, SEVERITY_ERROR };

struct finding {
    const char *id; /* stable: "outliers" */
    enum severity severity;
    int subject;               /* -1: the session */
    const char *text, *advice; /* a line each; advice may be NULL */
    double weight;             /* how much it matters; the screen shows the heaviest two */
    const char *detail;        /* a sentence or two more, or NULL */
    double trend; /* to the last run: of "drift" a share of the median, of "ratio_drift" of the first ratio; else 0 */
};

/* ---- the session's rule, so that the analysis can be redone from the file ---- */

/* ANYTIME: evidence and intervals that hold at every look, so there is one after each round; what is said stands in leak_targets. */
enum method { METHOD_TARE, METHOD_GEORGES, METHOD_ANYTIME };

/* What becomes of a round that was disturbed from outside the program. */
enum on_dirty {
    DIRTY_FLAG,  /* it is marked and counts */
    DIRTY_RERUN, /* it is made again, with a new coin */
    DIRTY_DROP   /* it counts for every verdict, and is left out of the figures shown beside */
};

/* What one process of a benchmark does. */
enum profile {
    PROFILE_STEADY,  /* many iterations, in samples: what it costs in the long run */
    PROFILE_STARTUP, /* the first call in a fresh process */
    PROFILE_MEMORY,  /* the same for the peak of memory */
    PROFILE_ONCE     /* one process, one call */
};

/* How often a table of comparisons may be wrong. */
enum correction { CORRECTION_BH, CORRECTION_HOLM, CORRECTION_NONE };

/* What tare leak asks of all targets, beside margin and confidence. */
struct rule_leaks {
    const char *kind;  /* pairs, scan, growth, csv; NULL: no leaks were asked for */
    const char *cache; /* warm, cold, random */
    double alpha, advantage;
    bool exact, strict, dit;
    bool noise;        /* a second thread went through memory: of an earlier version, which had --noise */
    int selfcheck;     /* blocks in a hundred of each kind of self-check */
    int repeat;        /* calls in a reading that were asked for; 0 or 1: one */
    const char *clock; /* that was asked for; NULL: none */
    double max_calls;  /* of a target; 0: no limit */
    double latency_ns; /* of an access to memory, of which growth tolerates four; 0: not measured, or the margin was given */
    bool dudect;       /* what dudect would say decides */
    bool lab0;         /* and lab0-c's rule of it */
    int measurements, drop, percentiles, order;
    double threshold;
};

enum { LOOKS_MAX = 32 };

struct rule {
    enum method method;
    const char *metric;      /* id of the one that decides */
    double confidence;       /* 0.95 */
    double precision;        /* relative half-width to reach; 0 = not asked, in a comparison */
    double margin;           /* relative (0.01), unless margin_unit is given */
    const char *margin_unit; /* NULL relative; "ns", "bytes", "1": margin is absolute in that unit */
    double
        spending; /* exponent of the share of the session by which the error is spent; 0: the looks were planned before the first */
    int n_looks;                  /* made so far; planned where spending is 0 */
    int look_at[LOOKS_MAX];       /* rounds at each look */
    double look_share[LOOKS_MAX]; /* of the session, with spending: never falling, 1 at its end */
    double look_level[LOOKS_MAX]; /* two-sided error of each interval at that look; the k - 1 comparisons share it */
    bool interleaved;             /* false: blocks of one command each (hooks forced it); no words are given then */
    double fail_if_slower;        /* relative; NaN = not asked */
    int reference;                /* index of the reference subject */
    bool against_itself; /* --aa: subjects 2 i and 2 i + 1 are one command or benchmark twice, in a session of their own */
    enum on_dirty on_dirty;
    /* --method georges */
    int georges_runs, georges_min; /* most and fewest runs */
    /* benchmarks */
    enum profile profile;
    enum correction correction; /* over the comparisons of a suite: Benjamini-Hochberg, Holm, none */
    int window;                 /* georges: values in a row that must be quiet (k) */
    double cov;                 /* georges: and how quiet */
    struct rule_leaks leaks;
};

/* It reached a verdict, be it `undecided`: an interval that is bounded on one side at least. Not so without a look, or where it is invalid. */
bool comparison_judged(const struct comparison *c);
bool verdict_differs(enum verdict v);                  /* faster, slower, lower, higher, likely or not */
enum verdict verdict_likely(enum verdict v);           /* likely_faster of faster ..., likely_same of same; others as they are */
enum verdict verdict_plain(enum verdict v);            /* and back */
bool subject_skipped(const struct subject *s);         /* it was given up by its own word, which is no failure */
const char *subject_given_up(const struct subject *s); /* "skipped", "optimised-away", "failed"; NULL: it was not */
static inline bool subject_measured(const struct subject *s) /* it shares rounds: no part of tare, no clock */
{
    return s->kind == SUBJECT_COMMAND || s->kind == SUBJECT_BENCH || s->kind == SUBJECT_LEAK || s->kind == SUBJECT_TRACE;
}
static inline bool subject_compared(
    const struct subject *s) /* that, and no anchor: verdicts, gates and other sessions ask for it */
{
    return subject_measured(s) && !s->anchor;
}

struct record {
    struct arena arena;
    /* header */
    const char *tool_version;
    const char *const *argv; /* tare's own command line, closed by NULL */
    uint64_t seed;
    int64_t start_utc_ns;
    int session, sessions; /* --sessions: its number, from 1, among so many that were planned; 0: it stands alone */
    int64_t every_ns;      /* between their starts */
    struct rule rule;
    struct facts machine, before, after, build;
    /* what was measured */
    struct metric *metrics;
    int n_metrics, room_metrics;
    struct subject *subjects;
    int n_subjects, room_subjects;
    struct series *series; /* one per subject, same index */
    /* what was found */
    struct estimate *estimates;
    int n_estimates, room_estimates;
    int *
        last_estimate; /* of each subject: 1 + index of its last estimate; 0: none. So that one is found among the subject's own */
    int room_last_estimate;
    struct comparison *comparisons;
    int n_comparisons, room_comparisons;
    struct finding *findings;
    int n_findings, room_findings;
    struct timeline *timelines; /* memory over time, of runs that are no rows */
    int n_timelines, room_timelines;
    struct leak_target *leak_targets; /* leak_target.h */
    int n_leak_targets;
    struct traced *traced;          /* record_arcs.h; NULL: no control points */
    const struct chart_page *pages; /* pictures of them, by who judged; not in the file, and not the record's own */
    int n_pages;
    const struct repetition *repetition; /* repetition.h: what it says of the session that it repeats; as pages */
    /* trailer */
    double seconds;    /* wall time of the session */
    int look;          /* last completed look, 0 = none */
    int rounds;        /* complete rounds */
    const char *ended; /* "answered", "budget", "runs", "interrupted", "failed"; NULL while it runs or when it was killed */
    bool partial;      /* ended before its plan */
    /* Of a record that was read: why it cannot be known to be what was measured ("the record has no trailer"), or all of it (of another tool's file),
     * so that it is shown and answers no gate; NULL: its trailer agrees with it, or it was just measured. Not in the file */
    const char *unverified;
};

/* Zeroed struct in, usable record out; finish accepts a zeroed one. */
void record_init(struct record *r);
void record_finish(struct record *r);

/* Adders copy all strings and grow the arrays: pointers to items of one kind hold until the next item of that kind is added.
 * They return the index, or -1 when memory is exhausted. */
int record_add_metric(struct record *r, const struct metric *m); /* an id that is there already returns its index */
enum tare_status record_add_clock_metrics(struct record *r);     /* all of clock_metrics.def, and wall */
int record_add_subject(struct record *r, const struct subject *s, const char *const *columns, int n_columns);
/* Other columns for a series that has no rows yet; a column id stands once. INVALID when it has rows or an id stands twice. */
enum tare_status record_set_columns(struct record *r, int series, const char *const *columns, int n_columns);
int record_add_estimate(struct record *r, const struct estimate *e);
int record_add_comparison(struct record *r, const struct comparison *c);
int record_add_finding(struct record *r, const struct finding *f);
int record_add_timeline(struct record *r, const struct timeline *t);
/* Only the subjects with keep[i] stay, with their series; results of others go. The reference becomes the first that is left when
 * it is not among them. */
void record_keep_subjects(struct record *r, const bool *keep);
void record_clear_results(
    struct record *r); /* estimates, comparisons, findings and leak targets; before they are computed anew */
/* A key that is there already gets the new value in its old place. */
enum tare_status facts_add_text(struct record *r, struct facts *f, const char *key, const char *text);
enum tare_status facts_add_number(struct record *r, struct facts *f, const char *key, double number);
enum tare_status facts_add_unknown(struct record *r, struct facts *f, const char *key, const char *reason);
enum tare_status facts_copy(struct record *r, struct facts *to, const struct facts *from); /* all of them */
const struct fact *facts_find(const struct facts *f, const char *key);
const char *facts_text(const struct facts *f, const char *key); /* NULL where it is no text, not known or not there */
double facts_number(const struct facts *f, const char *key);    /* NaN likewise */
double facts_cpus_of_others(const struct facts *after); /* how many CPUs other programs used during the session; NaN likewise */
/* Of what --rev measured, from 1: its name "", "_hash", "_changes", "_build_seconds". NULL: not there. */
const struct fact *revision_fact(const struct record *r, int number, const char *what);

struct row {
    int32_t round, slot;
    int64_t start_ns;
    uint32_t flags;       /* ROW_WARMUP sends it to series.warmup */
    const double *values; /* n_columns of them */
};
enum tare_status record_append_row(struct record *r, int series, const struct row *row);
/* Columns of samples, before the first of them; INVALID and NO_MEMORY as record_set_columns. */
enum tare_status record_set_sample_columns(struct record *r, int series, const char *const *columns, int n_columns);
enum tare_status record_append_sample(struct record *r, int series, const struct row *row); /* n_sample_columns values */
enum tare_status record_set_failure(struct record *r, int subject, const char *why);        /* the first reason stays */
enum tare_status record_set_remark(struct record *r, int subject, const char *remark);      /* the first one stays */
enum tare_status record_set_label(struct record *r, int subject, const char *label);        /* likewise */
/* The value of the process of that round, which takes the place of one that is there. The name's unit and per are those of its first
 * value. INVALID: a round before the last one, or more than COUNTS_MAX names. */
enum tare_status record_add_count(struct record *r, int series, int round, const struct count *what, double value);
/* The last row of each of these subjects, if it is of this round, goes to series.replaced, its samples and counts go: the round is
 * made again. */
enum tare_status record_replace_round(struct record *r, const int *subjects, int n_subjects, int round);
/* Row k of one into place i of the other; both have room there. */
void rows_move(struct rows *to, int i, const struct rows *from, int k, int n_columns);

/* What was found, by name; NULL when it is not there. The last one added counts. */
const struct estimate *record_estimate(const struct record *r, int subject, const char *metric, const char *statistic);
const struct estimate *record_known(const struct record *r, int subject, const char *metric,
                                    const char *statistic); /* NULL without a value too */
double record_point(const struct record *r, int subject, const char *metric,
                    const char *statistic); /* NaN where it is not there */
/* The method of groups of processes ("mode_1") of which two are separated by a valley, and so modes; whether an estimate has it. */
extern const char record_by_valley[];
bool record_is_by_valley(const struct estimate *e);
const struct comparison *record_comparison(const struct record *r, int subject, const char *metric);
/* In a session of clocks the one against which the rates of the others are; "the reference clock" where it was not measured. */
const char *record_reference_clock(const struct record *r);
/* The one that tare measures with: the counter, or the system's first clock where the counter is distrusted; -1: there is none. */
int record_clock_in_use(const struct record *r);

/* Built-in metrics (metrics.def), in their order. */
const struct metric *metric_builtin(int index); /* NULL past the end */
const struct metric *metric_builtin_find(const char *id);
const struct metric *metric_followed(int index); /* followed_metrics.def; NULL past the end */
const struct metric *metric_followed_find(const char *id);
const struct metric *record_metric(const struct record *r, const char *id); /* those of the record */
/* A benchmark and its metric as one name, for formats that have one name a value: "parse n=1000 [wall]". */
void series_name_put(struct buf *b, const char *benchmark, const char *arguments, const char *metric);
/* The metric of such a name, and *benchmark before it; of any other name NULL, and it is all *benchmark, which is NULL without memory. */
const char *series_name_split(struct arena *a, const char *name, const char **benchmark);
const char *null_reason_text(int code); /* "nothing matched"; of a code that is not known "not known" */
/* The column that says why the metric has no value; "rate:null" in room, which is returned. */
const char *null_column(const char *metric, char room[NULL_COLUMN_BYTES]);
/* The column that says in which steps its values were printed; "rate:step" in room, which is returned. */
const char *step_column(const char *metric, char room[NULL_COLUMN_BYTES]);
bool is_step_column(const char *id);
bool metric_is_cpu_time(const char *metric); /* of runs: in all, user's, system's */
/* Of CPU times that the system counts in steps, one; and of "ns", times of a benchmark whose samples have one iteration each: what is the difference of
 * two readings of the clock is off by up to a step either way, so two steps; the median of several, in drawn phases, by up to half a step, so one.
 * Of a program's own clock likewise, of an iteration, as far as its samples show its step. NaN: of other metrics and samples, or not known. */
double series_reading_step(const struct series *s, const char *metric);
/* Whether that process timed itself by a clock of its own (manual time), of whose step nothing is known. */
bool series_has_own_clock(const struct series *s, int row);
/* The largest step; 0: all values are exact; NaN: none is known. */
double series_step(const struct series *s, const char *metric);
/* Whether so many of the n values are different that they come in the same order by chance in no two measurements. Counts, and times of few digits, may
 * well be all alike. x NULL: no. */
bool values_tell(const double *x, int n);
/* Whether the metric has such a column: runs may lack a value, as those of own metrics and of followed_metrics.def. */
bool series_has_nulls(const struct series *s, const char *metric);
/* Among the first n counted rows those of which a value was wanted (not NULL_NOT_ASKED). */
int record_asked(const struct series *s, const char *metric, int n);
/* Among those, the ones without a value. *why: the reason of most of them; may be NULL. */
int record_nulls(const struct series *s, const char *metric, int n, const char **why);
/* The first two of the first n counted runs whose standard output differs, as row numbers; false: they do not, or it was not looked
 * at. A run whose output was too long differs from all. */
bool record_outputs_differ(const struct series *s, int n, int *one, int *other);
/* Whether runs are of two program files, which no figure can mean: appends "was replaced or changed before run 7". */
bool record_other_program(const struct series *s, struct buf *text);
/* How many of the first n rows are of runs that failed or were killed at --timeout. */
int rows_failed(const struct rows *rows, int n);
/* The series whose last run ended the session by failing; -1: none. */
int record_series_that_failed(const struct record *r);
/* Whether the session ended by what left no run: a command that could not be started, or a hook that failed. */
bool record_failed_unseen(const struct record *r);
enum tare_status record_add_bench_metrics(struct record *r); /* all of bench_metrics.def */
enum tare_status record_add_host_metrics(struct record *r);  /* all of host_metrics.def */
/* The subject that this one is compared with, -1: none. In a record of commands that is the rule's for all but itself. */
int record_reference(const struct record *r, int subject);
/* The anchor of this subject's rounds: of a benchmark the one of its name in the anchor program. -1: none, or it is one itself. */
int record_anchor(const struct record *r, int subject);
int record_anchors(const struct record *r);      /* how many subjects are anchors */
int record_first_anchor(const struct record *r); /* -1: there is none */
/* How long the subject takes as a multiple of its anchor in the same rounds; NULL: it has none. A point of NaN has a reason. */
#define STATISTIC_OF_ANCHOR "ratio_to_anchor"
const struct estimate *record_ratio_to_anchor(const struct record *r, int subject);
/* Scripts of one command, among the facts of the build: "script_", "script_2_" ... behind "program_1_". */
enum { SCRIPTS_MOST = 8, SCRIPT_PART_BYTES = 16 };
const char *record_script_part(int script, char room[SCRIPT_PART_BYTES]);
/* What the anchor is, for people and for comparing sessions: its command or program and the hashes of its program file and of the script that it is
 * given, "./old 2c26b46b68ffc68f". Nothing without one; without hashes that are not known, or where a shell runs it. */
void record_put_anchor(const struct record *r, struct buf *out);
/* The tool whose file it was read from ("hyperfine JSON", stored_read.h); NULL: tare's own. */
const char *record_source(const struct record *r);
/* Rows stand in the order in which they were measured: not so those of a file whose tool sorted its values. */
bool record_in_order(const struct record *r);
/* Its subjects are alternatives of each other, as commands are; not so the benchmarks of another tool's suite. */
bool record_has_alternatives(const struct record *r);
#define RECORD_SUITE "a suite" /* the fact source_subjects of those */
/* A comparison of two stored sessions (analyse_stored.h). */
bool record_is_of_two_sessions(const struct record *r);
/* Its runs are the sessions of a set (analyse_sessions), or of two sets that are compared. */
bool record_is_over_sessions(const struct record *r);
/* Of two sets with as many sessions in each as a likely verdict needs. */
enum { LIKELY_SESSIONS = 3 };
bool comparison_over_sets(const struct record *r, const struct comparison *c);
/* Its least and largest ratio (of counts: difference) in the n rounds that both subjects have; n is 0 where runs are no pairs. */
struct observed {
    double low, high;
    int n;
};
struct observed comparison_observed(const struct record *r, const struct comparison *c);
/* It came to its end, not cut short by a signal, a failure or a kill, and nothing in it is unverified. */
bool record_is_complete(const struct record *r);
#define RECORD_SESSIONS_MISSING "some of its planned sessions are missing"
/* Why no gate passes or fails by it: what is unverified, or that who measured ended it, and a run that would not end is in no row, or that a set lacks
 * sessions; NULL: nothing. */
const char *record_undeciding(const struct record *r);
/* The subject's parameter by name; NULL: it has none. */
const char *subject_parameter(const struct subject *s, const char *name);
/* The part of a qualified host that it is: "jitter", "throughput"; "": none. */
const char *subject_host_part(const struct subject *s);
bool record_is_host_part(const struct record *r, int subject, const char *part);
int series_column(const struct series *s, const char *id); /* -1: absent */
/* The samples' values of one column, samples.n of them; NULL: no such column, or no sample. */
const double *series_samples(const struct series *s, const char *id);
/* The counted rows' values of one column, main.n of them; NULL when there is no such column or no row. Points into the record. */
const double *series_values(const struct series *s, const char *id);
struct count *series_count(const struct series *s, const char *name); /* NULL: it has none */
/* Its question was answered at a look before the session's end: the look of its series is its last, and it took part in no round after it. */
bool subject_left(const struct record *r, int subject);
/* Rounds that each of these subjects completed, those aside that left before others. A run whose failure ended the session is a row, but no figure counts it. */
int record_rounds(const struct record *r, const int *subjects, int n_subjects);
/* Of a session against itself (rule.against_itself): the first subject that is the same command or benchmark as this one; of what they say
 * together the figures are its. Other sessions: the subject itself. */
int record_first_copy(const struct record *r, int subject);
/* Whether two subjects are commands that run in the same rounds. */
bool record_shares_rounds(const struct record *r, int one, int other);

/* The fixed words of files and screens; the way back: record_fields.h. */
const char *verdict_name(enum verdict v);     /* "faster", "not_comparable" */
const char *row_flag_name(enum row_flag bit); /* "failed"; NULL for a bit without a name */
const char *severity_name(enum severity s);
void finding_label(const char *id, struct buf *b); /* "order effect": what people call it */
const char *metric_kind_name(enum metric_kind k);
const char *subject_kind_name(enum subject_kind k);
const char *count_per_name(enum count_per p); /* "iteration", "second", "total", "given" */
bool count_is_ours(const struct count *c);    /* one of the two of the heap that tare adds */

#endif
