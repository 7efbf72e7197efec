/* SPDX-License-Identifier: MIT
 *
 * How far the code name can be believed. The signature is one number that a hypervisor sets as it likes; instruction sets
 * are harder to fake upwards, as a program that uses them would crash. So: features that the named generation cannot
 * have contradict the name; the first generation that has them all is a lower bound of what the processor is.
 */
#include "identity_reader.h"
#include "identity_tables.h"
#include <string.h>

enum { NAMES_SAID = 3 };

/* "AMX, AVX512-FP16 and 4 more"; "AMX and AVX-VNNI" */
static void write_features(struct buf *b, uint64_t features)
{
    int left = 0, said = 0;
    for (int i = 0; i < X86_FEATURES; i++)
        left += (int)(features >> i & 1);
    int most = left <= NAMES_SAID ? left : NAMES_SAID - 1;
    for (int i = X86_FEATURES - 1; i >= 0 && said < most; i--) /* the newest tell most */
        if (features >> i & 1) {
            bool last = ++said == left;
            buf_format(b, "%s%s", said == 1 ? "" : last ? " and " : ", ", x86_features[i].name);
        }
    if (left > most)
        buf_format(b, " and %d more", left - most);
}

static const char *kept(struct reader *r, struct buf *b)
{
    struct identity_text text = text_of_buf(r, b);
    return text.text ? text.text : "out of memory";
}

/* Hygon builds AMD's design under a family number of its own. */
static enum x86_vendor vendor_of(const struct identity *id)
{
    const char *vendor = id->vendor.text ? id->vendor.text : "";
    if (!strcmp(vendor, "GenuineIntel"))
        return VENDOR_INTEL;
    return !strcmp(vendor, "AuthenticAMD") || !strcmp(vendor, "HygonGenuine") ? VENDOR_AMD : VENDOR_OTHER;
}

static struct identity_text guess(struct reader *r, enum x86_vendor vendor)
{
    enum x86_generation g = r->features_known ? x86_generation_first(vendor, r->features) : GENERATION_NONE;
    if (g == GENERATION_NONE)
        return text_unknown("the features fit no generation");
    struct buf b = BUF_INIT(256);
    buf_format(&b, "features of %s or later", x86_generations[g].name);
    return text_of_buf(r, &b);
}

/* Sold without in Pentium and Celeron, or switched off by firmware, so their absence means little. */
static const uint64_t often_off = (uint64_t)1 << FEATURE_AVX | (uint64_t)1 << FEATURE_AVX2 | (uint64_t)1 << FEATURE_FMA |
                                  (uint64_t)1 << FEATURE_F16C | (uint64_t)1 << FEATURE_BMI1 | (uint64_t)1 << FEATURE_BMI2 |
                                  (uint64_t)1 << FEATURE_AES | (uint64_t)1 << FEATURE_RDRAND | (uint64_t)1 << FEATURE_ENQCMD |
                                  (uint64_t)1 << FEATURE_CLDEMOTE | (uint64_t)1 << FEATURE_RDPRU |
                                  (uint64_t)1 << FEATURE_AVX512_VP2INTERSECT;

static int64_t second_level_kib(const struct identity *id)
{
    for (int i = 0; i < id->n_caches; i++)
        if (id->caches[i].of_class == 0 && id->caches[i].level == 2 && id->caches[i].type == CACHE_UNIFIED)
            return id->caches[i].bytes / 1024;
    return 0;
}

static void contradicted(struct reader *r, struct identity *id, const struct x86_name *row, uint64_t wrong)
{
    bool masked = id->hypervisor.state == HYPERVISOR_SEEN;
    struct buf b = BUF_INIT(1024);
    buf_format(&b, "the signature says %s, which has no ", row->name);
    write_features(&b, wrong);
    buf_str(&b,
            masked ? "; the hypervisor changed the signature" : "; a hidden hypervisor or a newer stepping than the table knows");
    id->name.reasoning = kept(r, &b);
    id->name.confidence = masked ? IDENTITY_MASKED : IDENTITY_CONTRADICTED;
    id->name.guess = guess(r, row->vendor);
}

