/* SPDX-License-Identifier: MIT
 *
 * gate_simulated FROM GATES SLOWER QUALIFIED MERGED TIMED     how often simulated gates (gate_world.h) answer right, and after how long: as many gates for each row
 * of a table of bench/gate.sh, which adds up the lines that this prints. The first FROM of each row are left out: so many were made before.
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
#include <unistd.h>

struct setting {
    struct gate_world w;
    int qualified; /* by so many gates of base against base; 0: not */
};

struct counts {
    int fail, pass, named, other, above, pass_above, open, confirmed;
    double seconds, confirming_s;
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
    struct counts n = {0};
    for (int i = 0; i < gates; i++) {
        n.fail += o[i].verdict == GATE_FAIL;
        n.pass += o[i].verdict == GATE_PASS;
        n.named += o[i].named;
        n.other += o[i].other;
        n.above += s->w.planted > 0 ? o[i].above : o[i].any_above;
        n.pass_above += s->w.planted > 0 ? o[i].above && o[i].passed : o[i].any_above && o[i].verdict == GATE_PASS;
        n.open += o[i].open;
        n.seconds += o[i].seconds;
        n.confirmed += o[i].confirming_s > 0;
        n.confirming_s += o[i].confirming_s;
    }
    munmap(o, size);
    return n;
}

static int gates_before;

/* A line of numbers that can be added to those of other gates. */
static void row(const char *table, const struct setting *s, int gates, uint64_t seed)
{
    const struct gate_world *w = &s->w;
    if (!gates)
        return;
    const struct counts c = count(s, gates, seed + (uint64_t)gates_before);
    printf("%s\t%s\t%d\t%d\t%g\t%g%s%s%s\t%g\t", table, gate_machine_name(w->machine), w->runners, w->benchmarks,
           w->budget_s / 60, 100 * w->layout, w->heavy ? ", heavy tails" : "", s->qualified ? ", qualified" : "",
           w->apart ? ", builds apart" : "", 100 * w->planted);
    printf("%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%.1f\t%d\t%.1f\n", gates_before, gates, c.fail, c.pass, c.named, c.other, c.above,
           c.pass_above, c.open, c.seconds, c.confirmed, c.confirming_s);
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
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int m = 0; m < GATE_MACHINES; m++) {
            struct setting s = rows[i];
            s.w.machine = (enum gate_machine)m;
            s.w.limit = .02;
            row("equal", &s, s.qualified ? fewer : gates, 1000000);
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
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int m = 0; m < GATE_MACHINES; m++)
            for (int p = 0; p < 3; p++) {
                struct setting s = rows[i];
                s.w.machine = (enum gate_machine)m;
                s.w.benchmarks = 40;
                s.w.planted = slowdowns[p];
                s.w.limit = .02;
                row("injected", &s, s.qualified ? fewer : gates, 2000000);
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
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++)
            for (int m = 0; m <= GATE_MIXED; m++)
                row("equal", &(struct setting){merged_world(worlds[i], runners[k], m, 0), 0}, gates, 4000000);
    for (int k = 0; k < 2; k++)
        for (int m = 0; m <= GATE_MIXED; m++)
            for (int p = 0; p < 3; p++)
                row("injected", &(struct setting){merged_world(worlds[0], runners[k], m, slowdowns[p]), 0}, gates, 5000000);
}

/* With as much time as they want. */
static void timed(int gates)
{
    static const int benchmarks[] = {10, 40, 100, 200};
    for (int m = 0; m < GATE_LOADED; m++)
        for (int n = 0; n < 4; n++)
            for (int slower = 0; slower < 2; slower++)
                row("time",
                    &(struct setting){.w = {.machine = (enum gate_machine)m,
                                            .benchmarks = benchmarks[n],
                                            .budget_s = 3600,
                                            .limit = .02,
                                            .planted = slower ? .05 : 0}},
                    gates, 6000000);
}

int main(int argc, char **argv)
{
    enum { NUMBERS = 6 };
    int n[NUMBERS];
    if (argc != 1 + NUMBERS)
        return 2;
    for (int i = 0; i < NUMBERS; i++)
        if ((n[i] = atoi(argv[1 + i])) < 0)
            return 2;
    gates_before = n[0];
    without_a_slowdown(n[1], n[3]);
    with_one(n[2], n[3]);
    merged(n[4]);
    timed(n[5]);
    return 0;
}
