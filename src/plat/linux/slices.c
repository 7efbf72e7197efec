/* SPDX-License-Identifier: MIT
 *
 * Two threads that want one CPU. Each reads the clock in a loop; a step that is larger than any interrupt means that the other ran, and
 * the stretch before it was one slice. The first stretch of a thread is left out, for it began in the middle of nothing.
 */
#include "plat.h"
#include "plat_clock.h"
#include "posix.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { OTHER_RAN_NS = 250000 };

struct contest {
    int cpu;
    int64_t duration_ns;
    atomic_int ready;
    double *slice_ns; /* of both */
    int max;
    atomic_int n;
};

/* On the same CPU the second cannot begin while the first waits spinning, so waiting yields. */
static void meet(struct contest *c)
{
    atomic_fetch_add(&c->ready, 1);
    while (atomic_load(&c->ready) < 2 && !plat_signal())
        sched_yield();
}

static void *spin(void *contest)
{
    struct contest *c = contest;
    bool there = !plat_thread_pin(c->cpu, NULL);
    meet(c); /* else the other one would wait for ever */
    if (!there)
        return NULL;
    bool whole = false;
    int64_t begun = plat_now_ns(), last = begun, end = begun + c->duration_ns;
    while (last < end && !plat_signal()) {
        int64_t now = plat_now_ns();
        if (now - last > OTHER_RAN_NS) {
            int place = whole ? atomic_fetch_add(&c->n, 1) : c->max;
            if (place < c->max)
                c->slice_ns[place] = (double)(last - begun);
            begun = now;
            whole = true;
        }
        last = now;
    }
    return NULL;
}

enum tare_status plat_slices_measure(int cpu, int64_t duration_ns, double *slice_ns, int max, int *n, struct tare_err *err)
{
    struct contest c = {.cpu = cpu, .duration_ns = duration_ns, .slice_ns = slice_ns, .max = max};
    pthread_t threads[2];
    int started = 0, error = 0;
    *n = 0;
    if (!plat_cpu_allowed(cpu))
        return err_set(err, TARE_INVALID, "CPU %d is offline or not allowed to us", cpu);
    while (started < 2 && !(error = pthread_create(&threads[started], NULL, spin, &c)))
        started++;
    if (started < 2)
        atomic_store(&c.ready, 2); /* the first one must not wait for ever */
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    if (error)
        return posix_fail(err, error, "cannot start two threads");
    int found = atomic_load(&c.n);
    *n = found < max ? found : max;
    return TARE_OK;
}

/* The kernel's struct of version 1, which the C library does not have. */
struct attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

/* Since 6.12 the request of a fair thread is its runtime; before, sched_rr_get_interval gives the slice in whole ticks, or 0. */
int64_t plat_slice_told_ns(void)
{
    struct attributes a = {.size = sizeof a};
    struct timespec t;
    if (!syscall(SYS_sched_getattr, 0, &a, sizeof a, 0) && a.policy == SCHED_OTHER && a.runtime > 0)
        return (int64_t)a.runtime;
    if (sched_rr_get_interval(0, &t))
        return -1;
    int64_t ns = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
    return ns > 0 ? ns : -1;
}
