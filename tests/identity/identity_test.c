/* SPDX-License-Identifier: MIT
 *
 * Who processors and machines are: real and masked signatures, hypervisors that show themselves, hide or lie.
 */
#include "expected.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

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
    struct identity id = machine_identify(&m);
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
    ASSERT_NO_NUMBER(cpus_online, "the system does not say");
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
        struct identity id = machine_identify(&m);
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
    struct identity id = machine_identify(&m);
    ASSERT_TEXT(hypervisor.name, "KVM");
    machine_finish(&m);
}

static void a_translator_is_no_processor(void **state)
{
    (void)state;
    struct leaf leaves[] = {xeon[0], xeon[1], {0x40000000, 0, {1, 0, 0, 0}}, {0, 0, {0}}};
    memcpy(&leaves[2].regs[1], "TCGTCGTCGTCG", 12);
    struct machine m = {.leaves = leaves};
    struct identity id = machine_identify(&m);
    assert_confidence(&id, IDENTITY_MASKED);
    assert_says(id.name.reasoning, "QEMU translates");
    machine_finish(&m);
}

static void a_made_up_processor_is_not_believed(void **state)
{
    (void)state;
    struct machine m = {.cpus = 1,
                        .files = cpuinfo("GenuineIntel", 15, 6, 1, "Common KVM processor", "fpu pni ssse3 hypervisor")};
    struct identity id = machine_identify(&m);
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
    struct identity id = machine_identify(&m);
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
    id = machine_identify(&m);
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
        struct identity id = machine_identify(&m);
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
        struct identity id = machine_identify(&m);
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
    struct identity id = machine_identify(&m);
    ASSERT_TEXT(name.name, "Alder Lake");
    assert_unknown("class", id.classes[0].name, "there are two sorts of core, and the system does not say which CPU is which");
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
        struct identity id = machine_identify(&m);
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
        struct identity id = machine_identify(&m);
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
    struct identity id = machine_identify(&m);
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
    struct identity id = machine_identify(&m);
    assert_confidence(&id, IDENTITY_UNKNOWN);
    assert_string_equal(id.name.reasoning, "part 0xfff of implementer 0x41 is in no table");
    machine_finish(&m);
    static const struct file registers[] = {{"/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "0x00000000413fd0c1\n"},
                                            {NULL, NULL}};
    m = (struct machine){.files = registers, .cpus = 1, .architecture = "aarch64"};
    id = machine_identify(&m);
    ASSERT_TEXT(name.name, "Neoverse N1");
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
    struct identity id = machine_identify(&m);
    ASSERT_TEXT(distribution, "Debian GNU/Linux 12 (bookworm)");
    ASSERT_NUMBER(memory_bytes, 2048 * 1024);
    ASSERT_NUMBER(cpus_online, 2);
    ASSERT_NUMBER(cores, 2);
    ASSERT_NUMBER(packages, 1);
    ASSERT_NUMBER(numa_nodes, 1);
    machine_finish(&m);
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
        cmocka_unit_test(a_small_virtual_machine_is_known_whole),
    };
    return cmocka_run_group_tests_name("identity", tests, NULL, NULL);
}
