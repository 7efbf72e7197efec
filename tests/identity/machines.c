/* SPDX-License-Identifier: MIT */
#include "machines.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool cpuid(void *context, uint32_t leaf, uint32_t subleaf, uint32_t out[4])
{
    const struct machine *m = context;
    memset(out, 0, 4 * sizeof *out);
    for (const struct leaf *l = m->leaves; l && (l->regs[0] | l->regs[1] | l->regs[2] | l->regs[3]); l++)
        if (l->leaf == leaf && l->subleaf == subleaf)
            memcpy(out, l->regs, sizeof l->regs);
    return m->leaves != NULL;
}

static struct cpu_list all(int n)
{
    struct cpu_list list = {{0}};
    for (int i = 0; i < n; i++)
        cpu_list_add(&list, i);
    return list;
}

static struct cpu_list siblings_of(const struct machine *m, int cpu)
{
    struct cpu_list list = {{0}};
    int threads = m->threads ? m->threads : 1, apart = m->siblings == SIBLINGS_FAR ? m->cpus / threads : 1;
    int first = m->siblings == SIBLINGS_FAR ? cpu % apart : cpu - cpu % threads;
    for (int i = 0; i < threads; i++)
        cpu_list_add(&list, first + i * apart);
    return list;
}

static struct cpu_list package_of(const struct machine *m, int cpu)
{
    struct cpu_list list = {{0}};
    int packages = m->packages ? m->packages : 1, size = m->cpus / packages;
    for (int i = 0; i < m->cpus; i++)
        if (i / size == cpu / size)
            cpu_list_add(&list, i);
    return list;
}

static void write_list(struct buf *out, struct cpu_list list)
{
    cpu_list_write(out, &list);
    buf_char(out, '\n');
}

/* True: the path is one of those that are made. */
static bool made(const struct machine *m, const char *path, struct buf *out)
{
    static const char dir[] = "/sys/devices/system/cpu/";
    struct cpu_list offline = {{0}}, online = all(m->cpus);
    char name[64];
    int cpu;
    if (m->cpus == 0 || strncmp(path, dir, strlen(dir)))
        return false;
    if (m->offline)
        cpu_list_parse(&offline, m->offline);
    cpu_list_remove(&online, &offline);
    path += strlen(dir);
    if (!strcmp(path, "online"))
        write_list(out, online);
    else if (!strcmp(path, "present") || !strcmp(path, "possible"))
        write_list(out, all(m->cpus));
    else if (sscanf(path, "cpu%d/topology/%63s", &cpu, name) == 2 && cpu_list_has(&online, cpu))
        write_list(out, !strcmp(name, "thread_siblings_list") ? siblings_of(m, cpu) : package_of(m, cpu));
    else
        return false;
    return true;
}

static enum tare_status read(void *context, const char *path, struct buf *out)
{
    struct machine *m = context;
    m->reads++;
    for (const struct file *f = m->files; f && f->path; f++)
        if (!strcmp(f->path, path)) {
            if (f->text)
                buf_str(out, f->text);
            return f->text ? out->status : TARE_NOT_FOUND;
        }
    return made(m, path, out) ? out->status : TARE_NOT_FOUND;
}

struct identity machine_identify(struct machine *m)
{
    const struct identity_source source = {
        .context = m,
        .cpuid = m->leaves ? cpuid : NULL,
        .read = read,
        .os = "Linux",
        .kernel = "6.1.0",
        .build = "#1 SMP",
        .architecture = m->architecture ? m->architecture : "x86_64",
    };
    struct identity id;
    if (identity_read(&id, &m->arena, &source))
        abort();
    return id;
}

void machine_finish(struct machine *m)
{
    arena_finish(&m->arena);
}
