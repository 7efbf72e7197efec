/* SPDX-License-Identifier: MIT
 *
 * Which files a journal may name. It is read by root, so this list is narrower than what root may write: only places where knobs have settings.
 */
#include "journal.h"
#include <string.h>

static const char *const places[] = {
    "/dev/cpu_dma_latency",
    "/proc/irq/",
    "/proc/sys/kernel/",
    "/proc/sys/vm/",
    "/sys/bus/workqueue/devices/",
    "/sys/devices/system/cpu/",
    "/sys/devices/system/node/",
    "/sys/devices/virtual/workqueue/",
    "/sys/fs/cgroup/",
    "/sys/fs/resctrl/",
    "/sys/kernel/debug/sched/",
    "/sys/kernel/mm/",
};

/* Names of files by which a kernel starts programs, loads code or ends things. */
static const char *const never[] = {
    "cgroup.freeze",       "cgroup.kill", "core_pattern",     "core_pipe_limit",   "hotplug",
    "kexec_load_disabled", "modprobe",    "modules_disabled", "notify_on_release", "poweroff_cmd",
    "release_agent",       "sysrq",       "uevent_helper",    "usermodehelper",
};

static bool is_never(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        if (strlen(never[i]) == n && !memcmp(never[i], name, n))
            return true;
    return false;
}

static bool is_sound(const char *name, size_t n)
{
    if (!n || (n == 1 && name[0] == '.') || (n == 2 && name[0] == '.' && name[1] == '.'))
        return false;
    for (size_t i = 0; i < n; i++)
        if (name[i] <= ' ' || name[i] > '~')
            return false;
    return !is_never(name, n);
}

static bool is_placed(const char *path, const char *place)
{
    size_t n = strlen(place);
    return !strncmp(path, place, n) && (place[n - 1] == '/' ? path[n] != 0 : !path[n]);
}

static bool is_plain(const char *path)
{
    if (strlen(path) >= JOURNAL_PATH_MAX)
        return false;
    for (const char *name = path; *name;) {
        size_t n = strcspn(name + 1, "/");
        if (!is_sound(name + 1, n))
            return false;
        name += 1 + n;
    }
    return true;
}

bool journal_path_allowed(const char *path)
{
    bool placed = false;
    for (size_t i = 0; i < sizeof places / sizeof *places && !placed; i++)
        placed = is_placed(path, places[i]);
    return placed && is_plain(path);
}

bool journal_path_readable(const char *path)
{
    return (is_placed(path, "/sys/") || is_placed(path, "/proc/")) && is_plain(path);
}
