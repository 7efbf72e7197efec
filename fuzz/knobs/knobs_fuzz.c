/* SPDX-License-Identifier: MIT
 *
 * Any content of any file that a look at the machine reads: each knob has its row, settings name paths and lie in the order of writing, and masks come back as
 * they were read. A line of the input is one file: a character that says which ('0' the first of the list), and its content, in which '~' is a newline.
 */
#include "cpu_list.h"
#include "fake.h"
#include "fake_state.h"
#include "knob.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const paths[] = {
    "/sys/devices/system/cpu/online",
    "/sys/devices/system/cpu/present",
    "/sys/devices/system/cpu/isolated",
    "/sys/devices/system/cpu/nohz_full",
    "/sys/devices/system/cpu/cpu1/topology/thread_siblings_list",
    "/sys/devices/system/cpu/cpu1/cpufreq/scaling_driver",
    "/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor",
    "/sys/devices/system/cpu/cpu1/cpufreq/scaling_available_governors",
    "/sys/devices/system/cpu/cpu1/cpufreq/scaling_available_frequencies",
    "/sys/devices/system/cpu/cpu1/cpufreq/energy_performance_preference",
    "/sys/devices/system/cpu/cpu1/cpufreq/scaling_min_freq",
    "/sys/devices/system/cpu/cpu1/cpufreq/scaling_max_freq",
    "/sys/devices/system/cpu/cpu1/cpufreq/related_cpus",
    "/sys/devices/system/cpu/cpu1/acpi_cppc/nominal_freq",
    "/sys/devices/system/cpu/intel_pstate/no_turbo",
    "/sys/devices/system/cpu/cpu1/cpuidle/state0/latency",
    "/sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count",
    "/sys/devices/system/clocksource/clocksource0/current_clocksource",
    "/sys/devices/virtual/workqueue/cpumask",
    "/sys/kernel/mm/transparent_hugepage/enabled",
    "/sys/fs/cgroup/cgroup.controllers",
    "/sys/fs/cgroup/tare/cpuset.cpus",
    "/sys/fs/cgroup/tare/cpuset.cpus.partition",
    "/sys/class/power_supply/x/type",
    "/proc/cmdline",
    "/proc/cpuinfo",
    "/proc/interrupts",
    "/proc/irq/9/smp_affinity",
    "/proc/irq/default_smp_affinity",
    "/proc/loadavg",
    "/proc/meminfo",
    "/proc/self/cgroup",
    "/proc/self/mountinfo",
    "/proc/self/status",
    "/proc/stat",
    "/proc/uptime",
    "/proc/77/comm",
    "/proc/sys/kernel/sched_rt_runtime_us",
};
enum { PATHS = sizeof paths / sizeof *paths };

static int count_knobs(bool windows)
{
    int n = 0;
    for (int i = 0; knob_at(i); i++)
        n += knob_at(i)->windows == windows;
    return n;
}

static void check_look(void)
{
    const struct system_root root = {.path = ""};
    struct arena a = {0};
    struct look l;
    enum tare_status status = look_at_machine(&l, &root, NULL, &a, NULL);
    assert(status == TARE_OK || status == TARE_UNSUPPORTED);
    assert(status || (l.n_rows == count_knobs(l.windows) && cpu_list_next(&l.bench, 0) >= 0));
    for (int i = 0; !status && i < l.n_rows; i++)
        assert(!strpbrk(l.rows[i].value, "\x1b\n") && (l.rows[i].state == KNOB_OK || *l.rows[i].why));
    for (int i = 0; !status && i < l.n_settings; i++)
        assert(l.settings[i].path[0] == '/' && (!i || l.settings[i - 1].stage <= l.settings[i].stage));
    arena_finish(&a);
}

static void check_mask(const char *text)
{
    struct cpu_list cpus, again;
    int groups, more;
    struct buf b = BUF_INIT(1 << 20);
    if (!cpu_mask_parse(&cpus, &groups, text)) {
        cpu_mask_write(&b, &cpus, groups);
        assert(!cpu_mask_parse(&again, &more, buf_text(&b)) && more == groups && !memcmp(&cpus, &again, sizeof cpus));
        assert(setting_holds(FORM_MASK, text, buf_text(&b)));
    }
    buf_finish(&b);
    for (int form = FORM_TEXT; form <= FORM_SWITCH; form++)
        setting_holds((enum setting_form)form, text, text);
}

static void lay_out(struct fake_canned *files, char *text)
{
    struct fake_state *w = fake_state();
    w->script.files = NULL;
    for (char *line = text; line;) {
        char *end = strchr(line, '\n');
        if (end)
            *end = 0;
        int which = *line - '0';
        if (which >= 0 && which < PATHS) {
            for (char *p = line + 1; *p; p++)
                *p = *p == '~' ? '\n' : *p;
            check_mask(line + 1);
            bool taken = files[which].path;
            files[which] = (struct fake_canned){
                .next = taken ? files[which].next : w->script.files, .path = paths[which], .text = {line + 1, strlen(line + 1)}};
            if (!taken)
                w->script.files = &files[which];
        }
        line = end ? end + 1 : NULL;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct fake_canned files[PATHS];
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = 0;
    assert(!fake_script_set("", NULL));
    memset(files, 0, sizeof files);
    lay_out(files, text);
    check_look();
    fake_state()->script.files = NULL;
    free(text);
    return 0;
}