/* Nothing contradicts: what speaks for the name, and what keeps it from being certain. */
static void agreed(struct reader *r, struct identity *id, const struct x86_name *row)
{
    const struct x86_generation_row *g = &x86_generations[row->generation];
    uint64_t lacks = r->features_known && row->generation != GENERATION_INTEL_NEWER && row->generation != GENERATION_AMD_NEWER
                         ? x86_generations[row->generation].adds & ~often_off & ~r->features
                         : 0;
    int64_t l2_kib = second_level_kib(id);
    bool other_cache = g->l2_kib && l2_kib && l2_kib != g->l2_kib, virtual = id->hypervisor.state == HYPERVISOR_SEEN;
    struct buf b = BUF_INIT(1024);
    buf_str(&b, r->features_known ? "the features fit the signature" : "only the signature was seen");
    if (lacks) {
        buf_str(&b, ", without ");
        write_features(&b, lacks);
        buf_str(&b, ", switched off or hidden");
    }
    if (other_cache)
        buf_format(&b, "; the L2 cache of %lld KiB is not the %d KiB of %s", (long long)l2_kib, g->l2_kib, row->name);
    buf_str(&b, virtual ? "; the hypervisor chooses what is shown" : "; no hypervisor is seen");
    id->name.reasoning = kept(r, &b);
    id->name.confidence = r->features_known && !lacks && !other_cache && !virtual ? IDENTITY_CERTAIN : IDENTITY_LIKELY;
}

/* Brands of processors that were never built: the models qemu64, kvm64 and max of QEMU, and Rosetta. */
static bool is_made_up(const struct identity_text *brand)
{
    static const char *const brands[] = {"QEMU Virtual CPU", "Common KVM processor", "Common 32-bit KVM processor",
                                         "QEMU TCG CPU", "VirtualApple"};
    for (size_t i = 0; i < sizeof brands / sizeof *brands && brand->text; i++)
        if (strstr(brand->text, brands[i]))
            return true;
    return false;
}

static void not_in_table(struct reader *r, struct identity *id)
{
    struct buf b = BUF_INIT(1024);
    buf_format(&b, "family %lld model %lld stepping %lld of %s is in no table", (long long)id->family.value,
               (long long)id->model.value, (long long)id->stepping.value,
               id->vendor.text ? id->vendor.text : "an unknown vendor");
    id->name.reasoning = kept(r, &b);
    id->name.name = id->name.core = text_unknown("not in the table of code names");
    id->name.guess = guess(r, vendor_of(id));
}

static void judge_x86(struct reader *r, struct identity *id)
{
    if (id->family.unknown || id->model.unknown || id->stepping.unknown) {
        id->name.reasoning = "the processor shows no family, model and stepping";
        id->name.guess = guess(r, vendor_of(id));
        return;
    }
    int64_t family = id->family.value, model = id->model.value, stepping = id->stepping.value;
    bool small = family < 1000 && model < 1000 && stepping < 1000;
    const struct x86_name *row = small ? x86_name_find(vendor_of(id), (int)family, (int)model, (int)stepping) : NULL;
    if (!row) {
        not_in_table(r, id);
        return;
    }
    id->name.name = text_constant(row->name);
    id->name.core = text_constant(row->core);
    id->name.guess = text_unknown("the name is believed");
    uint64_t wrong = r->features & ~x86_generation_may_have(row->generation);
    if (id->hypervisor.name.text && !strcmp(id->hypervisor.name.text, "QEMU TCG")) {
        id->name.confidence = IDENTITY_MASKED;
        id->name.reasoning = "QEMU translates the program: there is no such processor, and its times say nothing about one";
        id->name.guess = text_unknown("the processor beneath cannot be seen");
    } else if (is_made_up(&id->brand)) {
        struct buf b = BUF_INIT(1024);
        buf_format(&b, "no processor is called \"%s\": the hypervisor made it up", id->brand.text);
        id->name.reasoning = kept(r, &b);
        id->name.confidence = IDENTITY_MASKED;
        id->name.guess = guess(r, vendor_of(id));
    } else if (r->features_known && wrong)
        contradicted(r, id, row, wrong);
    else
        agreed(r, id, row);
}

