/* SPDX-License-Identifier: MIT
 *
 * Paths drawn anew in each run.
 *
 *     trace_paths STEPS [SEED]          STEPS passes of eight points at random, with work of random length between them: STEPS - 1 passages */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <tare/point.h>
#include <time.h>

static uint64_t state;

static unsigned draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 20);
}

static void pass(unsigned which)
{
    switch (which) {
    case 0:
        TARE_POINT_NAMED("a");
        break;
    case 1:
        TARE_POINT_NAMED("b");
        break;
    case 2:
        TARE_POINT_NAMED("c");
        break;
    case 3:
        TARE_POINT_NAMED("d");
        break;
    case 4:
        TARE_POINT_NAMED("e");
        break;
    case 5:
        TARE_POINT_NAMED("f");
        break;
    case 6:
        TARE_POINT_NAMED("g");
        break;
    default:
        TARE_POINT_NAMED("h");
        break;
    }
}

int main(int argc, char **argv)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    state = (argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec) * 2 + 1;
    const long steps = argc > 1 ? atol(argv[1]) : 0;
    for (int i = 0; i < 16; i++)
        draw();
    const unsigned points = 2 + draw() % 7; /* of a run: so that arcs differ between runs */
    volatile unsigned kept = 0;
    for (long i = 0; i < steps; i++) {
        pass(argc > 2 ? (unsigned)(i & 7) : draw() % points);
        for (unsigned k = draw() % 64; k; k--)
            kept = kept * 3 + 1;
    }
    return 0;
}
