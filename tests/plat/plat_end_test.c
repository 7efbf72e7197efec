/* SPDX-License-Identifier: MIT
 * How a run ends when the program does not: time limits, interruptions, processes left behind, pipes. */
#include "plat_world.h"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const int64_t SECOND = 1000000000;

static void a_timeout_ends_the_whole_group(void **state)
{
    (void)state;
    const char *other = scratch("other"), *own = scratch("own");
    struct plat_child_result r = run_into_limit(spec_for(ARGS(PROBE, "family", other, own)), ARGS(own, other));
    assert_int_equal(r.end, CHILD_TIMED_OUT);
    assert_true(r.end_ns - r.start_ns >= SECOND / 4);
    assert_true(read_pid(own) > 0 && gone(read_pid(own)));
    assert_true(read_pid(other) > 0 && gone(read_pid(other))); /* killed and reaped before the call returns */
}

static void a_timeout_ends_what_left_the_group_too(void **state)
{
    (void)state;
    const char *earlier = scratch("earlier"), *first = scratch("first"), *second = scratch("second");
    assert_ends(run_quietly(ARGS(PROBE, "left", earlier)), CHILD_EXITED, 0); /* as a hook starts a server */
    struct plat_child_result r = run_into_limit(spec_for(ARGS(PROBE, "sessions", first, second)), ARGS(first, second));
    const int pids[] = {read_pid(earlier), read_pid(first), read_pid(second)};
    bool lived[3];
    for (int i = 0; i < 3; i++) {
        lived[i] = pids[i] > 0 && !gone(pids[i]);
        if (lived[i])
            kill(pids[i], SIGKILL); /* before anything can fail: left alive they would hold the tests' output */
    }
    assert_int_equal(r.end, CHILD_TIMED_OUT);
    assert_true(pids[0] > 0 && pids[1] > 0 && pids[2] > 0);
    assert_true(lived[0]); /* it was there before the run */
    assert_false(lived[1]);
    assert_false(lived[2]);
}

static void a_timeout_does_not_touch_a_program_that_ends_in_time(void **state)
{
    (void)state;
    struct plat_child_spec spec = spec_for(ARGS(PROBE, "exit", "4"));
    spec.timeout_ns = 1000 * SECOND;
    assert_ends(run_spec(&spec), CHILD_EXITED, 4);
    assert_ends(run_quietly(ARGS(PROBE, "exit", "5")), CHILD_EXITED, 5);
}

static void a_very_short_timeout_is_a_timeout(void **state)
{
    (void)state;
    struct plat_child_spec spec = spec_for(ARGS("/bin/sleep", "1000"));
    spec.timeout_ns = 1;
    assert_ends(run_spec(&spec), CHILD_TIMED_OUT, SIGKILL);
}

static void a_stopped_program_ends_by_its_timeout(void **state)
{
    (void)state;
    struct plat_child_spec spec = spec_for(ARGS(PROBE, "stop", "19")); /* SIGSTOP */
    spec.timeout_ns = SECOND / 2;
    assert_ends(run_spec(&spec), CHILD_TIMED_OUT, SIGKILL);
}

/* The process in the variable `who` is stopped, and goes on some time after it is, as its parent sees a stop only while that lasts. */
#define PAUSE                                                                                                                   \
    "(until grep -qs '^State:.T' /proc/$who/status || [ ! -e /proc/$who ]; do sleep 0.05; done; sleep 0.3; kill -CONT $who) & " \
    "kill -STOP $who"

static void a_run_that_a_signal_paused_says_so(void **state)
{
    (void)state;
    assert_true(run_quietly(ARGS("/bin/sh", "-c", "who=$$; " PAUSE)).paused);
    assert_false(run_quietly(ARGS("/bin/sh", "-c", "exit 0")).paused);
    assert_true(run_quietly(ARGS("/bin/sh", "-c", "who=$PPID; " PAUSE)).paused); /* who reads the clock at its end */
    assert_false(run_quietly(ARGS("/bin/sh", "-c", "exit 0")).paused);
}

