/* SPDX-License-Identifier: MIT
 * Peak memory of runs that are followed, against what the programs themselves read just before their end. */
#include "peak.h"
#include "plat_world.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

static long page_kib(void)
{
    return sysconf(_SC_PAGESIZE) / 1024;
}

/* By how much two readings of one peak may differ. Before 6.2 a thread counted up to 64 pages of each of three kinds for itself before it handed
 * them in, so that neither the program nor we see its last ones. */
static long grain_kib(void)
{
    const long split_kib = 3 * 64 * page_kib();
    struct utsname kernel;
    int major = 0, minor = 0;
    if (!uname(&kernel) && sscanf(kernel.release, "%d.%d", &major, &minor) == 2)
        return major < 6 || (major == 6 && minor < 2) ? split_kib : page_kib();
    return page_kib();
}

static long least_kib(long told)
{
    return grain_kib() > page_kib() ? told - grain_kib() : told;
}

/* Largest number that the program printed, in KiB. */
static long largest_told(int fd)
{
    char text[4096] = "";
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    long largest = -1;
    for (char *at = n > 0 ? text : NULL, *end; at && *at; at = end + (*end == '\n')) {
        long kib = strtol(at, &end, 10);
        largest = kib > largest ? kib : largest;
        if (end == at)
            break;
    }
    return largest;
}

static struct plat_child_result follow(const char *const *argv, long *told)
{
    int fd = memfd_create("told", MFD_CLOEXEC);
    struct plat_child_spec spec = spec_for(argv);
    spec.fd_out = fd;
    spec.peak = true;
    struct plat_child_result r = run_spec(&spec);
    *told = largest_told(fd);
    close(fd);
    return r;
}

