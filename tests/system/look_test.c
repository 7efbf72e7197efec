/* SPDX-License-Identifier: MIT
 *
 * What is seen on other machines: a row for each knob, and the settings in the order of writing. trees/NAME.tree is the machine, trees/NAME.look what is
 * expected of it, made by hand from the table of docs/system.md; TARE_RERECORD=1 writes what is seen, to be read against the tree.
 */
#include "knob.h"
#include "machine_tree.h"
#include "plat.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- a look as text ---- */

static int knobs_known(const struct look *l)
{
    int n = 0;
    for (int i = 0; knob_at(i); i++)
        n += knob_at(i)->windows == l->windows;
    return n;
}

static void write_cpus(struct buf *b, const char *word, const struct cpu_list *cpus)
{
    buf_format(b, "%s ", word);
    cpu_list_write(b, cpus);
    buf_str(b, "\n");
}

static void write_setting(struct buf *b, const struct setting *s)
{
    static const char *const kinds[] = {"", "folder ", "held ", "tasks "};
    buf_format(b, "%s%s: ", kinds[s->kind], s->path);
    if (s->from)
        buf_format(b, "from %s: ", s->from);
    buf_format(b, "%s -> %s",
               !s->now                ? "(nothing)"
               : strcmp(s->now, "\n") ? s->now
                                      : "(empty)",
               s->wanted ? s->wanted : "(kept)");
    if (s->otherwise)
        buf_format(b, " or %s", s->otherwise);
    if (*s->identity)
        buf_format(b, " of %s", s->identity);
    if (s->why_not)
        buf_format(b, " (not: %s)", s->why_not);
    buf_str(b, "\n");
}

static void write_look(struct buf *b, const struct look *l)
{
    write_cpus(b, "bench", &l->bench);
    write_cpus(b, "reserved", &l->reserved);
    write_cpus(b, "housekeeping", &l->housekeeping);
    buf_format(b, "why: %s\nenter: %s\nboot: %s\n\n", l->why_bench, l->bench_tasks ? l->bench_tasks : "-",
               l->command_line ? l->command_line : "-");
    for (int i = 0; i < l->n_rows; i++) {
        const struct knob_row *r = &l->rows[i];
        buf_format(b, "%s: %s%s%s%s: %s\n", r->knob->id, knob_state_text(r->state), r->outside ? ", at most by tune" : "",
                   r->by ? ", by " : "", r->by ? r->by : "", r->value);
    }
    buf_str(b, "\n");
    for (int i = 0; i < l->n_settings; i++)
        write_setting(b, &l->settings[i]);
}

/* ---- against what is expected ---- */

static void compare(const char *name, const char *seen)
{
    char path[512];
    snprintf(path, sizeof path, "%s/trees/%s.look", TESTS_DIR, name);
    if (getenv("TARE_RERECORD")) {
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        fputs(seen, f);
        fclose(f);
        return;
    }
    struct buf expected = BUF_INIT(1 << 20);
    struct tare_err err = {{0}};
    if (plat_file_read(path, &expected, &err))
        fail_msg("%s", err.text);
    const char *a = buf_text(&expected), *b = seen;
    while (*a && *a == *b) {
        a++;
        b++;
    }
    if (*a || *b) {
        while (a > buf_text(&expected) && a[-1] != '\n') {
            a--;
            b--;
        }
        fail_msg("%s: expected '%.*s', seen '%.*s'", name, (int)strcspn(a, "\n"), a, (int)strcspn(b, "\n"), b);
    }
    buf_finish(&expected);
}

static char *tree_of(const char *name)
{
    char manifest[512];
    snprintf(manifest, sizeof manifest, "%s/trees/%s.tree", TESTS_DIR, name);
    return tree_make(manifest);
}

