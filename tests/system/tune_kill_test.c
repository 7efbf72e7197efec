/* SPDX-License-Identifier: MIT
 *
 * Death at every step. Each step that changes something, of the journal or of the machine, is the last one of a process once; then another process resets, and no file
 * may differ from the start. With the argument "old-kernel" the watchdog alone is tested, where the kernel has neither pidfd_open (Linux 5.3) nor close_range (5.9).
 */
#include "plat.h"
#include "tune_world.h"
#include "watchdog.h"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { STEPS_MAX = 400 };

static uint64_t seeds = 2; /* starting states; the first argument */
static int cuts_left;      /* the last of them kills; 0: none does */

/* Instead of the C library's. */
int ftruncate(int fd, off_t bytes)
{
    if (cuts_left && !--cuts_left)
        kill(getpid(), SIGKILL);
    return (int)syscall(SYS_ftruncate, fd, bytes);
}

/* A world at its start, with what its kernel does when values are written. */
static void open_furnished(struct world *w, uint64_t seed, bool moves)
{
    struct rng r = rng_seeded(seed);
    world_open(w);
    world_furnish(w, &r);
    w->at_step = moves ? world_kernel_moves : NULL;
}

static int steps_of(struct world *w, int (*run)(struct world *w))
{
    struct buf before = world_shot(w);
    w->step = 0;
    assert_int_equal(run(w), 0);
    int steps = w->step;
    buf_finish(&before);
    return steps;
}

/* Dies at the step; false: it got by without. */
static bool dies(struct world *w, int (*run)(struct world *w), int step)
{
    w->step = 0;
    w->die_at = step;
    int end = world_apart(w, run);
    w->die_at = 0;
    w->step = 0;
    if (end)
        assert_int_equal(end, -SIGKILL);
    return end;
}

static void reset_apart(struct world *w, const struct buf *before, const char *when, int step)
{
    assert_int_equal(world_apart(w, world_run_reset), 0);
    world_same(w, before, when, step);
    assert_false(world_journal_there(w));
}

/* ---- tests ---- */

static void die_while_tuning(uint64_t seed, bool moves)
{
    struct world w;
    open_furnished(&w, seed, moves);
    struct buf before = world_shot(&w);
    int step = 1;
    for (; step < STEPS_MAX && dies(&w, world_run_tune, step); step++)
        reset_apart(&w, &before, "killed while tuning, at step", step);
    reset_apart(&w, &before, "tuned whole, steps", step);
    assert_in_range(step, 40, STEPS_MAX - 1);
    buf_finish(&before);
    world_close(&w);
}

static void a_tuner_killed_at_any_step_leaves_enough_to_undo_all(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= seeds; seed++)
        die_while_tuning(seed, seed % 2);
}

static void die_while_resetting(uint64_t seed, bool moves)
{
    struct world w;
    open_furnished(&w, seed, moves);
    struct buf before = world_shot(&w);
    bool died = true;
    int step = 1;
    for (; step < STEPS_MAX && died; step++) {
        assert_int_equal(world_apart(&w, world_run_tune), 0);
        died = dies(&w, world_run_reset, step);
        reset_apart(&w, &before, "killed while resetting, at step", step);
    }
    assert_in_range(step, 20, STEPS_MAX - 1);
    buf_finish(&before);
    world_close(&w);
}

static void a_reset_killed_at_any_step_is_finished_by_the_next(void **state)
{
    (void)state;
    for (uint64_t seed = 11; seed < 11 + seeds / 2; seed++)
        die_while_resetting(seed, seed % 2);
}

/* A value that takes the place of a longer one is two calls of the system. */
static void a_reset_killed_before_it_cuts_off_what_was_longer_is_finished_by_the_next(void **state)
{
    (void)state;
    struct world w;
    open_furnished(&w, 11, false);
    struct buf before = world_shot(&w);
    bool died = true;
    int cut = 1;
    for (; cut < STEPS_MAX && died; cut++) {
        assert_int_equal(world_apart(&w, world_run_tune), 0);
        cuts_left = cut;
        died = dies(&w, world_run_reset, 0);
        cuts_left = 0;
        reset_apart(&w, &before, "killed while resetting, before the cut", cut);
    }
    assert_in_range(cut, 4, STEPS_MAX - 1);
    buf_finish(&before);
    world_close(&w);
}

