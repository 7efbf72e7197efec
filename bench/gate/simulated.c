/* SPDX-License-Identifier: MIT
 *
 * gate_simulated GATES [SMALL]     how often simulated gates (gate_world.h) answer right: GATES for each figure without a slowdown, SMALL with one. Markdown.
 */
#include "gate_world.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tare/stats.h>

struct setting {
    struct gate_world w;
    int qualified; /* by so many gates of base against base; 0: not */
};

struct counts {
    int gates, fail, pass, named, other, above, pass_above;
    double seconds, open;
};

/* What the next gate's FAIL must exceed. */
static double qualify(struct gate_world w, int gates)
{
    double largest = 0;
    w.planted = 0;
    for (int i = 0; i < gates; i++) {
        struct gate_outcome o;
        w.seed += 1000000007;
        gate_simulate(&w, &o);
        largest = fmax(largest, o.largest);
    }
    return largest;
}

static struct counts count(const struct setting *s, int gates, uint64_t seed)
{
    struct counts n = {.gates = gates};
    for (int i = 0; i < gates; i++) {
        struct gate_world w = s->w;
        struct gate_outcome o;
        w.seed = seed + (uint64_t)i;
        w.exceed = qualify(w, s->qualified);
        gate_simulate(&w, &o);
        n.fail += o.verdict == GATE_FAIL;
        n.pass += o.verdict == GATE_PASS;
        n.named += o.named;
        n.other += o.other;
        n.above += w.planted > 0 ? o.above : o.any_above;
        n.pass_above += w.planted > 0 ? o.above && o.passed : o.any_above && o.verdict == GATE_PASS;
        n.seconds += o.seconds / gates;
        n.open += (double)o.open / gates;
    }
    return n;
}

static void print_share(int k, int n)
{
    struct tare_interval i;
    if (!n) {
        printf(" |");
        return;
    }
    tare_binomial_ci_clopper_pearson(k, n, .05, &i);
    printf(" %.1f (%.1f–%.1f) |", 100 * i.point, 100 * i.low, 100 * i.high);
}

static void row(const struct setting *s, int gates, uint64_t seed)
{
    const struct gate_world *w = &s->w;
    if (!gates)
        return;
    const struct counts c = count(s, gates, seed);
    printf("| %s | %s | %g | %g%s%s |", gate_machine_name(w->machine), w->benchmarks ? "40" : "40–200", w->budget_s / 60,
           100 * w->layout, w->heavy ? ", heavy tails" : "", s->qualified ? ", qualified" : "");
    if (w->planted > 0) {
        printf(" %g |", 100 * w->planted);
        print_share(c.named, gates);
    } else {
        print_share(c.fail, gates);
        print_share(c.pass, gates);
    }
    print_share(c.other, gates);
    print_share(c.pass_above, c.above);
    printf(" %.1f | %.0f |\n", c.open, c.seconds);
    fflush(stdout);
}

/* Qualified ones take 20 gates each. */
static void without_a_slowdown(int gates, int fewer)
{
    static const struct setting rows[] = {
        {{.budget_s = 300}, 0},
        {{.budget_s = 300, .layout = .005}, 0},
        {{.budget_s = 300, .layout = .01}, 0},
        {{.budget_s = 300, .layout = .005, .heavy = true}, 0},
        {{.budget_s = 300, .layout = .01, .benchmarks = 40}, 19},
        {{.budget_s = 300, .layout = .005, .heavy = true, .benchmarks = 40}, 19},
        {{.budget_s = 300, .benchmarks = 40}, 0},
        {{.budget_s = 60, .benchmarks = 40}, 0},
    };
    printf(
        "| machine | benchmarks | min | layout, %% | FAIL | PASS | one below P named | PASS though one is above P | open | s |\n"
        "|---|---|---:|---|---:|---:|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int m = 0; m < GATE_MACHINES; m++) {
            struct setting s = rows[i];
            s.w.machine = (enum gate_machine)m;
            s.w.limit = .02;
            row(&s, s.qualified ? fewer : gates, 1000000);
        }
}

static void with_one(int gates, int fewer)
{
    static const double planted[] = {.02, .05, .1};
    static const struct setting rows[] = {
        {{.budget_s = 300}, 0},
        {{.budget_s = 300, .layout = .01}, 19},
        {{.budget_s = 60}, 0},
    };
    printf("\n| machine | benchmarks | min | layout, %% | planted, %% | named | another one, below P, named | it passes though "
           "above P | "
           "open | s |\n|---|---|---:|---|---:|---:|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int m = 0; m < GATE_MACHINES; m++)
            for (int p = 0; p < 3; p++) {
                struct setting s = rows[i];
                s.w.machine = (enum gate_machine)m;
                s.w.benchmarks = 40;
                s.w.planted = planted[p];
                s.w.limit = .02;
                row(&s, s.qualified ? fewer : gates, 2000000);
            }
}

int main(int argc, char **argv)
{
    const int gates = argc > 1 ? atoi(argv[1]) : 10000, small = argc > 2 ? atoi(argv[2]) : gates / 10 + 1,
              qualified = argc > 3 ? atoi(argv[3]) : small / 4 + 1;
    if (gates < 0 || small < 0 || qualified < 0)
        return 2;
    without_a_slowdown(gates, qualified);
    with_one(small, qualified);
    return 0;
}
