/* SPDX-License-Identifier: MIT
 *
 * The table of what makes results jitter. docs/system.md has a section for each id.
 *
 * effect: how much it has been seen to move results, by which advice is ordered.
 *   Measured on a virtual machine with two CPUs, a chain of multiplications of 1.15 ms, pinned (coefficient of variation of its time): 5 % quiet, 88 % with
 *   two other programs (load, isolation); of the quiet 5 %, 1 % was left when the core's frequency was taken out (governor, limits, turbo); 0.3 to
 *   0.9 % of the time went to gaps of interrupts' size, at 250 to 300 timer ticks a second of 5 to 10 us each (irq-affinity, timer-tick).
 *   All others are not measured by us: their place follows what they can do to one run (a quota stops it for milliseconds, statistics of memory for
 *   microseconds each second).
 */
#include "knob_look.h"
#include <string.h>

#define SYSCTL(name, value) "a line '" name " = " value "' in a file of /etc/sysctl.d"
#define BOOT                "the kernel's command line"
#define AT_START            "a unit of systemd, ordered after sysinit.target, that runs 'tare system tune'"

#define OTHERS   "Other work on these CPUs"
#define SPEED    "Frequency and sleep"
#define MEMORY   "Memory"
#define KERNEL   "The kernel's own work"
#define HARDWARE "The hardware"
#define HOST     "Who shares the hardware"
#define NOW      "What is going on just now"

