/* SPDX-License-Identifier: MIT
 *
 * Threads that pass points before anything is known of these: the program's constructors have not run yet. */
#include <pthread.h>
#include <stdlib.h>
#include <tare/point.h>

enum { THREADS = 8, PASSES = 100 };
static pthread_barrier_t all_here;

static void *pass(void *argument)
{
    pthread_barrier_wait(&all_here);
    for (int i = 0; i < PASSES; i++)
        TARE_POINT_NAMED("early");
    return argument;
}

__attribute__((constructor(150))) static void before_the_points(void)
{
    pthread_t threads[THREADS];
    if (pthread_barrier_init(&all_here, NULL, THREADS))
        exit(3);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, pass, NULL))
            exit(3);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
    TARE_POINT_NAMED("late");
    return 0;
}
