/* SPDX-License-Identifier: MIT
 *
 * What each order of reading the counter weighs, and how much it sees of code whose length is known. Brackets and empties are medians
 * of some hundred, taken in turn, so that both see the same core frequency.
 */
#include "ways.h"
#include <math.h>

enum { RUNS = 301, BATCHES = 31, BATCH = 16 };

const int CLOCK_CHAIN_MULTIPLIES[CLOCK_CHAINS] = {20, 100, 1000};

static const enum cpu_subject chains[CLOCK_CHAINS] = {SUBJECT_MULTIPLY_20, SUBJECT_MULTIPLY_100, SUBJECT_MULTIPLY_1000};

static double true_ticks(const struct clock_core *core, int multiplies)
{
    double hz;
    if (!core || !core->agree || clock_core_hz(&hz, NULL))
        return NAN;
    return (double)multiplies * core->multiply_cycles * clock_state()->hz / hz;
}

static void measure_chain(int order, int chain, const struct clock_core *core, struct clock_order_found *out)
{
    int64_t spans[RUNS], empties[RUNS];
    double before = true_ticks(core, CLOCK_CHAIN_MULTIPLIES[chain]);
    for (int i = 0; i < RUNS; i++) {
        empties[i] = cpu_bracket(order, SUBJECT_NOTHING);
        spans[i] = cpu_bracket(order, chains[chain]);
    }
    double truth = (before + true_ticks(core, CLOCK_CHAIN_MULTIPLIES[chain])) / 2;
    out->net_ticks[chain] = clock_spread_of(spans, RUNS).median - clock_spread_of(empties, RUNS).median;
    out->error[chain] = out->net_ticks[chain] / truth - 1;
}

/* Between two reads of the usual order; the call of the bracket itself is in it, a few ticks. */
static double whole(int order)
{
    int64_t spans[BATCHES];
    for (int i = 0; i < BATCHES; i++) {
        uint64_t begin = cpu_ticks_begin();
        for (int k = 0; k < BATCH; k++)
            cpu_bracket(order, SUBJECT_NOTHING);
        spans[i] = (int64_t)(cpu_ticks_end(NULL) - begin);
    }
    return clock_spread_of(spans, BATCHES).median / BATCH;
}

void clock_order_measure(int order, const struct clock_core *core, struct clock_order_found *out)
{
    int64_t empties[RUNS];
    cpu_bracket(order, SUBJECT_NOTHING); /* its code is then in the cache */
    for (int i = 0; i < RUNS; i++)
        empties[i] = cpu_bracket(order, SUBJECT_NOTHING);
    out->weight_ticks = clock_spread_of(empties, RUNS);
    out->whole_ticks = whole(order);
    for (int i = 0; i < CLOCK_CHAINS; i++)
        measure_chain(order, i, core, out);
}
