/* SPDX-License-Identifier: MIT */
#include "machine.h"
#include "identity.h"
#include "plat.h"
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 1 << 24 }; /* /proc/cpuinfo holds some 1.5 kB a processor */

/* ---- text of files ---- */

static bool read_text(const char *path, struct buf *out)
{
    buf_clear(out);
    return plat_file_read(path, out, NULL) == TARE_OK && out->len > 0;
}

static char *first_line(struct buf *b)
{
    b->data[strcspn(b->data, "\n")] = 0;
    return b->data;
}

/* A finite number with nothing but `unit` and blanks behind it. */
static bool number_of(const char *text, const char *unit, double *out)
{
    char *end;
    *out = strtod(text, &end);
    if (end == text || !isfinite(*out))
        return false;
    end += strspn(end, " \t");
    size_t n = strlen(unit);
    if (strncmp(end, unit, n))
        return false;
    return !end[n + strspn(end + n, " \t\n")];
}

/* ---- facts that stand alone in a file ---- */

struct file_fact {
    const char *key, *path;
    bool number;
};

static const struct file_fact condition_files[] = {
    {"governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", false},
    {"frequency_khz", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", true},
    {"intel_no_turbo", "/sys/devices/system/cpu/intel_pstate/no_turbo", true},
    {"cpufreq_boost", "/sys/devices/system/cpu/cpufreq/boost", true},
    {"smt_active", "/sys/devices/system/cpu/smt/active", true},
    {"isolated_cpus", "/sys/devices/system/cpu/isolated", false},
    {"clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource", false},
    {"transparent_hugepages", "/sys/kernel/mm/transparent_hugepage/enabled", false},
    {"address_randomisation", "/proc/sys/kernel/randomize_va_space", true},
    {"perf_event_paranoid", "/proc/sys/kernel/perf_event_paranoid", true},
    {"load_average", "/proc/loadavg", false},
};

static enum tare_status add_file_fact(struct record *r, struct facts *f, const struct file_fact *fact, struct buf *b)
{
    if (!read_text(fact->path, b))
        return facts_add_unknown(r, f, fact->key, "the system does not tell");
    char *text = first_line(b);
    if (!fact->number)
        return facts_add_text(r, f, fact->key, text);
    double number;
    return number_of(text, "", &number) ? facts_add_number(r, f, fact->key, number)
                                        : facts_add_unknown(r, f, fact->key, "not a number");
}

/* ---- steal: time the hypervisor gave to others ---- */

/* "cpu  user nice system idle iowait irq softirq steal ...", in ticks since boot. */
static enum tare_status add_steal(struct record *r, struct facts *f, struct buf *b)
{
    if (!read_text("/proc/stat", b) || strncmp(b->data, "cpu ", 4))
        return facts_add_unknown(r, f, "steal_ticks", "no /proc/stat");
    char *p = first_line(b) + 4;
    double value = NAN;
    for (int i = 0; i < 8; i++) {
        char *end;
        value = strtod(p, &end);
        if (end == p)
            return facts_add_unknown(r, f, "steal_ticks", "not in /proc/stat");
        p = end;
    }
    return facts_add_number(r, f, "steal_ticks", value);
}

enum tare_status machine_conditions(struct record *r, struct facts *f)
{
    struct buf b = BUF_INIT(FILE_MAX);
    enum tare_status status = facts_add_number(r, f, "cpus_allowed", plat_cpus_allowed());
    for (size_t i = 0; i < sizeof condition_files / sizeof *condition_files && !status; i++)
        status = add_file_fact(r, f, &condition_files[i], &b);
    if (!status)
        status = add_steal(r, f, &b);
    buf_finish(&b);
    return status;
}

/* ---- identity/identity.h as facts of the record ---- */

/* Adding stops at the first failure, which is what the caller learns. */
struct adding {
    struct record *r;
    struct facts *f;
    enum tare_status status;
};

static void add_unknown(struct adding *a, const char *key, const char *why)
{
    if (!a->status)
        a->status = facts_add_unknown(a->r, a->f, key, why);
}

static void add_text(struct adding *a, const char *key, struct identity_text text)
{
    if (!text.text)
        add_unknown(a, key, text.unknown);
    else if (!a->status)
        a->status = facts_add_text(a->r, a->f, key, text.text);
}

static void add_number(struct adding *a, const char *key, struct identity_number number)
{
    if (number.unknown)
        add_unknown(a, key, number.unknown);
    else if (!a->status)
        a->status = facts_add_number(a->r, a->f, key, (double)number.value);
}

/* A name more than a quantity, as 85 and 0xd0c are. */
static void add_code(struct adding *a, const char *key, struct identity_number number, const char *format)
{
    char text[32];
    struct buf b = buf_over(text, sizeof text);
    buf_format(&b, format, (unsigned)number.value);
    if (number.unknown)
        add_unknown(a, key, number.unknown);
    else
        add_text(a, key, (struct identity_text){.text = text});
}

static void add_system(struct adding *a, const struct identity *id)
{
    add_text(a, "os", id->os);
    add_text(a, "distribution", id->distribution);
    add_text(a, "kernel", id->kernel);
    add_text(a, "kernel_build", id->build);
    add_text(a, "architecture", id->architecture);
    add_text(a, "machine_maker", id->maker);
    add_text(a, "machine_product", id->product);
    if (id->hypervisor.state == HYPERVISOR_UNKNOWN)
        add_unknown(a, "virtual_machine", id->hypervisor.reasoning);
    else
        add_text(a, "virtual_machine",
                 (struct identity_text){.text = id->hypervisor.state == HYPERVISOR_SEEN ? "yes" : "not seen"});
    add_text(a, "hypervisor", id->hypervisor.name);
    add_number(a, "memory_bytes", id->memory_bytes);
}

static void add_processor(struct adding *a, const struct identity *id)
{
    bool arm = !id->signature.unknown && id->family.unknown;
    add_text(a, "cpu_vendor", id->vendor);
    add_text(a, "cpu_brand", id->brand);
    add_code(a, "cpu_family", id->family, "%u");
    add_code(a, "cpu_model", id->model, arm ? "0x%03x" : "%u");
    add_code(a, "cpu_stepping", id->stepping, arm ? "0x%02x" : "%u");
    add_code(a, "cpu_signature", id->signature, "0x%08x");
    add_text(a, "cpu_microcode", id->microcode);
    add_text(a, "cpu_code_name", id->name.name);
    add_text(a, "cpu_microarchitecture", id->name.core);
    add_text(a, "cpu_code_name_confidence", (struct identity_text){.text = identity_confidence_text(id->name.confidence)});
    add_text(a, "cpu_code_name_reasoning", (struct identity_text){.text = id->name.reasoning});
    add_text(a, "cpu_code_name_guess", id->name.guess);
    add_number(a, "nominal_hz", id->nominal_hz);
    add_text(a, "nominal_hz_source",
             (struct identity_text){.text = id->nominal_source, .unknown = id->nominal_source ? NULL : id->nominal_hz.unknown});
}

/* "performance 0-15, 8 cores, Golden Cove; efficient 16-23, 8 cores, Gracemont" */
static void add_classes(struct adding *a, const struct identity *id)
{
    struct buf b = BUF_INIT(1 << 16);
    for (int i = 0; i < id->n_classes; i++) {
        const struct identity_class *c = &id->classes[i];
        buf_format(&b, "%s%s ", i ? "; " : "", c->kind ? c->kind : "cpus");
        cpu_list_write(&b, &c->cpus);
        if (!c->cores.unknown)
            buf_format(&b, ", %lld cores", (long long)c->cores.value);
        if (c->name.text)
            buf_format(&b, ", %s", c->name.text);
    }
    a->status = a->status ? a->status : b.status;
    add_text(a, "cpu_classes", (struct identity_text){.text = buf_text(&b)});
    buf_finish(&b);
}

/* Of the first class, the performance cores where there are two sorts. */
static void add_cache(struct adding *a, const struct identity *id, const char *key, int level, enum identity_cache_type type)
{
    for (int i = 0; i < id->n_caches; i++)
        if (id->caches[i].of_class == 0 && id->caches[i].level == level && id->caches[i].type == type) {
            add_number(a, key, (struct identity_number){.value = id->caches[i].bytes});
            return;
        }
    add_unknown(a, key, id->caches_unknown ? id->caches_unknown : "there is none");
}

static void write_cache(struct buf *b, const struct identity_cache *c)
{
    static const char *const letters[] = {[CACHE_DATA] = "d", [CACHE_INSTRUCTION] = "i", [CACHE_UNIFIED] = ""};
    bool mebi = c->bytes >= 1 << 20;
    buf_format(b, "L%d%s %g %s", c->level, letters[c->type], (double)c->bytes / (mebi ? 1 << 20 : 1 << 10), mebi ? "MiB" : "KiB");
    if (!c->shared_by.unknown && c->shared_by.value > 1)
        buf_format(b, " of %lld CPUs", (long long)c->shared_by.value);
}

/* "L1d 48 KiB of 2 CPUs, L1i 32 KiB of 2 CPUs, L2 1.25 MiB of 2 CPUs; efficient: L1d 32 KiB, L2 2 MiB of 4 CPUs" */
static void add_caches(struct adding *a, const struct identity *id)
{
    struct buf b = BUF_INIT(1 << 14);
    for (int i = 0; i < id->n_caches; i++) {
        const struct identity_cache *c = &id->caches[i];
        bool next_class = i > 0 && c[-1].of_class != c->of_class;
        const char *kind = next_class ? id->classes[c->of_class].kind : NULL;
        buf_str(&b, i == 0 ? "" : next_class ? "; " : ", ");
        if (next_class)
            buf_format(&b, "%s: ", kind ? kind : "others");
        write_cache(&b, c);
    }
    a->status = a->status ? a->status : b.status;
    add_text(a, "caches",
             id->n_caches > 0 ? (struct identity_text){.text = buf_text(&b)}
                              : (struct identity_text){.unknown = id->caches_unknown});
    buf_finish(&b);
}

static void add_processors(struct adding *a, const struct identity *id)
{
    add_number(a, "cpus_possible", id->cpus_possible);
    add_number(a, "cpus_online", id->cpus_online);
    add_text(a, "cpus_online_list", id->online);
    add_number(a, "cpus_offline", id->cpus_offline);
    add_number(a, "packages", id->packages);
    add_number(a, "cores", id->cores);
    add_number(a, "threads_per_core", id->threads_per_core);
    if (id->n_classes > 1)
        add_classes(a, id);
    add_caches(a, id);
    add_cache(a, id, "l1d_bytes", 1, CACHE_DATA);
    add_cache(a, id, "l1i_bytes", 1, CACHE_INSTRUCTION);
    add_cache(a, id, "l2_bytes", 2, CACHE_UNIFIED);
    add_cache(a, id, "l3_bytes", 3, CACHE_UNIFIED);
    add_number(a, "cache_line_bytes",
               id->n_caches > 0 ? id->caches[0].line_bytes : (struct identity_number){.unknown = id->caches_unknown});
    add_number(a, "numa_nodes", id->numa_nodes);
}

enum tare_status machine_identity(struct record *r, struct facts *f)
{
    struct arena arena = {0};
    struct identity *id = arena_alloc(&arena, sizeof *id);
    struct adding a = {.r = r, .f = f, .status = id ? identity_read(id, &arena, NULL, IDENTITY_QUICK) : TARE_NO_MEMORY};
    if (!a.status) {
        add_system(&a, id);
        add_processor(&a, id);
        add_processors(&a, id);
    }
    arena_finish(&arena);
    return a.status;
}
