/* SPDX-License-Identifier: MIT
 *
 * Other programs on the CPUs that are measured on, and interrupts of devices: who runs now, and what keeps them away.
 *
 * Two ways to keep CPUs free at run time. Version 2 of control groups: a group whose partition is "isolated" takes its CPUs out of all others, kernel
 * threads included. Version 1: all tasks go to a group without those CPUs, and load balancing is switched off above. Our group is called "tare" in either;
 * who measures has to enter it, for the CPUs are nobody else's then.
 */
#include "cpu_list.h"
#include "knob_look.h"
#include "proc_text.h"
#include "whole.h"
#include <stdlib.h>
#include <string.h>

#define GROUP "tare"
#define REST  "tare-rest"

/* "0.52 0.48 0.50 2/345 6789" */
static bool parse_load(const char *text, double *one_minute, int64_t *running)
{
    const char *p = text;
    if (!text_take_hundredths(&p, one_minute))
        return false;
    for (int i = 0; i < 3; i++) {
        p += strcspn(p, " ");
        p += strspn(p, " ");
    }
    return whole_take(&p, p + strlen(p), 10, running) && *p == '/' && *running < 1000000;
}

/* Above half a task at any time, or where the CPUs are isolated more than the others can hold. */
static enum tare_status look_load(struct look *l, const struct knob *k)
{
    double load;
    int64_t running;
    const char *text = look_text(l, "/proc/loadavg");
    if (!text)
        return row_absent(l, k, "the system does not say");
    if (!parse_load(text, &load, &running))
        return row_malformed(l, k);
    bool kept_away = cpus_within(&l->bench, &l->isolated);
    double most = kept_away ? cpu_list_count(&l->housekeeping) : 0.5;
    long long others = running > 0 ? running - 1 : 0; /* one of them is us */
    const char *value = look_say(l, "load %.2f (1 min), %lld now", load, others);
    if (load <= most)
        return row_ok(l, k, value);
    return row_noisy(l, k, value, "other programs want the CPUs at the same time",
                     look_say(l, "%s%s", others ? "end other programs" : "wait a minute, or end what ran",
                              l->wishes->probed ? ""
                              : others          ? "; tare system show --probe names those that used most CPU time"
                                                : "; tare system show --probe names what uses CPU time"));
}

static enum tare_status look_affinity(struct look *l, const struct knob *k)
{
    const char *text = l->sources->allowed;
    struct cpu_list allowed;
    l->sources->read = l->sources->proc ? TARE_OK : TARE_NOT_FOUND;
    if (!text)
        return row_absent(l, k, "the system does not say");
    if (cpu_list_parse(&allowed, text))
        return row_malformed(l, k);
    const char *value = look_say(l, "%s", look_list(l, &allowed));
    /* isolcpus takes CPUs out of what shells are given, not out of what they may ask for */
    if (cpus_within(&l->bench, &allowed) || cpus_within(&l->bench, &l->isolated))
        return row_ok(l, k, value);
    return row_noisy(l, k, value, look_say(l, "this shell may not use %s", look_named(l, &l->bench)),
                     "start tare without taskset; or choose CPUs with --cpus");
}

/* Where groups are; NULL: nowhere. */
static const char *mounted(struct look *l, enum proc_groups which)
{
    struct buf root = BUF_INIT(1 << 12), point = BUF_INIT(1 << 12);
    const char *folder = NULL;
    if (proc_mount_parse(l->sources->mounts, which, &root, &point))
        folder = look_say(l, "%s", buf_text(&point));
    buf_finish(&root);
    buf_finish(&point);
    return folder;
}

static const char *version_2(struct look *l)
{
    const char *folder = mounted(l, PROC_GROUPS_2);
    const char *controllers = folder ? look_text(l, "%s/cgroup.controllers", folder) : NULL;
    bool of_container =
        folder && root_exists(l->root, look_say(l, "%s/cgroup.type", folder)); /* its CPUs are not ours to divide */
    return controllers && !of_container && text_has_word(controllers, "cpuset") ? folder : NULL;
}

