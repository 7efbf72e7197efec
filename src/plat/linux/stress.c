/* SPDX-License-Identifier: MIT
 *
 * Threads that multiply, one on each CPU. Eight chains of multiplies that know nothing of each other keep the one multiplier of a core busy at every
 * cycle, so that two threads on one core get half of it each, and two on two cores all of theirs: the sharpest question there is to a core.
 */
#include "plat.h"
#include "plat_clock.h"
#include "plat_thread.h"
#include "posix.h"
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { CHAINS = 8, STEPS = 256 };

struct team {
    int64_t end_ns;
    atomic_int ready, gate; /* gate: 0 closed, 1 open, -1 abandoned */
};

struct member {
    pthread_t thread;
    struct team *team;
    int cpu;
    enum tare_status status;
    struct plat_stressed found;
};

/* The empty assembly makes the compiler keep each chain in a register and each multiply in its place. */
static uint64_t multiply(uint64_t x)
{
    uint64_t a = x, b = x + 2, c = x + 4, d = x + 6, e = x + 8, f = x + 10, g = x + 12, h = x + 14;
    for (int i = 0; i < STEPS; i++) {
        a *= x, b *= x, c *= x, d *= x, e *= x, f *= x, g *= x, h *= x;
        __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g), "+r"(h));
    }
    return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
}

static void work(struct member *m)
{
    uint64_t x = (uint64_t)m->cpu | 3;
    int64_t blocks = 0, cpu_ns = plat_thread_cpu_ns(), now = plat_now_ns(), begin = now;
    for (; now < m->team->end_ns && !plat_signal(); now = plat_now_ns(), blocks++)
        x = multiply(x | 1);
    __asm__ volatile("" : : "r"(x));
    int64_t after = plat_thread_cpu_ns();
    m->found = (struct plat_stressed){.multiplies = (double)blocks * STEPS * CHAINS,
                                      .wall_ns = now - begin,
                                      .cpu_ns = cpu_ns < 0 || after < 0 ? -1 : after - cpu_ns};
}

static void *member(void *argument)
{
    struct member *m = argument;
    int gate;
    m->status = plat_thread_pin(m->cpu, NULL);
    atomic_fetch_add(&m->team->ready, 1);
    while (!(gate = atomic_load(&m->team->gate)))
        plat_clock_sleep_ns(20000);
    if (gate > 0 && !m->status)
        work(m);
    return NULL;
}

/* Opens the gate once all are there and on their CPUs. */
static void begin_together(struct team *t, struct member *members, int started, bool all, int64_t duration_ns)
{
    const int64_t lead_ns = 100000;
    while (atomic_load(&t->ready) < started)
        plat_clock_sleep_ns(20000);
    for (int i = 0; i < started; i++)
        all &= !members[i].status;
    t->end_ns = plat_now_ns() + lead_ns + duration_ns;
    atomic_store(&t->gate, all ? 1 : -1);
}

static enum tare_status run(struct member *members, int n, int64_t duration_ns, struct tare_err *err)
{
    struct team team = {0};
    int started = 0, error = 0;
    while (started < n && !error) {
        members[started].team = &team;
        error = pthread_create(&members[started].thread, NULL, member, &members[started]);
        started += !error;
    }
    begin_together(&team, members, started, !error, duration_ns);
    for (int i = 0; i < started; i++)
        pthread_join(members[i].thread, NULL);
    if (error)
        return posix_fail(err, error, "cannot start %d threads", n);
    for (int i = 0; i < n; i++)
        if (members[i].status)
            return posix_pin_refused(members[i].cpu, err);
    return TARE_OK;
}

enum tare_status plat_stress(const int *cpus, int n, int64_t duration_ns, struct plat_stressed *out, struct tare_err *err)
{
    struct member *members = calloc((size_t)n, sizeof *members);
    if (!members)
        return err_set(err, TARE_NO_MEMORY, "no memory for %d threads", n);
    for (int i = 0; i < n; i++)
        members[i].cpu = cpus[i];
    enum tare_status status = run(members, n, duration_ns, err);
    for (int i = 0; i < n && !status; i++)
        out[i] = members[i].found;
    free(members);
    return status;
}
