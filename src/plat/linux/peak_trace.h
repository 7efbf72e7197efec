/* SPDX-License-Identifier: MIT
 *
 * peak_trace.h - the largest resident size of a child and of all that it starts, by ptrace. Used by child_run.c only.
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
#ifndef PEAK_TRACE_H
#define PEAK_TRACE_H

#include "plat.h"

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

#endif