/* A group of ours that stands already isolates as the kernel's command line does: with a partition that the kernel keeps, or, in version 1, once its last
 * step is done, load balancing above. */
void look_groups(struct look *l)
{
    struct look_sources *s = l->sources;
    struct cpu_list ours;
    s->group_folder = version_2(l);
    s->group_version = s->group_folder ? 2 : 1;
    if (!s->group_folder)
        s->group_folder = mounted(l, PROC_SETS_1);
    if (!s->group_folder || !look_cpus(l, &ours, "%s/" GROUP "/cpuset.cpus", s->group_folder))
        return;
    const char *partition = s->group_version == 2 ? look_text(l, "%s/" GROUP "/cpuset.cpus.partition", s->group_folder) : NULL;
    const char *balance = s->group_version == 1 ? look_text(l, "%s/cpuset.sched_load_balance", s->group_folder) : NULL;
    bool valid =
        (balance && !strcmp(balance, "0")) || (partition && (!strcmp(partition, "isolated") || !strcmp(partition, "root")));
    if (valid)
        l->isolated = ours;
    if (valid && cpu_list_next(&ours, 0) >= 0)
        l->bench_tasks = look_say(l, "%s/" GROUP "/cgroup.procs", s->group_folder);
}

struct group {
    struct look *l;
    const struct knob *k;
    const char *folder;
    enum tare_status status;
};

static void add_setting(struct group *g, struct setting s)
{
    s.knob = g->k;
    s.stage = s.stage ? s.stage : STAGE_PARTITION;
    if (!g->status)
        g->status = look_add_setting(g->l, &s);
}

/* A folder that is there already stays when this is undone. */
static bool add_folder(struct group *g, const char *folder)
{
    bool there = root_exists(g->l->root, folder);
    if (!there)
        add_setting(g, (struct setting){.kind = SETTING_FOLDER, .path = folder, .wanted = ""});
    return there;
}

/* fresh: what a new group has in this file; NULL: it goes with its folder. */
static void add_file(struct group *g, enum setting_form form, const char *path, const char *fresh, const char *wanted,
                     const char *otherwise)
{
    const char *read = look_text(g->l, "%s", path);
    if (read && setting_holds(form, read, wanted))
        return;
    const char *now = read ? look_say(g->l, "%.*s", (int)strcspn(read, " "), read) : fresh;
    add_setting(g, (struct setting){.form = form, .path = path, .now = now, .wanted = wanted, .otherwise = otherwise});
}

/* "+cpuset" first; a new group gets its CPUs before it becomes a partition, and loses its tasks before it stops being one. */
static void settings_2(struct group *g)
{
    const char *cpus = look_list(g->l, &g->l->sources->measured);
    const char *folder = look_say(g->l, "%s/" GROUP, g->folder);
    const char *switches = look_say(g->l, "%s/cgroup.subtree_control", g->folder);
    const char *on = look_text(g->l, "%s", switches);
    if (!on || !text_has_word(on, "cpuset"))
        add_setting(g, (struct setting){.form = FORM_SWITCH, .path = switches, .now = "-cpuset", .wanted = "+cpuset"});
    add_folder(g, folder);
    add_file(g, FORM_LIST, look_say(g->l, "%s/cpuset.cpus", folder), "\n", cpus, NULL);
    add_file(g, FORM_TEXT, look_say(g->l, "%s/cpuset.cpus.partition", folder), "member", "isolated", "root");
    add_setting(g, (struct setting){.kind = SETTING_TASKS,
                                    .stage = STAGE_TASKS,
                                    .path = look_say(g->l, "%s/cgroup.procs", folder),
                                    .from = look_say(g->l, "%s/cgroup.procs", g->folder)});
}

