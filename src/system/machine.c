/* SPDX-License-Identifier: MIT */
#include "machine.h"
#include "plat.h"
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 1 << 24 }; /* /proc/cpuinfo holds some 1.5 kB a processor */

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

/* A finite number with nothing but `unit` and blanks behind it. */
static bool number_of(const char *text, const char *unit, double *out)
{
    char *end;
    *out = strtod(text, &end);
    if (end == text || !isfinite(*out))
        return false;
    end += strspn(end, " \t");
    size_t n = strlen(unit);
    if (strncmp(end, unit, n))
        return false;
    return !end[n + strspn(end + n, " \t\n")];
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
    double number;
    return number_of(text, "", &number) ? facts_add_number(r, f, fact->key, number)
                                        : facts_add_unknown(r, f, fact->key, "not a number");
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
