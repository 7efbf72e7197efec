/* SPDX-License-Identifier: MIT */
#include "linux.h"
#include "plat.h"
#include <time.h>

static int64_t read_clock(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t plat_now_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

int64_t plat_utc_ns(void)
{
    return read_clock(CLOCK_REALTIME);
}

void plat_sleep_ns(int64_t ns)
{
    int64_t end = plat_now_ns() + ns;
    for (int64_t left = ns; left > 0 && !plat_signal(); left = end - plat_now_ns())
        signal_poll(NULL, 0, left, true);
}
