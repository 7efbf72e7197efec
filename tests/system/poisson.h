/* SPDX-License-Identifier: MIT
 *
 * poisson.h - how many gaps come in a stretch, by chance, for tests that make stretches up.
 *
 *     int64_t gaps = poisson(&random, 2.5);
 *
 * By Knuth's product of uniform numbers, whose time grows with the mean. Not for means beyond some hundred, where exp(-mean) has no digits left.
 */
#ifndef POISSON_H
#define POISSON_H

#include "rng.h"
#include <math.h>

static inline int64_t poisson(struct rng *r, double mean)
{
    double limit = exp(-mean), product = 1;
    int64_t n = -1;
    do {
        product *= rng_uniform(r);
        n++;
    } while (product > limit);
    return n;
}

#endif
