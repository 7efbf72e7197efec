/* SPDX-License-Identifier: MIT */
#include "arena.h"
#include "linux.h"
#include "peak.h"
#include "plat.h"
#include "spawner.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

enum {
    STATUS_BYTES = 8192
}; /* with the longest list of groups the lines looked for may be missing, and the task counts as unreadable */

static uint64_t number(const char *p, unsigned base)
{
    uint64_t value = 0;
    for (;; p++) {
        unsigned digit = *p >= '0' && *p <= '9' ? (unsigned)(*p - '0') : *p >= 'a' && *p <= 'f' ? (unsigned)(*p - 'a') + 10 : 16;
        if (digit >= base)
            return value;
        value = value * base + digit;
    }
}

/* What stands behind "\nNAME:" and blanks; NULL: no such line. */
static const char *line_of(const char *text, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        if (!strncmp(at + 1, name, n) && at[1 + n] == ':')
            return at + 2 + n + strspn(at + 2 + n, " \t");
    return NULL;
}

/* Real, effective, saved: the second. */
static int64_t effective(const char *text, const char *name)
{
    const char *at = line_of(text, name);
    at = at ? strpbrk(at, " \t") : NULL;
    return at ? (int64_t)number(at + 1, 10) : -1;
}

static int64_t decimal(const char *text, const char *name, int64_t otherwise)
{
    const char *at = line_of(text, name);
    return at ? (int64_t)number(at, 10) : otherwise;
}

void peak_status_parse(struct peak_status *out, const char *text)
{
    const char *permitted = line_of(text, "CapPrm"), *bounding = line_of(text, "CapBnd");
    *out = (struct peak_status){
        .peak_kib = decimal(text, "VmHWM", -1),
        .tracer = decimal(text, "TracerPid", 0),
        .euid = effective(text, "Uid"),
        .egid = effective(text, "Gid"),
        .seccomp = decimal(text, "Seccomp", 0),
        .no_new_privileges = decimal(text, "NoNewPrivs", 0) == 1,
        .permitted = permitted ? number(permitted, 16) : 0,
        .bounding = bounding ? number(bounding, 16) : 0,
    };
}

static bool read_status(struct peak_status *out, int task)
{
    char text[STATUS_BYTES];
    if (!task_read(task, "status", text, sizeof text))
        return false;
    peak_status_parse(out, text);
    return true;
}

bool peak_status_read(struct peak_status *out, int task)
{
    return read_status(out, task) && out->peak_kib >= 0;
}

/* Process numbers of /proc are those of our process namespace. */
static bool peak_status_ours(void)
{
    char text[16];
    ssize_t n = readlink("/proc/self", text, sizeof text - 1);
    text[n > 0 ? n : 0] = 0;
    return number(text, 10) == (uint64_t)getpid();
}

/* The permitted set of the file's capabilities. */
static uint64_t file_capabilities(const char *path)
{
    struct vfs_ns_cap_data data;
    ssize_t n = getxattr(path, "security.capability", &data, sizeof data);
    if (n < (ssize_t)XATTR_CAPS_SZ_1)
        return 0;
    uint64_t low = data.data[0].permitted, high = n >= (ssize_t)XATTR_CAPS_SZ_2 ? data.data[1].permitted : 0;
    return low | high << 32;
}

static bool takes_no_privileges(const char *path)
{
    struct statvfs where;
    return !statvfs(path, &where) && where.f_flag & ST_NOSUID;
}

/* The program that the task has just executed has privileges by its file (setuid, setgid, capabilities) and did not get them. */
static bool peak_status_lost_privileges(int task)
{
    char path[48];
    struct stat file;
    struct peak_status s;
    buf_print(path, sizeof path, "/proc/%d/exe", task);
    if (stat(path, &file) || !read_status(&s, task) || s.no_new_privileges || takes_no_privileges(path))
        return false;
    if (file.st_mode & S_ISUID && (int64_t)file.st_uid != s.euid)
        return true;
    if (file.st_mode & S_ISGID && file.st_mode & S_IXGRP && (int64_t)file.st_gid != s.egid)
        return true;
    return (file_capabilities(path) & s.bounding & ~s.permitted) != 0;
}

/* Why attaching to the task failed with this error. */
static enum plat_peak_why peak_status_why_not(int error, int task)
{
    struct peak_status s = {0}, own = {0};
    if (error == ENOSYS)
        return PEAK_NO_PTRACE;
    if (error == EAGAIN || error == ENOMEM)
        return PEAK_NOT_BEGUN;
    if (read_status(&s, task) && s.tracer)
        return PEAK_TRACED_ALREADY;
    if (read_status(&own, getpid()) && own.seccomp)
        return PEAK_FILTERED;
    struct buf yama = BUF_INIT(64);
    bool restricted = !plat_file_read("/proc/sys/kernel/yama/ptrace_scope", &yama, NULL) && *buf_text(&yama) > '0';
    buf_finish(&yama);
    return restricted ? PEAK_YAMA : PEAK_FORBIDDEN;
}

