/* SPDX-License-Identifier: MIT
 *
 * The ways to read the virtual counter of aarch64 in order, and what they are tried on.
 */
#include "chain.h"
#include "cpu_features.h"
#include "cpu_orders.h"

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

BRACKETS(isb)
BRACKETS(none)
BRACKETS(cntvctss)

const struct cpu_order_row cpu_order_rows[] = {
    {{"isb", "isb; mrs cntvct_el0; isb", "isb; mrs cntvct_el0; isb", NULL}, NULL, ROW(isb)},
    {{"none", "mrs cntvct_el0", "mrs cntvct_el0", NULL}, NULL, ROW(none)},
    {{"cntvctss", "mrs cntvctss_el0", "mrs cntvctss_el0", NULL}, cpu_lacks_cntvctss, ROW(cntvctss)},
};

const int n_cpu_order_rows = sizeof cpu_order_rows / sizeof *cpu_order_rows;
