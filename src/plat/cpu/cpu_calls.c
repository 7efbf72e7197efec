/* SPDX-License-Identifier: MIT
 *
 * What all real processors share: the counter and the chains as calls. Each processor's folder has the instructions.
 */
#include "chain.h"
#include "cpu.h"

_Static_assert((int)CPU_PROBE_STEPS == (int)CHAIN_STEPS, "a probe is one chain, whoever runs it");

uint64_t cpu_ticks_begin(void)
{
    return tare_ticks_begin().count;
}

uint64_t cpu_ticks_end(int *cpu)
{
    int here = -1;
    const bool fenced = cpu_ticks_way() == TARE_TICKS_FENCED;
    uint64_t ticks = fenced ? tare_ticks_begin().count : tare_ticks_end(&here).count;
    if (cpu)
        *cpu = here;
    return ticks;
}

/* What differs is known in front of the first reading, and the same branch stands between the two whatever is in there. */
static inline uint64_t closing(bool fenced)
{
    int cpu;
    return fenced ? tare_ticks_begin().count : tare_ticks_end(&cpu).count;
}

int64_t cpu_empty_ticks(void)
{
    const bool fenced = cpu_ticks_way() == TARE_TICKS_FENCED;
    uint64_t begin = tare_ticks_begin().count;
    return (int64_t)(closing(fenced) - begin);
}

int64_t cpu_chain_ticks(enum cpu_chain chain, int steps)
{
    const bool fenced = cpu_ticks_way() == TARE_TICKS_FENCED;
    uint64_t begin = tare_ticks_begin().count;
    if (chain == CHAIN_OF_MULTIPLIES)
        chain_multiply(3, steps);
    else
        chain_add(3, steps);
    return (int64_t)(closing(fenced) - begin);
}

uintptr_t cpu_delay(int adds)
{
    return (uintptr_t)chain_delay(adds);
}

int cpu_multiply_cycles(void)
{
    return CHAIN_MULTIPLY_CYCLES;
}
