/* SPDX-License-Identifier: MIT
 *
 * The counter of x86-64, and its caches.
 */
#include "cpu.h"

const char *cpu_ticks_name(void)
{
    return "tsc";
}

uint64_t cpu_ticks_frequency_hz(void)
{
    return 0;
}

/* clflush is part of what makes an x86-64; lines are of 64 bytes or a multiple. */
bool cpu_evict(const void *p, size_t n)
{
    enum { LINE = 64 };
    const char *first = (const char *)p - (uintptr_t)p % LINE;
    for (const char *at = first; at < (const char *)p + n; at += LINE)
        __asm__ volatile("clflush (%0)" : : "r"(at) : "memory");
    __asm__ volatile("mfence" : : : "memory");
    return true;
}
