/* SPDX-License-Identifier: MIT
 *
 * This machine's own settings, as root: tuned and put back, byte for byte. For as short as it takes; no task that is not ours is moved, and one such test runs at a time.
 * What this machine does not have is said, and what cannot be written is refused as it would be for users.
 */
#include "plat.h"
#include "plat_state.h"
#include "tune.h"
#include "watchdog.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const char state_folder[] = "/tmp/tare-machine-test"; /* the same for all who test here: its lock keeps them apart */

#define TOP   "/sys/fs/cgroup/cpuset"
#define INNER TOP "/tare"

static const char groups[] = TOP;

struct machine {
    struct arena arena;
    struct system_root root;
    struct wishes wishes;
    struct look look;
    struct journal *j;
    struct buf before;
    int deaths_at; /* SIGKILL at this step of the process `mortal` */
    int step, mortal;
};

static enum tare_status step(void *context, const char *path, struct tare_err *err)
{
    struct machine *m = context;
    (void)path;
    (void)err;
    if (++m->step == m->deaths_at && m->mortal == getpid())
        kill(getpid(), SIGKILL);
    return TARE_OK;
}

/* ---- what is tuned here ---- */

/* Files alone: what would move others' tasks or take a CPU away is left to trees of files. */
static bool is_harmless(const struct setting *s)
{
    return s->kind == SETTING_FILE && (s->stage == STAGE_MASKS || s->stage == STAGE_SYSCTL || s->stage <= STAGE_TURBO);
}

static void choose(struct machine *m)
{
    int n = 0;
    for (int i = 0; i < m->look.n_settings; i++)
        if (is_harmless(&m->look.settings[i]))
            m->look.settings[n++] = m->look.settings[i];
    m->look.n_settings = n;
}

static const char *const families[][2] = {
    {"/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "frequency policies"},
    {"/sys/devices/system/cpu/intel_pstate/no_turbo", "turbo of Intel"},
    {"/sys/devices/system/cpu/cpufreq/boost", "boost of others"},
    {"/proc/irq/default_smp_affinity", "masks of interrupts"},
    {"/sys/devices/virtual/workqueue/cpumask", "the mask of workqueues"},
    {"/sys/kernel/mm/transparent_hugepage/enabled", "huge pages"},
    {"/proc/sys/vm/stat_interval", "kernel settings"},
    {"/sys/fs/cgroup/cpuset/cpuset.cpus", "CPU sets of control groups, version 1"},
    {"/sys/fs/cgroup/cgroup.controllers", "control groups, version 2"},
    {"/dev/cpu_dma_latency", "latency of idle states"},
};

static void say_what_is_absent(void)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (access(families[i][0], F_OK))
            print_message("not on this machine: %s (%s)\n", families[i][1], families[i][0]);
}

static struct buf shot(const struct machine *m)
{
    struct buf b = BUF_INIT(1 << 24), text = BUF_INIT(1 << 20);
    for (int i = 0; i < m->look.n_settings; i++) {
        buf_clear(&text);
        assert_int_equal(plat_file_read(m->look.settings[i].path, &text, NULL), TARE_OK);
        buf_format(&b, "%s\n%s", m->look.settings[i].path, buf_text(&text));
    }
    buf_finish(&text);
    return b;
}

static void same(const struct machine *m, const char *when)
{
    struct buf now = shot(m);
    if (strcmp(buf_text(&now), buf_text(&m->before)))
        fail_msg("%s: settings differ\n--- before\n%s\n--- now\n%s", when, buf_text(&m->before), buf_text(&now));
    buf_finish(&now);
}

static bool open_machine(struct machine *m)
{
    struct tare_err err;
    *m = (struct machine){.root = {.path = "", .before_write = step}};
    m->root.context = m;
    if (!plat_is_root()) {
        print_message("only root may change settings: nothing is tested\n");
        return false;
    }
    enum tare_status status = journal_open(&m->j, state_folder, &m->root, &err);
    if (status == TARE_BUSY) {
        print_message("another one tests this machine: nothing is tested\n");
        return false;
    }
    assert_int_equal(status, TARE_OK);
    status = look_at_machine(&m->look, &m->root, &m->wishes, &m->arena, &err);
    if (status)
        fail_msg("%s", err.text);
    choose(m);
    return true;
}

static void close_machine(struct machine *m)
{
    journal_close(m->j);
    buf_finish(&m->before);
    arena_finish(&m->arena);
}

static void say(const struct tune_report *r)
{
    for (int i = 0; i < r->n; i++) {
        const struct change *c = &r->changes[i];
        print_message("%-14s %-14s %s: %s -> %s %s\n", change_outcome_text(c->outcome), c->knob, c->path, c->from ? c->from : "",
                      c->to ? c->to : "", c->note);
    }
}

static void this_machine_is_tuned_and_comes_back_byte_for_byte(void **state)
{
    (void)state;
    struct machine m;
    struct tare_err err = {.text = ""};
    if (!open_machine(&m))
        skip();
    say_what_is_absent();
    struct tune_report made = {.arena = &m.arena}, undone = {.arena = &m.arena};
    m.before = shot(&m);
    enum tare_status tuned = tune_apply(&m.look, m.j, &(struct tune_options){.beside_others = true}, &made, &err);
    enum tare_status reset = tune_reset(&m.root, m.j, false, &undone, NULL);
    say(&made);
    if (tuned && tuned != TARE_PERMISSION)
        fail_msg("tune: %s", err.text);
    assert_int_equal(reset, TARE_OK);
    assert_int_equal(undone.conflicts + undone.refused + undone.ineffective, 0);
    assert_int_equal(undone.undone, made.made + made.ineffective);
    same(&m, "after a reset");
    close_machine(&m);
}

