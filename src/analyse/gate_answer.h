/* SPDX-License-Identifier: MIT
 *
 * gate_answer.h - whether a build is slower than another one: PASS, FAIL or CANNOT TELL for many benchmarks together, and where the next rounds go.
 *
 *     struct gate_case c[40] = {...};                            // phase 1: all benchmarks in interleaved rounds
 *     for (int i = 0; i < 40; i++)
 *         gate_look(&c[i]);
 *     ... phases 2 and 3: gate_second, gate_third
 *     enum gate_verdict v = gate_answer(c, 40, .05, results);
 *
 * Formulas, assumptions, smallest numbers of rounds: gate_answer.c. Values are ln(head / base) of one round. Nothing is measured or kept here; the
 * structs and what they point to belong to the caller.
 */
#ifndef GATE_ANSWER_H
#define GATE_ANSWER_H

#include "verdict.h"
#include <stdbool.h>
#include <tare/stats.h>

enum { GATE_LOOKS_MAX = 8 };

/* What earlier calls found of the rounds that were looked at, for those that follow: they are called again after each session, which adds rounds to few cases. */
struct gate_found {
    int n;
    struct gate_found_bounds {
        int rounds;
        double share; /* of the error that is spent; below 0: to nominate */
        struct tare_interval bounds;
    } at[2 * GATE_LOOKS_MAX]; /* the last ones */
};

/* one benchmark that both builds have, as far as it was measured */
struct gate_case {
    const char *name;
    double limit;         /* slowdown that matters, as ln(1 + P) */
    double layout;        /* ln ratio that a FAIL must exceed besides: gate_qualified.layout; 0: not known */
    bool control;         /* equal on both sides by construction: reported, never asked */
    bool accepted;        /* --accept: reported, never fails */
    const double *screen; /* rounds of phases 1 and 2, in the order of measuring; NULL: none */
    int n_screen, n_looks;
    int looks[GATE_LOOKS_MAX]; /* by gate_look: how many rounds there were each time that they decided who gets more */
    struct gate_found *found;  /* the first look empties it; NULL: each call finds all anew */
    const double *confirm;     /* of phase 3 alone: fresh processes, fresh coin */
    int n_confirm;
    const char *failure; /* it gave no result, and why; NULL */
    struct printed
        printed; /* in steps that matter; step 0: it was not. Where they hide a difference, no bound is known better than by them */
    bool equal; /* both builds make the same program here, so it has no rounds and passes at any level */
};

enum gate_verdict { GATE_PASS, GATE_FAIL, GATE_CANNOT_TELL, GATE_NO_RESULT };

struct gate_result { /* of a case */
    enum gate_verdict verdict;
    /* one-sided bounds and estimate, ln ratio; too few rounds: unbounded, without any NaN. Of a FAIL: from phase 3, by Holm */
    double low, high, shift;
    bool nominated;
    /* mean ln ratio, where rare slow processes make that slower by P though the estimate is not, so no PASS; else NaN */
    double rare_mean;
    double decidable; /* these rounds would pass it for a P above this, as a ratio less 1; NaN: not known */
};

/* out: n. The worst of the cases that are asked: NO RESULT, FAIL, CANNOT TELL, PASS; NO RESULT where none is asked. A case that is not asked, or whose
 * slowdown is accepted, has the verdict that its rounds give, but FAIL. */
enum gate_verdict gate_answer(const struct gate_case *c, int n, double alpha, struct gate_result *out);
/* The largest lower bound among the confirmed cases, at the first level of Holm's: of base against base what the next one's FAIL must exceed. -INFINITY:
 * nothing was confirmed. r: from gate_answer. */
double gate_largest(const struct gate_case *c, int n, double alpha, const struct gate_result *r);

/* The rounds so far decide who gets more: to be called for each case that was in a session of phase 1 or 2, at its end. At most GATE_LOOKS_MAX times; then
 * gate_second leaves the case out. */
void gate_look(struct gate_case *c);
/* Of n cases, for they share what takes longest to find. */
void gate_nominated(const struct gate_case *c, int n, bool *out); /* after screening: worth phase 3 */
/* Further rounds of phase 2 until it would pass; 0: it does, or is nominated; INFINITY: hopeless, or its slowdown is accepted. */
void gate_rounds_needed(const struct gate_case *c, int n, double alpha, double *out);
/* Rounds of phase 3 that show a slowdown a quarter of the limit away from it, by the noise alone. */
double gate_rounds_to_confirm(const struct gate_case *c, double alpha);
/* How far the screening's estimate lies above the limit, in units of its own error; NaN: not known. */
double gate_evidence(const struct gate_case *c);

