/* SPDX-License-Identifier: MIT
 *
 * Who machines are: real and masked signatures, two sorts of core, thousands of CPUs, and systems that tell nothing.
 */
#include "machines.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* ---- what is expected ---- */

static void assert_text(const char *what, struct identity_text text, const char *expected)
{
    if (!text.text || text.unknown || strcmp(text.text, expected))
        fail_msg("%s: '%s' (%s), expected '%s'", what, text.text ? text.text : "unknown", text.unknown ? text.unknown : "known",
                 expected);
}

static void assert_unknown(const char *what, struct identity_text text, const char *why)
{
    if (text.text || !text.unknown || strcmp(text.unknown, why))
        fail_msg("%s: '%s' (%s), expected to be unknown: %s", what, text.text ? text.text : "unknown",
                 text.unknown ? text.unknown : "known", why);
}

static void assert_number(const char *what, struct identity_number number, int64_t expected)
{
    if (number.unknown || number.value != expected)
        fail_msg("%s: %lld (%s), expected %lld", what, (long long)number.value, number.unknown ? number.unknown : "known",
                 (long long)expected);
}

static void assert_no_number(const char *what, struct identity_number number, const char *why)
{
    if (!number.unknown || strcmp(number.unknown, why))
        fail_msg("%s: %lld (%s), expected to be unknown: %s", what, (long long)number.value,
                 number.unknown ? number.unknown : "known", why);
}

static void assert_confidence(const struct identity *id, enum identity_confidence expected)
{
    if (id->name.confidence != expected)
        fail_msg("'%s' is %s, expected %s: %s", id->name.name.text ? id->name.name.text : "unknown",
                 identity_confidence_text(id->name.confidence), identity_confidence_text(expected), id->name.reasoning);
}

static void assert_says(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' does not say '%s'", text, part);
}

#define ASSERT_TEXT(field, expected)   assert_text(#field, id.field, expected)
#define ASSERT_UNKNOWN(field, why)     assert_unknown(#field, id.field, why)
#define ASSERT_NUMBER(field, expected) assert_number(#field, id.field, expected)
#define ASSERT_NO_NUMBER(field, why)   assert_no_number(#field, id.field, why)

/* ---- Linux's words for what processors have, generation by generation ---- */

#define WORDS_NEHALEM "fpu tsc msr cx8 mmx fxsr sse sse2 ht pni ssse3 sse4_1 sse4_2 popcnt"
#define WORDS_HASWELL WORDS_NEHALEM " aes avx f16c rdrand fsgsbase erms avx2 fma bmi1 bmi2 movbe invpcid"
#define WORDS_SKYLAKE WORDS_HASWELL " rdseed adx smap clflushopt xsavec mpx"
#define WORDS_ICE_LAKE \
    WORDS_SKYLAKE " sha_ni avx512f avx512bw avx512ifma avx512vbmi avx512_vbmi2 avx512_vnni gfni vaes fsrm rdpid"
#define WORDS_SAPPHIRE_RAPIDS                                                                                               \
    WORDS_ICE_LAKE " clwb avx512_bf16 avx512_fp16 avx_vnni amx_tile amx_int8 amx_bf16 movdiri movdir64b waitpkg serialize " \
                   "cldemote enqcmd wbnoinvd"
#define WORDS_ZEN \
    "fpu pni ssse3 sse4_1 sse4_2 sse4a popcnt aes avx f16c fma rdrand avx2 bmi1 bmi2 smap adx rdseed clflushopt sha_ni clzero"
#define WORDS_ZEN2 WORDS_ZEN " clwb rdpru rdpid wbnoinvd"
#define WORDS_ZEN3 WORDS_ZEN2 " vaes erms fsrm invpcid pku"
#define WORDS_ZEN4 WORDS_ZEN3 " avx512f avx512bw avx512ifma avx512vbmi avx512_vbmi2 avx512_vnni avx512_bf16 gfni"
#define WORDS_ZEN5 WORDS_ZEN4 " avx_vnni movdiri movdir64b avx512_vp2intersect prefetchi"

/* A cpuinfo of one CPU. The caller frees nothing: the text lives until the next call. */
static const struct file *cpuinfo(const char *vendor, int family, int model, int stepping, const char *brand, const char *flags)
{
    static char text[4096];
    static struct file files[2] = {{"/proc/cpuinfo", text}};
    snprintf(text, sizeof text,
             "processor\t: 0\nvendor_id\t: %s\ncpu family\t: %d\nmodel\t\t: %d\nmodel name\t: %s\nstepping\t: %d\n"
             "microcode\t: 0x2b000603\nflags\t\t: %s\nbugs\t\t:\n\n",
             vendor, family, model, brand, stepping, flags);
    return files;
}

static struct identity intel(struct machine *m, int family, int model, int stepping, const char *flags)
{
    m->files = cpuinfo("GenuineIntel", family, model, stepping, "a processor @ 2.40GHz", flags);
    return machine_identify(m, IDENTITY_QUICK);
}

static struct identity amd(struct machine *m, int family, int model, const char *flags)
{
    m->files = cpuinfo("AuthenticAMD", family, model, 1, "a processor", flags);
    return machine_identify(m, IDENTITY_QUICK);
}

/* ---- signatures ---- */

static void a_dothan_is_named(void **state)
{
    (void)state;
    struct machine m = {.cpus = 1};
    struct identity id = intel(&m, 6, 13, 8, "fpu vme de pse tsc msr mce cx8 mtrr pge mca cmov pat mmx fxsr sse sse2 ss tm pbe");
    ASSERT_TEXT(name.name, "Dothan");
    ASSERT_TEXT(name.core, "Pentium M");
    ASSERT_NUMBER(signature, 0x6d8);
    ASSERT_NUMBER(cpus_online, 1);
    ASSERT_NUMBER(cores, 1);
    assert_int_equal(id.hypervisor.state, HYPERVISOR_NOT_SEEN);
    assert_says(id.hypervisor.reasoning, "may hide");
    machine_finish(&m);
}

