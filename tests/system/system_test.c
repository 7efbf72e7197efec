/* SPDX-License-Identifier: MIT
 *
 * The machine's facts from canned /proc and /sys: whole, absent, denied and malformed.
 */
#include "fake.h"
#include "journal.h"
#include "machine.h"
#include "plat.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void play(const char *script)
{
    struct tare_err err = {{0}};
    if (fake_script_set(script, &err))
        fail_msg("%s", err.text);
}

static struct record identity(const char *script)
{
    struct record r;
    record_init(&r);
    play(script);
    assert_int_equal(machine_identity(&r, &r.machine), TARE_OK);
    return r;
}

static struct record conditions(const char *script)
{
    struct record r;
    record_init(&r);
    play(script);
    assert_int_equal(machine_conditions(&r, &r.before), TARE_OK);
    return r;
}

static const struct fact *fact(const struct facts *f, const char *key)
{
    const struct fact *found = facts_find(f, key);
    if (!found)
        fail_msg("no fact %s", key);
    return found;
}

static void assert_text(const struct facts *f, const char *key, const char *expected)
{
    const struct fact *k = fact(f, key);
    if (!k->text || strcmp(k->text, expected))
        fail_msg("%s: '%s' (%g), expected '%s'", key, k->text ? k->text : "(null)", k->number, expected);
    assert_null(k->reason);
}

static void assert_number(const struct facts *f, const char *key, double expected)
{
    const struct fact *k = fact(f, key);
    if (k->text || k->number != expected)
        fail_msg("%s: %.17g ('%s', %s), expected %.17g", key, k->number, k->text ? k->text : "(null)",
                 k->reason ? k->reason : "known", expected);
    assert_null(k->reason);
}

static void assert_unknown(const struct facts *f, const char *key, const char *reason)
{
    const struct fact *k = fact(f, key);
    if (k->text || !isnan(k->number) || !k->reason || strcmp(k->reason, reason))
        fail_msg("%s: '%s', %g, reason '%s', expected '%s'", key, k->text ? k->text : "(null)", k->number,
                 k->reason ? k->reason : "(null)", reason);
}

static const char *const condition_keys[] = {
    "cpus_allowed",        "governor",      "frequency_khz", "intel_no_turbo",        "cpufreq_boost",
    "smt_active",          "isolated_cpus", "clocksource",   "transparent_hugepages", "address_randomisation",
    "perf_event_paranoid", "load_average",  "steal_ticks"};
enum { IDENTITY = 38 }; /* facts of a machine with one sort of core */
enum { CONDITIONS = sizeof condition_keys / sizeof *condition_keys };

/* ---- identity ---- */

static void a_pc_tells_who_it_is(void **state)
{
    (void)state;
    struct record r = identity("uname Linux 6.1.0-28-amd64 \"#1 SMP\" x86_64\n"
                               "file /proc/cpuinfo \"processor\\t: 0\\nvendor_id\\t: GenuineIntel\\ncpu family\\t: 6\\n"
                               "model\\t\\t: 85\\nmodel name\\t: Intel(R) Xeon(R) @ 2.50GHz\\nstepping\\t: 7\\n"
                               "flags\\t\\t: fpu vme rdrand hypervisor lahf_lm\\n\\n"
                               "processor\\t: 1\\nmodel\\t\\t: 86\\nmodel name\\t: another\\n\"\n"
                               "file /proc/meminfo \"MemTotal:       16384256 kB\\nMemFree:  12 kB\\n\"\n");
    const struct facts *f = &r.machine;
    assert_text(f, "os", "Linux");
    assert_text(f, "kernel", "6.1.0-28-amd64");
    assert_text(f, "architecture", "x86_64");
    assert_text(f, "cpu_brand", "Intel(R) Xeon(R) @ 2.50GHz");
    assert_text(f, "cpu_family", "6");
    assert_text(f, "cpu_model", "85");
    assert_text(f, "cpu_stepping", "7");
    assert_text(f, "virtual_machine", "yes");
    assert_unknown(f, "hypervisor", "only the flag in /proc/cpuinfo is seen");
    assert_number(f, "memory_bytes", 16384256.0 * 1024);
    assert_text(f, "cpu_vendor", "GenuineIntel");
    assert_text(f, "cpu_signature", "0x00050657");
    assert_text(f, "cpu_code_name", "Cascade Lake");
    assert_text(f, "cpu_microarchitecture", "Skylake");
    assert_text(f, "cpu_code_name_confidence", "likely");
    assert_number(f, "nominal_hz", 2500000000);
    assert_int_equal(f->n, IDENTITY); /* nothing that changes with a reboot or a rename */
    record_finish(&r);
    r = identity("file /proc/cpuinfo \"flags\\t\\t: fpu vme\\n\"\n");
    assert_text(&r.machine, "virtual_machine", "not seen");
    record_finish(&r);
}

