/* SPDX-License-Identifier: MIT
 *
 * gate_simulated GATES [SLOWER [QUALIFIED [MERGED]]]     how often simulated gates (gate_world.h) answer right: GATES for each row without a slowdown, SLOWER for each with
 * one, QUALIFIED for each of gates that 19 of base against base have qualified, MERGED for each of gates of several runners. 0: none of these. Markdown.
 *
 * Gates run on all processors it may use. Each has a seed of its own, and they are added up in their order: the numbers do not depend on how many.
 */
#include "gate_world.h"
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <tare/stats.h>
#include <unistd.h>

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

static struct gate_outcome outcome(const struct setting *s, uint64_t seed)
{
    struct gate_world w = s->w;
    struct gate_outcome o;
    w.seed = seed;
    w.exceed = qualify(w, s->qualified);
    gate_simulate(&w, &o);
    return o;
}

static void give_up(const char *what)
{
    perror(what);
    exit(1);
}

static int processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
}

/* Every `step`th gate, in a process of its own. */
static void simulate_share(const struct setting *s, int from, int step, int gates, uint64_t seed, struct gate_outcome *out)
{
    const pid_t pid = fork();
    if (pid < 0)
        give_up("fork");
    if (pid)
        return;
    for (int i = from; i < gates; i += step)
        out[i] = outcome(s, seed + (uint64_t)i);
    _exit(0);
}

static void simulate(const struct setting *s, int gates, uint64_t seed, struct gate_outcome *out)
{
    const int step = processors();
    int status;
    for (int i = 0; i < step; i++)
        simulate_share(s, i, step, gates, seed, out);
    while (wait(&status) > 0)
        if (status) {
            fprintf(stderr, "gate_simulated: a process of it failed\n");
            exit(1);
        }
}

static struct counts count(const struct setting *s, int gates, uint64_t seed)
{
    const size_t size = (size_t)gates * sizeof(struct gate_outcome);
    struct gate_outcome *o = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (o == MAP_FAILED)
        give_up("mmap");
    simulate(s, gates, seed, o);
    struct counts n = {.gates = gates};
    for (int i = 0; i < gates; i++) {
        n.fail += o[i].verdict == GATE_FAIL;
        n.pass += o[i].verdict == GATE_PASS;
        n.named += o[i].named;
        n.other += o[i].other;
        n.above += s->w.planted > 0 ? o[i].above : o[i].any_above;
        n.pass_above += s->w.planted > 0 ? o[i].above && o[i].passed : o[i].any_above && o[i].verdict == GATE_PASS;
        n.seconds += o[i].seconds / gates;
        n.open += (double)o[i].open / gates;
    }
    munmap(o, size);
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
    printf("| %s | ", gate_machine_name(w->machine));
    if (w->runners)
        printf("%d | ", w->runners);
    printf("%s | %g | %g%s%s%s |", w->benchmarks ? "40" : "40–200", w->budget_s / 60, 100 * w->layout,
           w->heavy ? ", heavy tails" : "", s->qualified ? ", qualified" : "", w->apart ? ", builds apart" : "");
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

#define PLANTED "injected, % | named | another one, below P, named | it passes though above P"

static void heading(const char *behind_machine, const char *counted)
{
    printf(
        "\n| machine | %sbenchmarks | min | layout, %% | %s | open | s |\n|---|%s---|---:|---|---:|---:|---:|---:|---:|---:|\n",
        behind_machine, counted, *behind_machine ? "---:|" : "");
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
    heading("", "FAIL | PASS | one below P named | PASS though one is above P");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int m = 0; m < GATE_MACHINES; m++) {
            struct setting s = rows[i];
            s.w.machine = (enum gate_machine)m;
            s.w.limit = .02;
            row(&s, s.qualified ? fewer : gates, 1000000);
        }
}

static const double slowdowns[] = {.02, .05, .1};

static void with_one(int gates, int fewer)
{
    static const struct setting rows[] = {
        {{.budget_s = 300}, 0},
        {{.budget_s = 300, .layout = .01}, 19},
        {{.budget_s = 60}, 0},
    };
    heading("", PLANTED);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int m = 0; m < GATE_MACHINES; m++)
            for (int p = 0; p < 3; p++) {
                struct setting s = rows[i];
                s.w.machine = (enum gate_machine)m;
                s.w.benchmarks = 40;
                s.w.planted = slowdowns[p];
                s.w.limit = .02;
                row(&s, s.qualified ? fewer : gates, 2000000);
            }
}

static struct gate_world merged_world(struct gate_world w, int runners, int machine, double planted)
{
    w.runners = runners;
    w.machine = (enum gate_machine)machine;
    w.planted = planted;
    w.benchmarks = 40;
    w.budget_s = 300;
    w.limit = .02;
    return w;
}

static void merged(int gates)
{
    static const struct gate_world worlds[] = {{.layout = 0}, {.layout = .005}, {.layout = .005, .apart = true}};
    static const int runners[] = {2, 4};
    heading("runners | ", "FAIL | PASS | one below P named | PASS though one is above P");
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++)
            for (int m = 0; m <= GATE_MIXED; m++)
                row(&(struct setting){merged_world(worlds[i], runners[k], m, 0), 0}, gates, 4000000);
    heading("runners | ", PLANTED);
    for (int k = 0; k < 2; k++)
        for (int m = 0; m <= GATE_MIXED; m++)
            for (int p = 0; p < 3; p++)
                row(&(struct setting){merged_world(worlds[0], runners[k], m, slowdowns[p]), 0}, gates, 5000000);
}

int main(int argc, char **argv)
{
    const int gates = argc > 1 ? atoi(argv[1]) : 10000, small = argc > 2 ? atoi(argv[2]) : gates / 10 + 1,
              qualified = argc > 3 ? atoi(argv[3]) : small / 4 + 1, of_runners = argc > 4 ? atoi(argv[4]) : small / 2 + 1;
    if (gates < 0 || small < 0 || qualified < 0 || of_runners < 0)
        return 2;
    without_a_slowdown(gates, qualified);
    with_one(small, qualified);
    merged(of_runners);
    return 0;
}
