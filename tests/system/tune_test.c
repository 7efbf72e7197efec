/* SPDX-License-Identifier: MIT
 *
 * Tuning and resetting trees of files.
 */
#include "tune_world.h"
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <cmocka.h>

#define ASLR "/proc/sys/kernel/randomize_va_space"
#define THP  "/sys/kernel/mm/transparent_hugepage/enabled"

static void add_two_files(struct world *w)
{
    world_put(w, ASLR, "1\n");
    world_put(w, THP, "always [madvise] never\n");
    world_add(w, SETTING_FILE, FORM_NUMBER, STAGE_SYSCTL, ASLR, "1", "2");
    world_add(w, SETTING_FILE, FORM_SELECTED, STAGE_SYSCTL, THP, "madvise", "never");
}

static void two_files_are_changed_and_come_back(void **state)
{
    (void)state;
    struct world w;
    world_open(&w);
    add_two_files(&w);
    struct buf before = world_shot(&w);
    struct tune_report r = world_tune(&w);
    assert_int_equal(r.made, 2);
    world_expect(&w, ASLR, "2\n");
    world_expect(&w, THP, "always madvise [never]\n");
    assert_true(world_journal_there(&w));
    r = world_reset(&w, false);
    assert_int_equal(r.undone, 2);
    assert_string_equal(r.changes[0].path, THP); /* the last one first */
    world_same(&w, &before, "reset", 0);
    assert_false(world_journal_there(&w));
    buf_finish(&before);
    world_close(&w);
}

static void tuning_twice_keeps_the_first_values(void **state)
{
    (void)state;
    struct world w;
    world_open(&w);
    add_two_files(&w);
    struct buf before = world_shot(&w);
    world_tune(&w);
    struct tune_report r = world_tune(&w);
    assert_int_equal(world_change(&r, ASLR)->outcome, CHANGE_KEPT);
    w.settings[0].now = "2";
    w.settings[0].wanted = "0";
    r = world_tune(&w);
    assert_int_equal(r.made, 1);
    world_expect(&w, ASLR, "0\n");
    world_reset(&w, false);
    world_same(&w, &before, "tuned three times", 0);
    buf_finish(&before);
    world_close(&w);
}

static void what_somebody_else_changed_is_left_alone_unless_forced(void **state)
{
    (void)state;
    struct world w;
    world_open(&w);
    add_two_files(&w);
    struct buf before = world_shot(&w);
    world_tune(&w);
    world_put(&w, ASLR, "0\n");
    struct tune_report r = world_reset(&w, false);
    const struct change *c = world_change(&r, ASLR);
    assert_int_equal(c->outcome, CHANGE_CONFLICT);
    assert_string_equal(c->from, "0");
    assert_string_equal(c->to, "1");
    assert_non_null(strstr(c->note, "'2'"));
    world_expect(&w, ASLR, "0\n");
    world_expect(&w, THP, "always [madvise] never\n");
    assert_true(world_journal_there(&w));
    r = world_reset(&w, false); /* asked again: the same, and the other one is not touched any more */
    assert_int_equal(r.n, 1);
    assert_int_equal(r.conflicts, 1);
    r = world_reset(&w, true);
    assert_int_equal(r.undone, 1);
    world_same(&w, &before, "forced", 0);
    assert_false(world_journal_there(&w));
    buf_finish(&before);
    world_close(&w);
}

/* Settings of the frequency move one another while they are tuned, but not once that has ended. */
static void a_governor_that_somebody_else_chose_is_left_alone(void **state)
{
    static const char governor[] = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
    (void)state;
    struct world w;
    world_open(&w);
    world_put(&w, governor, "powersave\n");
    world_add(&w, SETTING_FILE, FORM_TEXT, STAGE_GOVERNOR, governor, "powersave", "performance");
    world_tune(&w);
    world_put(&w, governor, "schedutil\n");
    struct tune_report r = world_reset(&w, false);
    assert_int_equal(world_change(&r, governor)->outcome, CHANGE_CONFLICT);
    world_expect(&w, governor, "schedutil\n");
    world_close(&w);
}

