/* SPDX-License-Identifier: MIT
 *
 * Four loops over 1/10, 2/10, 5/10 and all of one array, three times. The first four arcs find a cold cache; what the later ones gain from it ends
 * where the array is larger than the cache.
 *
 *     -DSIZE=N     how many numbers; 10000
 *     -DWORK=N     how often each loop goes over its part; 1
 *     -DTOUCHED    the array is written before the first point: then, with enough work, the arcs stand as 1:2:5:10
 */
#include <sampler.h>

#ifndef SIZE
#define SIZE 10000
#endif
#ifndef WORK
#define WORK 1
#endif

static volatile int numbers[SIZE];

int main(int argc, char **argv)
{
    int i, again, round;
    sampler_init(&argc, argv);
#ifdef TOUCHED
    for (i = 0; i < SIZE; i++)
        numbers[i] = i;
#endif
    for (round = 0; round < 3; round++) {
        SAMPLE;
        for (again = 0; again < WORK; again++)
            for (i = 0; i < SIZE / 10; i++)
                numbers[i] = i;
        SAMPLE;
        for (again = 0; again < WORK; again++)
            for (i = 0; i < SIZE / 5; i++)
                numbers[i] = i;
        SAMPLE;
        for (again = 0; again < WORK; again++)
            for (i = 0; i < SIZE / 2; i++)
                numbers[i] = i;
        SAMPLE;
        for (again = 0; again < WORK; again++)
            for (i = 0; i < SIZE; i++)
                numbers[i] = i;
        SAMPLE;
    }
    return 0;
}
