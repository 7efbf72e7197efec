/* SPDX-License-Identifier: MIT
 *
 * The orders of a processor's table as calls, and chains without the counter. Apart from cpu_calls.c: programs with benchmarks need none of it.
 */
#include "chain.h"
#include "cpu_orders.h"

void cpu_chain_run(enum cpu_chain chain, int steps)
{
    if (chain == CHAIN_OF_MULTIPLIES)
        chain_multiply(3, steps);
    else
        chain_add(3, steps);
}

bool cpu_order(int index, struct cpu_order *out)
{
    if (index < 0 || index >= n_cpu_order_rows)
        return false;
    *out = cpu_order_rows[index].order;
    out->missing = cpu_order_rows[index].missing ? cpu_order_rows[index].missing() : NULL;
    return true;
}

int64_t cpu_bracket(int index, enum cpu_subject subject)
{
    return cpu_order_rows[index].bracket[subject]();
}
