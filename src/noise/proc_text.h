/* SPDX-License-Identifier: MIT
 *
 * proc_text.h - what stands in the files of /proc and of control groups, as values. Text in, values out.
 *
 *     struct proc_process p;
 *     if (proc_process_parse(text, n, &p)) ...            // "4711 (yes) R 1 ..."
 *
 * Every text may be cut, empty, huge or of another make: then a call returns false and leaves *out alone. Nothing is allocated but in
 * a buf that was handed in. No file is opened here.
 */
#ifndef PROC_TEXT_H
#define PROC_TEXT_H

#include "buf.h"

/* /proc/stat, the line of all CPUs, in ticks of 1/100 s since the start of the machine. */
struct proc_cpu {
    int64_t busy;  /* user, nice, system, interrupts: what ran here */
    int64_t idle;  /* idle and waiting for a disk */
    int64_t steal; /* taken by the hypervisor */
};
bool proc_cpu_parse(const char *text, size_t n, struct proc_cpu *out);

enum { PROC_NAME_MAX = 64 };

/* /proc/PID/stat. */
struct proc_process {
    int64_t id, parent;
    bool ended;             /* and its parent has not waited for it yet */
    int64_t ticks;          /* CPU time of all its threads, 1/100 s */
    int64_t children_ticks; /* of the children that it has waited for */
    int64_t started;        /* ticks since the start of the machine */
    char name[PROC_NAME_MAX];
};
bool proc_process_parse(const char *text, size_t n, struct proc_process *out);

/* /proc/pressure/cpu: time in which at least one task waited for a CPU, since the start of the machine. */
bool proc_pressure_parse(const char *text, size_t n, int64_t *some_us);

/* The number behind "key " at the start of a line, as in cpu.stat; at least 0. */
bool proc_value_parse(const char *text, size_t n, const char *key, int64_t *out);

/* ---- control groups ---- */

/* Version 1 has one hierarchy for the CPU controller and one for CPU sets, or the same for both; version 2 one for all. */
enum proc_groups { PROC_GROUPS_1, PROC_SETS_1, PROC_GROUPS_2 };

/* /proc/self/cgroup: the path of our group in that hierarchy, appended to `path`. */
bool proc_group_parse(const char *text, enum proc_groups version, struct buf *path);
/* /proc/self/mountinfo: where that hierarchy is mounted, and which of its groups appears there. */
bool proc_mount_parse(const char *text, enum proc_groups version, struct buf *root, struct buf *point);
/* cpu.max of version 2: how many CPUs' time the group may use; 0: no limit. */
bool proc_cpu_max_parse(const char *text, size_t n, double *cpus);

#endif
