/* SPDX-License-Identifier: MIT */
#include "coarse_ticks.h"
#include <sys/random.h>

uint64_t coarse_origin;

__attribute__((constructor(101))) static void draw_origin(void)
{
    uint64_t drawn = 0;
    if (getrandom(&drawn, sizeof drawn, 0) == sizeof drawn)
        coarse_origin = drawn % COARSE_STEP;
}
