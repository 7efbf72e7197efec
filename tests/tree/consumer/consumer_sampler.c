/* SPDX-License-Identifier: MIT
 * A lab's program: two points with a loop between them. */
#include <sampler.h>

int main(int argc, char **argv)
{
    volatile int sum = 0;
    int i;
    sampler_init(&argc, argv);
    SAMPLE;
    for (i = 0; i < 1000; i++)
        sum = sum + i;
    CHECKPOINT;
    return argc - 1;
}