#define assert_peak(kib, least, most)                                                                 \
    do {                                                                                              \
        long kib_ = (kib), least_ = (least), most_ = (most);                                          \
        if (kib_ < least_ || kib_ > most_)                                                            \
            fail_msg("%s: peak %ld kB, the program says %ld (up to %ld)", #kib, kib_, least_, most_); \
    } while (0)

/* Exactly what the program says, but for a page that it may have touched on its way out. */
static void assert_told(const char *const *argv)
{
    long told;
    struct plat_child_result r = follow(argv, &told);
    assert_ends(r, CHILD_EXITED, 0);
    assert_int_equal(r.peak_why, PEAK_KNOWN);
    assert_true(told > 0);
    assert_peak((long)(r.peak_bytes / 1024), least_kib(told), told + grain_kib());
}

/* ---- sizes ---- */

static void the_peak_is_what_the_program_says_in_any_order(void **state)
{
    (void)state;
    static const char *const sizes[] = {"1", "8", "64", "160", "64", "8", "1"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        assert_told(ARGS(PEAK_PROBE, "own", sizes[i]));
    assert_told(ARGS(PEAK_PROBE_STATIC, "own", "1"));
}

static void memory_that_was_given_back_counts(void **state)
{
    (void)state;
    assert_told(ARGS(PEAK_PROBE, "freed", "64"));
}

static void nothing_of_ours_is_in_it(void **state)
{
    (void)state;
    size_t n = (size_t)120 << 20;
    char *weight = malloc(n);
    assert_non_null(weight);
    memset(weight, 1, n);
    assert_told(ARGS(PEAK_PROBE_STATIC, "own", "1"));
    free(weight);
    assert_ends(run_quietly(ARGS(PEAK_PROBE, "own", "120")), CHILD_EXITED, 0); /* as a hook does before a run */
    assert_told(ARGS(PEAK_PROBE_STATIC, "own", "1"));
}

static void the_empty_program_is_smaller_than_the_helper(void **state)
{
    (void)state;
    struct plat_rss_floor floor;
    struct plat_child_spec spec = spec_for(ARGS(LIBEXEC "/tare-noop"));
    spec.peak = true;
    struct plat_child_result r = run_spec(&spec);
    assert_int_equal(r.peak_why, PEAK_KNOWN);
    assert_int_equal(plat_rss_floor(spawner, &floor), TARE_OK);
    assert_true(r.peak_bytes > 0);
    assert_true(r.peak_bytes <= floor.helper_bytes);
}

static void the_figure_of_wait4_is_within_the_counters_batches(void **state)
{
    (void)state;
    static const char *const sizes[] = {"1", "8", "64", "160"};
    struct plat_rss_floor floor;
    assert_int_equal(plat_rss_floor(spawner, &floor), TARE_OK);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        long told;
        struct plat_child_result r = follow(ARGS(PEAK_PROBE, "own", sizes[i]), &told);
        long missing = told - (long)(r.rss_bytes / 1024), most = (long)(floor.unseen_bytes / 1024) * plat_cpus_allowed();
        if (missing > most + grain_kib() || missing < -most - grain_kib())
            fail_msg("%s MB: wait4 says %ld kB, the program %ld; up to %ld may be held back", sizes[i],
                     (long)(r.rss_bytes / 1024), told, most);
    }
}

/* ---- trees ---- */

static void the_largest_process_counts(void **state)
{
    (void)state;
    assert_told(ARGS(PEAK_PROBE, "tree", "8", "64", "1"));
    assert_told(ARGS(PEAK_PROBE, "vforked", "64"));
    assert_told(ARGS(PEAK_PROBE, "threads", "8", "8"));
    assert_told(ARGS(PEAK_PROBE, "thread-exec", "8"));
    assert_told(ARGS("/bin/sh", "-c", PEAK_PROBE " own 8 & " PEAK_PROBE " own 64 & wait"));
}

/* The kernel keeps the peak of an image that is gone only with the batches missing. */
static void an_image_that_another_replaced_counts(void **state)
{
    (void)state;
    struct plat_rss_floor floor;
    long told;
    assert_int_equal(plat_rss_floor(spawner, &floor), TARE_OK);
    assert_told(ARGS(PEAK_PROBE, "chain", "1", "8", "64"));
    struct plat_child_result r = follow(ARGS(PEAK_PROBE, "chain", "64", "8", "1"), &told);
    assert_ends(r, CHILD_EXITED, 0);
    assert_peak((long)(r.peak_bytes / 1024), least_kib(told) - (long)(floor.unseen_bytes / 1024) * plat_cpus_allowed(),
                told + grain_kib());
}

static void a_process_that_is_killed_counts(void **state)
{
    (void)state;
    assert_told(ARGS(PEAK_PROBE, "killed", "64"));
}

static void a_program_of_another_word_size_is_followed(void **state)
{
    (void)state;
    if (!*PEAK_PROBE_32) {
        print_message("not tried: no compiler for 32 bits\n");
        return;
    }
    long told;
    struct plat_child_result r = follow(ARGS(PEAK_PROBE_32), &told);
    if (r.end == CHILD_NOT_STARTED && r.code == ENOEXEC) {
        print_message("not tried: this kernel runs no programs of 32 bits\n");
        return;
    }
    assert_ends(r, CHILD_EXITED, 0);
    assert_int_equal(r.peak_why, PEAK_KNOWN);
    assert_peak((long)(r.peak_bytes / 1024), 24 * 1024, 24 * 1024 + 100);
}

/* ---- a run like any other ---- */

static void what_is_left_behind_is_read_and_goes_on(void **state)
{
    (void)state;
    long told;
    const char *file = scratch("left");
    struct plat_child_result r = follow(ARGS(PEAK_PROBE, "left", "64", file), &told);
    assert_ends(r, CHILD_EXITED, 0);
    assert_peak((long)(r.peak_bytes / 1024), told, told + 64); /* it goes on, and may touch more */
    int pid = read_pid(file);
    assert_true(pid > 0);
    struct peak_status s;
    assert_true(peak_status_read(&s, pid));
    assert_int_equal(s.tracer, 0);
    kill(pid, SIGKILL);
    assert_true(gone_soon(pid));
}

static void signals_and_stops_arrive(void **state)
{
    (void)state;
    assert_told(ARGS(PEAK_PROBE, "noisy", "10", "8"));
    assert_told(ARGS(PEAK_PROBE, "noisy", "15", "8"));
    long told;
    assert_ends(follow(ARGS(PROBE, "die", "11"), &told), CHILD_SIGNALLED, SIGSEGV);
    assert_ends(follow(ARGS(PROBE, "die", "9"), &told), CHILD_SIGNALLED, SIGKILL);
    assert_ends(follow(ARGS(PROBE, "stop", "20"), &told), CHILD_EXITED, 7); /* Ctrl-Z is undone */
}

static void a_timeout_ends_the_tree(void **state)
{
    (void)state;
    const char *one = scratch("one"), *other = scratch("other");
    struct plat_child_spec spec = spec_for(ARGS(PROBE, "family", one, other));
    spec.peak = true;
    assert_int_equal(run_into_limit(spec, ARGS(one, other)).end, CHILD_TIMED_OUT);
    assert_true(read_pid(one) > 0 && gone_soon(read_pid(one)));
    assert_true(read_pid(other) > 0 && gone_soon(read_pid(other)));
}

static void huge_output_arrives(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    struct plat_child_spec spec = spec_for(ARGS(PROBE, "spray", "300"));
    spec.fd_out = ends[1];
    spec.drain_fd = ends[0];
    spec.peak = true;
    struct plat_child_result r = run_spec(&spec);
    assert_ends(r, CHILD_EXITED, 0);
    assert_true(r.peak_bytes > 0);
    close(ends[0]);
    close(ends[1]);
}

static void a_missing_program_is_told_as_ever(void **state)
{
    (void)state;
    long told;
    struct plat_child_result r = follow(ARGS("/nonexistent/program"), &told);
    assert_ends(r, CHILD_NOT_STARTED, ENOENT);
    assert_int_equal(r.peak_bytes, -1);
    assert_told(ARGS(PEAK_PROBE, "own", "1"));
}

static void runs_that_are_not_followed_say_so(void **state)
{
    (void)state;
    struct plat_child_result r = run_quietly(ARGS(PROBE, "exit", "0"));
    assert_int_equal(r.peak_bytes, -1);
    assert_int_equal(r.peak_why, PEAK_NOT_ASKED);
}

/* ---- refusals: the program does not run, and the reason is there ---- */

static int refused_as(enum plat_peak_why why)
{
    struct plat_spawner *s;
    struct plat_child_result r = {0};
    struct tare_err err;
    const char *file = scratch("ran");
    struct plat_child_spec spec = spec_for(ARGS(PROBE, "wait", file));
    unlink(file);
    spec.peak = true;
    spec.timeout_ns = INT64_C(600000000000);
    if (plat_spawner_create(&s, NULL, &err))
        return unless(false, err.text);
    int wrong = unless(!plat_child_run(s, &spec, &r, &err), err.text);
    if (r.peak_why != why)
        fprintf(stderr, "reason %d, expected %d\n", (int)r.peak_why, (int)why);
    wrong += r.peak_why != why;
    wrong += unless(r.end == CHILD_NOT_STARTED && !r.code, "the program did not start");
    wrong += unless(access(file, F_OK), "the program did not run");
    wrong += unless(r.peak_bytes == -1, "there is no figure");
    spec = spec_for(ARGS(PROBE, "exit", "5")); /* the helper is as good as before */
    wrong += unless(!plat_child_run(s, &spec, &r, &err) && r.end == CHILD_EXITED && r.code == 5, "the next run works");
    plat_spawner_destroy(s);
    return wrong;
}

static int forbid(int number, unsigned result)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, result),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int filtered(void)
{
    return forbid(SYS_ptrace, SECCOMP_RET_ERRNO | EPERM) || refused_as(PEAK_FILTERED);
}

