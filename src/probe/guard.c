/* SPDX-License-Identifier: MIT
 *
 * Did the compiler leave what was written? Judged by what 0, 1, n/2 and n iterations take.
 *
 * 1. n iterations must take longer than n/2: at least half of the way from one to n over n/2 times as long. A loop that is gone, or that
 *    became a formula, does not.
 * 2. A loop whose iterations cost no more than counting them down, and of which one iteration, alone or even none, takes much longer: the work
 *    was the same each time and is done once, before the loop. Iterations overlap, so one alone may take longer than one
 *    of many; but what is done in a cycle and a half is a handful of instructions, which alone take fewer cycles than HOISTED.
 * 3. A barrier saw a constant: the compiler did the work.
 * 4. Iterations that cost no more than counting down may be a single cycle of work or nothing at all; no time can tell. The figure
 *    stands, with a remark.
 *
 * Sizes are in iterations of an empty loop, which take a cycle each, so that no frequency is needed.
 */
#include "probe.h"
#include <math.h>

static const double GROWS = 0.5, AS_EMPTY = 1.15, NEARLY_EMPTY = 1.5, HOISTED = 24;

static double median_of(int64_t *values)
{
    return clock_spread_of(values, PROBE_GUARDS).median;
}

static void judge_growth(struct tare_state *st)
{
    uint64_t half = st->count / 2;
    double expected = (double)st->count / (double)half;
    st->scaling = (double)st->best_whole / (double)st->best_half;
    if (!(st->best_half > 0) || st->scaling - 1 < GROWS * (expected - 1))
        probe_end(st, WIRE_OPTIMISED_AWAY, "%llu iterations take no longer than %llu: the compiler took the work out of the loop",
                  (unsigned long long)st->count, (unsigned long long)half);
}

void probe_guard_judge(struct tare_state *st, double ticks_per_iteration)
{
    double floor = st->session->floor_ticks, none = median_of(st->none);
    st->lone_ticks = median_of(st->lone) - none;
    judge_growth(st);
    if (st->saw_constant)
        probe_end(st, WIRE_OPTIMISED_AWAY,
                  "tare_use got a constant: the compiler computed it; put the input through tare_opaque");
    double before = fmax(st->lone_ticks, none - st->session->pair_ticks);
    if (ticks_per_iteration < NEARLY_EMPTY * floor && before > HOISTED * floor)
        probe_end(
            st, WIRE_OPTIMISED_AWAY,
            "an iteration takes as long as counting down, the first one %.0f times that: the work is the same each time and is "
            "done once; put its input through tare_opaque",
            before / floor);
    struct buf remark = buf_over(st->remark, sizeof st->remark);
    if (ticks_per_iteration < AS_EMPTY * floor)
        buf_str(&remark, "no slower than an empty loop: one cycle of work, or none");
}

/* The least of a few: what disturbs only makes it longer. */
double probe_floor_ticks(const struct probe_session *s)
{
    enum { COUNT = 4000, TRIES = 9 };
    struct tare_loop l = {.in_line = s->in_line};
    double best = INFINITY;
    for (int i = 0; i < TRIES; i++) {
        uint64_t n = COUNT;
        uint64_t begin = s->in_line ? cpu_ticks_begin() : s->read().count;
        __asm__ volatile("" : "+r"(n));
        for (; n; n--)
            __asm__ volatile("" : : : "memory");
        uint64_t end = s->in_line ? cpu_ticks_end(&l.cpu) : s->read().count;
        best = fmin(best, ((double)(end - begin) - s->pair_ticks) / COUNT);
    }
    return fmax(best, 0);
}
