/* SPDX-License-Identifier: MIT
 *
 * rng_normal.h - normal values for simulations and made data: the product draws none.
 */
#ifndef RNG_NORMAL_H
#define RNG_NORMAL_H

#include "rng.h"
#include <math.h>

/* Standard normal (Marsaglia's polar method). The second value is not kept: the state stays four words. */
static inline double rng_normal(struct rng *r)
{
    double u, v, s;
    do {
        u = 2 * rng_uniform(r) - 1;
        v = 2 * rng_uniform(r) - 1;
        s = u * u + v * v;
    } while (s >= 1 || s == 0);
    return u * sqrt(-2 * log(s) / s);
}

#endif
