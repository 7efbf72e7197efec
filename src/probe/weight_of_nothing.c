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

double probe_pair_ticks(const struct probe_session *s)
{
    enum { BRACKETS = 101 };
    int64_t ticks[BRACKETS];
    for (int i = 0; i < BRACKETS; i++) {
        uint64_t begin = s->in_line ? cpu_ticks_begin() : s->read().count;
        uint64_t end = s->in_line ? cpu_ticks_end(NULL) : s->read().count;
        ticks[i] = (int64_t)(end - begin);
    }
    return clock_spread_of(ticks, BRACKETS).median;
}

double probe_floor_once(const struct probe_session *s)
{
    enum { COUNT = 1000 };
    uint64_t n = COUNT;
    uint64_t begin = s->in_line ? cpu_ticks_begin() : s->read().count;
    __asm__ volatile("" : "+r"(n));
    for (; n; n--)
        __asm__ volatile("" : : : "memory");
    uint64_t end = s->in_line ? cpu_ticks_end(NULL) : s->read().count;
    return ((double)(end - begin) - s->pair_ticks) / COUNT;
}

double probe_floor_ticks(const struct probe_session *s)
{
    enum { TRIES = 41 };
    double ticks[TRIES];
    for (int i = 0; i < TRIES; i++)
        ticks[i] = probe_floor_once(s);
    return probe_lower_quartile(ticks, TRIES);
}
