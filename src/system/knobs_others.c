/* SPDX-License-Identifier: MIT
 *
 * What others do to us: hypervisor, quotas, who shares the last cache and what lies behind it, tuners, updates, a start that is not over yet.
 */
#include "knob_look.h"
#include "proc_text.h"
#include "quota.h"
#include "units.h"
#include "whole.h"
#include <string.h>

#define CONTROL "/sys/fs/resctrl"

static enum tare_status look_virtual(struct look *l, const struct knob *k)
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
static enum tare_status look_steal(struct look *l, const struct knob *k)
{
    struct proc_cpu c;
    const char *text = look_start(l, "/proc/stat", 1024);
    if (!text)
        return row_absent(l, k, "the system does not say");
    if (!proc_cpu_parse(text, strlen(text), &c))
        return row_malformed(l, k);
    if (!l->sources->hypervisor && !c.steal)
        return row_none(l, k, "no hypervisor is seen");
    double all = (double)c.busy + (double)c.idle + (double)c.steal, percent = all > 0 ? 100 * (double)c.steal / all : 0;
    const char *value = look_say(l, "%s since boot", figure_text(figure_share, percent / 100).at);
    if (percent <= 0.1)
        return row_ok(l, k, value);
    return row_stays_noisy(l, k, value, "the host runs others on the CPUs that it gave to this machine",
                           "use a dedicated host; samples that lost time are flagged 'stolen'");
}

struct quota_look {
    struct look *l;
    double cpus; /* the tightest; 0: none */
};

static bool read_group(void *context, const char *path, struct buf *out)
{
    const struct quota_look *q = context;
    const char *text = look_text(q->l, "%s", path);
    buf_str(out, text ? text : "");
    return text;
}

static void keep_tightest(void *context, const char *folder, double cpus)
{
    struct quota_look *q = context;
    (void)folder;
    q->cpus = q->cpus > 0 && q->cpus < cpus ? q->cpus : cpus;
}

static enum tare_status look_quota(struct look *l, const struct knob *k)
{
    struct quota_look q = {.l = l};
    const struct quota_walk walk = {read_group, keep_tightest, &q};
    if (!quota_each(&walk, l->sources->groups, l->sources->mounts)) {
        l->sources->read = TARE_NOT_FOUND;
        return row_absent(l, k, "no control group of CPUs is mounted here");
    }
    if (q.cpus <= 0)
        return row_ok(l, k, "none");
    return row_stays_noisy(l, k, look_say(l, "%.2f CPUs' time", q.cpus),
                           "when it is used up the group waits until the next period, often for tens of milliseconds",
                           "remove the CPU limit; samples that it stopped are flagged 'throttled'");
}

/* The last cache, split: who has which part of it. */

/* What of one cache is whose: a bit a part ("way"). */
struct parts {
    struct look *l;
    int64_t cache; /* the one of the first CPU to measure on */
    uint64_t ours, others;
    int groups; /* that the CPUs to measure on are in */
};

/* Of the cache with the highest level that this CPU has: that is how the lines of the control are numbered. */
static bool last_cache(struct look *l, int cpu, int64_t *id)
{
    enum { CACHES_MAX = 10 };
    int64_t level, highest = 0, found;
    for (int i = 0; i < CACHES_MAX && look_number(l, &level, CPU "cpu%d/cache/index%d/level", cpu, i); i++)
        if (level > highest && look_number(l, &found, CPU "cpu%d/cache/index%d/id", cpu, i)) {
            highest = level;
            *id = found;
        }
    return highest == 3;
}

/* "L3:0=fff;1=0ff": the bits of one cache. Code and data have a line each where they are split too ("L3CODE:", "L3DATA:"). */
static uint64_t bits_of(const char *schemata, int64_t cache)
{
    uint64_t bits = 0;
    for (const char *line = schemata; *line;) {
        const char *end = line + strcspn(line, "\n"), *p = line + strspn(line, " ");
        bool ours = !strncmp(p, "L3:", 3) || !strncmp(p, "L3CODE:", 7) || !strncmp(p, "L3DATA:", 7);
        for (p += strcspn(p, ":\n"); ours && p < end;) {
            int64_t id, mask;
            p++;
            if (!whole_take(&p, end, 10, &id) || p == end || *p != '=' || (++p, !whole_take(&p, end, 16, &mask)))
                break;
            bits |= id == cache ? (uint64_t)mask : 0;
        }
        line = *end ? end + 1 : end;
    }
    return bits;
}

