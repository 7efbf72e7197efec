/* SPDX-License-Identifier: MIT
 *
 * chain.h - the reference chains where libtare knows neither the counter nor the instructions: in C. Its twins say what they are for. As
 * plat_ticks_allowed says there that the counter cannot be read, the chains only pass time, and no reading is used.
 */
#ifndef CHAIN_H
#define CHAIN_H

#include "cpu.h"

enum {
    CHAIN_BLOCK = 100,
    CHAIN_ADD_BLOCK = 300,
    CHAIN_STEPS = 4000,
    CHAIN_MULTIPLY_CYCLES = 0,
};

static inline uint64_t chain_multiply(uint64_t x, int steps)
{
    for (int i = 0; i < steps; i++) {
        x *= x;
        __asm__ volatile("" : "+r"(x));
    }
    return x;
}

static inline uint64_t chain_add(uint64_t x, int steps)
{
    const uint64_t other = x | 1;
    for (int i = 0; i < steps; i++) {
        x += other;
        __asm__ volatile("" : "+r"(x));
    }
    return x;
}

static inline uint64_t chain_delay(int adds)
{
    uintptr_t x = 0;
    for (int i = 0; i < adds; i++)
        __asm__ volatile("" : "+r"(x));
    return x;
}

static inline uint64_t chain_ticks(enum tare_ticks_way way)
{
    (void)way;
    return 0;
}

#endif
