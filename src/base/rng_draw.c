/* SPDX-License-Identifier: MIT
 *
 * What is drawn by a generator's numbers. Apart from the generator, as measured programs need no more of it than that.
 */
#include "rng.h"

void rng_shuffle(struct rng *r, int *items, int n)
{
    for (int i = n - 1; i > 0; i--) {
        int j = (int)rng_below(r, (uint64_t)i + 1);
        int t = items[i];
        items[i] = items[j];
        items[j] = t;
    }
}