static void look_and_compare(const char *name, const char *expected, const struct wishes *w)
{
    char *folder = tree_of(name);
    const struct system_root root = {.path = folder};
    struct arena a = {0};
    struct look l;
    struct tare_err err = {{0}};
    if (look_at_machine(&l, &root, w, &a, &err))
        fail_msg("%s: %s", name, err.text);
    assert_int_equal(l.n_rows, knobs_known(&l));
    struct buf b = BUF_INIT(1 << 20);
    write_look(&b, &l);
    compare(expected, buf_text(&b));
    buf_finish(&b);
    arena_finish(&a);
    tree_remove(folder);
}

static void every_machine_is_seen_as_it_is(void **state)
{
    static const char *const names[] = {"intel-hwp", "intel-passive",     "acpi-cpufreq", "amd-active", "amd-passive",
                                        "arm-cppc",  "big-little",        "hybrid",       "bare-vm",    "holes",
                                        "cpus-128",  "cpus-1536",         "container",    "one-cpu",    "hostile",
                                        "vm-tuned",  "partition-invalid", "tuned",        "windows"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        look_and_compare(names[i], names[i], &(struct wishes){0});
}

static void the_lowest_and_a_given_frequency_are_taken_where_they_can_be_had(void **state)
{
    (void)state;
    look_and_compare("intel-hwp", "intel-hwp.lowest", &(struct wishes){.frequency = FREQUENCY_LOWEST});
    look_and_compare("amd-passive", "amd-passive.3ghz", &(struct wishes){.frequency = FREQUENCY_HZ, .hz = 3000000000});
}

static void a_disruptive_knob_is_turned_by_name_only(void **state)
{
    static const char *const only[] = {"smt", "ksm", NULL}, *const without[] = {"isolation", "irq-affinity", NULL};
    (void)state;
    look_and_compare("acpi-cpufreq", "acpi-cpufreq.only", &(struct wishes){.only = only});
    look_and_compare("acpi-cpufreq", "acpi-cpufreq.without", &(struct wishes){.without = without});
}

static void nobody_is_told_to_do_what_is_of_no_use(void **state)
{
    static const char some[] = "2.31 1.10 0.40 3/900 5000\n", none[] = "2.31 1.10 0.40 1/900 5000\n";
    static const struct {
        const char *load;
        bool probed;
        const char *advice;
    } cases[] = {{some, false, "end other programs; tare system show --probe names those that used most CPU time"},
                 {some, true, "end other programs"},
                 {none, false, "wait a minute, or end what ran; tare system show --probe names what uses CPU time"},
                 {none, true, "wait a minute, or end what ran"}};
    char *folder = tree_of("intel-hwp");
    const struct system_root root = {.path = folder};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena a = {0};
        struct look l;
        struct tare_err err;
        tree_put(folder, "/proc/loadavg", cases[i].load);
        assert_int_equal(look_at_machine(&l, &root, &(struct wishes){.probed = cases[i].probed}, &a, &err), TARE_OK);
        assert_string_equal(l.rows[0].knob->id, "load");
        assert_string_equal(l.rows[0].advice, cases[i].advice);
        arena_finish(&a);
    }
    tree_remove(folder);
}

/* ---- what is refused ---- */

static void assert_refused(const char *folder, const struct wishes *w, enum tare_status status, const char *text)
{
    const struct system_root root = {.path = folder};
    struct arena a = {0};
    struct look l;
    struct tare_err err = {{0}};
    enum tare_status got = look_at_machine(&l, &root, w, &a, &err);
    if (got != status || !strstr(err.text, text))
        fail_msg("%s: '%s', expected %s and '%s'", tare_status_name(got), err.text, tare_status_name(status), text);
    arena_finish(&a);
}

static struct wishes on_cpus(const char *list)
{
    struct wishes w = {0};
    assert_int_equal(cpu_list_parse(&w.cpus, list), TARE_OK);
    return w;
}

