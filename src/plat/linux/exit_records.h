/* SPDX-License-Identifier: MIT
 *
 * exit_records.h - how long all tasks of a run waited for a CPU, from what the kernel sends of every task that ends (taskstats). Used by
 * child_run.c and its tests only.
 *
 *     struct exit_records e = {.fd = -1};
 *     if (exit_records_begin(&e)) {                        // before the child may run
 *         ...
 *         exit_records_end(&e);                            // when it has ended; e.n records, e.lost
 *         struct tree_waits w = exit_records_sum(&e, helper, &root);
 *     }
 *     exit_records_finish(&e);
 *
 * Needs CAP_NET_ADMIN in the first user and process namespace, as root has outside of containers. Each task that ends on the machine meanwhile pays 2 to
 * 3 us for its record, so it is asked for only where several tasks run. Records that find no room are lost, and the kernel says so.
 */
#ifndef EXIT_RECORDS_H
#define EXIT_RECORDS_H

#include "plat.h"
#include "spawn_block.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct exit_record {
    int task, parent; /* of a process's first thread the task is the process; the parent is a process */
    bool in_tree;
    double run_ns, delay_ns; /* run_ns as of the last tick: somewhat too little */
    int64_t forced;          /* switches away from it that it did not ask for */
};

struct exit_records {
    int fd; /* -1: not opened yet, -2: refused for good */
    int family;
    bool lost;
    struct exit_record *records;
    int n, room;
};

bool exit_records_begin(struct exit_records *e);
void exit_records_end(struct exit_records *e);
void exit_records_finish(struct exit_records *e);
/* One message of the kernel; false: it is none of a task's end, and nothing was added. For the tests. */
bool exit_records_add(struct exit_records *e, const void *message, size_t bytes);

struct tree_waits {
    bool known;
    double most_ns;  /* what all of them waited; that may have been for each other. NaN: one may have waited after its record */
    double least_ns; /* what they surely waited for others */
};

/* The run's own first thread as others measured it: without what was before the start. cpu_ns, forced: of all that was waited for. */
struct tree_root {
    int task;
    double run_ns, delay_ns, cpu_ns;
    int64_t forced;
};

/* A task belongs to the run when its parent does; orphans come to `helper`, the subreaper, whose children belong. Not known: a record is lost, or the root's is
 * not there. A stranger with the number of a member that ended before would be taken for one. */
struct tree_waits exit_records_sum(struct exit_records *e, int helper, const struct tree_root *root);

/* ---- what explains one run, from the texts of /proc that the helper left in the block (spawn_block.h) ----
 *
 * Pure. Whether the first thread speaks for the whole run is told from CPU time alone: what it used by its own account against
 * what wait gives for all threads and all children that were waited for. Seen by experiment on Linux 6.18: a thread that ends at once
 * uses 15 us or more, a child 50 us or more, and without them the two agree to the microsecond, to which wait rounds. Not seen
 * is a child that is never waited for (SIGCHLD ignored, or left behind): then the account is that of the first process alone.
 */

/* Sets run_ns, delay_ns, whole, first_cpu, last_cpu; the rest must be there. */
void task_account_take(const struct spawn_block *b, struct plat_child_result *r);

/* The root of a run for exit_records_sum; false: its own account is not known. */
bool task_account_root(const struct spawn_block *b, struct tree_root *root);

#endif