static void group_1(struct group *g, const char *name, const struct cpu_list *cpus, const char *nodes)
{
    const char *folder = look_say(g->l, "%s/%s", g->folder, name);
    add_folder(g, folder);
    add_file(g, FORM_LIST, look_say(g->l, "%s/cpuset.cpus", folder), NULL, look_list(g->l, cpus), NULL);
    add_file(g, FORM_LIST, look_say(g->l, "%s/cpuset.mems", folder), NULL, nodes, NULL);
}

/* Load balancing above is switched off last and on again first: in between the tasks left there would stay where they are. */
static void settings_1(struct group *g)
{
    const char *nodes = look_text(g->l, "%s/cpuset.mems", g->folder), *all = look_say(g->l, "%s/cgroup.procs", g->folder);
    nodes = nodes ? nodes : "0";
    group_1(g, REST, &g->l->housekeeping, nodes);
    group_1(g, GROUP, &g->l->sources->measured, nodes);
    add_file(g, FORM_NUMBER, look_say(g->l, "%s/" GROUP "/cpuset.sched_load_balance", g->folder), NULL, "0", NULL);
    add_setting(g, (struct setting){.kind = SETTING_TASKS,
                                    .stage = STAGE_TASKS,
                                    .path = look_say(g->l, "%s/" GROUP "/cgroup.procs", g->folder),
                                    .from = all});
    add_setting(g, (struct setting){.kind = SETTING_TASKS,
                                    .stage = STAGE_TASKS,
                                    .path = look_say(g->l, "%s/" REST "/cgroup.procs", g->folder),
                                    .from = all,
                                    .wanted = "all"});
    const char *balance = look_say(g->l, "%s/cpuset.sched_load_balance", g->folder), *on = look_text(g->l, "%s", balance);
    if (on && !setting_holds(FORM_NUMBER, on, "0"))
        add_setting(g, (struct setting){.stage = STAGE_TASKS, .form = FORM_NUMBER, .path = balance, .now = on, .wanted = "0"});
}

static enum tare_status add_group(struct look *l, const struct knob *k)
{
    struct group g = {l, k, l->sources->group_folder, TARE_OK};
    int before = l->n_settings;
    if (!g.folder)
        return TARE_OK;
    if (l->sources->group_version == 2)
        settings_2(&g);
    else
        settings_1(&g);
    if (l->n_settings > before) /* none: it was asked to leave that alone */
        l->bench_tasks = look_say(l, "%s/" GROUP "/cgroup.procs", g.folder);
    return g.status;
}

/* What the kernel says of a partition that it does not keep. "" : there is none. */
static const char *broken_partition(struct look *l)
{
    const char *text = l->sources->group_folder && l->sources->group_version == 2
                           ? look_text(l, "%s/" GROUP "/cpuset.cpus.partition", l->sources->group_folder)
                           : NULL;
    return text && strstr(text, "invalid") ? text : "";
}

static enum tare_status look_isolation(struct look *l, const struct knob *k)
{
    const char *cpus = look_named(l, &l->bench), *broken = broken_partition(l);
    if (!l->sources->sys)
        return row_unknown(l, k, "", "there is no /sys here", "");
    if (cpu_list_next(&l->housekeeping, 0) < 0)
        return row_stays_noisy(l, k, "one CPU for all", "whatever else runs, runs on the same CPU", "a machine with more CPUs");
    if (cpus_within(&l->sources->measured, &l->isolated) && !*broken)
        return row_ok(l, k, look_say(l, "%s isolated", cpus));
    enum tare_status status = add_group(l, k);
    const char *value = *broken ? look_say(l, "the group's partition is '%s'", broken) : look_say(l, "%s shared with all", cpus);
    const char *advice = l->sources->group_folder ? "" : "isolcpus= at boot; control groups with CPU sets are not available here";
    return status ? status : row_stays_noisy(l, k, value, "the scheduler puts other programs there too", advice);
}

