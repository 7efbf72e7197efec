/* SPDX-License-Identifier: MIT */
#include "plat_clock.h"
#include <time.h>

int64_t plat_clock_number_ns(int number)
{
    struct timespec t;
    return clock_gettime((clockid_t)number, &t) ? INT64_MIN : (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
