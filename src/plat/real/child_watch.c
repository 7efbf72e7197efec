/* SPDX-License-Identifier: MIT */
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

void real_trim(const struct plat_child_spec *spec)
{
    enum { OUR_ERRORS = 2 }; /* the last of our own streams */
    if (spec->fd_report)
        plat_scratch_trim(spec->fd_report, spec->report_bytes);
    if (!spec->scratch_bytes)
        return;
    plat_scratch_trim(spec->fd_out, spec->scratch_bytes);
    if (spec->fd_err > OUR_ERRORS)
        plat_scratch_trim(spec->fd_err, spec->scratch_bytes);
}
