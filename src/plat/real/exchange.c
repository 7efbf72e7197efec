/* SPDX-License-Identifier: MIT
 *
 * Two CPUs pass a turn back and forth, each reading its counter when it has it. What is read there lies in time between the two
 * reads here around it, if the counters agree.
 */
#include "cpu.h"
#include "plat.h"
#include "plat_clock.h"
#include "plat_process.h"
#include <stdalign.h>
#include <stdatomic.h>

enum turn { THEIRS, OURS };

struct table {
    alignas(128) atomic_int turn; /* a cache line of its own */
    alignas(128) struct plat_exchange *rounds;
    int n, cpu;
    atomic_int pinned; /* 0 not yet, 1 there, -1 refused */
    enum tare_status refused;
    struct tare_err why;
};

/* The other's answer takes less than a microsecond. After a millisecond or so it is not running: a CPU that both must share after all, a
 * debugger that runs one thread at a time. Then who waits must not stand in its way. */
static void wait_for(atomic_int *turn, int mine)
{
    enum { PATIENCE = 1 << 20 };
    for (int spins = 0; atomic_load_explicit(turn, memory_order_acquire) != mine; spins++)
        if (spins == PATIENCE) {
            plat_thread_yield();
            spins = 0;
        }
}

static void ask(struct table *t)
{
    for (int i = 0; i < t->n; i++) {
        t->rounds[i].here_before = cpu_ticks_begin();
        atomic_store_explicit(&t->turn, THEIRS, memory_order_release);
        wait_for(&t->turn, OURS);
        t->rounds[i].here_after = cpu_ticks_begin();
    }
}

static void play(void *table, int thread)
{
    struct table *t = table;
    if (thread) {
        t->refused = plat_thread_pin(t->cpu, &t->why);
        atomic_store(&t->pinned, t->refused ? -1 : 1);
        for (int i = 0; !t->refused && i < t->n; i++) {
            wait_for(&t->turn, THEIRS);
            t->rounds[i].there = cpu_ticks_begin();
            atomic_store_explicit(&t->turn, OURS, memory_order_release);
        }
        return;
    }
    while (!atomic_load(&t->pinned))
        plat_clock_sleep_ns(10000);
    if (!t->refused)
        ask(t);
}

enum tare_status plat_exchange(int here, int there, struct plat_exchange *rounds, int n, struct tare_err *err)
{
    if (here == there)
        return err_set(err, TARE_INVALID, "CPU %d has nothing to exchange with itself", here);
    struct plat_cpus before;
    plat_thread_cpus(&before);
    enum tare_status status = plat_thread_pin(here, err);
    if (status)
        return status;
    struct table t = {.turn = OURS, .rounds = rounds, .n = n, .cpu = there};
    status = plat_threads_run(2, play, &t, err);
    if (!status && t.refused)
        status = err_set(err, t.refused, "%s", t.why.text);
    plat_thread_restore(&before);
    return status;
}