/* ---- killed ---- */

static int die_tuning(struct machine *m)
{
    struct tune_report report = {.arena = &m->arena};
    struct watchdog *g = NULL;
    m->mortal = getpid();
    m->step = 0;
    if (watchdog_start(&g, &m->root, m->j, NULL))
        return 1;
    return tune_apply(&m->look, m->j, &(struct tune_options){.beside_others = true}, &report, NULL) ? 2 : 0;
}

static void a_watchdog_puts_this_machine_back_when_its_tuner_is_killed(void **state)
{
    (void)state;
    struct machine m;
    int status;
    if (!open_machine(&m))
        skip();
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
    m.before = shot(&m);
    m.deaths_at = 9;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid)
        _exit(die_tuning(&m));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    for (int left = 1; left > 0;) /* its watchdog, which is ours now */
        left = waitpid(-1, &status, 0) > 0 || errno == EINTR;
    same(&m, killed ? "after a kill" : "after a tuner that found little to do");
    assert_int_equal(journal_refresh(m.j, NULL), TARE_OK);
    assert_int_equal(journal_open_entries(m.j), 0);
    close_machine(&m);
}

/* ---- a group of CPUs ---- */

static void write_text(const char *folder, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static struct buf read_text(const char *folder, const char *name)
{
    char path[512];
    struct buf b = BUF_INIT(1 << 16);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(plat_file_read(path, &b, NULL), TARE_OK);
    return b;
}

/* A group of ours stands where all groups do, for this process alone: so the very files of the knob are written, and nobody else's tasks are near. */
static bool stand_at_the_top(const char *outer)
{
    return !unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
           !mount(outer, groups, NULL, MS_BIND, NULL);
}

static void add_group(struct machine *m)
{
    static struct setting settings[4];
    static const struct knob knob = {.id = "test", .title = "a test"};
    settings[0] = (struct setting){&knob, SETTING_FOLDER, FORM_TEXT, STAGE_PARTITION, INNER, .identity = "", .wanted = ""};
    settings[1] =
        (struct setting){&knob, SETTING_FILE, FORM_LIST, STAGE_PARTITION, INNER "/cpuset.cpus", .identity = "", .wanted = "0"};
    settings[2] =
        (struct setting){&knob, SETTING_FILE, FORM_LIST, STAGE_PARTITION, INNER "/cpuset.mems", .identity = "", .wanted = "0"};
    settings[3] = (struct setting){&knob, SETTING_TASKS,  FORM_TEXT, STAGE_TASKS, INNER "/cgroup.procs", TOP "/cgroup.procs",
                                   "",    .wanted = "all"};
    m->look.settings = settings;
    m->look.n_settings = 4;
}

/* False: not on this machine. */
static bool make_outer(char *outer, size_t size)
{
    snprintf(outer, size, "%s/tare-test-%d", groups, (int)getpid());
    if (access(groups, W_OK) || mkdir(outer, 0755)) {
        print_message("not on this machine: CPU sets of control groups, version 1\n");
        return false;
    }
    struct buf cpus = read_text(groups, "cpuset.cpus"), mems = read_text(groups, "cpuset.mems");
    write_text(outer, "cpuset.cpus", buf_text(&cpus));
    write_text(outer, "cpuset.mems", buf_text(&mems));
    buf_finish(&cpus);
    buf_finish(&mems);
    if (stand_at_the_top(outer))
        return true;
    print_message("not on this machine: mounts of our own\n");
    rmdir(outer);
    return false;
}

static void a_process_of_ours_goes_into_a_group_and_comes_back(void **state)
{
    (void)state;
    struct machine m;
    struct tare_err err = {.text = ""};
    char outer[256], id[32];
    if (!open_machine(&m))
        skip();
    if (!make_outer(outer, sizeof outer)) {
        close_machine(&m);
        skip();
    }
    pid_t pid = fork();
    assert_true(pid >= 0);
    while (!pid)
        pause();
    snprintf(id, sizeof id, "%d\n", (int)pid);
    write_text(groups, "cgroup.procs", id);
    add_group(&m);
    struct tune_report made = {.arena = &m.arena}, undone = {.arena = &m.arena};
    enum tare_status tuned = tune_apply(&m.look, m.j, NULL, &made, &err);
    struct buf inside = read_text(INNER, "cgroup.procs"), where = read_text(INNER, "cpuset.cpus");
    enum tare_status reset = tune_reset(&m.root, m.j, false, &undone, &err);
    struct buf after = read_text(groups, "cgroup.procs");
    say(&made);
    say(&undone);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    bool inner_gone = access(INNER, F_OK);
    assert_int_equal(umount2(groups, MNT_DETACH), 0);
    while (rmdir(outer) && errno == EBUSY) /* until the kernel has let go of the process */
        ;
    assert_int_equal(tuned, TARE_OK);
    assert_int_equal(reset, TARE_OK);
    assert_string_equal(buf_text(&inside), id);
    assert_string_equal(buf_text(&where), "0\n");
    assert_string_equal(buf_text(&after), id);
    assert_true(inner_gone);
    struct buf *const all[] = {&inside, &where, &after};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buf_finish(all[i]);
    close_machine(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(this_machine_is_tuned_and_comes_back_byte_for_byte),
        cmocka_unit_test(a_watchdog_puts_this_machine_back_when_its_tuner_is_killed),
        cmocka_unit_test(a_process_of_ours_goes_into_a_group_and_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
