/* SPDX-License-Identifier: MIT
 *
 * load KIND CPU: disturbs until it is ended, on that CPU (-1: on any).
 *
 *     spin     computes all the time
 *     hog      computes half of the time, 10 ms of 20
 *     bursts   computes 5 ms of 100
 *     thrash   walks through 64 MB of memory without pause
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void compute(double seconds)
{
    for (double end = now_s() + seconds; now_s() < end;)
        for (volatile int i = 0; i < 1000; i++)
            ;
}

static void in_turn(long busy_ms, long idle_ms)
{
    for (;;) {
        compute((double)busy_ms / 1e3);
        nanosleep(&(struct timespec){0, idle_ms * 1000000}, NULL);
    }
}

static int thrash(void)
{
    enum { BYTES = 64 << 20 };
    volatile char *all = malloc(BYTES);
    if (!all)
        return 1;
    for (;;)
        for (size_t i = 0; i < BYTES; i += 64)
            all[i]++;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    int cpu = atoi(argv[2]);
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu < 0 ? 0 : cpu, &set);
    if (cpu >= 0 && sched_setaffinity(0, sizeof set, &set))
        return 1;
    if (!strcmp(argv[1], "spin"))
        compute(1e9);
    if (!strcmp(argv[1], "hog"))
        in_turn(10, 10);
    if (!strcmp(argv[1], "bursts"))
        in_turn(5, 95);
    return !strcmp(argv[1], "thrash") ? thrash() : 2;
}
