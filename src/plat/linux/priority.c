/* SPDX-License-Identifier: MIT
 *
 * The priority of the commands: set for this process before the spawn helper starts, which hands it on.
 */
#include "plat.h"
#include "posix.h"
#include <errno.h>
#include <sched.h>
#include <sys/resource.h>

static const struct {
    const char *name;
    int policy, real_time, nice;
} levels[] = {
    [PRIORITY_IDLE] = {"idle", SCHED_BATCH, 0, 19},
    [PRIORITY_NORMAL] = {"normal", SCHED_OTHER, 0, 0},
    [PRIORITY_HIGH] = {"high", SCHED_OTHER, 0, -10},
    [PRIORITY_REALTIME] = {"realtime", SCHED_FIFO, 1, 0},
};

/* Read back, as a kernel or container may take the call and leave the value. */
static bool holds(enum plat_priority p)
{
    struct sched_param now;
    if (sched_getparam(0, &now) || sched_getscheduler(0) != levels[p].policy || now.sched_priority != levels[p].real_time)
        return false;
    errno = 0;
    return levels[p].policy == SCHED_FIFO || (getpriority(PRIO_PROCESS, 0) == levels[p].nice && !errno);
}

enum tare_status plat_set_priority(enum plat_priority p, struct tare_err *err)
{
    struct sched_param param = {.sched_priority = levels[p].real_time};
    if (sched_setscheduler(0, levels[p].policy, &param) ||
        (!levels[p].real_time && setpriority(PRIO_PROCESS, 0, levels[p].nice))) {
        bool denied = errno == EPERM || errno == EACCES;
        return posix_fail(err, denied ? EPERM : errno, "cannot take priority %s%s", levels[p].name,
                          denied ? " (needs root, CAP_SYS_NICE, or ulimit -e and -r)" : "");
    }
    if (!holds(p))
        return err_set(err, TARE_UNSUPPORTED, "cannot take priority %s: the system accepted it and did not keep it",
                       levels[p].name);
    return TARE_OK;
}

enum tare_status plat_scheduling(struct plat_scheduling *out, struct tare_err *err)
{
    static const char *const names[] = {[SCHED_OTHER] = "other", [SCHED_FIFO] = "fifo", [SCHED_RR] = "rr",
                                        [SCHED_BATCH] = "batch", [SCHED_IDLE] = "idle", [6] = "deadline"};
    struct sched_param param;
    int policy = sched_getscheduler(0);
    if (policy < 0 || sched_getparam(0, &param))
        return posix_fail(err, errno, "cannot read our priority");
    policy &= ~SCHED_RESET_ON_FORK;
    bool known = policy < (int)(sizeof names / sizeof *names) && names[policy];
    errno = 0;
    int nice = getpriority(PRIO_PROCESS, 0);
    if (nice == -1 && errno)
        return posix_fail(err, errno, "cannot read our priority");
    *out = (struct plat_scheduling){.policy = known ? names[policy] : "unknown", .nice = nice, .real_time = param.sched_priority};
    return TARE_OK;
}
