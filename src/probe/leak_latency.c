/* SPDX-License-Identifier: MIT
 *
 * What one access to memory costs, the yardstick of growth: a large structure misses caches where a small one does not.
 *
 * A chain of lines at places drawn by a linear congruence of full period over 64 MiB, each line holding where the next one is, so that no
 * access can begin before the one before it is done. Between laying the chain and following it all of the memory is walked through once:
 * but for what a last-level cache still holds of it the lines then come from memory, most of them by way of a page not yet known. Median of
 * 64 stretches of 256 steps, so that no preemption is in it. A cache that holds it all gives its own latency.
 */
#include "cpu.h"
#include "leak_harness.h"
#include <stdlib.h>
#include <string.h>

enum { LINES = 1 << 20, STRETCHES = 64, STEPS = 256 };

/* Full period: the step is odd, the factor 1 more than a multiple of 4. */
static uint32_t place_after(uint32_t place)
{
    return (uint32_t)((place * UINT64_C(1664525) + 1013904223) % LINES);
}

static uint64_t now(const struct probe_session *s)
{
    return s->in_line ? tare_ticks_begin().count : s->read().count;
}

double leak_latency_ticks(const struct probe_session *s)
{
    unsigned char *memory = calloc(LINES, LEAK_LINE);
    if (!memory)
        return 0;
    for (uint32_t i = 0, at = 0; i < STRETCHES * STEPS; i++, at = place_after(at))
        memcpy(memory + (size_t)at * LEAK_LINE, &(uint32_t){place_after(at)}, sizeof(uint32_t));
    for (size_t i = 0; i < LINES; i++)
        ((volatile unsigned char *)memory)[i * LEAK_LINE + LEAK_LINE / 2]++;
    uint32_t at = 0;
    int64_t ticks[STRETCHES];
    for (int i = 0; i < STRETCHES; i++) {
        uint64_t begin = now(s);
        for (int k = 0; k < STEPS; k++)
            at = *(const volatile uint32_t *)(const void *)(memory + (size_t)at * LEAK_LINE);
        ticks[i] = (int64_t)(now(s) - begin);
    }
    free(memory);
    return clock_spread_of(ticks, STRETCHES).median / STEPS;
}
