/* SPDX-License-Identifier: MIT
 *
 * Which files a journal may name: those that the knobs write, each by its whole name, and no others. Root acts by that file, so whatever a journal says, nothing else is
 * opened to be written. A knob that writes a new file needs its line here: the test of all machines (tests/system/tune_trees_test.c) fails without.
 */
#include "journal.h"
#include <string.h>

#define CPU "/sys/devices/system/cpu/"

/* '#' stands for a number, '@' for the folder of control groups that have CPU sets. */
static const struct {
    enum journal_use use;
    const char *path;
} places[] = {
    {JOURNAL_WRITES, CPU "cpu#/cpufreq/boost"},
    {JOURNAL_WRITES, CPU "cpu#/cpufreq/cpb"},
    {JOURNAL_WRITES, CPU "cpu#/cpufreq/energy_performance_preference"},
    {JOURNAL_WRITES, CPU "cpu#/cpufreq/scaling_governor"},
    {JOURNAL_WRITES, CPU "cpu#/cpufreq/scaling_max_freq"},
    {JOURNAL_WRITES, CPU "cpu#/cpufreq/scaling_min_freq"},
    {JOURNAL_WRITES, CPU "cpu#/online"},
    {JOURNAL_WRITES, CPU "cpufreq/boost"},
    {JOURNAL_WRITES, CPU "intel_pstate/no_turbo"},
    {JOURNAL_WRITES, "/proc/irq/#/smp_affinity"},
    {JOURNAL_WRITES, "/proc/irq/default_smp_affinity"},
    {JOURNAL_WRITES, "/sys/devices/virtual/workqueue/cpumask"},
    {JOURNAL_WRITES, "/proc/sys/kernel/nmi_watchdog"},
    {JOURNAL_WRITES, "/proc/sys/kernel/numa_balancing"},
    {JOURNAL_WRITES, "/proc/sys/kernel/randomize_va_space"},
    {JOURNAL_WRITES, "/proc/sys/kernel/soft_watchdog"},
    {JOURNAL_WRITES, "/proc/sys/vm/compaction_proactiveness"},
    {JOURNAL_WRITES, "/proc/sys/vm/stat_interval"},
    {JOURNAL_WRITES, "/sys/kernel/mm/ksm/run"},
    {JOURNAL_WRITES, "/sys/kernel/mm/transparent_hugepage/enabled"},
    {JOURNAL_WRITES, "/sys/kernel/mm/transparent_hugepage/khugepaged/defrag"},
    {JOURNAL_WRITES, "@/cgroup.subtree_control"},
    {JOURNAL_WRITES, "@/cpuset.sched_load_balance"},
    {JOURNAL_WRITES, "@/tare/cpuset.cpus"},
    {JOURNAL_WRITES, "@/tare/cpuset.cpus.partition"},
    {JOURNAL_WRITES, "@/tare/cpuset.mems"},
    {JOURNAL_WRITES, "@/tare/cpuset.sched_load_balance"},
    {JOURNAL_WRITES, "@/tare-rest/cpuset.cpus"},
    {JOURNAL_WRITES, "@/tare-rest/cpuset.mems"},
    {JOURNAL_MAKES, "@/tare"},
    {JOURNAL_MAKES, "@/tare-rest"},
    {JOURNAL_FILLS, "@/tare/cgroup.procs"},
    {JOURNAL_FILLS, "@/tare-rest/cgroup.procs"},
    {JOURNAL_EMPTIES, "@/cgroup.procs"},
    {JOURNAL_READS, CPU "cpu#/cpufreq/scaling_driver"},
    {JOURNAL_READS, "/sys/kernel/irq/#/actions"},
};

/* ---- what stands for something: how many bytes of it are at p, 0: it is not that ---- */

/* As kernels write it: without zeros in front, so that no file has two names. */
static size_t number_at(const char *p)
{
    enum { DIGITS_MAX = 9 };
    size_t n = strspn(p, "0123456789");
    return n > DIGITS_MAX || (*p == '0' && n > 1) ? 0 : n;
}

static bool is_word(const char *p, size_t n, const char *word)
{
    return strlen(word) == n && !memcmp(p, word, n);
}

/* "cpuset", "cpu,cpuset": controllers of version 1 that lie together. */
static bool has_cpu_sets(const char *name, size_t n)
{
    enum { NAME_MAX_BYTES = 128 };
    bool found = false;
    if (n > NAME_MAX_BYTES || strspn(name, "abcdefghijklmnopqrstuvwxyz_,") < n)
        return false;
    for (size_t at = 0; at < n;) {
        size_t length = strcspn(name + at, ",/");
        length = length < n - at ? length : n - at;
        found |= is_word(name + at, length, "cpuset");
        at += length + 1;
    }
    return found;
}

/* "/sys/fs/cgroup", and where the versions stand side by side the folder below it that is one of them. */
static size_t groups_at(const char *p)
{
    static const char top[] = "/sys/fs/cgroup/";
    const size_t n = sizeof top - 1;
    if (strncmp(p, top, n))
        return 0;
    size_t length = strcspn(p + n, "/");
    return is_word(p + n, length, "unified") || has_cpu_sets(p + n, length) ? n + length : n - 1;
}

/* ---- the list ---- */

static bool matches(const char *pattern, const char *path)
{
    for (; *pattern; pattern++) {
        size_t n = *pattern == '#' ? number_at(path) : *pattern == '@' ? groups_at(path) : *pattern == *path;
        if (!n)
            return false;
        path += n;
    }
    return !*path;
}

bool journal_path_allowed(enum journal_use use, const char *path)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (places[i].use == use && matches(places[i].path, path))
            return true;
    return false;
}
