/* SPDX-License-Identifier: MIT
 *
 * One look at the machine: the files that all families need, every knob, the settings in the order of writing, the kernel's command line.
 */
#include "cpu.h"
#include "knob_look.h"
#include "plat.h"
#include "whole.h"
#include <stdlib.h>
#include <string.h>

/* Which CPUs to measure on, which to leave idle beside them, and which are for everything else. */

static struct cpu_list threads_of(struct look *l, int cpu)
{
    struct cpu_list threads, self = {{0}};
    look_core(l, cpu, &threads);
    cpu_list_keep(&threads, &l->online);
    cpu_list_add(&self, cpu);
    cpus_join(&threads, &self);
    return threads;
}

/* "  33:   0   12 PCI-MSI ...": of devices, which have a number; counts of timers and the like are on all CPUs. */
static void add_line(const char *line, int n, int64_t *counts)
{
    const char *end = line + strcspn(line, "\n"), *p = line + strspn(line, " ");
    int64_t number;
    if (!whole_take(&p, end, 10, &number) || *p != ':')
        return;
    p++;
    for (int i = 0; i < n; i++) {
        int64_t count;
        p += strspn(p, " ");
        if (!whole_take(&p, end, 10, &count) || (*p != ' ' && p != end))
            return;
        if (count < INT64_MAX / 2 - counts[i])
            counts[i] += count;
    }
}

/* The heading names the CPUs that are online: "CPU0 CPU2". At most `most`. */
static int read_heading(const char *text, int *cpus, int most)
{
    const char *end = text + strcspn(text, "\n");
    int n = 0;
    for (const char *p = text; n < most;) {
        int64_t cpu;
        p += strspn(p, " ");
        if (strncmp(p, "CPU", 3))
            break;
        p += 3;
        if (!whole_take(&p, end, 10, &cpu) || cpu >= CPU_LIST_MAX)
            break;
        cpus[n++] = (int)cpu;
    }
    return n;
}

/* -1: not known. */
static int busiest(struct look *l)
{
    const char *text = l->sources->interrupts;
    int room = cpu_list_count(&l->online), most = -1;
    int *cpus = text ? arena_array(l->arena, (size_t)room + 1, sizeof *cpus) : NULL;
    int64_t *counts = cpus ? arena_array(l->arena, (size_t)room + 1, sizeof *counts) : NULL;
    if (!counts)
        return -1;
    int n = read_heading(text, cpus, room);
    for (const char *line = strchr(text, '\n'); line; line = strchr(line + 1, '\n'))
        add_line(line + 1, n, counts);
    for (int i = 0; i < n; i++)
        if (counts[i] > 0 && (most < 0 || counts[i] > counts[most]))
            most = i;
    return most < 0 ? -1 : cpus[most];
}

/* Of the strongest cores, where there are several sorts; at most the CPUs that this process may use. */
static struct cpu_list candidates(struct look *l)
{
    const struct identity *m = &l->sources->machine;
    struct cpu_list widest = l->online, allowed;
    for (int i = 0; i < m->n_classes && m->n_classes > 1; i++)
        if (m->classes[i].kind && !strcmp(m->classes[i].kind, "performance"))
            widest = m->classes[i].cpus;
    const char *text = l->sources->allowed;
    if (!text)
        return widest;
    if (cpu_list_parse(&allowed, text) || !cpus_overlap(&allowed, &widest))
        return widest;
    cpu_list_keep(&widest, &allowed);
    return widest;
}

static int last_of(const struct cpu_list *cpus)
{
    int last = -1;
    for (int cpu = cpu_list_next(cpus, 0); cpu >= 0; cpu = cpu_list_next(cpus, cpu + 1))
        last = cpu;
    return last;
}

/* The first thread that does not have most interrupts. */
static int quieter_of(const struct cpu_list *threads, int most)
{
    int first = cpu_list_next(threads, 0), second = cpu_list_next(threads, first + 1);
    return first == most && second >= 0 ? second : first;
}

/* The last core of which no thread is one to be avoided; -1: none. Its first thread that is a candidate, rather not the CPU with most interrupts. */
static int last_core_without(struct look *l, struct cpu_list from, const struct cpu_list *avoided, int most)
{
    for (int cpu; (cpu = last_of(&from)) >= 0;) {
        struct cpu_list threads = threads_of(l, cpu);
        if (!cpus_overlap(&threads, avoided)) {
            cpu_list_keep(&threads, &from);
            return quieter_of(&threads, most);
        }
        cpu_list_remove(&from, &threads);
    }
    return -1;
}

