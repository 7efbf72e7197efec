/* SPDX-License-Identifier: MIT
 *
 * What explains a run, live: whose account it is, what it waited, where it ran.
 */
#include "plat_clock.h"
#include "plat_world.h"
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* A kernel without TASK_DELAY_ACCT, or a /proc that is not ours, has none. */
static void skip_without_account(const struct plat_child_result *r)
{
    if (isnan(r->delay_ns))
        skip();
}

static int another_cpu(int than)
{
    for (int cpu = 0; cpu < 1024; cpu++)
        if (cpu != than && plat_cpu_allowed(cpu))
            return cpu;
    return -1;
}

static void one_thread_speaks_for_the_whole_run(void **state)
{
    (void)state;
    const char *const programs[] = {plat_noop_path(spawner), PROBE, PROBE_STATIC};
    int beyond = 0;
    for (int i = 0; i < 30; i++) {
        struct plat_child_result r = run_quietly(ARGS(programs[i % 3], "exit", "0"));
        skip_without_account(&r);
        assert_true(r.whole);
        assert_true(r.run_ns > 0 && r.delay_ns >= 0);
        /* The thread's account begins at its clone, some 10 us of work before the stamp, in which a machine may stand still for any time. */
        beyond += r.run_ns > (double)(r.end_ns - r.start_ns) + 1e6;
        assert_true(plat_cpu_allowed(r.first_cpu) && plat_cpu_allowed(r.last_cpu));
    }
    assert_in_range(beyond, 0, 5);
}

static void threads_and_children_are_not_taken_for_one_thread(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        struct plat_child_result r = run_quietly(ARGS(PROBE, i % 2 ? "thread" : "brood"));
        skip_without_account(&r);
        assert_ends(r, CHILD_EXITED, 0);
        assert_false(r.whole);
    }
}

static void a_child_left_behind_was_not_waited_for_and_counts_for_nothing(void **state)
{
    (void)state;
    struct plat_child_result r = run_quietly(ARGS(PROBE, "stray"));
    skip_without_account(&r);
    assert_true(r.whole);
}

