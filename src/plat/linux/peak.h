/* SPDX-License-Identifier: MIT
 *
 * peak.h - how much memory a child and all that it starts needed. Used by spawner.h, child_run.c and the tests only.
 */
#ifndef PEAK_H
#define PEAK_H

#include "plat.h"

/* ---- what /proc says of a task (peak_trace.c) ---- */

struct peak_status {
    int64_t peak_kib; /* VmHWM; -1: it has no memory any more */
    int64_t tracer;   /* process id; 0: none */
    int64_t euid, egid;
    int64_t seccomp; /* 2: a filter; 0: none */
    bool no_new_privileges;
    uint64_t permitted, bounding; /* capabilities */
};

/* False when it cannot be read or holds no peak. */
bool peak_status_read(struct peak_status *out, int task);
/* From the text of /proc/PID/status. */
void peak_status_parse(struct peak_status *out, const char *text);

/* ---- the largest resident size of any one process, by ptrace (peak_trace.c) ----
 *
 *     struct peak_trace *t;
 *     enum plat_peak_why why = peak_trace_begin(&t, pid);     // the child is held before its exec
 *     if (!why) let the child go, wait for the helper's answer
 *     peak_trace_end(t, &peak);
 *
 * A thread of ours follows the child: ptrace belongs to a thread, so that its waiting meets no other child of tare, and the helper
 * stays the one who starts, times and reaps. At the exit stop of each thread it reads VmHWM, which the kernel keeps for each memory
 * image: what was there before the first exec, the helper's, is never read. An image that a later exec replaced is gone by the time
 * of the stop; the kernel has folded its peak into ru_maxrss, which then counts too, where it is more than the helper's own size.
 *
 * Processes that still run when the child has ended are read as they are at that moment and let go: timed runs end there too.
 * Signals are passed on, a stopped group stays stopped (PTRACE_LISTEN), nothing is killed but a child that would begin without the
 * privileges of its file. Ownership: begin makes, end frees.
 */
struct peak_trace;

enum plat_peak_why peak_trace_begin(struct peak_trace **out, int pid);

struct peak {
    enum plat_peak_why why; /* PEAK_KNOWN: bytes is there */
    int64_t bytes;
    bool refused; /* the program was not let begin */
};
/* When the child has ended. NULL is fine and gives PEAK_NOT_ASKED. */
void peak_trace_end(struct peak_trace *t, struct peak *out);
/* When it may never end: the thread is left to itself. */
void peak_trace_leave(struct peak_trace *t);

/* ---- what is charged to all of them together, by a control group of version 2 made for them (peak_group.c) ----
 *
 *     struct peak_group g;
 *     if (!peak_group_open(&g, NULL, pid)) ...         // the child is held before its exec
 *     int64_t bytes = peak_group_close(&g);            // when it has ended; -1: the kernel did not tell
 *
 * It needs a folder of the group hierarchy that was given to us (delegated): ours, or the one above it, with the memory controller switched on for its
 * members, as systemd gives each user. Nothing is switched on here. What the child leaves running is moved to the folder's own group, or where that
 * is not allowed the empty-to-be group stays behind.
 */
enum { PEAK_GROUP_PATH = 1024 };

struct peak_group {
    char path[PEAK_GROUP_PATH], home[PEAK_GROUP_PATH]; /* the group; where its processes go at the end. Empty path: none */
};

/* root: where the hierarchy is mounted, NULL to find it. PEAK_KNOWN, or PEAK_NO_GROUP. */
enum plat_peak_why peak_group_open(struct peak_group *g, const char *root, int pid);
/* memory.peak; the group is removed. One that was never opened gives -1. */
int64_t peak_group_close(struct peak_group *g);

#endif