static void wait_for_stop(int pid, bool stopped)
{
    char path[64], line[256], mark = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    for (FILE *f; (f = fopen(path, "r")) && (mark == 'T') != stopped; usleep(1000)) {
        if (!fgets(line, sizeof line, f) || sscanf(line, "%*d (%*[^)]) %c", &mark) != 1)
            mark = 0;
        fclose(f);
        if (!mark)
            return;
    }
}

/* Stops a program and lets it go on while the helper, whose id comes behind that of the program, is kept from running: exit code 77, it may not be. */
static void stop_unseen(const char *pids, const char *go)
{
    int program = 0, helper = 0, status;
    for (FILE *f = NULL; helper == 0; usleep(1000))
        if ((f = fopen(pids, "r"))) {
            if (fscanf(f, "%d %d\n", &program, &helper) != 2)
                helper = 0;
            fclose(f);
        }
    const bool kept = !ptrace(PTRACE_SEIZE, helper, NULL, NULL) && !ptrace(PTRACE_INTERRUPT, helper, NULL, NULL) &&
                      waitpid(helper, &status, __WALL) == helper;
    kill(program, SIGSTOP);
    wait_for_stop(program, true);
    kill(program, SIGCONT);
    wait_for_stop(program, false);
    ptrace(PTRACE_DETACH, helper, NULL, NULL);
    fclose(fopen(go, "w"));
    _exit(kept ? 0 : 77);
}

static void a_stop_that_ends_before_anybody_looks_is_told_too(void **state)
{
    (void)state;
    const char *pids = scratch("pids"), *go = scratch("go");
    int status = 0;
    unlink(pids);
    unlink(go);
    const pid_t other = fork();
    if (!other)
        stop_unseen(pids, go);
    const struct plat_child_result r =
        run_quietly(ARGS("/bin/sh", "-c", "echo $$ $PPID >\"$0\"; until [ -e \"$1\" ]; do sleep 0.01; done; exit 3", pids, go));
    assert_int_equal(waitpid(other, &status, 0), other);
    assert_ends(r, CHILD_EXITED, 3);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    assert_true(r.paused);
}

static void a_program_cannot_be_put_aside(void **state)
{
    (void)state;
    const struct plat_child_result r = run_quietly(ARGS(PROBE, "stop", "20")); /* SIGTSTP: goes on */
    assert_ends(r, CHILD_EXITED, 7);
    assert_false(r.paused);
    assert_ends(run_quietly(ARGS(PROBE, "stop", "21")), CHILD_SIGNALLED, SIGTTIN); /* wants a terminal to read */
    assert_ends(run_quietly(ARGS(PROBE, "stop", "22")), CHILD_SIGNALLED, SIGTTOU); /* or to write */
    assert_ends(run_quietly(ARGS(PROBE, "exit", "0")), CHILD_EXITED, 0);
}

static void a_process_left_behind_holding_the_pipe_does_not_delay_the_end(void **state)
{
    (void)state;
    const char *file = scratch("orphan");
    struct plat_child_spec spec = spec_for(ARGS(PROBE, "orphan", file));
    int write_end;
    struct tare_err err;
    assert_ok(plat_pipe(&spec.drain_fd, &write_end, &err));
    spec.fd_out = write_end;
    assert_ends(run_spec(&spec), CHILD_EXITED, 0);
    int pid = read_pid(file);
    assert_true(pid > 0);
    assert_int_equal(kill(pid, 0), 0); /* it lives, as after a start from a shell, and holds the pipe still */
    kill(pid, SIGKILL);
    plat_close(spec.drain_fd);
    plat_close(write_end);
    for (int i = 0; i < 12000 && !gone(pid); i++) {
        usleep(10000);
        run_quietly(ARGS(PROBE, "exit", "0")); /* each run reaps what earlier ones left */
    }
    assert_true(gone(pid));
}

