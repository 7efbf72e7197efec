/* SPDX-License-Identifier: MIT
 * What all who work on a target ask of its job: how it ends, its random numbers, its time. */
#include "leak_harness.h"

enum { DEFAULT_NS = 200000000 };

void leak_end(struct leak_job *job, enum wire_state end, const char *format, ...)
{
    if (job->end != WIRE_OK)
        return;
    job->end = end;
    struct buf reason = buf_over(job->reason, sizeof job->reason);
    va_list ap;
    va_start(ap, format);
    buf_vformat(&reason, format, ap);
    va_end(ap);
}

void leak_seed(struct leak_job *job, uint64_t seed)
{
    job->random = (struct tare_random){rng_seeded(seed + 1)};
    job->order = chacha_seeded(seed);
}

void leak_start_over(struct leak_job *job)
{
    leak_seed(job, job->q->seed);
    job->timer.calls = job->timer.saturated = job->timer.migrated = 0;
}

int64_t leak_elapsed_ns(const struct leak_job *job)
{
    return plat_clock_ns(clock_reference()) - job->start_ns;
}

int64_t leak_time_ns(const struct leak_job *job)
{
    return job->q->leak_ns ? job->q->leak_ns : DEFAULT_NS;
}
