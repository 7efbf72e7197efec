/* SPDX-License-Identifier: MIT
 *
 * The kernel's own work on each CPU: ticks, callbacks, workers, watchdogs, statistics.
 */
#include "cpu_list.h"
#include "knob_look.h"
#include "units.h"
#include "whole.h"
#include <string.h>

static enum tare_status look_tick(struct look *l, const struct knob *k)
{
    struct cpu_list tickless, offloaded;
    bool told = look_cpus(l, &tickless, CPU "nohz_full");
    if (!told && (!l->sources->sys || l->sources->read != TARE_NOT_FOUND))
        return row_absent(l, k, "");
    if (!told)
        return row_stays_noisy(l, k, "on every CPU", "the scheduler interrupts a CPU 100 to 1000 times a second",
                               "a kernel with CONFIG_NO_HZ_FULL; this one is built without it");
    bool both = boot_cpus(l, "rcu_nocbs", &offloaded) == BOOT_CPUS && cpus_within(&tickless, &offloaded);
    if (!cpus_within(&l->bench, &tickless))
        return row_stays_noisy(
            l, k, cpu_list_next(&tickless, 0) >= 0 ? look_say(l, "off on %s", look_named(l, &tickless)) : "on every CPU",
            "the scheduler interrupts a CPU 100 to 1000 times a second", "boot option nohz_full");
    if (!both)
        return row_stays_noisy(l, k, look_say(l, "off on %s, without rcu_nocbs", look_named(l, &tickless)),
                               "where the tick is off and RCU callbacks are not, intel_pstate may keep a wrong frequency",
                               "give nohz_full and rcu_nocbs the same CPUs");
    return row_ok(l, k, look_say(l, "off on %s", look_named(l, &tickless)));
}

/* Kernels do not tell which CPUs they offload but by the command line. */
static enum tare_status look_rcu(struct look *l, const struct knob *k)
{
    struct cpu_list offloaded, tickless;
    if (!l->sources->proc)
        return row_unknown(l, k, "", "there is no /proc here", "");
    if (!*l->sources->command_line)
        return row_unknown(l, k, "", "the kernel's command line is not visible", "");
    if (boot_cpus(l, "rcu_nocbs", &offloaded) == BOOT_UNREADABLE)
        return row_unknown(l, k, "", "rcu_nocbs on the command line is not a list of CPUs", "write it as rcu_nocbs=2-3");
    if (boot_cpus(l, "nohz_full", &tickless) == BOOT_CPUS) /* the kernel offloads these too */
        cpus_join(&offloaded, &tickless);
    if (cpus_within(&l->bench, &offloaded))
        return row_ok(l, k, look_say(l, "elsewhere for %s", look_named(l, &offloaded)));
    return row_stays_noisy(
        l, k, cpu_list_next(&offloaded, 0) >= 0 ? look_say(l, "elsewhere for %s", look_named(l, &offloaded)) : "on every CPU",
        "what the kernel frees later it frees on the CPU that used it", "boot option rcu_nocbs");
}

static enum tare_status look_workqueues(struct look *l, const struct knob *k)
{
    static const char path[] = "/sys/devices/virtual/workqueue/cpumask";
    struct cpu_list mask;
    int groups;
    const char *text = look_text(l, "%s", path);
    if (!text)
        return row_absent(l, k, "this kernel has no such mask");
    if (cpu_mask_parse(&mask, &groups, text))
        return row_malformed(l, k);
    struct cpu_list online = mask;
    cpu_list_keep(&online, &l->online);
    const char *value = look_say(l, "on %s", look_named(l, &online));
    if (!cpus_overlap(&mask, &l->sources->measured))
        return row_ok(l, k, value);
    if (cpu_list_next(&l->housekeeping, 0) < 0)
        return row_none(l, k, "there is one CPU for all");
    struct buf wanted = BUF_INIT(1 << 14);
    cpu_list_remove(&mask, &l->sources->measured);
    cpu_list_remove(&online, &l->sources->measured);
    cpu_mask_write(&wanted, cpu_list_next(&online, 0) >= 0 ? &mask : &l->housekeeping, groups);
    enum tare_status status = set_file(l, k, FORM_MASK, path, text, buf_text(&wanted));
    buf_finish(&wanted);
    return status ? status : row_noisy(l, k, value, "workers of the kernel that belong to no CPU run there too", "");
}

/* A thread of the kernel that looks through all tasks for those that hang, as often as the check's interval says, at most the timeout. */
static enum tare_status look_hung_tasks(struct look *l, const struct knob *k)
{
    enum { SELDOM_S = 10 };
    static const char path[] = "/proc/sys/kernel/hung_task_timeout_secs",
                      every[] = "/proc/sys/kernel/hung_task_check_interval_secs";
    int64_t timeout, interval;
    if (!look_number(l, &timeout, "%s", path))
        return row_absent(l, k, "this kernel does not look for them");
    if (!timeout)
        return row_ok(l, k, "off");
    bool own = look_number(l, &interval, "%s", every) && interval > 0 && interval < timeout;
    int64_t seconds = own ? interval : timeout;
    const char *value = look_say(l, "every %lld s", (long long)seconds);
    if (seconds >= SELDOM_S)
        return row_ok(l, k, value);
    enum tare_status status = timeout < SELDOM_S ? set_number(l, k, path, timeout, "120") : TARE_OK;
    if (!status && own)
        status = set_number(l, k, every, interval, "0");
    return status ? status : row_noisy(l, k, value, "a thread of the kernel looks through all tasks for those that hang", "");
}

