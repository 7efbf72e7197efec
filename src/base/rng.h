/* SPDX-License-Identifier: MIT
 *
 * rng.h - the seeded generator behind every random choice of tare, so that a plan can be repeated from its seed.
 *
 * xoshiro256** 1.0 (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2018), seeded by
 * splitmix64 as its authors advise. Not for secrets. The same seed gives the same sequence on every platform.
 */
#ifndef RNG_H
#define RNG_H

#include <stdint.h>

struct rng {
    uint64_t s[4];
};

struct rng rng_seeded(uint64_t seed);
uint64_t rng_next(struct rng *r);                   /* 64 random bits */
uint64_t rng_below(struct rng *r, uint64_t limit);  /* uniform in 0..limit-1, without bias; limit > 0 */
double rng_uniform(struct rng *r);                  /* 53 bits, in [0, 1) */
void rng_shuffle(struct rng *r, int *items, int n); /* Fisher-Yates, every order equally likely */

#endif
