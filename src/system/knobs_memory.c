/* SPDX-License-Identifier: MIT
 *
 * Memory: where a program lies in it, and what the kernel does to its pages meanwhile.
 */
#include "knob_look.h"
#include "units.h"
#include "whole.h"
#include <string.h>

/* Never switched off: results would depend on one layout, and look the more certain for it. Many processes average over it. */
static enum tare_status look_aslr(struct look *l, const struct knob *k)
{
    static const char path[] = "/proc/sys/kernel/randomize_va_space";
    int64_t value;
    if (!look_number(l, &value, "%s", path))
        return row_absent(l, k, "this kernel has no such switch");
    if (value == 2)
        return row_ok(l, k, "random (2)");
    enum tare_status status = set_number(l, k, path, value, "2");
    return status ? status
                  : row_noisy(l, k, look_say(l, value ? "partly random (%lld)" : "fixed (%lld)", (long long)value),
                              "results belong to one layout of memory, and another machine has another", "");
}

static enum tare_status look_thp(struct look *l, const struct knob *k)
{
    static const char path[] = "/sys/kernel/mm/transparent_hugepage/enabled",
                      daemon[] = "/sys/kernel/mm/transparent_hugepage/khugepaged/defrag";
    const char *text = look_text(l, "%s", path);
    if (!text)
        return row_absent(l, k, "this kernel has none");
    struct buf selected = BUF_INIT(ROOT_FILE_MAX);
    setting_value(&selected, FORM_SELECTED, text);
    const char *value = look_say(l, "%s", buf_text(&selected));
    buf_finish(&selected);
    if (!strcmp(value, "madvise") || !strcmp(value, "never"))
        return row_ok(l, k, value);
    if (strcmp(value, "always"))
        return row_malformed(l, k);
    const char *defrag = look_text(l, "%s", daemon);
    enum tare_status status = set_file(l, k, FORM_SELECTED, path, text, "madvise");
    if (!status && defrag)
        status = set_file(l, k, FORM_NUMBER, daemon, defrag, "0");
    return status ? status
                  : row_noisy(
                        l, k, value,
                        "whether a program gets huge pages depends on how fragmented memory is, and they are made while it runs",
                        "");
}

static enum tare_status look_numa(struct look *l, const struct knob *k)
{
    struct cpu_list nodes;
    if (look_cpus(l, &nodes, "/sys/devices/system/node/online") && cpu_list_count(&nodes) == 1)
        return row_none(l, k, "there is one memory node");
    return look_one_number(l, k);
}

/* "MemAvailable:  123 kB"; -1: not there. */
static int64_t kilobytes(const char *text, const char *key)
{
    const char *line = text;
    int64_t value;
    while (line && strncmp(line, key, strlen(key)))
        line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL;
    if (!line)
        return -1;
    line += strlen(key);
    line += strspn(line, " ");
    return whole_take(&line, line + strlen(line), 10, &value) ? value : -1;
}

/* Read by three knobs, once. */
static const char *meminfo(struct look *l)
{
    if (!l->sources->meminfo)
        l->sources->meminfo = look_text(l, "/proc/meminfo");
    return l->sources->meminfo;
}

static enum tare_status not_told(struct look *l, const struct knob *k)
{
    if (l->sources->meminfo)
        l->sources->read = TARE_FORMAT;
    return row_absent(l, k, "the system does not say");
}

/* Swap space that nobody uses does no harm. It is never switched off: what is in it would have to fit into memory. */
static enum tare_status look_swap(struct look *l, const struct knob *k)
{
    const char *text = meminfo(l);
    int64_t total = text ? kilobytes(text, "SwapTotal:") : -1, left = text ? kilobytes(text, "SwapFree:") : -1;
    if (total < 0 || left < 0 || left > total)
        return not_told(l, k);
    if (!total)
        return row_none(l, k, "there is no swap space");
    const double used = (double)(total - left) * 1024;
    const char *value =
        look_say(l, "%s of %s in use", scaled_text("bytes", used).at, scaled_text("bytes", (double)total * 1024).at);
    if (used < 1e6)
        return row_ok(l, k, value);
    return row_noisy(l, k, value, "parts of programs are on disk, and come back when they are touched",
                     "end large programs; 'swapoff -a && swapon -a' brings pages back if there is enough memory");
}

static enum tare_status look_room(struct look *l, const struct knob *k)
{
    const char *text = meminfo(l);
    int64_t total = text ? kilobytes(text, "MemTotal:") : -1, left = text ? kilobytes(text, "MemAvailable:") : -1;
    if (total <= 0 || left < 0)
        return not_told(l, k);
    const char *value = look_say(l, "%s available", figure_text(figure_rough, (double)left / (double)total).at);
    if (left >= total / 10)
        return row_ok(l, k, value);
    return row_noisy(l, k, value,
                     "the kernel takes pages of programs and files away to have room, and runs then wait for the disk",
                     "end large programs; or use a machine with more memory");
}

