/* SPDX-License-Identifier: MIT
 *
 * Logical CPUs, cores, packages and sorts of core, from /sys/devices/system/cpu.
 *
 * Cost: one small file a core is too much on large machines, so without simultaneous threads (smt/active 0) no core is
 * asked, and else CORES_ASKED of them at most before it takes one of each class for all.
 */
#include "identity_reader.h"
#include "identity_tables.h"
#include <string.h>

#define CPU_DIR "/sys/devices/system/cpu/"

enum { CORES_ASKED = 64, PACKAGES_ASKED = 256, CLASSES_MAX = 8 };

/* A list that belongs to one CPU: "topology/thread_siblings_list". */
static bool list_of_cpu(struct reader *r, int cpu, const char *file, struct cpu_list *out)
{
    char path[128];
    buf_print(path, sizeof path, CPU_DIR "cpu%d/%s", cpu, file);
    return reader_list(r, path, out) && cpu_list_has(out, cpu);
}

static bool number_of_cpu(struct reader *r, int cpu, const char *file, int64_t *out)
{
    char path[128];
    buf_print(path, sizeof path, CPU_DIR "cpu%d/%s", cpu, file);
    return reader_number(r, path, out);
}

/* The lines "processor : N" of /proc/cpuinfo, for systems without /sys. */
static void online_by_text(struct reader *r, struct cpu_list *online)
{
    const char *text = reader_file(r, "/proc/cpuinfo");
    bool whole = text && r->file.status == TARE_OK; /* a file that was cut would give too few */
    for (const char *block = whole ? text : NULL; block; block = strstr(block, "\n\n") ? strstr(block, "\n\n") + 2 : NULL) {
        int64_t cpu;
        if (!strncmp(block, "processor", 9) && find_number(block, "processor", &cpu) && cpu < CPU_LIST_MAX)
            cpu_list_add(online, (int)cpu);
    }
}

static bool count_cpus(struct reader *r, struct identity *id, struct cpu_list *online)
{
    struct cpu_list present, possible;
    *online = (struct cpu_list){{0}};
    if (!reader_list(r, CPU_DIR "online", online) || cpu_list_next(online, 0) < 0)
        online_by_text(r, online);
    int n = cpu_list_count(online);
    if (n == 0)
        return false;
    id->cpus_online = number_known(n);
    struct buf b = BUF_INIT(1 << 16);
    cpu_list_write(&b, online);
    id->online = text_of_buf(r, &b);
    if (reader_list(r, CPU_DIR "possible", &possible) && cpu_list_count(&possible) > 0)
        id->cpus_possible = number_known(cpu_list_count(&possible));
    if (reader_list(r, CPU_DIR "present", &present) && cpu_list_count(&present) > 0) {
        cpu_list_remove(&present, online);
        id->cpus_offline = number_known(cpu_list_count(&present));
    }
    return true;
}

struct sorts {
    struct identity_class of[CLASSES_MAX];
    int64_t key[CLASSES_MAX]; /* of Arm: implementer and part */
    int n;
};