static void a_gigabyte_through_a_pipe_is_drained(void **state)
{
    (void)state;
    struct plat_child_spec spec = spec_for(ARGS(PROBE, "spray", "1024"));
    int write_end;
    struct tare_err err;
    assert_ok(plat_pipe(&spec.drain_fd, &write_end, &err));
    spec.fd_out = write_end;
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    assert_ends(run_spec(&spec), CHILD_EXITED, 0);
    getrusage(RUSAGE_SELF, &after);
    assert_true(after.ru_maxrss - before.ru_maxrss < 4 << 10); /* KiB */
    plat_close(write_end);
    char byte;
    assert_int_equal(read(spec.drain_fd, &byte, 1), 0); /* nothing is left for the next run */
    plat_close(spec.drain_fd);
}

static void draining_ends_when_every_writer_has_closed(void **state)
{
    (void)state;
    struct plat_child_spec spec = spec_for(ARGS("/bin/sh", "-c", "echo x; exec >&-; sleep 0.1; exit 3"));
    int write_end;
    struct tare_err err;
    assert_ok(plat_pipe(&spec.drain_fd, &write_end, &err));
    plat_close(write_end); /* a pipe that is at its end from the start */
    assert_ends(run_spec(&spec), CHILD_EXITED, 3);
    plat_close(spec.drain_fd);
}

/* ---- system calls that fail ---- */

/* In this process and all that it starts: the call whose first argument is this. */
static bool fail_call(unsigned number, unsigned first, unsigned error)
{
    struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                                 BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 3),
                                 BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
                                 BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, first, 0, 1),
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const struct sock_fprog filter = {.len = sizeof code / sizeof *code, .filter = code};
    return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

static int drain_without_splice(void)
{
    struct plat_child_spec spec = spec_for(ARGS("/bin/sh", "-c", "head -c 1000000 /dev/zero"));
    struct plat_spawner *s;
    struct plat_child_result r;
    struct tare_err err = {{0}};
    if (plat_spawner_create(&s, NULL, &err) || plat_pipe(&spec.drain_fd, &spec.fd_out, &err))
        return unless(false, err.text);
    if (!fail_call(SYS_splice, (unsigned)spec.drain_fd, ENOMEM))
        return 77;
    spec.timeout_ns = 60 * SECOND;
    int failed = unless(!plat_child_run(s, &spec, &r, &err), err.text);
    plat_spawner_destroy(s);
    return failed | unless(r.end == CHILD_EXITED, "all that it wrote was taken");
}

static int hear_no_answer(void)
{
    struct plat_spawner *s;
    struct tare_err err = {{0}};
    if (!fail_call(SYS_sendto, 3, ENOBUFS)) /* descriptor 3 of the helper (spawn_block.h) */
        return 77;
    int failed = unless(plat_spawner_create(&s, NULL, &err) == TARE_IO, "it is an error");
    return failed | unless(strstr(err.text, "ended with code") != NULL, err.text);
}

static void a_failing_call_hangs_nobody(void **state)
{
    (void)state;
    int (*const bodies[])(void) = {drain_without_splice, hear_no_answer};
    for (int i = 0; i < 2; i++) {
        const int answer = in_process(bodies[i]);
        if (answer == 77) /* no filters here */
            skip();
        assert_int_equal(answer, 0);
    }
}

/* ---- signals to us ---- */

static char strike_file[256];

static struct plat_child_spec strike_at(char *pid, const char **argv, const char *number)
{
    snprintf(pid, 16, "%d", (int)getpid());
    argv[0] = PROBE;
    argv[1] = "strike";
    argv[2] = pid;
    argv[3] = number;
    argv[4] = strike_file;
    argv[5] = NULL;
    return spec_for(argv);
}