static int without_ptrace(void)
{
    return forbid(SYS_ptrace, SECCOMP_RET_ERRNO | ENOSYS) || refused_as(PEAK_NO_PTRACE);
}

static int ended_by_a_filter(void)
{
    return forbid(SYS_ptrace, SECCOMP_RET_KILL_PROCESS) || refused_as(PEAK_FILTERED);
}

static int thread_ended_by_a_filter(void)
{
    return forbid(SYS_ptrace, SECCOMP_RET_KILL_THREAD) || refused_as(PEAK_FILTERED);
}

static int trapped_by_a_filter(void)
{
    return forbid(SYS_ptrace, SECCOMP_RET_TRAP) || refused_as(PEAK_FILTERED);
}

/* A filter of something else is no reason. */
static int filtered_elsewhere(void)
{
    struct plat_spawner *s;
    struct plat_child_result r = {0};
    struct tare_err err;
    struct plat_child_spec spec = spec_for(ARGS(PROBE, "exit", "5"));
    spec.peak = true;
    if (forbid(SYS_swapon, SECCOMP_RET_KILL_PROCESS) || plat_spawner_create(&s, NULL, &err))
        return 1;
    int wrong = unless(!plat_child_run(s, &spec, &r, &err) && r.end == CHILD_EXITED && r.code == 5, "the program runs");
    wrong += unless(r.peak_why == PEAK_KNOWN && r.peak_bytes > 0, "and has its figure");
    plat_spawner_destroy(s);
    return wrong;
}

