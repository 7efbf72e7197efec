/* SPDX-License-Identifier: MIT */
#include "machine.h"
#include "plat.h"
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 1 << 20 };

/* ---- text of files ---- */

static bool read_text(const char *path, struct buf *out)
{
    buf_clear(out);
    return plat_file_read(path, out, NULL) == TARE_OK && out->len > 0;
}

static char *first_line(struct buf *b)
{
    b->data[strcspn(b->data, "\n")] = 0;
    return b->data;
}

/* The value behind "key<blanks>:<blanks>" in a file of such lines; cut out in place. NULL: no such key. */
static char *value_of(char *text, const char *key)
{
    size_t n = strlen(key);
    for (char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        if (strncmp(line, key, n) || !strchr(" \t:", line[n]))
            continue;
        char *value = line + n + strspn(line + n, " \t:");
        value[strcspn(value, "\n")] = 0;
        return value;
    }
    return NULL;
}

/* ---- facts that stand alone in a file ---- */

struct file_fact {
    const char *key, *path;
    bool number;
};

static const struct file_fact condition_files[] = {
    {"governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", false},
    {"frequency_khz", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", true},
    {"intel_no_turbo", "/sys/devices/system/cpu/intel_pstate/no_turbo", true},
    {"cpufreq_boost", "/sys/devices/system/cpu/cpufreq/boost", true},
    {"smt_active", "/sys/devices/system/cpu/smt/active", true},
    {"isolated_cpus", "/sys/devices/system/cpu/isolated", false},
    {"clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource", false},
    {"transparent_hugepages", "/sys/kernel/mm/transparent_hugepage/enabled", false},
    {"address_randomisation", "/proc/sys/kernel/randomize_va_space", true},
    {"perf_event_paranoid", "/proc/sys/kernel/perf_event_paranoid", true},
    {"load_average", "/proc/loadavg", false},
};

static enum tare_status add_file_fact(struct record *r, struct facts *f, const struct file_fact *fact, struct buf *b)
{
    if (!read_text(fact->path, b))
        return facts_add_unknown(r, f, fact->key, "the system does not tell");
    char *text = first_line(b);
    if (!fact->number)
        return facts_add_text(r, f, fact->key, text);
    char *end;
    double number = strtod(text, &end);
    return end == text ? facts_add_unknown(r, f, fact->key, "not a number") : facts_add_number(r, f, fact->key, number);
}

/* ---- steal: time the hypervisor gave to others ---- */

/* "cpu  user nice system idle iowait irq softirq steal ...", in ticks since boot. */
static enum tare_status add_steal(struct record *r, struct facts *f, struct buf *b)
{
    if (!read_text("/proc/stat", b) || strncmp(b->data, "cpu ", 4))
        return facts_add_unknown(r, f, "steal_ticks", "no /proc/stat");
    char *p = first_line(b) + 4;
    double value = NAN;
    for (int i = 0; i < 8; i++) {
        char *end;
        value = strtod(p, &end);
        if (end == p)
            return facts_add_unknown(r, f, "steal_ticks", "not in /proc/stat");
        p = end;
    }
    return facts_add_number(r, f, "steal_ticks", value);
}

/* ---- identity ---- */

static enum tare_status add_cpuinfo(struct record *r, struct facts *f, const char *key, const char *name, struct buf *b)
{
    char *value = read_text("/proc/cpuinfo", b) ? value_of(b->data, name) : NULL;
    return value ? facts_add_text(r, f, key, value) : facts_add_unknown(r, f, key, "not in /proc/cpuinfo");
}

static enum tare_status add_hypervisor(struct record *r, struct facts *f, struct buf *b)
{
    if (!read_text("/proc/cpuinfo", b))
        return facts_add_unknown(r, f, "virtual_machine", "no /proc/cpuinfo");
    char *flags = value_of(b->data, "flags");
    if (!flags)
        return facts_add_unknown(r, f, "virtual_machine", "this processor does not tell");
    return facts_add_text(r, f, "virtual_machine", strstr(flags, " hypervisor") ? "yes" : "no");
}

static enum tare_status add_memory(struct record *r, struct facts *f, struct buf *b)
{
    char *value = read_text("/proc/meminfo", b) ? value_of(b->data, "MemTotal") : NULL;
    return value ? facts_add_number(r, f, "memory_bytes", strtod(value, NULL) * 1024)
                 : facts_add_unknown(r, f, "memory_bytes", "no /proc/meminfo");
}

static enum tare_status add_uname(struct record *r, struct facts *f)
{
    struct plat_uname u;
    plat_uname(&u);
    enum tare_status status = facts_add_text(r, f, "os", u.os);
    if (!status)
        status = facts_add_text(r, f, "kernel", u.release);
    return status ? status : facts_add_text(r, f, "architecture", u.machine);
}

enum tare_status machine_identity(struct record *r, struct facts *f)
{
    struct buf b = BUF_INIT(FILE_MAX);
    enum tare_status status = add_uname(r, f);
    if (!status)
        status = add_cpuinfo(r, f, "cpu_brand", "model name", &b);
    if (!status)
        status = add_cpuinfo(r, f, "cpu_family", "cpu family", &b);
    if (!status)
        status = add_cpuinfo(r, f, "cpu_model", "model", &b);
    if (!status)
        status = add_cpuinfo(r, f, "cpu_stepping", "stepping", &b);
    if (!status)
        status = add_hypervisor(r, f, &b);
    if (!status)
        status = add_memory(r, f, &b);
    buf_finish(&b);
    return status;
}

enum tare_status machine_conditions(struct record *r, struct facts *f)
{
    struct buf b = BUF_INIT(FILE_MAX);
    enum tare_status status = facts_add_number(r, f, "cpus_allowed", plat_cpus_allowed());
    for (size_t i = 0; i < sizeof condition_files / sizeof *condition_files && !status; i++)
        status = add_file_fact(r, f, &condition_files[i], &b);
    if (!status)
        status = add_steal(r, f, &b);
    buf_finish(&b);
    return status;
}