static void cpus_that_cannot_be_used_are_refused_with_the_reason(void **state)
{
    static const char *const unknown[] = {"turbos", NULL};
    char *desktop = tree_of("intel-hwp"), *holes = tree_of("holes"), *single = tree_of("one-cpu"), *large = tree_of("cpus-128");
    struct wishes w = on_cpus("4-5");
    (void)state;
    assert_refused(desktop, &w, TARE_INVALID, "CPUs 4-5: there is no such CPU here; there are 0-3");
    w = on_cpus("1-2");
    assert_refused(holes, &w, TARE_INVALID, "CPU 2: offline; online are 0-1,3-5");
    w = on_cpus("0-3");
    assert_refused(desktop, &w, TARE_INVALID, "no CPU would be left");
    w = on_cpus("0");
    assert_refused(single, &w, TARE_INVALID, "no CPU would be left");
    w = on_cpus("61-62");
    assert_refused(large, &w, TARE_INVALID, "CPU 61: not among the isolated CPUs (62-63,126-127)");
    assert_refused(desktop, &(struct wishes){.only = unknown}, TARE_INVALID, "there is no setting 'turbos'");
    assert_refused(desktop, &(struct wishes){.frequency = FREQUENCY_HZ, .hz = 9000000000}, TARE_INVALID,
                   "it goes from 0.800 to 4.500 GHz");
    assert_refused(desktop, &(struct wishes){.frequency = FREQUENCY_HZ}, TARE_INVALID, "cannot be had");
    tree_remove(desktop);
    tree_remove(holes);
    tree_remove(single);
    tree_remove(large);
}

static void a_folder_that_is_no_machine_is_unsupported(void **state)
{
    char *folder = tree_make(NULL);
    const struct system_root root = {.path = folder};
    struct arena a = {0};
    struct look l;
    struct tare_err err = {{0}};
    (void)state;
    assert_int_equal(look_at_machine(&l, &root, NULL, &a, &err), TARE_UNSUPPORTED);
    assert_string_equal(err.text, "neither /sys nor /proc lists a CPU here");
    arena_finish(&a);
    tree_remove(folder);
}

/* ---- one file another ---- */

static const struct knob_row *row_of(const struct look *l, const char *id)
{
    for (int i = 0; i < l->n_rows; i++)
        if (!strcmp(l->rows[i].knob->id, id))
            return &l->rows[i];
    fail_msg("no row %s", id);
    return NULL;
}

static void assert_row(const char *folder, const char *path, const char *content, const char *id, enum knob_state state,
                       const char *value)
{
    const struct system_root root = {.path = folder};
    struct arena a = {0};
    struct look l;
    struct tare_err err = {{0}};
    tree_put(folder, path, content);
    if (look_at_machine(&l, &root, NULL, &a, &err))
        fail_msg("%s", err.text);
    const struct knob_row *r = row_of(&l, id);
    if (r->state != state || strcmp(r->value, value))
        fail_msg("%s '%s': %s: %s '%s', expected %s '%s'", path, content, id, knob_state_text(r->state), r->value,
                 knob_state_text(state), value);
    arena_finish(&a);
}

/* USB ports of a desktop, that nothing supplies it by, are no mains that are not plugged in. */
static void only_what_may_run_on_a_battery_does(void **state)
{
    static const char usb[] = "/sys/class/power_supply/usb/", battery[] = "/sys/class/power_supply/BAT0/";
    char *folder = tree_of("intel-hwp"), path[100];
    (void)state;
    snprintf(path, sizeof path, "%sonline", usb);
    tree_put(folder, path, "0\n");
    snprintf(path, sizeof path, "%stype", usb);
    assert_row(folder, path, "USB\n", "power", KNOB_NOT_APPLICABLE, "");
    snprintf(path, sizeof path, "%sstatus", battery);
    tree_put(folder, path, "Full\n");
    snprintf(path, sizeof path, "%stype", battery);
    assert_row(folder, path, "Battery\n", "power", KNOB_OK, "mains, with a battery");
    snprintf(path, sizeof path, "%sstatus", battery);
    assert_row(folder, path, "Discharging\n", "power", KNOB_NOISY, "battery");
    snprintf(path, sizeof path, "%sonline", usb);
    assert_row(folder, path, "1\n", "power", KNOB_OK, "mains, with a battery");
    tree_remove(folder);
}

