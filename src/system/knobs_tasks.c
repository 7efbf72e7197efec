/* SPDX-License-Identifier: MIT
 *
 * Other programs on the CPUs that are measured on: who runs now, and what keeps them away.
 *
 * Two ways to keep CPUs free at run time. Version 2 of control groups: a group whose partition is "isolated" takes its CPUs out of all others, kernel
 * threads included. Version 1: all tasks go to a group without those CPUs, and load balancing is switched off above. Our group is called "tare" in either;
 * who measures has to enter it, for the CPUs are nobody else's then.
 */
#include "knob_look.h"
#include "proc_text.h"
#include "whole.h"
#include <stdlib.h>
#include <string.h>

#define GROUP "tare"
#define REST  "tare-rest"

/* ---- who runs ---- */

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
enum tare_status look_load(struct look *l, const struct knob *k)
{
    double load;
    int64_t running;
    const char *text = look_text(l, "/proc/loadavg");
    if (!text)
        return row_absent(l, k, "the system does not tell");
    if (!parse_load(text, &load, &running))
        return row_malformed(l, k);
    bool kept_away = cpus_within(&l->bench, &l->isolated);
    double most = kept_away ? cpu_list_count(&l->housekeeping) : 0.5;
    long long others = running > 0 ? running - 1 : 0; /* one of them is us */
    const char *value = look_say(l, "%.2f on average over a minute, %lld now", load, others);
    if (load <= most)
        return row_ok(l, k, value);
    return row_noisy(l, k, value, "other programs want the CPUs at the same time",
                     "end other programs, wait until the load has gone down; 'tare system show --probe' names who used most");
}

enum tare_status look_affinity(struct look *l, const struct knob *k)
{
    const char *text = l->sources->allowed;
    struct cpu_list allowed;
    l->sources->read = l->sources->proc ? TARE_OK : TARE_NOT_FOUND;
    if (!text)
        return row_absent(l, k, "the system does not tell");
    if (cpu_list_parse(&allowed, text))
        return row_malformed(l, k);
    const char *value = look_say(l, "%s", look_list(l, &allowed));
    /* isolcpus takes CPUs out of what shells are given, not out of what they may ask for */
    if (cpus_within(&l->bench, &allowed) || cpus_within(&l->bench, &l->isolated))
        return row_ok(l, k, value);
    return row_noisy(l, k, value, look_say(l, "this shell may not use %s", look_named(l, &l->bench)),
                     "start tare from a shell without taskset, or with --cpus of its own");
}

/* ---- the folder of groups ---- */

static bool has_option(const char *p, const char *end, const char *word)
{
    size_t n = strlen(word);
    for (; p < end; p += strcspn(p, ",") + 1)
        if ((size_t)(end - p) >= n && !strncmp(p, word, n) && (p + n == end || p[n] == ','))
            return true;
    return false;
}

/* "... - cgroup cgroup rw,cpuset": where version 1 has CPU sets. NULL: nowhere. */
static const char *version_1(struct look *l)
{
    for (const char *line = l->sources->mounts; *line;) {
        const char *end = line + strcspn(line, "\n"), *dash = strstr(line, " - cgroup ");
        const char *options = dash && dash < end ? strrchr(look_say(l, "%.*s", (int)(end - line), line), ' ') : NULL;
        if (options && has_option(options + 1, options + strlen(options), "cpuset")) {
            const char *p = line;
            for (int i = 0; i < 4; i++)
                p += strcspn(p, " ") + 1;
            return p < end ? look_say(l, "%.*s", (int)strcspn(p, " "), p) : NULL;
        }
        line = *end ? end + 1 : end;
    }
    return NULL;
}

