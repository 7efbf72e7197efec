/* SPDX-License-Identifier: MIT
 * A measured program at a terminal: each test runs in a session of its own on a pseudo-terminal. */
#include "plat_world.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static const int64_t SECOND = 1000000000;
static char file[256];

/* Becomes the leader of a session with a new terminal as descriptor 0; the other side of it, -1 on failure. */
static int take_terminal(void)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (master < 0 || grantpt(master) || unlockpt(master))
        return -1;
    setsid();
    signal(SIGHUP, SIG_IGN);
    int slave = open(ptsname(master), O_RDWR);
    if (slave < 0 || dup2(slave, 0) < 0 || ioctl(0, TIOCSCTTY, 0))
        return -1;
    close(slave);
    return master;
}

static struct plat_child_spec at_terminal(const char *const *argv)
{
    struct plat_child_spec spec = spec_for(argv);
    spec.fd_in = 0;
    spec.give_terminal = true;
    spec.timeout_ns = 120 * SECOND;
    return spec;
}

/* Someone at the keyboard: types the keys one by one, once the program has written its id. */
static void type_later(int master, const char *keys)
{
    if (fork())
        return;
    while (read_pid(file) < 0)
        usleep(5000);
    for (; *keys; keys++) {
        usleep(50000);
        if (write(master, keys, 1) != 1)
            _exit(1);
    }
    _exit(0);
}

static int lend_the_foreground(void)
{
    struct plat_spawner *s;
    struct plat_child_result r;
    if (take_terminal() < 0 || plat_spawner_create(&s, NULL, NULL))
        return 1;
    struct plat_child_spec spec = at_terminal(ARGS(PROBE, "foreground"));
    int failed =
        unless(!plat_child_run(s, &spec, &r, NULL) && r.end == CHILD_EXITED && r.code == 0, "the program has the terminal");
    failed |= unless(tcgetpgrp(0) == getpgrp(), "afterwards it is ours");
    spec.give_terminal = false;
    failed |= unless(!plat_child_run(s, &spec, &r, NULL) && r.end == CHILD_EXITED && r.code == 1, "not unasked");
    spec = at_terminal(ARGS("/nonexistent"));
    failed |= unless(!plat_child_run(s, &spec, &r, NULL) && r.end == CHILD_NOT_STARTED && tcgetpgrp(0) == getpgrp(),
                     "ours after a failed start");
    failed |= unless(plat_is_terminal(0) && !plat_is_terminal(null_fd), "a terminal is told from the null device");
    struct winsize wide = {.ws_col = 133, .ws_row = 10};
    ioctl(0, TIOCSWINSZ, &wide);
    failed |= unless(plat_terminal_width(0) == 133 && plat_terminal_width(null_fd) == 80, "its width");
    plat_spawner_destroy(s);
    return failed;
}

static void the_foreground_is_lent_for_the_run(void **state)
{
    (void)state;
    assert_int_equal(in_process(lend_the_foreground), 0);
}

static int press(const char *keys, int number)
{
    struct plat_spawner *s;
    struct plat_child_result r;
    int master = take_terminal();
    if (master < 0 || plat_signals_watch() || plat_spawner_create(&s, NULL, NULL))
        return 1;
    type_later(master, keys);
    struct plat_child_spec spec = at_terminal(ARGS(PROBE, "wait", file));
    int failed = unless(!plat_child_run(s, &spec, &r, NULL) && r.end == CHILD_INTERRUPTED, "the run is interrupted");
    failed |= unless(plat_signal() == number, "and so are we");
    failed |= unless(gone(read_pid(file)), "the program is gone");
    failed |= unless(tcgetpgrp(0) == getpgrp(), "the terminal is ours");
    plat_spawner_destroy(s);
    return failed;
}

static int press_interrupt(void)
{
    return press("\003", SIGINT);
}

static int press_suspend_and_interrupt(void)
{
    return press("\032\003", SIGINT);
}

static int press_quit(void)
{
    return press("\034", SIGQUIT);
}

static void keys_for_the_program_reach_tare_too(void **state)
{
    (void)state;
    snprintf(file, sizeof file, "%s", scratch("typed"));
    assert_int_equal(in_process(press_interrupt), 0);
    write_text(file, "");
    assert_int_equal(in_process(press_suspend_and_interrupt), 0);
    write_text(file, "");
    assert_int_equal(in_process(press_quit), 0);
}

static int read_in_the_background(void)
{
    struct plat_spawner *s;
    struct plat_child_result r;
    if (take_terminal() < 0 || plat_spawner_create(&s, NULL, NULL))
        return 1;
    struct plat_child_spec spec = at_terminal(ARGS(PROBE, "cat"));
    spec.give_terminal = false;
    int failed = unless(!plat_child_run(s, &spec, &r, NULL) && r.end == CHILD_SIGNALLED && r.code == SIGTTIN, "it ends");
    plat_spawner_destroy(s);
    return failed;
}

static void reading_a_terminal_that_is_not_lent_ends_the_run(void **state)
{
    (void)state;
    assert_int_equal(in_process(read_in_the_background), 0);
}

static int die_in_raw_mode(void)
{
    struct plat_spawner *s;
    struct plat_child_result r;
    struct termios before, after;
    if (take_terminal() < 0 || plat_spawner_create(&s, NULL, NULL) || tcgetattr(0, &before))
        return 1;
    struct plat_child_spec spec = at_terminal(ARGS(PROBE, "raw"));
    int failed = unless(!plat_child_run(s, &spec, &r, NULL) && r.end == CHILD_SIGNALLED && r.code == SIGKILL, "it dies");
    failed |=
        unless(!tcgetattr(0, &after) && before.c_lflag == after.c_lflag && before.c_iflag == after.c_iflag, "the modes are back");
    plat_spawner_destroy(s);
    return failed;
}