static void every_legal_command_line_is_understood(void **state)
{
    static const struct {
        const char *line;
        enum knob_state state;
        const char *value;
    } lines[] = {
        {"rcu_nocbs=all", KNOB_OK, "elsewhere for CPUs 0-3"},
        {"quiet rcu_nocbs=1-N splash", KNOB_OK, "elsewhere for CPUs 1-3"},
        {"rcu-nocbs=0-3:2/4", KNOB_NOISY, "elsewhere for CPUs 0-1"},
        {"rcu_nocbs=1-3:1/2", KNOB_OK, "elsewhere for CPUs 1,3"},
        {"nohz_full=3 isolcpus=nohz,domain,managed_irq,2-3", KNOB_OK, "elsewhere for CPU 3"},
        {"rcu_nocbs=0 rcu_nocbs=3", KNOB_OK, "elsewhere for CPU 3"},
        {"rcu_nocbs", KNOB_NOISY, "on every CPU"},
        {"rcu_nocbs=\"2-3\"", KNOB_OK, "elsewhere for CPUs 2-3"},
        {"a=\"b rcu_nocbs=2\"", KNOB_NOISY, "on every CPU"},
        {"rcu_nocbs==2", KNOB_UNKNOWN, ""},
        {"rcu_nocbs=3-1", KNOB_UNKNOWN, ""},
        {"rcu_nocbs=99999999999999999999", KNOB_UNKNOWN, ""},
        {"", KNOB_UNKNOWN, ""},
    };
    char *folder = tree_of("intel-hwp");
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_row(folder, "/proc/cmdline", lines[i].line, "rcu-callbacks", lines[i].state, lines[i].value);
    tree_remove(folder);
}

static void ticks_without_callbacks_elsewhere_are_noisy(void **state)
{
    char *folder = tree_of("intel-hwp");
    (void)state;
    assert_row(folder, "/sys/devices/system/cpu/nohz_full", "2-3\n", "timer-tick", KNOB_NOISY,
               "off on CPUs 2-3, without rcu_nocbs");
    assert_row(folder, "/proc/cmdline", "nohz_full=2-3 rcu_nocbs=2-3\n", "timer-tick", KNOB_OK, "off on CPUs 2-3");
    assert_row(folder, "/sys/devices/system/cpu/nohz_full", "0-1\n", "timer-tick", KNOB_NOISY, "off on CPUs 0-1");
    tree_remove(folder);
}

static void what_a_file_holds_is_masked_in_rows(void **state)
{
    char *folder = tree_of("intel-hwp");
    (void)state;
    assert_row(folder, "/sys/devices/system/clocksource/clocksource0/current_clocksource", "\x1b[2Jtsc", "clocksource",
               KNOB_UNKNOWN, "\\x1b[2Jtsc");
    tree_remove(folder);
}

static void of_very_many_processes_the_newest_are_asked(void **state)
{
    enum { MANY = 1010 };
    char *folder = tree_of("intel-hwp"), path[64];
    (void)state;
    for (int i = 0; i < MANY; i++) {
        snprintf(path, sizeof path, "/proc/%d/comm", 10000 + i);
        tree_put(folder, path, "worker\n");
    }
    tree_put(folder, "/sys/fs/cgroup/system.slice/irqbalance.service/cgroup.procs", "7\n");
    assert_row(folder, "/proc/900/comm", "apt\n", "updates", KNOB_UNKNOWN, "none seen");
    assert_row(folder, "/proc/99999/comm", "apt\n", "updates", KNOB_NOISY, "apt");
    assert_row(folder, "/proc/900/comm", "irqbalance\n", "tuners", KNOB_NOISY, "irqbalance");
    tree_remove(folder);
}

