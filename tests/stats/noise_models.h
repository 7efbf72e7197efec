/* SPDX-License-Identifier: MIT
 *
 * noise_models.h - seeded models of how run times vary on real machines, for simulations of the whole method.
 *
 *     struct noise world = noise_start(NOISE_MIXED, seed, 200);   // a session of 200 runs
 *     double ns = 5e6 * exp(noise_next(&world));                  // one run of a command that takes 5 ms
 *
 * A value is the natural log of (time / undisturbed time) of the next run in the order of time. Models (relative sd per run):
 *     iid    normal 1.5 %                        iid5   normal 5 %
 *     spike  normal 1 %, 2 % of runs slowed by a lognormal (median 15 %, log-sd 1)
 *     bimod  normal 1 %, 30 % of runs 4 % slower
 *     ar     AR(1), phi .9, sd 1.5 %, plus white .5 %
 *     drift  normal 1 %, plus a line over the session whose total rise is N(0, 3 %)
 *     mixed  white 1 %, AR(1) phi .9 sd 1 %, 2 % spikes (median 10 %), 25 % of runs 2 % slower, line N(0, 2 %)
 *     quiet  white .6 %, AR(1) phi .9 sd .2 %, .5 % spikes (median 15 %)
 */
#ifndef NOISE_MODELS_H
#define NOISE_MODELS_H

#include "rng.h"

enum noise_model {
    NOISE_IID,
    NOISE_IID5,
    NOISE_SPIKE,
    NOISE_BIMOD,
    NOISE_AR,
    NOISE_DRIFT,
    NOISE_MIXED,
    NOISE_QUIET,
    NOISE_MODELS
};

struct noise {
    enum noise_model model;
    struct rng rng;
    double ar;   /* state of the AR(1) part, in its standard deviations */
    double rise; /* of the line over the whole session */
    int run, length;
};

const char *noise_model_name(enum noise_model model);

/* A session of about `length` runs; only the slope of a drift depends on it. */
struct noise noise_start(enum noise_model model, uint64_t seed, int length);
double noise_next(struct noise *noise);

/* n coin-ordered pairs: which of A and B runs first is a fair toss. d[i] = ln(tB/tA) where B is slower by log_ratio. */
void noise_pairs(struct noise *noise, double log_ratio, double *d, int n);

#endif
