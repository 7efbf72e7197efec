/* SPDX-License-Identifier: MIT
 *
 * Arcs whose time is known: chains of multiplications, each of which waits for the one before it.
 *
 *     trace_ladder PASSES          the arcs: links_N to end; links_0 is empty; truth_N to end: TRUTH_LINKS or twice as many in one chain
 *
 * A link is the difference of the two truths by TRUTH_LINKS: what is at their ends is in both. They are so short that an interruption is longer than
 * they are, and told from them: of a chain of 20 000 links one of 5 us is not, and made a link up to 2 % too long.
 *
 * -DFOUR_STAMPS: no points but four readings of the system's clock for each pass, as published for older tools, written anew here; lines
 * N MEAN-NS. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* for C++ it is always there */
#endif
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TRUTH_LINKS = 2000 };

#ifdef FOUR_STAMPS
enum { RUNGS = 16 };
static struct rung {
    const char *name;
    double sum;
    long n;
} rungs[RUNGS];
static int64_t first, second; /* t1, t2 of the arc that is under way */

static int64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
static void begin(int rung, const char *name)
{
    rungs[rung].name = name;
    first = clock_ns();
    second = clock_ns();
}
static void end(int rung)
{
    const int64_t third = clock_ns(), fourth = clock_ns();
    rungs[rung].sum += (double)(third - second) - (double)((second - first) + (fourth - third)) / 2;
    rungs[rung].n++;
}
#define BEGIN(rung, name) begin(rung, name)
#define END(rung)         end(rung)
#else
#include <tare/point.h>
#define BEGIN(rung, name) TARE_POINT_NAMED(name)
#define END(rung)         TARE_POINT_NAMED("end")
#endif

#if defined(__x86_64__)
#define CHAIN(links, x) __asm__ __volatile__(".rept %c1\n\timul %0, %0\n\t.endr" : "+r"(x) : "i"(links) : "cc")
#else
#define CHAIN(links, x) __asm__ __volatile__(".rept %c1\n\tmul %0, %0, %0\n\t.endr" : "+r"(x) : "i"(links))
#endif
#define RUNG(at, links)             \
    do {                            \
        BEGIN(at, "links_" #links); \
        CHAIN(links, x);            \
        END(at);                    \
    } while (0)

/* The number is not known when it is compiled, so both truths are of the same instructions. */
static __attribute__((noinline)) uint64_t truth(uint64_t x, int links)
{
    do
        CHAIN(100, x);
    while ((links -= 100) > 0);
    return x;
}

int main(int argc, char **argv)
{
    const long passes = argc == 2 ? atol(argv[1]) : 0;
    uint64_t x = 3;
    for (long i = 0; i < passes; i++) {
        if (i % 4 == 0) {
            BEGIN(11, "truth_once");
            x = truth(x, TRUTH_LINKS);
            END(11);
            BEGIN(12, "truth_twice");
            x = truth(x, 2 * TRUTH_LINKS);
            END(12);
        }
        BEGIN(1, "links_0");
        END(1);
        RUNG(2, 2);
        RUNG(3, 4);
        RUNG(4, 8);
        RUNG(5, 16);
        RUNG(6, 32);
        RUNG(7, 64);
        RUNG(8, 128);
        RUNG(9, 256);
        RUNG(10, 640);
    }
#ifdef FOUR_STAMPS
    for (int i = 0; i < RUNGS; i++)
        if (rungs[i].n)
            printf("%s %.4f\n", rungs[i].name, rungs[i].sum / (double)rungs[i].n);
#endif
    return passes > 0 ? 0 : 2;
}