/* Each has a mask of CPUs that it may go to; those that the kernel manages itself (queues of disks and network cards, one a CPU) are shown read-only by new
 * kernels and refused by older ones. */
struct interrupts {
    struct look *l;
    const struct knob *k;
    int seen, near, fixed; /* with a handler; that may come to CPUs that are measured on; of those, managed by the kernel */
    enum tare_status status;
};

/* What is left of the mask without the measured CPUs; all others where nothing is. */
static const char *steered(struct look *l, struct cpu_list mask, int groups)
{
    cpu_list_remove(&mask, &l->sources->measured);
    struct cpu_list online = mask;
    cpu_list_keep(&online, &l->online);
    struct buf b = BUF_INIT(1 << 14);
    cpu_mask_write(&b, cpu_list_next(&online, 0) >= 0 ? &mask : &l->housekeeping, groups);
    const char *text = look_say(l, "%s", buf_text(&b));
    buf_finish(&b);
    return text;
}

/* Calls add for each numbered folder. False: there are none to be seen; sources->read says why. */
static bool each_interrupt(struct look *l, void (*add)(void *context, const char *number), void *context)
{
    struct buf names = BUF_INIT(ROOT_FILE_MAX);
    int n;
    enum tare_status read = root_list(l->root, "/proc/irq", &names, &n, NULL);
    for (const char *p = names.data; !read && n > 0; n--, p += strlen(p) + 1)
        if (*p >= '0' && *p <= '9' && !p[strspn(p, "0123456789")])
            add(context, p);
    buf_finish(&names);
    l->sources->read = read;
    return !read;
}

/* Managed ones are counted where they come to these CPUs: by their effective mask, which alone tells. */
static bool comes_near(struct look *l, const char *number, bool managed)
{
    struct cpu_list effective;
    int groups;
    const char *text = managed ? look_text(l, "/proc/irq/%s/effective_affinity", number) : NULL;
    if (!text || cpu_mask_parse(&effective, &groups, text))
        return true;
    return cpus_overlap(&effective, &l->sources->measured);
}

/* It belongs to the devices that are its actions. */
static enum tare_status set_mask(struct look *l, const struct knob *k, const char *number, const char *actions, const char *now,
                                 const char *wanted, const char *why_not)
{
    return look_add_setting(l,
                            &(struct setting){.knob = k,
                                              .form = FORM_MASK,
                                              .stage = k->stage,
                                              .path = look_say(l, "/proc/irq/%s/smp_affinity", number),
                                              .identity = actions,
                                              .identity_path = actions ? look_say(l, "/sys/kernel/irq/%s/actions", number) : NULL,
                                              .now = now,
                                              .wanted = wanted,
                                              .why_not = why_not});
}

static void add_interrupt(void *context, const char *number)
{
    struct interrupts *i = context;
    struct look *l = i->l;
    struct cpu_list mask;
    int groups;
    const char *text = look_text(l, "/proc/irq/%s/smp_affinity", number);
    if (!text || cpu_mask_parse(&mask, &groups, text))
        return;
    const char *actions = look_text(l, "/sys/kernel/irq/%s/actions", number);
    if (!actions && l->sources->read == TARE_FORMAT) /* no handler: it never comes */
        return;
    i->seen++;
    if (!cpus_overlap(&mask, &l->sources->measured))
        return;
    bool managed = root_read_only(l->root, look_say(l, "/proc/irq/%s/smp_affinity", number));
    if (!comes_near(l, number, managed))
        return;
    i->near++;
    i->fixed += managed;
    if (!i->status)
        i->status = set_mask(l, i->k, number, actions, text, steered(l, mask, groups),
                             managed ? "the kernel manages it and lets nobody move it" : NULL);
}

static void add_default(struct interrupts *i)
{
    static const char path[] = "/proc/irq/default_smp_affinity";
    struct cpu_list mask;
    int groups;
    const char *text = look_text(i->l, path);
    if (!text || cpu_mask_parse(&mask, &groups, text) || !cpus_overlap(&mask, &i->l->sources->measured) || i->status)
        return;
    i->status = set_file(i->l, i->k, FORM_MASK, path, text, steered(i->l, mask, groups));
}