static void judge_arm(struct reader *r, struct identity *id)
{
    int implementer = (int)(id->signature.value >> 24 & 0xff), part = (int)id->model.value;
    const char *name = arm_name_find(implementer, part);
    bool virtual = id->hypervisor.state == HYPERVISOR_SEEN;
    struct buf b = BUF_INIT(1024);
    for (int i = 0; name && id->n_classes > 1 && i < id->n_classes; i++)
        buf_format(&b, "%s%s", i ? " + " : "", id->classes[i].name.text ? id->classes[i].name.text : "unknown");
    if (b.len > 0) {
        id->name.name = text_of_buf(r, &b);
    } else {
        buf_finish(&b);
        id->name.name = name ? text_constant(name) : text_unknown("not in the table of code names");
    }
    id->name.core = id->name.name;
    if (name) {
        id->name.confidence = virtual ? IDENTITY_LIKELY : IDENTITY_CERTAIN;
        id->name.reasoning = virtual ? "MIDR names it; the hypervisor chooses what is shown"
                                     : "MIDR names it; no hypervisor is seen";
        id->name.guess = text_unknown("the name is believed");
        return;
    }
    b = BUF_INIT(256);
    buf_format(&b, "part 0x%03x of implementer 0x%02x is in no table", (unsigned)part, (unsigned)implementer);
    id->name.reasoning = kept(r, &b);
    id->name.guess = text_unknown("the register says no more");
}

/* The machine beneath may be called what it is called: the program does not run on that. */
static void translated(struct reader *r, struct identity *id)
{
    if (!r->translated)
        return;
    struct buf b = BUF_INIT(256);
    buf_format(&b, "translated on a machine that shows %s", id->name.name.text ? id->name.name.text : "another processor");
    id->name.guess = text_of_buf(r, &b);
    b = BUF_INIT(1024);
    buf_format(&b, "the program is built for %s and /proc/cpuinfo describes another processor: something translates the program",
               r->source->architecture);
    id->name.reasoning = kept(r, &b);
    id->name.confidence = IDENTITY_CONTRADICTED;
    id->name.name = id->name.core = text_unknown("the program is translated");
    for (int i = 0; i < id->n_classes; i++)
        id->classes[i].name = id->name.name;
}

void identity_judge(struct reader *r, struct identity *id)
{
    if (r->x86) {
        judge_x86(r, id);
        /* Two sorts of core share one signature; the system says which CPU is which, or nobody does (CPUID.7 EDX bit 15: there are two). */
        const struct x86_name *row = NULL;
        uint32_t leaf7[4];
        reader_cpuid(r, 7, 0, leaf7);
        bool mixed = id->n_classes == 1 && (leaf7[3] >> 15 & 1);
        if (id->name.name.text && id->name.confidence >= IDENTITY_LIKELY)
            row = x86_name_find(vendor_of(id), (int)id->family.value, (int)id->model.value, (int)id->stepping.value);
        for (int i = 0; i < id->n_classes; i++) {
            struct identity_class *c = &id->classes[i];
            bool small = c->kind && strcmp(c->kind, "performance");
            const char *core = !row ? NULL : small ? row->small_core : row->core;
            if (mixed)
                c->name = text_unknown("there are two sorts of core, and the system does not say which CPU is which");
            else
                c->name = core ? text_constant(core) : text_unknown("the code name is not certain enough");
        }
    } else if (r->arm) {
        judge_arm(r, id);
    } else {
        id->name.reasoning = "neither CPUID nor /proc/cpuinfo names the processor";
    }
    translated(r, id);
}