static void cores_caches_and_nodes_are_facts(void **state)
{
    (void)state;
    struct record r = identity("file /sys/devices/system/cpu/online \"0-1\\n\"\n"
                               "file /sys/devices/system/cpu/present \"0-3\\n\"\n"
                               "file /sys/devices/system/cpu/cpu0/topology/thread_siblings_list \"0-1\\n\"\n"
                               "file /sys/devices/system/cpu/cpu0/topology/package_cpus_list \"0-1\\n\"\n"
                               "file /sys/devices/system/cpu/cpu0/cache/index2/level \"2\\n\"\n"
                               "file /sys/devices/system/cpu/cpu0/cache/index2/type \"Unified\\n\"\n"
                               "file /sys/devices/system/cpu/cpu0/cache/index2/size \"1024K\\n\"\n"
                               "file /sys/devices/system/cpu/cpu0/cache/index2/coherency_line_size \"64\\n\"\n"
                               "file /sys/devices/system/node/online \"0\\n\"\n");
    const struct facts *f = &r.machine;
    assert_number(f, "cpus_online", 2);
    assert_text(f, "cpus_online_list", "0-1");
    assert_number(f, "cpus_offline", 2);
    assert_number(f, "cores", 1);
    assert_number(f, "threads_per_core", 2);
    assert_number(f, "packages", 1);
    assert_text(f, "caches", "L2 1 MiB");
    assert_number(f, "l2_bytes", 1048576);
    assert_unknown(f, "l3_bytes", "there is none");
    assert_number(f, "cache_line_bytes", 64);
    assert_number(f, "numa_nodes", 1);
    assert_null(facts_find(f, "cpu_classes"));
    record_finish(&r);
}

static void two_sorts_of_core_are_one_fact(void **state)
{
    (void)state;
    struct record r = identity("file /sys/devices/system/cpu/online \"0-3\\n\"\n"
                               "file /sys/devices/system/cpu/smt/active \"0\\n\"\n"
                               "file /sys/devices/system/cpu/cpu0/topology/thread_siblings_list \"0\\n\"\n"
                               "file /proc/cpuinfo \"vendor_id\\t: GenuineIntel\\ncpu family\\t: 6\\nmodel\\t: 151\\n"
                               "stepping\\t: 2\\nflags\\t: fpu\\n\"\n"
                               "file /sys/devices/cpu_core/cpus \"0-1\\n\"\nfile /sys/devices/cpu_atom/cpus \"2-3\\n\"\n"
                               "file /sys/devices/system/cpu/cpu0/cache/index0/level \"1\\n\"\n"
                               "file /sys/devices/system/cpu/cpu0/cache/index0/type \"Data\\n\"\n"
                               "file /sys/devices/system/cpu/cpu0/cache/index0/size \"48K\\n\"\n"
                               "file /sys/devices/system/cpu/cpu2/cache/index3/level \"2\\n\"\n"
                               "file /sys/devices/system/cpu/cpu2/cache/index3/type \"Unified\\n\"\n"
                               "file /sys/devices/system/cpu/cpu2/cache/index3/size \"2M\\n\"\n"
                               "file /sys/devices/system/cpu/cpu2/cache/index3/shared_cpu_list \"2-3\\n\"\n");
    assert_text(&r.machine, "caches", "L1d 48 KiB; efficient: L2 2 MiB of 2 CPUs");
    assert_text(&r.machine, "cpu_classes", "performance 0-1, 2 cores, Golden Cove; efficient 2-3, 2 cores, Gracemont");
    assert_number(&r.machine, "cores", 4);
    record_finish(&r);
}