static void a_change_of_somebody_else_between_two_tunings_is_not_overwritten(void **state)
{
    (void)state;
    struct world w;
    world_open(&w);
    add_two_files(&w);
    world_tune(&w);
    world_put(&w, ASLR, "0\n");
    struct tune_report r = world_tune(&w);
    assert_int_equal(world_change(&r, ASLR)->outcome, CHANGE_CONFLICT);
    world_expect(&w, ASLR, "0\n");
    world_close(&w);
}

static void what_was_put_back_by_hand_needs_nothing(void **state)
{
    (void)state;
    struct world w;
    world_open(&w);
    add_two_files(&w);
    world_tune(&w);
    world_put(&w, ASLR, "1\n");
    struct tune_report r = world_reset(&w, false);
    assert_int_equal(world_change(&r, ASLR)->outcome, CHANGE_KEPT);
    assert_false(world_journal_there(&w));
    world_close(&w);
}

static int writes;

static void count_writes(struct world *w, const char *path)
{
    (void)w;
    writes += *path == '/';
}

static void after_a_reboot_nothing_is_written(void **state)
{
    (void)state;
    struct world w;
    world_open(&w);
    add_two_files(&w);
    world_tune(&w);
    world_put(&w, "/proc/sys/kernel/random/boot_id", "99999999-2222-3333-4444-555555555555\n");
    world_put(&w, ASLR, "0\n");
    struct buf before = world_shot(&w);
    writes = 0;
    w.at_step = count_writes;
    struct tune_report r = world_reset(&w, true);
    assert_int_equal(writes, 0);
    assert_int_equal(r.void_entries, 2);
    world_same(&w, &before, "after a reboot", 0);
    assert_false(world_journal_there(&w));
    buf_finish(&before);
    world_close(&w);
}

static void tuning_after_a_reboot_saves_anew(void **state)
{
    (void)state;
    struct world w;
    world_open(&w);
    add_two_files(&w);
    world_tune(&w);
    world_put(&w, "/proc/sys/kernel/random/boot_id", "99999999-2222-3333-4444-555555555555\n");
    world_put(&w, ASLR, "0\n");
    world_put(&w, THP, "[always] madvise never\n");
    struct buf before = world_shot(&w);
    world_tune(&w);
    world_reset(&w, false);
    world_same(&w, &before, "tuned after a reboot", 0);
    buf_finish(&before);
    world_close(&w);
}

/* Tuned by hand before, for as long as the user likes; then a measurement that tunes for itself. */
static void a_session_takes_back_its_own_changes_and_leaves_those_of_the_user(void **state)
{
    (void)state;
    struct world w;
    struct journal *j;
    world_open(&w);
    add_two_files(&w);
    struct buf untuned = world_shot(&w);
    struct tune_report report = {.arena = &w.arena};
    w.look.n_settings = 1;
    assert_int_equal(journal_open(&j, NULL, &w.root, NULL), TARE_OK);
    assert_int_equal(tune_apply(&w.look, j, NULL, &report, NULL), TARE_OK);
    assert_int_equal(journal_leave(j, NULL), TARE_OK);
    journal_close(j);
    struct buf left = world_shot(&w);
    w.look.n_settings = 2;
    w.settings[0].wanted = "0"; /* this one too, and otherwise */
    for (int times = 0; times < 2; times++) {
        assert_int_equal(journal_open(&j, NULL, &w.root, NULL), TARE_OK);
        assert_int_equal(tune_apply(&w.look, j, NULL, &report, NULL), TARE_OK);
        world_expect(&w, ASLR, "0\n");
        world_expect(&w, THP, "always madvise [never]\n");
        report = (struct tune_report){.arena = &w.arena};
        assert_int_equal(tune_reset(&w.root, j, false, &report, NULL), TARE_OK);
        assert_int_equal(report.undone, 2);
        journal_close(j);
        world_same(&w, &left, "the session's end", times);
        struct journal_notice n;
        journal_look(&n, NULL, &w.root);
        assert_int_equal(n.changes, 1);
    }
    report = world_reset(&w, false);
    assert_int_equal(report.undone, 1);
    world_same(&w, &untuned, "a reset of all", 0);
    assert_false(world_journal_there(&w));
    buf_finish(&untuned);
    buf_finish(&left);
    world_close(&w);
}

