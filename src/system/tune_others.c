/* SPDX-License-Identifier: MIT
 *
 * Programs that steer the same settings: what they are known to write, by the names that the kernel has of them (15 bytes).
 */
#include "tune_parts.h"
#include "whole.h"
#include <string.h>

#define FREQUENCY (1u << STAGE_EPP_SAVED | 1u << STAGE_GOVERNOR | 1u << STAGE_EPP | 1u << STAGE_LIMITS | 1u << STAGE_TURBO)

static const struct {
    const char *name;
    unsigned stages;
} others[] = {
    {"auto-cpufreq", FREQUENCY},
    {"cpufreqd", FREQUENCY},
    {"gamemoded", FREQUENCY},
    {"irqbalance", 1u << STAGE_MASKS},
    {"power-profiles-", FREQUENCY},
    {"slimbookbattery", FREQUENCY},
    {"tuned", FREQUENCY | 1u << STAGE_MASKS | 1u << STAGE_SYSCTL | 1u << STAGE_HELD},
};

static void note(struct other_tuners *out, unsigned stages, const char *name, int64_t pid)
{
    for (int s = 0; s < STAGES; s++) {
        if (!(stages & 1u << s) || out->names[s][0])
            continue;
        struct buf b = buf_over(out->names[s], sizeof out->names[s]);
        buf_format(&b, "%s (pid %lld)", name, (long long)pid);
    }
}

static void look_at(struct other_tuners *out, const struct system_root *root, const char *process, struct buf *comm)
{
    char path[64];
    struct buf b = buf_over(path, sizeof path);
    const char *p = process;
    int64_t pid;
    if (!whole_take(&p, process + strlen(process), 10, &pid) || *p)
        return;
    buf_format(&b, "/proc/%s/comm", process);
    if (b.status || root_read(root, path, comm, NULL))
        return;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(buf_text(comm), others[i].name))
            note(out, others[i].stages, others[i].name, pid);
}

void others_find(struct other_tuners *out, const struct system_root *root)
{
    struct buf names = BUF_INIT(1 << 24), comm = BUF_INIT(4096);
    int n = 0;
    memset(out, 0, sizeof *out);
    if (root_list(root, "/proc", &names, &n, NULL))
        n = 0;
    for (const char *name = buf_text(&names); n--; name += strlen(name) + 1)
        look_at(out, root, name, &comm);
    buf_finish(&names);
    buf_finish(&comm);
}

static bool holds(const struct system_root *root, const char *supply, const char *file, const char *value, struct buf *text)
{
    struct buf path = BUF_INIT(1024);
    buf_format(&path, "/sys/class/power_supply/%s/%s", supply, file);
    bool same = !path.status && !root_read(root, buf_text(&path), text, NULL) && !strcmp(buf_text(text), value);
    buf_finish(&path);
    return same;
}

bool on_battery(const struct system_root *root)
{
    struct buf names = BUF_INIT(1 << 16), text = BUF_INIT(4096);
    int n = 0;
    bool battery = false, mains = false;
    if (root_list(root, "/sys/class/power_supply", &names, &n, NULL))
        n = 0;
    for (const char *name = buf_text(&names); n--; name += strlen(name) + 1) {
        mains |= holds(root, name, "type", "Mains", &text) && holds(root, name, "online", "1", &text);
        battery |= holds(root, name, "type", "Battery", &text) && holds(root, name, "status", "Discharging", &text);
    }
    buf_finish(&names);
    buf_finish(&text);
    return battery && !mains;
}
