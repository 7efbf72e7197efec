/* SPDX-License-Identifier: MIT */
#include "linux.h"
#include "plat.h"
#include <sys/prctl.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/* Without the kernel's randomness (a filter, an old kernel) the clock and our id still differ from start to start. */
uint64_t plat_random_seed(void)
{
    uint64_t seed;
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != sizeof seed)
        seed = (uint64_t)plat_now_ns() * 0x9e3779b97f4a7c15u ^ (uint64_t)getpid() << 32 ^ (uint64_t)plat_utc_ns();
    return seed;
}

void plat_sleep_ns(int64_t ns)
{
    int64_t end = plat_now_ns() + ns;
    for (int64_t left = ns; left > 0 && !plat_signal(); left = end - plat_now_ns())
        signal_poll(NULL, 0, left, true);
}

void plat_nap_ns(int64_t ns)
{
    struct timespec t = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}

int64_t plat_timer_slack_ns(void)
{
    return prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
}
