/* SPDX-License-Identifier: MIT
 *
 * A trace of known size.
 *
 *     trace_make FOLDER PASSES THREADS          THREADS threads pass sixteen points in random order, PASSES in all
 *
 * Prints the CPU time of a pass, ns: of the threads alone, the drawing of the next point and making room in it. */
#define _GNU_SOURCE /* clock_gettime */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <tare/point.h>
#include <time.h>

enum { THREADS_MAX = 64 };

static long passes;

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

#define CASE(n)               \
    case n:                   \
        TARE_POINT_NAMED(#n); \
        break

static void *go(void *seed)
{
    uint64_t x = (uint64_t)(uintptr_t)seed * 2654435761u + 1;
    for (long i = 0; i < passes; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        switch (x >> 30 & 15) {
            CASE(0);
            CASE(1);
            CASE(2);
            CASE(3);
            CASE(4);
            CASE(5);
            CASE(6);
            CASE(7);
            CASE(8);
            CASE(9);
            CASE(10);
            CASE(11);
            CASE(12);
            CASE(13);
            CASE(14);
            CASE(15);
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct tare_err err;
    const int threads = argc == 4 ? atoi(argv[3]) : 0;
    if (threads < 1 || threads > THREADS_MAX)
        return 2;
    const struct tare_trace_options o =
        TARE_INIT(struct tare_trace_options, .folder = argv[1], .mode = TARE_TRACE_EVENTS, .limit_bytes = UINT64_C(1) << 40);
    if (tare_trace_start(&o, &err) != TARE_OK) {
        fprintf(stderr, "trace_make: %s\n", err.text);
        return 2;
    }
    passes = atol(argv[2]) / threads;
    pthread_t all[THREADS_MAX];
    const double before = cpu_ns();
    for (int i = 0; i < threads; i++)
        if (pthread_create(&all[i], NULL, go, (void *)(uintptr_t)(i + 1)))
            return 2;
    for (int i = 0; i < threads; i++)
        pthread_join(all[i], NULL);
    printf("%.4f\n", (cpu_ns() - before) / (double)(passes * threads));
    return 0;
}
