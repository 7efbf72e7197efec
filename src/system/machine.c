/* SPDX-License-Identifier: MIT */
#include "machine.h"
#include "identity.h"
#include "plat.h"
#include "plat_thread.h"
#include "proc_text.h"
#include "quote.h"
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 1 << 24 }; /* /proc/cpuinfo holds some 1.5 kB a processor */

/* Adding facts stops at the first failure, which is what the caller learns. */
struct adding {
    struct record *r;
    struct facts *f;
    enum tare_status status;
};

static void fact_unknown(struct adding *a, const char *key, const char *why)
{
    if (!a->status)
        a->status = facts_add_unknown(a->r, a->f, key, why);
}

static void fact_text(struct adding *a, const char *key, const char *text)
{
    if (!a->status)
        a->status = facts_add_text(a->r, a->f, key, text);
}

static void fact_number(struct adding *a, const char *key, double value)
{
    if (!a->status)
        a->status = facts_add_number(a->r, a->f, key, value);
}

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

static void add_file_fact(struct adding *a, const struct file_fact *fact, struct buf *b)
{
    double number;
    if (!read_text(fact->path, b))
        fact_unknown(a, fact->key, "the system does not say");
    else if (!fact->number)
        fact_text(a, fact->key, first_line(b));
    else if (number_of(first_line(b), "", &number))
        fact_number(a, fact->key, number);
    else
        fact_unknown(a, fact->key, "not a number");
}

enum tare_status machine_conditions(struct record *r, struct facts *f)
{
    struct adding a = {r, f, TARE_OK};
    struct buf b = BUF_INIT(FILE_MAX);
    fact_number(&a, "cpus_allowed", plat_cpus_allowed());
    for (size_t i = 0; i < sizeof condition_files / sizeof *condition_files; i++)
        add_file_fact(&a, &condition_files[i], &b);
    /* Steal: time the hypervisor gave to others, in ticks since boot. */
    struct proc_cpu c;
    if (!read_text("/proc/stat", &b) || strncmp(b.data, "cpu ", 4))
        fact_unknown(&a, "steal_ticks", "no /proc/stat");
    else if (proc_cpu_parse(b.data, b.len, &c))
        fact_number(&a, "steal_ticks", (double)c.steal);
    else
        fact_unknown(&a, "steal_ticks", "not in /proc/stat");
    buf_finish(&b);
    return a.status;
}

static void add_text(struct adding *a, const char *key, struct identity_text text)
{
    if (text.text)
        fact_text(a, key, text.text);
    else
        fact_unknown(a, key, text.unknown);
}

static void add_number(struct adding *a, const char *key, struct identity_number number)
{
    if (number.unknown)
        fact_unknown(a, key, number.unknown);
    else
        fact_number(a, key, (double)number.value);
}

/* A name more than a quantity, as 85 and 0xd0c are. */
static void add_code(struct adding *a, const char *key, struct identity_number number, const char *format)
{
    char text[32];
    buf_print(text, sizeof text, format, (unsigned)number.value);
    if (number.unknown)
        fact_unknown(a, key, number.unknown);
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
        fact_unknown(a, "virtual_machine", id->hypervisor.reasoning);
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
    fact_unknown(a, key, id->caches_unknown ? id->caches_unknown : "there is none");
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
        static const char *const letters[] = {[CACHE_DATA] = "d", [CACHE_INSTRUCTION] = "i", [CACHE_UNIFIED] = ""};
        bool mebi = c->bytes >= 1 << 20;
        buf_format(&b, "L%d%s %g %s", c->level, letters[c->type], (double)c->bytes / (mebi ? 1 << 20 : 1 << 10),
                   mebi ? "MiB" : "KiB");
        if (!c->shared_by.unknown && c->shared_by.value > 1)
            buf_format(&b, " of %lld CPUs", (long long)c->shared_by.value);
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
    struct adding a = {.r = r, .f = f, .status = id ? identity_read(id, &arena, NULL) : TARE_NO_MEMORY};
    if (!a.status) {
        add_system(&a, id);
        add_processor(&a, id);
        add_processors(&a, id);
    }
    arena_finish(&arena);
    return a.status;
}

enum { OTHERS_NAMED = 3, NAME_COLUMNS = 40 };

void surroundings_open(struct surroundings *s)
{
    *s = (struct surroundings){0};
    plat_presence_create(&s->presence, NULL);
    noise_quota_open(&s->quota, NULL);
}