static void waiting_for_memory_is_noisy_above_a_tenth_of_a_percent(void **state)
{
    static const char path[] = "/proc/pressure/memory";
    char *folder = tree_of("intel-hwp");
    (void)state;
    assert_row(folder, path, "some avg10=9.00 avg60=0.10 avg300=5.00 total=1\n", "page-faults", KNOB_OK,
               "programs waited for memory 0.10 % of the last minute");
    assert_row(folder, path, "some avg10=0.00 avg60=12.05 avg300=0.00 total=1\n", "page-faults", KNOB_NOISY,
               "programs waited for memory 12.1 % of the last minute");
    assert_row(folder, path, "some avg10=0.00 avg60=x avg300=0.00 total=1\n", "page-faults", KNOB_UNKNOWN, "");
    assert_row(folder, path, "full avg10=0.00 avg60=0.00 avg300=0.00 total=1\n", "page-faults", KNOB_UNKNOWN, "");
    tree_remove(folder);
}

static void the_check_for_hanging_tasks_is_noisy_when_it_is_frequent(void **state)
{
    static const char timeout[] = "/proc/sys/kernel/hung_task_timeout_secs",
                      every[] = "/proc/sys/kernel/hung_task_check_interval_secs";
    char *folder = tree_of("intel-hwp");
    (void)state;
    assert_row(folder, every, "5\n", "hung-tasks", KNOB_NOISY, "every 5 s");
    assert_row(folder, every, "600\n", "hung-tasks", KNOB_OK, "every 120 s");
    assert_row(folder, timeout, "9\n", "hung-tasks", KNOB_NOISY, "every 9 s");
    assert_row(folder, timeout, "0\n", "hung-tasks", KNOB_OK, "off");
    tree_remove(folder);
}

/* CPUs 0 and 2 share a core, 1 and 3 the other; all four the one last cache. */
static void a_part_of_the_last_cache_is_said_to_be_theirs_only_where_no_group_has_it_too(void **state)
{
    char *folder = tree_of("intel-hwp");
    (void)state;
    assert_row(folder, "/proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\nflags\t\t: fpu tsc\n", "neighbours",
               KNOB_UNKNOWN, "cannot be split");
    for (int i = 0; i < 4; i++) {
        char path[96];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu3/cache/index%d/level", i);
        tree_put(folder, path, i < 2 ? "1\n" : i == 2 ? "2\n" : "3\n");
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu3/cache/index%d/id", i);
        tree_put(folder, path, "1\n");
    }
    tree_put(folder, "/sys/fs/resctrl/cpus_list", "0-3\n");
    assert_row(folder, "/sys/fs/resctrl/schemata", "    L3:0=fff;1=fff\n    MB:0=100;1=100\n", "neighbours", KNOB_UNKNOWN,
               "not split (resctrl)");
    tree_put(folder, "/sys/fs/resctrl/cpus_list", "0,2\n");
    tree_put(folder, "/sys/fs/resctrl/quiet/cpus_list", "1,3\n");
    tree_put(folder, "/sys/fs/resctrl/info/L3/cbm_mask", "fff\n");
    assert_row(folder, "/sys/fs/resctrl/quiet/schemata", "L3:0=0ff;1=f00\n", "neighbours", KNOB_UNKNOWN, "not split (resctrl)");
    assert_row(folder, "/sys/fs/resctrl/schemata", "L3:0=fff;1=0ff\n", "neighbours", KNOB_UNKNOWN,
               "4 of 12 parts of the last cache are theirs alone");
    tree_put(folder, "/sys/fs/resctrl/third/cpus_list", "\n");
    assert_row(folder, "/sys/fs/resctrl/third/schemata", "L3CODE:0=fff;1=800\nL3DATA:0=fff;1=001\n", "neighbours", KNOB_UNKNOWN,
               "not split (resctrl)");
    assert_row(folder, "/sys/fs/resctrl/third/schemata", "L3:0=fff;1=zzz\n", "neighbours", KNOB_UNKNOWN,
               "4 of 12 parts of the last cache are theirs alone");
    tree_remove(folder);
}

