/* SPDX-License-Identifier: MIT
 *
 * The ways to bring a read of the counter into order, on the same subjects: an empty bracket is what each costs, and a chain of
 * known length is what each sees of the code it stands around.
 *
 * Every bracket is followed by a fenced chain of 1000 multiplies, the yardstick, so that a core that changes its frequency
 * changes both. Cycles = net ticks / net ticks of the yardstick * its cycles, from medians of 201 (means where the counter's steps are coarser than what
 * scatters: clock_spread_in_steps), phases drawn; net: less the median empty bracket of that order.
 */
#include "clock_core_state.h"
#include <math.h>

enum { SAMPLES = 201, YARDSTICK = 1000, PAIRS = 301, ROW = 8 };

static const enum cpu_subject subjects[CLOCK_CHAINS] = {SUBJECT_NOTHING, SUBJECT_MULTIPLY_20, SUBJECT_MULTIPLY_100,
                                                        SUBJECT_MULTIPLY_1000};

struct medians {
    struct clock_spread subject;
    double yardstick;
};

static struct medians sample(int index, enum cpu_subject subject)
{
    int64_t ticks[SAMPLES], yardstick[SAMPLES];
    const double step = (double)clock_state()->counter.step_ticks;
    struct clock_phase phase;
    clock_phase_open(&phase, SAMPLES, clock_step_ns());
    for (int i = 0; i < SAMPLES; i++) {
        clock_phase_draw(&phase);
        ticks[i] = cpu_bracket(index, subject);
        yardstick[i] = cpu_chain_ticks(CHAIN_OF_MULTIPLIES, YARDSTICK);
    }
    return (struct medians){clock_spread_in_steps(ticks, SAMPLES, step), clock_spread_in_steps(yardstick, SAMPLES, step).median};
}

static void measure_chain(struct clock_order *o, int index, int i)
{
    const struct clock_core_state *core = clock_core_state();
    struct medians m = sample(index, subjects[i]);
    double empty = sample(index, SUBJECT_NOTHING).subject.median; /* next to the sample: it moves with the core's frequency */
    double net = m.subject.median - empty,
           per_tick = YARDSTICK * (double)core->multiply_cycles / (m.yardstick - core->empty_ticks);
    o->chain[i].net_ticks = net;
    o->chain[i].expected_cycles = core->usable ? o->chain[i].multiplies * (double)core->multiply_cycles : NAN;
    o->chain[i].cycles = core->usable ? net * per_tick : NAN;
}

static double pair_cost(int index)
{
    int64_t ticks[PAIRS];
    struct clock_phase phase;
    clock_phase_open(&phase, PAIRS, clock_step_ns());
    for (int i = 0; i < PAIRS; i++) {
        clock_phase_draw(&phase);
        uint64_t begin = cpu_ticks_begin();
        for (int k = 0; k < ROW; k++)
            cpu_bracket(index, SUBJECT_NOTHING);
        ticks[i] = (int64_t)(cpu_ticks_end(NULL) - begin);
    }
    return (clock_spread_in_steps(ticks, PAIRS, (double)clock_state()->counter.step_ticks).median -
            clock_core_state()->empty_ticks) /
           ROW;
}

static void measure_nothing(struct clock_order *o)
{
    o->empty = clock_spread_of(NULL, 0);
    o->pair_ticks = NAN;
    for (int i = 0; i < CLOCK_CHAINS; i++) {
        o->chain[i].multiplies = cpu_subject_multiplies(subjects[i]);
        o->chain[i].expected_cycles = o->chain[i].cycles = o->chain[i].net_ticks = NAN;
    }
}

bool clock_order(int index, struct clock_order *out)
{
    measure_nothing(out);
    if (!cpu_order(index, &out->order))
        return false;
    if (!clock_state()->counter.readable && !out->order.missing)
        out->order.missing = clock_state()->counter.reason;
    if (out->order.missing)
        return true;
    out->pair_ticks = pair_cost(index);
    out->empty = sample(index, SUBJECT_NOTHING).subject;
    for (int i = 0; i < CLOCK_CHAINS; i++)
        measure_chain(out, index, i);
    return true;
}
