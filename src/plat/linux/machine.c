/* SPDX-License-Identifier: MIT */
#include "plat.h"
#include <sys/random.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static int64_t timeval_ns(struct timeval t)
{
    return (int64_t)t.tv_sec * 1000000000 + (int64_t)t.tv_usec * 1000;
}

void plat_usage(struct plat_usage *out)
{
    struct rusage u = {0};
    getrusage(RUSAGE_SELF, &u);
    *out = (struct plat_usage){timeval_ns(u.ru_utime), timeval_ns(u.ru_stime), (int64_t)u.ru_maxrss * 1024};
}

/* Without the kernel's randomness (a filter, an old kernel) the clock and our id still differ from start to start. */
uint64_t plat_random_seed(void)
{
    uint64_t seed;
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != sizeof seed)
        seed = (uint64_t)plat_now_ns() * 0x9e3779b97f4a7c15u ^ (uint64_t)getpid() << 32 ^ (uint64_t)plat_utc_ns();
    return seed;
}
