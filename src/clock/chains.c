/* SPDX-License-Identifier: MIT
 *
 * Core cycles from two chains of instructions that wait for each other: C multiplies of m cycles and m C adds of one cycle take
 * the same time, whatever the core's frequency. When they do, the frequency is m C over that time; when they do not, one of the
 * two is not what it is taken for (adds folded at rename, a multiply of another length, an emulator), and nothing is said.
 *
 * Pairs of chains are run in turn, so that both see the same frequency; the ratio is the median over the pairs, which a few
 * interrupts do not move; the frequency comes from the fastest of each, as an interrupt only ever makes a chain longer.
 * Assumes that the core does not change its frequency within a pair (10 us). The weight of the two reads, the median of empty
 * brackets, is taken off.
 */
#include "buf.h"
#include "clock_core_state.h"
#include "cpu.h"
#include <math.h>

const double CLOCK_CHAINS_AGREE = 0.005;

enum {
    PAIRS = 15,
    EMPTIES = 31,
    STEPS = 4000,          /* of chain_ticks: CHAIN_STEPS of plat/cpu */
    STEPS_MAX = 4000000,   /* on a counter of 1 MHz: a millisecond and more */
    STEPS_PER_TICK = 2000, /* a chain is so many steps of the counter long, or longer: its step then is 0.05 % */
    ADDS = 3,              /* per multiply */
};

static double median_empty(void)
{
    int64_t ticks[EMPTIES];
    for (int i = 0; i < EMPTIES; i++)
        ticks[i] = cpu_bracket(0, SUBJECT_NOTHING);
    return clock_spread_of(ticks, EMPTIES).median;
}

/* More steps where the counter is slow. */
static int steps_that_suffice(void)
{
    double step = (double)clock_state()->step_ticks;
    int steps = STEPS;
    while (steps < STEPS_MAX && (double)cpu_chain_ticks(CHAIN_OF_MULTIPLIES, steps) < step * STEPS_PER_TICK)
        steps *= 10;
    return steps;
}

struct pairs {
    double multiply[PAIRS], add[PAIRS]; /* net ticks of `steps` instructions */
    int steps;
};

static void run_pairs(struct pairs *p)
{
    double empty = median_empty();
    cpu_chain_ticks(CHAIN_OF_ADDS, p->steps); /* the code is fetched */
    for (int i = 0; i < PAIRS; i++) {
        p->multiply[i] = (double)cpu_chain_ticks(CHAIN_OF_MULTIPLIES, p->steps) - empty;
        p->add[i] = ((double)cpu_chain_ticks(CHAIN_OF_ADDS, ADDS * p->steps) - empty) / ADDS;
    }
}

static double least(const double *x)
{
    double least = x[0];
    for (int i = 1; i < PAIRS; i++)
        least = x[i] < least ? x[i] : least;
    return least;
}

static double median_ratio(const struct pairs *p)
{
    int64_t millionths[PAIRS];
    for (int i = 0; i < PAIRS; i++) {
        double ratio = p->multiply[i] / p->add[i];
        millionths[i] = isfinite(ratio) && fabs(ratio) < 1e9 ? llround(ratio * 1e6) : 0;
    }
    return clock_spread_of(millionths, PAIRS).median / 1e6;
}

/* What a multiply may take: as the architecture says; where it leaves that open, 2 to 5. */
static int nearest_cycles(double ratio)
{
    int fixed = cpu_multiply_cycles();
    if (fixed)
        return fixed;
    double nearest = round(ratio);
    return nearest < 2 ? 2 : nearest > 5 ? 5 : (int)nearest;
}

static void judge(struct clock_core *c)
{
    struct buf b = buf_over(c->reason, sizeof c->reason);
    c->agree = fabs(c->ratio / c->multiply_cycles - 1) <= CLOCK_CHAINS_AGREE;
    if (!c->agree)
        buf_format(
            &b, "a multiply takes as long as %.3f adds of registers here, not %d.000 within %g %%: core cycles cannot be counted",
            c->ratio, c->multiply_cycles, CLOCK_CHAINS_AGREE * 100);
}

static void examine(struct clock_core *out, double tick_hz)
{
    struct pairs p = {.steps = steps_that_suffice()};
    run_pairs(&p);
    out->ratio = median_ratio(&p);
    out->multiply_cycles = nearest_cycles(out->ratio);
    out->hz = p.steps * (double)out->multiply_cycles * tick_hz / least(p.multiply);
    out->adds_hz = p.steps * tick_hz / least(p.add);
    out->empty_ticks = median_empty();
    judge(out);
}

enum tare_status clock_core_examine(struct clock_core *out, struct tare_err *err)
{
    enum { TIMES = 3 }; /* a neighbour on the same core, or a change of frequency, passes */
    const struct clock_state *c = clock_state();
    *out = (struct clock_core){.hz = NAN, .adds_hz = NAN, .ratio = NAN};
    if (!c->counter.trusted)
        return err_set(err, TARE_UNSUPPORTED, "core cycles cannot be counted: %s", c->counter.reason);
    for (int i = 0; i < TIMES && !out->agree; i++) {
        out->reason[0] = 0;
        examine(out, c->hz);
    }
    return TARE_OK;
}

double clock_chain_hz(int64_t ticks)
{
    const struct clock_core_state *core = clock_core_state();
    double net = (double)ticks - core->empty_ticks;
    if (!core->usable || !(net > 0))
        return NAN;
    return STEPS * (double)core->multiply_cycles * clock_state()->hz / net;
}

enum tare_status clock_core_hz(double *hz, struct tare_err *err)
{
    const struct clock_core_state *core = clock_core_state();
    if (!core->usable)
        return err_set(err, TARE_UNSUPPORTED, "%s", core->reason);
    int64_t best = INT64_MAX;
    for (int i = 0; i < 3; i++) {
        int64_t ticks = cpu_chain_ticks(CHAIN_OF_MULTIPLIES, STEPS);
        best = ticks < best ? ticks : best;
    }
    *hz = clock_chain_hz(best);
    return TARE_OK;
}

enum tare_status tare_core_hz(double *hz, struct tare_err *err)
{
    return clock_core_hz(hz, err);
}
