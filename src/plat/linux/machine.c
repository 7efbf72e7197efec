/* SPDX-License-Identifier: MIT */
#include "linux.h"
#include "plat.h"
#include "posix.h"
#include <errno.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Without the kernel's randomness (a filter, an old kernel) the clock and our id still differ from start to start. */
uint64_t plat_random_seed(void)
{
    uint64_t seed;
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != sizeof seed)
        seed = (uint64_t)plat_now_ns() * 0x9e3779b97f4a7c15u ^ (uint64_t)getpid() << 32 ^ (uint64_t)plat_utc_ns();
    return seed;
}

void plat_sleep_ns(int64_t ns)
{
    const int64_t end = plat_now_ns() + ns;
    int64_t left = ns; /* it never grows, whatever the clock does */
    while (left > 0 && !plat_signal() && signal_poll(NULL, 0, left, true) < 0) {
        const int64_t rest = end - plat_now_ns();
        left = rest < left ? rest : left;
    }
}

void plat_nap_ns(int64_t ns)
{
    struct timespec t = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}

enum tare_status plat_timer_period(struct plat_timer_period *out, struct tare_err *err)
{
    (void)out;
    return err_set(err, TARE_NOT_FOUND, "each sleep has a timer of its own here");
}

enum tare_status plat_timer_wish(int64_t ns, struct tare_err *err)
{
    (void)ns;
    return err_set(err, TARE_NOT_FOUND, "each sleep has a timer of its own here");
}

int64_t plat_timer_slack_ns(void)
{
    return prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
}

/* The priority of the commands: set for this process before the spawn helper starts, which hands it on. */

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
        return posix_fail(err, denied ? EPERM : errno, "cannot set priority %s%s", levels[p].name,
                          denied ? " (needs root, CAP_SYS_NICE, or ulimit -e and -r)" : "");
    }
    if (!holds(p))
        return err_set(err, TARE_UNSUPPORTED, "cannot set priority %s: the system accepted it and did not keep it",
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

/* The kernel's struct of version 1, which the C library does not have. */
struct attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

/* Since 6.12 the request of a fair thread is its runtime; before, sched_rr_get_interval gives the slice in whole ticks, or 0. */
int64_t plat_slice_told_ns(void)
{
    struct attributes a = {.size = sizeof a};
    struct timespec t;
    if (!syscall(SYS_sched_getattr, 0, &a, sizeof a, 0) && a.policy == SCHED_OTHER && a.runtime > 0)
        return (int64_t)a.runtime;
    if (sched_rr_get_interval(0, &t))
        return -1;
    int64_t ns = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
    return ns > 0 ? ns : -1;
}
