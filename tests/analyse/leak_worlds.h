/* SPDX-License-Identifier: MIT
 *
 * leak_worlds.h - seeded worlds of call times, with and without a difference between two classes, in blocks of drawn order.
 *
 *     struct leak_world w = leak_world_start(LEAK_WORLD_DRIFT, seed, 1.0);
 *     leak_world_blocks(&w, 1000, class, ticks);
 *
 * A unit of the table is 64 ticks, so that the clock's step does not matter where it is not meant to:
 *     gauss    normal, sd 10, class 1 slower by effect
 *     edge     a sharp edge with an exponential tail of mean 1.6; class 1 slower by effect
 *     drift    normal sd 7.3, about a level that drifts (AR(1), sd 10) and jumps between regimes 30 apart; class 1 slower by effect
 *     tail     normal, sd 10; class 1 has +100 in `effect` of its calls
 *     spread   normal, sd 10; of class 1 10 (1 + effect)
 *     cauchy, pareto   heavy tails: Cauchy about 100; Pareto with exponent .8; class 1 slower by effect
 *     ties     of gauss, what a clock shows that steps by 25
 */
#ifndef LEAK_WORLDS_H
#define LEAK_WORLDS_H

#include "rng.h"

enum leak_world_kind {
    LEAK_WORLD_GAUSS,
    LEAK_WORLD_EDGE,
    LEAK_WORLD_DRIFT,
    LEAK_WORLD_TAIL,
    LEAK_WORLD_SPREAD,
    LEAK_WORLD_CAUCHY,
    LEAK_WORLD_PARETO,
    LEAK_WORLD_TIES,
    LEAK_WORLDS
};
enum { LEAK_WORLD_UNIT = 64 };

struct leak_world {
    enum leak_world_kind kind;
    double effect;
    struct rng rng;
    double drift, regime;
};

const char *leak_world_name(enum leak_world_kind kind);
struct leak_world leak_world_start(enum leak_world_kind kind, uint64_t seed, double effect);
/* Of one call; moves the world on. */
uint32_t leak_world_call(struct leak_world *w, int class);
/* n blocks of two calls. */
void leak_world_blocks(struct leak_world *w, int n, uint8_t *class, uint32_t *ticks);

#endif
