/* SPDX-License-Identifier: MIT */
#include "plat_clock.h"
#include "plat_process.h"
#include "posix.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Nobody begins before all are there. */
enum gate { GATE_CLOSED, GATE_OPEN, GATE_ABANDONED };

struct member {
    pthread_t thread;
    int number;
    atomic_int *gate;
    void (*run)(void *context, int thread);
    void *context;
};

static void *begin(void *argument)
{
    struct member *m = argument;
    int gate;
    while ((gate = atomic_load(m->gate)) == GATE_CLOSED)
        plat_clock_sleep_ns(50000);
    if (gate == GATE_OPEN)
        m->run(m->context, m->number);
    return NULL;
}

enum tare_status plat_threads_run(int n, void (*run)(void *context, int thread), void *context, struct tare_err *err)
{
    atomic_int gate = GATE_CLOSED;
    struct member *members = calloc((size_t)n, sizeof *members);
    int started = 1, error = members ? 0 : ENOMEM;
    while (!error && started < n) {
        members[started] = (struct member){.number = started, .gate = &gate, .run = run, .context = context};
        error = pthread_create(&members[started].thread, NULL, begin, &members[started]);
        started += !error;
    }
    atomic_store(&gate, error ? GATE_ABANDONED : GATE_OPEN);
    if (!error)
        run(context, 0);
    for (int i = 1; members && i < started; i++)
        pthread_join(members[i].thread, NULL);
    free(members);
    return error ? posix_fail(err, error, "cannot start %d threads", n) : TARE_OK;
}

void plat_thread_watched(void (*run)(void *context), void (*ended)(void *context), void *context)
{
    pthread_cleanup_push(ended, context);
    run(context);
    pthread_cleanup_pop(0);
}

void plat_thread_yield(void)
{
    sched_yield();
}