/* It spins when this returns. */
static pid_t start_spinner(int cpu)
{
    int ready[2];
    char byte = 0;
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    if (pid) {
        close(ready[1]);
        assert_int_equal(read(ready[0], &byte, 1), 1);
        close(ready[0]);
        return pid;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
    if (write(ready[1], &byte, 1) != 1)
        _exit(1);
    for (;;)
        ;
}

static void a_spinner_on_the_same_cpu_makes_it_wait(void **state)
{
    (void)state;
    struct plat_child_spec spec = spec_for(ARGS(PROBE_STATIC, "burn", "60"));
    spec.pin_cpu = another_cpu(-1);
    pid_t spinner = start_spinner(spec.pin_cpu);
    struct plat_child_result r = run_spec(&spec);
    kill(spinner, SIGKILL);
    waitpid(spinner, NULL, 0);
    skip_without_account(&r);
    assert_ends(r, CHILD_EXITED, 0);
    assert_true(r.delay_ns > 0.01 * (double)(r.end_ns - r.start_ns));
    assert_true(r.ctx_involuntary > 0);
    assert_int_equal(r.first_cpu, spec.pin_cpu);
    assert_int_equal(r.last_cpu, spec.pin_cpu);
}

/* A shell below a spinner: its child, which burns, waits. Known where the kernel tells (as root), and unless a task was preempted behind the
 * kernel's record of its end, as on a busy machine now and then: that is no figure, and the next run is asked. Both may wait at once. */
static void what_a_script_and_its_program_waited_is_counted(void **state)
{
    (void)state;
    struct plat_child_spec spec = spec_for(ARGS("/bin/sh", "-c", PROBE_STATIC " burn 60; exit 0"));
    struct plat_child_result r = run_spec(&spec);
    assert_true(isnan(r.tree_delay_ns) && r.tasks_counted == 0); /* who does not ask is not told */
    spec.count_waits = true;
    spec.pin_cpu = another_cpu(-1);
    pid_t spinner = start_spinner(spec.pin_cpu);
    for (int i = 0; i < 10 && isnan(r.tree_delay_ns); i++)
        r = run_spec(&spec);
    kill(spinner, SIGKILL);
    waitpid(spinner, NULL, 0);
    skip_without_account(&r);
    if (!r.tasks_counted)
        skip();
    assert_ends(r, CHILD_EXITED, 0);
    assert_false(r.whole);
    assert_true(r.tasks_counted >= 2);
    const double wall = (double)(r.end_ns - r.start_ns);
    assert_true(r.tree_delay_ns > 0.01 * wall && r.tree_delay_ns < 2 * wall);
    assert_true(r.tree_delay_least_ns > 0.01 * wall && r.tree_delay_least_ns <= r.tree_delay_ns);
}

/* What lives on is in no record. */
static void a_child_that_is_left_behind_leaves_the_waiting_unknown(void **state)
{
    (void)state;
    const char *file = scratch("left");
    struct plat_child_spec spec = spec_for(ARGS(PROBE, "orphan", file));
    spec.count_waits = true;
    struct plat_child_result r = run_spec(&spec);
    const int left = read_pid(file);
    assert_true(left > 0);
    kill(left, SIGKILL);
    assert_true(isnan(r.tree_delay_ns) && isnan(r.tree_delay_least_ns));
}

static void a_program_that_moves_ends_on_another_cpu(void **state)
{
    (void)state;
    int from = another_cpu(-1), to = another_cpu(from);
    if (to < 0)
        skip();
    char cpu[16];
    snprintf(cpu, sizeof cpu, "%d", to);
    struct plat_child_spec spec = spec_for(ARGS(PROBE, "move", cpu));
    spec.pin_cpu = from;
    struct plat_child_result r = run_spec(&spec);
    skip_without_account(&r);
    assert_ends(r, CHILD_EXITED, 0);
    assert_int_equal(r.first_cpu, from);
    assert_int_equal(r.last_cpu, to);
}

/* After an exec by another thread the account is that one's, which may have had a CPU as often as the first had before the start. */
static void a_program_whose_thread_executes_another_ends_where_that_runs(void **state)
{
    (void)state;
    int from = another_cpu(-1), to = another_cpu(from);
    if (to < 0)
        skip();
    char cpu[16];
    snprintf(cpu, sizeof cpu, "%d", to);
    struct plat_child_spec spec = spec_for(ARGS(PROBE, "pass", cpu, PROBE_STATIC, "exit", "0"));
    spec.pin_cpu = from;
    for (int i = 0; i < 50; i++) {
        struct plat_child_result r = run_spec(&spec);
        skip_without_account(&r);
        assert_ends(r, CHILD_EXITED, 0);
        assert_int_equal(r.first_cpu, from);
        assert_int_equal(r.last_cpu, to);
    }
}

static void waiting_before_the_start_is_not_the_programs(void **state)
{
    (void)state;
    struct plat_counter *counter;
    struct tare_err err;
    if (plat_counter_open(&counter, spawner, "task-clock", &err)) /* it holds the child before its exec */
        skip();
    struct plat_child_spec spec = spec_for(ARGS(PROBE, "exit", "0"));
    spec.cwd = "/";
    struct plat_child_result r = run_spec(&spec);
    plat_counter_close(counter);
    skip_without_account(&r);
    assert_true(r.whole);
    const double wall = (double)(r.end_ns - r.start_ns);
    assert_true(r.run_ns + r.delay_ns <= wall + wall / 1000 + 1); /* the scheduler's clock is not slewed as ours may be */
}

static void the_chain_is_timed_where_it_is_asked_for(void **state)
{
    (void)state;
    struct plat_child_spec spec = spec_for(ARGS(PROBE, "exit", "0"));
    assert_int_equal(run_spec(&spec).chain_ticks, 0);
    if (plat_ticks_allowed(NULL))
        skip();
    spec.chain = true;
    assert_true(run_spec(&spec).chain_ticks > 0);
}

static void a_program_that_did_not_start_has_no_account(void **state)
{
    (void)state;
    struct plat_child_result r = run_quietly(ARGS("/nowhere/nothing"));
    assert_ends(r, CHILD_NOT_STARTED, 2);
    assert_true(isnan(r.run_ns) && isnan(r.delay_ns) && r.first_cpu == -1 && r.last_cpu == -1 && !r.whole);
}

TESTS(account, cmocka_unit_test(one_thread_speaks_for_the_whole_run),
      cmocka_unit_test(threads_and_children_are_not_taken_for_one_thread),
      cmocka_unit_test(a_child_left_behind_was_not_waited_for_and_counts_for_nothing),
      cmocka_unit_test(a_spinner_on_the_same_cpu_makes_it_wait),
      cmocka_unit_test(what_a_script_and_its_program_waited_is_counted),
      cmocka_unit_test(a_child_that_is_left_behind_leaves_the_waiting_unknown),
      cmocka_unit_test(a_program_that_moves_ends_on_another_cpu),
      cmocka_unit_test(a_program_whose_thread_executes_another_ends_where_that_runs),
      cmocka_unit_test(waiting_before_the_start_is_not_the_programs), cmocka_unit_test(the_chain_is_timed_where_it_is_asked_for),
      cmocka_unit_test(a_program_that_did_not_start_has_no_account));