/* ---- refusals ---- */

static int furnish(struct world *w, uint64_t seed)
{
    struct rng r = rng_seeded(seed);
    world_open(w);
    world_furnish(w, &r);
    struct buf before = world_shot(w);
    world_tune(w);
    int steps = w->step;
    world_reset(w, false);
    world_same(w, &before, "tuned and reset", 0);
    buf_finish(&before);
    return steps;
}

/* Settings that fail are said and passed over; the journal that fails ends the tuning. What was made goes back in both cases. */
static void fail_at(struct world *w, const struct buf *before, int step, enum tare_status how)
{
    struct tune_report report = {.arena = &w->arena};
    struct journal *j;
    struct tare_err err = {.text = ""};
    w->step = 0;
    w->fail_at = step;
    w->fail_with = how;
    assert_int_equal(journal_open(&j, NULL, &w->root, &err), TARE_OK);
    enum tare_status status = tune_apply(&w->look, j, NULL, &report, &err);
    bool journal_failed = !strcmp(w->failed_path, "journal");
    w->fail_at = 0;
    if (journal_failed) {
        assert_int_equal(status, how);
        assert_non_null(strstr(err.text, "refused by the test"));
    } else {
        assert_int_equal(status, TARE_OK);
        assert_true(report.refused == 1 || !strcmp(w->failed_path, "/sys/fs/cgroup/cpuset/tare") ||
                    strstr(w->failed_path, "cgroup.procs"));
    }
    journal_close(j);
    world_reset(w, false);
    world_same(w, before, "refused at step", step);
}

static void a_refusal_at_any_step_is_said_and_undone(void **state)
{
    (void)state;
    static const enum tare_status how[] = {TARE_PERMISSION, TARE_IO, TARE_BUSY, TARE_INVALID};
    struct world w;
    int steps = furnish(&w, 3);
    struct buf before = world_shot(&w);
    for (int step = 1; step <= steps; step++)
        fail_at(&w, &before, step, how[step % 4]);
    buf_finish(&before);
    world_close(&w);
}

/* A write that fails while resetting stays in the journal, and the next reset makes it good. */
static void a_refusal_while_resetting_is_kept_for_the_next_reset(void **state)
{
    (void)state;
    struct world w;
    furnish(&w, 4);
    struct buf before = world_shot(&w);
    bool failed = true;
    for (int step = 1; failed; step++) {
        struct tune_report report = {.arena = &w.arena};
        struct journal *j;
        world_tune(&w);
        w.step = 0;
        w.failed_path[0] = 0;
        w.fail_at = step;
        w.fail_with = TARE_IO;
        assert_int_equal(journal_open(&j, NULL, &w.root, NULL), TARE_OK);
        enum tare_status status = tune_reset(&w.root, j, false, &report, NULL);
        failed = w.failed_path[0];
        assert_true(status == TARE_OK || !strcmp(w.failed_path, "journal"));
        w.fail_at = 0;
        journal_close(j);
        world_reset(&w, false);
        world_same(&w, &before, "reset refused at step", step);
        assert_false(world_journal_there(&w));
    }
    buf_finish(&before);
    world_close(&w);
}

