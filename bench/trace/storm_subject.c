/* SPDX-License-Identifier: MIT
 *
 * What trace_storm starts: a program with points that ends, forks, or is interrupted in the way its arguments name. It ends by itself within a second or so.
 *
 *     storm_subject WAY AT COUNTERS          TARE_TRACE in the environment
 *
 * COUNTERS is a file of 64-bit numbers, shared: how many passes of each thread are done for certain; stored after each pass. Values of a
 * pass: thread << 32 | number, numbers from 0.
 *     kill      passes until it is killed     abort exit exec     after AT passes: abort, _exit, another program
 *     segv      a second thread goes on while a third one reads at 0 after AT passes
 *     forks     AT children, a thousand passes each, then as many of its own
 *     threads   AT threads at once, a thousand passes each
 *     signals   a timer interrupts AT times, each time a pass in the handler; passes meanwhile */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <tare/point.h>
#include <time.h>
#include <unistd.h>

enum { COUNTERS = 4096, EACH = 1000 };

static uint64_t *counters;
static long at_most;

static void pass(uint64_t thread, uint64_t i)
{
    TARE_POINT_VALUE("step", thread << 32 | i);
    __atomic_store_n(&counters[thread], i + 1, __ATOMIC_RELAXED);
}

static bool in_time(void)
{
    static _Atomic int64_t from;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    if (!from)
        from = t.tv_sec + 1;
    return t.tv_sec - from < 1;
}

/* Until n, or a second is over. */
static void pass_until(uint64_t thread, uint64_t n)
{
    for (uint64_t i = 0; i < n && (i % 1024 || in_time()); i++)
        pass(thread, i);
}

static void *other_thread(void *own)
{
    (void)own;
    pass_until(1, 1 << 22);
    return NULL;
}

static volatile char *volatile nowhere; /* reading it ends the program */

static void *broken_thread(void *own)
{
    (void)own;
    pass_until(2, (uint64_t)at_most);
    return (void *)(uintptr_t)*nowhere;
}

static int way_segv(void)
{
    pthread_t one, two;
    if (pthread_create(&one, NULL, other_thread, NULL) || pthread_create(&two, NULL, broken_thread, NULL))
        return 2;
    pass_until(0, 1 << 22);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 2;
}

static int way_forks(void)
{
    for (long i = 1; i <= at_most; i++) {
        const pid_t child = fork();
        if (child < 0)
            return 2;
        if (child)
            continue;
        for (uint64_t k = 0; k < EACH; k++)
            pass((uint64_t)i, k);
        _exit(0);
    }
    for (uint64_t k = 0; k < EACH; k++)
        pass(0, k);
    int left = 0, status;
    while (wait(&status) > 0)
        left += status == 0;
    return left == at_most ? 0 : 2;
}

static void *one_thread(void *index)
{
    for (uint64_t k = 0; k < EACH; k++)
        pass((uint64_t)(uintptr_t)index, k);
    return NULL;
}

static int way_threads(void)
{
    pthread_t *threads = calloc((size_t)at_most, sizeof *threads);
    pthread_attr_t small;
    if (!threads || pthread_attr_init(&small) || pthread_attr_setstacksize(&small, 65536))
        return 2;
    for (long i = 0; i < at_most; i++)
        if (pthread_create(&threads[i], &small, one_thread, (void *)(uintptr_t)(i + 1)))
            return 2;
    for (long i = 0; i < at_most; i++)
        pthread_join(threads[i], NULL);
    free(threads);
    return 0;
}

static volatile sig_atomic_t interrupts;

static void interrupt(int number)
{
    (void)number;
    TARE_POINT_VALUE("handler", interrupts);
    interrupts++;
}

/* Ends when the handler has run often enough: then the timer is off, and each of its passes is done. */
static int way_signals(void)
{
    struct sigaction a = {.sa_handler = interrupt, .sa_flags = SA_RESTART};
    const struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
    if (sigaction(SIGALRM, &a, NULL) || setitimer(ITIMER_REAL, &often, NULL))
        return 2;
    for (uint64_t i = 0; interrupts < at_most && i < 100000000; i++)
        pass(0, i);
    setitimer(ITIMER_REAL, &never, NULL);
    __atomic_store_n(&counters[1], (uint64_t)interrupts, __ATOMIC_RELAXED);
    return 0;
}

int main(int argc, char **argv)
{
    const int file = argc == 4 ? open(argv[3], O_RDWR | O_CLOEXEC) : -1;
    if (file < 0)
        return 2;
    counters = mmap(NULL, COUNTERS * sizeof *counters, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    at_most = atol(argv[2]);
    if (counters == MAP_FAILED || at_most < 0 || at_most >= COUNTERS * 1024)
        return 2;
    const char *way = argv[1];
    const bool many = !strcmp(way, "forks") || !strcmp(way, "threads");
    if (many && at_most >= COUNTERS)
        return 2;
    if (!strcmp(way, "forks"))
        return way_forks();
    if (!strcmp(way, "threads"))
        return way_threads();
    if (!strcmp(way, "signals"))
        return way_signals();
    if (!strcmp(way, "segv"))
        return way_segv();
    pass_until(0, strcmp(way, "kill") ? (uint64_t)at_most : UINT64_MAX);
    if (!strcmp(way, "abort"))
        abort();
    if (!strcmp(way, "exec"))
        execl("/bin/true", "true", (char *)NULL);
    _exit(!strcmp(way, "exit") || !strcmp(way, "kill") ? 0 : 2);
}
