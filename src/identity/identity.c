/* SPDX-License-Identifier: MIT */
#include "identity.h"
#include "cpu.h"
#include "identity_reader.h"
#include "identity_tables.h"
#include "plat.h"
#include <string.h>

/* How far the code name can be believed. The signature is one number that a hypervisor sets as it likes; instruction sets
 * are harder to fake upwards, as a program that uses them would crash. So: features that the named generation cannot
 * have contradict the name; the first generation that has them all is a lower bound of what the processor is. */

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

static const char *kept_text(struct reader *r, struct buf *b)
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
    id->name.reasoning = kept_text(r, &b);
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
    id->name.reasoning = kept_text(r, &b);
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
    id->name.reasoning = kept_text(r, &b);
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
        id->name.reasoning = kept_text(r, &b);
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
    id->name.reasoning = kept_text(r, &b);
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
    id->name.reasoning = kept_text(r, &b);
    id->name.confidence = IDENTITY_CONTRADICTED;
    id->name.name = id->name.core = text_unknown("the program is translated");
    for (int i = 0; i < id->n_classes; i++)
        id->classes[i].name = id->name.name;
}

/* the name against everything else */
static void identity_judge(struct reader *r, struct identity *id)
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

/* Is there a hypervisor, and which? In this order: CPUID (bit 31 of leaf 1 ECX announces the range from 40000000H),
 * /sys/hypervisor, the device tree, the firmware's names of maker and product. None of them has to tell the truth, so
 * not seeing one is never called "none".
 */

/* Signatures: Linux arch/x86/kernel/cpu/hypervisor.c and what it lists; bhyve: FreeBSD sys/amd64/vmm/x86.c; ACRN: its
 * developer guide; TCG: QEMU target/i386/cpu.c; Parallels, VirtualBox, QNX: systemd src/basic/virt.c. */
static const struct {
    const char signature[13], *name;
} signatures[] = {
    {"KVMKVMKVM\0\0\0", "KVM"},      {"Linux KVM Hv", "KVM"},       {"Microsoft Hv", "Hyper-V"},
    {"VMwareVMware", "VMware"},      {"XenVMMXenVMM", "Xen"},       {"ACRNACRNACRN", "ACRN"},
    {"bhyve bhyve ", "bhyve"},       {"BHyVE BHyVE ", "bhyve"},     {"TCGTCGTCGTCG", "QEMU TCG"},
    {" lrpepyh  vr", "Parallels"},   {"prl hyperv  ", "Parallels"}, {"VBoxVBoxVBox", "VirtualBox"},
    {"QNXQVMBSQG\0\0", "QNX"},       {"SRESRESRESRE", "SRE"},       {"Jailhouse\0\0\0", "Jailhouse"},
    {"IntelTDX    ", "Intel TDX"},   {"EVMMEVMMEVMM", "Intel KGT"}, {"___ NVMM ___", "NVMM"},
    {"OpenBSDVMM58", "OpenBSD vmm"},
};

static const char *name_of(const char signature[12])
{
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++)
        if (!memcmp(signatures[i].signature, signature, 12))
            return signatures[i].name;
    return NULL;
}

static void read_signature(struct reader *r, uint32_t leaf, char out[12])
{
    uint32_t regs[4];
    reader_cpuid(r, leaf, 0, regs);
    for (int i = 0; i < 12; i++)
        out[i] = (char)(regs[1 + i / 4] >> 8 * (i % 4) & 0xff);
}

static struct identity_text printable(struct reader *r, const char signature[12])
{
    struct buf b = BUF_INIT(64);
    for (int i = 0; i < 12; i++)
        if (signature[i])
            buf_char(&b, signature[i] >= ' ' && signature[i] < 127 ? signature[i] : '?');
    if (b.len > 0)
        return text_of_buf(r, &b);
    buf_finish(&b);
    return text_unknown("its signature is empty");
}

/* KVM and Xen may speak Hyper-V's language at the base; their own signature then follows at a multiple of 100H. */
static void by_instruction(struct reader *r, struct identity_hypervisor *out)
{
    char signature[12], further[12];
    read_signature(r, 0x40000000, signature);
    const char *name = name_of(signature);
    if (name && !strcmp(name, "Hyper-V"))
        for (uint32_t leaf = 0x40000100; leaf <= 0x40000300; leaf += 0x100) {
            read_signature(r, leaf, further);
            const char *own = name_of(further);
            name = own && !strcmp(own, "KVM") ? "KVM" : own && !strcmp(own, "Xen") ? "Xen" : name;
        }
    out->state = HYPERVISOR_SEEN;
    out->name = name ? text_constant(name) : printable(r, signature);
    out->reasoning = name && !strcmp(name, "KVM")
                         ? "KVM's signature in CPUID leaf 40000000H, which Firecracker and others show too"
                         : "its signature in CPUID leaf 40000000H";
}

