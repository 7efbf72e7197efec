/* SPDX-License-Identifier: MIT
 *
 * Threads, and what the system counts of one.
 */
#include "plat_process.h"
#include "plat_thread.h"
#include "win32.h"
#include <stdatomic.h>
#include <stdlib.h>

/* Nobody begins before all are there. */
enum gate { GATE_CLOSED, GATE_OPEN, GATE_ABANDONED };

struct member {
    HANDLE thread;
    int number;
    atomic_int *gate;
    void (*run)(void *context, int thread);
    void *context;
};

static DWORD WINAPI begin(void *argument)
{
    struct member *m = argument;
    int gate;
    while ((gate = atomic_load(m->gate)) == GATE_CLOSED)
        plat_clock_sleep_ns(50000);
    if (gate == GATE_OPEN)
        m->run(m->context, m->number);
    return 0;
}

enum tare_status plat_threads_run(int n, void (*run)(void *context, int thread), void *context, struct tare_err *err)
{
    atomic_int gate = GATE_CLOSED;
    struct member *members = calloc((size_t)n, sizeof *members);
    int started = 1;
    DWORD error = members ? 0 : ERROR_OUTOFMEMORY;
    while (!error && started < n) {
        struct member *m = &members[started];
        *m = (struct member){.number = started, .gate = &gate, .run = run, .context = context};
        m->thread = CreateThread(NULL, 0, begin, m, 0, NULL);
        error = m->thread ? 0 : GetLastError();
        started += m->thread != NULL;
    }
    atomic_store(&gate, error ? GATE_ABANDONED : GATE_OPEN);
    if (!error)
        run(context, 0);
    for (int i = 1; members && i < started; i++) {
        WaitForSingleObject(members[i].thread, INFINITE);
        CloseHandle(members[i].thread);
    }
    free(members);
    return error ? win32_fail(err, error, "cannot start %d threads", n) : TARE_OK;
}

void plat_thread_yield(void)
{
    SwitchToThread();
}

/* ---- what is counted ---- */

enum tare_status plat_thread_open(struct plat_thread *t, struct tare_err *err)
{
    t->delay_fd = -1;
    return err_set(err, TARE_UNSUPPORTED, "the time a thread waits for a CPU is not available: Windows does not count it");
}

void plat_thread_close(struct plat_thread *t)
{
    if (t)
        t->delay_fd = -1;
}

int64_t plat_thread_delay_ns(const struct plat_thread *t)
{
    (void)t;
    return -1;
}

int64_t plat_thread_cpu_ns(void)
{
    const int64_t ns = plat_clock_ns(PLAT_CLOCK_THREAD_CPU);
    return ns < 0 ? -1 : ns;
}

int plat_thread_cpu(void)
{
    return plat_cpu_now();
}

int64_t plat_suspended_ns(void)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < 3; i++) {
        const int64_t running = plat_clock_ns(PLAT_CLOCK_MONOTONIC), all = plat_clock_ns(PLAT_CLOCK_BOOTTIME);
        if (running < 0 || all < 0)
            return -1;
        least = all - running < least ? all - running : least;
    }
    return least > 0 ? least / 1000 * 1000 : 0;
}