static void another_processor_leaves_out_what_it_does_not_have(void **state)
{
    (void)state;
    struct record r = identity("file /proc/cpuinfo \"processor\\t: 0\\nmodel name\\t: ARMv7 Processor rev 4 (v7l)\\n"
                               "Features\\t: half thumb\\nCPU part\\t: 0xd03\\n\"\n");
    assert_text(&r.machine, "cpu_brand", "ARMv7 Processor rev 4 (v7l)");
    assert_unknown(&r.machine, "cpu_model", "not in /proc/cpuinfo"); /* 'model name' is another key */
    assert_unknown(&r.machine, "cpu_family", "not in /proc/cpuinfo");
    assert_unknown(&r.machine, "virtual_machine", "neither the processor nor the firmware could be asked");
    record_finish(&r);
}

static void without_proc_the_machine_is_unknown_with_reasons(void **state)
{
    (void)state;
    static const char *const scripts[] = {"", "file /proc/cpuinfo denied\nfile /proc/meminfo denied\n",
                                          "file /proc/cpuinfo \"\"\nfile /proc/meminfo \"\"\n"};
    for (int i = 0; i < 3; i++) {
        struct record r = identity(scripts[i]);
        assert_text(&r.machine, "os", "fake");
        assert_unknown(&r.machine, "cpu_brand", "not in /proc/cpuinfo");
        assert_unknown(&r.machine, "cpu_stepping", "not in /proc/cpuinfo");
        assert_unknown(&r.machine, "virtual_machine", "neither the processor nor the firmware could be asked");
        assert_unknown(&r.machine, "memory_bytes", "not in /proc/meminfo");
        assert_int_equal(r.machine.n, IDENTITY);
        record_finish(&r);
    }
}

static void malformed_identity_is_unknown_and_never_a_guess(void **state)
{
    (void)state;
    static const char *const memory[] = {"MemTotal:",
                                         "MemTotal: \\n",
                                         "MemTotal: many kB\\n",
                                         "MemTotal: 12\\n",
                                         "MemTotal: 12 MB\\n",
                                         "MemTotal: 12 kBit\\n",
                                         "MemTotal: inf kB\\n",
                                         "MemTotal: nan kB\\n",
                                         "MemTotalX: 12 kB\\n",
                                         "Mem",
                                         "\\n\\n"};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) {
        struct buf script = BUF_INIT(1000);
        buf_format(&script, "file /proc/meminfo \"%s\"\n", memory[i]);
        struct record r = identity(buf_text(&script));
        assert_unknown(&r.machine, "memory_bytes", "not in /proc/meminfo");
        record_finish(&r);
        buf_finish(&script);
    }
    struct record r = identity("file /proc/cpuinfo \"model name\\t: \\nmodel\\ncpu family 6\\nstepping\\t:3\"\n");
    assert_unknown(&r.machine, "cpu_brand", "not in /proc/cpuinfo");
    assert_unknown(&r.machine, "cpu_model", "not in /proc/cpuinfo");
    assert_unknown(&r.machine, "cpu_family", "not in /proc/cpuinfo");
    assert_text(&r.machine, "cpu_stepping", "3"); /* the last line needs no newline */
    record_finish(&r);
}

static void memory_may_be_the_last_line_without_a_newline(void **state)
{
    (void)state;
    struct record r = identity("file /proc/meminfo \"MemTotal:\\t8 kB\"\n");
    assert_number(&r.machine, "memory_bytes", 8192);
    record_finish(&r);
}

/* ---- conditions ---- */

