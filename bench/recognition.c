/* SPDX-License-Identifier: MIT */
#include "recognition.h"
#include "plat.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FILE_PAGES = 32, TOUCH_PAGES = 1024, PAGE = 4096, STOP_NS = 2000000 };

struct shared {
    _Atomic int64_t spinner_ns;
    _Atomic int64_t stop_from_ns, stop_to_ns, stops_asked, stops_done;
    atomic_bool stood; /* it was seen stopped: a process that waits for a CPU stops only once it has one */
};

static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "recognition: %s: %s\n", what, strerror(errno));
    exit(6);
}

static void bind_to(pid_t pid, int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(pid, sizeof set, &set))
        give_up("cannot bind to a CPU");
}

static int64_t cpu_time_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* In a child: it ends with us. */
static void end_with_parent(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(0);
}

static pid_t spinner_start(struct shared *shared, int cpu)
{
    pid_t parent = getpid(), pid = fork();
    if (pid < 0)
        give_up("cannot start a program");
    if (pid == 0) {
        end_with_parent(parent);
        bind_to(0, cpu);
        raise(SIGSTOP);
        for (;;)
            if (shared)
                atomic_store(&shared->spinner_ns, cpu_time_ns());
    }
    int status;
    waitpid(pid, &status, WUNTRACED); /* it stands */
    return pid;
}

/* "pid (name) STATE ..." */
static bool stands(pid_t pid)
{
    char path[64], text[256] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    const char *at = n > 0 ? strrchr(text, ')') : NULL;
    return at && at[2] == 'T';
}

static void stop_for_a_while(struct shared *shared, pid_t victim)
{
    int64_t from = plat_now_ns();
    kill(victim, SIGSTOP);
    struct timespec t = {.tv_nsec = STOP_NS};
    nanosleep(&t, NULL);
    atomic_store(&shared->stood, stands(victim));
    atomic_store(&shared->stop_from_ns, from);
    atomic_store(&shared->stop_to_ns, plat_now_ns());
    kill(victim, SIGCONT);
    atomic_fetch_add(&shared->stops_done, 1);
}

static pid_t stopper_start(struct shared *shared, int cpu, int *pipe_end)
{
    int ends[2];
    if (pipe(ends))
        give_up("cannot make a pipe");
    pid_t parent = getpid(), pid = fork();
    if (pid < 0)
        give_up("cannot start a program");
    if (pid == 0) {
        end_with_parent(parent);
        bind_to(0, cpu);
        close(ends[1]);
        for (char c; read(ends[0], &c, 1) == 1;)
            stop_for_a_while(shared, parent);
        _exit(0);
    }
    close(ends[0]);
    *pipe_end = ends[1];
    return pid;
}

static bool write_file(const char *folder, const char *file, const char *text)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0)
        close(fd);
    return good;
}

static bool set_quota(struct injector *in, bool tight)
{
    if (in->version_2)
        return write_file(in->group, "cpu.max", tight ? "2000 20000" : "1000000 20000");
    return write_file(in->group, "cpu.cfs_quota_us", tight ? "2000" : "1000000");
}