static const char *pick(struct look *l, int *cpu)
{
    const struct cpu_list from = candidates(l);
    struct cpu_list avoided = {{0}};
    int most = busiest(l);
    cpu_list_add(&avoided, 0);
    cpu_list_add(&avoided, most);
    const char *sort = l->sources->machine.n_classes > 1 ? " of the strongest sort" : "";
    if ((*cpu = last_core_without(l, from, &avoided, most)) >= 0)
        return look_say(l, "the last core%s, away from CPU 0%s", sort,
                        most > 0 ? look_say(l, " and from CPU %d, which has most interrupts", most) : "");
    avoided = (struct cpu_list){{0}};
    cpu_list_add(&avoided, 0);
    if ((*cpu = last_core_without(l, from, &avoided, most)) >= 0)
        return look_say(l, "the last core%s, away from CPU 0; no other is left that has fewer interrupts", sort);
    *cpu = last_of(&from);
    return cpu_list_count(&l->online) == 1 ? "the only CPU" : "the last CPU: all threads belong to one core";
}

/* One CPU of each core. */
static struct cpu_list one_a_core(struct look *l, struct cpu_list rest)
{
    struct cpu_list chosen = {{0}};
    int most = busiest(l);
    for (int cpu; (cpu = cpu_list_next(&rest, 0)) >= 0;) {
        struct cpu_list threads = threads_of(l, cpu), same = threads;
        cpu_list_keep(&same, &rest);
        cpu_list_add(&chosen, quieter_of(&same, most));
        cpu_list_remove(&rest, &threads);
    }
    return chosen;
}

/* The other threads of those cores, unless nothing would be left. */
static void reserve(struct look *l)
{
    struct cpu_list others = {{0}};
    for (int cpu = cpu_list_next(&l->bench, 0); cpu >= 0; cpu = cpu_list_next(&l->bench, cpu + 1)) {
        struct cpu_list threads = threads_of(l, cpu);
        cpus_join(&others, &threads);
    }
    cpu_list_remove(&others, &l->bench);
    l->housekeeping = l->online;
    cpu_list_remove(&l->housekeeping, &l->bench);
    struct cpu_list left = l->housekeeping;
    cpu_list_remove(&left, &others);
    if (cpu_list_next(&left, 0) < 0)
        return;
    l->reserved = others;
    l->housekeeping = left;
}

static enum tare_status check_choice(struct look *l, struct tare_err *err)
{
    const struct cpu_list *cpus = &l->wishes->cpus;
    struct cpu_list wrong = *cpus;
    cpu_list_remove(&wrong, &l->present);
    cpu_list_remove(&wrong, &l->online);
    if (cpu_list_next(&wrong, 0) >= 0)
        return err_set(err, TARE_INVALID, "%s: there is no such CPU here; there are %s", look_named(l, &wrong),
                       look_list(l, &l->present));
    wrong = *cpus;
    cpu_list_remove(&wrong, &l->online);
    if (cpu_list_next(&wrong, 0) >= 0)
        return err_set(err, TARE_INVALID, "%s: offline; online are %s", look_named(l, &wrong), look_list(l, &l->online));
    wrong = *cpus;
    cpu_list_remove(&wrong, &l->isolated);
    if (cpu_list_next(&l->isolated, 0) >= 0 && cpu_list_next(&wrong, 0) >= 0)
        return err_set(err, TARE_INVALID, "%s: not among the isolated CPUs (%s); name some of those, or undo the isolation",
                       look_named(l, &wrong), look_list(l, &l->isolated));
    struct cpu_list left = l->online;
    cpu_list_remove(&left, cpus);
    if (cpu_list_next(&left, 0) < 0)
        return err_set(err, TARE_INVALID, "%s: no CPU would be left for everything else; name fewer", look_named(l, cpus));
    return TARE_OK;
}

/* All CPUs but one core isolated is as good as it gets; all of them is the same as none. */
static bool has_isolated(const struct look *l)
{
    struct cpu_list isolated = l->isolated;
    cpu_list_keep(&isolated, &l->online);
    return cpu_list_next(&isolated, 0) >= 0 && !cpus_within(&l->online, &isolated);
}

