/* SPDX-License-Identifier: MIT
 *
 * Vendor, brand, family, model, stepping and instruction sets: from the instruction where there is one, else from
 * /proc/cpuinfo, which is also where microcode and the registers of Arm stand.
 */
#include "identity_reader.h"
#include "identity_tables.h"
#include "same_text.h"
#include <string.h>

static struct identity_text cpuinfo_field(struct reader *r, const char *cpuinfo, const char *key)
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

static void put_registers(char *out, const uint32_t *regs, int n)
{
    for (int i = 0; i < 4 * n; i++)
        out[i] = (char)(regs[i / 4] >> 8 * (i % 4) & 0xff);
}

static bool has_instruction(struct reader *r, uint32_t leaf0[4])
{
    if (!r->source->cpuid || !r->source->cpuid(r->source->context, 0, 0, leaf0) || !leaf0[0] || leaf0[0] >= 0x40000000)
        return false;
    r->max_leaf = leaf0[0];
    uint32_t out[4] = {0};
    if (r->source->cpuid(r->source->context, 0x80000000, 0, out) && out[0] >= 0x80000000 && out[0] < 0x80010000)
        r->max_extended_leaf = out[0];
    return true;
}

/* Blanks at either end and runs of them within say nothing. */
static struct identity_text tidied_text(struct reader *r, const char *text, size_t n)
{
    struct buf b = BUF_INIT(256);
    bool gap = false;
    for (size_t i = 0; i < n && text[i]; i++) {
        if (text[i] == ' ') {
            gap = b.len > 0;
            continue;
        }
        if (gap)
            buf_char(&b, ' ');
        gap = false;
        buf_char(&b, text[i] > ' ' && text[i] < 127 ? text[i] : '?');
    }
    if (b.len > 0)
        return text_of_buf(r, &b);
    buf_finish(&b);
    return text_unknown("the processor gives none");
}

static struct identity_text brand_text(struct reader *r)
{
    if (r->max_extended_leaf < 0x80000004)
        return text_unknown("the processor gives none");
    char text[48];
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t out[4];
        reader_cpuid(r, 0x80000002 + i, 0, out);
        put_registers(text + 16 * i, out, 4);
    }
    return tidied_text(r, text, sizeof text);
}

/* Family 15 goes on in the extended family; the extended model counts for families 6 and 15 (SDM, CPUID leaf 1). */
static void decode_signature(struct identity *id, uint32_t eax)
{
    uint32_t family = eax >> 8 & 15, model = eax >> 4 & 15;
    if (family == 6 || family == 15)
        model |= eax >> 12 & 0xf0;
    if (family == 15)
        family += eax >> 20 & 0xff;
    id->signature = number_known(eax);
    id->family = number_known(family);
    id->model = number_known(model);
    id->stepping = number_known(eax & 15);
}

static void by_instruction(struct reader *r, struct identity *id, const uint32_t leaf0[4])
{
    char vendor[12];
    put_registers(vendor, (const uint32_t[]){leaf0[1], leaf0[3], leaf0[2]}, 3);
    id->vendor = tidied_text(r, vendor, sizeof vendor);
    uint32_t leaf1[4];
    reader_cpuid(r, 1, 0, leaf1);
    if (leaf1[0])
        decode_signature(id, leaf1[0]);
    struct identity_text told = brand_text(r);
    if (told.text)
        id->brand = told;
    for (int i = 0; i < X86_FEATURES; i++) {
        const struct x86_feature_place *f = &x86_features[i];
        if (i == 0 || f->leaf != x86_features[i - 1].leaf || f->subleaf != x86_features[i - 1].subleaf)
            reader_cpuid(r, f->leaf, f->subleaf, leaf1);
        if (leaf1[f->reg] >> f->bit & 1)
            r->features |= (uint64_t)1 << i;
    }
    r->features_known = true;
    reader_cpuid(r, 1, 0, leaf1);
    r->hypervisor_bit = leaf1[2] >> 31;
}

static void features_by_text(struct reader *r, const char *cpuinfo)
{
    const char *flags;
    size_t n;
    if (!find_value(cpuinfo, "flags", &flags, &n))
        return;
    r->features_known = true;
    for (int i = 0; i < X86_FEATURES; i++)
        if (text_lists(flags, n, " ", x86_features[i].flag, strlen(x86_features[i].flag)))
            r->features |= (uint64_t)1 << i;
    r->hypervisor_bit = text_lists(flags, n, " ", "hypervisor", strlen("hypervisor"));
}