static int interrupted_by(const char *number)
{
    struct plat_spawner *s;
    struct plat_child_result r;
    char pid[16];
    const char *argv[6];
    if (plat_signals_watch() || plat_spawner_create(&s, NULL, NULL))
        return 1;
    struct plat_child_spec spec = strike_at(pid, argv, number);
    int failed = unless(!plat_child_run(s, &spec, &r, NULL), "the run was ours to make");
    failed |= unless(r.end == CHILD_INTERRUPTED, "it was interrupted");
    failed |= unless(plat_signal() && !strcmp(plat_signal_name(plat_signal()), argv[3][0] == '2'                 ? "SIGINT"
                                                                               : argv[3][0] == '1' && argv[3][1] ? "SIGTERM"
                                                                                                                 : "SIGHUP"),
                     "the signal is noted");
    failed |= unless(read_pid(strike_file) > 0 && gone(read_pid(strike_file)), "the program is gone");

    struct plat_child_spec quick = spec_for(ARGS(PROBE, "exit", "6"));
    failed |= unless(!plat_child_run(s, &quick, &r, NULL) && r.end == CHILD_INTERRUPTED, "nothing starts after a signal");
    quick.after_signal = true;
    failed |= unless(!plat_child_run(s, &quick, &r, NULL) && r.end == CHILD_EXITED && r.code == 6, "but what cleans up");
    int64_t before = plat_now_ns();
    plat_sleep_ns(1000 * SECOND);
    failed |= unless(plat_now_ns() - before < 900 * SECOND, "a sleep ends on a noted signal");
    plat_signal_clear();
    quick.after_signal = false;
    failed |= unless(!plat_child_run(s, &quick, &r, NULL) && r.end == CHILD_EXITED, "a forgotten signal stops nothing");
    plat_spawner_destroy(s);
    return failed;
}

static int interrupted_by_hup(void)
{
    return interrupted_by("1");
}

static int interrupted_by_int(void)
{
    return interrupted_by("2");
}

static int interrupted_by_term(void)
{
    return interrupted_by("15");
}

static void a_signal_to_us_ends_the_program_and_is_noted(void **state)
{
    (void)state;
    snprintf(strike_file, sizeof strike_file, "%s", scratch("strike"));
    assert_int_equal(in_process(interrupted_by_int), 0);
    assert_int_equal(in_process(interrupted_by_term), 0);
    assert_int_equal(in_process(interrupted_by_hup), 0);
}

static char left_file[256];

static int interrupted_beside_one_that_left(void)
{
    struct plat_spawner *s;
    struct plat_child_result r;
    char line[1024];
    if (plat_signals_watch() || plat_spawner_create(&s, NULL, NULL))
        return 1;
    snprintf(line, sizeof line, "'%s' left '%s'; kill -TERM %d; exec sleep 1000", PROBE, left_file, (int)getpid());
    struct plat_child_spec spec = spec_for(ARGS("/bin/sh", "-c", line));
    int failed = unless(!plat_child_run(s, &spec, &r, NULL) && r.end == CHILD_INTERRUPTED, "it was interrupted");
    int pid = read_pid(left_file);
    failed |= unless(pid > 0, "one had left the group");
    bool lives = pid > 0 && !gone(pid);
    if (lives)
        kill(pid, SIGKILL);
    failed |= unless(!lives, "it is gone too");
    plat_signal_clear();
    plat_spawner_destroy(s);
    return failed;
}

static void a_signal_to_us_ends_what_left_the_group_too(void **state)
{
    (void)state;
    snprintf(left_file, sizeof left_file, "%s", scratch("left"));
    assert_int_equal(in_process(interrupted_beside_one_that_left), 0);
}

static int die_of_the_second(void)
{
    if (plat_signals_watch())
        return 1;
    raise(SIGTERM);
    if (plat_signal() != SIGTERM)
        return 2;
    raise(SIGINT);
    return 3;
}

static int survive_one_delivered_twice(void)
{
    if (plat_signals_watch())
        return 1;
    raise(SIGTERM);
    raise(SIGTERM); /* as timeout(1) does it: to its child, then to the group */
    return plat_signal() == SIGTERM ? 0 : 2;
}

static int die_of_the_same_later(void)
{
    plat_signals_watch();
    raise(SIGTERM);
    usleep(150000);
    plat_signal_clear(); /* while cleaning up */
    raise(SIGTERM);
    return 3;
}

/* As the first process of a container, for which the kernel has no default actions. */
static int die_as_the_first_process(void)
{
    if (unshare(CLONE_NEWPID))
        return 77;
    pid_t first = fork();
    if (!first)
        _exit(die_of_the_same_later());
    int status;
    return waitpid(first, &status, 0) == first && WIFEXITED(status) ? WEXITSTATUS(status) : 4;
}

