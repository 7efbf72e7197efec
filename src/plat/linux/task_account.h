/* SPDX-License-Identifier: MIT
 *
 * task_account.h - what explains one run, from the texts of /proc that the helper left in the block (spawn_block.h).
 *
 *     task_account_take(block, &result);     // sets run_ns, delay_ns, whole, first_cpu, last_cpu; the rest must be there
 *
 * Pure. Whether the first thread speaks for the whole run is told from CPU time alone: what it used by its own account against
 * what wait gives for all threads and all children that were waited for. Seen by experiment on Linux 6.18: a thread that ends at once
 * uses 15 us or more, a child 50 us or more, and without them the two agree to the microsecond, to which wait rounds. Not seen
 * is a child that is never waited for (SIGCHLD ignored, or left behind): then the account is that of the first process alone.
 */
#ifndef TASK_ACCOUNT_H
#define TASK_ACCOUNT_H

#include "exit_records.h"
#include "plat.h"
#include "spawn_block.h"

void task_account_take(const struct spawn_block *b, struct plat_child_result *r);

/* The root of a run for exit_records_sum; false: its own account is not known. */
bool task_account_root(const struct spawn_block *b, struct tree_root *root);

#endif
