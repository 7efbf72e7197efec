/* SPDX-License-Identifier: MIT
 *
 * noise_thread.h - the signals around a sample that a thread takes of its own work, inside a measured process.
 *
 *     struct noise_thread t;
 *     struct noise_history h = {0};
 *     noise_thread_open(&t, &err);                     // not TARE_OK: a signal is absent, err says which; go on
 *     for (...) {
 *         noise_thread_begin(&t);
 *         begin = read the clock;                      // sacred from here: nothing but what is measured
 *         work();
 *         end = read the clock;                        // to here
 *         struct noise_delta d = noise_thread_end(&t, end - begin);
 *         d.core_hz = ...;                             // measured before noise_thread_begin, with a reference chain
 *         struct noise_account a = noise_judge(&h, &d);
 *     }
 *     noise_thread_close(&t);
 *
 * One thread: the one that opened it. What it measures must run on that thread alone; threads that the work starts are not seen.
 * Between open and close nothing is allocated, locked or printed. Cost: docs/how-it-works/noise.md, "Cost". The reading itself is in the
 * CPU time and, up to its last call, in the other signals: so the CPU time may exceed the wall time by under a microsecond.
 * It does not read the clock or the core's frequency, does not judge (noise.h) and drops nothing.
 * Ownership: the struct is the caller's, the descriptors in it are closed by noise_thread_close.
 */
#ifndef NOISE_THREAD_H
#define NOISE_THREAD_H

#include "noise.h"
#include "plat_thread.h"
#include "quota.h"
#include <tare/status.h>

struct noise_thread {
    struct plat_thread thread;
    struct noise_quota quota;
    /* At the sample's begin; -1: absent. */
    struct plat_thread_counts counts;
    int64_t throttled_ns, delay_ns, cpu_ns;
    int cpu;
};

/* UNSUPPORTED: something is absent (err: the first of it); all else works. */
enum tare_status noise_thread_open(struct noise_thread *t, struct tare_err *err);
void noise_thread_close(struct noise_thread *t);

void noise_thread_begin(struct noise_thread *t);
/* What happened since noise_thread_begin; wall_ns is the caller's own measurement. */
struct noise_delta noise_thread_end(struct noise_thread *t, double wall_ns);

#endif