/* the sets of CPUs */
static enum tare_status look_choose(struct look *l, struct tare_err *err)
{
    struct cpu_list isolated;
    if (look_cpus(l, &isolated, CPU "isolated"))
        cpus_join(&l->isolated, &isolated);
    cpu_list_keep(&l->isolated, &l->present);
    enum tare_status status = TARE_OK;
    if (cpu_list_next(&l->wishes->cpus, 0) >= 0) {
        l->bench = l->wishes->cpus;
        l->why_bench = "asked for";
        status = check_choice(l, err);
    } else if (has_isolated(l)) {
        isolated = l->isolated;
        cpu_list_keep(&isolated, &l->online);
        l->bench = one_a_core(l, isolated);
        l->why_bench = "isolated, one of each core";
    } else {
        int cpu;
        l->why_bench = pick(l, &cpu);
        cpu_list_add(&l->bench, cpu);
    }
    if (status)
        return status;
    reserve(l);
    l->sources->measured = l->bench;
    cpus_join(&l->sources->measured, &l->reserved);
    return TARE_OK;
}

enum { FILE_PART = 1 << 14, LONG_FILE = 1 << 18, PROCESSES_LOOKED_AT = 1000 };

static enum tare_status identity_file(void *context, const char *path, struct buf *out)
{
    const struct look *l = context;
    enum tare_status status = root_read(l->root, path, out, NULL);
    return status == TARE_FORMAT ? TARE_OK : status; /* the device tree closes its texts by zero bytes */
}

static bool identity_cpuid(void *context, uint32_t leaf, uint32_t subleaf, uint32_t out[4])
{
    (void)context;
    cpu_cpuid(leaf, subleaf, out);
    return true;
}

/* "key<blanks>: value" of the first processor. */
static const char *field(struct look *l, const char *text, const char *key)
{
    const char *line = text ? strstr(text, key) : NULL, *colon = line ? strchr(line, ':') : NULL;
    return colon ? look_say(l, "%.*s", (int)strcspn(colon + 1, "\n"), colon + 1) : "";
}

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

static int by_number(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    size_t m = strlen(x), n = strlen(y);
    return m != n ? (m > n) - (m < n) : strcmp(x, y);
}

/* Ids, the newest processes last. */
static int processes_of(const char *names, int n, const char **out)
{
    int found = 0;
    for (const char *p = names; n--; p += strlen(p) + 1)
        if (*p >= '1' && *p <= '9' && !p[strspn(p, "0123456789")])
            out[found++] = p;
    qsort(out, (size_t)found, sizeof *out, by_number);
    return found;
}

/* What processes call themselves. To ask tens of thousands of them would take longer than all else, so only so many are asked, the newest: threads of the kernel and
 * services are older than what disturbs for a while. Services are known by their groups too. */
static void read_names(struct look *l)
{
    struct buf list = BUF_INIT(ROOT_FILE_MAX), names = BUF_INIT(ROOT_FILE_MAX);
    int n = 0, found = 0;
    const char **ids = NULL;
    if (!root_list(l->root, "/proc", &list, &n, NULL))
        ids = arena_array(l->arena, (size_t)n + 1, sizeof *ids);
    if (ids)
        found = processes_of(list.data, n, ids);
    int asked = found < PROCESSES_LOOKED_AT ? found : PROCESSES_LOOKED_AT;
    for (int i = found - asked; i < found; i++) {
        const char *name = look_text(l, "/proc/%s/comm", ids[i]);
        if (name)
            buf_add(&names, name, strlen(name) + 1);
    }
    buf_char(&names, 0);
    l->sources->names = arena_copy(l->arena, buf_text(&names), names.len);
    l->sources->names_whole = asked == found && found > 0;
    l->sources->no_memory |= !l->sources->names;
    if (!l->sources->names)
        l->sources->names = "";
    buf_finish(&list);
    buf_finish(&names);
}

static bool look_open(struct look *l)
{
    struct look_sources *s = l->sources;
    s->file = BUF_INIT(ROOT_FILE_MAX);
    s->sys = root_exists(l->root, "/sys/devices/system/cpu");
    l->windows = root_exists(l->root, "/windows/powercfg");
    s->proc = root_exists(l->root, "/proc/stat") || root_exists(l->root, "/proc/sys");
    /* The instruction speaks for this machine alone. */
    bool here = !l->root->path[0];
    struct identity_source source = {
        .context = l, .read = identity_file, .cpuid = here && !cpu_cpuid_available(NULL) ? identity_cpuid : NULL};
    l->sources->no_memory |= identity_read(&l->sources->machine, l->arena, &source) != TARE_OK;
    l->sources->hypervisor = l->sources->machine.hypervisor.state == HYPERVISOR_SEEN;
    if (!look_cpus(l, &l->online, CPU "online") || cpu_list_next(&l->online, 0) < 0)
        cpu_list_parse(&l->online, s->machine.online.text ? s->machine.online.text : "");
    if (!look_cpus(l, &l->present, CPU "present"))
        l->present = l->online;
    const char *status = look_text(l, "/proc/self/status"), *allowed = status ? strstr(status, "Cpus_allowed_list:") : NULL;
    if (allowed)
        s->allowed = field(l, allowed, "Cpus_allowed_list");
    s->command_line = or_empty(look_text(l, "/proc/cmdline"));
    s->interrupts = look_text(l, "/proc/interrupts");
    s->mounts = or_empty(look_start(l, "/proc/self/mountinfo", LONG_FILE));
    s->groups = or_empty(look_start(l, "/proc/self/cgroup", FILE_PART));
    const char *processor = look_start(l, "/proc/cpuinfo", FILE_PART);
    s->flags = field(l, processor, "\nflags");
    s->vendor = field(l, processor, "vendor_id");
    read_names(l);
    return cpu_list_next(&l->online, 0) >= 0;
}

