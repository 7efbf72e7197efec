/* SPDX-License-Identifier: MIT
 *
 * sample_weight PROGRAM BENCHMARK: what a sample takes beyond the code under test and the reference chain between it and the next, in nanoseconds:
 * from the begin of one sample to that of the next, less what both brackets counted, in a process that was told how many iterations a sample has,
 * as all but the first are. The benchmark has no hooks around its samples. Prints "MEDIAN P90 N CHAIN BRACKET": CHAIN the chain with what its own
 * bracket finds in itself, BRACKET what making that bracket takes beyond that, which is in MEDIAN.
 */
#include "wire.h"
#include "wire_child.h"
#include <stdio.h>
#include <stdlib.h>
#include <tare/stats.h>
#include <tare/ticks.h>

enum { MOST = 100000 };

struct weights {
    double ns[MOST], chains[MOST];
    int n;
    double hz;
};

static double column(const struct wire_samples *s, enum wire_column c, uint32_t row)
{
    return (double)wire_sample(s, c, row);
}

static void take(struct weights *w, const struct wire_clock *clock, const struct wire_samples *s)
{
    for (uint32_t i = 0; i + 1 < s->n && w->n < MOST; i++) {
        double since = column(s, WIRE_START_TICKS, i + 1) - column(s, WIRE_START_TICKS, i);
        double chain = clock->core ? column(s, WIRE_CHAIN_AFTER, i) : 0;
        w->ns[w->n] = (since - column(s, WIRE_TICKS, i) - chain) / clock->hz * 1e9;
        w->chains[w->n++] = chain / clock->hz * 1e9;
    }
}

static int measure(const char *program, const char *benchmark, struct weights *w)
{
    char lines[256];
    snprintf(lines, sizeof lines, "sample_ns 20000\nsamples 1000\nwarmup 100\nguard 0\nrun 0 %s\n", benchmark);
    struct buf record = BUF_INIT(1 << 26);
    int code = wire_child(program, lines, &record);
    struct wire_reader r = {record.data, record.len, 0};
    struct wire_frame frame;
    struct wire_clock clock = {0};
    while (wire_next(&r, &frame, NULL) == TARE_OK) {
        if (frame.type == WIRE_CLOCK)
            clock = frame.u.clock, w->hz = clock.hz;
        if (frame.type == WIRE_SAMPLES && clock.hz > 0)
            take(w, &clock, &frame.u.samples);
    }
    buf_finish(&record);
    return code;
}

#if TARE_TICKS_INLINE
/* The whole of an empty bracket less what it finds in itself. */
static double outside_ticks(void)
{
    enum { TIMES = 1001, BRACKETS = 100 };
    double outside[TIMES];
    for (int i = 0; i < TIMES; i++) {
        int cpu;
        uint64_t first = tare_ticks_begin().count, inside = 0;
        for (int k = 0; k < BRACKETS; k++) {
            uint64_t begin = tare_ticks_begin().count;
            inside += tare_ticks_end(&cpu).count - begin;
        }
        outside[i] = (double)(tare_ticks_begin().count - first - inside) / BRACKETS;
    }
    tare_sort(outside, TIMES);
    return tare_quantile_sorted(outside, TIMES, 0.5);
}
#else
static double outside_ticks(void)
{
    return 0;
}
#endif

int main(int argc, char **argv)
{
    static struct weights w;
    if (argc != 3 || measure(argv[1], argv[2], &w) || !w.n)
        return 1;
    tare_sort(w.ns, w.n);
    tare_sort(w.chains, w.n);
    printf("%.1f %.1f %d %.0f %.1f\n", tare_quantile_sorted(w.ns, w.n, 0.5), tare_quantile_sorted(w.ns, w.n, 0.9), w.n,
           tare_quantile_sorted(w.chains, w.n, 0.5), outside_ticks() / w.hz * 1e9);
    return 0;
}
