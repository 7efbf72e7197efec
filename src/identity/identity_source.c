/* SPDX-License-Identifier: MIT */
#include "cpu.h"
#include "identity_reader.h"
#include "plat.h"

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

struct identity_source identity_source_here(const struct plat_uname *uname)
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