static void a_filter_of_system_calls_is_the_reason(void **state)
{
    (void)state;
    assert_int_equal(in_process(filtered), 0);
    assert_int_equal(in_process(without_ptrace), 0);
    assert_int_equal(in_process(ended_by_a_filter), 0);
    assert_int_equal(in_process(thread_ended_by_a_filter), 0);
    assert_int_equal(in_process(trapped_by_a_filter), 0);
    assert_int_equal(in_process(filtered_elsewhere), 0);
}

static int go_is_not_sent(void)
{
    struct plat_spawner *s;
    struct plat_child_result r;
    struct tare_err err = {{0}};
    struct plat_child_spec spec = spec_for(ARGS(PROBE, "exit", "5"));
    spec.peak = true;
    if (plat_spawner_create(&s, NULL, &err) || forbid(SYS_sendto, SECCOMP_RET_ERRNO | EIO))
        return 1;
    int wrong = unless(plat_child_run(s, &spec, &r, &err) == TARE_IO, "it is an error");
    wrong += unless(strstr(err.text, "cannot tell tare-spawn to start") != NULL, "of what was sent");
    plat_spawner_destroy(s);
    return wrong;
}

/* It was held for ever, and so were we. */
static void a_child_that_cannot_be_let_go_is_an_error(void **state)
{
    (void)state;
    assert_int_equal(in_process(go_is_not_sent), 0);
}

/* As strace -f and debuggers do: whatever the traced process starts is theirs. */
static int under_a_tracer(void)
{
    pid_t pid = fork();
    if (!pid) {
        raise(SIGSTOP);
        _exit(refused_as(PEAK_TRACED_ALREADY));
    }
    int status;
    const intptr_t options = PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE;
    waitpid(pid, &status, WUNTRACED);
    if (ptrace(PTRACE_SEIZE, pid, NULL, (void *)options))
        return unless(false, "this test can trace");
    kill(pid, SIGCONT);
    for (pid_t who; (who = waitpid(-1, &status, __WALL)) > 0;) {
        if (WIFEXITED(status) && who == pid)
            return WEXITSTATUS(status);
        if (WIFSTOPPED(status))
            ptrace(PTRACE_CONT, who, NULL, status >> 16 ? NULL : (void *)(intptr_t)WSTOPSIG(status));
    }
    return 98;
}

static void another_tracer_is_the_reason(void **state)
{
    (void)state;
    assert_int_equal(in_process(under_a_tracer), 0);
}

static void write_scope(char value)
{
    int fd = open("/proc/sys/kernel/yama/ptrace_scope", O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, &value, 1), 1);
    close(fd);
}

static int as_nobody(int (*body)(void))
{
    if (setgid(65534) || setuid(65534) || prctl(PR_SET_DUMPABLE, 1))
        return 97;
    return body();
}

static int yama_refuses(void)
{
    return refused_as(PEAK_YAMA);
}

static int yama_as_nobody(void)
{
    return as_nobody(yama_refuses);
}

static void yama_is_the_reason(void **state)
{
    (void)state;
    const char *now = read_text("/proc/sys/kernel/yama/ptrace_scope");
    char before = *now;
    if (getuid() || before < '0' || before > '1') {
        print_message("not tried: yama is not there, cannot be set, or cannot be set back\n");
        return;
    }
    write_scope('2');
    int wrong = in_process(yama_as_nobody);
    write_scope(before);
    assert_int_equal(wrong, 0);
}