/* Every step of tuning, and then every step of the reset that follows. */
static void two_deaths_in_a_row_are_no_worse_than_one(void **state)
{
    (void)state;
    struct world w;
    open_furnished(&w, 42, true);
    w.look.n_settings = 4; /* a policy */
    struct buf before = world_shot(&w);
    bool tuner_died = true;
    for (int step = 1; step < STEPS_MAX && tuner_died; step++) {
        bool died = true;
        for (int again = 1; again < STEPS_MAX && died; again++) {
            tuner_died = dies(&w, world_run_tune, step);
            died = dies(&w, world_run_reset, again);
            reset_apart(&w, &before, "killed twice, first at step", step);
        }
    }
    assert_false(tuner_died);
    buf_finish(&before);
    world_close(&w);
}

static void tuning_again_after_a_death_keeps_the_first_values(void **state)
{
    (void)state;
    struct world w;
    open_furnished(&w, 5, true);
    struct buf before = world_shot(&w);
    bool died = true;
    for (int step = 1; step < STEPS_MAX && died; step++) {
        died = dies(&w, world_run_tune, step);
        assert_int_equal(world_apart(&w, world_run_tune), 0);
        reset_apart(&w, &before, "tuned again after a death at step", step);
    }
    assert_false(died);
    buf_finish(&before);
    world_close(&w);
}

/* Not between steps but anywhere, in the middle of a write too. */
static void a_tuner_killed_at_any_moment_leaves_enough_to_undo_all(void **state)
{
    (void)state;
    struct rng r = rng_seeded(99);
    struct world w;
    open_furnished(&w, 3, false);
    struct buf before = world_shot(&w);
    for (uint64_t i = 0; i < 15 * seeds; i++) {
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (!pid)
            _exit(world_run_tune(&w));
        usleep((useconds_t)rng_below(&r, 60000));
        kill(pid, SIGKILL);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        reset_apart(&w, &before, "killed at a moment, number", (int)i);
    }
    buf_finish(&before);
    world_close(&w);
}

/* ---- with a watchdog ---- */

static int tune_guarded(struct world *w)
{
    struct tune_report report = {.arena = &w->arena};
    struct journal *j = NULL;
    struct watchdog *g = NULL;
    struct tare_err err = {.text = ""};
    if (w->mortal == getpid())
        close(STDERR_FILENO); /* what a watchdog says is not for the test's log */
    enum tare_status status = journal_open(&j, NULL, &w->root, &err);
    if (!status)
        status = watchdog_start(&g, &w->root, j, &err);
    if (!status)
        status = tune_apply(&w->look, j, NULL, &report, &err);
    if (!status && w->die_at == -1)
        kill(getpid(), SIGKILL);
    if (!status)
        status = tune_reset(&w->root, j, false, &report, &err);
    if (!status)
        status = watchdog_end(g, &err);
    journal_close(j);
    return -(int)status;
}

