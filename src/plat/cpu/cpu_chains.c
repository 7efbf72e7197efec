/* SPDX-License-Identifier: MIT
 *
 * The chains as calls, the same for all real processors: each processor's chain.h has the instructions.
 */
#include "chain.h"
#include "cpu.h"

_Static_assert((int)CPU_PROBE_STEPS == (int)CHAIN_STEPS, "a probe is one chain, whoever runs it");

bool cpu_ticks_in_line(void)
{
    return true;
}

int64_t cpu_chain_ticks(enum cpu_chain chain, int steps)
{
    int cpu;
    uint64_t begin = tare_ticks_begin().count;
    cpu_chain_run(chain, steps);
    return (int64_t)(tare_ticks_end(&cpu).count - begin);
}

void cpu_chain_run(enum cpu_chain chain, int steps)
{
    if (chain == CHAIN_OF_MULTIPLIES)
        chain_multiply(3, steps);
    else
        chain_add(3, steps);
}

int cpu_multiply_cycles(void)
{
    return CHAIN_MULTIPLY_CYCLES;
}
