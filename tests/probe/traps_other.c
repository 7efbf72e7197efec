/* SPDX-License-Identifier: MIT
 *
 * Out of the compiler's sight, but for link-time optimisation.
 */
#include "traps_other.h"

static uint64_t mixed(uint64_t x)
{
    for (int i = 0; i < 12; i++) {
        x ^= x >> 31;
        x *= 0xbf58476d1ce4e5b9u;
    }
    return x;
}

uint64_t other_pure(uint64_t x)
{
    return mixed(x);
}

uint64_t other_plain(uint64_t x)
{
    return mixed(x + 1);
}

void other_into(uint64_t x, uint64_t *out)
{
    *out = mixed(x);
}