struct peak_trace {
    pthread_t thread;
    sem_t attached;
    int error; /* of attaching */
    int root;
    bool began;    /* the child has executed its program */
    bool replaced; /* some process has executed another one since */
    bool lost;     /* a program began without the privileges of its file */
    bool refused;  /* it was the first one, which was ended before its first instruction */
    int64_t floor_kib, peak_kib;
    int *tasks; /* threads that live */
    int n, room;
    atomic_bool left; /* nobody waits for the thread any more, so it frees this */
};

static void note(struct peak_trace *t, int task)
{
    for (int i = t->n; i-- > 0;)
        if (t->tasks[i] == task)
            return;
    if (array_room(&t->tasks, t->n, &t->room,
                   sizeof *t->tasks)) /* else it is followed all the same; only if it outlives the child its size stays unread */
        t->tasks[t->n++] = task;
}

static void forget(struct peak_trace *t, int task)
{
    for (int i = t->n; i-- > 0;)
        if (t->tasks[i] == task) {
            t->tasks[i] = t->tasks[--t->n];
            return;
        }
}

static void take(struct peak_trace *t, int64_t kib)
{
    if (kib > t->peak_kib)
        t->peak_kib = kib;
}

static void take_status(struct peak_trace *t, int task)
{
    struct peak_status s;
    if (t->began && peak_status_read(&s, task))
        take(t, s.peak_kib);
}

static void go_on(int task, int signal_number)
{
    ptrace(PTRACE_CONT, task, NULL, (void *)(intptr_t)signal_number);
}

static void on_exec(struct peak_trace *t, int task)
{
    unsigned long before = 0; /* the thread that called exec has got the id of the first one */
    if (!ptrace(PTRACE_GETEVENTMSG, task, NULL, &before) && (int)before != task)
        forget(t, (int)before);
    bool first = !t->began;
    t->began = true;
    t->replaced |= !first;
    if (!peak_status_lost_privileges(task))
        return;
    t->lost = true;
    t->refused = first;
    if (first)
        kill(task, SIGKILL);
}

static void on_event(struct peak_trace *t, int task, int event)
{
    unsigned long child = 0;
    switch (event) {
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK:
    case PTRACE_EVENT_CLONE:
        if (!ptrace(PTRACE_GETEVENTMSG, task, NULL, &child))
            note(t, (int)child);
        break;
    case PTRACE_EVENT_EXEC:
        on_exec(t, task);
        break;
    case PTRACE_EVENT_EXIT:
        take_status(t, task);
        break;
    default:
        break;
    }
    go_on(task, 0);
}

static void on_stop(struct peak_trace *t, int task, int status)
{
    int event = status >> 16;
    note(t, task);
    if (event == PTRACE_EVENT_STOP && (WSTOPSIG(status) == SIGSTOP || WSTOPSIG(status) == SIGTSTP ||
                                       WSTOPSIG(status) == SIGTTIN || WSTOPSIG(status) == SIGTTOU))
        ptrace(PTRACE_LISTEN, task, NULL, NULL);
    else if (event)
        on_event(t, task, event);
    else
        go_on(task, WSTOPSIG(status));
}

static void follow(struct peak_trace *t)
{
    for (;;) {
        int status;
        struct rusage usage;
        int task = (int)wait4(-1, &status, __WALL | __WNOTHREAD, &usage);
        if (task < 0 && errno == EINTR)
            continue;
        if (task < 0)
            return;
        if (WIFSTOPPED(status)) {
            on_stop(t, task, status);
            continue;
        }
        /* Of a process that had other images, or was killed without a stop at its exit. */
        if (t->began && (t->replaced || WIFSIGNALED(status)) && usage.ru_maxrss > t->floor_kib)
            take(t, usage.ru_maxrss);
        forget(t, task);
        if (task == t->root)
            return;
    }
}

static void destroy(struct peak_trace *t)
{
    sem_destroy(&t->attached);
    free(t->tasks);
    free(t);
}

/* What is still followed at its end goes on untraced: the kernel detaches what a tracer leaves. */
static void *trace(void *argument)
{
    struct peak_trace *t = argument;
    const intptr_t options =
        PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT;
    if (ptrace(PTRACE_SEIZE, t->root, NULL, (void *)options))
        t->error = errno ? errno : EPERM;
    bool attached = !t->error;
    sem_post(&t->attached);
    if (!attached)
        return NULL;
    follow(t);
    for (int i = 0; i < t->n; i++)
        take_status(t, t->tasks[i]);
    if (atomic_exchange(&t->left, true))
        destroy(t);
    return NULL;
}

