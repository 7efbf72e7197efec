/* SPDX-License-Identifier: MIT
 * Clock, CPUs, priority, counters, the search for programs. */
#include "plat_clock.h"
#include "plat_world.h"
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void the_clock_never_steps_back(void **state)
{
    (void)state;
    int64_t last = plat_now_ns();
    for (int i = 0; i < 100000; i++) {
        int64_t now = plat_now_ns();
        assert_true(now >= last);
        last = now;
    }
    plat_sleep_ns(2000000);
    assert_true(plat_now_ns() - last >= 2000000);
    assert_true(plat_utc_ns() > INT64_C(1700000000000000000));
    plat_sleep_ns(-5);
}

static pid_t child_with_mark(char mark[128])
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (!child) {
        struct buf text = buf_over(mark, 128);
        bool told = plat_process_mark(&text);
        ssize_t n = write(ends[1], mark, told ? text.len : 1);
        close(ends[0]);
        close(ends[1]);
        pause();
        _exit(n < 0);
    }
    close(ends[1]);
    ssize_t n = read(ends[0], mark, 127);
    close(ends[0]);
    mark[n > 0 ? n : 0] = 0;
    return child;
}

static void a_mark_tells_that_its_process_has_ended_and_of_others_nothing(void **state)
{
    (void)state;
    static const char *const none[] = {"", "x", "-", "--", "0123456789abcdef-1-1", "0123456789abcdef-999999998-1", "1-2-3"};
    char mark[128], other[160];
    pid_t child = child_with_mark(mark);
    assert_true(strlen(mark) > 20);
    assert_false(plat_process_mark_ended(mark));
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_true(plat_process_mark_ended(mark));
    struct buf own = buf_over(other, sizeof other);
    assert_true(plat_process_mark(&own));
    assert_false(plat_process_mark_ended(other)); /* it is us */
    snprintf(other, sizeof other, "%s-", mark);
    assert_false(plat_process_mark_ended(other));
    snprintf(other, sizeof other, "%c%s", mark[0] == '0' ? '1' : '0', mark + 1); /* of another boot or container */
    assert_false(plat_process_mark_ended(other));
    *strrchr(mark, '-') = 0;
    assert_false(plat_process_mark_ended(mark));
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_false(plat_process_mark_ended(none[i]));
}

/* Where processes began at other times, by what the kernel tells there. */
static int look_from_another_time(const char *mark)
{
    enum { NEW_TIME = 0x80 };
    FILE *offsets = unshare(NEW_TIME) ? NULL : fopen("/proc/self/timens_offsets", "w");
    if (!offsets)
        return 77;
    const bool set = fputs("boottime 100000 0\n", offsets) >= 0;
    if (fclose(offsets) || !set)
        return 77;
    pid_t there = fork();
    if (!there)
        _exit(plat_process_mark_ended(mark));
    int status;
    return waitpid(there, &status, 0) == there && WIFEXITED(status) ? WEXITSTATUS(status) : 4;
}

static void a_mark_of_another_time_namespace_tells_nothing(void **state)
{
    (void)state;
    char mark[128];
    struct buf text = buf_over(mark, sizeof mark);
    assert_true(plat_process_mark(&text));
    pid_t child = fork();
    if (!child)
        _exit(look_from_another_time(mark));
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* By the definition of a sleep; how much longer it lasts is the machine's business. */
static void a_nap_is_never_too_short(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        int64_t start = plat_now_ns();
        plat_nap_ns(1000000);
        assert_true(plat_now_ns() - start >= 1000000);
    }
    assert_true(plat_timer_slack_ns() > 0);
    plat_nap_ns(-5);
}

static void two_threads_take_turns_on_one_cpu(void **state)
{
    (void)state;
    enum { MOST = 64 };
    const int64_t duration_ns = 60000000;
    double slices[MOST];
    struct tare_err err = {{0}};
    int n, cpus = plat_cpus_allowed();
    assert_int_equal(plat_slices_measure(plat_cpu_now(), duration_ns, slices, MOST, &n, &err), TARE_OK);
    assert_true(n >= 0 && n <= MOST);
    for (int i = 0; i < n; i++)
        assert_true(slices[i] > 0 && slices[i] <= (double)duration_ns);
    assert_int_equal(plat_cpus_allowed(), cpus); /* the threads' wish was theirs alone */
    assert_int_equal(plat_slices_measure(-1, duration_ns, slices, MOST, &n, &err), TARE_INVALID);
    assert_int_equal(n, 0);
    int64_t told = plat_slice_told_ns();
    assert_true(told == -1 || told > 0);
}

