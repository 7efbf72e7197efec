/* SPDX-License-Identifier: MIT
 * What a measured program finds when it starts, and what is read off it. */
#include "plat_world.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void exit_codes_arrive(void **state)
{
    (void)state;
    const char *const codes[] = {"0", "1", "42", "255"};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        assert_ends(run_quietly(ARGS(PROBE, "exit", codes[i])), CHILD_EXITED, atoi(codes[i]));
}

static void signals_arrive(void **state)
{
    (void)state;
    const char *const numbers[] = {"9", "11", "15", "6", "13"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        assert_ends(run_quietly(ARGS(PROBE, "die", numbers[i])), CHILD_SIGNALLED, atoi(numbers[i]));
}

static void what_cannot_be_executed_says_why(void **state)
{
    (void)state;
    assert_ends(run_quietly(ARGS("/nonexistent/program")), CHILD_NOT_STARTED, ENOENT);
    assert_ends(run_quietly(ARGS("/tmp")), CHILD_NOT_STARTED, EACCES);
    const char *text = scratch("text");
    write_text(text, "neither a program nor a script\n");
    assert_ends(run_quietly(ARGS(text)), CHILD_NOT_STARTED, EACCES);
    chmod(text, 0755);
    assert_ends(run_quietly(ARGS(text)), CHILD_NOT_STARTED, ENOEXEC);
    const char *script = scratch("script");
    write_text(script, "#!/nonexistent/interpreter\n");
    chmod(script, 0755);
    assert_ends(run_quietly(ARGS(script)), CHILD_NOT_STARTED, ENOENT);
    assert_ends(run_quietly(ARGS(PROBE, "exit", "0")), CHILD_EXITED, 0);
}

static void a_program_that_did_not_start_has_no_times(void **state)
{
    (void)state;
    struct plat_child_result r = run_quietly(ARGS("/nonexistent/program"));
    assert_int_equal(r.start_ns, 0);
    assert_int_equal(r.end_ns, 0);
}

static void arguments_arrive_as_they_are(void **state)
{
    (void)state;
    assert_string_equal(output_of(ARGS(PROBE, "argv", "", "a b", "µ\n", "--")), "[][a b][µ\n][--]");
    assert_string_equal(output_of(ARGS(PROBE_STATIC, "argv", "x")), "[x]");
}

static void the_environment_is_exactly_the_given_one(void **state)
{
    (void)state;
    struct plat_child_spec spec = spec_for(ARGS(PROBE, "env"));
    int fd = memfd_create("output", MFD_CLOEXEC);
    spec.fd_out = fd;
    spec.envp = ARGS("B=2", "A=", "ODD");
    assert_ends(run_spec(&spec), CHILD_EXITED, 0);
    char text[256] = {0};
    assert_true(pread(fd, text, sizeof text - 1, 0) > 0);
    assert_string_equal(text, "[B=2][A=][ODD]");
    spec.envp = (const char *const[]){NULL};
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_ends(run_spec(&spec), CHILD_EXITED, 0);
    assert_int_equal(lseek(fd, 0, SEEK_END), 0);
    close(fd);
}

static void arguments_of_two_megabytes_arrive_and_more_is_refused(void **state)
{
    (void)state;
    enum { N = 16, EACH = 120000 };
    static char word[EACH + 1];
    memset(word, 'x', EACH);
    const char *argv[N + 4] = {PROBE, "exit", "5"};
    for (int i = 0; i < N; i++)
        argv[3 + i] = word;
    assert_ends(run_quietly(argv), CHILD_EXITED, 5);

    enum { MANY = 200 };
    const char *huge[MANY + 1];
    for (int i = 0; i < MANY; i++)
        huge[i] = word;
    huge[0] = PROBE;
    huge[MANY] = NULL;
    struct plat_child_spec spec = spec_for(huge);
    struct plat_child_result r;
    struct tare_err err;
    assert_int_equal(plat_child_run(spawner, &spec, &r, &err), TARE_TOO_LARGE);
    assert_text_has(err.text, "MiB");

    enum { SOME = 80 }; /* fits our block and not the kernel's limit */
    huge[SOME] = NULL;
    assert_ends(run_quietly(huge), CHILD_NOT_STARTED, E2BIG);
}

static void the_folder_is_the_given_one(void **state)
{
    (void)state;
    struct plat_child_spec spec = spec_for(ARGS(PROBE, "cwd"));
    int fd = memfd_create("output", MFD_CLOEXEC);
    spec.fd_out = fd;
    spec.cwd = "/usr";
    assert_ends(run_spec(&spec), CHILD_EXITED, 0);
    char text[256] = {0}, here[256];
    assert_true(pread(fd, text, sizeof text - 1, 0) > 0);
    assert_string_equal(text, "/usr");
    close(fd);
    assert_string_equal(output_of(ARGS(PROBE, "cwd")), getcwd(here, sizeof here));
}

static void a_missing_folder_is_told_from_a_missing_program(void **state)
{
    (void)state;
    struct plat_child_spec spec = spec_for(ARGS(PROBE, "exit", "0"));
    spec.cwd = "/nonexistent/folder";
    struct plat_child_result r;
    struct tare_err err;
    assert_int_equal(plat_child_run(spawner, &spec, &r, &err), TARE_NOT_FOUND);
    assert_text_has(err.text, "/nonexistent/folder");
    assert_ends(run_quietly(ARGS(PROBE, "exit", "0")), CHILD_EXITED, 0);
}

static void streams_are_connected(void **state)
{
    (void)state;
    const char *from = scratch("from"), *to = scratch("to");
    write_text(from, "some text");
    struct tare_err err;
    struct plat_child_spec spec = spec_for(ARGS(PROBE, "cat"));
    spec.fd_in = plat_open_input(from, &err);
    spec.fd_out = plat_open_output(to, &err);
    assert_ends(run_spec(&spec), CHILD_EXITED, 0);
    assert_string_equal(read_text(to), "some text");
    assert_ends(run_spec(&spec), CHILD_EXITED, 0); /* at its end */
    assert_string_equal(read_text(to), "some text");
    assert_int_equal(plat_rewind(spec.fd_in), TARE_OK);
    assert_ends(run_spec(&spec), CHILD_EXITED, 0);
    assert_string_equal(read_text(to), "some textsome text");
    plat_close(spec.fd_in);
    plat_close(spec.fd_out);
}

static void one_descriptor_may_serve_as_all_three_streams(void **state)
{
    (void)state;
    struct plat_child_spec spec = spec_for(ARGS(PROBE, "fds"));
    int fd = memfd_create("all", MFD_CLOEXEC);
    spec.fd_in = spec.fd_out = spec.fd_err = fd;
    assert_ends(run_spec(&spec), CHILD_EXITED, 0);
    char text[64] = {0};
    assert_true(pread(fd, text, sizeof text - 1, 0) > 0);
    assert_string_equal(text, "0 1 2 ");
    close(fd);
}

static void no_descriptor_of_ours_reaches_the_program(void **state)
{
    (void)state;
    int strays[40], n = 0;
    while (n < 20) /* opened before the helper is started, and left open on exec */
        strays[n++] = open("/dev/null", O_RDONLY);
    struct plat_spawner *mine = spawner, *fresh;
    struct tare_err err;
    assert_ok(plat_spawner_create(&fresh, NULL, &err));
    while (n < 40) /* and after it */
        strays[n++] = open("/dev/null", O_RDONLY);
    spawner = fresh;
    char text[64];
    snprintf(text, sizeof text, "%s", output_of(ARGS(PROBE, "fds")));
    spawner = mine;
    plat_spawner_destroy(fresh);
    for (int i = 0; i < n; i++)
        close(strays[i]);
    assert_string_equal(text, "0 1 2 ");
}

static void a_report_has_its_descriptor_and_only_then(void **state)
{
    (void)state;
    struct tare_err err;
    int out = plat_open_scratch(&err), report = plat_open_scratch(&err);
    struct plat_child_spec spec = spec_for(ARGS(PROBE, "fds"));
    char text[64] = {0};
    spec.fd_out = out;
    spec.fd_report = report;
    spec.report_bytes = 1 << 16;
    assert_ends(run_spec(&spec), CHILD_EXITED, 0);
    assert_true(pread(out, text, sizeof text - 1, 0) > 0);
    assert_string_equal(text, "0 1 2 3 ");
    assert_string_equal(output_of(ARGS(PROBE, "fds")), "0 1 2 ");
    assert_ends(run_quietly(ARGS(PROBE, "report", "1")), CHILD_EXITED, 1);
    plat_close(out);
    plat_close(report);
}

static void a_report_keeps_its_first_bytes(void **state)
{
    (void)state;
    struct tare_err err;
    int report = plat_open_scratch(&err);
    struct plat_child_spec spec = spec_for(ARGS(PROBE, "report", "10000"));
    char text[8192];
    spec.fd_report = report;
    spec.report_bytes = 4096;
    assert_ends(run_spec(&spec), CHILD_EXITED, 0);
    assert_int_equal(plat_scratch_size(report), 10000);
    assert_ok(plat_scratch_read(report, 0, text, sizeof text, &err));
    assert_int_equal(text[4095], 'r');
    assert_int_equal(text[4096], 0);
    plat_close(report);
}

static int run_with_odd_signals(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    signal(SIGCHLD, SIG_IGN);
    signal(SIGTTOU, SIG_IGN);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    struct plat_spawner *s;
    if (plat_spawner_create(&s, NULL, NULL))
        return 1;
    int fd = memfd_create("output", MFD_CLOEXEC);
    struct plat_child_spec spec = spec_for(ARGS(PROBE, "signals"));
    spec.fd_out = fd;
    struct plat_child_result r;
    char text[512] = {0};
    int failed = unless(!plat_child_run(s, &spec, &r, NULL) && r.end == CHILD_EXITED && !r.code, "the probe ran");
    failed |= unless(pread(fd, text, sizeof text - 1, 0) > 0, "it wrote");
    failed |= unless(!strcmp(text, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\nSigCgt:\t0000000000000000\n"), text);
    plat_spawner_destroy(s);
    return failed;
}

static void signals_have_their_defaults_however_tare_was_started(void **state)
{
    (void)state;
    assert_int_equal(in_process(run_with_odd_signals), 0);
}

static int run_with_closed_streams(void)
{
    close(0);
    close(1);
    struct plat_spawner *s;
    if (plat_spawner_create(&s, NULL, NULL))
        return 1;
    int fd = memfd_create("output", MFD_CLOEXEC);
    struct plat_child_spec spec = spec_for(ARGS(PROBE, "fds"));
    spec.fd_out = fd;
    struct plat_child_result r;
    char text[64] = {0};
    int failed = unless(!plat_child_run(s, &spec, &r, NULL) && r.end == CHILD_EXITED && !r.code, "the probe ran");
    failed |= unless(pread(fd, text, sizeof text - 1, 0) > 0 && !strcmp(text, "0 1 2 "), "its streams are its own");
    plat_spawner_destroy(s);
    return failed;
}

static void it_works_with_the_standard_streams_closed(void **state)
{
    (void)state;
    assert_int_equal(in_process(run_with_closed_streams), 0);
}

static void it_leads_its_own_process_group(void **state)
{
    (void)state;
    assert_string_equal(output_of(ARGS(PROBE, "group")), "own");
}

static void it_can_be_pinned_to_one_cpu(void **state)
{
    (void)state;
    int cpu = 0;
    while (!plat_cpu_allowed(cpu))
        cpu++;
    struct plat_child_spec spec = spec_for(ARGS(PROBE, "cpus"));
    int fd = memfd_create("output", MFD_CLOEXEC);
    spec.fd_out = fd;
    spec.pin_cpu = cpu;
    assert_ends(run_spec(&spec), CHILD_EXITED, 0);
    char text[64] = {0}, expected[64];
    assert_true(pread(fd, text, sizeof text - 1, 0) > 0);
    snprintf(expected, sizeof expected, "%d ", cpu);
    assert_string_equal(text, expected);
    close(fd);

    spec = spec_for(ARGS(PROBE, "exit", "0"));
    spec.pin_cpu = 8000;
    struct plat_child_result r;
    struct tare_err err;
    assert_int_equal(plat_child_run(spawner, &spec, &r, &err), TARE_INVALID);
    assert_text_has(err.text, "CPU 8000");
}

static void a_program_never_ends_before_it_starts(void **state)
{
    (void)state;
    const char *const programs[] = {plat_noop_path(spawner), PROBE, PROBE_STATIC};
    for (int i = 0; i < 300; i++) {
        int64_t before = plat_now_ns();
        struct plat_child_result r = run_quietly(ARGS(programs[i % 3], "exit", "0"));
        assert_true(before <= r.start_ns && r.start_ns < r.end_ns && r.end_ns <= plat_now_ns());
    }
}

static void a_sleep_is_never_shorter_than_asked(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        struct plat_child_result r = run_quietly(ARGS("/bin/sleep", "0.01"));
        assert_ends(r, CHILD_EXITED, 0);
        assert_true(r.end_ns - r.start_ns >= 10000000);
    }
}

/* Since Linux 6.2 the kernel counts resident pages per CPU in batches, which grow with the CPUs, and reads the peak without the open batches. */
static int64_t slack_bytes(void)
{
    struct plat_rss_floor floor = {0};
    int64_t held_back = plat_rss_floor(spawner, &floor) ? 0 : 2 * floor.unseen_bytes;
    return held_back > 1 << 20 ? held_back : 1 << 20;
}

static void peak_memory_is_that_of_the_program_however_large_tare_is(void **state)
{
    (void)state;
    struct plat_child_result small = run_quietly(ARGS(PROBE_STATIC, "touch", "0"));
    const int64_t slack = slack_bytes();
    size_t bytes = 200 << 20;
    char *ballast = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(ballast != MAP_FAILED);
    memset(ballast, 1, bytes);
    struct plat_spawner *mine = spawner, *late;
    struct tare_err err;
    assert_ok(plat_spawner_create(&late, NULL, &err)); /* started by a large process */
    for (int i = 0; i < 2; i++, spawner = late) {
        const int sizes[] = {64, 8, 0};
        for (int j = 0; j < 3; j++) {
            char text[16];
            snprintf(text, sizeof text, "%d", sizes[j]);
            struct plat_child_result r = run_quietly(ARGS(PROBE_STATIC, "touch", text));
            int64_t expected = small.rss_bytes + ((int64_t)sizes[j] << 20);
            if (r.rss_bytes < expected - slack || r.rss_bytes > expected + slack)
                fail_msg("%d MB touched: peak %ld kB, expected %ld kB", sizes[j], (long)r.rss_bytes / 1024,
                         (long)expected / 1024);
        }
    }
    spawner = mine;
    plat_spawner_destroy(late);
    munmap(ballast, bytes);
    assert_true(run_quietly(ARGS(plat_noop_path(spawner))).rss_bytes <= slack);
}

static void figures_are_those_of_one_child(void **state)
{
    (void)state;
    struct plat_child_result r = run_quietly(ARGS(PROBE, "touch", "16"));
    assert_true(r.minflt >= 16 << 8 >> 9); /* large pages may halve it and more; 0 it cannot be */
    assert_true(r.minflt > 0 && r.majflt >= 0);
    assert_true(r.user_ns >= 0 && r.sys_ns >= 0 && r.user_ns + r.sys_ns > 0);
    assert_true(r.ctx_voluntary >= 0 && r.ctx_involuntary >= 0);
    struct plat_child_result after = run_quietly(ARGS(plat_noop_path(spawner)));
    assert_true(after.minflt < r.minflt);
    assert_true(after.rss_bytes < r.rss_bytes);
}

static bool sleeps(int pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    const char *text = strrchr(read_text(path), ')');
    return text && !strncmp(text, ") S", 3);
}

/* The helper clears up behind its answer and makes the child of the next run: that is over when both wait. A busy machine may take long to let it. */
static int settled_descriptors(int helper)
{
    char path[64];
    int child = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", helper, helper);
    for (int i = 0; i < 12000 && !(child && sleeps(child) && sleeps(helper)); i++) {
        usleep(10000);
        child = atoi(read_text(path));
    }
    return open_descriptors(helper);
}

static void thousands_of_runs_leave_nothing_open(void **state)
{
    (void)state;
    const char *noop = plat_noop_path(spawner);
    run_quietly(ARGS(noop));
    int ours = open_descriptors(getpid()), theirs = settled_descriptors(plat_spawner_pid(spawner));
    for (int i = 0; i < 4000; i++)
        assert_ends(run_quietly(ARGS(noop)), CHILD_EXITED, 0);
    assert_int_equal(open_descriptors(getpid()), ours);
    assert_int_equal(settled_descriptors(plat_spawner_pid(spawner)), theirs);
}

TESTS(child, cmocka_unit_test(exit_codes_arrive), cmocka_unit_test(signals_arrive),
      cmocka_unit_test(what_cannot_be_executed_says_why), cmocka_unit_test(a_program_that_did_not_start_has_no_times),
      cmocka_unit_test(arguments_arrive_as_they_are), cmocka_unit_test(the_environment_is_exactly_the_given_one),
      cmocka_unit_test(arguments_of_two_megabytes_arrive_and_more_is_refused), cmocka_unit_test(the_folder_is_the_given_one),
      cmocka_unit_test(a_missing_folder_is_told_from_a_missing_program), cmocka_unit_test(streams_are_connected),
      cmocka_unit_test(one_descriptor_may_serve_as_all_three_streams),
      cmocka_unit_test(no_descriptor_of_ours_reaches_the_program), cmocka_unit_test(a_report_has_its_descriptor_and_only_then),
      cmocka_unit_test(a_report_keeps_its_first_bytes), cmocka_unit_test(signals_have_their_defaults_however_tare_was_started),
      cmocka_unit_test(it_works_with_the_standard_streams_closed), cmocka_unit_test(it_leads_its_own_process_group),
      cmocka_unit_test(it_can_be_pinned_to_one_cpu), cmocka_unit_test(a_program_never_ends_before_it_starts),
      cmocka_unit_test(a_sleep_is_never_shorter_than_asked),
      cmocka_unit_test(peak_memory_is_that_of_the_program_however_large_tare_is),
      cmocka_unit_test(figures_are_those_of_one_child), cmocka_unit_test(thousands_of_runs_leave_nothing_open));