static const char *version_2(struct look *l)
{
    struct buf root = BUF_INIT(1 << 12), point = BUF_INIT(1 << 12);
    const char *folder = NULL;
    if (proc_mount_parse(l->sources->mounts, PROC_GROUPS_2, &root, &point))
        folder = look_say(l, "%s", buf_text(&point));
    buf_finish(&root);
    buf_finish(&point);
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
        s->group_folder = version_1(l);
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

/* ---- settings ---- */

struct group {
    struct look *l;
    const struct knob *k;
    const char *folder;
    enum tare_status status;
};

static void add(struct group *g, struct setting s)
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
        add(g, (struct setting){.kind = SETTING_FOLDER, .path = folder, .wanted = ""});
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
    add(g, (struct setting){.form = form, .path = path, .now = now, .wanted = wanted, .otherwise = otherwise});
}

/* "+cpuset" first; a new group gets its CPUs before it becomes a partition, and loses its tasks before it stops being one. */
static void settings_2(struct group *g)
{
    const char *cpus = look_list(g->l, &g->l->sources->measured);
    const char *folder = look_say(g->l, "%s/" GROUP, g->folder);
    const char *switches = look_say(g->l, "%s/cgroup.subtree_control", g->folder);
    const char *on = look_text(g->l, "%s", switches);
    if (!on || !text_has_word(on, "cpuset"))
        add(g, (struct setting){.form = FORM_SWITCH, .path = switches, .now = "-cpuset", .wanted = "+cpuset"});
    add_folder(g, folder);
    add_file(g, FORM_LIST, look_say(g->l, "%s/cpuset.cpus", folder), "\n", cpus, NULL);
    add_file(g, FORM_TEXT, look_say(g->l, "%s/cpuset.cpus.partition", folder), "member", "isolated", "root");
    add(g, (struct setting){.kind = SETTING_TASKS,
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
    add(g, (struct setting){.kind = SETTING_TASKS,
                            .stage = STAGE_TASKS,
                            .path = look_say(g->l, "%s/" GROUP "/cgroup.procs", g->folder),
                            .from = all});
    add(g, (struct setting){.kind = SETTING_TASKS,
                            .stage = STAGE_TASKS,
                            .path = look_say(g->l, "%s/" REST "/cgroup.procs", g->folder),
                            .from = all,
                            .wanted = "all"});
    const char *balance = look_say(g->l, "%s/cpuset.sched_load_balance", g->folder), *on = look_text(g->l, "%s", balance);
    if (on && !setting_holds(FORM_NUMBER, on, "0"))
        add(g, (struct setting){.stage = STAGE_TASKS, .form = FORM_NUMBER, .path = balance, .now = on, .wanted = "0"});
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

/* ---- the row ---- */

/* What the kernel says of a partition that it does not keep. "" : there is none. */
static const char *broken_partition(struct look *l)
{
    const char *text = l->sources->group_folder && l->sources->group_version == 2
                           ? look_text(l, "%s/" GROUP "/cpuset.cpus.partition", l->sources->group_folder)
                           : NULL;
    return text && strstr(text, "invalid") ? text : "";
}

enum tare_status look_isolation(struct look *l, const struct knob *k)
{
    const char *cpus = look_named(l, &l->bench), *broken = broken_partition(l);
    if (!l->sources->sys)
        return row_unknown(l, k, "", "there is no /sys here", "");
    if (cpu_list_next(&l->housekeeping, 0) < 0)
        return row_stays_noisy(l, k, "one CPU for all", "whatever else runs, runs on the same CPU",
                               "measure on a machine with more CPUs");
    if (cpus_within(&l->sources->measured, &l->isolated) && !*broken)
        return row_ok(l, k, look_say(l, "%s isolated", cpus));
    enum tare_status status = add_group(l, k);
    const char *value = *broken ? look_say(l, "the group's partition is '%s'", broken) : look_say(l, "%s shared with all", cpus);
    const char *advice =
        l->sources->group_folder
            ? ""
            : "isolcpus= on the kernel's command line: there are no control groups with CPU sets here to be used";
    return status ? status : row_stays_noisy(l, k, value, "the scheduler puts other programs there too", advice);
}
