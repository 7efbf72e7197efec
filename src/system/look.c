/* SPDX-License-Identifier: MIT
 *
 * One look at the machine: the files that all families need, every knob, the settings in the order of writing, the kernel's command line.
 */
#include "cpu.h"
#include "knob_look.h"
#include "plat.h"
#include <stdlib.h>
#include <string.h>

enum { FILE_PART = 1 << 14, LONG_FILE = 1 << 18, PROCESSES_LOOKED_AT = 1000 };

/* ---- identity through the same tree ---- */

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

/* The instruction speaks for this machine alone. */
static void read_identity(struct look *l)
{
    bool here = !l->root->path[0];
    struct identity_source source = {
        .context = l, .read = identity_file, .cpuid = here && !cpu_cpuid_available(NULL) ? identity_cpuid : NULL};
    l->sources->no_memory |= identity_read(&l->sources->machine, l->arena, &source, IDENTITY_QUICK) != TARE_OK;
    l->sources->hypervisor = l->sources->machine.hypervisor.state == HYPERVISOR_SEEN;
}

/* ---- files that more than one family needs ---- */

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
    s->proc = root_exists(l->root, "/proc/stat") || root_exists(l->root, "/proc/sys");
    read_identity(l);
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

static void look_close(struct look *l)
{
    if (l->sources)
        buf_finish(&l->sources->file);
}

/* ---- the kernel's command line: what it says of CPUs, and what it would have to say ---- */

/* Parameters end at blanks; within quotation marks blanks do not count. */
static const char *end_of(const char *p)
{
    bool quoted = false;
    for (; *p && (quoted || !strchr(" \t\n", *p)); p++)
        quoted ^= *p == '"';
    return p;
}

/* The kernel takes '-' for '_' in names of parameters. */
static bool is_name(const char *p, const char *name, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] != name[i] && !(p[i] == '-' && name[i] == '_'))
            return false;
    return true;
}

/* The last one counts. False: it is not there. */
static bool find(const char *line, const char *name, const char **value, size_t *length)
{
    size_t n = strlen(name);
    bool found = false;
    for (const char *p = line + strspn(line, " \t\n\""); *p; p += strspn(p, " \t\n\"")) {
        const char *end = end_of(p);
        if ((size_t)(end - p) >= n && is_name(p, name, n) && (p[n] == '=' || p + n == end)) {
            *value = p + n + (p[n] == '=');
            *length = (size_t)(end - *value);
            found = true;
        }
        p = end;
    }
    return found;
}

bool boot_has(const struct look *l, const char *word)
{
    return text_has_word(l->sources->command_line, word);
}

/* "nohz,domain,managed_irq,2-3": the flags of isolcpus. */
static void skip_flags(const char **p, size_t *n)
{
    static const char *const flags[] = {"nohz,", "domain,", "managed_irq,"};
    for (bool found = true; found;) {
        found = false;
        for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
            if (*n >= strlen(flags[i]) && !strncmp(*p, flags[i], strlen(flags[i]))) {
                *p += strlen(flags[i]);
                *n -= strlen(flags[i]);
                found = true;
            }
    }
}

static int last_cpu(const struct look *l)
{
    int last = 0;
    for (int cpu = cpu_list_next(&l->present, 0); cpu >= 0; cpu = cpu_list_next(&l->present, cpu + 1))
        last = cpu;
    return last;
}

/* "all" is each CPU, "N" the last one; quotation marks and a second "=" are harmless slips that the kernel drops the parameter for, and so do we. */
enum boot_list boot_cpus(const struct look *l, const char *name, struct cpu_list *out)
{
    const char *p;
    size_t n;
    *out = (struct cpu_list){{0}};
    if (!find(l->sources->command_line, name, &p, &n))
        return BOOT_ABSENT;
    if (n > 1 && *p == '"' && p[n - 1] == '"') {
        p++;
        n -= 2;
    }
    skip_flags(&p, &n);
    struct buf list = BUF_INIT(ROOT_FILE_MAX);
    for (size_t i = 0; i < n; i++) {
        if (n - i >= 3 && !strncmp(p + i, "all", 3)) {
            buf_format(&list, "0-%d", last_cpu(l));
            i += 2;
        } else if (p[i] == 'N') {
            buf_format(&list, "%d", last_cpu(l));
        } else {
            buf_char(&list, p[i]);
        }
    }
    bool good = !list.status && !cpu_list_parse(out, buf_text(&list));
    buf_finish(&list);
    return good ? BOOT_CPUS : BOOT_UNREADABLE;
}

/* nohz_full and rcu_nocbs always together: a CPU without ticks that still runs RCU callbacks wakes for them, and intel_pstate once kept the frequency of
 * such a CPU where it was. managed_irq: interrupts that nobody may move keep away too. */
static void look_boot(struct look *l)
{
    struct cpu_list isolated, tickless, offloaded;
    const struct cpu_list *cpus = &l->sources->measured;
    if (cpu_list_next(&l->housekeeping, 0) < 0)
        return;
    boot_cpus(l, "isolcpus", &isolated);
    boot_cpus(l, "nohz_full", &tickless);
    boot_cpus(l, "rcu_nocbs", &offloaded);
    if (cpus_within(cpus, &isolated) && cpus_within(cpus, &tickless) && cpus_within(cpus, &offloaded))
        return;
    const char *list = look_list(l, cpus);
    l->command_line = look_say(l, "isolcpus=managed_irq,domain,%s nohz_full=%s rcu_nocbs=%s irqaffinity=%s", list, list, list,
                               look_list(l, &l->housekeeping));
}

/* ---- the order of writing ---- */

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

/* ---- the look ---- */

static enum tare_status check_ids(const char *const *ids, struct tare_err *err)
{
    for (; ids && *ids; ids++)
        if (!knob_find(*ids))
            return err_set(err, TARE_INVALID, "there is no knob '%s'; 'tare system show' lists them", *ids);
    return TARE_OK;
}

static enum tare_status look_through(struct look *l)
{
    look_boot(l);
    enum tare_status status = TARE_OK;
    for (int i = 0; knob_at(i) && !status; i++)
        status = knob_at(i)->look(l, knob_at(i));
    return status ? status : sort_settings(l);
}

static enum tare_status prepare(struct look *l, struct tare_err *err)
{
    if (!look_open(l))
        return err_set(err, TARE_UNSUPPORTED, "neither /sys nor /proc tells of a CPU here");
    look_groups(l);
    enum tare_status status = look_choose(l, err);
    if (status)
        return status;
    look_policies(l);
    return look_frequency(l, err);
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
    status = prepare(out, err);
    if (!status && (look_through(out) || out->sources->no_memory))
        status = err_set(err, TARE_NO_MEMORY, "cannot look at the machine: %s",
                         out->sources->why.text[0] ? out->sources->why.text : "out of memory");
    look_close(out);
    return status;
}
