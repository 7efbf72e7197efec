/* SPDX-License-Identifier: MIT
 *
 * What others do to us: hypervisor, quotas, tuners, updates, a start that is not over yet.
 */
#include "knob_look.h"
#include "proc_text.h"
#include "whole.h"
#include <string.h>

/* ---- hypervisor ---- */

enum tare_status look_virtual(struct look *l, const struct knob *k)
{
    const struct identity_hypervisor *h = &l->sources->machine.hypervisor;
    if (h->state == HYPERVISOR_NOT_SEEN)
        return row_none(l, k, "no hypervisor is seen");
    if (h->state == HYPERVISOR_UNKNOWN)
        return row_unknown(l, k, "", h->reasoning, "");
    return row_unknown(l, k, h->name.text ? h->name.text : "seen",
                       "frequency, heat and the host's other guests are not visible, and a CPU here is seldom a core of its own",
                       "a dedicated host or a machine of its own; here compare interleaved, never one after the other");
}

/* A tenth of a percent of the CPU time since the start: what a quiet host takes for itself. */
enum tare_status look_steal(struct look *l, const struct knob *k)
{
    struct proc_cpu c;
    const char *text = look_start(l, "/proc/stat", 1024);
    if (!text)
        return row_absent(l, k, "the system does not tell");
    if (!proc_cpu_parse(text, strlen(text), &c))
        return row_malformed(l, k);
    if (!l->sources->hypervisor && !c.steal)
        return row_none(l, k, "no hypervisor is seen");
    double all = (double)c.busy + (double)c.idle + (double)c.steal, percent = all > 0 ? 100 * (double)c.steal / all : 0;
    const char *value = look_say(l, "%.2f %% since the start", percent);
    if (percent <= 0.1)
        return row_ok(l, k, value);
    return row_stays_noisy(l, k, value, "the host runs others on the CPUs that it gave to this machine",
                           "another host, a dedicated one best; samples that lost time are flagged 'stolen'");
}

/* ---- quota ---- */

/* How many CPUs' time the group in this folder may use; 0: no limit, or not told. */
static double group_quota(struct look *l, enum proc_groups version, const char *folder)
{
    int64_t quota, period;
    double cpus = 0;
    if (version == PROC_GROUPS_2) {
        const char *text = look_text(l, "%s/cpu.max", folder);
        return text && proc_cpu_max_parse(text, strlen(text), &cpus) ? cpus : 0;
    }
    bool told = look_number(l, &quota, "%s/cpu.cfs_quota_us", folder) && look_number(l, &period, "%s/cpu.cfs_period_us", folder);
    return told && quota > 0 && period > 0 ? (double)quota / (double)period : 0;
}

/* The tightest from our group up to where the hierarchy is mounted. */
static double tightest(struct look *l, enum proc_groups version, const char *mount, char *path)
{
    double least = 0;
    for (;;) {
        double cpus = group_quota(l, version, path);
        least = cpus > 0 && (least <= 0 || cpus < least) ? cpus : least;
        char *slash = strrchr(path, '/');
        if (!slash || strlen(path) <= strlen(mount) || slash < path + strlen(mount))
            return least;
        *slash = 0;
    }
}

/* False: that hierarchy is not there. The part of our group's path below the group that is mounted; what a container hides counts as its root. */
static bool quota_of(struct look *l, enum proc_groups version, double *cpus)
{
    struct buf group = BUF_INIT(1 << 14), root = BUF_INIT(1 << 14), mount = BUF_INIT(1 << 14);
    bool there =
        proc_group_parse(l->sources->groups, version, &group) && proc_mount_parse(l->sources->mounts, version, &root, &mount);
    if (there) {
        const char *below = buf_text(&group), *top = buf_text(&root);
        size_t n = strcmp(top, "/") ? strlen(top) : 0;
        below = strncmp(below, top, n) || (below[n] && below[n] != '/') || !strcmp(below + n, "/") ? "" : below + n;
        char *path = arena_strdup(l->arena, look_say(l, "%s%s", buf_text(&mount), below));
        l->sources->no_memory |= !path;
        *cpus = path ? tightest(l, version, buf_text(&mount), path) : 0;
    }
    buf_finish(&group);
    buf_finish(&root);
    buf_finish(&mount);
    return there;
}

enum tare_status look_quota(struct look *l, const struct knob *k)
{
    double first = 0, second = 0;
    bool one = quota_of(l, PROC_GROUPS_1, &first), two = quota_of(l, PROC_GROUPS_2, &second);
    if (!one && !two) {
        l->sources->read = TARE_NOT_FOUND;
        return row_absent(l, k, "no control group of CPUs is mounted here");
    }
    double cpus = first > 0 && (second <= 0 || first < second) ? first : second;
    if (cpus <= 0)
        return row_ok(l, k, "none");
    return row_stays_noisy(
        l, k, look_say(l, "%.2f CPUs' time", cpus),
        "when it is used up the group stands still until the next period, often for tens of milliseconds",
        "start the container or the service without a CPU limit; samples that it stopped are flagged 'throttled'");
}

/* ---- programs that turn the same knobs, or disturb for a while ---- */

