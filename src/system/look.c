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
            return err_set(err, TARE_INVALID, "there is no setting '%s'; 'tare system show' lists them", *ids);
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
        return err_set(err, TARE_UNSUPPORTED, "neither /sys nor /proc lists a CPU here");
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
