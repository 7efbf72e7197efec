/* SPDX-License-Identifier: MIT
 *
 * Threads that multiply, one on each CPU. Eight chains of multiplies that know nothing of each other keep the one multiplier of a core busy at every
 * cycle, so that two threads on one core get half of it each, and two on two cores all of theirs: the sharpest question there is to a core.
 */
#include "plat.h"
#include "plat_clock.h"
#include "plat_process.h"
#include "plat_thread.h"
#include <stdatomic.h>
#include <stdlib.h>

enum { CHAINS = 8, STEPS = 256 };

struct member {
    int cpu;
    enum tare_status refused;
    struct tare_err why;
    struct plat_stressed found;
};

struct team {
    struct member *members;
    int n;
    int64_t duration_ns;
    atomic_int ready, failed;
    atomic_llong end_ns; /* 0: not begun yet */
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

static void work(struct member *m, int64_t end_ns)
{
    uint64_t x = (uint64_t)m->cpu | 3;
    int64_t blocks = 0, cpu_ns = plat_thread_cpu_ns(), now = plat_now_ns(), begin = now;
    for (; now < end_ns && !plat_signal(); now = plat_now_ns(), blocks++)
        x = multiply(x | 1);
    __asm__ volatile("" : : "r"(x));
    int64_t after = plat_thread_cpu_ns();
    m->found = (struct plat_stressed){.multiplies = (double)blocks * STEPS * CHAINS,
                                      .wall_ns = now - begin,
                                      .cpu_ns = cpu_ns < 0 || after < 0 ? -1 : after - cpu_ns};
}

/* Nobody begins before all are there and on their CPUs. */
static void stress_one(void *context, int thread)
{
    const int64_t lead_ns = 100000;
    struct team *t = context;
    struct member *m = &t->members[thread];
    m->refused = plat_thread_pin(m->cpu, &m->why);
    atomic_fetch_add(&t->failed, m->refused != TARE_OK);
    atomic_fetch_add(&t->ready, 1);
    while (atomic_load(&t->ready) < t->n)
        plat_clock_sleep_ns(20000);
    long long none = 0;
    atomic_compare_exchange_strong(&t->end_ns, &none, plat_now_ns() + lead_ns + t->duration_ns);
    if (!atomic_load(&t->failed))
        work(m, atomic_load(&t->end_ns));
}

enum tare_status plat_stress(const int *cpus, int n, int64_t duration_ns, struct plat_stressed *out, struct tare_err *err)
{
    struct plat_cpus mine;
    struct team t = {.members = calloc((size_t)n, sizeof *t.members), .n = n, .duration_ns = duration_ns};
    if (!t.members)
        return err_no_memory(err);
    for (int i = 0; i < n; i++)
        t.members[i].cpu = cpus[i];
    plat_thread_cpus(&mine);
    enum tare_status status = plat_threads_run(n, stress_one, &t, err);
    plat_thread_restore(&mine);
    for (int i = 0; i < n && !status; i++) {
        out[i] = t.members[i].found;
        if (t.members[i].refused)
            status = err_set(err, t.members[i].refused, "%s", t.members[i].why.text);
    }
    free(t.members);
    return status;
}

enum { OTHER_RAN_NS = 250000 };

struct contest {
    int cpu;
    int64_t duration_ns;
    atomic_int ready;
    double *slice_ns; /* of both */
    int max;
    atomic_int n;
};

static void spin(void *contest, int thread)
{
    (void)thread;
    struct contest *c = contest;
    bool there = !plat_thread_pin(c->cpu, NULL);
    /* On the same CPU the second cannot begin while the first waits spinning, so waiting yields. */
    atomic_fetch_add(&c->ready, 1);
    while (atomic_load(&c->ready) < 2 && !plat_signal())
        plat_thread_yield();
    bool whole = false;
    int64_t begun = plat_now_ns(), last = begun, end = begun + c->duration_ns;
    while (there && last < end && !plat_signal()) {
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
}

enum tare_status plat_slices_measure(int cpu, int64_t duration_ns, double *slice_ns, int max, int *n, struct tare_err *err)
{
    struct contest c = {.cpu = cpu, .duration_ns = duration_ns, .slice_ns = slice_ns, .max = max};
    struct plat_cpus mine;
    *n = 0;
    if (!plat_cpu_allowed(cpu))
        return err_set(err, TARE_INVALID, "CPU %d is offline or not allowed to us", cpu);
    plat_thread_cpus(&mine);
    enum tare_status status = plat_threads_run(2, spin, &c, err);
    plat_thread_restore(&mine);
    int found = atomic_load(&c.n);
    *n = found < max ? found : max;
    return status;
}
