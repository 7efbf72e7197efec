/* SPDX-License-Identifier: MIT
 *
 * Calls between two readings of the clock: the call itself, the phase of the clock in which it begins, and what an empty bracket takes. How the
 * injected delay is chosen is in leak_delay.c.
 *
 * One call, always, unless several are asked for: each call meets the predictors and caches as the class leaves them, and a reading is the time of
 * one call. How coarse the clock is does not matter to a mean. A clock of step s reads s floor(t / s). Where the phase of the first reading in its
 * step is uniform and independent of the call, the mean of the difference of two readings is the mean of the time between them, whatever s is
 * (Bennett 1948; Wagdy 1989, dither). So before the first reading there is a delay of a + b adds that wait for each other, a cycle each, a and
 * b drawn uniformly from 0 .. N - 1, where N adds last a whole number of steps. With one such draw, and N off by a share e, the phase has a
 * Fourier coefficient of about e at most, and the mean is wrong by e s / pi; with two it is e^2 s / pi: for e = 8 %, 0.002 s
 * (leak_phase_test.c enumerates it). N is measured against the clock itself before each batch, some 40 us, since the core's frequency moves. (A width that clock_phase_open gives makes 25 steps and more so that nothing need be measured; in front of each of a million calls that is too long.) The draw, the delay and
 * the reading that waits for its end come before forget_branches, so that neither the wrongly foretold jump into the adds nor their number is in the history that the
 * target meets. Whole cycles draw the phase of a step of a
 * few cycles only roughly: from 4 cycles on the mean is proven to 0.002 s, below it is seen to be better than without (docs/leak.md). Steps below one cycle have no delay.
 *
 * The choice between brackets is made before the first reading, which waits until all before it is done: a branch that was foretold wrongly has
 * no part in the time.
 */
#include "cpu.h"
#include "leak_harness.h"
#include "stepped.h"
#include <math.h>

enum {
    EMPTY = 301, /* brackets around nothing; of a coarse clock */
    EMPTY_COARSE = 2001,
    SHORT_ADDS = 129,
    LEAST_CYCLES = 1,    /* adds take whole cycles: no phase can be drawn for a step that is shorter */
    WIDTH_LEAST = 16,    /* adds: fewer are no fair share of a step */
    WIDTH_MOST = 1 << 18 /* 0.1 ms and less: a clock that steps more seldom than that is not made finer */
};

int leak_phase_width(double step_cycles)
{
    enum { MOST_STEPS = 32 };
    static const double near_enough = .01;
    int best = 0;
    double best_off = INFINITY;
    for (int steps = 1; steps <= MOST_STEPS && best_off > near_enough; steps++) {
        const double wanted = steps * step_cycles, width = rint(wanted), off = fabs(width - wanted) / wanted;
        if (width < WIDTH_LEAST || width > WIDTH_MOST || off >= best_off)
            continue;
        best = (int)width;
        best_off = off;
    }
    return best;
}

/* Ticks between two readings around so many adds; the least of some, which an interruption did not lengthen. */
static double ticks_of_adds(const struct leak_timer *t, int adds)
{
    enum { TRIES = 3 };
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        const uint64_t begin = t->session->read().count;
        cpu_delay(adds);
        const uint64_t took = t->session->read().count - begin;
        least = took < least ? took : least;
    }
    return (double)least;
}

void leak_phase_calibrate(struct leak_timer *t)
{
    enum { FIRST = 8192, MOST = 1 << 22, MANY_STEPS = 128 };
    const double step = t->session->step_ticks;
    t->phase.width_adds = 0;
    t->fixed_phase = false;
    if (!(step > 0))
        return;
    t->fixed_phase = true;
    for (int adds = FIRST; adds <= MOST; adds *= 2) { /* less as many again: what a reading takes is in both */
        const double once = ticks_of_adds(t, adds), twice = ticks_of_adds(t, 2 * adds);
        if (twice - once < MANY_STEPS * step)
            continue;
        const double step_cycles = step * adds / (twice - once);
        t->phase.width_adds = step_cycles < LEAST_CYCLES ? 0 : leak_phase_width(step_cycles);
        t->fixed_phase = step_cycles >= LEAST_CYCLES && !t->phase.width_adds;
        return;
    }
}

/* Nothing of it depends on what is called. */
static void draw_phase(struct leak_timer *t)
{
    if (!t->phase.width_adds)
        return;
    const uint64_t width = (uint64_t)t->phase.width_adds;
    cpu_delay((int)(1 + rng_below(&t->phase.rng, width) + rng_below(&t->phase.rng, width)));
    if (t->session->way)
        tare_ticks_begin(); /* waits for the adds */
    else
        t->session->read();
}

/* Predictors of branches look back on the last ones taken, some 200 of them; those of the making of inputs depend on the inputs, and
 * could foretell what the target does with them. Behind this loop, which is the same for each call, they have all gone by. */
static void forget_branches(void)
{
    enum { FORGOTTEN = 256 };
    for (int i = 0; i < FORGOTTEN; i++)
        __asm__ volatile("");
}

/* In the functions below nothing stands between the two readings but calls of the target; where they are several the counting of them and the address of
 * the next one's input, which was there before; and in front of them the injected delay where one is asked for, with what waits for its end. The target's
 * arguments are computed with what the delay returns, which is 0. */

/* fenced is a constant wherever these are called, so that no branch stands in them. */
#define IN_LINE static inline __attribute__((always_inline))