static enum tare_status sort_settings(struct look *l)
{
    struct setting *sorted = arena_array(l->arena, (size_t)l->n_settings + 1, sizeof *sorted);
    int n = 0;
    if (!sorted)
        return TARE_NO_MEMORY;
    for (int stage = STAGE_EPP_SAVED; stage <= STAGE_NONE; stage++)
        for (int i = 0; i < l->n_settings; i++)
            if ((int)l->settings[i].stage == stage)
                sorted[n++] = l->settings[i];
    l->settings = sorted;
    l->room_settings = l->n_settings;
    return TARE_OK;
}

static enum tare_status check_ids(const char *const *ids, struct tare_err *err)
{
    for (; ids && *ids; ids++)
        if (!knob_find(*ids))
            return err_set(err, TARE_INVALID, "there is no setting '%s'; 'tare system show' lists them", *ids);
    return TARE_OK;
}

static enum tare_status look_through(struct look *l)
{
    look_boot(l);
    enum tare_status status = TARE_OK;
    for (int i = 0; knob_at(i) && !status; i++)
        if (knob_at(i)->windows == l->windows)
            status = knob_at(i)->look(l, knob_at(i));
    return status ? status : sort_settings(l);
}

/* Whether the frequency that was asked for can be had. */
static enum tare_status check_frequency(const struct look *l, struct tare_err *err)
{
    const struct look_sources *s = l->sources;
    int64_t wanted = l->wishes->hz / 1000;
    if (l->wishes->frequency != FREQUENCY_HZ)
        return TARE_OK;
    if (l->wishes->hz <= 0)
        return err_set(err, TARE_INVALID, "a frequency of %lld Hz cannot be had", (long long)l->wishes->hz);
    for (int i = 0; i < s->n_policies; i++) {
        const struct policy *p = &s->policies[i];
        if (p->lowest_khz > 0 && p->top_khz > 0 && (wanted < p->lowest_khz || wanted > p->top_khz))
            return err_set(err, TARE_INVALID, "CPU %d cannot run at %.3f GHz: it goes from %.3f to %.3f GHz", p->cpu,
                           (double)wanted / 1e6, (double)p->lowest_khz / 1e6, (double)p->top_khz / 1e6);
    }
    return TARE_OK;
}

static enum tare_status prepare_look(struct look *l, struct tare_err *err)
{
    if (!look_open(l))
        return err_set(err, TARE_UNSUPPORTED, "neither /sys nor /proc lists a CPU here");
    look_groups(l);
    enum tare_status status = look_choose(l, err);
    if (status)
        return status;
    look_policies(l);
    return check_frequency(l, err);
}

enum tare_status look_at_machine(struct look *out, const struct system_root *root, const struct wishes *wishes, struct arena *a,
                                 struct tare_err *err)
{
    static const struct wishes none;
    *out = (struct look){.root = root, .wishes = wishes ? wishes : &none, .arena = a, .why_bench = ""};
    enum tare_status status = check_ids(out->wishes->only, err);
    if (!status)
        status = check_ids(out->wishes->without, err);
    if (status)
        return status;
    out->sources = arena_alloc(a, sizeof *out->sources);
    if (!out->sources)
        return err_set(err, TARE_NO_MEMORY, "cannot look at the machine: out of memory");
    status = prepare_look(out, err);
    if (!status && (look_through(out) || out->sources->no_memory))
        status = err_set(err, TARE_NO_MEMORY, "cannot look at the machine: %s",
                         out->sources->why.text[0] ? out->sources->why.text : "out of memory");
    if (out->sources)
        buf_finish(&out->sources->file);
    return status;
}