void surroundings_close(struct surroundings *s)
{
    plat_presence_destroy(s->presence);
    noise_quota_close(&s->quota);
    cpu_watch_finish(&s->users);
    *s = (struct surroundings){0};
}

void surroundings_look(struct surroundings *s)
{
    static const int64_t PAUSE_NS = 500000000, LOOK_NS = 1000000;
    int64_t now = plat_now_ns();
    if (now - s->looked_ns < PAUSE_NS)
        return;
    s->looked_ns = now;
    cpu_watch_look(&s->users, LOOK_NS);
}

static void number_or(struct adding *a, const char *key, int64_t value, const char *reason)
{
    if (value < 0)
        fact_unknown(a, key, reason);
    else
        fact_number(a, key, (double)value);
}

static void add_quota(struct adding *a, const struct noise_quota *q)
{
    static const char reason[] = "no control group of CPUs to be seen here";
    if (!q->known)
        fact_unknown(a, "cpu_quota_cpus", reason);
    else if (!q->n)
        fact_text(a, "cpu_quota_cpus", "none");
    else
        fact_number(a, "cpu_quota_cpus", q->cpus);
    if (q->n)
        fact_text(a, "cpu_quota_group", q->group);
    number_or(a, "throttled_periods", noise_quota_periods(q), q->known ? "the group does not tell" : reason);
    number_or(a, "throttled_ns", noise_quota_throttled_ns(q), q->known ? "the group does not tell" : reason);
}

static void add_others(struct adding *a, struct plat_presence *p)
{
    if (!p) {
        fact_unknown(a, "other_tare", "sessions cannot see each other here");
        return;
    }
    int ids[OTHERS_NAMED], n = plat_presence_others(p, ids, OTHERS_NAMED);
    struct buf b = BUF_INIT(1 << 12);
    for (int i = 0; i < n && i < OTHERS_NAMED; i++) {
        buf_str(&b, i ? ", " : "");
        if (ids[i] > 0)
            buf_format(&b, "pid %d", ids[i]);
        else
            buf_str(&b, ids[i] ? "one that does not answer" : "in another container");
    }
    if (n > OTHERS_NAMED)
        buf_format(&b, " and %d more", n - OTHERS_NAMED);
    fact_text(a, "other_tare", n ? buf_text(&b) : "no");
    buf_finish(&b);
}

enum tare_status surroundings_add(struct surroundings *s, struct record *r, struct facts *f)
{
    struct adding a = {r, f, TARE_OK};
    add_quota(&a, &s->quota);
    number_or(&a, "suspended_ns", plat_suspended_ns(), "the system does not say");
    struct buf b = BUF_INIT(1 << 16);
    int64_t us = -1;
    if (plat_file_read("/proc/pressure/cpu", &b, NULL) || !proc_pressure_parse(buf_text(&b), b.len, &us))
        us = -1;
    number_or(&a, "cpu_pressure_us", us, "this kernel does not tell");
    buf_finish(&b);
    add_others(&a, s->presence);
    return a.status;
}

/* A name is what the process likes to call itself, so it is masked. */
static void add_names(struct adding *a, const struct cpu_users *u)
{
    struct buf b = BUF_INIT(1 << 14);
    for (int i = 0; i < u->n; i++) {
        buf_str(&b, i ? "; " : "");
        quote_cut(&b, u->top[i].name, NAME_COLUMNS, false);
        if (u->top[i].processes == 1)
            buf_format(&b, " (pid %lld) %.2f s", (long long)u->top[i].id, u->top[i].seconds);
        else
            buf_format(&b, " (%d processes) %.2f s", u->top[i].processes, u->top[i].seconds);
    }
    if (u->more)
        buf_format(&b, "; and %d more", u->more);
    fact_text(a, "cpu_users", u->n ? buf_text(&b) : "none");
    buf_finish(&b);
}

enum tare_status surroundings_add_users(struct surroundings *s, struct record *r, struct facts *f)
{
    static const char *const keys[] = {"cpu_users", "cpu_users_seconds", "cpu_unnamed_seconds", "cpu_watch_seconds"};
    struct adding a = {r, f, TARE_OK};
    struct cpu_users u;
    if (cpu_watch_end(&s->users, &u, NULL)) {
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            fact_unknown(&a, keys[i], "/proc does not tell");
        return a.status;
    }
    add_names(&a, &u);
    const double values[] = {u.seconds, u.unnamed_seconds, u.window_seconds};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        fact_number(&a, keys[i + 1], values[i]);
    return a.status;
}