/* ---- privileges of files ---- */

static char privileged_path[256];

static int privileged_target(void)
{
    struct plat_spawner *s;
    struct plat_child_result r = {0};
    struct tare_err err;
    if (plat_spawner_create(&s, NULL, &err))
        return unless(false, err.text);
    struct plat_child_spec spec = spec_for(ARGS(privileged_path, "exit", "0"));
    spec.peak = true;
    int wrong = unless(!plat_child_run(s, &spec, &r, &err), err.text);
    wrong += unless(r.end == CHILD_NOT_STARTED && r.peak_why == PEAK_PRIVILEGED, "a setuid program does not begin");
    char command[512];
    snprintf(command, sizeof command, "%s exit 0; exit 4", privileged_path);
    spec = spec_for(ARGS("/bin/sh", "-c", command));
    spec.peak = true;
    wrong += unless(!plat_child_run(s, &spec, &r, &err), err.text);
    wrong += unless(r.end == CHILD_EXITED && r.code == 4, "a program that starts one runs to its end");
    wrong += unless(r.peak_why == PEAK_LESS_PRIVILEGED && r.peak_bytes == -1, "and has no figure");
    spec.peak = false;
    wrong += unless(!plat_child_run(s, &spec, &r, &err) && r.code == 4, "unfollowed it is as ever");
    plat_spawner_destroy(s);
    return wrong;
}

static int privileged_as_nobody(void)
{
    return as_nobody(privileged_target);
}

static int privileged_as_root(void)
{
    struct plat_child_spec spec = spec_for(ARGS(privileged_path, "exit", "3"));
    spec.peak = true;
    struct plat_child_result r = {0};
    struct tare_err err;
    struct plat_spawner *s;
    if (plat_spawner_create(&s, NULL, &err))
        return 1;
    int wrong = unless(!plat_child_run(s, &spec, &r, &err) && r.end == CHILD_EXITED && r.code == 3 && r.peak_bytes > 0,
                       "who may trace all loses nothing");
    plat_spawner_destroy(s);
    return wrong;
}

static void copy_file(const char *from, const char *to, unsigned mode)
{
    static char bytes[1 << 16];
    int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
    assert_true(in >= 0 && out >= 0);
    for (ssize_t n; (n = read(in, bytes, sizeof bytes)) > 0;)
        assert_int_equal(write(out, bytes, (size_t)n), n);
    assert_int_equal(fchmod(out, mode), 0);
    close(in);
    close(out);
}

static void a_program_that_would_lose_its_privileges_is_not_followed(void **state)
{
    (void)state;
    if (getuid()) {
        print_message("not tried: only root can make a setuid program\n");
        return;
    }
    strcpy(privileged_path, scratch("privileged"));
    copy_file(PROBE_STATIC, privileged_path, 04755);
    assert_int_equal(in_process(privileged_as_nobody), 0);
    copy_file(PROBE_STATIC, privileged_path, 02755);
    assert_int_equal(in_process(privileged_as_nobody), 0);
    assert_int_equal(in_process(privileged_as_root), 0);
}

/* ---- /proc/PID/status ---- */

static void status_is_read(void **state)
{
    (void)state;
    struct peak_status s;
    peak_status_parse(&s, "Name:\tVmHWM: 7\nTracerPid:\t42\nUid:\t1\t2\t3\t4\nGid:\t5\t6\t7\t8\nVmHWM:\t    1168 kB\n"
                          "CapPrm:\t00000000a80425fb\nCapBnd:\t0000000000000400\nNoNewPrivs:\t1\nSeccomp:\t2\n");
    assert_int_equal(s.peak_kib, 1168);
    assert_int_equal(s.tracer, 42);
    assert_int_equal(s.euid, 2);
    assert_int_equal(s.egid, 6);
    assert_int_equal(s.permitted, 0xa80425fb);
    assert_int_equal(s.bounding, 0x400);
    assert_true(s.no_new_privileges);
    assert_int_equal(s.seccomp, 2);
    peak_status_parse(&s, "Name:\tkthreadd\n");
    assert_int_equal(s.peak_kib, -1);
    assert_int_equal(s.tracer, 0);
}

