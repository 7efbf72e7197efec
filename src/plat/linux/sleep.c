/* SPDX-License-Identifier: MIT */
#include "linux.h"
#include "plat.h"

void plat_sleep_ns(int64_t ns)
{
    int64_t end = plat_now_ns() + ns;
    for (int64_t left = ns; left > 0 && !plat_signal(); left = end - plat_now_ns())
        signal_poll(NULL, 0, left, true);
}
