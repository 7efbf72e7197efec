/* SPDX-License-Identifier: MIT
 *
 * A region of constant work, cut into pieces by points.
 *
 *     trace_nested PIECES REGIONS          PIECES divides 5000; the arcs from `end` to `begin` are outside of it */
#include <stdint.h>
#include <stdlib.h>
#include <tare/point.h>

enum { STEPS = 5000 }; /* of four links */

static uint64_t work(uint64_t x, long steps)
{
    for (long i = 0; i < steps; i++)
#if defined(__x86_64__)
        __asm__ __volatile__(".rept 4\n\timul %0, %0\n\t.endr" : "+r"(x) : : "cc");
#else
        __asm__ __volatile__(".rept 4\n\tmul %0, %0, %0\n\t.endr" : "+r"(x));
#endif
    return x;
}

int main(int argc, char **argv)
{
    const long pieces = argc == 3 ? atol(argv[1]) : 0, regions = argc == 3 ? atol(argv[2]) : 0;
    if (pieces < 1 || STEPS % pieces)
        return 2;
    uint64_t x = 3;
    for (long r = 0; r < regions; r++) {
        TARE_POINT_NAMED("begin");
        x = work(x, STEPS / pieces);
        for (long i = 1; i < pieces; i++) {
            TARE_POINT_NAMED("inner");
            x = work(x, STEPS / pieces);
        }
        TARE_POINT_NAMED("end");
    }
    return x == 0;
}
