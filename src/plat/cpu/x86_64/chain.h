/* SPDX-License-Identifier: MIT
 *
 * chain.h - the reference chains of x86-64, as code for whoever includes it: instructions that wait for each other, so that
 * they take a known number of core cycles whatever else the core could do at once. No library, no state: also for programs
 * without a C library.
 *
 *     uint64_t ticks = chain_ticks(way);        // 3 to 6 us; CHAIN_STEPS multiplies of 3 cycles each, two fenced reads included
 *
 * A 64-bit multiply takes 3 cycles on every Intel core since Nehalem and on AMD since Zen; an add of two registers takes 1; it is
 * written as lea, which has fewer ports than add but those that a neighbour on the core's other thread disturbs least (seen: 1 %
 * instead of 5 % longer).
 * Never an add of a constant: Golden Cove and later fold those at rename, several to a cycle. Whether the two still agree on
 * the core at hand is measured (clock_core), not assumed.
 * Where the counter may not be read (plat_ticks_allowed) chain_ticks ends the process: ask before.
 * The folder is chosen by the build; its twins have the same calls.
 */
#ifndef CHAIN_H
#define CHAIN_H

#include <tare/ticks.h>

enum {
    CHAIN_BLOCK = 100,     /* multiplies without a branch between them */
    CHAIN_ADD_BLOCK = 300, /* adds likewise */
    CHAIN_STEPS = 4000,
    CHAIN_MULTIPLY_CYCLES = 3, /* 0: differs between the cores of this architecture */
};

/* `steps` (a multiple of CHAIN_BLOCK, at least one) dependent multiplies; the counting of blocks hides behind them. */
static inline uint64_t chain_multiply(uint64_t x, int steps)
{
    int blocks = steps / CHAIN_BLOCK;
    __asm__ volatile("1:\n\t"
                     ".rept 100\n\t"
                     "imulq %0, %0\n\t"
                     ".endr\n\t"
                     "subl $1, %1\n\t"
                     "jnz 1b"
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
                     "leaq (%0, %2), %0\n\t"
                     ".endr\n\t"
                     "subl $1, %1\n\t"
                     "jnz 1b"
                     : "+r"(x), "+r"(blocks)
                     : "r"(other)
                     : "cc");
    return x;
}

/* 0, after so many (at least one) adds. The last 64 at most are jumped into, 4 bytes each: the end of a loop that is foretold wrongly weighs as
 * much as twenty of them. */
static inline uint64_t chain_delay(int adds)
{
    uint64_t x = 0, zero = 0, entry;
    int blocks = (adds - 1) / 64, rest = adds - 64 * blocks;
    __asm__("" : "+r"(zero));
    if (blocks)
        __asm__ volatile("1:\n\t"
                         ".rept 64\n\t"
                         "leaq (%%rax, %%rdx), %%rax\n\t"
                         ".endr\n\t"
                         "subl $1, %1\n\t"
                         "jnz 1b"
                         : "+a"(x), "+r"(blocks)
                         : "d"(zero)
                         : "cc");
    __asm__ volatile("leaq 2f(%%rip), %1\n\t"
                     "subq %3, %1\n\t"
                     "jmp *%1\n\t"
                     ".rept 64\n\t"
                     "leaq (%%rax, %%rdx), %%rax\n\t"
                     ".endr\n"
                     "2:"
                     : "+a"(x), "=&r"(entry)
                     : "d"(zero), "r"((uint64_t)rest * 4)
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