static bool text_contains(const struct identity_text *text, const char *part)
{
    return text->text && strstr(text->text, part);
}

/* Maker and product as machines of these kinds are known to be called; "" is anything. Names that a cloud gives to its
 * virtual and to its bare machines alike (Google Compute Engine) prove nothing and are not here. */
static const struct {
    const char *maker, *product, *name;
} firmware[] = {
    {"QEMU", "", "QEMU or KVM"},
    {"", "KVM", "KVM"},
    {"VMware", "", "VMware"},
    {"", "VMware", "VMware"},
    {"innotek", "", "VirtualBox"},
    {"", "VirtualBox", "VirtualBox"},
    {"Xen", "", "Xen"},
    {"Parallels", "", "Parallels"},
    {"", "BHYVE", "bhyve"},
    {"Bochs", "", "Bochs"},
    {"Microsoft", "Virtual", "Hyper-V"},
    {"Apple", "Virtual", "Apple Virtualization"},
    {"OpenStack", "", "OpenStack"},
    {"Alibaba Cloud", "ECS", "Alibaba Cloud"},
};

static const char *by_firmware(const struct identity *id)
{
    for (size_t i = 0; i < sizeof firmware / sizeof *firmware; i++)
        if ((!*firmware[i].maker || text_contains(&id->maker, firmware[i].maker)) &&
            (!*firmware[i].product || text_contains(&id->product, firmware[i].product)))
            return firmware[i].name;
    bool metal = text_contains(&id->product, "metal");
    return text_contains(&id->maker, "Amazon EC2") && id->product.text && !metal ? "Nitro (KVM)" : NULL;
}

/* linux,dummy-virt: the board without hardware that QEMU, Firecracker and others give to guests (QEMU, hw/arm/virt.c). */
static const char *by_tree(struct reader *r)
{
    const char *text = reader_file_start(r, "/sys/hypervisor/type", 256);
    if (text && !strncmp(text, "xen", 3))
        return "Xen";
    text = reader_file_start(r, "/sys/firmware/devicetree/base/hypervisor/compatible", 256);
    if (text)
        return strstr(text, "kvm") ? "KVM" : strstr(text, "xen") ? "Xen" : strstr(text, "vmware") ? "VMware" : NULL;
    text = reader_file_start(r, "/sys/firmware/devicetree/base/compatible", 256);
    return text && strstr(text, "linux,dummy-virt") ? "KVM or QEMU" : NULL;
}

static void identity_hypervisor(struct reader *r, struct identity *id)
{
    struct identity_hypervisor *out = &id->hypervisor;
    const char *tree = by_tree(r), *named = tree ? tree : by_firmware(id);
    if (r->hypervisor_bit && r->max_leaf)
        by_instruction(r, out);
    else if (named)
        *out = (struct identity_hypervisor){HYPERVISOR_SEEN, text_constant(named),
                                            tree ? "the system names it" : "the firmware's maker and product name it"};
    else if (r->hypervisor_bit)
        *out = (struct identity_hypervisor){HYPERVISOR_SEEN, text_unknown("only the flag in /proc/cpuinfo is seen"),
                                            "the hypervisor flag in /proc/cpuinfo"};
    else {
        bool asked =
            r->x86 || id->maker.text || id->product.text || reader_file_start(r, "/sys/firmware/devicetree/base/model", 256);
        out->name = text_unknown("none is seen");
        out->state = asked ? HYPERVISOR_NOT_SEEN : HYPERVISOR_UNKNOWN;
        if (!asked)
            out->reasoning = "neither the processor nor the firmware could be asked";
        else if (r->x86)
            out->reasoning = "neither CPUID nor the firmware shows one; a hypervisor may hide";
        else
            out->reasoning = "the firmware shows none; this processor cannot tell";
    }
}

/* Caches of the first CPU of each class, from /sys or else CPUID, and the memory nodes. */

enum { INDICES_MAX = 8, CACHES_MAX = 32 };

struct index {
    struct reader *r;
    char path[128];
    size_t folder; /* length of the path up to the file's name */
};

static const char *path_of(struct index *at, const char *file)
{
    struct buf b = buf_over(at->path + at->folder, sizeof at->path - at->folder);
    buf_str(&b, file);
    return at->path;
}

