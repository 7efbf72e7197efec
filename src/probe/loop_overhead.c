/* SPDX-License-Identifier: MIT
 *
 * What a pair of readings takes around nothing, and a loop around nothing an iteration. Apart from what judges by them: here instructions stand
 * between two readings of the clock.
 */
#include "cpu.h"
#include "probe.h"
#include <tare/stats.h>

double probe_lower_quartile(double *values, int n)
{
    tare_sort(values, n);
    return tare_quantile_sorted(values, n, 0.25);
}

/* So many that a step of the counter is a hundredth, on any core. */
static uint64_t floor_count(void)
{
    enum { COUNT = 1000, MOST = 100000, STEPS = 100 };
    const double count = STEPS * clock_step_ns() * 1e-9 * CLOCK_FASTEST_HZ;
    return count < COUNT ? COUNT : count > MOST ? MOST : (uint64_t)count;
}

double probe_floor_once(const struct probe_session *s)
{
    const uint64_t count = floor_count();
    uint64_t n = count;
    uint64_t begin = s->way ? cpu_ticks_begin() : s->read().count;
    __asm__ volatile("" : "+r"(n));
    for (; n; n--)
        __asm__ volatile("" : : : "memory");
    uint64_t end = s->way ? cpu_ticks_end(NULL) : s->read().count;
    return ((double)(end - begin) - s->pair_ticks) / (double)count;
}

double probe_floor_ticks(const struct probe_session *s)
{
    enum { TRIES = 41 };
    double ticks[TRIES];
    for (int i = 0; i < TRIES; i++)
        ticks[i] = probe_floor_once(s);
    return probe_lower_quartile(ticks, TRIES);
}
