/* SPDX-License-Identifier: MIT
 *
 * The kernel's command line: what it says of CPUs, and what it would have to say.
 */
#include "knob_look.h"
#include <string.h>

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
void look_boot(struct look *l)
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
