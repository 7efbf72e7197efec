/* SPDX-License-Identifier: MIT
 *
 * The virtual counter of aarch64, and its caches.
 */
#include "cpu.h"

const char *cpu_ticks_name(void)
{
    return "cntvct";
}

uint64_t cpu_ticks_frequency_hz(void)
{
    uint64_t hz;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hz));
    return hz;
}

/* Linux lets programs clean and invalidate lines, and read how long they are. */
bool cpu_evict(const void *p, size_t n)
{
    uint64_t type;
    __asm__ volatile("mrs %0, ctr_el0" : "=r"(type));
    size_t line = (size_t)4 << (type >> 16 & 15);
    for (const char *at = (const char *)p - (uintptr_t)p % line; at < (const char *)p + n; at += line)
        __asm__ volatile("dc civac, %0" : : "r"(at) : "memory");
    __asm__ volatile("dsb ish" : : : "memory");
    return true;
}