static void our_scheduling_is_read_from_the_kernel(void **state)
{
    (void)state;
    struct plat_scheduling now;
    struct tare_err err;
    assert_int_equal(plat_scheduling(&now, &err), TARE_OK);
    assert_int_equal(now.nice, getpriority(PRIO_PROCESS, 0));
    int policy = sched_getscheduler(0);
    if (policy == SCHED_OTHER)
        assert_string_equal(now.policy, "other");
    if (policy == SCHED_OTHER || policy == SCHED_BATCH)
        assert_int_equal(now.real_time, 0);
}

static void allowed_cpus_agree_with_their_number(void **state)
{
    (void)state;
    int n = 0;
    for (int i = -1; i < 10000; i++)
        n += plat_cpu_allowed(i);
    assert_int_equal(n, plat_cpus_allowed());
    assert_true(n >= 1);
    assert_false(plat_cpu_allowed(-1));
}

static void the_machine_has_a_name(void **state)
{
    (void)state;
    struct plat_uname u;
    plat_uname(&u);
    assert_string_equal(u.os, "Linux");
    assert_true(*u.release && *u.version && *u.machine && *u.node);
    assert_true(plat_random_seed() != plat_random_seed());
}

static void the_environment_is_ours(void **state)
{
    (void)state;
    setenv("TARE_PLAT_TEST", "µ", 1);
    assert_string_equal(plat_getenv("TARE_PLAT_TEST"), "µ");
    bool found = false;
    for (const char *const *e = plat_environment(); *e; e++)
        found |= !strcmp(*e, "TARE_PLAT_TEST=µ");
    assert_true(found);
    unsetenv("TARE_PLAT_TEST");
    assert_null(plat_getenv("TARE_PLAT_TEST"));
}

/* ---- priority ---- */

static int take_each_priority(void)
{
    struct tare_err err = {{0}};
    bool nice = getpriority(PRIO_PROCESS, 0) > 0; /* run nicely, maybe by one who cannot go back */
    enum tare_status normal = plat_set_priority(PRIORITY_NORMAL, &err);
    int failed = unless(!normal || (nice && normal == TARE_PERMISSION), err.text);
    failed |= unless(!plat_set_priority(PRIORITY_IDLE, &err), err.text);
    failed |= unless(getpriority(PRIO_PROCESS, 0) == 19, "idle is nice 19");
    struct plat_spawner *s;
    if (plat_spawner_create(&s, NULL, &err))
        return unless(false, err.text);
    failed |= unless(getpriority(PRIO_PROCESS, (id_t)plat_spawner_pid(s)) == 19, "the helper hands it on");
    plat_spawner_destroy(s);
    return failed;
}

static int take_high_without_the_right(void)
{
    struct tare_err err = {{0}};
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_NICE, &none);
    setrlimit(RLIMIT_RTPRIO, &none);
    if (!geteuid() && (setgid(65534) || setuid(65534)))
        return 77;
    if (getpriority(PRIO_PROCESS, 0) < 0) /* high would be a step down */
        setpriority(PRIO_PROCESS, 0, 0);
    int before = getpriority(PRIO_PROCESS, 0); /* these tests may be run nicely */
    int failed = unless(plat_set_priority(PRIORITY_HIGH, &err) == TARE_PERMISSION, "high is refused");
    failed |= unless(strstr(err.text, "priority high") && strstr(err.text, "CAP_SYS_NICE"), err.text);
    failed |= unless(plat_set_priority(PRIORITY_REALTIME, &err) == TARE_PERMISSION, "realtime is refused");
    failed |= unless(sched_getscheduler(0) == SCHED_OTHER && getpriority(PRIO_PROCESS, 0) == before, "nothing has changed");
    return failed;
}

