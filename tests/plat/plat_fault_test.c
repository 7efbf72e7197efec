/* SPDX-License-Identifier: MIT
 * What goes wrong around the measured program: tare or its helper killed, limits reached, parts missing. */
#include "plat_world.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char file_a[256], file_b[256];

static void name_files(void)
{
    snprintf(file_a, sizeof file_a, "%s", scratch("a"));
    snprintf(file_b, sizeof file_b, "%s", scratch("b"));
    write_text(file_a, "");
    write_text(file_b, "");
}

static int pid_in(const char *path)
{
    int pid;
    for (int i = 0; (pid = read_pid(path)) < 0 && i < 12000; i++)
        usleep(10000);
    return pid;
}

static void when_tare_is_killed_nothing_of_it_stays(void **state)
{
    (void)state;
    name_files();
    int told[2], helper = 0;
    assert_int_equal(pipe(told), 0);
    pid_t tare = fork();
    if (!tare) {
        struct plat_spawner *s;
        struct plat_child_result r;
        struct plat_child_spec spec = spec_for(ARGS(PROBE, "family", file_a, file_b));
        if (plat_spawner_create(&s, NULL, NULL))
            _exit(1);
        int pid = plat_spawner_pid(s);
        if (write(told[1], &pid, sizeof pid) != sizeof pid)
            _exit(1);
        plat_child_run(s, &spec, &r, NULL);
        _exit(2);
    }
    assert_int_equal(read(told[0], &helper, sizeof helper), sizeof helper);
    int other = pid_in(file_a), child = pid_in(file_b);
    assert_true(helper > 0 && other > 0 && child > 0);
    assert_int_equal(kill(tare, SIGKILL), 0);
    assert_int_equal(waitpid(tare, NULL, 0), tare);
    assert_true(gone_soon(child));
    assert_true(gone_soon(other));
    assert_true(gone_soon(helper));
    close(told[0]);
    close(told[1]);
}

static void when_tare_is_killed_between_runs_the_helper_ends(void **state)
{
    (void)state;
    int told[2], helper = 0;
    assert_int_equal(pipe(told), 0);
    pid_t tare = fork();
    if (!tare) {
        struct plat_spawner *s;
        if (plat_spawner_create(&s, NULL, NULL))
            _exit(1);
        int pid = plat_spawner_pid(s);
        if (write(told[1], &pid, sizeof pid) != sizeof pid)
            _exit(1);
        for (;;)
            pause();
    }
    assert_int_equal(read(told[0], &helper, sizeof helper), sizeof helper);
    kill(tare, SIGKILL);
    assert_int_equal(waitpid(tare, NULL, 0), tare);
    assert_true(gone_soon(helper));
    close(told[0]);
    close(told[1]);
}

static void a_helper_killed_in_mid_run_is_an_error_and_takes_the_program_along(void **state)
{
    (void)state;
    name_files();
    struct plat_spawner *s;
    struct tare_err err;
    struct plat_child_result r;
    assert_ok(plat_spawner_create(&s, NULL, &err));
    char pid[16];
    snprintf(pid, sizeof pid, "%d", plat_spawner_pid(s));
    struct plat_child_spec spec = spec_for(ARGS(PROBE, "strike", pid, "9", file_a));
    assert_int_equal(plat_child_run(s, &spec, &r, &err), TARE_IO);
    assert_text_has(err.text, "SIGKILL");
    assert_true(gone_soon(pid_in(file_a)));
    assert_int_equal(plat_child_run(s, &spec, &r, &err), TARE_IO); /* and stays one */
    plat_spawner_destroy(s);
}

static void a_helper_that_does_not_answer_is_given_up_after_the_timeout(void **state)
{
    (void)state;
    name_files();
    struct tare_err err;
    enum tare_status status = TARE_OK;
    for (int seconds = 1; !status && seconds <= 64; seconds *= 8) { /* as long as it takes to come to the signal */
        struct plat_spawner *s;
        struct plat_child_result r;
        assert_ok(plat_spawner_create(&s, NULL, &err));
        char pid[16];
        snprintf(pid, sizeof pid, "%d", plat_spawner_pid(s));
        struct plat_child_spec spec = spec_for(ARGS(PROBE, "strike", pid, "19", file_a)); /* SIGSTOP */
        spec.timeout_ns = seconds * INT64_C(1000000000);
        status = plat_child_run(s, &spec, &r, &err);
        if (status)
            assert_true(gone_soon(pid_in(file_a)));
        plat_spawner_destroy(s);
    }
    assert_int_equal(status, TARE_IO);
    assert_text_has(err.text, "was stopped by SIGSTOP");
}

static void a_helper_killed_between_runs_is_an_error(void **state)
{
    (void)state;
    struct plat_spawner *s;
    struct tare_err err;
    struct plat_child_result r;
    assert_ok(plat_spawner_create(&s, NULL, &err));
    kill(plat_spawner_pid(s), SIGKILL);
    struct plat_child_spec spec = spec_for(ARGS(PROBE, "exit", "0"));
    assert_int_equal(plat_child_run(s, &spec, &r, &err), TARE_IO);
    assert_text_has(err.text, "SIGKILL");
    plat_spawner_destroy(s);
}