static void where_everything_is_refused_tuning_fails_and_leaves_nothing(void **state)
{
    (void)state;
    struct world w;
    struct tune_report report;
    struct journal *j;
    struct tare_err err;
    furnish(&w, 5);
    struct buf before = world_shot(&w);
    report = (struct tune_report){.arena = &w.arena};
    w.fail_at = -1;
    w.fail_with = TARE_PERMISSION;
    assert_int_equal(journal_open(&j, NULL, &w.root, &err), TARE_OK);
    assert_int_equal(tune_apply(&w.look, j, NULL, &report, &err), TARE_PERMISSION);
    journal_close(j);
    assert_int_equal(report.made, 0);
    assert_true(report.refused > 10);
    world_same(&w, &before, "refused", 0);
    assert_false(world_journal_there(&w));
    buf_finish(&before);
    world_close(&w);
}

/* ---- a mount that is read-only ---- */

/* In a namespace of its own: as root, or as one who is root there. */
static bool mount_read_only(const struct world *w, const char *folder)
{
    char path[512];
    snprintf(path, sizeof path, "%s%s", w->path, folder);
    return !mount(path, path, NULL, MS_BIND, NULL) &&
           !mount(NULL, path, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL);
}

enum { DONE, NO_NAMESPACE, WRONG_STATUS, WRONG_TEXT, WRONG_REPORT, JOURNAL_LEFT_THERE };

