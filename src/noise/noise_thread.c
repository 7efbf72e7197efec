/* SPDX-License-Identifier: MIT
 *
 * The order of the readings: those that cost most stand farthest from the sample, and the end mirrors the beginning, so that each signal spans the
 * sample and the signals within it. CPU time stands next to the sample, because it is the one that is subtracted; only the number of the CPU is
 * nearer, which costs nothing.
 *
 *     throttled, counts, delay, CPU time, CPU | clock, work, clock | CPU, CPU time, delay, counts, throttled
 */
#include "noise_thread.h"
#include <math.h>
#include <stddef.h>

enum tare_status noise_thread_open(struct noise_thread *t, struct tare_err *err)
{
    enum tare_status status = plat_thread_open(&t->thread, err);
    enum tare_status quota = noise_quota_open(&t->quota, status ? NULL : err);
    return status ? status : quota;
}

void noise_thread_close(struct noise_thread *t)
{
    plat_thread_close(&t->thread);
    noise_quota_close(&t->quota);
}

void noise_thread_begin(struct noise_thread *t)
{
    t->throttled_ns = noise_quota_throttled_ns(&t->quota);
    plat_thread_counts(&t->counts);
    t->delay_ns = plat_thread_delay_ns(&t->thread);
    t->cpu_ns = plat_thread_cpu_ns();
    t->cpu = plat_thread_cpu();
}

static double grown(int64_t from, int64_t to)
{
    return from < 0 || to < 0 ? NAN : (double)(to - from);
}

/* The readings themselves can be where a thread loses its CPU: reading the CPU time makes the kernel look at the quota, and stop it there.
 * Of such a loss only that can lie within the sample which its wall time has beyond its CPU time. */
static double within(double lost_ns, const struct noise_delta *d)
{
    return isnan(lost_ns) || isnan(d->cpu_ns) ? lost_ns : fmin(lost_ns, fmax(d->wall_ns - d->cpu_ns, 0));
}

/* Where the system counts switches and not the wait for a CPU (Windows): a thread that never gave up its CPU was without one only while it waited for it, and
 * not at all where it was never switched. */
static double delay_by_switches(const struct noise_delta *d)
{
    if (!(d->voluntary == 0) || isnan(d->involuntary))
        return NAN;
    return d->involuntary > 0 ? fmax(d->wall_ns - d->cpu_ns, 0) : 0;
}

struct noise_delta noise_thread_end(struct noise_thread *t, double wall_ns)
{
    int cpu = plat_thread_cpu();
    int64_t cpu_ns = plat_thread_cpu_ns(), delay_ns = plat_thread_delay_ns(&t->thread);
    struct plat_thread_counts counts;
    plat_thread_counts(&counts);
    int64_t throttled_ns = noise_quota_throttled_ns(&t->quota);

    struct noise_delta d = noise_unknown(wall_ns);
    d.cpu_ns = grown(t->cpu_ns, cpu_ns);
    d.delay_ns = within(grown(t->delay_ns, delay_ns), &d);
    d.throttled_ns = within(grown(t->throttled_ns, throttled_ns), &d);
    d.voluntary = grown(t->counts.voluntary, counts.voluntary);
    d.involuntary = grown(t->counts.involuntary, counts.involuntary);
    d.majflt = grown(t->counts.majflt, counts.majflt);
    d.minflt = grown(t->counts.minflt, counts.minflt);
    if (isnan(d.delay_ns))
        d.delay_ns = delay_by_switches(&d);
    d.first_cpu = t->cpu < 0 ? NAN : t->cpu;
    d.last_cpu = cpu < 0 ? NAN : cpu;
    d.whole = true;
    return d;
}
