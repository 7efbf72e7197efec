/* SPDX-License-Identifier: MIT */
#include "task_account.h"
#include "task_text.h"
#include <math.h>

/* The program had ended, and the one who reads the clock waited for a CPU. It may have waited before as well, so not more than is
 * otherwise unaccounted for. */
static double waiter_delay(const struct spawn_block *b, double unaccounted_ns)
{
    int64_t run, before, after;
    if (!task_schedstat_read(b->waiter_schedstat[0], &run, &before) || !task_schedstat_read(b->waiter_schedstat[1], &run, &after))
        return NAN;
    return fmax(0, fmin((double)(after - before), unaccounted_ns));
}

bool task_account_root(const struct spawn_block *b, struct tree_root *root)
{
    int64_t run, delay, setup_run, setup_delay;
    if (!task_schedstat_read(b->child_schedstat, &run, &delay) ||
        !task_schedstat_read(b->setup_schedstat, &setup_run, &setup_delay))
        return false;
    *root = (struct tree_root){.task = b->ended,
                               .run_ns = (double)(run - b->setup_cpu_ns),
                               .delay_ns = (double)(delay - setup_delay),
                               .cpu_ns = (double)(b->user_us + b->sys_us) * 1000,
                               .forced = b->ctx_involuntary};
    return true;
}

void task_account_take(const struct spawn_block *b, struct plat_child_result *r)
{
    int64_t run, delay;
    struct tree_root root;
    r->run_ns = r->delay_ns = NAN;
    r->whole = false;
    r->first_cpu = b->first_cpu;
    r->last_cpu = b->stayed ? b->first_cpu : task_stat_cpu(b->child_stat);
    if (!task_schedstat_read(b->child_schedstat, &run, &delay))
        return;
    r->whole = spawn_speaks_for_all(b, run);
    r->run_ns = (double)(run - b->setup_cpu_ns);
    if (task_account_root(b, &root))
        r->delay_ns = root.delay_ns + waiter_delay(b, (double)(r->end_ns - r->start_ns) - root.run_ns - root.delay_ns);
}
