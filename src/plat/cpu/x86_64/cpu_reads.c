/* SPDX-License-Identifier: MIT
 *
 * The ways to read the counter of x86-64 in order, and what they are tried on.
 */
#include "chain.h"
#include "cpu_features.h"
#include "cpu_orders.h"

static inline uint64_t bare_read(void)
{
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

static inline uint64_t rdtscp_read(void)
{
    uint32_t low, high, aux;
    __asm__ volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(aux) : : "memory");
    return (uint64_t)high << 32 | low;
}

static inline void cpuid_wait(void)
{
    uint32_t a = 0, b, c = 0, d;
    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d) : : "memory");
}

static inline void serialize_wait(void)
{
    __asm__ volatile(".byte 0x0f, 0x01, 0xe8" : : : "memory"); /* assemblers before 2020 do not know the name */
}

static inline uint64_t lfence_begin(void)
{
    return tare_ticks_begin().count;
}

static inline uint64_t lfence_end(void)
{
    int cpu;
    return tare_ticks_end(&cpu).count;
}

static inline uint64_t none_begin(void)
{
    return bare_read();
}

static inline uint64_t none_end(void)
{
    return bare_read();
}

static inline uint64_t lfences_begin(void)
{
    return tare_ticks_begin().count;
}

static inline uint64_t lfences_end(void)
{
    return tare_ticks_begin().count;
}

static inline uint64_t rdtscp_begin(void)
{
    return rdtscp_read();
}

static inline uint64_t rdtscp_end(void)
{
    return rdtscp_read();
}

static inline uint64_t cpuid_begin(void)
{
    cpuid_wait();
    return bare_read();
}

static inline uint64_t cpuid_end(void)
{
    uint64_t ticks = rdtscp_read();
    cpuid_wait();
    return ticks;
}

static inline uint64_t serialize_begin(void)
{
    serialize_wait();
    return bare_read();
}

static inline uint64_t serialize_end(void)
{
    serialize_wait();
    return bare_read();
}

static inline void subject_nothing(void)
{
}

static inline void subject_read(void)
{
    bare_read();
}

static inline void subject_fence(void)
{
    __asm__ volatile("lfence" : : : "memory");
}

static inline void subject_multiply_20(void)
{
    uint64_t x = 3;
    __asm__ volatile(".rept 20\n\timulq %0, %0\n\t.endr" : "+r"(x) : : "cc");
}

static inline void subject_multiply_100(void)
{
    chain_multiply(3, 100);
}

static inline void subject_multiply_1000(void)
{
    chain_multiply(3, 1000);
}

BRACKETS(lfence)
BRACKETS(none)
BRACKETS(lfences)
BRACKETS(rdtscp)
BRACKETS(cpuid)
BRACKETS(serialize)

/* The closing read of that order is rdtscp. */
static const char *lacks_cpuid_order(void)
{
    const char *missing = cpu_lacks_cpuid();
    return missing ? missing : cpu_lacks_rdtscp();
}

const struct cpu_order_row cpu_order_rows[] = {
    {{"lfence", "lfence; rdtsc; lfence", "rdtscp; lfence", NULL}, cpu_lacks_rdtscp, ROW(lfence)},
    {{"none", "rdtsc", "rdtsc", NULL}, NULL, ROW(none)},
    {{"lfence twice", "lfence; rdtsc; lfence", "lfence; rdtsc; lfence", NULL}, NULL, ROW(lfences)},
    {{"rdtscp", "rdtscp", "rdtscp", NULL}, cpu_lacks_rdtscp, ROW(rdtscp)},
    {{"cpuid", "cpuid; rdtsc", "rdtscp; cpuid", NULL}, lacks_cpuid_order, ROW(cpuid)},
    {{"serialize", "serialize; rdtsc", "serialize; rdtsc", NULL}, cpu_lacks_serialize, ROW(serialize)},
};

const int n_cpu_order_rows = sizeof cpu_order_rows / sizeof *cpu_order_rows;
