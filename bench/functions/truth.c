/* SPDX-License-Identifier: MIT
 *
 * truth: what a core cycle takes right now, by no code of tare's: chains of multiplies (3 cycles each on the cores that bench/functions.sh knows)
 * and of register adds (1 cycle) against CLOCK_MONOTONIC_RAW. Prints one line:
 *
 *     NANOSECONDS-PER-CYCLE RATIO
 *
 * the median of 61 runs of 0.3 ms each, and how many adds a multiply takes, by the shortest run of each: other than 3.00, chains of known length are
 * not known here. Runs are short and many because adds feel a neighbour on the core, by a tenth and for milliseconds: of 15 runs of a millisecond each
 * none may be without it.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TIMES = 61, STEPS = 100, LOOPS = 3000 };

#if defined(__aarch64__)
#define MULTIPLY "mul %0, %0, %1\n"
#define ADD      "add %0, %0, %1\n"
#else
#define MULTIPLY "imul %1, %0\n"
#define ADD      "add %1, %0\n"
#endif

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double multiply_ns(void)
{
    uint64_t x = 3, by = 5;
    double begin = now_ns();
    for (int i = 0; i < LOOPS; i++)
        __asm__ volatile(".rept 100\n" MULTIPLY ".endr" : "+r"(x) : "r"(by));
    return (now_ns() - begin) / LOOPS / STEPS;
}

static double add_ns(void)
{
    uint64_t x = 3, by = 5;
    double begin = now_ns();
    for (int i = 0; i < LOOPS; i++)
        __asm__ volatile(".rept 100\n" ADD ".endr" : "+r"(x) : "r"(by));
    return (now_ns() - begin) / LOOPS / STEPS;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    double multiply[TIMES], add[TIMES];
    multiply_ns(); /* the core wakes up */
    for (int i = 0; i < TIMES; i++) {
        multiply[i] = multiply_ns();
        add[i] = add_ns();
    }
    qsort(multiply, TIMES, sizeof *multiply, by_size);
    qsort(add, TIMES, sizeof *add, by_size);
    printf("%.6f %.4f\n", multiply[TIMES / 2] / 3, multiply[0] / add[0]);
    return 0;
}
