/* SPDX-License-Identifier: MIT
 *
 * Processors whose counter libtare does not know: time is the system's clock.
 */
#include "cpu.h"

const char *cpu_ticks_name(void)
{
    return "none";
}

enum tare_ticks_way cpu_ticks_way(void)
{
    return TARE_TICKS_BY_CALL;
}

uint64_t cpu_ticks_frequency_hz(void)
{
    return 0;
}

bool cpu_evict(const void *p, size_t n)
{
    (void)p;
    (void)n;
    return false;
}
