/* SPDX-License-Identifier: MIT
 *
 * What `pyperf system` says it checks and sets (its doc/system.rst, "Operations and checks", read on 2026-11-21): each, on a machine that has it in the state which that page
 * complains of, is a row of ours that complains too, and no longer once it is as that page wants it. pyperf has no copied machines of its own to be replayed: its test of
 * `system` runs show on the machine that it is on.
 */
#include "knob.h"
#include "machine_tree.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define CPUFREQ "/sys/devices/system/cpu/cpu#/cpufreq/" /* '#': each of the four CPUs */

struct file {
    const char *path, *content;
};

enum { FILES = 5 };

struct check {
    const char *peer, *id; /* its name there, and here */
    struct file bad[FILES], good[FILES];
};

/* CPU 2 is measured on and CPU 0, on the same core, kept idle: 1 and 3 are for the rest. */
static const struct check checks[] = {
    {"CPU scaling governor",
     "governor",
     {{CPUFREQ "scaling_governor", "powersave\n"}},
     {{CPUFREQ "scaling_governor", "performance\n"}}},
    {"CPU Frequency",
     "frequency-limits",
     {{CPUFREQ "scaling_min_freq", "800000\n"}, {CPUFREQ "scaling_max_freq", "3200000\n"}},
     {{CPUFREQ "scaling_min_freq", "3200000\n"}, {CPUFREQ "scaling_max_freq", "3200000\n"}}},
    {"IRQ affinity",
     "irq-affinity",
     {{"/proc/irq/8/smp_affinity", "f\n"}},
     {{"/proc/irq/default_smp_affinity", "a\n"}, {"/proc/irq/8/smp_affinity", "a\n"}, {"/proc/irq/27/smp_affinity", "a\n"}}},
    {"Power supply",
     "power",
     {{"/sys/class/power_supply/AC/type", "Mains\n"}, {"/sys/class/power_supply/AC/online", "0\n"}},
     {{"/sys/class/power_supply/AC/type", "Mains\n"}, {"/sys/class/power_supply/AC/online", "1\n"}}},
    {"Turbo Boost (intel_pstate driver)",
     "turbo",
     {{"/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n"}},
     {{"/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n"}}},
    {"ASLR", "aslr", {{"/proc/sys/kernel/randomize_va_space", "0\n"}}, {{"/proc/sys/kernel/randomize_va_space", "2\n"}}},
    {"ASLR, in part", "aslr", {{"/proc/sys/kernel/randomize_va_space", "1\n"}}, {{"/proc/sys/kernel/randomize_va_space", "2\n"}}},
    /* There the one is never to be with the other; here they may be where the callbacks are off these CPUs too, which is what went wrong. */
    {"Check nohz_full",
     "timer-tick",
     {{"/sys/devices/system/cpu/nohz_full", "0,2\n"}, {"/proc/cmdline", "root=/dev/sda1 nohz_full=0,2\n"}},
     {{"/sys/devices/system/cpu/nohz_full", "0,2\n"}, {"/proc/cmdline", "root=/dev/sda1 nohz_full=0,2 rcu_nocbs=0,2\n"}}},
    {"Linux scheduler: isolcpus",
     "isolation",
     {{"/sys/devices/system/cpu/isolated", "\n"}},
     {{"/sys/devices/system/cpu/isolated", "0,2\n"}, {"/proc/cmdline", "root=/dev/sda1 isolcpus=0,2\n"}}},
    {"Linux scheduler: rcu_nocbs",
     "rcu-callbacks",
     {{"/sys/devices/system/cpu/isolated", "0,2\n"}, {"/proc/cmdline", "root=/dev/sda1 isolcpus=0,2\n"}},
     {{"/sys/devices/system/cpu/isolated", "0,2\n"}, {"/proc/cmdline", "root=/dev/sda1 isolcpus=0,2 rcu_nocbs=0,2\n"}}},
};

static void put(const char *folder, const struct file *f)
{
    const char *each = strchr(f->path, '#');
    if (!each)
        tree_put(folder, f->path, f->content);
    for (int cpu = 0; each && cpu < 4; cpu++) {
        char path[256];
        snprintf(path, sizeof path, "%.*s%d%s", (int)(each - f->path), f->path, cpu, each + 1);
        tree_put(folder, path, f->content);
    }
}

/* The row of this id on the desktop of trees/, with these files; its value and reason lie in the arena. */
static struct knob_row row_with(const char *id, const struct file *files, int n, const char *without, struct arena *a)
{
    char *folder = tree_make(TESTS_DIR "/trees/intel-hwp.tree");
    const struct system_root root = {.path = folder};
    struct wishes w = {.frequency = FREQUENCY_BASE};
    struct look l;
    struct tare_err err = {.text = ""};
    cpu_list_add(&w.cpus, 2);
    for (int i = 0; i < n && files[i].path; i++)
        put(folder, &files[i]);
    if (without) {
        char path[512];
        snprintf(path, sizeof path, "%s%s", folder, without);
        assert_int_equal(remove(path), 0);
    }
    if (look_at_machine(&l, &root, &w, a, &err))
        fail_msg("%s", err.text);
    tree_remove(folder);
    for (int i = 0; i < l.n_rows; i++)
        if (!strcmp(l.rows[i].knob->id, id))
            return l.rows[i];
    fail_msg("no row %s", id);
    return l.rows[0];
}

static void what_pyperf_complains_of_is_noisy_here_and_what_it_wants_is_well(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        const struct check *c = &checks[i];
        struct arena a = {0};
        struct knob_row bad = row_with(c->id, c->bad, FILES, NULL, &a), good = row_with(c->id, c->good, FILES, NULL, &a);
        if (bad.state != KNOB_NOISY || good.state != KNOB_OK)
            fail_msg("%s: %s (%s) and %s (%s)", c->peer, knob_state_text(bad.state), bad.value, knob_state_text(good.state),
                     good.value);
        arena_finish(&a);
    }
}

/* "Turbo Boost (MSR)": tare does not write such registers, and says where the switch is. */
static void turbo_that_only_a_register_tells_of_is_named(void **state)
{
    (void)state;
    struct arena a = {0};
    struct knob_row row = row_with("turbo", NULL, 0, "/sys/devices/system/cpu/intel_pstate/no_turbo", &a);
    assert_int_equal(row.state, KNOB_UNKNOWN);
    assert_non_null(strstr(row.why, "MSR 1A0H"));
    arena_finish(&a);
}

/* "Perf event": a rate costs nothing unless somebody samples, so it is told and not complained of. */
static void the_rate_of_perf_events_is_told(void **state)
{
    (void)state;
    struct arena a = {0};
    const struct file rate = {"/proc/sys/kernel/perf_event_max_sample_rate", "50000\n"};
    struct knob_row row = row_with("perf-rate", &rate, 1, NULL, &a);
    assert_int_equal(row.state, KNOB_OK);
    assert_non_null(strstr(row.value, "50000"));
    arena_finish(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_pyperf_complains_of_is_noisy_here_and_what_it_wants_is_well),
        cmocka_unit_test(turbo_that_only_a_register_tells_of_is_named),
        cmocka_unit_test(the_rate_of_perf_events_is_told),
    };
    return cmocka_run_group_tests_name("checks of a peer", tests, NULL, NULL);
}
