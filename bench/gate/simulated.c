/* SPDX-License-Identifier: MIT
 *
 * gate_simulated GATES [SMALL]     how often simulated gates (gate_world.h) answer right: GATES for each figure without a slowdown, SMALL with one. Markdown.
 */
#include "gate_world.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/stats.h>

struct counts {
    int gates, fail, pass, open, named, other, above, passed_above, pass_above;
    double seconds, undecided, nominated;
};

static struct counts count(struct gate_world w, int gates, uint64_t seed)
{
    struct counts n = {.gates = gates};
    for (int i = 0; i < gates; i++) {
        struct gate_outcome o;
        w.seed = seed + (uint64_t)i;
        gate_simulate(&w, &o);
        n.fail += o.verdict == GATE_FAIL;
        n.pass += o.verdict == GATE_PASS;
        n.open += o.verdict == GATE_CANNOT_TELL;
        n.named += o.named;
        n.other += o.other;
        n.above += o.any_above;
        n.passed_above += o.passed_above;
        n.pass_above += o.verdict == GATE_PASS && o.any_above;
        n.seconds += o.seconds / gates;
        n.undecided += (double)o.undecided / gates;
        n.nominated += (double)o.nominated / gates;
    }
    return n;
}

static void print_share(int k, int n)
{
    struct tare_interval i;
    tare_binomial_ci_clopper_pearson(k, n, .05, &i);
    printf(" %.2f (%.2f–%.2f) |", 100 * i.point, 100 * i.low, 100 * i.high);
}

static void row(struct gate_world w, int gates, uint64_t seed)
{
    const struct counts c = count(w, gates, seed);
    printf("| %s | %g s | %g | %g%s%s | %g |", gate_machine_name(w.machine), w.budget_s, 100 * w.limit, 100 * w.layout,
           w.heavy ? ", t4" : "", w.known ? ", known" : "", 100 * w.planted);
    print_share(c.fail, gates);
    print_share(c.pass, gates);
    print_share(c.named, gates);
    print_share(c.other, gates);
    print_share(c.pass_above, c.above);
    printf(" %.1f | %.2f | %.0f |\n", c.undecided, c.nominated, c.seconds);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const int gates = argc > 1 ? atoi(argv[1]) : 10000, small = argc > 2 ? atoi(argv[2]) : 1000;
    static const double layouts[] = {0, .005, .01}, planted[] = {.02, .03, .05, .1};
    printf("| machine | time | P, %% | layout sd, %% | planted, %% | FAIL, %% | PASS, %% | named, %% | another named, %% | PASS of those with one above P, %% | open | nominated | s |\n"
           "|---|---:|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    for (int m = 0; m < GATE_MACHINES; m++)
        for (int l = 0; l < 3; l++)
            row((struct gate_world){.machine = (enum gate_machine)m, .budget_s = 300, .limit = .02, .layout = layouts[l]}, gates, 1000000);
    for (int m = 0; m < GATE_MACHINES; m++)
        for (int p = 0; p < 4; p++)
            row((struct gate_world){.machine = (enum gate_machine)m, .benchmarks = 40, .budget_s = 300, .limit = .02, .planted = planted[p]}, small, 2000000);
    return 0;
}