#define FREQUENCY (1u << STAGE_EPP_SAVED | 1u << STAGE_GOVERNOR | 1u << STAGE_EPP | 1u << STAGE_LIMITS | 1u << STAGE_TURBO)

const struct program tuners[] = {
    {"tuned", "tuned", FREQUENCY | 1u << STAGE_MASKS | 1u << STAGE_SYSCTL | 1u << STAGE_HELD},
    {"power-profiles-", "power-profiles-daemon", FREQUENCY},
    {"auto-cpufreq", "auto-cpufreq", FREQUENCY},
    {"tlp", "tlp", FREQUENCY},
    {"slimbookbattery", NULL, FREQUENCY},
    {"irqbalance", "irqbalance", 1u << STAGE_MASKS},
    {"thermald", "thermald", 1u << STAGE_LIMITS},
    {"gamemoded", NULL, FREQUENCY},
    {"cpufreqd", "cpufreqd", FREQUENCY},
    /* one setting, or none that tune has: no reason to leave a whole stage to them */
    {"ksmtuned", "ksmtuned", 0},
    {"uksmd", "uksmd", 0},
    {"earlyoom", NULL, 0},
};
const int n_tuners = sizeof tuners / sizeof *tuners;

static const struct program disturbers[] = {
    {"apt", NULL, 0},
    {"apt-get", NULL, 0},
    {"dpkg", NULL, 0},
    {"unattended-upgr", NULL, 0},
    {"dnf", NULL, 0},
    {"yum", NULL, 0},
    {"rpm", NULL, 0},
    {"zypper", NULL, 0},
    {"pacman", NULL, 0},
    {"packagekitd", NULL, 0},
    {"apk", NULL, 0},
    {"fwupd", NULL, 0},
    {"snap-confine", NULL, 0},
    {"updatedb", NULL, 0},
    {"updatedb.mlocat", NULL, 0},
    {"updatedb.plocat", NULL, 0},
    {"mandb", NULL, 0},
    {"clamscan", NULL, 0},
    {"freshclam", NULL, 0},
    {"fstrim", NULL, 0},
    {"btrfs-scrub", NULL, 0},
    {"e4defrag", NULL, 0},
    {"tracker-miner-f", NULL, 0},
    {"tracker-extract", NULL, 0},
    {"baloo_file", NULL, 0},
    {"cloud-init", NULL, 0},
    {"rsync", NULL, 0},
    {"duplicity", NULL, 0},
    {"borg", NULL, 0},
    {"restic", NULL, 0},
};

/* A service that runs has a group with a process in it. */
static bool serves(struct look *l, const struct program *p)
{
    static const char *const folders[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/systemd", "/sys/fs/cgroup/unified"};
    for (size_t i = 0; p->service && i < sizeof folders / sizeof *folders; i++)
        if (look_text(l, "%s/system.slice/%s.service/cgroup.procs", folders[i], p->service))
            return true;
    return false;
}

static const char *found(struct look *l, const struct program *programs, size_t n)
{
    const char *list = "";
    for (size_t i = 0; i < n; i++)
        if (look_runs(l, programs[i].name) || (!l->sources->names_whole && serves(l, &programs[i])))
            list = look_say(l, "%s%s%s", list, *list ? ", " : "", programs[i].name);
    return list;
}

static enum tare_status others_row(struct look *l, const struct knob *k, const char *list, const char *why, const char *advice)
{
    if (*list)
        return row_noisy(l, k, list, why, advice);
    if (!look_runs(l, "kthreadd")) /* the parent of the kernel's own threads: not seen from within a container */
        return row_unknown(l, k, "none seen", "only the processes of this container are visible", "");
    if (!l->sources->names_whole)
        return row_unknown(l, k, "none seen", "there are too many processes to look at each; the newest were", "");
    return row_ok(l, k, "none seen");
}

enum tare_status look_tuners(struct look *l, const struct knob *k)
{
    return others_row(l, k, found(l, tuners, (size_t)n_tuners), "they write the same settings, at times of their own",
                      "stop them while you measure (systemctl stop NAME), and start them again");
}

enum tare_status look_updates(struct look *l, const struct knob *k)
{
    return others_row(l, k, found(l, disturbers, sizeof disturbers / sizeof *disturbers),
                      "updates, scans and backups use processors, caches and disks", "wait until they are done");
}

/* Services that start late, update timers (often 10 to 15 minutes after the start) and cold caches. */
enum tare_status look_uptime(struct look *l, const struct knob *k)
{
    enum { SETTLED_S = 900 };
    const char *text = look_text(l, "/proc/uptime"), *p = text;
    int64_t seconds;
    if (!text)
        return row_absent(l, k, "the system does not tell");
    if (!whole_take(&p, p + strlen(p), 10, &seconds) || (*p && *p != '.' && *p != ' '))
        return row_malformed(l, k);
    long long minutes = seconds / 60;
    const char *value = minutes < 120    ? look_say(l, "%lld min ago", minutes)
                        : minutes < 2880 ? look_say(l, "%lld h ago", minutes / 60)
                                         : look_say(l, "%lld days ago", minutes / 1440);
    if (seconds >= SETTLED_S)
        return row_ok(l, k, value);
    return row_noisy(l, k, value, "services start late, updates are looked for, caches are cold", "wait a quarter of an hour");
}
