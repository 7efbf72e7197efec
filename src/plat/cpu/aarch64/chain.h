/* SPDX-License-Identifier: MIT
 *
 * chain.h - the reference chains of aarch64, as code for whoever includes it: instructions that wait for each other, so that
 * they take a known number of core cycles whatever else the core could do at once. No library, no state: also for programs
 * without a C library.
 *
 *     uint64_t ticks = chain_ticks(way);        // 3 to 10 us; CHAIN_STEPS multiplies, two ordered reads included
 *
 * A 64-bit multiply takes 2 to 5 cycles, a whole number that differs between cores; an add of two registers takes 1. So the
 * multiply chain alone compares (is the core slower than before?), and counts cycles only after clock_core has held it against
 * the adds. The counter may tick as slowly as 1 MHz (then one chain is a few ticks): its step bounds what the chain can tell.
 * The folder is chosen by the build; its twins have the same calls.
 */
#ifndef CHAIN_H
#define CHAIN_H

#include <tare/ticks.h>

enum {
    CHAIN_BLOCK = 100,     /* multiplies without a branch between them */
    CHAIN_ADD_BLOCK = 300, /* adds likewise */
    CHAIN_STEPS = 4000,
    CHAIN_MULTIPLY_CYCLES = 0, /* differs between the cores of this architecture */
};

/* `steps` (a multiple of CHAIN_BLOCK, at least one) dependent multiplies; the counting of blocks hides behind them. */
static inline uint64_t chain_multiply(uint64_t x, int steps)
{
    int blocks = steps / CHAIN_BLOCK;
    __asm__ volatile("1:\n\t"
                     ".rept 100\n\t"
                     "mul %0, %0, %0\n\t"
                     ".endr\n\t"
                     "subs %w1, %w1, #1\n\t"
                     "b.ne 1b"
                     : "+r"(x), "+r"(blocks)
                     :
                     : "cc");
    return x;
}

/* `steps` a multiple of CHAIN_ADD_BLOCK. */
static inline uint64_t chain_add(uint64_t x, int steps)
{
    int blocks = steps / CHAIN_ADD_BLOCK;
    uint64_t other = x | 1;
    __asm__ volatile("1:\n\t"
                     ".rept 300\n\t"
                     "add %0, %0, %2\n\t"
                     ".endr\n\t"
                     "subs %w1, %w1, #1\n\t"
                     "b.ne 1b"
                     : "+r"(x), "+r"(blocks)
                     : "r"(other)
                     : "cc");
    return x;
}

/* 0, after so many (at least one) adds; the counting runs beside them. */
static inline uint64_t chain_delay(int adds)
{
    uint64_t x = 0, zero = 0;
    __asm__("" : "+r"(zero));
    __asm__ volatile("1:\n\t"
                     "add %0, %0, %2\n\t"
                     "subs %w1, %w1, #1\n\t"
                     "b.ne 1b"
                     : "+r"(x), "+r"(adds)
                     : "r"(zero)
                     : "cc");
    return x;
}

/* Ticks of the counter that CHAIN_STEPS multiplies take. way: not BY_CALL. */
static inline uint64_t chain_ticks(enum tare_ticks_way way)
{
    int cpu;
    uint64_t begin = tare_ticks_begin().count;
    chain_multiply(begin | 1, CHAIN_STEPS);
    return (way == TARE_TICKS_FENCED ? tare_ticks_begin() : tare_ticks_end(&cpu)).count - begin;
}

#endif