static void a_terminal_signal_or_a_polite_end_does_not_reach_the_helper(void **state)
{
    (void)state;
    const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGQUIT, SIGUSR1};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        kill(plat_spawner_pid(spawner), numbers[i]);
        if (numbers[i] != SIGUSR1)
            assert_ends(run_quietly(ARGS(PROBE, "exit", "3")), CHILD_EXITED, 3);
    }
}

static void signals_that_are_not_tares_change_nothing(void **state)
{
    (void)state;
    static const char *const numbers[] = {"1", "2", "10", "12", "14", "15"}; /* HUP INT USR1 USR2 ALRM TERM */
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        assert_ends(run_quietly(ARGS(PROBE, "nudge", numbers[i])), CHILD_EXITED, 6);
        assert_ends(run_quietly(ARGS(PROBE, "exit", "3")), CHILD_EXITED, 3);
        struct plat_child_spec spec = spec_for(ARGS(PROBE, "nudge", numbers[i]));
        spec.timeout_ns = INT64_C(1000000000000);
        assert_ends(run_spec(&spec), CHILD_EXITED, 6);
    }
    assert_int_equal(kill(plat_spawner_pid(spawner), SIGUSR2), 0); /* between runs */
    assert_ends(run_quietly(ARGS(PROBE, "exit", "3")), CHILD_EXITED, 3);
}

/* ---- limits ---- */

static int run_without_processes(void)
{
    struct rlimit none = {0, 0};
    struct tare_err err = {{0}};
    struct plat_spawner *s;
    struct plat_child_result r;
    if (!geteuid() && (setgroups(0, NULL) || setgid(65534) || setuid(65534))) /* root has no such limit */
        return 77;
    if (access(PROBE, X_OK)) /* the tree lies in a folder for root alone */
        return 77;
    if (plat_spawner_create(&s, NULL, &err))
        return unless(false, err.text);
    prlimit(plat_spawner_pid(s), RLIMIT_NPROC, &none, NULL);
    struct plat_child_spec spec = spec_for(ARGS(PROBE, "exit", "0"));
    int failed = unless(plat_child_run(s, &spec, &r, &err) == TARE_OK, "the first child was made before the limit");
    failed |= unless(plat_child_run(s, &spec, &r, &err) == TARE_TOO_LARGE, "a limit is named");
    failed |= unless(strstr(err.text, "ulimit -u") != NULL, err.text);
    plat_spawner_destroy(s);
    return failed;
}

static void a_limit_of_processes_is_a_clear_error(void **state)
{
    (void)state;
    int answer = in_process(run_without_processes);
    if (answer == 77)
        skip();
    assert_int_equal(answer, 0);
}

static int create_without_descriptors(void)
{
    struct plat_spawner *s;
    int failed = 0, made = 0;
    for (rlim_t n = 3; n < 40 && !made; n++) {
        struct rlimit few = {n, 64};
        struct tare_err err = {{0}};
        setrlimit(RLIMIT_NOFILE, &few);
        enum tare_status status = plat_spawner_create(&s, NULL, &err);
        failed |= unless(!status || (status == TARE_NO_MEMORY && strstr(err.text, "ulimit -n")), err.text);
        if (status)
            continue;
        struct plat_child_spec spec = spec_for(ARGS(PROBE, "exit", "0"));
        struct plat_child_result r;
        status = plat_child_run(s, &spec, &r, &err);
        made = !status;
        failed |= unless(status ? *err.text : r.end == CHILD_EXITED || r.end == CHILD_NOT_STARTED, "a run says why");
        plat_spawner_destroy(s);
    }
    return failed | unless(made, "with enough descriptors it runs");
}

static int create_with_all_in_use(void)
{
    struct rlimit few = {32, 32};
    struct plat_spawner *s;
    struct tare_err err = {{0}};
    setrlimit(RLIMIT_NOFILE, &few);
    while (open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0)
        ;
    int failed = unless(plat_spawner_create(&s, NULL, &err) == TARE_NO_MEMORY, "a limit is named");
    return failed | unless(strstr(err.text, "Too many open files") != NULL, err.text);
}

static void exhausted_descriptors_are_a_clear_error(void **state)
{
    (void)state;
    assert_int_equal(in_process(create_without_descriptors), 0);
    assert_int_equal(in_process(create_with_all_in_use), 0);
}

static int create_under_a_file_limit(void)
{
    struct rlimit small = {1000, 1000};
    struct plat_spawner *s;
    struct tare_err err = {{0}};
    plat_keep_standard_streams();
    setrlimit(RLIMIT_FSIZE, &small);
    int failed = unless(plat_spawner_create(&s, NULL, &err) == TARE_IO, "it is an error, not a death");
    return failed | unless(strstr(err.text, "ulimit -f") != NULL, err.text);
}

#if !defined(__SANITIZE_ADDRESS__)
static int create_without_address_space(void)
{
    struct rlimit small = {8 << 20, 8 << 20};
    struct plat_spawner *s;
    struct tare_err err = {{0}};
    setrlimit(RLIMIT_AS, &small);
    return unless(plat_spawner_create(&s, NULL, &err) != TARE_OK && *err.text, "no address space is an error in words");
}
#endif

