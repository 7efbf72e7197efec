/* SPDX-License-Identifier: MIT
 *
 * jitter_interrupts.h - what /proc/interrupts and /proc/stat say of one CPU; for the jitter probe alone.
 */
#ifndef JITTER_INTERRUPTS_H
#define JITTER_INTERRUPTS_H

#include "arena.h"
#include "jitter.h"

struct interrupt_counts {
    struct jitter_interrupt *items;
    int n;
    bool known;
};

/* Every line of the text that has a count for this CPU. The text may be cut, empty, huge or of another make: then *out is not known. NO_MEMORY is
 * the only failure. */
enum tare_status interrupts_parse(struct interrupt_counts *out, const char *text, int cpu, struct arena *a);
enum tare_status interrupts_read(struct interrupt_counts *out, int cpu, struct arena *a);
/* Those that came between two readings, into *out: how many in all, the most frequent by name, the timer's. */
void interrupts_between(struct jitter_cpu *out, const struct interrupt_counts *from, const struct interrupt_counts *to);

/* Ticks of 1/100 s that the hypervisor took from this CPU; -1: not told. */
int64_t steal_parse(const char *text, int cpu);
int64_t steal_read(int cpu);

#endif
