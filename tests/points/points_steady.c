/* SPDX-License-Identifier: MIT
 *
 * Control points on a clock that goes on by one step at each reading, and stands still in between. So it is known what an arc comes to: one step for each
 * reading that the program makes in it, and what a pass puts there.
 *
 *     points_steady TIMES          a name that ends in a number is a point behind so many readings of the program
 *
 * STEADY_STEP in the environment: what is read is rounded down to whole steps of so many ns; STEADY_LATER: so many readings are made behind the first
 * pass, so that the phase of the clock is another. (What libtare waits for before ends when the clock steps.) */
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <tare/point.h>
#include <time.h>

enum { STEP_NS = 7 };

static int64_t from_environment(const char *name, int64_t otherwise)
{
    const char *value = getenv(name);
    return value ? atoll(value) : otherwise;
}

/* In place of the C library's, for libtare too. */
int clock_gettime(clockid_t clock, struct timespec *t)
{
    static _Atomic int64_t now = 1000000000;
    const int64_t rounded_to = from_environment("STEADY_STEP", 1);
    (void)clock;
    const int64_t exact = atomic_fetch_add(&now, STEP_NS) + STEP_NS, ns = exact - exact % rounded_to;
    *t = (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    return 0;
}

static void work(int readings)
{
    struct timespec t;
    for (int i = 0; i < readings; i++)
        clock_gettime(CLOCK_MONOTONIC_RAW, &t);
}

/* The same work in one piece and in ten. */
static void regions(void)
{
    TARE_POINT_NAMED("one 0");
    work(100);
    TARE_POINT_NAMED("one 100");
    for (int i = 0; i < 10; i++) {
        work(10);
        TARE_POINT_NAMED("ten 10");
    }
}

int main(int argc, char **argv)
{
    const int times = argc == 2 ? atoi(argv[1]) : 0;
    const int later = (int)from_environment("STEADY_LATER", 0);
    if (later > 0) {
        TARE_POINT_NAMED("before 0");
        work(later);
        TARE_BREAK();
    }
    for (int i = 0; i < times; i++) {
        TARE_ITERATION(i);
        TARE_POINT_NAMED("empty 0");
        TARE_POINT_NAMED("next 0");
        work(3);
        TARE_POINT_FAST_NAMED("unordered 3");
        TARE_COUNTER("beside", i);
        TARE_POINT_NAMED("counted 0");
        work(1);
        TARE_POINT_VALUE("value 1", i);
        {
            TARE_SCOPE("scope 0");
        }
        tare_lane(0);
        TARE_POINT_NAMED("lane 0");
        tare_mark("half way");
        tare_trace_thread_name("steady");
        TARE_POINT_NAMED("marked 0");
        regions();
    }
    return 0;
}