static int start(struct peak_trace *t)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* what comes is for the thread that measures */
    int error = pthread_create(&t->thread, NULL, trace, t);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error)
        return error;
    while (sem_wait(&t->attached) && errno == EINTR)
        ;
    if (t->error)
        pthread_join(t->thread, NULL);
    return t->error;
}

/* The requests that are made of a child, to a process that is not there. */
static void call_each_request(void)
{
    static const struct rlimit none = {0, 0};
    enum { NOBODY = INT_MAX };
    setrlimit(RLIMIT_CORE, &none);
    signal(SIGSYS, SIG_DFL); /* a handler would take what a trapping filter sends */
    ptrace(PTRACE_SEIZE, NOBODY, NULL, NULL);
    ptrace(PTRACE_CONT, NOBODY, NULL, NULL);
    ptrace(PTRACE_LISTEN, NOBODY, NULL, NULL);
    ptrace(PTRACE_GETEVENTMSG, NOBODY, NULL, NULL);
    _exit(0);
}

/* A filter of system calls may end its caller by SIGSYS instead of refusing: better a child of ours than tare. */
static enum plat_peak_why try_in_a_child(void)
{
    struct peak_status own;
    int status = 0;
    if (!peak_status_read(&own, getpid()) || !own.seccomp)
        return PEAK_KNOWN;
    pid_t child = fork();
    if (!child)
        call_each_request();
    if (child < 0)
        return PEAK_NOT_BEGUN;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFSIGNALED(status) ? PEAK_FILTERED : PEAK_KNOWN;
}

enum plat_peak_why peak_trace_begin(struct peak_trace **out, int pid)
{
    struct peak_status helper;
    *out = NULL;
    if (!peak_status_ours() || !peak_status_read(&helper, pid))
        return PEAK_NOT_BEGUN;
    enum plat_peak_why why = try_in_a_child();
    if (why)
        return why;
    struct peak_trace *t = calloc(1, sizeof *t);
    if (!t)
        return PEAK_NOT_BEGUN;
    t->root = pid;
    t->floor_kib = helper.peak_kib;
    t->peak_kib = -1;
    sem_init(&t->attached, 0, 0);
    int error = start(t);
    if (error) {
        destroy(t);
        return peak_status_why_not(error, pid);
    }
    *out = t;
    return PEAK_KNOWN;
}

void peak_trace_end(struct peak_trace *t, struct peak *out)
{
    *out = (struct peak){.why = PEAK_NOT_ASKED, .bytes = -1};
    if (!t)
        return;
    pthread_join(t->thread, NULL);
    out->refused = t->refused;
    out->why = t->refused ? PEAK_PRIVILEGED : t->lost ? PEAK_LESS_PRIVILEGED : t->peak_kib < 0 ? PEAK_UNREADABLE : PEAK_KNOWN;
    if (!out->why)
        out->bytes = t->peak_kib * 1024;
    destroy(t);
}

void peak_trace_leave(struct peak_trace *t)
{
    if (!t)
        return;
    pthread_detach(t->thread);
    if (atomic_exchange(&t->left, true))
        destroy(t);
}

/* What rss_bytes cannot tell: the helper's own peak is folded into it on exec, and since Linux 6.2 the kernel counts resident pages in
 * per-CPU batches (lib/percpu_counter.c: the larger of 32 and twice the CPUs), of which ru_maxrss reads only what was handed in. There are
 * three such counters: of anonymous, file and shared pages.
 */
enum { COUNTERS = 3, BATCH_LEAST = 32 };

/* "6.18.4-foo" is at least 6.2. */
static bool counts_in_batches(const char *release)
{
    int number[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        for (; *release >= '0' && *release <= '9' && number[i] < 10000; release++)
            number[i] = number[i] * 10 + (*release - '0');
        release += *release == '.';
    }
    return number[0] > 6 || (number[0] == 6 && number[1] >= 2);
}

enum tare_status plat_rss_floor(const struct plat_spawner *s, struct plat_rss_floor *out)
{
    struct peak_status helper;
    struct plat_uname name;
    if (!peak_status_ours() || !peak_status_read(&helper, plat_spawner_pid(s)))
        return TARE_UNSUPPORTED;
    plat_uname(&name);
    long cpus = sysconf(_SC_NPROCESSORS_ONLN), batch = 2 * cpus > BATCH_LEAST ? 2 * cpus : BATCH_LEAST;
    out->helper_bytes = helper.peak_kib * 1024;
    out->unseen_bytes = counts_in_batches(name.release) ? COUNTERS * (batch - 1) * sysconf(_SC_PAGESIZE) : 0;
    return TARE_OK;
}