/* A group of CPUs is one folder, the rest of all is the top folder. Those for watching alone have no CPUs of their own. */
static void add_group(struct parts *s, const char *folder)
{
    struct look *l = s->l;
    struct cpu_list cpus;
    if (!look_cpus(l, &cpus, "%s/cpus_list", folder))
        return;
    const char *schemata = look_text(l, "%s/schemata", folder);
    bool ours = cpus_overlap(&cpus, &l->bench);
    uint64_t bits = schemata ? bits_of(schemata, s->cache) : 0;
    s->groups += ours;
    s->ours |= ours ? bits : 0;
    s->others |= ours && cpus_within(&cpus, &l->sources->measured) ? 0 : bits;
}

static int ones(uint64_t bits)
{
    int n = 0;
    for (; bits; bits &= bits - 1)
        n++;
    return n;
}

/* "" : no part is theirs alone. */
static const char *own_part(struct look *l)
{
    struct parts s = {.l = l};
    if (!last_cache(l, cpu_list_next(&l->bench, 0), &s.cache))
        return "";
    struct buf names = BUF_INIT(ROOT_FILE_MAX);
    int n;
    add_group(&s, CONTROL);
    if (!root_list(s.l->root, CONTROL, &names, &n, NULL))
        for (const char *p = names.data; n > 0; n--, p += strlen(p) + 1)
            add_group(&s, look_say(s.l, CONTROL "/%s", p));
    buf_finish(&names);
    if (s.groups != 1 || !s.ours || s.ours & s.others)
        return "";
    return look_say(l, "%d of %d parts of the last cache are theirs alone", ones(s.ours), ones(s.ours | s.others));
}

/* Who else uses them is seen by its effect alone, and the way to memory stays shared: so it is never quiet. */
static enum tare_status look_neighbours(struct look *l, const struct knob *k)
{
    static const char why[] = "programs on other CPUs share the last cache and the memory with this one";
    if (l->sources->hypervisor)
        return row_unknown(l, k, "", "other machines of the same host use its caches and memory, unseen",
                           "a dedicated host; 'tare system qualify' shows what is left");
    if (cpu_list_count(&l->online) == 1)
        return row_none(l, k, "there is one CPU");
    bool mounted = root_exists(l->root, CONTROL "/schemata");
    bool splits = mounted || text_has_word(l->sources->flags, "cat_l3") || text_has_word(l->sources->flags, "mba");
    const char *part = mounted ? own_part(l) : "";
    if (*part)
        return row_unknown(l, k, part, "programs on other CPUs share the memory with this one", "end them");
    if (mounted)
        return row_unknown(l, k, "not split (resctrl)", why,
                           "end them, or give the CPUs measured on a group of their own in " CONTROL
                           ", with bits of L3 in its schemata that no other has");
    return row_unknown(l, k, splits ? "can be split (resctrl, not mounted)" : "cannot be split", why,
                       splits ? "end them, or 'mount -t resctrl resctrl " CONTROL
                                "' and give the CPUs measured on a part of their own"
                              : "end them");
}

static enum tare_status look_uncore(struct look *l, const struct knob *k)
{
    static const char folder[] = CPU "intel_uncore_frequency";
    struct buf names = BUF_INIT(ROOT_FILE_MAX);
    int n, domains = 0, moving = 0;
    int64_t lowest, highest;
    l->sources->read = root_list(l->root, folder, &names, &n, NULL);
    for (const char *p = names.data; !l->sources->read && n > 0; n--, p += strlen(p) + 1) {
        bool told =
            look_number(l, &lowest, "%s/%s/min_freq_khz", folder, p) && look_number(l, &highest, "%s/%s/max_freq_khz", folder, p);
        domains += told;
        moving += told && lowest != highest;
        l->sources->read = TARE_OK;
    }
    buf_finish(&names);
    if (!domains)
        return row_hidden(l, k, "no driver of the kernel shows it");
    if (!moving)
        return row_ok(l, k, "fixed");
    return row_noisy(l, k, look_say(l, "moving in %d of %d domains", moving, domains),
                     "the speed of the last cache and of the memory follows the load",
                     "fix it; write max_freq_khz of each folder in " CPU "intel_uncore_frequency into its min_freq_khz");
}

/* Programs that turn the same knobs, or disturb for a while. */

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

static const char disturbers[] = /* each closed by a zero */
    "apt\0apt-get\0dpkg\0unattended-upgr\0dnf\0yum\0rpm\0zypper\0pacman\0packagekitd\0apk\0fwupd\0"
    "snap-confine\0updatedb\0updatedb.mlocat\0updatedb.plocat\0mandb\0clamscan\0freshclam\0fstrim\0"
    "btrfs-scrub\0e4defrag\0tracker-miner-f\0tracker-extract\0baloo_file\0cloud-init\0rsync\0duplicity\0"
    "borg\0restic\0";

