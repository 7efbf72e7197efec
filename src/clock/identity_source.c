/* SPDX-License-Identifier: MIT */
#include "identity_reader.h"
#include "plat.h"

static enum tare_status read_file(void *context, const char *path, struct buf *out)
{
    (void)context;
    return plat_file_read(path, out, NULL);
}

struct identity_source identity_source_here(const struct plat_uname *uname)
{
    return (struct identity_source){
        .read = read_file,
        .os = uname->os,
        .kernel = uname->release,
        .build = uname->version,
        .architecture = uname->machine,
    };
}