/* A sampling rate costs nothing unless somebody samples; a rate of 1, as some tools set it, breaks their 'perf record'. */
static enum tare_status look_perf(struct look *l, const struct knob *k)
{
    int64_t rate;
    if (!look_number(l, &rate, "/proc/sys/kernel/perf_event_max_sample_rate"))
        return row_absent(l, k, "this kernel has no perf events");
    return row_ok(l, k, look_say(l, "at most %lld samples a second, when somebody samples", (long long)rate));
}

/* A run under SCHED_FIFO that does not sleep is stopped for the rest of each period, 50 ms: measured, run_delay went from 1441 to 158 ms in 3 s and the
 * longest gap from 28 to 52 ms. So tare does not use it by default, and the limit stays. */
static enum tare_status look_real_time(struct look *l, const struct knob *k)
{
    int64_t runtime, period;
    const char *text = look_text(l, "/proc/sys/kernel/sched_rt_runtime_us"), *p = text;
    if (!text)
        return row_absent(l, k, "this kernel has no such limit");
    if (!strcmp(text, "-1"))
        return row_noisy(l, k, "none", "a real-time program that does not sleep stops its CPU for good",
                         "set kernel.sched_rt_runtime_us; 950000 is the default");
    if (!whole_take(&p, p + strlen(p), 10, &runtime) || *p || !look_number(l, &period, "/proc/sys/kernel/sched_rt_period_us"))
        return row_malformed(l, k);
    return row_ok(
        l, k, look_say(l, "%s of %s", scaled_text("ns", 1e3 * (double)runtime).at, scaled_text("ns", 1e3 * (double)period).at));
}

#define KERNEL "The kernel's own work"
static const struct knob kernel[] = {
    {"timer-tick", "scheduler tick", KERNEL, RISK_BOOT, STAGE_NONE, 25, KEEP_BOOT ": nohz_full= and rcu_nocbs=, always both",
     .look = look_tick},
    {"rcu-callbacks", "RCU callbacks", KERNEL, RISK_BOOT, STAGE_NONE, 18, KEEP_BOOT ": rcu_nocbs=", .look = look_rcu},
    {"workqueues", "kernel workers", KERNEL, RISK_REVERSIBLE, STAGE_MASKS, 16,
     KEEP_BOOT ": workqueue.unbound_cpus=", .look = look_workqueues, .files = "w:/sys/devices/virtual/workqueue/cpumask"},
    {"statistics", "memory statistics", KERNEL, RISK_REVERSIBLE, STAGE_SYSCTL, 6, KEEP_SYSCTL("vm.stat_interval", "120"),
     .look = look_one_number,
     .number = {"/proc/sys/vm/stat_interval", 0, 9, "120", "every # s", "every # s",
                "each CPU sums up its memory statistics that often", "this kernel has no such number"}},
    {"watchdog", "soft watchdog", KERNEL, RISK_REVERSIBLE, STAGE_SYSCTL, 5, KEEP_SYSCTL("kernel.soft_watchdog", "0"),
     .look = look_one_number,
     .number = {"/proc/sys/kernel/soft_watchdog", 1, INT64_MAX, "0", "on", "off",
                "a thread of highest priority wakes on each CPU every few seconds", "this kernel has none"}},
    {"nmi-watchdog", "hard watchdog", KERNEL, RISK_REVERSIBLE, STAGE_SYSCTL, 8, KEEP_BOOT ": nmi_watchdog=0",
     .look = look_one_number,
     .number = {"/proc/sys/kernel/nmi_watchdog", 1, INT64_MAX, "0", "on", "off",
                "it interrupts each CPU and takes one hardware counter for itself", "this kernel has none"}},
    {"hung-tasks", "hung-task check", KERNEL, RISK_REVERSIBLE, STAGE_SYSCTL, 2,
     KEEP_SYSCTL("kernel.hung_task_timeout_secs", "120"), .look = look_hung_tasks,
     .files = "w:/proc/sys/kernel/hung_task_timeout_secs w:/proc/sys/kernel/hung_task_check_interval_secs"},
    {"perf-rate", "profiler's rate", KERNEL, RISK_BOOT, STAGE_NONE, 1, NULL, .look = look_perf},
    {"real-time", "real-time limit", KERNEL, RISK_BOOT, STAGE_NONE, 3, NULL, .look = look_real_time},
};
const struct knob_group knobs_of_kernel = {kernel, sizeof kernel / sizeof *kernel};
