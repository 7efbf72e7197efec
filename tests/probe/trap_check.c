/* SPDX-License-Identifier: MIT
 *
 *     trap_check PROGRAM        a build of traps.c
 *
 * No silent wrong number: each trap_... has lost its figure, has a remark, or took at least the cycles that its work takes. Each right_... has a
 * figure. Only lower bounds are asked of figures: whatever disturbs a measurement makes them larger.
 */
#include "wire.h"
#include "wire_child.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 200 };
static const double WORK_CYCLES = 11.5; /* 12 multiplies, of which a core starts one a cycle */

struct found {
    char name[WIRE_NAME_MAX];
    double cycles; /* lower quartile; -1: no samples */
};

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double lower_cycles(const struct wire_clock *clock, const struct wire_samples *s)
{
    double values[256];
    uint32_t n = s->n < 256 ? s->n : 256;
    for (uint32_t i = 0; i < n; i++) {
        double net = (double)(wire_sample(s, WIRE_TICKS, i) - wire_sample(s, WIRE_EMPTY_TICKS, i));
        uint64_t before = wire_sample(s, WIRE_CHAIN_BEFORE, i), after = wire_sample(s, WIRE_CHAIN_AFTER, i);
        double chain = (double)(before < after ? before : after); /* what delays a chain makes the cycles too few */
        double per_tick = clock->core ? clock->chain_cycles / (chain - clock->chain_empty_ticks) : 1;
        values[i] = net / (double)wire_sample(s, WIRE_ITERATIONS, i) * per_tick;
    }
    qsort(values, n, sizeof *values, by_size);
    return n ? values[n / 4] : -1;
}

static int judge(const struct found *f, const struct wire_end *e)
{
    int right = strncmp(f->name, "right_", 6) == 0;
    int bare = e->state == WIRE_OK && !e->remark[0];
    int enough = f->cycles >= WORK_CYCLES;
    int good = right ? bare && enough : !bare || enough;
    printf("%-4s %-30s %-14s %8.2f cycles %s%s\n", good ? "ok" : "BAD", f->name, wire_state_word(e->state), f->cycles, e->remark,
           e->state == WIRE_OK ? "" : e->reason);
    return good;
}

int main(int argc, char **argv)
{
    struct buf record = BUF_INIT(1 << 26);
    struct wire_clock clock = {0};
    struct found f = {"", -1};
    struct wire_frame frame;
    int bad = 0, traps = 0, code = argc == 2 ? wire_child(argv[1], "sample_ns 100000\nsamples 41\nwarmup 0\n", &record) : -1;
    struct wire_reader r = {record.data, record.len, 0};
    while (wire_next(&r, &frame, NULL) == TARE_OK)
        switch (frame.type) {
        case WIRE_CLOCK:
            clock = frame.u.clock;
            break;
        case WIRE_BENCH:
            snprintf(f.name, sizeof f.name, "%s", frame.u.bench.name);
            f.cycles = -1;
            break;
        case WIRE_SAMPLES:
            f.cycles = lower_cycles(&clock, &frame.u.samples);
            break;
        case WIRE_END:
            bad += !judge(&f, &frame.u.end);
            traps++;
            break;
        default:
            break;
        }
    printf("%d benchmarks, %d wrong without a word; exit code %d\n", traps, bad, code);
    buf_finish(&record);
    return code || bad || traps < 30;
}