/* Grandchildren become ours, so that their end can be waited for. */
static void wait_for_watchdog(void)
{
    int status;
    pid_t pid;
    do
        pid = waitpid(-1, &status, 0);
    while (pid < 0 && errno == EINTR);
    assert_true(pid > 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void a_watchdog_undoes_what_a_killed_owner_did(void **state)
{
    (void)state;
    struct world w;
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
    open_furnished(&w, 7, true);
    struct buf before = world_shot(&w);
    int steps = steps_of(&w, tune_guarded);
    for (int step = 1; step <= steps; step++) {
        bool died = dies(&w, tune_guarded, step);
        if (died && step > 0)
            wait_for_watchdog();
        world_same(&w, &before, "guarded, killed at step", step);
        assert_false(world_journal_there(&w));
    }
    buf_finish(&before);
    world_close(&w);
}

/* A child that goes on holds all that its parent held. */
static int die_with_a_child_left(struct world *w)
{
    struct tune_report report = {.arena = &w->arena};
    struct journal *j = NULL;
    struct watchdog *g = NULL;
    close(STDERR_FILENO);
    if (journal_open(&j, NULL, &w->root, NULL) || watchdog_start(&g, &w->root, j, NULL) ||
        tune_apply(&w->look, j, NULL, &report, NULL))
        return 1;
    pid_t pid = fork();
    while (!pid)
        pause();
    char path[300], id[32];
    snprintf(path, sizeof path, "%s/var/child", w->path);
    snprintf(id, sizeof id, "%d", (int)pid);
    FILE *f = fopen(path, "w");
    if (!f || fputs(id, f) < 0 || fclose(f))
        return 2;
    kill(getpid(), SIGKILL);
    return 3;
}

static void a_child_that_lives_on_does_not_keep_the_watchdog_waiting(void **state)
{
    (void)state;
    struct world w;
    struct buf id = BUF_INIT(64);
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
    open_furnished(&w, 10, false);
    struct buf before = world_shot(&w);
    assert_int_equal(world_apart(&w, die_with_a_child_left), -SIGKILL);
    assert_int_equal(root_read(&w.root, "/var/child", &id, NULL), TARE_OK);
    wait_for_watchdog(); /* the child never ends by itself */
    world_same(&w, &before, "guarded, with a child left", 0);
    pid_t child = (pid_t)atoi(buf_text(&id));
    assert_true(child > 1);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    buf_finish(&id);
    buf_finish(&before);
    world_close(&w);
}

static void that_a_watchdog_was_killed_is_said(void **state)
{
    (void)state;
    struct world w;
    struct journal *j;
    struct watchdog *g;
    struct tune_report report;
    struct tare_err err = {.text = ""};
    open_furnished(&w, 10, false);
    struct buf before = world_shot(&w);
    report = (struct tune_report){.arena = &w.arena};
    assert_int_equal(journal_open(&j, NULL, &w.root, NULL), TARE_OK);
    assert_int_equal(watchdog_start(&g, &w.root, j, NULL), TARE_OK);
    assert_int_equal(tune_apply(&w.look, j, NULL, &report, NULL), TARE_OK);
    assert_int_equal(kill(watchdog_pid(g), SIGTERM), 0); /* which it does not heed */
    assert_int_equal(kill(watchdog_pid(g), SIGKILL), 0);
    assert_int_equal(tune_reset(&w.root, j, false, &report, NULL), TARE_OK);
    assert_int_equal(watchdog_end(g, &err), TARE_IO);
    assert_non_null(strstr(err.text, "was ended by SIGKILL"));
    journal_close(j);
    world_same(&w, &before, "without its watchdog", 0);
    buf_finish(&before);
    world_close(&w);
}

static void a_watchdog_that_was_stopped_keeps_nobody_waiting(void **state)
{
    (void)state;
    struct world w;
    struct journal *j;
    struct watchdog *g;
    int how;
    open_furnished(&w, 10, false);
    assert_int_equal(journal_open(&j, NULL, &w.root, NULL), TARE_OK);
    assert_int_equal(watchdog_start(&g, &w.root, j, NULL), TARE_OK);
    assert_int_equal(kill(watchdog_pid(g), SIGSTOP), 0);
    assert_int_equal(waitpid(watchdog_pid(g), &how, WUNTRACED), watchdog_pid(g));
    assert_true(WIFSTOPPED(how));
    assert_int_equal(watchdog_end(g, NULL), TARE_OK);
    journal_close(j);
    world_close(&w);
}

static void a_watchdog_leaves_in_peace_when_its_owner_has_undone_all(void **state)
{
    (void)state;
    struct world w;
    open_furnished(&w, 8, false);
    struct buf before = world_shot(&w);
    assert_int_equal(world_apart(&w, tune_guarded), 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* nobody is left */
    world_same(&w, &before, "guarded", 0);
    buf_finish(&before);
    world_close(&w);
}

/* ---- two at once ---- */

/* Whether this system tells who holds locks: there are some that tell nothing, or nothing of this file system. */
static bool locks_name(int pid)
{
    struct buf locks = BUF_INIT(1 << 22), wanted = BUF_INIT(64);
    buf_format(&wanted, " FLOCK  ADVISORY  WRITE %d ", pid);
    bool named = !plat_file_read("/proc/locks", &locks, NULL) && strstr(buf_text(&locks), buf_text(&wanted));
    buf_finish(&locks);
    buf_finish(&wanted);
    return named;
}

static int tune_is_refused(struct world *w)
{
    struct journal *j;
    struct tare_err err;
    struct buf holder = BUF_INIT(64);
    if (journal_open(&j, NULL, &w->root, &err) != TARE_BUSY)
        return 1;
    buf_format(&holder, "process %d, ", getppid());
    bool named = strstr(err.text, buf_text(&holder)) != NULL;
    buf_finish(&holder);
    return named == locks_name(getppid()) ? 0 : 2;
}

/* The child of the one that took the lock, with the lock and without a name. */
static int tune_behind_a_dead_tuner(struct world *w)
{
    struct journal *j;
    struct tare_err err;
    int ready[2], go[2];
    char byte;
    pid_t owner = pipe(ready) || pipe(go) ? -1 : fork();
    if (owner < 0)
        return 3;
    if (!owner) {
        if (journal_open(&j, NULL, &w->root, &err) || fork())
            _exit(0);
        close(go[1]);
        (void)!write(ready[1], "", 1);
        (void)!read(go[0], &byte, 1);
        _exit(0);
    }
    close(ready[1]);
    if (waitpid(owner, NULL, 0) != owner || read(ready[0], &byte, 1) != 1)
        return 4;
    bool refused = journal_open(&j, NULL, &w->root, &err) == TARE_BUSY, named = strstr(err.text, "process");
    close(go[1]);
    (void)!read(ready[0], &byte, 1); /* until it has ended */
    return !refused ? 1 : named ? 2 : 0;
}

static void a_second_tuner_is_sent_away_while_one_is_at_work(void **state)
{
    (void)state;
    struct world w;
    struct journal *j;
    open_furnished(&w, 9, false);
    assert_int_equal(journal_open(&j, NULL, &w.root, NULL), TARE_OK);
    assert_int_equal(world_apart(&w, tune_is_refused), 0);
    journal_close(j);
    assert_int_equal(world_apart(&w, tune_behind_a_dead_tuner), 0);
    assert_int_equal(world_apart(&w, world_run_tune), 0);
    assert_int_equal(world_apart(&w, world_run_reset), 0);
    world_close(&w);
}

/* ---- an old kernel ---- */

#ifdef SYS_pidfd_open
/* From here on this process and its children are told that there are no such calls. False: it cannot be had here. */
static bool grow_old(void)
{
    enum { CLOSE_RANGE = 436 }; /* the same on every machine; older headers do not name it */
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CLOSE_RANGE, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof code / sizeof *code, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        return false;
    return syscall(SYS_pidfd_open, getpid(), 0) < 0 && errno == ENOSYS;
}
#else
static bool grow_old(void)
{
    return true;
}
#endif

int main(int argc, char **argv)
{
    enum { NOT_TESTED = 77 };
    bool old = argc > 1 && !strcmp(argv[1], "old-kernel");
    if (old && !grow_old()) {
        print_message("calls of the kernel cannot be taken away here: nothing is tested\n");
        return NOT_TESTED;
    }
    if (argc > 1 && !old)
        seeds = (uint64_t)atoi(argv[1]);
    const struct CMUnitTest deaths[] = {
        cmocka_unit_test(a_tuner_killed_at_any_step_leaves_enough_to_undo_all),
        cmocka_unit_test(a_reset_killed_at_any_step_is_finished_by_the_next),
        cmocka_unit_test(a_reset_killed_before_it_cuts_off_what_was_longer_is_finished_by_the_next),
        cmocka_unit_test(two_deaths_in_a_row_are_no_worse_than_one),
        cmocka_unit_test(tuning_again_after_a_death_keeps_the_first_values),
        cmocka_unit_test(a_tuner_killed_at_any_moment_leaves_enough_to_undo_all),
        cmocka_unit_test(a_second_tuner_is_sent_away_while_one_is_at_work),
    };
    const struct CMUnitTest guarded[] = {
        cmocka_unit_test(a_watchdog_undoes_what_a_killed_owner_did),
        cmocka_unit_test(a_child_that_lives_on_does_not_keep_the_watchdog_waiting),
        cmocka_unit_test(that_a_watchdog_was_killed_is_said),
        cmocka_unit_test(a_watchdog_that_was_stopped_keeps_nobody_waiting),
        cmocka_unit_test(a_watchdog_leaves_in_peace_when_its_owner_has_undone_all),
    };
    int failed = cmocka_run_group_tests_name(old ? "watchdog of an old kernel" : "watchdog", guarded, NULL, NULL);
    return old ? failed : failed + cmocka_run_group_tests_name("killed at every step", deaths, NULL, NULL);
}
