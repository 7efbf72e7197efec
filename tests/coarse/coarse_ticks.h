/* SPDX-License-Identifier: MIT
 *
 * coarse_ticks.h - the real counter, made coarse: what tare/ticks.h reads is rounded down to a grid of COARSE_STEP ticks whose origin is drawn at the
 * start of each process. It stands in for processors whose counter steps by 26 ticks (AMD) where the counter at hand is fine. Only tests and
 * experiments are built with it (tests/coarse/CMakeLists.txt); what is installed is not.
 *
 *     add_executable(subject subject.c)
 *     coarse_link(subject)         # in CMake: this header before all others, and libtare compiled likewise
 *
 * The rounding of the opening read stands in front of its last fence, that of the closing read behind its own: neither runs beside what is measured. Both
 * make the empty bracket some cycles longer. In-line assembly of its own, as tare/point.h and the orders of `tare clock` have, is not covered.
 */
#ifndef COARSE_TICKS_H
#define COARSE_TICKS_H

#include <tare/ticks.h>

#ifndef COARSE_STEP
#define COARSE_STEP 26
#endif

extern uint64_t coarse_origin; /* 0 to COARSE_STEP - 1 */

static inline uint64_t coarse_count(uint64_t count)
{
    return count - (count + coarse_origin) % COARSE_STEP;
}

static inline struct tare_ticks coarse_ticks_begin(void)
{
    struct tare_ticks t = tare_ticks_begin();
    t.count = coarse_count(t.count);
#if defined(__x86_64__)
    __asm__ __volatile__("lfence" : "+r"(t.count) : : "memory");
#else
    __asm__ __volatile__("isb" : "+r"(t.count) : : "memory");
#endif
    return t;
}

static inline struct tare_ticks coarse_ticks_end(int *cpu)
{
    struct tare_ticks t = tare_ticks_end(cpu);
    t.count = coarse_count(t.count);
    return t;
}

#define tare_ticks_begin coarse_ticks_begin
#define tare_ticks_end   coarse_ticks_end

#endif
