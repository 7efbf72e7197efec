/* SPDX-License-Identifier: MIT
 *
 * Every form of control point that C has, in code whose result depends on none of them. NO_POINTS: the same code as if they had never been
 * written, to hold TARE_POINTS_OFF against. */
#include <stdint.h>
#include <stdlib.h>
#ifdef NO_POINTS
#define TARE_POINT()
#define TARE_POINT_NAMED(title)
#define TARE_POINT_VALUE(title, value)
#define TARE_POINT_VALUE_I64(title, value)
#define TARE_POINT_VALUE_F64(title, value)
#define TARE_POINT_FAST()
#define TARE_POINT_FAST_NAMED(title)
#define TARE_POINT_PRECISE()
#define TARE_POINT_PRECISE_NAMED(title)
#define TARE_SCOPE(title)
#define TARE_SCOPE_BEGIN(title)
#define TARE_SCOPE_END(title)
#define TARE_COUNTER(title, value)
#define TARE_COUNTER_F64(title, value)
#define TARE_ITERATION(index)
#define TARE_BREAK()
#define tare_lane(lane)
#define tare_mark(text)
#define tare_trace_thread_name(name)
#define tare_trace_stop()
#else
#include <tare/point.h>
#endif

static inline uint64_t step(uint64_t x)
{
    TARE_POINT();
    return x * 6364136223846793005u + 1442695040888963407u;
}

static uint64_t work(int rounds)
{
    uint64_t x = 1;
    TARE_SCOPE("work");
    TARE_SCOPE("twice in a block");
    for (int i = 0; i < rounds; i++) {
        TARE_ITERATION(i);
        TARE_SCOPE_BEGIN("round");
        if (x >> 63) {
            TARE_POINT_NAMED("high");
        } else {
            TARE_POINT_FAST_NAMED("low");
        }
        x = step(x);
        TARE_POINT_VALUE("value", x);
        TARE_POINT_VALUE_I64("signed", -i);
        TARE_POINT_VALUE_F64("real", 0.5 * i);
        TARE_POINT_FAST();
        TARE_POINT_PRECISE();
        TARE_COUNTER("counter", i);
        TARE_COUNTER_F64("level", (double)i);
        TARE_SCOPE_END("round");
    }
    TARE_BREAK();
    tare_lane((uint64_t)rounds);
    tare_mark("a remark");
    tare_lane(0);
    tare_trace_thread_name("forms");
    TARE_POINT_PRECISE_NAMED("done");
    return x;
}

int main(int argc, char **argv)
{
    const int bad = work(argc > 1 ? atoi(argv[1]) : 1) == 0;
    tare_trace_stop();
    return bad;
}
