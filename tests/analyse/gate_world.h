/* SPDX-License-Identifier: MIT
 *
 * gate_world.h - simulated gates: benchmarks of two builds, measured in the three phases under a time budget, on machines whose noise is correlated.
 *
 *     struct gate_world w = {.machine = GATE_BUSY, .benchmarks = 40, .budget_s = 300, .limit = .02, .layout = .005, .planted = .05, .seed = 1};
 *     struct gate_outcome o;
 *     gate_simulate(&w, &o);                 // o.verdict, which benchmarks failed, how long it took
 *
 * A round of a benchmark is one process of each build, one behind the other, or in half of the gates one process a build for all benchmarks; a coin draws
 * which build goes first.
 * The log of a time is the sum of
 *     white noise         sd of the benchmark: median 0.6 % (quiet), 1.2 % (busy), 2.5 % (loaded), log-sd 0.5
 *     drift of the host   AR(1) in time, common to all benchmarks: sd 0.3, 1.5, 3 %, correlation time 20 s
 *     load bursts         common: every 60, 20, 10 s, for 1 s in the mean, slower by 10 to 30 %
 *     clock steps         common: every 300, 100, 50 s to a level of sd 1, 3, 5 %
 *     heavy tails         0.5, 2, 4 % of the runs slower by a lognormal of median 15 %, log-sd 1
 *     a build's own       AR(1) over rounds, phi 0.5, sd 0.1, 0.2, 0.4 %: does not cancel between the builds
 *     layout              drawn once a gate, build and benchmark, the same in all phases
 *     planted slowdown    of benchmark 0 of the head
 * Runners whose records are merged (gate_merge) have noise of their own, and a round takes exp(sd 0.3) as long on each. A job matrix builds one source with one
 * compiler in one image, which gives all of them the same programs, and so the same layout; `apart`: each has a layout of its own.
 */
#ifndef GATE_WORLD_H
#define GATE_WORLD_H

#include "gate_answer.h"
#include <stdint.h>

enum { GATE_BENCHMARKS_MAX = 200, GATE_RUNNERS_MAX = 4 };

enum gate_machine { GATE_QUIET, GATE_BUSY, GATE_LOADED, GATE_MACHINES, GATE_MIXED = GATE_MACHINES /* drawn for each runner */ };

struct gate_world {
    enum gate_machine machine;
    int benchmarks; /* 0: 40 to 200 */
    double budget_s;
    double limit;  /* P */
    double layout; /* sd of ln(one build / another) */
    bool heavy;    /* layout by Student's t of 4 degrees of freedom, of that sd */
    double exceed; /* what a FAIL must exceed besides (gate_case.layout) */
    double planted;
    int runners; /* whose records are merged; 0: one, and nothing is */
    bool apart;
    uint64_t seed;
};

struct gate_outcome {
    enum gate_verdict verdict;
    bool named;                   /* benchmark 0 failed */
    bool above;                   /* its builds really differ by P or more, on all runners */
    bool passed;                  /* it passed */
    bool other;                   /* another one failed, and its builds differ by less than P, on one runner at least */
    bool any_above;               /* the builds of one really differ by P or more, on all runners */
    double largest;               /* gate_largest, of one runner */
    double seconds, confirming_s; /* of the slowest runner; of its third phase */
    int benchmarks, open;
};

const char *gate_machine_name(enum gate_machine m);
void gate_simulate(const struct gate_world *w, struct gate_outcome *out);

#endif