static bool read_type(struct index *at, enum identity_cache_type *out)
{
    const char *text = reader_file_start(at->r, path_of(at, "type"), 64);
    if (!text)
        return false;
    *out = text[0] == 'D' ? CACHE_DATA : text[0] == 'I' ? CACHE_INSTRUCTION : CACHE_UNIFIED;
    return text[0] == 'D' || text[0] == 'I' || text[0] == 'U';
}

/* "48K", "36608K", "1M" */
static bool read_size(struct index *at, int64_t *bytes)
{
    const char *p = reader_file_start(at->r, path_of(at, "size"), 64);
    if (!p || !read_integer(&p, bytes) || *bytes <= 0 || *bytes > (int64_t)1 << 30)
        return false;
    if (*p == 'K' || *p == 'M')
        *bytes *= *p++ == 'K' ? 1024 : 1024 * 1024;
    return !p[strspn(p, " \n")];
}

static bool read_index(struct reader *r, int cpu, int index, const struct cpu_list *online, struct identity_cache *out)
{
    struct index at = {.r = r};
    struct buf b = buf_over(at.path, sizeof at.path);
    buf_format(&b, "/sys/devices/system/cpu/cpu%d/cache/index%d/", cpu, index);
    at.folder = b.len;
    struct cpu_list sharing;
    int64_t level;
    if (!reader_number(r, path_of(&at, "level"), &level) || level < 1 || level > 9 || !read_type(&at, &out->type) ||
        !read_size(&at, &out->bytes))
        return false;
    out->level = (int)level;
    int64_t n;
    out->line_bytes = reader_number(at.r, path_of(&at, "coherency_line_size"), &n) && n > 0
                          ? number_known(n)
                          : number_unknown("the system does not say");
    out->shared_by = number_unknown("the system does not say");
    if (reader_list(r, path_of(&at, "shared_cpu_list"), &sharing) && cpu_list_has(&sharing, cpu)) {
        cpu_list_keep(&sharing, online);
        out->shared_by = number_known(cpu_list_count(&sharing));
    }
    return true;
}

static int caches_of_cpu(struct reader *r, int cpu, const struct cpu_list *online, struct identity_cache *out, int room)
{
    int n = 0;
    for (int index = 0; index < INDICES_MAX && n < room; index++)
        n += read_index(r, cpu, index, online, &out[n]);
    return n;
}

/* CPUID leaf 4 (Intel), 8000001DH (AMD, the same form). */

static int caches_by_instruction(struct reader *r, struct identity_cache *out, int room)
{
    int n = 0;
    uint32_t regs[4], leaf = r->max_leaf >= 4 ? 4 : 0x8000001d;
    reader_cpuid(r, leaf, 0, regs);
    if (!(regs[0] & 31))
        leaf = 0x8000001d;
    for (uint32_t index = 0; index < INDICES_MAX && n < room; index++) {
        reader_cpuid(r, leaf, index, regs);
        uint32_t type = regs[0] & 31;
        if (type == 0)
            break;
        /* Fields as wide as these can be made by a hypervisor that lies: sets and level are held to what could be built. */
        bool possible = type <= 3 && regs[2] < 1u << 25 && (regs[0] >> 5 & 7) > 0;
        int64_t line = (regs[1] & 0xfff) + 1, partitions = (regs[1] >> 12 & 0x3ff) + 1, ways = (regs[1] >> 22) + 1;
        if (!possible)
            continue;
        out[n++] = (struct identity_cache){
            .level = (int)(regs[0] >> 5 & 7),
            .type = type == 1   ? CACHE_DATA
                    : type == 2 ? CACHE_INSTRUCTION
                                : CACHE_UNIFIED,
            .bytes = line * partitions * ways * ((int64_t)regs[2] + 1),
            .line_bytes = number_known(line),
            .shared_by = number_unknown("CPUID gives an upper bound only"),
        };
    }
    return n;
}

static bool comes_before(const struct identity_cache *a, const struct identity_cache *b)
{
    return a->level != b->level ? a->level < b->level : a->type < b->type;
}

static void sort_caches(struct identity_cache *caches, int n)
{
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && comes_before(&caches[j], &caches[j - 1]); j--) {
            struct identity_cache other = caches[j];
            caches[j] = caches[j - 1];
            caches[j - 1] = other;
        }
}

static void all_online(const struct identity *id, struct cpu_list *out)
{
    *out = (struct cpu_list){{0}};
    for (int i = 0; i < id->n_classes; i++)
        for (int w = 0; w < CPU_LIST_MAX / 64; w++)
            out->words[w] |= id->classes[i].cpus.words[w];
}