static void compose_signature(struct identity *id)
{
    if (id->family.unknown || id->model.unknown || id->stepping.unknown)
        return;
    int64_t family = id->family.value, model = id->model.value;
    int64_t low = family > 15 ? 15 : family;
    if (family <= 15 + 255 && model <= 255 && id->stepping.value <= 15)
        id->signature = number_known((family - low) << 20 | model >> 4 << 16 | low << 8 | (model & 15) << 4 | id->stepping.value);
}

static void arm_by_register(struct reader *r, struct identity *id, int64_t midr)
{
    const char *implementer = arm_implementer_name((int)(midr >> 24 & 0xff));
    id->vendor = implementer ? text_constant(implementer) : text_unknown("the implementer's code is in no table");
    id->family = number_unknown("Arm processors have none");
    id->model = number_known(midr >> 4 & 0xfff);
    id->stepping = number_known((midr >> 20 & 15) * 16 + (midr & 15));
    id->signature = number_known(midr & 0xffffffff);
    r->arm = true;
}

static void name_arm(struct reader *r, struct identity *id, const char *cpuinfo)
{
    int64_t implementer, part, variant = 0, revision = 0, midr;
    bool told = find_number(cpuinfo, "CPU implementer", &implementer) && find_number(cpuinfo, "CPU part", &part);
    find_number(cpuinfo, "CPU variant", &variant);
    find_number(cpuinfo, "CPU revision", &revision);
    if (told)
        arm_by_register(r, id,
                        (implementer & 0xff) << 24 | (variant & 15) << 20 | 0xf << 16 | (part & 0xfff) << 4 | (revision & 15));
    else if (reader_number(r, "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", &midr))
        arm_by_register(r, id, midr);
}

/* "... @ 2.50GHz": the last word of Intel's brands. */
static int64_t brand_hz(const char *brand)
{
    const char *p = strrchr(brand, '@');
    int64_t whole, scale = 1000000000;
    if (!p)
        return 0;
    for (p++; *p == ' '; p++)
        ;
    if (!read_integer(&p, &whole) || whole > 99999)
        return 0;
    int64_t hz = whole * scale;
    if (*p == '.')
        for (p++; *p >= '0' && *p <= '9'; p++)
            hz += (*p - '0') * (scale /= 10);
    return !strcmp(p, "GHz") ? hz : !strcmp(p, "MHz") ? hz / 1000 : 0;
}

static void nominal(struct reader *r, struct identity *id)
{
    uint32_t out[4];
    int64_t khz, hz;
    reader_cpuid(r, 0x16, 0, out);
    if (out[0] & 0xffff) {
        id->nominal_hz = number_known((int64_t)(out[0] & 0xffff) * 1000000);
        id->nominal_source = "CPUID.16H";
    } else if (reader_number(r, "/sys/devices/system/cpu/cpu0/cpufreq/base_frequency", &khz) && khz > 0 && khz < 100000000) {
        id->nominal_hz = number_known(khz * 1000);
        id->nominal_source = "cpufreq base_frequency";
    } else if (id->brand.text && (hz = brand_hz(id->brand.text)) > 0) {
        id->nominal_hz = number_known(hz);
        id->nominal_source = "brand string";
    }
}

void identity_processor(struct reader *r, struct identity *id)
{
    const char *cpuinfo = reader_file_start(r, "/proc/cpuinfo", 8192);
    uint32_t leaf0[4] = {0};
    cpuinfo = cpuinfo ? cpuinfo : "";
    id->vendor = cpuinfo_field(r, cpuinfo, "vendor_id");
    id->brand = cpuinfo_field(r, cpuinfo, "model name");
    id->microcode = cpuinfo_field(r, cpuinfo, "microcode");
    r->x86 = has_instruction(r, leaf0);
    if (r->x86) {
        by_instruction(r, id, leaf0);
    } else {
        id->family = number_field(cpuinfo, "cpu family");
        id->model = number_field(cpuinfo, "model");
        id->stepping = number_field(cpuinfo, "stepping");
        compose_signature(id);
        features_by_text(r, cpuinfo);
        r->x86 = r->features_known || !id->family.unknown;
        if (!r->x86)
            name_arm(r, id, cpuinfo);
    }
    /* qemu-user and its like give the program its architecture's name and let /proc/cpuinfo through. */
    const char *name = r->source->architecture ? r->source->architecture : "";
    bool for_arm = !strncmp(name, "aarch64", 7) || !strncmp(name, "arm", 3);
    bool for_x86 = !strcmp(name, "x86_64") || (name[0] == 'i' && !strcmp(name + 2, "86"));
    r->translated = (for_arm && r->x86) || (for_x86 && r->arm);
    nominal(r, id);
}
