/* SPDX-License-Identifier: MIT
 *
 * task_text.h - what the kernel writes of one task in /proc, as values.
 *
 *     int64_t run, delay;
 *     if (task_schedstat_read("8569380 2396592 7\n", &run, &delay)) ...
 *
 * Pure; the texts are closed by a zero byte and may be cut or of another make.
 */
#ifndef TASK_TEXT_H
#define TASK_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* /proc/PID/schedstat: "run_ns delay_ns slices". False when it is not so. */
bool task_schedstat_read(const char *text, int64_t *run_ns, int64_t *delay_ns);
/* Its slices: how often the task got a CPU. 0 when it is not so. */
int64_t task_schedstat_slices(const char *text);
/* A number of /proc/PID/stat by its place, counted from 1 as proc(5) does; -1 when it is not there. The name, which is the second, may hold anything. */
int64_t task_stat_number(const char *text, int place);
/* The CPU that it ran on last, -1 likewise. */
int task_stat_cpu(const char *text);

#endif