/* ---- the group, where files look like one ---- */

static const char *in_group(const char *root, const char *file)
{
    static char paths[4][512];
    static int next;
    char home[256] = "", *path = paths[next++ % 4];
    const char *at = read_text("/proc/self/cgroup");
    while (*at && strncmp(at, "0::/", 4))
        at += strcspn(at, "\n"), at += *at == '\n';
    if (*at)
        snprintf(home, sizeof home, "%.*s", (int)strcspn(at + 3, "\n"), at + 3);
    snprintf(path, sizeof *paths, "%s%s%s%s", root, strcmp(home, "/") ? home : "", *file ? "/" : "", file);
    return path;
}

static void without_a_group_that_is_ours_there_is_none(void **state)
{
    (void)state;
    char root[256];
    struct peak_group g;
    strcpy(root, scratch("group"));
    assert_int_equal(mkdir(root, 0755), 0);
    assert_int_equal(peak_group_open(&g, root, getpid()), PEAK_NO_GROUP);
    assert_int_equal(peak_group_close(&g), -1);
    if (strcmp(in_group(root, ""), root))
        return; /* our group is not the root here: the folders below would have to be made */
    write_text(in_group(root, "cgroup.subtree_control"), "cpu memory_recursiveprot\n");
    assert_int_equal(peak_group_open(&g, root, getpid()), PEAK_NO_GROUP);
    write_text(in_group(root, "cgroup.subtree_control"), "cpu memory pids\n");
    assert_int_equal(peak_group_open(&g, root, getpid()), PEAK_NO_GROUP); /* a folder without memory.peak */
    char made[512];
    snprintf(made, sizeof made, "%s/tare-%d-%d", root, (int)getpid(), (int)getpid());
    assert_int_equal(access(made, F_OK), -1);
}

/* Asked of the kernel itself: a filter of a container, Yama at its strictest or a debugger around us leave nothing to follow. */
static bool may_trace(void)
{
    struct peak_status ours;
    pid_t pid = fork();
    while (!pid)
        pause();
    bool can = pid > 0 && !ptrace(PTRACE_SEIZE, pid, NULL, NULL);
    if (pid > 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    return can && peak_status_read(&ours, getpid()) && !ours.tracer;
}

int main(int argc, char **argv)
{
    const bool can = may_trace();
    if (argc > 1 && !strcmp(argv[1], "--may-trace"))
        return !can;
    if (!can) {
        puts("not tried: processes may not be traced here");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_peak_is_what_the_program_says_in_any_order),
        cmocka_unit_test(memory_that_was_given_back_counts),
        cmocka_unit_test(nothing_of_ours_is_in_it),
        cmocka_unit_test(the_empty_program_is_smaller_than_the_helper),
        cmocka_unit_test(the_figure_of_wait4_is_within_the_counters_batches),
        cmocka_unit_test(the_largest_process_counts),
        cmocka_unit_test(an_image_that_another_replaced_counts),
        cmocka_unit_test(a_process_that_is_killed_counts),
        cmocka_unit_test(a_program_of_another_word_size_is_followed),
        cmocka_unit_test(what_is_left_behind_is_read_and_goes_on),
        cmocka_unit_test(signals_and_stops_arrive),
        cmocka_unit_test(a_timeout_ends_the_tree),
        cmocka_unit_test(huge_output_arrives),
        cmocka_unit_test(a_missing_program_is_told_as_ever),
        cmocka_unit_test(runs_that_are_not_followed_say_so),
        cmocka_unit_test(a_filter_of_system_calls_is_the_reason),
        cmocka_unit_test(a_child_that_cannot_be_let_go_is_an_error),
        cmocka_unit_test(another_tracer_is_the_reason),
        cmocka_unit_test(yama_is_the_reason),
        cmocka_unit_test(a_program_that_would_lose_its_privileges_is_not_followed),
        cmocka_unit_test(status_is_read),
        cmocka_unit_test(without_a_group_that_is_ours_there_is_none),
    };
    return cmocka_run_group_tests_name("peak", tests, world_begin, world_end);
}
