/* SPDX-License-Identifier: MIT */
#include "plat_clock.h"
#include "real.h"

int64_t real_sooner(int64_t left, int64_t other)
{
    return left < 0 || other < left ? other : left;
}

int64_t real_watch(const struct plat_child_spec *spec, int64_t *due_ns, int64_t left)
{
    if (!spec->watch || *due_ns == INT64_MAX)
        return left;
    int64_t wait = *due_ns - plat_now_ns();
    if (wait <= 0) {
        wait = spec->watch(spec->watch_context);
        *due_ns = wait > 0 ? plat_now_ns() + wait : INT64_MAX;
        if (wait <= 0)
            return left;
    }
    return real_sooner(left, wait);
}
