/* SPDX-License-Identifier: MIT
 *
 * arc_runs.h - an arc's runs side by side. For arcs.c and arcs_compared.c alone.
 */
#ifndef ARC_RUNS_H
#define ARC_RUNS_H

#include "arcs.h"

struct probe {                    /* over the runs of a subject; nanoseconds */
    double ns, error;             /* mean over runs, its standard error; ns NaN: not known */
    double df;                    /* degrees of freedom behind the error */
    double step;                  /* of the clock */
    double fast_ns;               /* of one that reads the clock unordered; 0: not known */
    double word_ns;               /* of a word beside the chain, where that is another; 0 */
    double added_ns;              /* of a passage that the program added up, where that is another; 0 */
    double around_ns;             /* by how much it differs with the code around a pass; 0: not known */
    double moved_ns;              /* how much of an arc its neighbour gets at most where the clock is read unordered; 0 */
    double loose_ns;              /* what it weighs more in an empty passage; 0: not known */
    double loose_error, loose_df; /* standard error of that over runs, 0 of one run, and its degrees of freedom */
};

struct arc_scope {
    struct record *r;
    const struct look *look;
    int subject;
    int rounds;
    const int *run; /* of each round: index of traced runs; -1: it has none */
    double
        hidden_ns; /* of the arc in hand: what is taken off each passage beside the weight, as too short to be told from the loose part */
    int *round; /* of each traced run: the round; -1: none that is looked at */
    struct probe probe;
};

/* In a run, by round: n passages that took ns in all, the probe's weight in them; passes those that were not timed too; how many probes are in
 * the n passages, what these weigh in all, and how much more if there is no work to hide it. */
struct arc_runs {
    int from, to;
    bool fast;          /* the clock is read unordered where it ends */
    bool added, system; /* the program added passages up; by the system's clock */
    double *n, *ns, *passes, *probes, *weight, *loose;
};
enum { ARC_RUNS_ROOM = 6 }; /* doubles a round */

struct arc_sums {
    int runs; /* in which it was passed and timed */
    double n, ns, ratio;
    double probes; /* in a passage */
    bool in_step;  /* with a clock that moves in coarse steps: the passages of a run read alike */
};

/* What a probe weighed in the run of a round, ns: what is to be taken off its passages; NaN: it was not weighed there. The round has a run. */
double arc_weight_in(const struct arc_scope *s, int round);
/* The arc's passages in the rounds that have a run in the scope, whatever its repeat, with nothing weighed yet; room: ARC_RUNS_ROOM * rounds doubles. */
void arc_runs_fill(const struct arc_scope *s, const int *arcs, int n_arcs, double *room, struct arc_runs *out);
/* Fills probes and weight: a passage has the probe of the point that it ends at, and those of the words in it. Where no run was weighed that is 0. */
void arc_runs_weigh(const struct arc_scope *s, const int *arcs, int n_arcs, struct arc_runs *a);
/* Leaves out of n, ns and passes the rounds whose passes were written more than once, where there are others: they serve the proof alone. */
void arc_runs_keep_plain(const struct arc_scope *s, struct arc_runs *a);
double arc_ns_per_unit(const struct traced_run *run);
/* What the probes in the passages of an entry weigh in all, ns; its run has a round in the scope. */
double arc_weight_of(const struct arc_scope *s, const struct traced_arc *a);

struct doubt {        /* of a mean, or of its logarithm */
    double error, df; /* standard error, NaN: it has none; degrees of freedom, infinite where all variances are 0 */
};
/* Of the sum of two variances, each with its degrees of freedom: Welch and Satterthwaite. */
struct doubt arc_doubts(double one, double df_one, double other, double df_other);

/* Rounds with their runs, and the probe's weight. run: room for look's rounds, and behind them for all traced runs. */
void arc_scope_fill(struct arc_scope *s, struct record *r, const struct look *look, int subject, int *run);
/* The same of the runs with one word a pass, where there are some. run: room as above, which becomes the scope's. */
void arc_scope_of_plain(struct arc_scope *plain, const struct arc_scope *all, int *run);
/* The arcs of a subject in the scope's rounds, sorted by from and to: indexes of traced arcs. Those of one arc end at the return value. */
int arcs_sorted(const struct arc_scope *s, int *out);
int arc_end(const struct arc_scope *s, const int *arcs, int n, int from);
#define ARC_COARSE_NS 2 /* a clock's step from which on passages of nanoseconds may read alike that are not */
/* Nearly all passages of each run in one bin, where the clock moves in coarse steps. */
bool arc_keeps_in_step(const struct arc_scope *s, const int *arcs, int n_arcs);

#endif
