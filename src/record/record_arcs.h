/* SPDX-License-Identifier: MIT
 *
 * record_arcs.h - control points in the record: what was passed in each run (lines `point`, `traced` and `arc`), and what it comes to over the
 * runs (lines `passage`), and where the time of the last run of each program went (lines `stack`).
 *
 *     const struct traced *t = r->traced;                 // NULL: the record has no traced program
 *     for (int i = 0; i < t->n_results; i++)
 *         if (t->results[i].subject == 0) ... t->points[t->results[i].from].line, t->results[i].mean_ns ...
 *
 * A run's sums are whole numbers in units of its clock; all that is said of them can be made anew (analyse/arcs.h).
 * Ownership: the record's. Adders copy; pointers hold until the next one of a kind is added.
 */
#ifndef RECORD_ARCS_H
#define RECORD_ARCS_H

#include "record.h"

enum point_kind { POINT_PLAIN, POINT_BEGIN, POINT_END, POINT_COUNTER, POINT_KINDS };

struct point { /* of one subject: of another one the same place is another point */
    int subject;
    enum point_kind kind;
    const char *file, *func, *name; /* never NULL */
    int line, group, ordinal; /* which of the points of its function on the line, from 0; the two ends of a scope have one */
    int partner;              /* index of the other end of a scope; -1: none */
};

struct point_passes {
    int point;
    uint64_t n;
};

struct traced_run {
    int subject, round; /* the row's; -1: made again, it counts nowhere */
    const char *clock;  /* "tsc", "cntvct", "raw" */
    const char *order;  /* "ordered", "fast", "precise" (four stamps) */
    double hz;          /* units per second; NaN: times are not known */
    double step;        /* of the clock, units */
    int repeat;         /* words for each pass: 1; 2 and 3 to prove the probe's weight */
    int processes, threads;
    uint64_t events;
    int merged; /* points that are one here: the program has several with the same file, line, function, name and kind */
    bool degraded, burst;
    double weight, weight_sd; /* of a probe, units: mean over the rows of empty passes, and how they scatter; NaN: not known */
    uint64_t weight_rows;
    double weight_fast;   /* of a probe that reads the clock unordered, units; 0: not known */
    double weight_word;   /* of a word beside the chain, where it weighs otherwise; 0 */
    double weight_added;  /* of a pass that the program added up, where others were written down; 0: not known */
    double weight_around; /* by how much `weight` differs with the code around a pass, units; 0: not known */
    double
        weight_moved; /* how much of an arc its neighbour gets at most where the clock is read unordered, units; 0: none, or not known */
    double loose, loose_fast,
        loose_added;     /* how much more such a probe weighs where there is no work that hides it; 0: not known */
    double residual_ppm; /* of the clocks against each other; NaN */
    int jumps, steps;
    double jump_ns, step_ns;
    double span_ns;                    /* from the first to the last event; 0 */
    const char *lost;                  /* sentences about what is missing; NULL: nothing */
    bool incomplete;                   /* hits of its points are missing that the run had, or its processes still make */
    uint64_t lost_hits;                /* so many at least; 0: their number is not known, or none are missing */
    const struct point_passes *passes; /* only points that were passed */
    int n_passes;
};

struct arc_bin {
    int bin; /* trace_bin() of trace_format.h */
    uint64_t n;
};

struct traced_arc {
    int run;      /* index of runs */
    int from, to; /* points */
#define UNSIGNED(id, sparse, meaning) uint64_t id;
#define SIGNED(id, meaning)           int64_t id;
#define FLAG(id, meaning)             bool id;
#include "traced_sums.def"
    const struct arc_bin *bins; /* rising */
    int n_bins;
};

/* Of one arc over the runs of a look: arc_figures.def says what each figure is. NaN: no value; infinite ends: no interval. */
struct arc_result {
    int subject, from, to;
    int runs, runs_passed; /* looked at; in which it was passed */
#define FIGURE(id, unknown, meaning) double id;
#define COUNT(id, meaning)           uint64_t id;
#include "arc_figures.def"
    bool below_resolution;
    bool binned;        /* median and 99th percentile are from bins */
    bool whole;         /* means and shares are of all passages; false: a part was counted and not timed */
    const char *reason; /* why there is no interval; NULL */
};

