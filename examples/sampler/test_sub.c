/* SPDX-License-Identifier: MIT
 *
 * The loop of test_cyc.c inside a function that is called four times between five points: it costs there what it costs outside. -DSIZE=N, -DWORK=N
 * and -DTOUCHED as there.
 */
#include <sampler.h>

#ifndef SIZE
#define SIZE 10000
#endif
#ifndef WORK
#define WORK 1
#endif

static volatile int numbers[SIZE];

__attribute__((noinline)) static void fill(int n, int work)
{
    int i, again;
    for (again = 0; again < work; again++)
        for (i = 0; i < n; i++)
            numbers[i] = i;
}

int main(int argc, char **argv)
{
    sampler_init(&argc, argv);
#ifdef TOUCHED
    fill(SIZE, 1);
#endif
    SAMPLE;
    fill(SIZE / 10, WORK);
    SAMPLE;
    fill(SIZE / 5, WORK);
    SAMPLE;
    fill(SIZE / 2, WORK);
    SAMPLE;
    fill(SIZE, WORK);
    SAMPLE;
    return 0;
}