static int noted_number; /* of the next one */

static int note_one(void)
{
    plat_signals_watch();
    raise(noted_number);
    return plat_signal() != noted_number;
}

static int die_of_the_noted(void)
{
    if (note_one())
        return 1;
    plat_die_of(plat_signal());
}

static int stay_ignored(void)
{
    signal(SIGHUP, SIG_IGN);
    plat_signals_watch();
    raise(SIGHUP);
    if (plat_signal())
        return 1;
    raise(SIGINT);
    raise(SIGHUP); /* still ignored after the first that is not */
    return plat_signal() != SIGINT;
}

/* The process of the next run is there already, in our group. */
static int run_after_ignored_signals(void)
{
    struct plat_spawner *s;
    struct plat_child_result r;
    struct plat_child_spec spec = spec_for(ARGS(PROBE, "exit", "0"));
    setpgid(0, 0);
    signal(SIGHUP, SIG_IGN);
    plat_signals_watch();
    if (plat_spawner_create(&s, NULL, NULL))
        return 2;
    kill(0, SIGHUP);
    kill(0, SIGPIPE);
    const int failed = plat_child_run(s, &spec, &r, NULL) ? 3 : r.end != CHILD_EXITED || r.code;
    plat_spawner_destroy(s);
    return failed;
}

static void signals_that_we_ignore_do_not_end_the_next_program(void **state)
{
    (void)state;
    assert_int_equal(in_process(run_after_ignored_signals), 0);
}

static void a_second_signal_ends_us_at_once(void **state)
{
    (void)state;
    assert_int_equal(in_process(die_of_the_second), 1000 + SIGINT);
    const int noted[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU};
    for (size_t i = 0; i < sizeof noted / sizeof *noted; i++) {
        noted_number = noted[i];
        assert_int_equal(in_process(note_one), 0); /* it ends nothing by itself */
        assert_int_equal(in_process(die_of_the_noted), 1000 + noted[i]);
    }
    assert_int_equal(in_process(stay_ignored), 0);
}

static void a_second_signal_ends_the_first_process_of_a_container_too(void **state)
{
    (void)state;
    int answer = in_process(die_as_the_first_process);
    if (answer == 77)
        skip();
    assert_int_equal(answer, 128 + SIGTERM);
}

static void one_signal_delivered_twice_is_one(void **state)
{
    (void)state;
    int result = -1;
    for (int tries = 0; tries < 10 && result; tries++) /* a machine may pause between the two so long that they are two */
        result = in_process(survive_one_delivered_twice);
    assert_int_equal(result, 0);
    assert_int_equal(in_process(die_of_the_same_later), 1000 + SIGTERM);
}

TESTS(end, cmocka_unit_test(a_timeout_ends_the_whole_group), cmocka_unit_test(a_timeout_ends_what_left_the_group_too),
      cmocka_unit_test(a_timeout_does_not_touch_a_program_that_ends_in_time), cmocka_unit_test(a_very_short_timeout_is_a_timeout),
      cmocka_unit_test(a_stopped_program_ends_by_its_timeout), cmocka_unit_test(a_run_that_a_signal_paused_says_so),
      cmocka_unit_test(a_stop_that_ends_before_anybody_looks_is_told_too), cmocka_unit_test(a_program_cannot_be_put_aside),
      cmocka_unit_test(a_process_left_behind_holding_the_pipe_does_not_delay_the_end),
      cmocka_unit_test(a_gigabyte_through_a_pipe_is_drained), cmocka_unit_test(draining_ends_when_every_writer_has_closed),
      cmocka_unit_test(a_failing_call_hangs_nobody), cmocka_unit_test(a_signal_to_us_ends_the_program_and_is_noted),
      cmocka_unit_test(a_signal_to_us_ends_what_left_the_group_too), cmocka_unit_test(a_second_signal_ends_us_at_once),
      cmocka_unit_test(a_second_signal_ends_the_first_process_of_a_container_too),
      cmocka_unit_test(one_signal_delivered_twice_is_one), cmocka_unit_test(signals_that_we_ignore_do_not_end_the_next_program));