#define CPU "/sys/devices/system/cpu/"

static void what_the_system_tells_is_in_the_conditions(void **state)
{
    (void)state;
    struct record r = conditions("cpus 8\n"
                                 "file " CPU "cpu0/cpufreq/scaling_governor \"performance\\n\"\n"
                                 "file " CPU "cpu0/cpufreq/scaling_cur_freq \"2500000\\n\"\n"
                                 "file " CPU "intel_pstate/no_turbo \"1\\n\"\n"
                                 "file " CPU "cpufreq/boost \"0\\n\"\n"
                                 "file " CPU "smt/active \"1\\n\"\n"
                                 "file " CPU "isolated \"2-3\\n\"\n"
                                 "file /sys/devices/system/clocksource/clocksource0/current_clocksource \"tsc\\n\"\n"
                                 "file /sys/kernel/mm/transparent_hugepage/enabled \"always [madvise] never\\n\"\n"
                                 "file /proc/sys/kernel/randomize_va_space \"2\\n\"\n"
                                 "file /proc/sys/kernel/perf_event_paranoid \"-1\\n\"\n"
                                 "file /proc/loadavg \"0.10 0.20 0.30 1/100 12345\\n\"\n"
                                 "file /proc/stat \"cpu  1 2 3 4 5 6 7 89 10 11\\ncpu0 1 1 1 1 1 1 1 1\\n\"\n");
    const struct facts *f = &r.before;
    assert_number(f, "cpus_allowed", 8);
    assert_text(f, "governor", "performance");
    assert_number(f, "frequency_khz", 2500000);
    assert_number(f, "intel_no_turbo", 1);
    assert_number(f, "cpufreq_boost", 0);
    assert_number(f, "smt_active", 1);
    assert_text(f, "isolated_cpus", "2-3");
    assert_text(f, "clocksource", "tsc");
    assert_text(f, "transparent_hugepages", "always [madvise] never");
    assert_number(f, "address_randomisation", 2);
    assert_number(f, "perf_event_paranoid", -1);
    assert_text(f, "load_average", "0.10 0.20 0.30 1/100 12345");
    assert_number(f, "steal_ticks", 89);
    assert_int_equal(f->n, CONDITIONS);
    record_finish(&r);
}

static void without_files_every_condition_is_there_and_unknown(void **state)
{
    (void)state;
    struct record r = conditions("file /proc/loadavg denied\nfile " CPU "smt/active \"\"\n");
    assert_int_equal(r.before.n, CONDITIONS);
    for (int i = 0; i < CONDITIONS; i++) {
        assert_string_equal(r.before.items[i].key, condition_keys[i]);
        if (i > 0)
            assert_unknown(&r.before, condition_keys[i], i < CONDITIONS - 1 ? "the system does not say" : "no /proc/stat");
    }
    record_finish(&r);
}

static void a_file_without_isolated_processors_says_none(void **state)
{
    (void)state;
    struct record r = conditions("file " CPU "isolated \"\\n\"\n");
    assert_text(&r.before, "isolated_cpus", "");
    record_finish(&r);
}

static void what_is_no_number_is_unknown(void **state)
{
    (void)state;
    static const char *const bad[] = {"<unknown>\\n", "\\n", "12abc\\n", "nan\\n", "inf\\n", "1 2\\n", "-\\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct buf script = BUF_INIT(1000);
        buf_format(&script, "file " CPU "cpu0/cpufreq/scaling_cur_freq \"%s\"\n", bad[i]);
        struct record r = conditions(buf_text(&script));
        assert_unknown(&r.before, "frequency_khz", "not a number");
        record_finish(&r);
        buf_finish(&script);
    }
}