static void identity_caches(struct reader *r, struct identity *id)
{
    struct cpu_list online;
    struct identity_cache *caches = arena_array(r->arena, CACHES_MAX, sizeof *caches);
    r->no_memory |= !caches;
    if (!caches)
        return;
    all_online(id, &online);
    int n = 0;
    for (int c = 0; c < id->n_classes; c++) {
        int first = cpu_list_next(&id->classes[c].cpus, 0);
        int added = first >= 0 ? caches_of_cpu(r, first, &online, caches + n, CACHES_MAX - n) : 0;
        for (int i = 0; i < added; i++)
            caches[n + i].of_class = c;
        sort_caches(caches + n, added);
        n += added;
    }
    if (n == 0 && id->n_classes <= 1) /* the instruction speaks of the core that it runs on */
        sort_caches(caches, n = caches_by_instruction(r, caches, CACHES_MAX));
    id->caches = caches;
    id->n_caches = n;
    id->caches_unknown = n > 0 ? NULL : "the system does not say";
}

const char *identity_confidence_text(enum identity_confidence confidence)
{
    static const char *const texts[] = {
        [IDENTITY_UNKNOWN] = "unknown", [IDENTITY_CONTRADICTED] = "contradicted", [IDENTITY_MASKED] = "masked by hypervisor",
        [IDENTITY_LIKELY] = "likely",   [IDENTITY_CERTAIN] = "certain",
    };
    return texts[confidence];
}

static enum tare_status read_file(void *context, const char *path, struct buf *out)
{
    (void)context;
    return plat_file_read(path, out, NULL);
}

static bool read_cpuid(void *context, uint32_t leaf, uint32_t subleaf, uint32_t out[4])
{
    (void)context;
    cpu_cpuid(leaf, subleaf, out);
    return true;
}

static struct identity knows_nothing(const char *why)
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
        .packages = n,
        .cores = n,
        .threads_per_core = n,
        .caches_unknown = why,
        .numa_nodes = n,
    };
}

static struct identity_text given_text(struct reader *r, const char *text)
{
    return text && *text ? text_known(r, text, strlen(text)) : text_unknown("the system does not say");
}

/* os-release(5): NAME=value, the value bare or in quotes, within double quotes with backslashes before " $ ` and \. */
static struct identity_text unquoted_text(struct reader *r, const char *value, size_t n)
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
            return unquoted_text(r, value, n);
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
    bool whole = read_integer(&value, &kib) && *value == ' ';
    value += strspn(value, " ");
    if (!whole || end - value != 2 || memcmp(value, "kB", 2) || kib > INT64_MAX / 1024)
        return number_unknown("not in /proc/meminfo");
    return number_known(kib * 1024);
}

static void read_system(struct reader *r, struct identity *id)
{
    id->os = given_text(r, r->source->os);
    id->kernel = given_text(r, r->source->kernel);
    id->build = given_text(r, r->source->build);
    id->architecture = given_text(r, r->source->architecture);
    id->distribution = distribution(r);
    id->maker = reader_line(r, "/sys/class/dmi/id/sys_vendor");
    id->product = reader_line(r, "/sys/class/dmi/id/product_name");
    id->memory_bytes = memory(r);
}

enum tare_status identity_read(struct identity *out, struct arena *a, const struct identity_source *source)
{
    struct plat_uname uname;
    struct identity_source here;
    if (!source) {
        plat_uname(&uname);
        /* The texts of uname stay with the caller. */
        here = (struct identity_source){
            .cpuid = cpu_cpuid_available(NULL) ? NULL : read_cpuid,
            .read = read_file,
            .os = uname.os,
            .kernel = uname.release,
            .build = uname.version,
            .architecture = uname.machine,
        };
        source = &here;
    }
    struct reader r = {.source = source, .arena = a};
    *out = knows_nothing("the system does not say");
    read_system(&r, out);
    identity_processor(&r, out);
    identity_hypervisor(&r, out);
    identity_topology(&r, out);
    identity_caches(&r, out);
    struct cpu_list nodes;
    int n = reader_list(&r, "/sys/devices/system/node/online", &nodes) ? cpu_list_count(&nodes) : 0;
    out->numa_nodes = n ? number_known(n) : number_unknown("the kernel does not report memory nodes");
    identity_judge(&r, out);
    reader_close(&r);
    if (r.no_memory)
        *out = knows_nothing("out of memory");
    return r.no_memory ? TARE_NO_MEMORY : TARE_OK;
}