static enum tare_status add_row(struct interrupts *i)
{
    struct look *l = i->l;
    const char *cpus = look_named(l, &l->sources->measured);
    if (!i->near)
        return row_ok(l, i->k, look_say(l, "none of %d on %s", i->seen, cpus));
    const char *fixed = i->fixed ? look_say(l, " (%d fixed)", i->fixed) : "";
    const char *advice = i->fixed ? "isolcpus=managed_irq at boot; it keeps away those that the kernel fixes" : "";
    return row_stays_noisy(l, i->k, look_say(l, "%d of %d on %s%s", i->near, i->seen, cpus, fixed),
                           "each takes some microseconds and what it needs of the caches", advice);
}

static enum tare_status look_irq(struct look *l, const struct knob *k)
{
    struct interrupts i = {.l = l, .k = k};
    if (cpu_list_next(&l->housekeeping, 0) < 0)
        return row_none(l, k, "there is one CPU for all");
    add_default(&i);
    if (!each_interrupt(l, add_interrupt, &i))
        return row_absent(l, k, "this kernel steers no interrupts");
    return i.status ? i.status : add_row(&i);
}

struct saving {
    struct look *l;
    const struct knob *k;
    const struct cpu_list *cpus;
    enum tare_status status;
};

static void save_mask(void *context, const char *number)
{
    struct saving *s = context;
    struct cpu_list mask;
    int groups;
    const char *path = look_say(s->l, "/proc/irq/%s/smp_affinity", number), *text = look_text(s->l, "%s", path);
    if (s->status || !text || cpu_mask_parse(&mask, &groups, text) || cpu_list_next(&mask, 0) < 0 ||
        !cpus_within(&mask, s->cpus) || root_read_only(s->l->root, path))
        return;
    s->status = set_mask(s->l, s->k, number, look_text(s->l, "/sys/kernel/irq/%s/actions", number), text, NULL, NULL);
}

enum tare_status save_masks(struct look *l, const struct knob *k, const struct cpu_list *cpus)
{
    struct saving s = {l, k, cpus, TARE_OK};
    each_interrupt(l, save_mask, &s);
    return s.status;
}

#define WORK "Other work on these CPUs"
static const struct knob work[] = {
    {"load", "other programs", WORK, RISK_BOOT, STAGE_NONE, 100, NULL, .look = look_load},
    {"isolation", "CPUs kept free", WORK, RISK_REVERSIBLE, STAGE_PARTITION, 95, KEEP_BOOT ": isolcpus=", .look = look_isolation,
     .files = "w:@/cgroup.subtree_control w:@/cpuset.sched_load_balance w:@/tare/cpuset.cpus w:@/tare/cpuset.cpus.partition"
              " w:@/tare/cpuset.mems w:@/tare/cpuset.sched_load_balance w:@/tare-rest/cpuset.cpus w:@/tare-rest/cpuset.mems"
              " m:@/tare m:@/tare-rest f:@/tare/cgroup.procs f:@/tare-rest/cgroup.procs e:@/cgroup.procs"},
    {"affinity", "allowed CPUs", WORK, RISK_BOOT, STAGE_NONE, 30, NULL, .look = look_affinity},
    {"irq-affinity", "device interrupts", WORK, RISK_REVERSIBLE, STAGE_MASKS, 40,
     KEEP_BOOT ": irqaffinity=; where irqbalance runs, IRQBALANCE_BANNED_CPULIST in /etc/default/irqbalance", .look = look_irq,
     .files = "w:/proc/irq/#/smp_affinity w:/proc/irq/default_smp_affinity r:/sys/kernel/irq/#/actions"},
};
const struct knob_group knobs_of_work = {work, sizeof work / sizeof *work};