IN_LINE uint64_t closing_ticks(bool fenced)
{
    int cpu;
    return fenced ? tare_ticks_begin().count : tare_ticks_end(&cpu).count;
}

IN_LINE uint64_t time_once(struct leak_timer *t, leak_body *run, void *state, const unsigned char *in, bool fenced)
{
    uint64_t begin = tare_ticks_begin().count;
    uint64_t result = run(state, in);
    uint64_t end = closing_ticks(fenced);
    t->result = result;
    return end - begin;
}

IN_LINE uint64_t time_times(struct leak_timer *t, leak_body *run, void *state, const unsigned char *in, bool fenced)
{
    int left = t->repeat;
    uint64_t result;
    uint64_t begin = tare_ticks_begin().count;
    do {
        result = run(state, in);
        in += t->pitch;
    } while (--left);
    uint64_t end = closing_ticks(fenced);
    t->result = result;
    return end - begin;
}

/* Either delay, by the same code: a predictor of branches that is right about one and wrong about the other takes longer than the adds, some twenty
 * cycles. They differ in where a chain of adds is entered; if the jump there was foretold wrongly, that is over before the adds in front of it are. What
 * follows waits for the last one, so that none of it runs beside them. */
IN_LINE uint64_t time_delayed(struct leak_timer *t, leak_body *run, void *state, const unsigned char *in, int adds, bool fenced)
{
    int left = t->repeat;
    uint64_t result;
    uint64_t begin = tare_ticks_begin().count;
    uintptr_t zero = cpu_delay(adds);
    in += zero;
    state = (void *)((uintptr_t)state + zero);
    tare_ticks_begin(); /* waits for the adds */
    do {
        result = run(state, in);
        in += t->pitch;
    } while (--left);
    uint64_t end = closing_ticks(fenced);
    t->result = result;
    return end - begin;
}

#define BRACKETS(name, fenced)                                                                                  \
    __attribute__((noinline)) static uint64_t name##_once(struct leak_timer *t, leak_body *run, void *state,    \
                                                          const unsigned char *in)                              \
    {                                                                                                           \
        return time_once(t, run, state, in, fenced);                                                            \
    }                                                                                                           \
    __attribute__((noinline)) static uint64_t name##_times(struct leak_timer *t, leak_body *run, void *state,   \
                                                           const unsigned char *in)                             \
    {                                                                                                           \
        return time_times(t, run, state, in, fenced);                                                           \
    }                                                                                                           \
    __attribute__((noinline)) static uint64_t name##_delayed(struct leak_timer *t, leak_body *run, void *state, \
                                                             const unsigned char *in, int adds)                 \
    {                                                                                                           \
        return time_delayed(t, run, state, in, adds, fenced);                                                   \
    }

BRACKETS(bracket, false)
BRACKETS(fenced, true)

/* Of other clocks than the processor's counter. Nothing but the arguments waits for the injected delay: a call may run beside its first adds. */
__attribute__((noinline)) static uint64_t bracket_by_call(struct leak_timer *t, leak_body *run, void *state,
                                                          const unsigned char *in, int adds)
{
    struct tare_ticks (*const read)(void) = t->session->read;
    int left = t->repeat;
    uint64_t result;
    struct tare_ticks begin = read();
    uintptr_t zero = adds ? cpu_delay(adds) : 0;
    in += zero;
    state = (void *)((uintptr_t)state + zero);
    do {
        result = run(state, in);
        in += t->pitch;
    } while (--left);
    struct tare_ticks end = read();
    t->result = result;
    return end.count - begin.count;
}

uint32_t leak_time(struct leak_timer *t, leak_body *run, void *state, const unsigned char *in, enum leak_delay delay)
{
    const int adds = delay == LEAK_NO_DELAY ? 0 : SHORT_ADDS + (delay == LEAK_LONG_DELAY ? t->adds * t->repeat : 0);
    draw_phase(t);
    forget_branches();
    const bool fenced = t->session->way == TARE_TICKS_FENCED;
    uint64_t ticks;
    if (!t->session->way)
        ticks = bracket_by_call(t, run, state, in, adds);
    else if (adds)
        ticks = fenced ? fenced_delayed(t, run, state, in, adds) : bracket_delayed(t, run, state, in, adds);
    else if (t->repeat > 1)
        ticks = fenced ? fenced_times(t, run, state, in) : bracket_times(t, run, state, in);
    else
        ticks = fenced ? fenced_once(t, run, state, in) : bracket_once(t, run, state, in);
    const int cpu = plat_cpu_now();
    t->migrated += cpu != t->cpu && t->cpu >= 0;
    t->cpu = cpu;
    t->calls++;
    if (ticks < UINT32_MAX)
        return (uint32_t)ticks;
    t->saturated++;
    return UINT32_MAX;
}

uint64_t leak_nothing(void *state, const unsigned char *in)
{
    (void)state;
    return (uintptr_t)in;
}

double leak_empty_ticks(struct leak_timer *t)
{
    double ticks[EMPTY_COARSE];
    const int n = t->phase.width_adds ? EMPTY_COARSE : EMPTY;
    leak_body *volatile run = leak_nothing;
    for (int i = 0; i < n; i++)
        ticks[i] = leak_time(t, run, NULL, (const unsigned char *)t, LEAK_NO_DELAY);
    return stepped_mean(ticks, n, t->session->step_ticks).mean;
}
