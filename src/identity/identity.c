/* SPDX-License-Identifier: MIT */
#include "identity.h"
#include "cpu.h"
#include "identity_reader.h"
#include "plat.h"
#include <string.h>

const char *identity_confidence_text(enum identity_confidence confidence)
{
    static const char *const texts[] = {
        [IDENTITY_UNKNOWN] = "unknown", [IDENTITY_CONTRADICTED] = "contradicted", [IDENTITY_MASKED] = "masked by hypervisor",
        [IDENTITY_LIKELY] = "likely",   [IDENTITY_CERTAIN] = "certain",
    };
    return texts[confidence];
}

/* ---- this machine ---- */

static enum tare_status read_file(void *context, const char *path, struct buf *out)
{
    (void)context;
    return plat_file_read(path, out, NULL);
}

static bool cpuid(void *context, uint32_t leaf, uint32_t subleaf, uint32_t out[4])
{
    (void)context;
    cpu_cpuid(leaf, subleaf, out);
    return true;
}

/* The texts of uname stay with the caller. */
static struct identity_source source_here(const struct plat_uname *uname)
{
    return (struct identity_source){
        .cpuid = cpu_cpuid_available(NULL) ? NULL : cpuid,
        .read = read_file,
        .os = uname->os,
        .kernel = uname->release,
        .build = uname->version,
        .architecture = uname->machine,
    };
}

/* ---- everything unknown ---- */

static struct identity nothing(const char *why)
{
    const struct identity_text t = {.unknown = why};
    const struct identity_number n = {.unknown = why};
    return (struct identity){
        .os = t,
        .kernel = t,
        .build = t,
        .architecture = t,
        .distribution = t,
        .maker = t,
        .product = t,
        .hypervisor = {.name = t, .reasoning = why},
        .memory_bytes = n,
        .vendor = t,
        .brand = t,
        .family = n,
        .model = n,
        .stepping = n,
        .signature = n,
        .microcode = t,
        .name = {.name = t, .core = t, .reasoning = why, .guess = t},
        .nominal_hz = n,
        .cpus_online = n,
        .cpus_possible = n,
        .cpus_offline = n,
        .online = t,
        .offline = t,
        .packages = n,
        .cores = n,
        .threads_per_core = n,
        .caches_unknown = why,
        .numa_nodes = n,
    };
}

/* ---- the system ---- */

static struct identity_text given(struct reader *r, const char *text)
{
    return text && *text ? text_known(r, text, strlen(text)) : text_unknown("the system does not say");
}

/* os-release(5): NAME=value, the value bare or in quotes, within double quotes with backslashes before " $ ` and \. */
static struct identity_text unquoted(struct reader *r, const char *value, size_t n)
{
    char quote = n >= 2 && (*value == '"' || *value == '\'') && value[n - 1] == *value ? *value : 0;
    if (!quote)
        return text_known(r, value, n);
    struct buf b = BUF_INIT(4096);
    for (size_t i = 1; i < n - 1; i++) {
        if (quote == '"' && value[i] == '\\' && i + 1 < n - 1)
            i++;
        buf_char(&b, value[i]);
    }
    return text_of_buf(r, &b);
}

static struct identity_text distribution(struct reader *r)
{
    static const char *const files[] = {"/etc/os-release", "/usr/lib/os-release"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *text = reader_file(r, files[i]), *value;
        size_t n;
        if (text && (find_value(text, "PRETTY_NAME", &value, &n) || find_value(text, "NAME", &value, &n)))
            return unquoted(r, value, n);
    }
    return text_unknown("no /etc/os-release names it");
}

static struct identity_number memory(struct reader *r)
{
    const char *text = reader_file_start(r, "/proc/meminfo", 4096), *value;
    size_t n;
    int64_t kib;
    if (!text || !find_value(text, "MemTotal", &value, &n))
        return number_unknown("not in /proc/meminfo");
    const char *end = value + n;
    bool whole = read_whole_number(&value, &kib) && *value == ' ';
    value += strspn(value, " ");
    if (!whole || end - value != 2 || memcmp(value, "kB", 2) || kib > INT64_MAX / 1024)
        return number_unknown("not in /proc/meminfo");
    return number_known(kib * 1024);
}

static void read_system(struct reader *r, struct identity *id)
{
    id->os = given(r, r->source->os);
    id->kernel = given(r, r->source->kernel);
    id->build = given(r, r->source->build);
    id->architecture = given(r, r->source->architecture);
    id->distribution = distribution(r);
    id->maker = reader_line(r, "/sys/class/dmi/id/sys_vendor");
    id->product = reader_line(r, "/sys/class/dmi/id/product_name");
    id->memory_bytes = memory(r);
}

/* ---- reading ---- */

enum tare_status identity_read(struct identity *out, struct arena *a, const struct identity_source *source,
                               enum identity_depth depth)
{
    struct plat_uname uname;
    struct identity_source here;
    if (!source) {
        plat_uname(&uname);
        here = source_here(&uname);
        source = &here;
    }
    struct reader r = {.source = source, .arena = a, .depth = depth};
    *out = nothing("the system does not say");
    read_system(&r, out);
    identity_processor(&r, out);
    identity_hypervisor(&r, out);
    identity_topology(&r, out);
    identity_caches(&r, out);
    identity_nodes(&r, out);
    identity_judge(&r, out);
    reader_close(&r);
    if (r.no_memory)
        *out = nothing("out of memory");
    return r.no_memory ? TARE_NO_MEMORY : TARE_OK;
}