/* A group of our own, below the first hierarchy that has a CPU controller; the quota is far above what we use until it strikes. */
static void group_make(struct injector *in)
{
    static const char *const roots[] = {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup"};
    for (size_t i = 0; i < sizeof roots / sizeof *roots && !in->quota_works; i++) {
        snprintf(in->group, sizeof in->group, "%s/tare-bench-%d", roots[i], (int)getpid());
        in->version_2 = i == 2;
        if (mkdir(in->group, 0755))
            continue;
        char self[32];
        snprintf(self, sizeof self, "%d", (int)getpid());
        in->quota_works = (in->version_2 || write_file(in->group, "cpu.cfs_period_us", "20000")) && set_quota(in, false) &&
                          write_file(in->group, "cgroup.procs", self);
        if (!in->quota_works)
            rmdir(in->group);
    }
}

static void group_remove(struct injector *in)
{
    if (!in->quota_works)
        return;
    char parent[256], self[32];
    snprintf(parent, sizeof parent, "%.*s", (int)(strrchr(in->group, '/') - in->group), in->group);
    snprintf(self, sizeof self, "%d", (int)getpid());
    if (!write_file(parent, "cgroup.procs", self) || rmdir(in->group))
        fprintf(stderr, "recognition: %s could not be removed: %s\n", in->group, strerror(errno));
    in->quota_works = false;
}

/* In how many periods the group stood still; -1: not told. */
static int64_t periods_stopped(const struct injector *in)
{
    char path[400], text[1024] = "";
    snprintf(path, sizeof path, "%s/cpu.stat", in->group);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    const char *at = n > 0 ? strstr(text, "nr_throttled ") : NULL;
    return at ? atoll(at + strlen("nr_throttled ")) : -1;
}

static void file_make(struct injector *in)
{
    char name[] = "./recognition-XXXXXX", page[PAGE];
    in->file = mkostemp(name, O_CLOEXEC);
    if (in->file < 0)
        give_up("cannot make a file here");
    unlink(name);
    memset(page, 7, sizeof page);
    for (int i = 0; i < FILE_PAGES; i++)
        if (write(in->file, page, sizeof page) != sizeof page)
            give_up("cannot write a file here");
    fsync(in->file);
}

static void drop_pages(struct injector *in)
{
    unsigned char there[FILE_PAGES];
    posix_fadvise(in->file, 0, 0, POSIX_FADV_DONTNEED);
    in->mapped = mmap(NULL, FILE_PAGES * PAGE, PROT_READ, MAP_SHARED, in->file, 0);
    if (in->mapped == MAP_FAILED)
        give_up("cannot map a file");
    madvise(in->mapped, FILE_PAGES * PAGE, MADV_RANDOM);
    in->absent_pages = false;
    if (!mincore(in->mapped, FILE_PAGES * PAGE, there))
        for (int i = 0; i < FILE_PAGES; i += 8)
            in->absent_pages |= !(there[i] & 1);
}

void injector_open(struct injector *in, int cpu, int other_cpu)
{
    *in = (struct injector){.cpu = cpu, .other_cpu = other_cpu};
    in->shared = mmap(NULL, sizeof *in->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (in->shared == MAP_FAILED)
        give_up("no memory");
    in->spinner = spinner_start(in->shared, cpu);
    in->second_spinner = other_cpu == cpu ? 0 : spinner_start(NULL, other_cpu);
    in->stopper = stopper_start(in->shared, other_cpu, &in->stop_pipe);
    file_make(in);
    group_make(in);
    bind_to(0, cpu);
}

static void end_process(pid_t pid)
{
    if (pid <= 0)
        return;
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

void injector_close(struct injector *in)
{
    end_process(in->spinner);
    end_process(in->second_spinner);
    end_process(in->stopper);
    close(in->stop_pipe);
    close(in->file);
    group_remove(in);
}

bool injector_has(const struct injector *in, enum injected kind)
{
    return kind == INJECT_QUOTA ? in->quota_works : kind == INJECT_MOVE ? in->cpu != in->other_cpu : true;
}

void injector_prepare(struct injector *in, enum injected kind)
{
    bool goes_on = in->kind == kind && (kind == INJECT_SPINNER || kind == INJECT_QUOTA);
    if (goes_on)
        return;
    in->kind = kind;
    if (kind == INJECT_SPINNER)
        kill(in->spinner, SIGCONT);
    if (kind == INJECT_QUOTA)
        set_quota(in, true);
    if (kind == INJECT_FAULT)
        drop_pages(in);
}

void injector_begin(struct injector *in)
{
    in->stopped_before = in->kind == INJECT_QUOTA ? periods_stopped(in) : 0;
}

void injector_enter(struct injector *in)
{
    in->spinner_before_ns = atomic_load(&in->shared->spinner_ns);
}

void injector_leave(struct injector *in)
{
    in->spinner_after_ns = atomic_load(&in->shared->spinner_ns);
}

static void touch_memory(void)
{
    char *p = mmap(NULL, (size_t)TOUCH_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return;
    madvise(p, (size_t)TOUCH_PAGES * PAGE, MADV_NOHUGEPAGE);
    for (int i = 0; i < TOUCH_PAGES; i++)
        ((volatile char *)p)[(size_t)i * PAGE] = 1;
    munmap(p, (size_t)TOUCH_PAGES * PAGE);
}

static void touch_file(const struct injector *in)
{
    for (int i = 0; i < FILE_PAGES; i += 8)
        (void)((volatile char *)in->mapped)[(size_t)i * PAGE];
}

static void move(struct injector *in)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(in->other_cpu, &set);
    in->moved = !sched_setaffinity(0, sizeof set, &set);
}

void injector_strike(struct injector *in)
{
    if (in->kind == INJECT_FAULT)
        touch_file(in);
    if (in->kind == INJECT_MOVE)
        move(in);
    if (in->kind == INJECT_TOUCH)
        touch_memory();
    if (in->kind == INJECT_STOP) {
        atomic_fetch_add(&in->shared->stops_asked, 1);
        if (write(in->stop_pipe, "", 1) != 1)
            give_up("cannot ask for a stop");
    }
}

static void wait_for_stop(struct injector *in)
{
    while (atomic_load(&in->shared->stops_done) != atomic_load(&in->shared->stops_asked)) {
        struct timespec t = {.tv_nsec = 200000};
        nanosleep(&t, NULL);
    }
}

static bool stop_fell_within(struct injector *in, int64_t t0, int64_t t1, double least_ns)
{
    wait_for_stop(in);
    int64_t from = atomic_load(&in->shared->stop_from_ns), to = atomic_load(&in->shared->stop_to_ns);
    from = from > t0 ? from : t0;
    to = to < t1 ? to : t1;
    return atomic_load(&in->shared->stood) && (double)(to - from) > least_ns;
}

bool injector_took(struct injector *in, int64_t t0, int64_t t1, int64_t lost_ns, double least_ns)
{
    switch (in->kind) {
    case INJECT_SPINNER:
        return (double)(in->spinner_after_ns - in->spinner_before_ns) > least_ns;
    case INJECT_FAULT:
        return in->absent_pages;
    case INJECT_MOVE:
        return in->moved;
    case INJECT_QUOTA:
        /* A stop at the readings around it counts a period too, so the loss must be one that only a quota makes. */
        return lost_ns > 1000000 && periods_stopped(in) > in->stopped_before;
    case INJECT_STOP:
        return stop_fell_within(in, t0, t1, least_ns);
    default:
        return in->kind == INJECT_TOUCH;
    }
}

void injector_undo(struct injector *in, bool last)
{
    if (in->kind == INJECT_SPINNER && last)
        kill(in->spinner, SIGSTOP);
    if (in->kind == INJECT_QUOTA && last)
        set_quota(in, false);
    if (in->kind == INJECT_FAULT)
        munmap(in->mapped, FILE_PAGES * PAGE);
    if (in->kind == INJECT_MOVE)
        bind_to(0, in->cpu);
    if (in->kind == INJECT_STOP)
        wait_for_stop(in);
    if (last)
        in->kind = INJECT_NOTHING;
}

void injector_load(struct injector *in, bool on)
{
    kill(in->spinner, on ? SIGCONT : SIGSTOP);
    if (in->second_spinner)
        kill(in->second_spinner, on ? SIGCONT : SIGSTOP);
}
