/* SPDX-License-Identifier: MIT
 *
 * How many and of which sort: two sorts of core, thousands of CPUs, holes, and systems that tell nothing or nonsense.
 */
#include "expected.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

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
    struct identity id = machine_identify(&m);
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

static void large_machines_are_counted_without_asking_every_cpu(void **state)
{
    (void)state;
    static const struct {
        int cpus, threads, packages;
        enum siblings siblings;
    } cases[] = {
        {96, 2, 2, SIBLINGS_FAR},   {96, 1, 1, SIBLINGS_ADJACENT},    {256, 2, 2, SIBLINGS_ADJACENT},
        {2048, 2, 8, SIBLINGS_FAR}, {2048, 8, 16, SIBLINGS_ADJACENT}, {8192, 2, 32, SIBLINGS_ADJACENT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine m = {
            .cpus = cases[i].cpus, .threads = cases[i].threads, .packages = cases[i].packages, .siblings = cases[i].siblings};
        struct identity id = machine_identify(&m);
        ASSERT_NUMBER(cpus_online, cases[i].cpus);
        ASSERT_NUMBER(cores, cases[i].cpus / cases[i].threads);
        ASSERT_NUMBER(threads_per_core, cases[i].threads);
        ASSERT_NUMBER(packages, cases[i].packages);
        if (m.reads > 200)
            fail_msg("%d CPUs took %d reads", cases[i].cpus, m.reads);
        machine_finish(&m);
    }
}

static void offline_holes_are_neither_cores_nor_cpus(void **state)
{
    (void)state;
    struct machine m = {.cpus = 8, .threads = 2, .offline = "1,4-5"};
    struct identity id = machine_identify(&m);
    ASSERT_NUMBER(cpus_online, 5);
    ASSERT_NUMBER(cpus_possible, 8);
    ASSERT_NUMBER(cpus_offline, 3);
    ASSERT_TEXT(online, "0,2-3,6-7");
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
    struct identity id = machine_identify(&m);
    assert_int_equal(id.n_classes, 3);
    assert_int_equal(id.classes[0].n_cpus, 4);
    assert_int_equal(id.classes[1].n_cpus, 2);
    assert_int_equal(id.classes[2].n_cpus, 2);
    ASSERT_NUMBER(cores, 8);
    machine_finish(&m);
    const struct file same[] = {
        {"/proc/cpuinfo", text}, {"/sys/devices/cpu_core/cpus", "0-7\n"}, {"/sys/devices/cpu_atom/cpus", "4-7\n"}, {NULL, NULL}};
    m = (struct machine){.files = same, .cpus = 8};
    id = machine_identify(&m);
    assert_int_equal(id.n_classes, 1);
    assert_null(id.classes[0].kind);
    machine_finish(&m);
}

/* ---- systems that tell nothing, or nonsense ---- */

static void a_system_that_tells_nothing_is_unknown_with_reasons(void **state)
{
    (void)state;
    struct machine m = {.architecture = "riscv64"};
    struct identity id = machine_identify(&m);
    ASSERT_TEXT(os, "Linux");
    ASSERT_TEXT(architecture, "riscv64");
    ASSERT_UNKNOWN(vendor, "not in /proc/cpuinfo");
    ASSERT_UNKNOWN(name.name, "the system does not say");
    assert_confidence(&id, IDENTITY_UNKNOWN);
    assert_string_equal(id.name.reasoning, "neither CPUID nor /proc/cpuinfo names the processor");
    assert_int_equal(id.hypervisor.state, HYPERVISOR_UNKNOWN);
    ASSERT_NO_NUMBER(cpus_online, "the system does not say");
    ASSERT_NO_NUMBER(cores, "the system does not say");
    ASSERT_NO_NUMBER(numa_nodes, "the kernel does not report memory nodes");
    ASSERT_NO_NUMBER(memory_bytes, "not in /proc/meminfo");
    assert_int_equal(id.n_classes, 0);
    assert_int_equal(id.n_caches, 0);
    assert_string_equal(id.caches_unknown, "the system does not say");
    machine_finish(&m);
}

static void without_sys_the_cpus_are_counted_in_cpuinfo(void **state)
{
    (void)state;
    static const struct file files[] = {
        {"/proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\n\nprocessor\t: 3\n\nprocessor : x\n"}, {NULL, NULL}};
    struct machine m = {.files = files};
    struct identity id = machine_identify(&m);
    ASSERT_NUMBER(cpus_online, 2);
    ASSERT_TEXT(online, "0,3");
    ASSERT_NO_NUMBER(cores, "the system does not say");
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
    struct identity id = machine_identify(&m);
    ASSERT_UNKNOWN(vendor, "not in /proc/cpuinfo");
    ASSERT_NO_NUMBER(family, "not in /proc/cpuinfo");
    ASSERT_NO_NUMBER(model, "not in /proc/cpuinfo");
    ASSERT_NO_NUMBER(stepping, "not in /proc/cpuinfo");
    ASSERT_NO_NUMBER(memory_bytes, "not in /proc/meminfo");
    ASSERT_UNKNOWN(distribution, "no /etc/os-release names it");
    ASSERT_NO_NUMBER(cpus_online, "the system does not say");
    ASSERT_NO_NUMBER(nominal_hz, "the system does not say");
    machine_finish(&m);
}

static void a_core_that_does_not_count_itself_is_not_believed(void **state)
{
    (void)state;
    static const char *const bad[] = {"1\n", "", "x\n", "0-\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const struct file files[] = {{"/sys/devices/system/cpu/cpu0/topology/thread_siblings_list", bad[i]}, {NULL, NULL}};
        struct machine m = {.files = files, .cpus = 4, .threads = 2};
        struct identity id = machine_identify(&m);
        ASSERT_NO_NUMBER(cores, "the system does not say");
        assert_no_number("class", id.classes[0].cores, "the system does not say");
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
        struct identity id = machine_identify(&m);
        ASSERT_TEXT(distribution, cases[i].name);
        machine_finish(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hybrid_alder_lake_has_cores_of_two_kinds),
        cmocka_unit_test(large_machines_are_counted_without_asking_every_cpu),
        cmocka_unit_test(offline_holes_are_neither_cores_nor_cpus),
        cmocka_unit_test(lists_that_overlap_or_leave_out_make_no_cpu_twice),
        cmocka_unit_test(a_system_that_tells_nothing_is_unknown_with_reasons),
        cmocka_unit_test(without_sys_the_cpus_are_counted_in_cpuinfo),
        cmocka_unit_test(malformed_files_are_no_values),
        cmocka_unit_test(a_core_that_does_not_count_itself_is_not_believed),
        cmocka_unit_test(distributions_may_quote_their_name),
    };
    return cmocka_run_group_tests_name("identity_count", tests, NULL, NULL);
}
