/* SPDX-License-Identifier: MIT
 *
 * What the kernel counted around all that is measured of a benchmark or a target, as it goes to the runner.
 */
#include "probe.h"
#include <math.h>

int64_t probe_whole(double value)
{
    return isnan(value) ? WIRE_NONE : (int64_t)value;
}

struct wire_account probe_account(struct noise_thread *t, int64_t wall_ns)
{
    const struct noise_delta d = noise_thread_end(t, (double)wall_ns);
    return (struct wire_account){.wall_ns = wall_ns,
                                 .cpu_ns = probe_whole(d.cpu_ns),
                                 .delay_ns = probe_whole(d.delay_ns),
                                 .throttled_ns = probe_whole(d.throttled_ns),
                                 .voluntary = probe_whole(d.voluntary),
                                 .involuntary = probe_whole(d.involuntary),
                                 .minflt = probe_whole(d.minflt),
                                 .majflt = probe_whole(d.majflt)};
}
