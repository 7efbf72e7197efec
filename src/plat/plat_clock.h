/* SPDX-License-Identifier: MIT
 *
 * plat_clock.h - the part of the interface to the operating system that clocks need: its clocks, by both ways, what it
 * knows and allows of the processor's counter, and on which CPU a thread runs. plat.h holds the rest.
 *
 *     int64_t ns = plat_clock_ns(PLAT_CLOCK_RAW);
 *
 * Any thread. Nothing here allocates; no thread is started but by plat_exchange.
 */
#ifndef PLAT_CLOCK_H
#define PLAT_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <tare/status.h>

enum plat_clock {
    PLAT_CLOCK_MONOTONIC,   /* slewed by time keeping, never steps */
    PLAT_CLOCK_RAW,         /* not slewed */
    PLAT_CLOCK_COARSE,      /* monotonic at the scheduler's tick */
    PLAT_CLOCK_BOOTTIME,    /* monotonic that counts suspend */
    PLAT_CLOCK_REALTIME,    /* may step */
    PLAT_CLOCK_PROCESS_CPU, /* CPU time of all threads */
    PLAT_CLOCK_THREAD_CPU,
    PLAT_CLOCKS
};

/* Nanoseconds since whatever the clock counts from; INT64_MIN where there is no such clock. */
int64_t plat_clock_ns(enum plat_clock clock);
/* The same reading by a plain system call, past any shortcut into user space. */
int64_t plat_clock_kernel_ns(enum plat_clock clock);
bool plat_clock_kernel_reads(enum plat_clock clock); /* whether there is such a call */
/* Of the clock to which the system itself gives this number, and nothing but that reading; INT64_MIN where there is none. Only of real
 * platforms. */
int64_t plat_clock_number_ns(int number);
/* The step that the system promises; 0 where there is no such clock. */
int64_t plat_clock_step_ns(enum plat_clock clock);
/* What it counts, where the system lets one see that: "10000000 Hz, the time-stamp counter, scaled"; NULL. Valid until the thread's next call. */
const char *plat_clock_source(enum plat_clock clock);
/* Sleeps the whole time, whatever signals come. */
void plat_clock_sleep_ns(int64_t ns);

/* Whether this process may read the processor's counter (cpu.h): PERMISSION when prctl(PR_SET_TSC) forbade it, UNSUPPORTED when
 * the processor lacks the instructions of an ordered read. Found out without reading it. */
enum tare_status plat_ticks_allowed(struct tare_err *err);
/* The counter's frequency as the kernel uses it itself. UNSUPPORTED, PERMISSION: it does not say, and why. */
enum tare_status plat_ticks_kernel_hz(double *hz, struct tare_err *err);

int plat_cpu_now(void); /* where this thread runs; -1 unknown */
/* The CPUs that a thread may run on, to be put back: plat_thread_cpus(&mine); plat_thread_pin(3); ...;
 * plat_thread_restore(&mine). */
struct plat_cpus {
    unsigned long bits[1024 / sizeof(unsigned long)]; /* 8192 CPUs */
};
void plat_thread_cpus(struct plat_cpus *out);
void plat_thread_restore(const struct plat_cpus *cpus);
/* This thread runs only there. INVALID: no such CPU, it is offline or not allowed to us; err says which. */
enum tare_status plat_thread_pin(int cpu, struct tare_err *err);

/* One round of a ping-pong between two CPUs: the counter read here, there, and here again, each after the one before. */
struct plat_exchange {
    uint64_t here_before, there, here_after;
};
/* n rounds between this thread on CPU `here` and a thread started for it on CPU `there`; both pins are undone. INVALID: both
 * are one, or one of them cannot be had (there is only one, it is offline). */
enum tare_status plat_exchange(int here, int there, struct plat_exchange *rounds, int n, struct tare_err *err);

#endif
