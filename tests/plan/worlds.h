/* SPDX-License-Identifier: MIT
 *
 * worlds.h - models of a noisy machine, for simulated sessions. Each acts on the session's runs in their order, whichever command
 * runs, so that drift and regimes hit both commands as they do in reality; the planted effect is a factor on the second command.
 *
 *   iid     normal, sd 1.5 %                      iid5   sd 5 %
 *   spike   sd 1 %, 2 % of runs slowed (lognormal, median +15 %, log-sd 1)
 *   bimod   sd 1 %, 30 % of runs +4 %             quiet  white .6 %, AR .2 %, .5 % spikes
 *   ar      AR(1) .9 with sd 1.5 %, white .5 %    drift  sd 1 %, linear over the session, slope N(0, 3 %)
 *   mixed   white 1 %, AR(1) .9 sd 1 %, 2 % spikes (median +10 %), 25 % of runs +2 %, linear N(0, 2 %)
 */
#ifndef WORLDS_H
#define WORLDS_H

#include "rng.h"

struct world_model {
    const char *name;
    double white, ar, ar_phi, spike_share, spike_median, mode_share, mode_step, slope;
};

extern const struct world_model world_models[];
enum { WORLD_MODELS = 8 };

struct world {
    const struct world_model *model;
    struct rng rng;
    double effect; /* ln of the second command's factor */
    double base_ns, state, slope, span_ns;
};

struct world world_begin(const struct world_model *model, double effect, uint64_t seed);
double world_run_ns(void *world, int subject, int round, int slot, double elapsed_ns); /* an engine_world */

#endif