/* ---- how the time of a gate is split among its three phases: which benchmarks run in each, and for how many rounds.
 *
 *     ... phase 1: all benchmarks, for GATE_FIRST_SHARE of the time, or GATE_FIRST_MOST rounds; at least GATE_FIRST_FEWEST
 *     int rounds = gate_second(c, cost_s, n, left_s, 300, .05, chosen);      // those that more rounds would decide; 0: none
 *     rounds = gate_third(c, cost_s, n, left_s, .05, chosen);          // those nominated, and what is still open; 0: none
 *
 * cost_s: seconds that one round of a case takes, both builds together. left_s: what is left of the gate's time. chosen: n, filled in. All chosen cases run
 * in every round of their phase. Rules and their reasons: gate_answer.c. */

enum { GATE_FIRST_FEWEST = 8, GATE_FIRST_MOST = 12, GATE_ROUNDS_MOST = 1024 /* of a case in phases 1 and 2, and in 3 */ };
#define GATE_FIRST_SHARE .6 /* of the time, of phase 1; more where the fewest rounds need it */

/* To be called again after each session of phase 2, as long as there are rounds. */
int gate_second(const struct gate_case *c, const double *cost_s, int n, double left_s, double total_s, double alpha,
                bool *chosen);
/* Seconds that those rounds may take: a quarter more than they should, of a machine that gets slower, but nothing of what is kept for phase 3. */
double gate_second_most(const struct gate_case *c, const double *cost_s, int n, double left_s, double total_s, const bool *chosen,
                        int rounds);
int gate_third(const struct gate_case *c, const double *cost_s, int n, double left_s, double alpha, bool *chosen);

struct gate_advice {    /* on cases that are asked and have no verdict */
    int open, hopeless; /* so many; of these no time decides so many: too close to the limit, or too noisy */
    int rare;           /* and of those so many are slower only in rare processes, */
    int hidden;         /* and so many printed in steps that hide what they differ by */
    bool few;           /* some have not the fewest rounds: time_s is for these */
    double time_s;      /* that the gate would take to decide what is not hopeless; NaN: nothing, or not known */
};

/* r: from gate_answer. spent_s: what this gate took of total_s. */
struct gate_advice gate_advise(const struct gate_case *c, const struct gate_result *r, const double *cost_s, int n,
                               double spent_s, double total_s, double alpha);

/* ---- what a gate is worth on this machine: gates of base against base, and with a slowdown planted in one benchmark, as rates.
 *
 *     struct gate_trial t[40] = {{.verdict = GATE_PASS, .largest = -INFINITY}, {.planted = .05, .named = true}, ...};
 *     struct gate_qualified q;
 *     gate_qualify(t, 40, &q);
 *     cases[i].layout = q.layout;     // of the gates that follow
 *
 * Methods and what they assume: gate_qualify.c. */

struct gate_trial {
    double planted; /* slowdown of one benchmark, as a ratio less 1; 0: base against base, built twice */
    enum gate_verdict verdict;
    bool named;     /* the planted one failed */
    double largest; /* gate_largest, of base against base */
};

struct gate_qualified {
    int equal, failed, passed, undecided; /* gates of base against base that had a result, and their answers */
    struct tare_interval false_positive;  /* share that failed; 95 % */
    double layout;          /* ln ratio that a FAIL must exceed; 0: nothing was confirmed, or there are no such gates */
    double exceeded;        /* in how many gates base against base exceeds it by chance, at most: 1 / (equal + 1) */
    double seen;            /* the smallest planted slowdown that is named 9 times in 10; NaN: none, or none was planted */
    int seen_named, seen_n; /* how often, of how many */
    struct tare_interval seen_share; /* 95 % */
};

/* Trials with NO RESULT are left out. */
void gate_qualify(const struct gate_trial *t, int n, struct gate_qualified *out);

/* ---- gates of one comparison on several runners, such as the jobs of a matrix, as one answer with the runner as block.
 *
 *     struct gate_runner runners[] = {{cases_of_first, 40}, {cases_of_second, 40}};
 *     struct gate_merged m[80];
 *     int n;
 *     enum gate_verdict v = gate_merge(runners, 2, .05, m, &n);
 *
 * Benchmarks are matched by name; one that a runner does not have is not asked of it. Rules and their error rates: gate_answer.c. */

enum { GATE_RUNNERS_MOST = 64 };

struct gate_runner {
    const struct gate_case *cases;
    int n;
};

struct gate_merged { /* a benchmark */
    const char *name;
    struct gate_result
        result; /* shift: mean over the runners; low: the least of theirs; high: of PASS the least at the level that counts for it, else the highest */
    double highest;
    int runners, failed, equal; /* equal: with equal builds, of which the mean says nothing */
    bool passes;                /* by its upper bounds */
    bool asked, accepted;       /* as on the first runner that has it */
};

/* out: room for the cases of all runners, filled in the order in which names first appear; *n: how many. NO RESULT where there is no memory, or there are too many
 * runners. One runner: as gate_answer. */
enum gate_verdict gate_merge(const struct gate_runner *runners, int n_runners, double alpha, struct gate_merged *out, int *n);

#endif