static int take_high_as_root(void)
{
    struct tare_err err = {{0}};
    if (plat_set_priority(PRIORITY_HIGH, &err))
        return 77;
    int failed = unless(getpriority(PRIO_PROCESS, 0) == -10, "high is nice -10");
    if (!plat_set_priority(PRIORITY_REALTIME, &err))
        failed |= unless(sched_getscheduler(0) == SCHED_FIFO, "realtime is first in, first out");
    return failed;
}

static void a_priority_is_taken_or_refused_in_words(void **state)
{
    (void)state;
    assert_int_equal(in_process(take_each_priority), 0);
    int refused = in_process(take_high_without_the_right), taken = in_process(take_high_as_root);
    assert_true(refused == 0 || refused == 77);
    assert_true(taken == 0 || taken == 77);
}

/* ---- counters ---- */

static void page_faults_counted_by_the_kernel_agree_with_wait4(void **state)
{
    (void)state;
    struct plat_counter *c;
    struct tare_err err;
    enum tare_status status = plat_counter_open(&c, spawner, "page-faults", &err);
    if (status == TARE_UNSUPPORTED) /* a kernel without */
        skip();
    if (status) { /* forbidden here: then it must say what to change */
        assert_int_equal(status, TARE_PERMISSION);
        assert_true(strstr(err.text, "perf_event_paranoid") || strstr(err.text, "CAP_PERFMON"));
        skip();
    }
    double last = 0;
    const char *const sizes[] = {"0", "1", "32", "2"};
    for (int i = 0; i < 200; i++) { /* many: contexts of counters can be mixed up by an unlucky switch of processes */
        struct plat_child_spec spec = spec_for(ARGS(PROBE, "touch", sizes[i % 4]));
        spec.envp = ARGS("SHORT=1"); /* a page of environment is a fault before exec */
        struct plat_child_result r = run_spec(&spec);
        double total, ratio;
        assert_int_equal(plat_counter_read(c, &total, &ratio), TARE_OK);
        assert_true(ratio == 1);
        double counted = total - last, waited = (double)(r.minflt + r.majflt);
        last = total;
        if (counted < waited - 16 || counted > waited) /* wait4 has the few faults between clone and exec too */
            fail_msg("%s MB: counted %g, wait4 %g", sizes[i % 4], counted, waited);
    }
    plat_counter_close(c);
    assert_ends(run_quietly(ARGS(PROBE, "exit", "0")), CHILD_EXITED, 0);
}

static void several_counters_count_together_and_close_in_any_order(void **state)
{
    (void)state;
    static const char *const names[] = {"page-faults", "minor-faults", "task-clock"};
    struct plat_counter *c[3];
    struct tare_err err;
    double total[3], ratio;
    for (int i = 0; i < 3; i++)
        if (plat_counter_open(&c[i], spawner, names[i], &err))
            skip();
    run_quietly(ARGS(PROBE, "touch", "4"));
    for (int i = 0; i < 3; i++)
        assert_int_equal(plat_counter_read(c[i], &total[i], &ratio), TARE_OK);
    assert_true(total[0] >= total[1] && total[1] > 0 && total[2] > 0);
    plat_counter_close(c[1]);
    run_quietly(ARGS(PROBE, "touch", "4"));
    double more;
    assert_int_equal(plat_counter_read(c[0], &more, &ratio), TARE_OK);
    assert_true(more > total[0] && ratio == 1);
    plat_counter_close(c[0]);
    plat_counter_close(c[2]);
}

static void what_its_own_children_do_counts_for_the_program(void **state)
{
    (void)state;
    struct plat_counter *c;
    struct tare_err err;
    if (plat_counter_open(&c, spawner, "page-faults", &err))
        skip();
    double total, ratio;
    run_quietly(ARGS("/bin/sh", "-c", PROBE " touch 32; exit 0"));
    assert_int_equal(plat_counter_read(c, &total, &ratio), TARE_OK);
    struct plat_child_result alone = run_quietly(ARGS(PROBE, "touch", "32"));
    if (total < (double)alone.minflt)
        fail_msg("counted %g in shell and program, the program alone has %ld", total, (long)alone.minflt);
    plat_counter_close(c);
}