static void limits_of_file_size_and_memory_are_clear_errors(void **state)
{
    (void)state;
    assert_int_equal(in_process(create_under_a_file_limit), 0);
#if !defined(__SANITIZE_ADDRESS__) /* which ends the program itself when it can map nothing more */
    assert_int_equal(in_process(create_without_address_space), 0);
#endif
}

static void a_stream_that_is_not_open_is_a_clear_error(void **state)
{
    (void)state;
    struct plat_child_spec spec = spec_for(ARGS(PROBE, "exit", "0"));
    struct plat_child_result r;
    struct tare_err err;
    spec.fd_out = 9999;
    assert_int_equal(plat_child_run(spawner, &spec, &r, &err), TARE_INVALID);
    assert_text_has(err.text, "9999");
    assert_ends(run_quietly(ARGS(PROBE, "exit", "0")), CHILD_EXITED, 0);
}

/* ---- parts missing ---- */

static void a_missing_helper_is_named(void **state)
{
    (void)state;
    struct plat_spawner *s;
    struct tare_err err;
    assert_int_equal(plat_spawner_create(&s, "/nonexistent/tare-spawn", &err), TARE_NOT_FOUND);
    assert_text_has(err.text, "/nonexistent/tare-spawn");
    assert_int_equal(plat_spawner_create(&s, "/bin/true", &err), TARE_IO); /* a program that is not it */
    assert_text_has(err.text, "tare-spawn");
    assert_ok(plat_spawner_create(&s, LIBEXEC "/tare-spawn", &err));
    assert_string_equal(plat_noop_path(s), LIBEXEC "/tare-noop");
    plat_spawner_destroy(s);
}

/* bin/test beside libexec/tare, as installed; then without it. */
static void it_is_found_beside_the_program_and_else_the_places_are_named(void **state)
{
    (void)state;
    char command[2048];
    const char *root = scratch("root");
    snprintf(command, sizeof command,
             "mkdir -p %s/bin %s/libexec/tare && cp /proc/%d/exe %s/bin/copy && cp " LIBEXEC "/tare-spawn " LIBEXEC
             "/tare-noop %s/libexec/tare && cd / && %s/bin/copy --create && ln -s %s/bin/copy %s.link && %s.link --create",
             root, root, (int)getpid(), root, root, root, root, root, root);
    assert_string_equal(output_of(ARGS("/bin/sh", "-c", command)), "created\ncreated\n");
    snprintf(command, sizeof command, "rm -r %s/libexec && %s/bin/copy --create || true", root, root);
    const char *said = output_of(ARGS("/bin/sh", "-c", command));
    assert_text_has(said, "cannot find the program tare-spawn");
    assert_text_has(said, "/root/bin/../libexec/tare/tare-spawn");
}

static int run_without_proc(void)
{
    if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) || mount("none", "/proc", "tmpfs", 0, NULL))
        return 77;
    struct plat_spawner *s;
    struct plat_child_result r;
    struct tare_err err = {{0}};
    if (plat_spawner_create(&s, NULL, &err))
        return unless(false, err.text);
    struct plat_child_spec spec = spec_for(ARGS(PROBE, "exit", "8"));
    int failed = unless(!plat_child_run(s, &spec, &r, &err) && r.end == CHILD_EXITED && r.code == 8, "it runs");
    struct buf text = BUF_INIT(100);
    failed |= unless(plat_file_read("/proc/cpuinfo", &text, &err) == TARE_NOT_FOUND, "a missing file is a value");
    plat_spawner_destroy(s);
    return failed;
}

static void without_proc_it_runs_all_the_same(void **state)
{
    (void)state;
    int answer = in_process(run_without_proc);
    if (answer == 77)
        skip();
    assert_int_equal(answer, 0);
}

TESTS(fault, cmocka_unit_test(when_tare_is_killed_nothing_of_it_stays),
      cmocka_unit_test(when_tare_is_killed_between_runs_the_helper_ends),
      cmocka_unit_test(a_helper_killed_in_mid_run_is_an_error_and_takes_the_program_along),
      cmocka_unit_test(a_helper_that_does_not_answer_is_given_up_after_the_timeout),
      cmocka_unit_test(a_helper_killed_between_runs_is_an_error),
      cmocka_unit_test(a_terminal_signal_or_a_polite_end_does_not_reach_the_helper),
      cmocka_unit_test(signals_that_are_not_tares_change_nothing), cmocka_unit_test(a_limit_of_processes_is_a_clear_error),
      cmocka_unit_test(exhausted_descriptors_are_a_clear_error),
      cmocka_unit_test(limits_of_file_size_and_memory_are_clear_errors),
      cmocka_unit_test(a_stream_that_is_not_open_is_a_clear_error), cmocka_unit_test(a_missing_helper_is_named),
      cmocka_unit_test(it_is_found_beside_the_program_and_else_the_places_are_named),
      cmocka_unit_test(without_proc_it_runs_all_the_same));
