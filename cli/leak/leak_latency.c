/* SPDX-License-Identifier: MIT
 *
 * What one access to memory takes that is in no cache: a walk from line to line in an order that no prefetcher foresees, each address known
 * only when the line before has come. The growth that is tolerated is four of these, unless somebody says otherwise. */
#include "leak_session.h"
#include "rng.h"
#include <math.h>
#include <stdlib.h>

enum { LINE = 64, BYTES = 64 << 20, LINES = BYTES / LINE, STEPS = 5000, WALKS = 9 };

/* One cycle through all lines (Sattolo). */
static void link_lines(char *memory, uint32_t *order, struct rng *rng)
{
    for (uint32_t i = 0; i < LINES; i++)
        order[i] = i;
    for (uint32_t i = LINES - 1; i > 0; i--) {
        uint32_t k = (uint32_t)rng_below(rng, i), kept = order[i];
        order[i] = order[k];
        order[k] = kept;
    }
    for (uint32_t i = 0; i < LINES; i++)
        *(uint32_t *)(void *)(memory + (size_t)i * LINE) = order[i];
}

/* From *line on, to where the next walk begins: no line is met twice. */
static double walk_ns(const char *memory, uint32_t *line)
{
    uint32_t at = *line;
    int64_t begin = plat_now_ns();
    for (int i = 0; i < STEPS; i++)
        at = *(const volatile uint32_t *)(const void *)(memory + (size_t)at * LINE);
    int64_t end = plat_now_ns();
    *line = at;
    return (double)(end - begin) / STEPS;
}

double leak_memory_latency_ns(uint64_t seed)
{
    struct rng rng = rng_seeded(seed);
    char *memory = malloc(BYTES);
    uint32_t *order = malloc(LINES * sizeof *order);
    double ns = NAN;
    if (memory && order) {
        link_lines(memory, order, &rng);
        uint32_t line = 0;
        ns = INFINITY; /* the least: whoever took the CPU or the memory made a walk longer, never shorter */
        for (int i = 0; i < WALKS; i++)
            ns = fmin(ns, walk_ns(memory, &line));
    }
    free(order);
    free(memory);
    return ns;
}
