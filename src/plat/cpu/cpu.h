/* SPDX-License-Identifier: MIT
 *
 * cpu.h - the processor beneath the operating system: its counter, read in several orders, its identification, and chains of
 * instructions that take a known number of core cycles. x86_64/, aarch64/ and ../fake/ implement it.
 *
 *     if (plat_ticks_allowed(&err) == TARE_OK) {
 *         uint64_t begin = cpu_ticks_begin();
 *         ...                                             // sacred: only what is measured
 *         uint64_t ticks = cpu_ticks_end(&cpu) - begin;
 *     }
 *
 * Reading a counter that the process may not read, or an order that is not there, ends the process: ask plat_ticks_allowed and
 * cpu_order first. What a counter is worth (frequency, trust) is for src/clock to find out.
 * Any thread; no state; no memory.
 */
#ifndef CPU_H
#define CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tare/status.h>
#include <tare/ticks.h>

/* ---- the counter ---- */

#if !TARE_TICKS_INLINE /* where plat_ticks_allowed refuses, so that neither is called */
static inline struct tare_ticks tare_ticks_begin(void)
{
    return (struct tare_ticks){0};
}

static inline struct tare_ticks tare_ticks_end(int *cpu)
{
    *cpu = -1;
    return tare_ticks_begin();
}
#endif

/* Of this architecture: "tsc", "cntvct". The counter is always there; whether it may be read: plat_ticks_allowed. */
const char *cpu_ticks_name(void);
uint64_t cpu_ticks_begin(void);          /* everything before is done, nothing after has begun */
uint64_t cpu_ticks_end(int *cpu);        /* everything before is done; *cpu (may be NULL): where it was read, -1 unknown */
enum tare_ticks_way cpu_ticks_way(void); /* the fake platform has no reads in line */
uint64_t cpu_ticks_frequency_hz(void);   /* as a register says (aarch64: cntfrq_el0); 0: there is no such register */

/* ---- the ways to bring a read into order, side by side ---- */

/* Order 0 is the one that cpu_ticks_begin and cpu_ticks_end use, and where it is missing the third; 1 is the bare read. */
struct cpu_order {
    const char *name;        /* "lfence" */
    const char *begin, *end; /* "lfence; rdtsc; lfence" */
    const char *missing;     /* NULL: can be used. Else why not */
};
/* False: there are no more. */
bool cpu_order(int index, struct cpu_order *out);

/* What stands between two reads. Multiplies wait for each other; all are in one straight piece of code. */
enum cpu_subject {
    SUBJECT_NOTHING,
    SUBJECT_READ,
    SUBJECT_FENCE,
    SUBJECT_MULTIPLY_20,
    SUBJECT_MULTIPLY_100,
    SUBJECT_MULTIPLY_1000,
    SUBJECTS
};
/* Ticks between the two reads of order `index` around it, the reads' own weight included. The order must be there. */
int64_t cpu_bracket(int index, enum cpu_subject subject);
int cpu_subject_multiplies(enum cpu_subject subject);

/* ---- chains ---- */

enum { CPU_PROBE_STEPS = 4000 }; /* multiplies of chain_ticks(), chain.h */
enum cpu_chain { CHAIN_OF_MULTIPLIES, CHAIN_OF_ADDS };
/* Ticks between two ordered reads around nothing, made by the same code as those around chains. */
int64_t cpu_empty_ticks(void);
/* Ticks between two ordered reads around `steps` (a multiple of 100; of adds, of 300) instructions that wait for each other. */
int64_t cpu_chain_ticks(enum cpu_chain chain, int steps);
/* The same without reading the counter: for other clocks. */
void cpu_chain_run(enum cpu_chain chain, int steps);
/* Cycles of one multiply; 0: differs between cores of this architecture, and is found by the adds. An add takes one. */
int cpu_multiply_cycles(void);

/* Returns 0 after so many (at least one) adds, a cycle each, that wait for each other: what is computed with it waits for them too. */
uintptr_t cpu_delay(int adds);

/* ---- data-independent timing ---- */

enum cpu_dit {
    CPU_DIT_UNKNOWN, /* a program cannot see it */
    CPU_DIT_ABSENT,
    CPU_DIT_OFF,
    CPU_DIT_ON
};
/* The mode in which the time of certain instructions does not depend on their operands. *words: "", or what is to be said of it; constant. */
enum cpu_dit cpu_dit(const char **words);
/* For this thread. False: programs cannot switch it here. */
bool cpu_dit_switch(bool on);

/* ---- caches ---- */

/* The n bytes at p go out of all caches, where the processor has an instruction for it that programs may use; false: it has none. */
bool cpu_evict(const void *p, size_t n);

/* ---- identification (x86) ---- */

/* TARE_UNSUPPORTED: no such instruction on this architecture. TARE_PERMISSION: the kernel makes it fault in this process. */
enum tare_status cpu_cpuid_available(struct tare_err *err);
/* out: EAX, EBX, ECX, EDX. All zero for a leaf above the highest, and where it is not available. */
void cpu_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t out[4]);

#endif
