/* SPDX-License-Identifier: MIT */
#include "identity.h"
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

/* ---- reading ---- */

enum tare_status identity_read(struct identity *out, struct arena *a, const struct identity_source *source,
                               enum identity_depth depth)
{
    struct plat_uname uname;
    struct identity_source here;
    if (!source) {
        plat_uname(&uname);
        here = identity_source_here(&uname);
        source = &here;
    }
    struct reader r = {.source = source, .arena = a, .depth = depth};
    *out = nothing("the system does not tell");
    identity_system(&r, out);
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