static void a_terminal_left_in_disorder_is_put_right(void **state)
{
    (void)state;
    assert_int_equal(in_process(die_in_raw_mode), 0);
}

/* In the background, as after `tare run ... &`: the terminal belongs to the shell and is not taken from it. */
static int run_in_the_background(void)
{
    struct plat_child_result r;
    if (take_terminal() < 0)
        return 1;
    pid_t shell = getpgrp(), job = fork();
    if (!job) {
        setpgid(0, 0);
        struct plat_spawner *s;
        if (plat_spawner_create(&s, NULL, NULL))
            _exit(1);
        struct plat_child_spec spec = at_terminal(ARGS(PROBE, "foreground"));
        _exit(plat_child_run(s, &spec, &r, NULL) || r.end != CHILD_EXITED || r.code != 1 || tcgetpgrp(0) != shell);
    }
    siginfo_t end;
    waitid(P_PID, (id_t)job, &end, WEXITED);
    return unless(end.si_code == CLD_EXITED && end.si_status == 0, "the terminal stays the shell's");
}

static void a_terminal_of_someone_else_is_left_alone(void **state)
{
    (void)state;
    assert_int_equal(in_process(run_in_the_background), 0);
}

static int pid_in(const char *path)
{
    int pid;
    while ((pid = read_pid(path)) < 0)
        usleep(5000);
    return pid;
}

/* As a shell does it: it waits for its job, which is tare's group, and takes the terminal when the job has died. */
static int kill_the_job(void)
{
    signal(SIGTTOU, SIG_IGN);
    if (take_terminal() < 0)
        return 1;
    pid_t shell = getpgrp(), job = fork();
    if (!job) {
        setpgid(0, 0);
        struct plat_spawner *s;
        struct plat_child_result r;
        if (tcsetpgrp(0, getpgrp()) || plat_spawner_create(&s, NULL, NULL))
            _exit(1);
        struct plat_child_spec spec = at_terminal(ARGS(PROBE, "wait", file));
        plat_child_run(s, &spec, &r, NULL);
        _exit(2);
    }
    int program = pid_in(file), failed = unless(tcgetpgrp(0) == program, "the program has the terminal");
    kill(job, SIGKILL);
    waitpid(job, NULL, 0);
    tcsetpgrp(0, shell);
    while (!gone(program))
        usleep(5000);
    usleep(100000); /* the helper has time to do wrong */
    return failed | unless(tcgetpgrp(0) == shell, "the terminal stays the shell's");
}

static void a_shell_whose_job_was_killed_keeps_the_terminal(void **state)
{
    (void)state;
    snprintf(file, sizeof file, "%s", scratch("killed"));
    assert_int_equal(in_process(kill_the_job), 0);
}

static char much[1 << 18]; /* more than a pipe holds */

/* A child that takes or gives all of it, slowly at first. */
static pid_t other_end(int ends[2], bool takes)
{
    const pid_t pid = fork();
    if (pid)
        return pid;
    ssize_t n = 0, all = 0;
    close(0);
    close(1);
    close(ends[takes]);
    usleep(100000);
    while (all < (ssize_t)sizeof much && (n = takes ? read(ends[0], much, 4096) : write(ends[1], much, 4096)) > 0)
        all += n;
    _exit(all != sizeof much);
}

/* As whoever shares them may leave standard streams. */
static int go_through_streams_that_do_not_wait(void)
{
    int out[2], in[2], first = -1, second = -1;
    struct plat_file *f = NULL;
    struct tare_err err = {{0}};
    struct buf all = BUF_INIT(1 << 20);
    if (pipe(out) || fcntl(out[1], F_SETFL, O_NONBLOCK) || dup2(out[1], 1) != 1)
        return 1;
    const pid_t taker = other_end(out, true);
    close(out[1]);
    if (pipe(in) || fcntl(in[0], F_SETFL, O_NONBLOCK) || dup2(in[0], 0))
        return 1;
    const pid_t giver = other_end(in, false);
    close(in[0]);
    close(in[1]);
    bool failed = plat_file_create(&f, "-", PLAT_FILE_REPLACE, &err) || plat_file_write(f, much, sizeof much, &err) ||
                  plat_file_commit(f, &err) || plat_input_read("-", &all, &err);
    close(0); /* they end, whatever was left */
    close(1);
    waitpid(taker, &first, 0);
    waitpid(giver, &second, 0);
    failed |= unless(!failed && all.len == sizeof much && !first && !second, err.text);
    buf_finish(&all);
    return failed;
}

static void nothing_is_lost_by_streams_that_do_not_wait(void **state)
{
    (void)state;
    assert_int_equal(in_process(go_through_streams_that_do_not_wait), 0);
}

TESTS(terminal, cmocka_unit_test(the_foreground_is_lent_for_the_run), cmocka_unit_test(keys_for_the_program_reach_tare_too),
      cmocka_unit_test(reading_a_terminal_that_is_not_lent_ends_the_run),
      cmocka_unit_test(a_terminal_left_in_disorder_is_put_right), cmocka_unit_test(a_terminal_of_someone_else_is_left_alone),
      cmocka_unit_test(a_shell_whose_job_was_killed_keeps_the_terminal),
      cmocka_unit_test(nothing_is_lost_by_streams_that_do_not_wait));