enum { STACKS_MAX = 100000 };

/* A frame under others, of the tree that a flame graph shows. */
struct traced_stack {
    int parent;       /* stands before; -1: none, it is a program, a thread or a lane */
    const char *kind; /* "program" where there are several, "track", "scope", "arc", "handler", "gap" */
    const char *name;
    double ns;  /* with all that is under it, the probes taken off */
    uint64_t n; /* how often begun, of an arc how often passed; 0: not counted */
};

#define ARC_SHARE 0.01 /* of the time of all arcs of a program: what takes less is not worth a stop, a remark or a failure */

void arc_result_init(struct arc_result *a, int subject, int from, int to); /* no figure has a value */
/* Of a mean that cannot be told from the overhead how large it is at most; of others the mean. */
double arc_mean_most(const struct arc_result *a);
/* Likewise of its share; NaN: the mean is not above 0, and gives no scale. */
double arc_share_most(const struct arc_result *a);

struct traced {
    struct point *points;
    int n_points, room_points;
    struct traced_run *runs;
    int n_runs, room_runs;
    struct traced_arc *arcs; /* those of a run stand together */
    int n_arcs, room_arcs;
    struct arc_result *results; /* by share, largest first, of each subject together */
    int n_results, room_results;
    struct traced_stack *stacks; /* what is too small to be drawn is left out */
    int n_stacks, room_stacks;
    int *index; /* the record's own: points by hashes, 1 + index; 0: free */
    int room_index;
};

/* They return the index, or -1 when memory is exhausted. */
int record_add_point(struct record *r, const struct point *p); /* one that is there already (all but partner) returns its index */
int record_add_traced_run(struct record *r, const struct traced_run *t);
int record_add_traced_arc(struct record *r, const struct traced_arc *a);
int record_add_arc_result(struct record *r, const struct arc_result *a);
int record_add_stack(struct record *r, const struct traced_stack *s);
/* record.traced is there from now on, empty as long as nothing is added; part of record_add_subject for traced programs. False: no memory. */
bool record_begin_traced(struct record *r);
void record_clear_arc_results(struct record *r);
void record_traced_finish(struct record *r);                 /* part of record_finish */
void record_keep_traced(struct record *r, const bool *keep); /* part of record_keep_subjects */
/* The run of a round that is made again gets the round -1, which counts nowhere; part of record_replace_round. */
void record_drop_traced(struct record *r, int subject, int round);
/* The metric "arc", before the head is written: estimates and comparisons of arcs are of it. */
enum tare_status record_add_arc_metric(struct record *r);

const char *point_base(const char *file); /* without its folders; of NULL "?" */
/* With the fewest that the other has not: "a/x.c" beside "b/x.c". All of it where the other one ends in it, or is the same. */
const char *point_tail(const char *file, const char *other);
struct buf;
void point_put_line(struct buf *out, int line, int ordinal); /* 12; its second point, ordinal 1, is at 12#2 */
/* "name", of the end of a scope "name end", or "file.c:12 (func)" without a name; "name (file.c:12)" where another point of its subject has the same name
 * and kind. Appended. */
void point_label(struct buf *out, const struct traced *t, int point);

/* Of the points of a subject and of its arcs. */
struct arc_coverage {
    int points, points_passed;
    int arcs;        /* passed in any run */
    int arcs_in_all; /* passed in every run */
};
struct arc_coverage record_arc_coverage(const struct record *r, int subject);
/* What makes the arcs of a subject unsound: runs that lost hits, how many hits at least; runs in which the counter left the system clock; traversals in
 * which it ran backwards, and that were seen. */
struct arcs_unsound {
    int runs, jumped;
    uint64_t hits, backwards, passes;
};
struct arcs_unsound record_arcs_unsound(const struct traced *t, int subject);
/* A traversal in which the clock went back is in no sum, and others are too long by as much. More than 1 in 1000, of the arc or of all of its subject. */
bool arc_goes_back(const struct arc_result *a, const struct arcs_unsound *of_its_subject);
bool record_run_is_timed(const struct traced *t, int run); /* false: its passages were counted alone, or it has none */
/* How often each point was passed in all runs, those made again too: t->n_points numbers, the caller's to free; NULL: no memory. */
uint64_t *record_point_passes(const struct traced *t);

#endif
