/* SPDX-License-Identifier: MIT
 *
 * What an event costs in another tracer, beside a reading of the system's clock in the same rounds.
 *
 *     peer_cost NAME ROUNDS PASSES          lines: NAME NS-AN-EVENT and read_system NS, one of each for each round
 *
 * -DLTTNG: a tracepoint without fields. Else built with -pg and run by uftrace: a call of an empty function, which is two events. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#ifdef LTTNG
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_point.h"
#define EVENT()  lttng_ust_tracepoint(tare_bench, pass)
#define PER_PASS 1
#else
static void __attribute__((noinline)) called(void)
{
    __asm__ __volatile__("" ::: "memory");
}
#define EVENT()  called()
#define PER_PASS 2
#endif
#define PLAIN __attribute__((noinline, no_instrument_function))

static int64_t PLAIN clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static double PLAIN events(long n)
{
    const int64_t from = clock_ns();
    for (long i = 0; i < n; i++)
        EVENT();
    return (double)(clock_ns() - from) / (double)(n * PER_PASS);
}

static double PLAIN reads(long n)
{
    const int64_t from = clock_ns();
    for (long i = 0; i < n; i++)
        clock_ns();
    return (double)(clock_ns() - from) / (double)n;
}

int PLAIN main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    const long rounds = atol(argv[2]), n = atol(argv[3]);
    events(n / 10 + 1);
    for (long r = 0; r < rounds; r++) {
        const double event = events(n);
        printf("%s %.4f\nread_system %.4f\n", argv[1], event, reads(n));
    }
    return 0;
}