static bool apart(void)
{
    if (unshare(CLONE_NEWNS) && unshare(CLONE_NEWUSER | CLONE_NEWNS))
        return false;
    return !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

static int tune_where_nothing_can_be_written(struct world *w)
{
    struct tune_report report = {.arena = &w->arena};
    struct journal *j;
    struct tare_err err = {.text = ""};
    if (!apart() || !mount_read_only(w, "/sys") || !mount_read_only(w, "/proc"))
        return NO_NAMESPACE;
    if (journal_open(&j, NULL, &w->root, &err) || tune_apply(&w->look, j, NULL, &report, &err) != TARE_UNSUPPORTED)
        return WRONG_STATUS;
    journal_close(j);
    if (!strstr(err.text, "mounted read-only") || !strstr(err.text, "do it on the host"))
        return WRONG_TEXT;
    if (report.refused != 2 || report.made || report.warning || report.changes[0].error != EROFS)
        return WRONG_REPORT;
    return world_journal_there(w) ? JOURNAL_LEFT_THERE : DONE;
}

/* One of two: the other one is changed, and the warning tells of the one that is not. Then nothing can be put back. */
static int tune_where_one_can_be_written(struct world *w)
{
    struct tune_report made = {.arena = &w->arena}, undone = {.arena = &w->arena};
    struct journal *j;
    if (!apart() || !mount_read_only(w, "/sys"))
        return NO_NAMESPACE;
    if (journal_open(&j, NULL, &w->root, NULL) || tune_apply(&w->look, j, NULL, &made, NULL))
        return WRONG_STATUS;
    if (made.made != 1 || made.refused != 1 || !made.warning || !strstr(made.warning, "1 file could not be written: /sys"))
        return WRONG_REPORT;
    if (!mount_read_only(w, "/proc"))
        return NO_NAMESPACE;
    if (tune_reset(&w->root, j, false, &undone, NULL))
        return WRONG_STATUS;
    journal_close(j);
    if (undone.refused != 1 || !undone.warning || !strstr(undone.warning, "mounted read-only"))
        return WRONG_REPORT;
    return world_journal_there(w) ? DONE : JOURNAL_LEFT_THERE;
}

static void a_read_only_mount_is_named_as_what_it_is(void **state)
{
    (void)state;
    struct world w;
    world_open(&w);
    add_two_files(&w);
    struct buf before = world_shot(&w);
    int end = world_apart(&w, tune_where_nothing_can_be_written);
    if (end != NO_NAMESPACE) {
        assert_int_equal(end, DONE);
        assert_int_equal(world_apart(&w, tune_where_one_can_be_written), DONE);
        world_expect(&w, ASLR, "2\n");
        world_reset(&w, false);
    }
    world_same(&w, &before, "read-only", 0);
    buf_finish(&before);
    world_close(&w);
    if (end == NO_NAMESPACE) {
        print_message("mounts of our own cannot be had here: nothing is tested\n");
        skip();
    }
}

/* ---- files that behave ---- */

#define GROUP_SWITCHES "/sys/fs/cgroup/unified/cgroup.subtree_control"

static void what_reads_back_otherwise_is_said_and_undone(void **state)
{
    (void)state;
    struct world w;
    world_open(&w);
    world_put(&w, GROUP_SWITCHES, "cpu\n");
    struct setting *s = world_add(&w, SETTING_FILE, FORM_TEXT, STAGE_PARTITION, GROUP_SWITCHES, "cpu", "+cpuset");
    struct buf before = world_shot(&w);
    struct tune_report r = world_tune(&w);
    assert_int_equal(world_change(&r, GROUP_SWITCHES)->outcome, CHANGE_INEFFECTIVE);
    assert_string_equal(world_change(&r, GROUP_SWITCHES)->note, "it reads 'cpu cpuset' now");
    world_reset(&w, false);
    world_same(&w, &before, "read back otherwise", 0);
    s->otherwise = "cpu memory";
    r = world_tune(&w);
    assert_int_equal(world_change(&r, GROUP_SWITCHES)->outcome, CHANGE_MADE);
    assert_string_equal(world_change(&r, GROUP_SWITCHES)->to, "cpu memory");
    world_expect(&w, GROUP_SWITCHES, "cpu memory\n");
    world_reset(&w, false);
    world_same(&w, &before, "the second best", 0);
    buf_finish(&before);
    world_close(&w);
}

static void files_that_went_are_said_and_the_others_come_back(void **state)
{
    (void)state;
    struct world w;
    world_open(&w);
    add_two_files(&w);
    world_tune(&w);
    world_forget(&w, ASLR);
    struct tune_report r = world_reset(&w, false);
    assert_int_equal(world_change(&r, ASLR)->outcome, CHANGE_GONE);
    world_expect(&w, THP, "always [madvise] never\n");
    assert_false(world_journal_there(&w));
    r = world_tune(&w);
    assert_int_equal(world_change(&r, ASLR)->outcome, CHANGE_GONE);
    world_close(&w);
}

static void a_number_that_another_interrupt_has_by_now_is_not_written(void **state)
{
    (void)state;
    struct world w;
    furnish(&w, 6);
    world_put(&w, "/proc/irq/24/smp_affinity", "3\n");
    world_put(&w, "/proc/irq/25/smp_affinity", "2\n");
    world_tune(&w);
    world_expect(&w, "/proc/irq/24/smp_affinity", "1\n");
    world_put(&w, "/sys/kernel/irq/24/actions", "nvme0q1\n");
    struct tune_report r = world_reset(&w, true);
    assert_int_equal(world_change(&r, "/proc/irq/24/smp_affinity")->outcome, CHANGE_GONE);
    world_expect(&w, "/proc/irq/24/smp_affinity", "1\n");
    world_expect(&w, "/proc/irq/25/smp_affinity", "2\n");
    world_close(&w);
}

/* A pipe stands for a file that could not be opened: whose the interrupt is by now nobody knows, so its change stays noted. */
static void a_setting_whose_owner_cannot_be_read_stays_to_be_undone(void **state)
{
    (void)state;
    struct world w;
    char actions[512];
    furnish(&w, 6);
    world_put(&w, "/proc/irq/24/smp_affinity", "3\n");
    world_tune(&w);
    world_expect(&w, "/proc/irq/24/smp_affinity", "1\n");
    snprintf(actions, sizeof actions, "%s/sys/kernel/irq/24/actions", w.path);
    assert_int_equal(remove(actions), 0);
    assert_int_equal(mkfifo(actions, 0600), 0);
    struct tune_report r = world_reset(&w, true);
    assert_int_equal(world_change(&r, "/proc/irq/24/smp_affinity")->outcome, CHANGE_REFUSED);
    world_expect(&w, "/proc/irq/24/smp_affinity", "1\n");
    assert_true(world_journal_there(&w));
    assert_int_equal(remove(actions), 0);
    world_put(&w, "/sys/kernel/irq/24/actions", "virtio-net\n");
    r = world_reset(&w, false);
    assert_int_equal(world_change(&r, "/proc/irq/24/smp_affinity")->outcome, CHANGE_UNDONE);
    world_expect(&w, "/proc/irq/24/smp_affinity", "3\n");
    assert_false(world_journal_there(&w));
    world_close(&w);
}

static const char boot[] = "/proc/sys/kernel/random/boot_id";

/* Trees need none: what a kernel forgets at its end stays in them. */
static void a_tree_without_a_boot_id_is_tuned_and_put_back(void **state)
{
    (void)state;
    struct world w;
    struct journal_notice notice;
    furnish(&w, 6);
    world_forget(&w, boot);
    struct buf before = world_shot(&w);
    struct tune_report r = world_tune(&w);
    assert_int_not_equal(r.made, 0);
    journal_look(&notice, NULL, &w.root);
    assert_int_equal(notice.state, JOURNAL_AT_WORK); /* this process is the one */
    world_tune(&w);
    r = world_reset(&w, false);
    assert_int_equal(r.void_entries, 0);
    world_same(&w, &before, "no boot id", 0);
    assert_false(world_journal_there(&w));
    buf_finish(&before);
    world_close(&w);
}

static void a_boot_id_that_is_told_later_is_no_reboot(void **state)
{
    (void)state;
    struct world w;
    struct journal_notice notice;
    furnish(&w, 6);
    world_forget(&w, boot);
    struct buf before = world_shot(&w);
    world_tune(&w);
    world_put(&w, boot, "11111111-2222-3333-4444-555555555555\n");
    journal_look(&notice, NULL, &w.root);
    assert_int_equal(notice.state, JOURNAL_AT_WORK);
    struct tune_report r = world_reset(&w, false);
    assert_int_equal(r.void_entries, 0);
    assert_int_not_equal(r.undone, 0);
    world_forget(&w, boot);
    world_same(&w, &before, "a boot id that came later", 0);
    buf_finish(&before);
    world_close(&w);
}

static void where_nobody_knows_which_boot_this_is_nothing_is_done(void **state)
{
    (void)state;
    struct world w;
    struct journal *j;
    struct tare_err err;
    furnish(&w, 6);
    world_tune(&w);
    world_forget(&w, boot);
    assert_int_equal(journal_open(&j, NULL, &w.root, &err), TARE_IO);
    assert_non_null(strstr(err.text, "boot_id"));
    struct journal_notice notice;
    journal_look(&notice, NULL, &w.root);
    assert_int_equal(notice.state, JOURNAL_UNKNOWN);
    assert_true(world_journal_there(&w));
    world_put(&w, boot, "11111111-2222-3333-4444-555555555555\n");
    world_reset(&w, false);
    assert_false(world_journal_there(&w));
    world_close(&w);
}

static void tasks_that_came_later_leave_with_the_group(void **state)
{
    (void)state;
    static const char inside[] = "/sys/fs/cgroup/cpuset/tare/cgroup.procs", all[] = "/sys/fs/cgroup/cpuset/cgroup.procs";
    struct world w;
    furnish(&w, 1);
    world_tune(&w);
    world_expect(&w, all, "");
    world_put(&w, inside, "1\n2\n5000\n");
    world_reset(&w, false);
    world_expect(&w, all, "1\n2\n5000\n");
    assert_false(root_exists(&w.root, "/sys/fs/cgroup/cpuset/tare"));
    world_close(&w);
}

/* ---- others ---- */

static struct tune_report tune_with(struct world *w, const struct tune_options *options)
{
    struct tune_report report = {.arena = &w->arena};
    struct journal *j;
    assert_int_equal(journal_open(&j, NULL, &w->root, NULL), TARE_OK);
    assert_int_equal(tune_apply(&w->look, j, options, &report, NULL), TARE_OK);
    journal_close(j);
    return report;
}

static void what_another_program_steers_is_left_to_it_unless_asked_for(void **state)
{
    (void)state;
    struct world w;
    furnish(&w, 2);
    world_put(&w, "/proc/812/comm", "irqbalance\n");
    world_put(&w, "/proc/irq/24/smp_affinity", "3\n");
    struct tune_report r = tune_with(&w, NULL);
    const struct change *c = world_change(&r, "/proc/irq/24/smp_affinity");
    assert_int_equal(c->outcome, CHANGE_REFUSED);
    assert_non_null(strstr(c->note, "irqbalance (pid 812)"));
    assert_true(r.made > 0);
    r = tune_with(&w, &(struct tune_options){.beside_others = true});
    assert_int_equal(world_change(&r, "/proc/irq/24/smp_affinity")->outcome, CHANGE_MADE);
    world_close(&w);
}

static void a_battery_is_warned_of(void **state)
{
    (void)state;
    struct world w;
    world_open(&w);
    add_two_files(&w);
    struct knob_row power = {.knob = knob_find("power"), .state = KNOB_NOISY, .value = "battery"};
    w.look.rows = &power;
    w.look.n_rows = 1;
    struct tune_report r = world_tune(&w);
    assert_non_null(strstr(r.warning, "battery"));
    world_reset(&w, false);
    power.state = KNOB_OK;
    r = world_tune(&w);
    assert_null(r.warning);
    world_close(&w);
}

static bool interrupts_are_worse(void *context, const char *group, struct buf *why)
{
    int *calls = context;
    ++*calls;
    buf_str(why, "12 gaps where there were 3");
    return group && !strncmp(group, "interrupts", 10);
}

static void a_group_that_made_things_worse_is_taken_back_and_the_rest_stays(void **state)
{
    (void)state;
    struct world w;
    int calls = 0;
    furnish(&w, 2);
    world_put(&w, "/proc/irq/24/smp_affinity", "3\n");
    struct buf before = world_shot(&w);
    struct tune_report r = tune_with(&w, &(struct tune_options){.worse = interrupts_are_worse, .context = &calls});
    assert_true(calls >= 4); /* before all, and after each group that changed something */
    assert_non_null(strstr(r.warning, "12 gaps"));
    assert_int_equal(world_change(&r, "/proc/irq/24/smp_affinity")->outcome, CHANGE_UNDONE);
    world_expect(&w, "/proc/irq/24/smp_affinity", "3\n");
    world_expect(&w, "/proc/sys/vm/stat_interval", "120\n");
    world_reset(&w, false);
    world_same(&w, &before, "worse", 0);
    buf_finish(&before);
    world_close(&w);
}

static bool holding_is_worse(void *context, const char *group, struct buf *why)
{
    (void)context;
    buf_str(why, "it got hot");
    return group && !strcmp(group, "held states");
}

static void what_is_held_and_made_things_worse_is_let_go_and_said(void **state)
{
    (void)state;
    static const char latency[] = "/dev/cpu_dma_latency";
    struct world w;
    world_open(&w);
    add_two_files(&w);
    world_put(&w, latency, "2000000000\n");
    world_add(&w, SETTING_HELD, FORM_TEXT, STAGE_HELD, latency, NULL, "2");
    struct tune_report r = tune_with(&w, &(struct tune_options){.worse = holding_is_worse});
    assert_int_equal(world_change(&r, latency)->outcome, CHANGE_UNDONE);
    assert_non_null(strstr(r.warning, "it got hot"));
    assert_int_equal(r.made, 3);
    assert_int_equal(r.undone, 1);
    world_expect(&w, ASLR, "2\n");
    world_reset(&w, false);
    world_close(&w);
}

static void what_must_be_held_is_not_done_by_who_does_not_stay(void **state)
{
    (void)state;
    struct world w;
    world_open(&w);
    add_two_files(&w);
    world_put(&w, "/dev/cpu_dma_latency", "2000000000\n");
    world_add(&w, SETTING_HELD, FORM_TEXT, STAGE_HELD, "/dev/cpu_dma_latency", NULL, "0");
    struct buf before = world_shot(&w);
    struct tune_report r = tune_with(&w, &(struct tune_options){.lasting = true});
    assert_int_equal(world_change(&r, "/dev/cpu_dma_latency")->outcome, CHANGE_REFUSED);
    r = tune_with(&w, NULL);
    assert_int_equal(world_change(&r, "/dev/cpu_dma_latency")->outcome, CHANGE_MADE);
    world_reset(&w, false);
    world_same(&w, &before, "held", 0);
    buf_finish(&before);
    world_close(&w);
}

static void a_setting_outside_of_what_may_be_tuned_is_refused_by_the_journal(void **state)
{
    (void)state;
    static const char pattern[] = "/proc/sys/kernel/core_pattern";
    struct world w;
    world_open(&w);
    add_two_files(&w);
    world_put(&w, pattern, "core\n");
    world_add(&w, SETTING_FILE, FORM_TEXT, STAGE_SYSCTL, pattern, "core", "|/tmp/x");
    struct tune_report r = world_tune(&w);
    assert_int_equal(world_change(&r, pattern)->outcome, CHANGE_REFUSED);
    assert_int_equal(r.made, 2);
    world_expect(&w, pattern, "core\n");
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_files_are_changed_and_come_back),
        cmocka_unit_test(tuning_twice_keeps_the_first_values),
        cmocka_unit_test(what_somebody_else_changed_is_left_alone_unless_forced),
        cmocka_unit_test(a_governor_that_somebody_else_chose_is_left_alone),
        cmocka_unit_test(a_change_of_somebody_else_between_two_tunings_is_not_overwritten),
        cmocka_unit_test(what_was_put_back_by_hand_needs_nothing),
        cmocka_unit_test(after_a_reboot_nothing_is_written),
        cmocka_unit_test(tuning_after_a_reboot_saves_anew),
        cmocka_unit_test(a_session_takes_back_its_own_changes_and_leaves_those_of_the_user),
        cmocka_unit_test(a_refusal_at_any_step_is_said_and_undone),
        cmocka_unit_test(a_refusal_while_resetting_is_kept_for_the_next_reset),
        cmocka_unit_test(where_everything_is_refused_tuning_fails_and_leaves_nothing),
        cmocka_unit_test(a_read_only_mount_is_named_as_what_it_is),
        cmocka_unit_test(what_reads_back_otherwise_is_said_and_undone),
        cmocka_unit_test(files_that_went_are_said_and_the_others_come_back),
        cmocka_unit_test(a_number_that_another_interrupt_has_by_now_is_not_written),
        cmocka_unit_test(a_setting_whose_owner_cannot_be_read_stays_to_be_undone),
        cmocka_unit_test(a_tree_without_a_boot_id_is_tuned_and_put_back),
        cmocka_unit_test(a_boot_id_that_is_told_later_is_no_reboot),
        cmocka_unit_test(where_nobody_knows_which_boot_this_is_nothing_is_done),
        cmocka_unit_test(tasks_that_came_later_leave_with_the_group),
        cmocka_unit_test(what_another_program_steers_is_left_to_it_unless_asked_for),
        cmocka_unit_test(a_battery_is_warned_of),
        cmocka_unit_test(a_group_that_made_things_worse_is_taken_back_and_the_rest_stays),
        cmocka_unit_test(what_is_held_and_made_things_worse_is_let_go_and_said),
        cmocka_unit_test(what_must_be_held_is_not_done_by_who_does_not_stay),
        cmocka_unit_test(a_setting_outside_of_what_may_be_tuned_is_refused_by_the_journal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
