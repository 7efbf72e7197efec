/* SPDX-License-Identifier: MIT
 *
 * Vendor, brand, family, model and stepping: from the instruction where there is one, else from /proc/cpuinfo.
 */
#include "identity_reader.h"
#include <string.h>

static struct identity_text field(struct reader *r, const char *cpuinfo, const char *key)
{
    const char *value;
    size_t n;
    return find_value(cpuinfo, key, &value, &n) ? text_known(r, value, n) : text_unknown("not in /proc/cpuinfo");
}

static struct identity_number number_field(const char *cpuinfo, const char *key)
{
    int64_t value;
    return find_number(cpuinfo, key, &value) ? number_known(value) : number_unknown("not in /proc/cpuinfo");
}

void identity_processor(struct reader *r, struct identity *id)
{
    const char *cpuinfo = reader_file_start(r, "/proc/cpuinfo", 8192);
    cpuinfo = cpuinfo ? cpuinfo : "";
    id->vendor = field(r, cpuinfo, "vendor_id");
    id->brand = field(r, cpuinfo, "model name");
    id->microcode = field(r, cpuinfo, "microcode");
    id->family = number_field(cpuinfo, "cpu family");
    id->model = number_field(cpuinfo, "model");
    id->stepping = number_field(cpuinfo, "stepping");
}
