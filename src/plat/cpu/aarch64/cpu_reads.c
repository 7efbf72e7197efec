/* SPDX-License-Identifier: MIT
 *
 * The virtual counter of aarch64, the ways to read it in order, and what they are tried on.
 *
 * The bracket functions are made by two macros, one function for each order and subject, because between the two reads nothing
 * may stand but the subject: no call, no switch.
 */
#include "chain.h"
#include "cpu.h"
#include "cpu_features.h"

const char *cpu_ticks_name(void)
{
    return "cntvct";
}

uint64_t cpu_ticks_begin(void)
{
    return tare_ticks_begin().count;
}

uint64_t cpu_ticks_end(int *cpu)
{
    int here;
    uint64_t ticks = tare_ticks_end(&here).count;
    if (cpu)
        *cpu = here;
    return ticks;
}

uint64_t cpu_ticks_frequency_hz(void)
{
    uint64_t hz;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hz));
    return hz;
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

#define BRACKET(order, subject)                   \
    static int64_t order##_around_##subject(void) \
    {                                             \
        uint64_t begin = order##_begin();         \
        subject_##subject();                      \
        return (int64_t)(order##_end() - begin);  \
    }
#define BRACKETS(order)          \
    BRACKET(order, nothing)      \
    BRACKET(order, read)         \
    BRACKET(order, fence)        \
    BRACKET(order, multiply_20)  \
    BRACKET(order, multiply_100) \
    BRACKET(order, multiply_1000)
#define ROW(order)                                                                                     \
    {                                                                                                  \
        order##_around_nothing, order##_around_read, order##_around_fence, order##_around_multiply_20, \
            order##_around_multiply_100, order##_around_multiply_1000                                  \
    }

BRACKETS(isb)
BRACKETS(none)
BRACKETS(cntvctss)

static const struct {
    struct cpu_order order;
    const char *(*missing)(void);
    int64_t (*bracket[SUBJECTS])(void);
} orders[] = {
    {{"isb", "isb; mrs cntvct_el0; isb", "isb; mrs cntvct_el0; isb", NULL}, NULL, ROW(isb)},
    {{"none", "mrs cntvct_el0", "mrs cntvct_el0", NULL}, NULL, ROW(none)},
    {{"cntvctss", "mrs cntvctss_el0", "mrs cntvctss_el0", NULL}, cpu_lacks_cntvctss, ROW(cntvctss)},
};

bool cpu_order(int index, struct cpu_order *out)
{
    if (index < 0 || index >= (int)(sizeof orders / sizeof *orders))
        return false;
    *out = orders[index].order;
    out->missing = orders[index].missing ? orders[index].missing() : NULL;
    return true;
}

int64_t cpu_bracket(int index, enum cpu_subject subject)
{
    return orders[index].bracket[subject]();
}
