/* SPDX-License-Identifier: MIT
 *
 * linux.h - what the files of this platform share below plat.h. Never included outside src/plat/linux.
 */
#ifndef LINUX_H
#define LINUX_H

#include "buf.h"
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

struct plat_counter;

/* Waits like poll for at most timeout_ns (< 0: for ever). With `heed`, a signal of plat_signals_watch that is noted already or
 * comes meanwhile ends the wait with -1 and EINTR; the test and the wait are one step, so none is missed. */
int signal_poll(struct pollfd *fds, int n, int64_t timeout_ns, bool heed);
/* Notes a signal as if it had come to us. */
void signal_note(int number);

/* The open counters of a spawner (spawner.h), a list that it owns the head of. Attached to the child `pid`, which is held before its exec;
 * collected when it has ended, with the CPU time that it took, 0: not known; orphaned when the spawner goes first. */
void counters_attach(struct plat_counter *list, int pid);
void counters_collect(struct plat_counter *list, double cpu_ns);
void counters_orphan(struct plat_counter *list);

/* A small file of /proc/ID as a text, cut at the room. False: there is none, or it is empty. Allocates nothing. */
bool task_read(int id, const char *file, char *text, size_t room);
/* The process that started this one, as far as it lives; 0 for the first of all, -1 when it cannot be told. */
int process_parent(int id);

/* A descriptor that can be read once the process has ended; it is closed on exec. -1: this kernel has none. */
static inline int linux_pidfd(int pid)
{
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, pid, 0);
#else
    (void)pid;
    return -1;
#endif
}

/* The folder with tare-spawn and tare-noop, found relative to the running program. On failure err says where it looked. */
enum tare_status libexec_find(struct buf *folder, struct tare_err *err);

#endif