/* A service that runs has a group with a process in it. */
static bool serves(struct look *l, const char *service)
{
    static const char *const folders[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/systemd", "/sys/fs/cgroup/unified"};
    for (size_t i = 0; service && i < sizeof folders / sizeof *folders; i++)
        if (look_text(l, "%s/system.slice/%s.service/cgroup.procs", folders[i], service))
            return true;
    return false;
}

/* Whether a program of this name runs, as far as names were looked at. */
static bool look_runs(const struct look *l, const char *name)
{
    for (const char *p = l->sources->names; *p; p += strlen(p) + 1)
        if (!strcmp(p, name))
            return true;
    return false;
}

static const char *found_service(struct look *l, const char *list, const char *name, const char *service)
{
    bool runs = look_runs(l, name) || (!l->sources->names_whole && serves(l, service));
    return runs ? look_say(l, "%s%s%s", list, *list ? ", " : "", name) : list;
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

static enum tare_status look_tuners(struct look *l, const struct knob *k)
{
    const char *list = "";
    for (int i = 0; i < n_tuners; i++)
        list = found_service(l, list, tuners[i].name, tuners[i].service);
    return others_row(l, k, list, "they write the same settings, at times of their own",
                      "stop them meanwhile; systemctl stop NAME, and start it again after");
}

static enum tare_status look_updates(struct look *l, const struct knob *k)
{
    const char *list = "";
    for (const char *p = disturbers; *p; p += strlen(p) + 1)
        list = found_service(l, list, p, NULL);
    return others_row(l, k, list, "updates, scans and backups use processors, caches and disks", "wait until they are done");
}

/* Services that start late, update timers (often 10 to 15 minutes after the start) and cold caches. */
static enum tare_status look_uptime(struct look *l, const struct knob *k)
{
    enum { SETTLED_S = 900 };
    const char *text = look_text(l, "/proc/uptime"), *p = text;
    int64_t seconds;
    if (!text)
        return row_absent(l, k, "the system does not say");
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

static enum tare_status look_mitigations(struct look *l, const struct knob *k)
{
    struct buf names = BUF_INIT(ROOT_FILE_MAX);
    int n, active = 0, open = 0;
    l->sources->read = root_list(l->root, CPU "vulnerabilities", &names, &n, NULL);
    enum tare_status read = l->sources->read;
    for (const char *p = names.data; !read && n > 0; n--, p += strlen(p) + 1) {
        const char *text = look_text(l, CPU "vulnerabilities/%s", p);
        active += text && !strncmp(text, "Mitigation", 10);
        open += text && strstr(text, "Vulnerable"); /* "Mitigation: ...; BHI: Vulnerable" too */
    }
    buf_finish(&names);
    l->sources->read = read;
    if (read)
        return row_absent(l, k, "this kernel does not tell");
    const char *microcode = l->sources->machine.microcode.text;
    return row_ok(
        l, k, look_say(l, "%d active, %d open%s%s", active, open, microcode ? ", microcode " : "", microcode ? microcode : ""));
}

#define HOST "Who shares the hardware"
static const struct knob host[] = {
    {"steal", "stolen time", HOST, RISK_BOOT, STAGE_NONE, 84, NULL, .look = look_steal},
    {"quota", "CPU quota", HOST, RISK_BOOT, STAGE_NONE, 86, NULL, .look = look_quota},
    {"virtual", "virtual machine", HOST, RISK_BOOT, STAGE_NONE, 70, NULL, .look = look_virtual},
    {"neighbours", "shared caches", HOST, RISK_BOOT, STAGE_NONE, 32, NULL, .look = look_neighbours},
    {"uncore", "uncore frequency", HOST, RISK_BOOT, STAGE_NONE, 30, NULL, .look = look_uncore},
};
const struct knob_group knobs_of_host = {host, sizeof host / sizeof *host};

#define NOW "What is going on just now"
static const struct knob now[] = {
    {"tuners", "other tuners", NOW, RISK_BOOT, STAGE_NONE, 60, NULL, .look = look_tuners},
    {"updates", "updates and scans", NOW, RISK_BOOT, STAGE_NONE, 82, NULL, .look = look_updates},
    {"uptime", "just started", NOW, RISK_BOOT, STAGE_NONE, 58, NULL, .look = look_uptime},
    {"mitigations", "mitigations", NOW, RISK_BOOT, STAGE_NONE, 4, NULL, .look = look_mitigations},
};
const struct knob_group knobs_of_now = {now, sizeof now / sizeof *now};
