/* SPDX-License-Identifier: MIT */
#include "machine.h"
#include "plat.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tare/stats.h>

enum { LINE = 64, LINES = 1 << 21, STEPS = 500, STRETCHES = 361 };

/* Through all lines once before any comes again (Hull and Dobell: an odd addend, a factor that is 1 modulo 4). All values are 0: only the processor
 * must wait to know. */
static uint64_t walk(const uint64_t *memory, uint64_t at, int steps)
{
    for (int i = 0; i < steps; i++)
        at = ((at ^ memory[at * (LINE / sizeof *memory)]) * 1664525 + 1013904223) % LINES;
    return at;
}

/* The median of stretches: a neighbour or an interrupt in one of them does not count. Each takes a fraction of a millisecond, so that on a busy
 * machine most of them do not wait for a CPU either; what is tolerated would grow by that. */
static double measured(const uint64_t *memory)
{
    double ns[STRETCHES];
    volatile uint64_t at = 1;
    for (int i = 0; i < STRETCHES; i++) {
        int64_t start = plat_now_ns();
        at = walk(memory, at, STEPS);
        ns[i] = (double)(plat_now_ns() - start) / STEPS;
    }
    tare_sort(ns, STRETCHES);
    return ns[STRETCHES / 2] > 0 ? ns[STRETCHES / 2] : NAN;
}

double memory_latency_ns(void)
{
    uint64_t *memory = malloc((size_t)LINES * LINE);
    if (!memory)
        return NAN;
    memset(memory, 0, (size_t)LINES * LINE); /* the pages are there, and not all one page of zeros */
    double ns = measured(memory);
    free(memory);
    return ns;
}