/* The kernel stops counting where such a program begins. */
static void a_program_with_other_rights_or_one_that_is_not_readable_has_its_count_or_none(void **state)
{
    (void)state;
    struct plat_counter *c;
    struct tare_err err;
    if (plat_counter_open(&c, spawner, "page-faults", &err))
        skip();
    const char *path = scratch("guarded");
    run_quietly(ARGS("/bin/cp", PROBE_STATIC, path));
    assert_int_equal(getuid() ? 0 : chown(path, 65534, 65534), 0);
    assert_int_equal(chmod(path, getuid() ? 0111 : 04755), 0);
    double before, total, ratio;
    assert_int_equal(plat_counter_read(c, &before, &ratio), TARE_OK);
    struct plat_child_result r = run_quietly(ARGS(path, "touch", "32"));
    assert_ends(r, CHILD_EXITED, 0);
    assert_int_equal(plat_counter_read(c, &total, &ratio), TARE_OK);
    if (ratio > 0 && total - before < (double)r.minflt - 16)
        fail_msg("counted %g, wait4 %ld", total - before, (long)r.minflt);
    plat_counter_close(c);
}

static void nothing_is_counted_between_runs(void **state)
{
    (void)state;
    struct plat_counter *c;
    struct tare_err err;
    if (plat_counter_open(&c, spawner, "task-clock", &err))
        skip();
    double first, second, ratio;
    assert_int_equal(plat_counter_read(c, &first, &ratio), TARE_OK);
    assert_true(first == 0 && ratio == 1);
    struct plat_child_result r = run_quietly(ARGS(PROBE, "touch", "32"));
    assert_int_equal(plat_counter_read(c, &first, &ratio), TARE_OK);
    assert_true(first > 0 && first <= (double)(r.end_ns - r.start_ns) * 2);
    plat_sleep_ns(20000000);
    assert_int_equal(plat_counter_read(c, &second, &ratio), TARE_OK);
    assert_true(second == first);
    plat_counter_close(c);
    plat_counter_close(NULL);
}