static void x86_sorts(struct reader *r, struct sorts *s, const struct cpu_list *online)
{
    static const struct {
        const char *path, *kind;
    } files[] = {
        {"/sys/devices/cpu_core/cpus", "performance"},
        {"/sys/devices/cpu_atom/cpus", "efficient"},
        {"/sys/devices/cpu_lowpower/cpus", "low power"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct identity_class *c = &s->of[s->n];
        *c = (struct identity_class){.kind = files[i].kind};
        if (!reader_list(r, files[i].path, &c->cpus))
            continue;
        cpu_list_keep(&c->cpus, online);
        s->n += cpu_list_next(&c->cpus, 0) >= 0;
    }
}

static void add_to_sort(struct sorts *s, int64_t key, int cpu)
{
    int i = 0;
    while (i < s->n && s->key[i] != key)
        i++;
    if (i == CLASSES_MAX)
        return;
    if (i == s->n) {
        const char *name = arm_name_find((int)(key >> 16), (int)(key & 0xffff));
        s->of[i] = (struct identity_class){.name = name ? text_constant(name) : text_unknown("not in the table of code names")};
        s->key[s->n++] = key;
    }
    cpu_list_add(&s->of[i].cpus, cpu);
}

static void arm_sorts(struct reader *r, struct sorts *s, const struct cpu_list *online)
{
    const char *cpuinfo = reader_file(r, "/proc/cpuinfo");
    char *text = arena_strdup(r->arena, cpuinfo);
    r->no_memory |= cpuinfo && !text;
    for (char *block = text; block;) {
        char *end = strstr(block, "\n\n");
        if (end)
            *end = 0;
        int64_t cpu, implementer, part;
        if (find_number(block, "processor", &cpu) && cpu < CPU_LIST_MAX && cpu_list_has(online, (int)cpu) &&
            find_number(block, "CPU implementer", &implementer) && find_number(block, "CPU part", &part))
            add_to_sort(s, (implementer & 0xff) << 16 | (part & 0xfff), (int)cpu);
        block = end ? end + 2 : NULL;
    }
}

/* The strongest is the performance sort, the weakest the efficient one (cpu_capacity: 1024 is the strongest core of the machine). */
static void kinds_by_capacity(struct reader *r, struct sorts *s)
{
    int64_t capacity[CLASSES_MAX], most = 0, least = INT64_MAX;
    for (int i = 0; i < s->n; i++) {
        if (!number_of_cpu(r, cpu_list_next(&s->of[i].cpus, 0), "cpu_capacity", &capacity[i]))
            return;
        most = capacity[i] > most ? capacity[i] : most;
        least = capacity[i] < least ? capacity[i] : least;
    }
    for (int i = 0; i < s->n && most > least; i++)
        s->of[i].kind = capacity[i] == most ? "performance" : capacity[i] == least ? "efficient" : "middle";
}

/* Every online CPU is in one class: where the sorts leave some out, those are a class of their own. */
static void complete_sorts(struct sorts *s, const struct cpu_list *online)
{
    struct cpu_list rest = *online;
    int n = 0;
    for (int i = 0; i < s->n; i++) {
        cpu_list_keep(&s->of[i].cpus, &rest); /* lists that overlap: the first has it, and the second may be left with nothing */
        cpu_list_remove(&rest, &s->of[i].cpus);
        s->of[n] = s->of[i];
        n += cpu_list_next(&s->of[i].cpus, 0) >= 0;
    }
    s->n = n;
    if (s->n == 1)
        s->of[0].cpus = *online;
    else if (cpu_list_next(&rest, 0) >= 0 && s->n < CLASSES_MAX)
        s->of[s->n++] = (struct identity_class){.cpus = rest, .name = text_unknown("the system does not say")};
}

static void classify_cpus(struct reader *r, struct identity *id, const struct cpu_list *online)
{
    struct sorts *s = arena_alloc(r->arena, sizeof *s);
    id->classes = s ? s->of : NULL;
    r->no_memory |= !s;
    if (!s)
        return;
    if (r->x86)
        x86_sorts(r, s, online);
    else if (r->arm)
        arm_sorts(r, s, online);
    if (r->arm && s->n > 1)
        kinds_by_capacity(r, s);
    complete_sorts(s, online);
    if (s->n == 1)
        s->of[0].kind = NULL;
    id->n_classes = s->n;
    for (int i = 0; i < s->n; i++) {
        struct identity_class *c = &s->of[i];
        c->n_cpus = cpu_list_count(&c->cpus);
        c->cores = number_unknown("the system does not say");
        if (!c->name.text && !c->name.unknown)
            c->name = text_unknown("the system does not say");
    }
}

static struct identity_class *class_of(struct identity *id, int cpu)
{
    for (int i = 0; i < id->n_classes; i++)
        if (cpu_list_has(&id->classes[i].cpus, cpu))
            return &id->classes[i];
    return &id->classes[0];
}

static void set_cores(struct identity *id, int threads)
{
    int64_t sum = 0;
    for (int i = 0; i < id->n_classes; i++)
        sum += id->classes[i].cores.value;
    id->cores = number_known(sum);
    id->threads_per_core = number_known(threads);
}

static void every_cpu_is_a_core(struct identity *id)
{
    for (int i = 0; i < id->n_classes; i++)
        id->classes[i].cores = number_known(id->classes[i].n_cpus);
    set_cores(id, 1);
}

static bool siblings_of(struct reader *r, int cpu, const struct cpu_list *online, struct cpu_list *out)
{
    bool told = list_of_cpu(r, cpu, "topology/thread_siblings_list", out);
    if (told)
        cpu_list_keep(out, online);
    return told;
}

/* False: some core does not tell. */
static bool ask_every_core(struct reader *r, struct identity *id, const struct cpu_list *online)
{
    struct cpu_list rest = *online, siblings;
    int most = 0;
    for (int i = 0; i < id->n_classes; i++)
        id->classes[i].cores = number_known(0);
    for (int cpu; (cpu = cpu_list_next(&rest, 0)) >= 0;) {
        if (!siblings_of(r, cpu, online, &siblings))
            return false;
        int threads = cpu_list_count(&siblings);
        most = threads > most ? threads : most;
        class_of(id, cpu)->cores.value++;
        cpu_list_remove(&rest, &siblings);
    }
    set_cores(id, most);
    return true;
}

/* False: the first core of a class does not tell. */
static bool ask_one_core_a_class(struct reader *r, struct identity *id, const struct cpu_list *online)
{
    int most = 0;
    for (int i = 0; i < id->n_classes; i++) {
        struct identity_class *c = &id->classes[i];
        struct cpu_list siblings;
        if (!siblings_of(r, cpu_list_next(&c->cpus, 0), online, &siblings))
            return false;
        int threads = cpu_list_count(&siblings);
        most = threads > most ? threads : most;
        c->cores = number_known((c->n_cpus + threads - 1) / threads);
    }
    set_cores(id, most);
    return true;
}

static void count_cores(struct reader *r, struct identity *id, const struct cpu_list *online)
{
    int64_t active;
    struct cpu_list first;
    bool told = list_of_cpu(r, cpu_list_next(online, 0), "topology/thread_siblings_list", &first);
    if (told && reader_number(r, CPU_DIR "smt/active", &active) && active == 0 && cpu_list_count(&first) == 1) {
        every_cpu_is_a_core(id);
        return;
    }
    bool few = id->cpus_online.value <= 2 * CORES_ASKED;
    if (told && (few ? ask_every_core(r, id, online) : ask_one_core_a_class(r, id, online)))
        return;
    for (int i = 0; i < id->n_classes; i++)
        id->classes[i].cores = number_unknown("the system does not say");
}

static void count_packages(struct reader *r, struct identity *id, const struct cpu_list *online)
{
    struct cpu_list rest = *online, package;
    int n = 0;
    for (int cpu; (cpu = cpu_list_next(&rest, 0)) >= 0; n++) {
        if (n == PACKAGES_ASKED || (!list_of_cpu(r, cpu, "topology/package_cpus_list", &package) &&
                                    !list_of_cpu(r, cpu, "topology/core_siblings_list", &package)))
            return;
        cpu_list_remove(&rest, &package);
    }
    id->packages = number_known(n);
}

void identity_topology(struct reader *r, struct identity *id)
{
    struct cpu_list online;
    if (!count_cpus(r, id, &online))
        return;
    classify_cpus(r, id, &online);
    if (id->n_classes == 0)
        return;
    count_cores(r, id, &online);
    count_packages(r, id, &online);
}
