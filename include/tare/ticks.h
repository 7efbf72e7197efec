/* SPDX-License-Identifier: MIT
 *
 * tare/ticks.h - the processor's own counter, read in order: the two instructions sequences that stand around what is measured.
 *
 *     struct tare_ticks a = tare_ticks_begin();     // all before it is done, nothing after it has begun
 *     work();
 *     struct tare_ticks b = tare_ticks_end(&cpu);   // work is done
 *     uint64_t ticks = b.count - a.count;
 *
 * Use these only where tare_clock_describe says that the counter can be read and trusted, or use the brackets of tare/clock.h,
 * which look first. Where a process may not read the counter, reading it ends the process.
 * x86-64: the time-stamp counter, lfence;rdtsc;lfence to begin and rdtscp;lfence to end. lfence waits for all before it on Intel
 * and, as Linux sets AMD cores up, there too; it is cheaper than cpuid, which traps in virtual machines. Where rdtscp is not there,
 * as hypervisors and valgrind may have it, tare_ticks_begin ends too: brackets of tare/clock.h do so. aarch64: the virtual counter,
 * isb on both sides. Other processors: TARE_TICKS_INLINE is 0 and these two calls do not exist.
 *
 * What it does not do: know the counter's frequency, or say whether it runs evenly.
 * Any thread; no state; no memory; 20 to 60 cycles each.
 */
#ifndef TARE_TICKS_H
#define TARE_TICKS_H

#include <stdint.h>

/* Casts of the headers, without -Wold-style-cast in C++: to a type of one word, and to a pointer from `void *`. */
#ifdef __cplusplus
#define TARE_AS(type, value)   type(value)
#define TARE_AT(type, pointer) static_cast<type *>(pointer)
#else
#define TARE_AS(type, value)   ((type)(value))
#define TARE_AT(type, pointer) ((type *)(pointer))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A reading of a counter of unknown frequency: its own type, so that it is not taken for nanoseconds. */
struct tare_ticks {
    uint64_t count;
};

/* How a bracket makes its readings: by a call; in line; in line with the opening reading at both ends. On Intel an empty bracket of two opening
 * readings is some 7 cycles shorter than what one adds around work, so it is for processors without rdtscp. */
enum tare_ticks_way { TARE_TICKS_BY_CALL, TARE_TICKS_IN_LINE, TARE_TICKS_FENCED };

#if defined(__GNUC__) && (defined(__x86_64__) || defined(__aarch64__))
#define TARE_TICKS_INLINE 1
#else
#define TARE_TICKS_INLINE 0
#endif

#if TARE_TICKS_INLINE && defined(__x86_64__)

static inline struct tare_ticks tare_ticks_begin(void)
{
    uint32_t low, high;
    struct tare_ticks t;
    __asm__ __volatile__("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
    t.count = TARE_AS(uint64_t, high) << 32 | low;
    return t;
}

/* *cpu: where the instruction ran, as Linux numbers CPUs. */
static inline struct tare_ticks tare_ticks_end(int *cpu)
{
    uint32_t low, high, aux;
    struct tare_ticks t;
    __asm__ __volatile__("rdtscp\n\tlfence" : "=a"(low), "=d"(high), "=c"(aux) : : "memory");
    t.count = TARE_AS(uint64_t, high) << 32 | low;
    *cpu = TARE_AS(int, aux & 0xfff); /* above: the NUMA node */
    return t;
}

#elif TARE_TICKS_INLINE

static inline struct tare_ticks tare_ticks_begin(void)
{
    struct tare_ticks t;
    __asm__ __volatile__("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(t.count) : : "memory");
    return t;
}

/* *cpu: -1, the counter does not tell. */
static inline struct tare_ticks tare_ticks_end(int *cpu)
{
    *cpu = -1;
    return tare_ticks_begin();
}

#endif

#ifdef __cplusplus
}
#endif
#endif