static void steal_needs_a_whole_first_line(void **state)
{
    (void)state;
    static const struct {
        const char *stat, *reason;
    } cases[] = {
        {"intr 1 2 3 4 5 6 7 8\\n", "no /proc/stat"},
        {"cpu0 1 2 3 4 5 6 7 8\\n", "no /proc/stat"},
        {"cpu  1 2 3 4 5 6 7\\ncpu0 8 9\\n", "not in /proc/stat"}, /* an old kernel: the next line is not ours */
        {"cpu  1 2 x 4 5 6 7 8\\n", "not in /proc/stat"},
        {"cpu ", "not in /proc/stat"},
        {"cp", "no /proc/stat"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf script = BUF_INIT(1000);
        buf_format(&script, "file /proc/stat \"%s\"\n", cases[i].stat);
        struct record r = conditions(buf_text(&script));
        assert_unknown(&r.before, "steal_ticks", cases[i].reason);
        record_finish(&r);
        buf_finish(&script);
    }
}

static void conditions_are_read_anew_each_time(void **state)
{
    (void)state;
    struct record r =
        conditions("file /proc/stat \"cpu  1 2 3 4 5 6 7 8\\n\"\nfile /proc/stat \"cpu  1 2 3 4 5 6 7 9\\n\" from 1s\n");
    plat_sleep_ns(2000000000);
    assert_int_equal(machine_conditions(&r, &r.after), TARE_OK);
    assert_number(&r.before, "steal_ticks", 8);
    assert_number(&r.after, "steal_ticks", 9);
    record_finish(&r);
}

/* ---- which boot this is ---- */

/* As after a reboot nobody would know that the changes are void. */
static void a_machine_without_a_boot_id_is_not_tuned(void **state)
{
    (void)state;
    static const struct system_root machine = {.path = ""};
    struct journal *j;
    struct tare_err err;
    struct buf place = BUF_INIT(256), file = BUF_INIT(256), text = BUF_INIT(1 << 16);
    assert_int_equal(plat_directory_private(&place, "tare-boot-", NULL), TARE_OK);
    buf_format(&file, "%s/journal", buf_text(&place));
    play("");
    assert_int_equal(journal_open(&j, buf_text(&place), &machine, &err), TARE_OK);
    assert_int_equal(journal_begin(j, &err), TARE_IO);
    assert_non_null(strstr(err.text, "boot_id cannot be read"));
    journal_close(j);
    assert_int_equal(plat_file_read(buf_text(&file), &text, NULL), TARE_NOT_FOUND);
    play("file /proc/sys/kernel/random/boot_id \"11111111-2222-3333-4444-555555555555\\n\"");
    assert_int_equal(journal_open(&j, buf_text(&place), &machine, &err), TARE_OK);
    assert_int_equal(journal_begin(j, &err), TARE_OK);
    journal_close(j);
    assert_int_equal(plat_file_read(buf_text(&file), &text, NULL), TARE_OK);
    assert_non_null(strstr(buf_text(&text), "11111111-2222"));
    assert_int_equal(plat_directory_remove(buf_text(&place), NULL), TARE_OK);
    buf_finish(&place);
    buf_finish(&file);
    buf_finish(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pc_tells_who_it_is),
        cmocka_unit_test(cores_caches_and_nodes_are_facts),
        cmocka_unit_test(two_sorts_of_core_are_one_fact),
        cmocka_unit_test(another_processor_leaves_out_what_it_does_not_have),
        cmocka_unit_test(without_proc_the_machine_is_unknown_with_reasons),
        cmocka_unit_test(malformed_identity_is_unknown_and_never_a_guess),
        cmocka_unit_test(memory_may_be_the_last_line_without_a_newline),
        cmocka_unit_test(what_the_system_tells_is_in_the_conditions),
        cmocka_unit_test(without_files_every_condition_is_there_and_unknown),
        cmocka_unit_test(a_file_without_isolated_processors_says_none),
        cmocka_unit_test(what_is_no_number_is_unknown),
        cmocka_unit_test(steal_needs_a_whole_first_line),
        cmocka_unit_test(conditions_are_read_anew_each_time),
        cmocka_unit_test(a_machine_without_a_boot_id_is_not_tuned),
    };
    return cmocka_run_group_tests_name("system", tests, NULL, NULL);
}
