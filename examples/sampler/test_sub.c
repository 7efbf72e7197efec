/* SPDX-License-Identifier: MIT
 *
 * The loop of test_cyc.c inside a function that is called four times between five points: it costs there what it costs outside. -DSIZE=N, -DTOUCHED
 * as there.
 */
#include <sampler.h>

#ifndef SIZE
#define SIZE 10000
#endif

static volatile int numbers[SIZE];

__attribute__((noinline)) static void fill(int n)
{
    int i;
    for (i = 0; i < n; i++)
        numbers[i] = i;
}

int main(int argc, char **argv)
{
    sampler_init(&argc, argv);
#ifdef TOUCHED
    fill(SIZE);
#endif
    SAMPLE;
    fill(SIZE / 10);
    SAMPLE;
    fill(SIZE / 5);
    SAMPLE;
    fill(SIZE / 2);
    SAMPLE;
    fill(SIZE);
    SAMPLE;
    return 0;
}