static void what_lies_on_a_mount_that_is_read_only_is_left_to_the_host(void **state)
{
    char *folder = tree_of("intel-hwp");
    const struct system_root root = {.path = folder};
    struct arena a = {0};
    struct look l;
    struct tare_err err = {{0}};
    int left = 0, tried = 0;
    (void)state;
    tree_put(
        folder, "/proc/self/mountinfo",
        "1 0 8:1 / / ro - ext4 /dev/sda1 ro\n2 1 0:5 / /proc rw,nosuid - proc proc rw\n3 2 0:5 /sys /proc/sys ro - proc proc rw\n"
        "4 1 0:6 / /sys rw,nosuid - sysfs sysfs ro\n5 4 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    if (look_at_machine(&l, &root, NULL, &a, &err))
        fail_msg("%s", err.text);
    for (int i = 0; i < l.n_settings; i++) {
        const struct setting *s = &l.settings[i];
        bool writable =
            !strncmp(s->path, "/proc/irq/", 10) || !strncmp(s->path, "/sys/fs/cgroup/", 15) || !strncmp(s->path, "/dev/", 5);
        const char *mount = !strncmp(s->path, "/sys", 4) ? "/sys is mounted" : "/proc/sys is mounted";
        if (writable ? s->why_not && strstr(s->why_not, "mounted") : !s->why_not || strncmp(s->why_not, mount, strlen(mount)))
            fail_msg("%s: '%s'", s->path, s->why_not ? s->why_not : "can be tried");
        left += !writable;
        tried += writable;
    }
    assert_true(left >= 10);
    assert_true(tried >= 5);
    assert_non_null(l.read_only);
    arena_finish(&a);
    tree_remove(folder);
}

/* ---- any file of it in any state ---- */

static const char *const odd_contents[] = {
    "",     "\n",  "nan\n",  "-1\n",           "99999999999999999999999\n", "[",     "[x\n",
    "0-\n", ",\n", "%s%n\n", "\xff\xfe\x1b\n", "0 0 0 0 0 0 0 0\n",         "::::\n"};

static void look_with(const char *folder, const char *path, const char *content)
{
    const struct system_root root = {.path = folder};
    struct arena a = {0};
    struct look l;
    struct tare_err err = {{0}};
    tree_put(folder, path, content);
    enum tare_status status = look_at_machine(&l, &root, NULL, &a, &err);
    if (status || l.n_rows != knobs_known(&l))
        fail_msg("%s as '%s': %s, %d rows (%s)", path, content, tare_status_name(status), l.n_rows, err.text);
    for (int i = 0; i < l.n_rows; i++) /* what is not ok says why, and nothing in it steers a terminal */
        if ((l.rows[i].state != KNOB_OK && !*l.rows[i].why) || strpbrk(l.rows[i].value, "\x1b\n\t"))
            fail_msg("%s as '%s': %s: '%s', why '%s'", path, content, l.rows[i].knob->id, l.rows[i].value, l.rows[i].why);
    arena_finish(&a);
}

/* The files that one tree names, on a machine that has them; every nth of the contents. */
static void spoil_each_file(const char *machine, const char *name, size_t nth)
{
    char manifest[512];
    struct buf b = BUF_INIT(1 << 20);
    struct tare_err err = {{0}};
    snprintf(manifest, sizeof manifest, "%s/trees/%s.tree", TESTS_DIR, name);
    if (plat_file_read(manifest, &b, &err))
        fail_msg("%s", err.text);
    char *folder = tree_of(machine), *text = strdup(buf_text(&b)), *rest = text;
    buf_finish(&b);
    for (char *line; (line = strsep(&rest, "\n"));) {
        char *tab = strchr(line, '\t');
        if (*line != '/' || !tab || strchr(line, '{') || tab[-1] == '/')
            continue;
        *tab = 0;
        char *good = tree_get(folder, line);
        for (size_t i = 0; i < sizeof odd_contents / sizeof *odd_contents; i += nth)
            look_with(folder, line, odd_contents[i]);
        tree_put(folder, line, good ? good : "");
        free(good);
    }
    free(text);
    tree_remove(folder);
}

static void no_file_of_any_content_ends_the_look(void **state)
{
    (void)state;
    spoil_each_file("intel-hwp", "common", 1);
    spoil_each_file("bare-vm", "bare-vm", 5);
    spoil_each_file("hybrid", "hybrid", 5);
}

/* ---- the table ---- */

static void knobs_are_found_by_their_ids_and_each_once(void **state)
{
    (void)state;
    for (int i = 0; knob_at(i); i++) {
        const struct knob *k = knob_at(i);
        assert_ptr_equal(knob_find(k->id), k);
        assert_true(k->effect >= 0 && k->effect <= 100);
        assert_int_equal(strspn(k->id, "abcdefghijklmnopqrstuvwxyz-"), strlen(k->id));
        assert_true(strlen(k->title) <= 20);
        assert_true(k->risk == RISK_BOOT ? k->stage == STAGE_NONE : k->keep && k->stage != STAGE_NONE);
    }
    assert_null(knob_find("turbos"));
}

static void each_knob_has_its_section_in_the_docs(void **state)
{
    struct buf page = BUF_INIT(1 << 20);
    struct tare_err err = {{0}};
    char heading[64];
    (void)state;
    if (plat_file_read(TESTS_DIR "/../../docs/system.md", &page, &err))
        fail_msg("%s", err.text);
    for (int i = 0; knob_at(i); i++) {
        snprintf(heading, sizeof heading, "\n### %s: %s\n", knob_at(i)->id, knob_at(i)->title);
        if (!strstr(buf_text(&page), heading))
            fail_msg("docs/system.md has no section '### %s: %s'", knob_at(i)->id, knob_at(i)->title);
    }
    buf_finish(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_machine_is_seen_as_it_is),
        cmocka_unit_test(the_lowest_and_a_given_frequency_are_taken_where_they_can_be_had),
        cmocka_unit_test(a_disruptive_knob_is_turned_by_name_only),
        cmocka_unit_test(nobody_is_told_to_do_what_is_of_no_use),
        cmocka_unit_test(cpus_that_cannot_be_used_are_refused_with_the_reason),
        cmocka_unit_test(a_folder_that_is_no_machine_is_unsupported),
        cmocka_unit_test(only_what_may_run_on_a_battery_does),
        cmocka_unit_test(every_legal_command_line_is_understood),
        cmocka_unit_test(ticks_without_callbacks_elsewhere_are_noisy),
        cmocka_unit_test(what_a_file_holds_is_masked_in_rows),
        cmocka_unit_test(of_very_many_processes_the_newest_are_asked),
        cmocka_unit_test(waiting_for_memory_is_noisy_above_a_tenth_of_a_percent),
        cmocka_unit_test(the_check_for_hanging_tasks_is_noisy_when_it_is_frequent),
        cmocka_unit_test(a_part_of_the_last_cache_is_said_to_be_theirs_only_where_no_group_has_it_too),
        cmocka_unit_test(what_lies_on_a_mount_that_is_read_only_is_left_to_the_host),
        cmocka_unit_test(no_file_of_any_content_ends_the_look),
        cmocka_unit_test(knobs_are_found_by_their_ids_and_each_once),
        cmocka_unit_test(each_knob_has_its_section_in_the_docs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