/* The share of the last minute in which at least one program waited for memory: for pages that were taken away and come back from disk. What a program touches
 * for the first time is its own, and counted with each of its runs. */
static enum tare_status look_faults(struct look *l, const struct knob *k)
{
    const double much = 0.1; /* as for steal */
    double percent;
    const char *text = look_text(l, "/proc/pressure/memory"), *p = text ? strstr(text, "avg60=") : NULL;
    if (!text && l->sources->read == TARE_NOT_FOUND && l->sources->proc)
        return row_unknown(l, k, "", "this kernel does not tell how long programs wait for memory",
                           "psi=1 on the kernel's command line, where it is built with CONFIG_PSI");
    if (!text)
        return row_absent(l, k, "");
    if (strncmp(text, "some ", 5) || !p || (p += strlen("avg60="), !text_take_hundredths(&p, &percent)))
        return row_malformed(l, k);
    const char *value =
        look_say(l, "programs waited for memory %s of the last minute", figure_text(figure_share, percent / 100).at);
    if (percent <= much)
        return row_ok(l, k, value);
    return row_noisy(l, k, value, "pages that were taken away are fetched from disk again while programs wait",
                     "end large programs; wait a minute; runs with faults of their own are flagged 'faulted'");
}

static enum tare_status look_dirty(struct look *l, const struct knob *k)
{
    enum { MUCH_KB = 64 * 1024 };
    const char *text = meminfo(l);
    int64_t dirty = text ? kilobytes(text, "Dirty:") : -1, writing = text ? kilobytes(text, "Writeback:") : -1;
    if (dirty < 0 || writing < 0 || dirty > INT64_MAX / 2 || writing > INT64_MAX / 2)
        return not_told(l, k);
    const char *value = look_say(l, "%s", scaled_text("bytes", (double)(dirty + writing) * 1024).at);
    if (dirty + writing < MUCH_KB)
        return row_ok(l, k, value);
    return row_noisy(l, k, value, "the kernel will write it to disk while runs are measured", "run 'sync' first");
}

#define MEMORY "Memory"
static const struct knob memory[] = {
    {"aslr", "address layout", MEMORY, RISK_REVERSIBLE, STAGE_SYSCTL, 35, KEEP_SYSCTL("kernel.randomize_va_space", "2"),
     .look = look_aslr, .files = "w:/proc/sys/kernel/randomize_va_space"},
    {"thp", "huge pages", MEMORY, RISK_REVERSIBLE, STAGE_SYSCTL, 42, KEEP_BOOT ": transparent_hugepage=madvise", .look = look_thp,
     .files = "w:/sys/kernel/mm/transparent_hugepage/enabled w:/sys/kernel/mm/transparent_hugepage/khugepaged/defrag"},
    {"ksm", "page merging", MEMORY, RISK_REVERSIBLE, STAGE_SYSCTL, 28, "systemctl disable ksm ksmtuned, where they exist",
     .look = look_one_number,
     .number = {"/sys/kernel/mm/ksm/run", 1, 1, "0", "on", "off",
                "the kernel compares and merges pages of all programs, and the next write copies them again",
                "this kernel has none"}},
    {"compaction", "memory compaction", MEMORY, RISK_REVERSIBLE, STAGE_SYSCTL, 12,
     KEEP_SYSCTL("vm.compaction_proactiveness", "0"), .look = look_one_number,
     .number = {"/proc/sys/vm/compaction_proactiveness", 1, INT64_MAX, "0", "proactive", "on demand",
                "the kernel moves pages together in the background", "this kernel has none"}},
    {"numa-balancing", "page migration", MEMORY, RISK_REVERSIBLE, STAGE_SYSCTL, 38, KEEP_SYSCTL("kernel.numa_balancing", "0"),
     .look = look_numa,
     .number = {"/proc/sys/kernel/numa_balancing", 1, INT64_MAX, "0", "on", "off",
                "the kernel takes pages away to see who uses them, and moves them between memory nodes", "this kernel has none"}},
    {"swap", "swap", MEMORY, RISK_BOOT, STAGE_NONE, 48, NULL, .look = look_swap},
    {"memory", "free memory", MEMORY, RISK_BOOT, STAGE_NONE, 52, NULL, .look = look_room},
    {"page-faults", "page faults", MEMORY, RISK_BOOT, STAGE_NONE, 46, NULL, .look = look_faults},
    {"writeback", "unwritten data", MEMORY, RISK_BOOT, STAGE_NONE, 26, NULL, .look = look_dirty},
};
const struct knob_group knobs_of_memory = {memory, sizeof memory / sizeof *memory};
