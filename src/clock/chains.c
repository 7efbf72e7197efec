/* SPDX-License-Identifier: MIT
 *
 * Core cycles from two chains of instructions that wait for each other: C multiplies of m cycles and m C adds of one cycle take
 * the same time, whatever the core's frequency. When they do, the frequency is m C over that time; when they do not, one of the
 * two is not what it is taken for (adds folded at rename, a multiply of another length, an emulator), and nothing is said.
 *
 * Chains are run in turn, so that both see the same frequency, and the fastest of each in a set counts: an interrupt or a
 * neighbour on the core's other thread only ever makes a chain longer. Such a neighbour slows adds, which use the ports that
 * everything uses, by 1 to 5 % for milliseconds, and multiplies hardly at all; so sets are repeated until one agrees. A
 * chain that is not what it is taken for is off by a tenth at least, in every set. The weight of the two reads, the mean of
 * empty brackets (stepped.h), is taken off.
 */
#include "buf.h"
#include "clock_core_state.h"
#include "cpu.h"
#include "stepped.h"
#include <math.h>

const double CLOCK_CHAINS_AGREE = 0.005, CLOCK_STEP_MATTERS = 2e-4;

enum {
    PAIRS = 64, /* of a set: some 150 us */
    EMPTIES = 101,
    COARSE = 15, /* chains whose mean is the frequency */
    STEPS = 1000,
    STEPS_MAX = 4000000,   /* on a counter of 1 MHz: a millisecond and more */
    STEPS_PER_TICK = 1000, /* a chain is so many steps of the counter long, or longer: its step then is 0.1 % */
    ADDS = 3,              /* per multiply */
};

double clock_chain_empty(void)
{
    double ticks[EMPTIES];
    struct clock_phase phase;
    clock_phase_open(&phase, EMPTIES, clock_step_ns());
    for (int i = 0; i < EMPTIES; i++) {
        clock_phase_draw(&phase);
        ticks[i] = (double)cpu_empty_ticks();
    }
    return stepped_mean(ticks, EMPTIES, (double)clock_state()->step_ticks).mean;
}

/* More steps where the counter is slow. */
static int steps_that_suffice(void)
{
    double step = (double)clock_state()->step_ticks;
    int steps = STEPS;
    while (steps < STEPS_MAX && (double)cpu_chain_ticks(CHAIN_OF_MULTIPLIES, steps) < step * STEPS_PER_TICK)
        steps *= 4;
    return steps;
}

struct fastest {
    double multiply, add; /* net ticks of one step of each */
};

static int64_t lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static struct fastest run_set(int steps, double empty)
{
    const int pairs = steps == STEPS ? PAIRS : PAIRS / 8; /* long chains are not many */
    int64_t multiply = INT64_MAX, add = INT64_MAX;
    for (int i = 0; i < pairs; i++) {
        multiply = lesser(multiply, cpu_chain_ticks(CHAIN_OF_MULTIPLIES, steps));
        add = lesser(add, cpu_chain_ticks(CHAIN_OF_ADDS, ADDS * steps));
    }
    return (struct fastest){((double)multiply - empty) / steps, ((double)add - empty) / (ADDS * (double)steps)};
}

/* What a multiply may take: as the architecture says; where it leaves that open, 2 to 5. */
static int nearest_cycles(double ratio)
{
    int fixed = cpu_multiply_cycles();
    if (fixed)
        return fixed;
    return ratio < 2 ? 2 : ratio > 5 ? 5 : (int)(ratio + .5);
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

static void examine(struct clock_core *out, int steps, double tick_hz)
{
    out->empty_ticks = clock_chain_empty();
    struct fastest f = run_set(steps, out->empty_ticks);
    out->ratio = f.multiply / f.add;
    out->multiply_cycles = nearest_cycles(out->ratio);
    out->hz = out->multiply_cycles * tick_hz / f.multiply;
    out->adds_hz = tick_hz / f.add;
    out->reason[0] = 0;
    judge(out);
}

enum tare_status clock_core_look(struct clock_core *out, int most, struct tare_err *err)
{
    const struct clock_state *c = clock_state();
    *out = (struct clock_core){.hz = NAN, .adds_hz = NAN, .ratio = NAN};
    if (!c->counter.trusted)
        return err_set(err, TARE_UNSUPPORTED, "core cycles cannot be counted: %s", c->counter.reason);
    int steps = steps_that_suffice();
    int sets = steps == STEPS ? most : (most + 7) / 8;
    for (int i = 0; i < sets && !out->agree; i++) {
        examine(out, steps, c->hz);
        out->sets = i + 1;
    }
    return TARE_OK;
}

enum tare_status clock_core_examine(struct clock_core *out, struct tare_err *err)
{
    return clock_core_look(out, CLOCK_CORE_SETS, err);
}

static double hz_of_chain(double ticks)
{
    const struct clock_core_state *core = clock_core_state();
    double net = ticks - core->empty_ticks;
    if (!core->usable || !(net > 0))
        return NAN;
    return CPU_PROBE_STEPS * (double)core->multiply_cycles * clock_state()->hz / net;
}

double clock_chain_hz(int64_t ticks)
{
    return hz_of_chain((double)ticks);
}

enum tare_status clock_chain_weights(double *cycles, double *empty_ticks, struct tare_err *err)
{
    const struct clock_core_state *core = clock_core_state();
    if (!core->usable)
        return err_set(err, TARE_UNSUPPORTED, "%s", core->reason);
    *cycles = CPU_PROBE_STEPS * (double)core->multiply_cycles;
    *empty_ticks = core->empty_ticks;
    return TARE_OK;
}

/* The least of quantised readings is short by up to a step. */
static double mean_of_chains(void)
{
    double ticks[COARSE];
    struct clock_phase phase;
    clock_phase_open(&phase, COARSE, clock_step_ns());
    for (int i = 0; i < COARSE; i++) {
        clock_phase_draw(&phase);
        ticks[i] = (double)cpu_chain_ticks(CHAIN_OF_MULTIPLIES, CPU_PROBE_STEPS);
    }
    return stepped_mean(ticks, COARSE, (double)clock_state()->step_ticks).mean;
}

enum tare_status clock_core_hz(double *hz, struct tare_err *err)
{
    const struct clock_core_state *core = clock_core_state();
    if (!core->usable)
        return err_set(err, TARE_UNSUPPORTED, "%s", core->reason);
    int64_t least = INT64_MAX;
    for (int i = 0; i < 3; i++)
        least = lesser(least, cpu_chain_ticks(CHAIN_OF_MULTIPLIES, CPU_PROBE_STEPS));
    double best = (double)least;
    if ((double)clock_state()->step_ticks > CLOCK_STEP_MATTERS * best)
        best = mean_of_chains();
    *hz = hz_of_chain(best);
    return TARE_OK;
}

enum tare_status tare_core_hz(double *hz, struct tare_err *err)
{
    return clock_core_hz(hz, err);
}
