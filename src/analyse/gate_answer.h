/* SPDX-License-Identifier: MIT
 *
 * gate_answer.h - whether a build is slower than another one: PASS, FAIL or CANNOT TELL for many benchmarks together, and where the next rounds go.
 *
 *     struct gate_case c[40] = {...};                            // phase 1: all benchmarks in interleaved rounds
 *     for (int i = 0; i < 40; i++)
 *         gate_look(&c[i]);
 *     ... phases 2 and 3: gate_phases.h
 *     enum gate_verdict v = gate_answer(c, 40, .05, results);
 *
 * Formulas, assumptions, smallest numbers of rounds: gate_answer.c. Values are ln(head / base) of one round. Nothing is measured or kept here; the
 * structs and what they point to belong to the caller.
 */
#ifndef GATE_ANSWER_H
#define GATE_ANSWER_H

#include <stdbool.h>

enum { GATE_LOOKS_MAX = 8 };

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
    const double *confirm;     /* of phase 3 alone: fresh processes, fresh coin */
    int n_confirm;
    const char *failure; /* it gave no result, and why; NULL */
    bool equal;          /* both builds make the same program here, so it has no rounds and passes at any level */
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
enum gate_verdict gate_worse(enum gate_verdict a, enum gate_verdict b);
/* The largest lower bound among the confirmed cases, at the first level of Holm's: of base against base what the next one's FAIL must exceed. -INFINITY:
 * nothing was confirmed. r: from gate_answer. */
double gate_largest(const struct gate_case *c, int n, double alpha, const struct gate_result *r);

/* The rounds so far decide who gets more: to be called for each case that was in a session of phase 1 or 2, at its end. At most GATE_LOOKS_MAX times; then
 * gate_second leaves the case out. */
void gate_look(struct gate_case *c);
bool gate_nominated(const struct gate_case *c); /* after screening: worth phase 3 */
/* Further rounds of phase 2 until it would pass; 0: it does, or is nominated; INFINITY: hopeless, or its slowdown is accepted. */
double gate_rounds_needed(const struct gate_case *c, double alpha);
/* Rounds of phase 3 that show a slowdown a quarter of the limit away from it, by the noise alone. */
double gate_rounds_to_confirm(const struct gate_case *c, double alpha);
/* Further rounds of a case without a verdict, whichever it would be; INFINITY: its estimate is too close to the limit. */
double gate_rounds_to_decide(const struct gate_case *c, double alpha);
/* How far the screening's estimate lies above the limit, in units of its own error; NaN: not known. */
double gate_evidence(const struct gate_case *c);

#endif