static void a_counter_that_is_not_there_says_why(void **state)
{
    (void)state;
    static const char *const hardware[] = {"cycles", "instructions", "L1-dcache-load-misses", "branch-misses:u", "r01c2"};
    struct plat_counter *c;
    struct tare_err err;
    for (size_t i = 0; i < sizeof hardware / sizeof *hardware; i++) {
        enum tare_status status = plat_counter_open(&c, spawner, hardware[i], &err);
        if (!status) {
            plat_counter_close(c);
            continue;
        }
        assert_true(status == TARE_UNSUPPORTED || status == TARE_PERMISSION);
        assert_text_has(err.text, hardware[i]);
    }
    static const char *const unknown[] = {
        "cycle", "", ":u", "L1-dcache", "L1-dcache-loadss", "r", "rxyz", "context-switches:u", "r12345678123456781"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_int_equal(plat_counter_open(&c, spawner, unknown[i], &err), TARE_INVALID);
}

/* ---- the search for programs ---- */

static enum tare_status find(const char *name, const char *path, const char *cwd, char *found, struct tare_err *err)
{
    const char *envp[] = {"OTHER=1", path, NULL};
    struct buf b = BUF_INIT(4096);
    enum tare_status status = plat_find_program(name, envp, cwd, &b, err);
    snprintf(found, 256, "%s", buf_text(&b));
    buf_finish(&b);
    return status;
}

static void make_program(const char *path, mode_t mode)
{
    write_text(path, "#!/bin/sh\nexit 12\n");
    assert_int_equal(chmod(path, mode), 0);
}

static void programs_are_found_as_exec_finds_them(void **state)
{
    (void)state;
    char found[256], path[512], expected[256];
    struct tare_err err;
    mkdir(scratch("one"), 0755);
    mkdir(scratch("two"), 0755);
    mkdir(scratch("one/dir"), 0755);
    make_program(scratch("one/tool"), 0644);
    make_program(scratch("two/tool"), 0755);
    make_program(scratch("two/dir"), 0755);
    make_program(scratch("local"), 0755);
    snprintf(path, sizeof path, "PATH=/nonexistent:%s:%s:", scratch("one"), scratch("two"));

    assert_ok(find("tool", path, NULL, found, &err)); /* past the one that cannot be executed */
    assert_string_equal(found, scratch("two/tool"));
    assert_ok(find("dir", path, NULL, found, &err)); /* past a folder */
    assert_string_equal(found, scratch("two/dir"));
    assert_ok(find("local", path, scratch(""), found, &err)); /* the empty folder at the end of PATH */
    assert_string_equal(found, "./local");
    assert_int_equal(find("local", path, "/", found, &err), TARE_NOT_FOUND);
    assert_text_has(err.text, "local");
    assert_ok(find("./local", path, scratch(""), found, &err));
    assert_string_equal(found, "./local");
    snprintf(expected, sizeof expected, "%s", scratch("two/tool"));
    assert_ok(find(expected, "PATH=", NULL, found, &err));
    assert_string_equal(found, expected);
    assert_ok(find("sh", "NOPATH=1", NULL, found, &err));
    assert_true(*found == '/');
}

static void a_program_that_cannot_be_executed_is_named(void **state)
{
    (void)state;
    char found[256], path[512];
    struct tare_err err;
    mkdir(scratch("three"), 0755);
    mkdir(scratch("three/dir"), 0755);
    make_program(scratch("three/tool"), 0644);
    snprintf(path, sizeof path, "PATH=%s:/nonexistent", scratch("three"));
    assert_int_equal(find("tool", path, NULL, found, &err), TARE_PERMISSION);
    assert_text_has(err.text, scratch("three/tool"));
    assert_text_has(err.text, "chmod");
    assert_int_equal(find("dir", path, NULL, found, &err), TARE_PERMISSION);
    assert_text_has(err.text, "directory");
    assert_int_equal(find("/tmp", path, NULL, found, &err), TARE_PERMISSION);
    assert_int_equal(find("./nothing", path, NULL, found, &err), TARE_NOT_FOUND);
    assert_int_equal(find("/etc/passwd/x", path, NULL, found, &err), TARE_NOT_FOUND);
    assert_int_equal(find("", path, NULL, found, &err), TARE_NOT_FOUND);
}

static void a_found_program_runs_from_its_folder(void **state)
{
    (void)state;
    char found[256], folder[256];
    struct tare_err err;
    snprintf(folder, sizeof folder, "%s", scratch("here"));
    mkdir(folder, 0755);
    make_program(scratch("here/tool"), 0755);
    assert_ok(find("tool", "PATH=.", folder, found, &err));
    struct plat_child_spec spec = spec_for(ARGS(found));
    spec.cwd = folder;
    assert_ends(run_spec(&spec), CHILD_EXITED, 12);
}

TESTS(machine, cmocka_unit_test(the_clock_never_steps_back), cmocka_unit_test(a_nap_is_never_too_short),
      cmocka_unit_test(a_mark_tells_that_its_process_has_ended_and_of_others_nothing),
      cmocka_unit_test(a_mark_of_another_time_namespace_tells_nothing), cmocka_unit_test(two_threads_take_turns_on_one_cpu),
      cmocka_unit_test(our_scheduling_is_read_from_the_kernel), cmocka_unit_test(allowed_cpus_agree_with_their_number),
      cmocka_unit_test(the_machine_has_a_name), cmocka_unit_test(the_environment_is_ours),
      cmocka_unit_test(a_priority_is_taken_or_refused_in_words),
      cmocka_unit_test(page_faults_counted_by_the_kernel_agree_with_wait4),
      cmocka_unit_test(several_counters_count_together_and_close_in_any_order),
      cmocka_unit_test(what_its_own_children_do_counts_for_the_program),
      cmocka_unit_test(a_program_with_other_rights_or_one_that_is_not_readable_has_its_count_or_none),
      cmocka_unit_test(nothing_is_counted_between_runs), cmocka_unit_test(a_counter_that_is_not_there_says_why),
      cmocka_unit_test(programs_are_found_as_exec_finds_them), cmocka_unit_test(a_program_that_cannot_be_executed_is_named),
      cmocka_unit_test(a_found_program_runs_from_its_folder));
