/* SPDX-License-Identifier: MIT
 *
 * peak_status.h - what /proc says of a task that is followed: its peak, and whether it lost privileges by being followed. Used by
 * peak_trace.c, peak_group.c and the tests only.
 *
 *     struct peak_status s;
 *     if (peak_status_read(&s, pid)) ... s.peak_kib ...
 */
#ifndef PEAK_STATUS_H
#define PEAK_STATUS_H

#include "plat.h"

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
/* Process numbers of /proc are those of our process namespace. */
bool peak_status_ours(void);
/* The program that the task has just executed has privileges by its file (setuid, setgid, capabilities) and did not get them. */
bool peak_status_lost_privileges(int task);
/* Why attaching to the task failed with this error. */
enum plat_peak_why peak_status_why_not(int error, int task);

#endif
