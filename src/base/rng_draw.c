/* SPDX-License-Identifier: MIT
 *
 * What is drawn by a generator's numbers. Apart from the generator, as measured programs need no more of it than that.
 */
#include "rng.h"
#include <math.h>

double rng_normal(struct rng *r)
{
    double u, v, s;
    do {
        u = 2 * rng_uniform(r) - 1;
        v = 2 * rng_uniform(r) - 1;
        s = u * u + v * v;
    } while (s >= 1 || s == 0);
    return u * sqrt(-2 * log(s) / s); /* the second value is not kept: the state stays four words */
}

void rng_shuffle(struct rng *r, int *items, int n)
{
    for (int i = n - 1; i > 0; i--) {
        int j = (int)rng_below(r, (uint64_t)i + 1);
        int t = items[i];
        items[i] = items[j];
        items[j] = t;
    }
}
