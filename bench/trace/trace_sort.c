/* SPDX-License-Identifier: MIT
 *
 * What points make of the time of a sort: without points, with points off, and traced; the same numbers, in one process, in turns.
 *
 *     trace_sort FOLDER NUMBERS GRAIN ROUNDS          lines: PASSES NS-WITHOUT NS-OFF NS-TRACED, one for each round */
#define _GNU_SOURCE
#include "sorted.h"
#include <stdio.h>
#include <stdlib.h>
#include <tare/point.h>
#include <time.h>

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double timed(void (*sort)(uint32_t *, uint32_t *, long, long), uint32_t *a, uint32_t *room, long n, long grain,
                    unsigned seed)
{
    uint32_t x = seed * 2654435761u | 1;
    for (long i = 0; i < n; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        a[i] = x;
    }
    const double from = now_ns();
    sort(a, room, n, grain);
    return now_ns() - from;
}

static long passes_of(long n, long grain)
{
    return n < 2 ? 0 : passes_of(n / 2, grain) + passes_of(n - n / 2, grain) + (n >= grain ? 2 : 0);
}

int main(int argc, char **argv)
{
    struct tare_err err;
    if (argc != 5 || tare_trace_start(&(struct tare_trace_options)TARE_INIT(struct tare_trace_options, .folder = argv[1],
                                                                            .mode = TARE_TRACE_OFF),
                                      &err) != TARE_OK)
        return 2;
    const long n = atol(argv[2]), grain = atol(argv[3]), rounds = atol(argv[4]);
    uint32_t *a = malloc((size_t)n * sizeof *a), *room = malloc((size_t)n * sizeof *room);
    if (!a || !room)
        return 2;
    timed(sort_without, a, room, n, grain, 1);
    for (long r = 0; r < rounds; r++) {
        const unsigned seed = (unsigned)r + 2;
        double ns[3];
        for (int k = 0; k < 3; k++) {
            const int which = (int)((k + r) % 3);
            tare_trace_modes(1, which == 2 ? TARE_TRACE_EVENTS : TARE_TRACE_OFF);
            ns[which] = timed(which ? sort_points : sort_without, a, room, n, grain, seed);
        }
        printf("%ld %.0f %.0f %.0f\n", passes_of(n, grain), ns[0], ns[1], ns[2]);
    }
    free(a);
    free(room);
    return 0;
}
