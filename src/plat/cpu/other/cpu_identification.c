/* SPDX-License-Identifier: MIT */
#include "cpu.h"
#include <string.h>

void cpu_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t out[4])
{
    (void)leaf;
    (void)subleaf;
    memset(out, 0, 4 * sizeof *out);
}

enum cpu_dit cpu_dit(const char **words)
{
    *words = "libtare does not know this processor";
    return CPU_DIT_UNKNOWN;
}

bool cpu_dit_switch(bool on)
{
    (void)on;
    return false;
}