static void the_stepping_tells_kaby_lake_from_coffee_lake(void **state)
{
    (void)state;
    static const struct {
        int model, stepping;
        const char *name;
    } cases[] = {
        {0x9e, 9, "Kaby Lake"}, {0x9e, 10, "Coffee Lake"},  {0x9e, 13, "Coffee Lake"},
        {0x8e, 9, "Kaby Lake"}, {0x8e, 11, "Whiskey Lake"}, {0x8e, 10, "Kaby Lake R or Coffee Lake"},
        {0x55, 4, "Skylake"},   {0x55, 7, "Cascade Lake"},  {0x55, 11, "Cooper Lake"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine m = {.cpus = 1};
        struct identity id = intel(&m, 6, cases[i].model, cases[i].stepping, WORDS_SKYLAKE);
        ASSERT_TEXT(name.name, cases[i].name);
        ASSERT_TEXT(name.core, "Skylake");
        machine_finish(&m);
    }
    struct machine m = {.cpus = 1};
    struct identity id = intel(&m, 6, 0x9e, 15, WORDS_SKYLAKE);
    ASSERT_UNKNOWN(name.name, "not in the table of code names");
    assert_says(id.name.reasoning, "family 6 model 158 stepping 15 of GenuineIntel is in no table");
    ASSERT_TEXT(name.guess, "features of Skylake or later");
    machine_finish(&m);
}

static void a_real_sapphire_rapids_is_certain(void **state)
{
    (void)state;
    struct machine m = {.cpus = 4, .threads = 2};
    struct identity id = intel(&m, 6, 0x8f, 8, WORDS_SAPPHIRE_RAPIDS);
    ASSERT_TEXT(name.name, "Sapphire Rapids");
    ASSERT_TEXT(name.core, "Golden Cove");
    assert_confidence(&id, IDENTITY_CERTAIN);
    ASSERT_TEXT(microcode, "0x2b000603");
    ASSERT_NUMBER(nominal_hz, 2400000000);
    assert_string_equal(id.nominal_source, "brand string");
    machine_finish(&m);
}

static void a_sapphire_rapids_masked_as_rocket_lake_is_seen_through(void **state)
{
    (void)state;
    struct machine m = {.cpus = 2};
    struct identity id = intel(&m, 6, 0xa7, 8, WORDS_SAPPHIRE_RAPIDS " hypervisor");
    ASSERT_TEXT(name.name, "Rocket Lake");
    assert_confidence(&id, IDENTITY_MASKED);
    ASSERT_TEXT(name.guess, "features of Sapphire Rapids or later");
    assert_says(id.name.reasoning, "the signature says Rocket Lake, which has no AVX512-BF16, AVX-VNNI and 10 more");
    assert_says(id.name.reasoning, "the hypervisor changed the signature");
    assert_unknown("class", id.classes[0].name, "the code name is not certain enough");
    machine_finish(&m);
    /* The same without a hypervisor in sight is no proof of one. */
    id = intel(&m, 6, 0xa7, 8, WORDS_SAPPHIRE_RAPIDS);
    assert_confidence(&id, IDENTITY_CONTRADICTED);
    ASSERT_TEXT(name.guess, "features of Sapphire Rapids or later");
    machine_finish(&m);
    /* Features that the hypervisor hides make the guess older, never newer; one is enough to contradict. */
    id = intel(&m, 6, 0xa7, 8, WORDS_ICE_LAKE " amx_tile hypervisor");
    assert_confidence(&id, IDENTITY_MASKED);
    assert_says(id.name.reasoning, "which has no AMX;");
    machine_finish(&m);
}

static void what_is_missing_keeps_a_name_from_being_certain(void **state)
{
    (void)state;
    struct machine m = {.cpus = 1};
    struct identity id = intel(&m, 6, 0x55, 4, WORDS_SKYLAKE " clwb");
    ASSERT_TEXT(name.name, "Skylake");
    assert_confidence(&id, IDENTITY_LIKELY);
    assert_says(id.name.reasoning, "without AVX512-BW and AVX-512, switched off or hidden; no hypervisor is seen");
    machine_finish(&m);
    id = intel(&m, 6, 0x55, 4, WORDS_SKYLAKE " clwb avx512f avx512bw hypervisor");
    assert_confidence(&id, IDENTITY_LIKELY);
    assert_says(id.name.reasoning, "the hypervisor chooses what is shown");
    machine_finish(&m);
    /* A Pentium has no AVX, and firmware may switch AVX2 off. */
    id = intel(&m, 6, 0x3c, 3, WORDS_NEHALEM " rdrand erms");
    ASSERT_TEXT(name.name, "Haswell");
    assert_confidence(&id, IDENTITY_CERTAIN);
    machine_finish(&m);
}

static void zen_is_told_by_family_and_model(void **state)
{
    (void)state;
    static const struct {
        int family, model;
        const char *flags, *name, *core;
        uint32_t signature;
    } cases[] = {
        {0x17, 0x01, WORDS_ZEN, "Naples or Summit Ridge", "Zen", 0x800f11},
        {0x17, 0x31, WORDS_ZEN2, "Rome or Castle Peak", "Zen 2", 0x830f11},
        {0x17, 0x71, WORDS_ZEN2, "Matisse", "Zen 2", 0x870f11},
        {0x19, 0x01, WORDS_ZEN3, "Milan or Chagall", "Zen 3", 0xa00f11},
        {0x19, 0x21, WORDS_ZEN3, "Vermeer", "Zen 3", 0xa20f11},
        {0x19, 0x11, WORDS_ZEN4, "Genoa or Storm Peak", "Zen 4", 0xa10f11},
        {0x19, 0x61, WORDS_ZEN4, "Raphael", "Zen 4", 0xa60f11},
        {0x1a, 0x02, WORDS_ZEN5, "Turin", "Zen 5", 0xb00f21},
        {0x1a, 0x44, WORDS_ZEN5, "Granite Ridge", "Zen 5", 0xb40f41},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine m = {.cpus = 1};
        struct identity id = amd(&m, cases[i].family, cases[i].model, cases[i].flags);
        ASSERT_TEXT(name.name, cases[i].name);
        ASSERT_TEXT(name.core, cases[i].core);
        ASSERT_NUMBER(signature, cases[i].signature);
        assert_confidence(&id, IDENTITY_CERTAIN);
        machine_finish(&m);
    }
    struct machine m = {.cpus = 1};
    struct identity id = amd(&m, 0x19, 0x01, WORDS_ZEN5 " hypervisor");
    assert_confidence(&id, IDENTITY_MASKED);
    ASSERT_TEXT(name.guess, "features of Zen 5 or later");
    machine_finish(&m);
}

/* ---- the instruction ---- */

/* Leaf 0: highest leaf and vendor; leaf 1: 000806F8, hypervisor bit; leaf 7: AVX-512, AMX; 16H: 2000 MHz. */
#define VENDOR_INTEL_REGS 0x756e6547, 0x6c65746e, 0x49656e69
static const struct leaf xeon[] = {
    {0, 0, {0x16, VENDOR_INTEL_REGS}},
    {1, 0, {0x000806f8, 0x00400800, 0x7ffefbff | 0x80000000, 0xbfebfbff}},
    {4, 0, {0x1c004121, 0x02c0003f, 0x3f, 0}},
    {4, 1, {0x1c004122, 0x01c0003f, 0x3f, 0}},
    {4, 2, {0x1c01c143, 0x03c0003f, 0x7ff, 0}},
    {4, 3, {0x1c1fc163, 0x0380003f, 0x1bfff, 4}},
    {7, 0, {1, 0xf1bf27eb, 0xfb415f4e, 0xffd14410}},
    {7, 1, {0x00001c30, 0, 0, 0}},
    {0x16, 0, {2000, 3800, 100, 0}},
    {0x40000000, 0, {0x40000001, 0x4b4d564b, 0x564b4d56, 0x0000004d}},
    {0x80000000, 0, {0x80000008, 0, 0, 0}},
    {0x80000002, 0, {0x65746e49, 0x2952286c, 0x6f655820, 0x2952286e}},
    {0x80000003, 0, {0x20202020, 0x74616c50, 0x6d756e69, 0x34382020}},
    {0x80000004, 0, {0x00003038, 0, 0, 0}},
    {0, 0, {0}},
};

static void the_instruction_tells_brand_frequency_and_hypervisor(void **state)
{
    (void)state;
    struct machine m = {.leaves = xeon};
    struct identity id = machine_identify(&m, IDENTITY_QUICK);
    ASSERT_TEXT(vendor, "GenuineIntel");
    ASSERT_TEXT(brand, "Intel(R) Xeon(R) Platinum 8480");
    ASSERT_NUMBER(family, 6);
    ASSERT_NUMBER(model, 0x8f);
    ASSERT_NUMBER(stepping, 8);
    ASSERT_NUMBER(signature, 0x806f8);
    ASSERT_NUMBER(nominal_hz, 2000000000);
    assert_string_equal(id.nominal_source, "CPUID.16H");
    ASSERT_TEXT(hypervisor.name, "KVM");
    assert_says(id.hypervisor.reasoning, "Firecracker");
    ASSERT_TEXT(name.name, "Sapphire Rapids");
    assert_confidence(&id, IDENTITY_LIKELY);
    ASSERT_UNKNOWN(microcode, "not in /proc/cpuinfo");
    ASSERT_NO_NUMBER(cpus_online, "the system does not tell");
    /* No /sys: caches by leaf 4. */
    assert_int_equal(id.n_caches, 4);
    assert_int_equal(id.caches[0].bytes, 48 * 1024);
    assert_int_equal(id.caches[2].bytes, 2048 * 1024);
    assert_int_equal(id.caches[2].type, CACHE_UNIFIED);
    assert_int_equal(id.caches[3].bytes, 107520 * 1024);
    assert_no_number("shared_by", id.caches[3].shared_by, "CPUID gives an upper bound only");
    machine_finish(&m);
}

static void every_hypervisor_has_its_signature(void **state)
{
    (void)state;
    static const struct {
        const char signature[13], *name;
    } cases[] = {
        {"KVMKVMKVM\0\0\0", "KVM"},
        {"Microsoft Hv", "Hyper-V"},
        {"VMwareVMware", "VMware"},
        {"XenVMMXenVMM", "Xen"},
        {"ACRNACRNACRN", "ACRN"},
        {"bhyve bhyve ", "bhyve"},
        {"TCGTCGTCGTCG", "QEMU TCG"},
        {" lrpepyh  vr", "Parallels"},
        {"VBoxVBoxVBox", "VirtualBox"},
        {"whoever   it", "whoever   it"},
        {"\x01\x02odd\0\0\0\0\0\0\0", "??odd"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct leaf leaves[] = {xeon[0], xeon[1], {0x40000000, 0, {1, 0, 0, 0}}, {0, 0, {0}}};
        memcpy(&leaves[2].regs[1], cases[i].signature, 12);
        struct machine m = {.leaves = leaves};
        struct identity id = machine_identify(&m, IDENTITY_QUICK);
        assert_int_equal(id.hypervisor.state, HYPERVISOR_SEEN);
        ASSERT_TEXT(hypervisor.name, cases[i].name);
        machine_finish(&m);
    }
}

static void kvm_is_seen_behind_the_language_of_hyper_v(void **state)
{
    (void)state;
    struct leaf leaves[] = {xeon[0], xeon[1], {0x40000000, 0, {1, 0, 0, 0}}, xeon[9], {0, 0, {0}}};
    memcpy(&leaves[2].regs[1], "Microsoft Hv", 12);
    leaves[3].leaf = 0x40000100;
    struct machine m = {.leaves = leaves};
    struct identity id = machine_identify(&m, IDENTITY_QUICK);
    ASSERT_TEXT(hypervisor.name, "KVM");
    machine_finish(&m);
}

static void a_translator_is_no_processor(void **state)
{
    (void)state;
    struct leaf leaves[] = {xeon[0], xeon[1], {0x40000000, 0, {1, 0, 0, 0}}, {0, 0, {0}}};
    memcpy(&leaves[2].regs[1], "TCGTCGTCGTCG", 12);
    struct machine m = {.leaves = leaves};
    struct identity id = machine_identify(&m, IDENTITY_QUICK);
    assert_confidence(&id, IDENTITY_MASKED);
    assert_says(id.name.reasoning, "QEMU translates");
    machine_finish(&m);
}

static void a_made_up_processor_is_not_believed(void **state)
{
    (void)state;
    struct machine m = {.cpus = 1,
                        .files = cpuinfo("GenuineIntel", 15, 6, 1, "Common KVM processor", "fpu pni ssse3 hypervisor")};
    struct identity id = machine_identify(&m, IDENTITY_QUICK);
    ASSERT_TEXT(name.name, "Cedar Mill");
    assert_confidence(&id, IDENTITY_MASKED);
    assert_says(id.name.reasoning, "no processor is called \"Common KVM processor\"");
    ASSERT_TEXT(name.guess, "features of Core 2 or later");
    machine_finish(&m);
}

static void a_cache_of_another_size_is_said(void **state)
{
    (void)state;
    static char text[4096];
    strcpy(text, cpuinfo("GenuineIntel", 6, 0x3f, 2, "x", WORDS_HASWELL " hypervisor")->text);
    const struct file files[] = {{"/proc/cpuinfo", text},
                                 {"/sys/devices/system/cpu/cpu0/cache/index2/level", "2\n"},
                                 {"/sys/devices/system/cpu/cpu0/cache/index2/type", "Unified\n"},
                                 {"/sys/devices/system/cpu/cpu0/cache/index2/size", "2048K\n"},
                                 {NULL, NULL}};
    struct machine m = {.cpus = 1, .files = files};
    struct identity id = machine_identify(&m, IDENTITY_QUICK);
    assert_confidence(&id, IDENTITY_LIKELY);
    assert_says(id.name.reasoning, "the L2 cache of 2048 KiB is not the 256 KiB of Haswell");
    machine_finish(&m);
}

static void a_program_for_another_processor_is_translated(void **state)
{
    (void)state;
    struct machine m = {.architecture = "aarch64", .cpus = 1};
    struct identity id = intel(&m, 6, 0x8f, 8, WORDS_SAPPHIRE_RAPIDS);
    assert_confidence(&id, IDENTITY_CONTRADICTED);
    ASSERT_UNKNOWN(name.name, "the program is translated");
    ASSERT_TEXT(name.guess, "translated on a machine that shows Sapphire Rapids");
    assert_says(id.name.reasoning, "built for aarch64");
    machine_finish(&m);
    static const struct file arm[] = {{"/proc/cpuinfo", "CPU implementer : 0x41\nCPU part : 0xd0c\n"}, {NULL, NULL}};
    m = (struct machine){.files = arm};
    id = machine_identify(&m, IDENTITY_QUICK);
    ASSERT_TEXT(name.guess, "translated on a machine that shows Neoverse N1");
    machine_finish(&m);
}

static void firmware_names_a_hypervisor_that_hides_its_bit(void **state)
{
    (void)state;
    static const struct {
        const char *maker, *product, *name;
    } cases[] = {
        {"VMware, Inc.\n", "VMware20,1\n", "VMware"},   {"QEMU\n", "Standard PC\n", "QEMU or KVM"},
        {"Amazon EC2\n", "m7g.large\n", "Nitro (KVM)"}, {"Microsoft Corporation\n", "Virtual Machine\n", "Hyper-V"},
        {"Amazon EC2\n", "m7g.metal\n", NULL},          {"Microsoft Corporation\n", "Surface Laptop\n", NULL},
        {"Google\n", "Google Compute Engine\n", NULL}, /* said by its bare machines too */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct file files[] = {
            {"/sys/class/dmi/id/sys_vendor", cases[i].maker}, {"/sys/class/dmi/id/product_name", cases[i].product}, {NULL, NULL}};
        struct machine m = {.files = files, .architecture = "aarch64"};
        struct identity id = machine_identify(&m, IDENTITY_QUICK);
        if (cases[i].name)
            ASSERT_TEXT(hypervisor.name, cases[i].name);
        else
            assert_int_equal(id.hypervisor.state, HYPERVISOR_NOT_SEEN);
        machine_finish(&m);
    }
}

static void the_device_tree_names_a_hypervisor(void **state)
{
    (void)state;
    static const struct {
        struct file file;
        const char *name;
    } cases[] = {
        {{"/sys/hypervisor/type", "xen\n"}, "Xen"},
        {{"/sys/firmware/devicetree/base/hypervisor/compatible", "linux,kvm"}, "KVM"},
        {{"/sys/firmware/devicetree/base/hypervisor/compatible", "xen,xen-4.17"}, "Xen"},
        {{"/sys/firmware/devicetree/base/compatible", "linux,dummy-virt"}, "KVM or QEMU"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct file files[] = {cases[i].file, {NULL, NULL}};
        struct machine m = {.files = files, .architecture = "aarch64"};
        struct identity id = machine_identify(&m, IDENTITY_QUICK);
        assert_int_equal(id.hypervisor.state, HYPERVISOR_SEEN);
        ASSERT_TEXT(hypervisor.name, cases[i].name);
        machine_finish(&m);
    }
}

static void two_sorts_of_core_that_nobody_tells_apart_are_not_named(void **state)
{
    (void)state;
    static const struct leaf leaves[] = {{0, 0, {7, VENDOR_INTEL_REGS}},
                                         {1, 0, {0x00090672, 0, 0x7ffafbff, 0xbfebfbff}},
                                         {7, 0, {1, 0x239c27eb, 0x98c027ac, 0xfc1cc410}},
                                         {7, 1, {0x00400810, 0, 0, 0}},
                                         {0, 0, {0}}};
    struct machine m = {.leaves = leaves, .cpus = 4};
    struct identity id = machine_identify(&m, IDENTITY_QUICK);
    ASSERT_TEXT(name.name, "Alder Lake");
    assert_unknown("class", id.classes[0].name, "there are two sorts of core, and the system does not tell which CPU is which");
    machine_finish(&m);
}

static void an_instruction_that_lies_about_its_leaves_is_survived(void **state)
{
    (void)state;
    static const struct leaf lies[][4] = {
        {{0, 0, {0xffffffff, 1, 2, 3}}, {0, 0, {0}}},
        {{0, 0, {0x7fffffff, VENDOR_INTEL_REGS}}, {0x80000000, 0, {0xffffffff, 0, 0, 0}}, {0, 0, {0}}},
        {{0, 0, {0x20, 0xffffffff, 0, 0x01010101}}, {1, 0, {0xffffffff, 0, 0xffffffff, 0}}, {0, 0, {0}}},
        {{0, 0, {4, VENDOR_INTEL_REGS}}, {4, 0, {0xffffffff, 0xffffffff, 0xffffffff, 0}}, {0, 0, {0}}},
        {{0, 0, {4, VENDOR_INTEL_REGS}}, {4, 0, {0x21, 0xffffffff, 0xffffffff, 0}}, {0, 0, {0}}},
    };
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        struct machine m = {.leaves = lies[i]};
        struct identity id = machine_identify(&m, IDENTITY_WHOLE);
        assert_non_null(id.name.reasoning);
        assert_int_not_equal(id.name.confidence, IDENTITY_CERTAIN);
        machine_finish(&m);
    }
}

/* ---- Arm ---- */

#define ARM_CPU(n, implementer, variant, part, revision)                                                                     \
    "processor\t: " n "\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd\nCPU implementer\t: " implementer "\nCPU architecture: 8\n" \
    "CPU variant\t: " variant "\nCPU part\t: " part "\nCPU revision\t: " revision "\n\n"

static void arm_cores_are_named_by_their_register(void **state)
{
    (void)state;
    static const struct {
        const char *cpuinfo, *name;
        int64_t midr, stepping;
    } cases[] = {
        {ARM_CPU("0", "0x41", "0x3", "0xd0c", "1"), "Neoverse N1", 0x413fd0c1, 0x31},
        {ARM_CPU("0", "0x41", "0x0", "0xd4f", "0"), "Neoverse V2", 0x410fd4f0, 0},
        {ARM_CPU("0", "0x41", "0x1", "0xd40", "1"), "Neoverse V1", 0x411fd401, 0x11},
        {ARM_CPU("0", "0x41", "0x0", "0xd03", "4"), "Cortex-A53", 0x410fd034, 4},
        {ARM_CPU("0", "0xc0", "0x0", "0xac3", "0"), "AmpereOne", 0xc00fac30, 0},
        {ARM_CPU("0", "0x6d", "0x0", "0xd49", "0"), "Azure Cobalt 100", 0x6d0fd490, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct file files[] = {
            {"/proc/cpuinfo", cases[i].cpuinfo}, {"/sys/class/dmi/id/sys_vendor", "A maker\n"}, {NULL, NULL}};
        struct machine m = {.files = files, .cpus = 4, .architecture = "aarch64"};
        struct identity id = machine_identify(&m, IDENTITY_QUICK);
        ASSERT_TEXT(name.name, cases[i].name);
        ASSERT_NUMBER(signature, cases[i].midr);
        ASSERT_NUMBER(stepping, cases[i].stepping);
        ASSERT_NO_NUMBER(family, "Arm processors have none");
        assert_confidence(&id, IDENTITY_CERTAIN);
        assert_int_equal(id.n_classes, 1);
        assert_null(id.classes[0].kind);
        ASSERT_NUMBER(cores, 4);
        machine_finish(&m);
    }
}

static void an_apple_m1_has_two_sorts_of_core(void **state)
{
    (void)state;
    static const struct file files[] = {
        {"/proc/cpuinfo", ARM_CPU("0", "0x61", "0x1", "0x022", "1") ARM_CPU("1", "0x61", "0x1", "0x022", "1")
                              ARM_CPU("2", "0x61", "0x1", "0x022", "1") ARM_CPU("3", "0x61", "0x1", "0x022", "1")
                                  ARM_CPU("4", "0x61", "0x1", "0x023", "1") ARM_CPU("5", "0x61", "0x1", "0x023", "1")
                                      ARM_CPU("6", "0x61", "0x1", "0x023", "1") ARM_CPU("7", "0x61", "0x1", "0x023", "1")},
        {"/sys/devices/system/cpu/cpu0/cpu_capacity", "459\n"},
        {"/sys/devices/system/cpu/cpu4/cpu_capacity", "1024\n"},
        {"/sys/devices/system/cpu/smt/active", "0\n"},
        {"/sys/firmware/devicetree/base/model", "Apple MacBook Air (M1, 2020)"},
        {NULL, NULL},
    };
    struct machine m = {.files = files, .cpus = 8, .architecture = "aarch64"};
    struct identity id = machine_identify(&m, IDENTITY_QUICK);
    ASSERT_TEXT(vendor, "Apple");
    ASSERT_TEXT(name.name, "Icestorm (M1) + Firestorm (M1)");
    assert_int_equal(id.n_classes, 2);
    assert_string_equal(id.classes[0].kind, "efficient");
    assert_string_equal(id.classes[1].kind, "performance");
    assert_text("class 1", id.classes[1].name, "Firestorm (M1)");
    assert_int_equal(id.classes[1].n_cpus, 4);
    assert_number("cores", id.classes[1].cores, 4);
    ASSERT_NUMBER(cores, 8);
    assert_int_equal(id.hypervisor.state, HYPERVISOR_NOT_SEEN);
    machine_finish(&m);
}

static void an_arm_core_that_is_not_known_says_its_numbers(void **state)
{
    (void)state;
    static const struct file files[] = {{"/proc/cpuinfo", ARM_CPU("0", "0x41", "0x0", "0xfff", "0")}, {NULL, NULL}};
    struct machine m = {.files = files, .cpus = 1, .architecture = "aarch64"};
    struct identity id = machine_identify(&m, IDENTITY_QUICK);
    assert_confidence(&id, IDENTITY_UNKNOWN);
    assert_string_equal(id.name.reasoning, "part 0xfff of implementer 0x41 is in no table");
    machine_finish(&m);
    static const struct file registers[] = {{"/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "0x00000000413fd0c1\n"},
                                            {NULL, NULL}};
    m = (struct machine){.files = registers, .cpus = 1, .architecture = "aarch64"};
    id = machine_identify(&m, IDENTITY_QUICK);
    ASSERT_TEXT(name.name, "Neoverse N1");
    machine_finish(&m);
}

/* ---- how many ---- */

static void a_hybrid_alder_lake_has_cores_of_two_kinds(void **state)
{
    (void)state;
    static char text[4096];
    strcpy(text, cpuinfo("GenuineIntel", 6, 0x97, 2, "12th Gen Intel(R) Core(TM) i9-12900K",
                         WORDS_SKYLAKE " sha_ni gfni vaes fsrm clwb movdiri movdir64b avx_vnni waitpkg serialize")
                     ->text);
    const struct file files[] = {
        {"/proc/cpuinfo", text},
        {"/sys/devices/cpu_core/cpus", "0-15\n"},
        {"/sys/devices/cpu_atom/cpus", "16-23\n"},
        {"/sys/devices/system/cpu/cpu16/topology/thread_siblings_list", "16\n"},
        {"/sys/devices/system/cpu/cpu17/topology/thread_siblings_list", "17\n"},
        {"/sys/devices/system/cpu/cpu18/topology/thread_siblings_list", "18\n"},
        {"/sys/devices/system/cpu/cpu19/topology/thread_siblings_list", "19\n"},
        {"/sys/devices/system/cpu/cpu20/topology/thread_siblings_list", "20\n"},
        {"/sys/devices/system/cpu/cpu21/topology/thread_siblings_list", "21\n"},
        {"/sys/devices/system/cpu/cpu22/topology/thread_siblings_list", "22\n"},
        {"/sys/devices/system/cpu/cpu23/topology/thread_siblings_list", "23\n"},
        {"/sys/devices/system/cpu/cpu0/cache/index0/level", "1\n"},
        {"/sys/devices/system/cpu/cpu0/cache/index0/type", "Data\n"},
        {"/sys/devices/system/cpu/cpu0/cache/index0/size", "48K\n"},
        {"/sys/devices/system/cpu/cpu0/cache/index0/shared_cpu_list", "0-1\n"},
        {"/sys/devices/system/cpu/cpu16/cache/index1/level", "2\n"},
        {"/sys/devices/system/cpu/cpu16/cache/index1/type", "Unified\n"},
        {"/sys/devices/system/cpu/cpu16/cache/index1/size", "2M\n"},
        {"/sys/devices/system/cpu/cpu16/cache/index1/shared_cpu_list", "16-19\n"},
        {"/sys/devices/system/cpu/cpu16/cache/index0/level", "1\n"},
        {"/sys/devices/system/cpu/cpu16/cache/index0/type", "Data\n"},
        {"/sys/devices/system/cpu/cpu16/cache/index0/size", "32K\n"},
        {"/sys/devices/system/cpu/cpu0/cpufreq/base_frequency", "3200000\n"},
        {NULL, NULL},
    };
    struct machine m = {.files = files, .cpus = 24, .threads = 2};
    struct identity id = machine_identify(&m, IDENTITY_QUICK);
    ASSERT_TEXT(name.name, "Alder Lake");
    assert_confidence(&id, IDENTITY_CERTAIN);
    assert_int_equal(id.n_classes, 2);
    assert_string_equal(id.classes[0].kind, "performance");
    assert_text("class 0", id.classes[0].name, "Golden Cove");
    assert_number("cores 0", id.classes[0].cores, 8);
    assert_string_equal(id.classes[1].kind, "efficient");
    assert_text("class 1", id.classes[1].name, "Gracemont");
    assert_number("cores 1", id.classes[1].cores, 8);
    ASSERT_NUMBER(cores, 16);
    ASSERT_NUMBER(threads_per_core, 2);
    ASSERT_NUMBER(nominal_hz, 3200000000);
    assert_int_equal(id.n_caches, 3);
    assert_int_equal(id.caches[0].of_class, 0);
    assert_int_equal(id.caches[1].bytes, 32 * 1024);
    assert_int_equal(id.caches[2].level, 2);
    assert_number("shared", id.caches[2].shared_by, 4);
    machine_finish(&m);
}

static void a_small_virtual_machine_is_known_whole(void **state)
{
    (void)state;
    static const struct file files[] = {
        {"/proc/meminfo", "MemTotal:        2048 kB\nMemFree: 1 kB\n"},
        {"/etc/os-release", "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n"},
        {"/sys/devices/system/node/online", "0\n"},
        {"/sys/devices/system/node/node0/cpulist", "0-1\n"},
        {"/sys/devices/system/cpu/smt/active", "0\n"},
        {NULL, NULL},
    };
    struct machine m = {.leaves = xeon, .files = files, .cpus = 2};
    struct identity id = machine_identify(&m, IDENTITY_QUICK);
    ASSERT_TEXT(distribution, "Debian GNU/Linux 12 (bookworm)");
    ASSERT_NUMBER(memory_bytes, 2048 * 1024);
    ASSERT_NUMBER(cpus_online, 2);
    ASSERT_NUMBER(cores, 2);
    ASSERT_NUMBER(packages, 1);
    ASSERT_NUMBER(numa_nodes, 1);
    assert_text("node", id.nodes[0].cpus, "0-1");
    machine_finish(&m);
}

static void large_machines_are_counted_without_asking_every_cpu(void **state)
{
    (void)state;
    static const struct {
        int cpus, threads, packages;
        enum siblings siblings;
        bool inferred;
    } cases[] = {
        {96, 2, 2, SIBLINGS_FAR, false},  {96, 1, 1, SIBLINGS_ADJACENT, false},   {256, 2, 2, SIBLINGS_ADJACENT, true},
        {2048, 2, 8, SIBLINGS_FAR, true}, {2048, 8, 16, SIBLINGS_ADJACENT, true}, {8192, 2, 32, SIBLINGS_ADJACENT, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine m = {
            .cpus = cases[i].cpus, .threads = cases[i].threads, .packages = cases[i].packages, .siblings = cases[i].siblings};
        struct identity id = machine_identify(&m, IDENTITY_QUICK);
        ASSERT_NUMBER(cpus_online, cases[i].cpus);
        ASSERT_NUMBER(cores, cases[i].cpus / cases[i].threads);
        ASSERT_NUMBER(threads_per_core, cases[i].threads);
        ASSERT_NUMBER(packages, cases[i].packages);
        assert_int_equal(id.cores_inferred, cases[i].inferred);
        if (m.reads > 200)
            fail_msg("%d CPUs took %d reads", cases[i].cpus, m.reads);
        machine_finish(&m);
    }
    struct machine m = {.cpus = 2048, .threads = 2};
    struct identity id = machine_identify(&m, IDENTITY_WHOLE);
    assert_false(id.cores_inferred);
    ASSERT_NUMBER(cores, 1024);
    ASSERT_TEXT(online, "0-2047");
    machine_finish(&m);
}

static void offline_holes_are_neither_cores_nor_cpus(void **state)
{
    (void)state;
    struct machine m = {.cpus = 8, .threads = 2, .offline = "1,4-5"};
    struct identity id = machine_identify(&m, IDENTITY_QUICK);
    ASSERT_NUMBER(cpus_online, 5);
    ASSERT_NUMBER(cpus_possible, 8);
    ASSERT_NUMBER(cpus_offline, 3);
    ASSERT_TEXT(online, "0,2-3,6-7");
    ASSERT_TEXT(offline, "1,4-5");
    ASSERT_NUMBER(cores, 3);
    ASSERT_NUMBER(threads_per_core, 2);
    machine_finish(&m);
}

static void lists_that_overlap_or_leave_out_make_no_cpu_twice(void **state)
{
    (void)state;
    static char text[4096];
    strcpy(text, cpuinfo("GenuineIntel", 6, 0x97, 2, "x", WORDS_SKYLAKE)->text);
    const struct file files[] = {{"/proc/cpuinfo", text},
                                 {"/sys/devices/cpu_core/cpus", "0-3,9\n"},
                                 {"/sys/devices/cpu_atom/cpus", "2-5\n"},
                                 {NULL, NULL}};
    struct machine m = {.files = files, .cpus = 8};
    struct identity id = machine_identify(&m, IDENTITY_QUICK);
    assert_int_equal(id.n_classes, 3);
    assert_int_equal(id.classes[0].n_cpus, 4);
    assert_int_equal(id.classes[1].n_cpus, 2);
    assert_int_equal(id.classes[2].n_cpus, 2);
    ASSERT_NUMBER(cores, 8);
    machine_finish(&m);
    const struct file same[] = {
        {"/proc/cpuinfo", text}, {"/sys/devices/cpu_core/cpus", "0-7\n"}, {"/sys/devices/cpu_atom/cpus", "4-7\n"}, {NULL, NULL}};
    m = (struct machine){.files = same, .cpus = 8};
    id = machine_identify(&m, IDENTITY_QUICK);
    assert_int_equal(id.n_classes, 1);
    assert_null(id.classes[0].kind);
    machine_finish(&m);
}

/* ---- systems that tell nothing, or nonsense ---- */

static void a_system_that_tells_nothing_is_unknown_with_reasons(void **state)
{
    (void)state;
    struct machine m = {.architecture = "riscv64"};
    struct identity id = machine_identify(&m, IDENTITY_WHOLE);
    ASSERT_TEXT(os, "Linux");
    ASSERT_TEXT(architecture, "riscv64");
    ASSERT_UNKNOWN(vendor, "not in /proc/cpuinfo");
    ASSERT_UNKNOWN(name.name, "the system does not tell");
    assert_confidence(&id, IDENTITY_UNKNOWN);
    assert_string_equal(id.name.reasoning, "neither CPUID nor /proc/cpuinfo names the processor");
    assert_int_equal(id.hypervisor.state, HYPERVISOR_UNKNOWN);
    ASSERT_NO_NUMBER(cpus_online, "the system does not tell");
    ASSERT_NO_NUMBER(cores, "the system does not tell");
    ASSERT_NO_NUMBER(numa_nodes, "the kernel does not tell of memory nodes");
    ASSERT_NO_NUMBER(memory_bytes, "not in /proc/meminfo");
    assert_int_equal(id.n_classes, 0);
    assert_int_equal(id.n_caches, 0);
    assert_string_equal(id.caches_unknown, "the system does not tell");
    machine_finish(&m);
}

static void without_sys_the_cpus_are_counted_in_cpuinfo(void **state)
{
    (void)state;
    static const struct file files[] = {
        {"/proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\n\nprocessor\t: 3\n\nprocessor : x\n"}, {NULL, NULL}};
    struct machine m = {.files = files};
    struct identity id = machine_identify(&m, IDENTITY_QUICK);
    ASSERT_NUMBER(cpus_online, 2);
    ASSERT_TEXT(online, "0,3");
    ASSERT_NO_NUMBER(cores, "the system does not tell");
    machine_finish(&m);
}

static void malformed_files_are_no_values(void **state)
{
    (void)state;
    static const struct file files[] = {
        {"/proc/cpuinfo", "vendor_id\t:\ncpu family\t: six\nmodel\t\t: 99999999999999999999\nstepping\t: 1 2\nflags\n"},
        {"/proc/meminfo", "MemTotal: 12 MB\n"},
        {"/etc/os-release", "PRETTY_NAME=\n"},
        {"/sys/devices/system/cpu/online", "0-3,\n"},
        {"/sys/devices/system/cpu/present", "garbage"},
        {"/sys/devices/system/node/online", "-1\n"},
        {"/sys/devices/system/cpu/cpu0/cpufreq/base_frequency", "fast\n"},
        {NULL, NULL},
    };
    struct machine m = {.files = files};
    struct identity id = machine_identify(&m, IDENTITY_QUICK);
    ASSERT_UNKNOWN(vendor, "not in /proc/cpuinfo");
    ASSERT_NO_NUMBER(family, "not in /proc/cpuinfo");
    ASSERT_NO_NUMBER(model, "not in /proc/cpuinfo");
    ASSERT_NO_NUMBER(stepping, "not in /proc/cpuinfo");
    ASSERT_NO_NUMBER(memory_bytes, "not in /proc/meminfo");
    ASSERT_UNKNOWN(distribution, "no /etc/os-release names it");
    ASSERT_NO_NUMBER(cpus_online, "the system does not tell");
    ASSERT_NO_NUMBER(nominal_hz, "the system does not tell");
    machine_finish(&m);
}

static void a_core_that_does_not_count_itself_is_not_believed(void **state)
{
    (void)state;
    static const char *const bad[] = {"1\n", "", "x\n", "0-\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const struct file files[] = {{"/sys/devices/system/cpu/cpu0/topology/thread_siblings_list", bad[i]}, {NULL, NULL}};
        struct machine m = {.files = files, .cpus = 4, .threads = 2};
        struct identity id = machine_identify(&m, IDENTITY_QUICK);
        ASSERT_NO_NUMBER(cores, "the system does not tell");
        assert_no_number("class", id.classes[0].cores, "the system does not tell");
        machine_finish(&m);
    }
}

static void distributions_may_quote_their_name(void **state)
{
    (void)state;
    static const struct {
        const char *file, *name;
    } cases[] = {
        {"PRETTY_NAME=Alpine\n", "Alpine"},
        {"PRETTY_NAME='Arch Linux'\n", "Arch Linux"},
        {"NAME=plain\nPRETTY_NAME=\"a \\\"quoted\\\" \\$name\"\n", "a \"quoted\" $name"},
        {"NAME=\"only this\"", "only this"},
        {"PRETTY_NAME=\"open\n", "\"open"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct file files[] = {{"/etc/os-release", cases[i].file}, {NULL, NULL}};
        struct machine m = {.files = files};
        struct identity id = machine_identify(&m, IDENTITY_QUICK);
        ASSERT_TEXT(distribution, cases[i].name);
        machine_finish(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dothan_is_named),
        cmocka_unit_test(the_stepping_tells_kaby_lake_from_coffee_lake),
        cmocka_unit_test(a_real_sapphire_rapids_is_certain),
        cmocka_unit_test(a_sapphire_rapids_masked_as_rocket_lake_is_seen_through),
        cmocka_unit_test(what_is_missing_keeps_a_name_from_being_certain),
        cmocka_unit_test(zen_is_told_by_family_and_model),
        cmocka_unit_test(the_instruction_tells_brand_frequency_and_hypervisor),
        cmocka_unit_test(every_hypervisor_has_its_signature),
        cmocka_unit_test(kvm_is_seen_behind_the_language_of_hyper_v),
        cmocka_unit_test(a_translator_is_no_processor),
        cmocka_unit_test(a_made_up_processor_is_not_believed),
        cmocka_unit_test(a_cache_of_another_size_is_said),
        cmocka_unit_test(a_program_for_another_processor_is_translated),
        cmocka_unit_test(firmware_names_a_hypervisor_that_hides_its_bit),
        cmocka_unit_test(the_device_tree_names_a_hypervisor),
        cmocka_unit_test(two_sorts_of_core_that_nobody_tells_apart_are_not_named),
        cmocka_unit_test(an_instruction_that_lies_about_its_leaves_is_survived),
        cmocka_unit_test(arm_cores_are_named_by_their_register),
        cmocka_unit_test(an_apple_m1_has_two_sorts_of_core),
        cmocka_unit_test(an_arm_core_that_is_not_known_says_its_numbers),
        cmocka_unit_test(a_hybrid_alder_lake_has_cores_of_two_kinds),
        cmocka_unit_test(a_small_virtual_machine_is_known_whole),
        cmocka_unit_test(large_machines_are_counted_without_asking_every_cpu),
        cmocka_unit_test(offline_holes_are_neither_cores_nor_cpus),
        cmocka_unit_test(lists_that_overlap_or_leave_out_make_no_cpu_twice),
        cmocka_unit_test(a_system_that_tells_nothing_is_unknown_with_reasons),
        cmocka_unit_test(without_sys_the_cpus_are_counted_in_cpuinfo),
        cmocka_unit_test(malformed_files_are_no_values),
        cmocka_unit_test(a_core_that_does_not_count_itself_is_not_believed),
        cmocka_unit_test(distributions_may_quote_their_name),
    };
    return cmocka_run_group_tests_name("identity", tests, NULL, NULL);
}
