/* SPDX-License-Identifier: MIT
 *
 * The virtual counter of aarch64, the ways to read it in order, and what they are tried on.
 */
#include "chain.h"
#include "cpu_features.h"
#include "cpu_orders.h"

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

/* ---- the orders ---- */

static inline uint64_t isb_begin(void)
{
    return tare_ticks_begin().count;
}

static inline uint64_t isb_end(void)
{
    return tare_ticks_begin().count;
}

static inline uint64_t none_begin(void)
{
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
    return ticks;
}

static inline uint64_t none_end(void)
{
    return none_begin();
}

static inline uint64_t cntvctss_begin(void)
{
    uint64_t ticks;
    __asm__ volatile("mrs %0, s3_3_c14_c0_6" : "=r"(ticks) : : "memory"); /* cntvctss_el0 */
    return ticks;
}

static inline uint64_t cntvctss_end(void)
{
    return cntvctss_begin();
}

/* ---- the subjects ---- */

static inline void subject_nothing(void)
{
}

static inline void subject_read(void)
{
    none_begin();
}

static inline void subject_fence(void)
{
    __asm__ volatile("isb" : : : "memory");
}

static inline void subject_multiply_20(void)
{
    uint64_t x = 3;
    __asm__ volatile(".rept 20\n\tmul %0, %0, %0\n\t.endr" : "+r"(x));
}

static inline void subject_multiply_100(void)
{
    chain_multiply(3, 100);
}

static inline void subject_multiply_1000(void)
{
    chain_multiply(3, 1000);
}

/* ---- each order around each subject ---- */

BRACKETS(isb)
BRACKETS(none)
BRACKETS(cntvctss)

const struct cpu_order_row cpu_order_rows[] = {
    {{"isb", "isb; mrs cntvct_el0; isb", "isb; mrs cntvct_el0; isb", NULL}, NULL, ROW(isb)},
    {{"none", "mrs cntvct_el0", "mrs cntvct_el0", NULL}, NULL, ROW(none)},
    {{"cntvctss", "mrs cntvctss_el0", "mrs cntvctss_el0", NULL}, cpu_lacks_cntvctss, ROW(cntvctss)},
};

const int n_cpu_order_rows = sizeof cpu_order_rows / sizeof *cpu_order_rows;
