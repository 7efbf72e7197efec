/* SPDX-License-Identifier: MIT
 *
 * plat_thread.h - what the kernel counts about the calling thread, for samples taken inside a measured process.
 *
 *     struct plat_thread t;
 *     plat_thread_open(&t, &err);                // not TARE_OK: one signal is absent, err says why; the others work
 *     int64_t cpu = plat_thread_cpu_ns();
 *     struct plat_thread_counts counts;
 *     plat_thread_counts(&counts);
 *     plat_thread_close(&t);
 *
 * After opening nothing is allocated, locked or printed. A signal that is absent reads as -1. All values only grow, from the
 * thread's birth. Ownership: the struct is the caller's, the descriptor in it belongs to the thread that opened it: it goes on
 * telling of that thread when another one reads it, and of the parent after a fork. Costs on Linux: docs/how-it-works/noise.md.
 * It does not judge: see noise.h.
 */
#ifndef PLAT_THREAD_H
#define PLAT_THREAD_H

#include <stdbool.h>
#include <stdint.h>
#include <tare/status.h>

struct plat_thread {
    int delay_fd; /* -1: the system does not say */
};

enum tare_status plat_thread_open(struct plat_thread *t, struct tare_err *err);
void plat_thread_close(struct plat_thread *t); /* a closed one and NULL are fine */

/* CPU time of the calling thread. */
int64_t plat_thread_cpu_ns(void);
/* Time it was runnable and waited for a CPU. */
int64_t plat_thread_delay_ns(const struct plat_thread *t);

struct plat_thread_counts {
    int64_t voluntary, involuntary; /* context switches */
    int64_t minflt, majflt;         /* page faults: served from memory, from disk */
};
/* False: absent; all are -1 then. */
bool plat_thread_counts(struct plat_thread_counts *out);

/* ---- events of the kernel or the processor in the calling thread, while they are switched on ---- */

/* type and config as perf_event_open takes them. -1: not to be had here; the caller's parent can say why (plat_counter_open). */
int plat_event_open(uint64_t type, uint64_t config, bool user_only);
void plat_event_switch(int fd, bool on); /* a system call, which is counted in part */
/* Since it was opened; where the processor counted only part of the time, scaled up, and *counted is that part (1: all; may be NULL). NaN: not counted at all. */
double plat_event_read(int fd, double *counted);
void plat_event_close(int fd); /* -1 is fine */

/* The CPU it runs on at this moment. */
int plat_thread_cpu(void);

/* How long the machine has been suspended since it started. A clock that stands still while it sleeps is what plat_now_ns reads, so a
 * growth of this between two readings is time that no duration shows. Exact to about a microsecond. */
int64_t plat_suspended_ns(void);

/* ---- files of the system that are read again and again ---- */

/* /proc and /sys make their text anew at each reading, so one descriptor serves for all. -1: err says why not. */
int plat_reread_open(const char *path, struct tare_err *err);
/* Up to `size` bytes from the file's start, without a closing zero; how many, -1 on failure. */
int64_t plat_reread(int fd, char *text, int64_t size);
void plat_reread_close(int fd); /* -1 is fine */

#endif
