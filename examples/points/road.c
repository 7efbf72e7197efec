/* SPDX-License-Identifier: MIT
 *
 * road - a program with control points: loops, branches, threads, a scope.
 *
 *     tare trace -- ./road [ROUNDS [THREADS]]
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <tare/point.h>

static uint64_t step(uint64_t x, int times)
{
    for (int i = 0; i < times; i++)
        x = x * 6364136223846793005u + 1442695040888963407u;
    return x;
}

static uint64_t cross(uint64_t x)
{
    TARE_SCOPE("crossing");
    if (x >> 63) {
        TARE_POINT_NAMED("left");
        return step(x, 20);
    }
    TARE_POINT_NAMED("right");
    return step(x, 100);
}

static int rounds = 1000;

static void *walk(void *argument)
{
    uint64_t x = (uintptr_t)argument;
    TARE_POINT_NAMED("start");
    for (int i = 0; i < rounds; i++) {
        TARE_ITERATION(i);
        x = step(cross(x), 50);
        TARE_POINT_VALUE("milestone", x % 10);
    }
    TARE_POINT_NAMED("arrival");
    return (void *)(uintptr_t)x;
}

int main(int argc, char **argv)
{
    enum { THREADS_MAX = 64 };
    pthread_t threads[THREADS_MAX];
    rounds = argc > 1 ? atoi(argv[1]) : rounds;
    int n = argc > 2 ? atoi(argv[2]) : 2;
    n = n < 0 ? 0 : n > THREADS_MAX ? THREADS_MAX : n;
    TARE_POINT();
    for (int i = 0; i < n; i++)
        if (pthread_create(&threads[i], NULL, walk, (void *)(uintptr_t)(i + 1)))
            return 1;
    void *sum = walk(NULL);
    TARE_POINT();
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    TARE_POINT_NAMED("all there");
    if (rounds < 0)
        TARE_POINT_NAMED("turned back");
    printf("%p\n", sum);
    return 0;
}