const struct knob knobs[] = {
    {"load", "other programs", OTHERS, RISK_BOOT, STAGE_NONE, 100, NULL, look_load},
    {"isolation", "CPUs kept free", OTHERS, RISK_REVERSIBLE, STAGE_PARTITION, 95, BOOT ": isolcpus=", look_isolation},
    {"affinity", "allowed CPUs", OTHERS, RISK_BOOT, STAGE_NONE, 30, NULL, look_affinity},
    {"irq-affinity", "device interrupts", OTHERS, RISK_REVERSIBLE, STAGE_MASKS, 40,
     BOOT ": irqaffinity=; where irqbalance runs, IRQBALANCE_BANNED_CPULIST in /etc/default/irqbalance", look_irq},
    {"governor", "frequency governor", SPEED, RISK_REVERSIBLE, STAGE_GOVERNOR, 78, BOOT ": cpufreq.default_governor=performance",
     look_governor},
    {"epp", "energy preference", SPEED, RISK_REVERSIBLE, STAGE_EPP, 45, AT_START, look_epp},
    {"frequency-limits", "fixed frequency", SPEED, RISK_REVERSIBLE, STAGE_LIMITS, 72, AT_START, look_limits},
    {"turbo", "turbo, boost", SPEED, RISK_REVERSIBLE, STAGE_TURBO, 80, "the firmware's switch, or " AT_START, look_turbo},
    {"idle", "idle states", SPEED, RISK_SELF_UNDOING, STAGE_HELD, 50, BOOT ": processor.max_cstate=1 intel_idle.max_cstate=1",
     look_idle},
    {"aslr", "address layout", MEMORY, RISK_REVERSIBLE, STAGE_SYSCTL, 35, SYSCTL("kernel.randomize_va_space", "2"), look_aslr},
    {"thp", "huge pages", MEMORY, RISK_REVERSIBLE, STAGE_SYSCTL, 42, BOOT ": transparent_hugepage=madvise", look_thp},
    {"ksm", "page merging", MEMORY, RISK_REVERSIBLE, STAGE_SYSCTL, 28, "systemctl disable ksm ksmtuned, where they exist",
     look_ksm},
    {"compaction", "memory compaction", MEMORY, RISK_REVERSIBLE, STAGE_SYSCTL, 12, SYSCTL("vm.compaction_proactiveness", "0"),
     look_compaction},
    {"numa-balancing", "page migration", MEMORY, RISK_REVERSIBLE, STAGE_SYSCTL, 38, SYSCTL("kernel.numa_balancing", "0"),
     look_numa},
    {"swap", "swap", MEMORY, RISK_BOOT, STAGE_NONE, 48, NULL, look_swap},
    {"memory", "free memory", MEMORY, RISK_BOOT, STAGE_NONE, 52, NULL, look_room},
    {"page-faults", "page faults", MEMORY, RISK_BOOT, STAGE_NONE, 46, NULL, look_faults},
    {"writeback", "unwritten data", MEMORY, RISK_BOOT, STAGE_NONE, 26, NULL, look_dirty},
    {"timer-tick", "scheduler tick", KERNEL, RISK_BOOT, STAGE_NONE, 25, BOOT ": nohz_full= and rcu_nocbs=, always both",
     look_tick},
    {"rcu-callbacks", "RCU callbacks", KERNEL, RISK_BOOT, STAGE_NONE, 18, BOOT ": rcu_nocbs=", look_rcu},
    {"workqueues", "kernel workers", KERNEL, RISK_REVERSIBLE, STAGE_MASKS, 16, BOOT ": workqueue.unbound_cpus=", look_workqueues},
    {"statistics", "memory statistics", KERNEL, RISK_REVERSIBLE, STAGE_SYSCTL, 6, SYSCTL("vm.stat_interval", "120"),
     look_statistics},
    {"watchdog", "soft watchdog", KERNEL, RISK_REVERSIBLE, STAGE_SYSCTL, 5, SYSCTL("kernel.soft_watchdog", "0"), look_watchdog},
    {"nmi-watchdog", "hard watchdog", KERNEL, RISK_REVERSIBLE, STAGE_SYSCTL, 8, BOOT ": nmi_watchdog=0", look_nmi_watchdog},
    {"hung-tasks", "hung-task check", KERNEL, RISK_REVERSIBLE, STAGE_SYSCTL, 2, SYSCTL("kernel.hung_task_timeout_secs", "120"),
     look_hung_tasks},
    {"perf-rate", "profiler's rate", KERNEL, RISK_BOOT, STAGE_NONE, 1, NULL, look_perf},
    {"real-time", "real-time limit", KERNEL, RISK_BOOT, STAGE_NONE, 3, NULL, look_real_time},
    {"clocksource", "kernel's clock", HARDWARE, RISK_BOOT, STAGE_NONE, 68, BOOT ": clocksource=tsc, where it is stable",
     look_clocksource},
    {"power", "power source", HARDWARE, RISK_BOOT, STAGE_NONE, 66, NULL, look_power},
    {"throttling", "throttling by heat", HARDWARE, RISK_BOOT, STAGE_NONE, 64, NULL, look_throttling},
    {"smt", "shared cores", HARDWARE, RISK_DISRUPTIVE, STAGE_OFFLINE, 74, BOOT ": nosmt", look_smt},
    {"hybrid", "sorts of core", HARDWARE, RISK_BOOT, STAGE_NONE, 62, NULL, look_hybrid},
    {"prefetch", "prefetchers", HARDWARE, RISK_BOOT, STAGE_NONE, 2, NULL, look_prefetch},
    {"steal", "stolen time", HOST, RISK_BOOT, STAGE_NONE, 84, NULL, look_steal},
    {"quota", "CPU quota", HOST, RISK_BOOT, STAGE_NONE, 86, NULL, look_quota},
    {"virtual", "virtual machine", HOST, RISK_BOOT, STAGE_NONE, 70, NULL, look_virtual},
    {"neighbours", "shared caches", HOST, RISK_BOOT, STAGE_NONE, 32, NULL, look_neighbours},
    {"uncore", "uncore frequency", HOST, RISK_BOOT, STAGE_NONE, 30, NULL, look_uncore},
    {"tuners", "other tuners", NOW, RISK_BOOT, STAGE_NONE, 60, NULL, look_tuners},
    {"updates", "updates and scans", NOW, RISK_BOOT, STAGE_NONE, 82, NULL, look_updates},
    {"uptime", "just started", NOW, RISK_BOOT, STAGE_NONE, 58, NULL, look_uptime},
    {"mitigations", "mitigations", NOW, RISK_BOOT, STAGE_NONE, 4, NULL, look_mitigations},
};
const int n_knobs = sizeof knobs / sizeof *knobs;

const struct knob *knob_find(const char *id)
{
    for (int i = 0; i < n_knobs; i++)
        if (!strcmp(knobs[i].id, id))
            return &knobs[i];
    return NULL;
}

const char *knob_state_text(enum knob_state s)
{
    static const char *const texts[] = {
        [KNOB_OK] = "ok", [KNOB_NOISY] = "noisy", [KNOB_UNKNOWN] = "unknown", [KNOB_NOT_APPLICABLE] = "not applicable"};
    return texts[s];
}

const char *knob_risk_text(enum knob_risk r)
{
    static const char *const texts[] = {
        [RISK_SELF_UNDOING] = "A", [RISK_REVERSIBLE] = "B", [RISK_DISRUPTIVE] = "C", [RISK_BOOT] = "D"};
    return texts[r];
}
