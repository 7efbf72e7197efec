/* SPDX-License-Identifier: MIT
 *
 * spawn_helper.c - tare-spawn, the process that starts the measured programs and reaps them.
 *
 * Why a process of its own, without a C library: on exec the kernel folds the largest resident size of the old address
 * space into the new program's peak (setmax_mm_hiwater_rss), so the starter's size is the floor of every memory figure,
 * and the time of a fork grows with the starter's page tables. This program holds about a dozen pages and starts
 * children with CLONE_VM, so neither depends on how large tare has become.
 *
 * Signals. All are blocked but three, which are open only while a child runs and whose handler kills the child's group
 * itself, so no wake-up can be lost between a test and a wait. Blocked also means: a Ctrl-C or Ctrl-Z for tare's group
 * cannot stop the one who reads the clock. The child is reaped only after its stamp was taken and with these signals
 * blocked again, so its process id and group cannot belong to another when the handler uses them.
 */
#include "spawn_block.h"
#include "spawn_sys.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

enum {
    SIGNAL_CANCEL = SPAWN_CANCEL,
    SIGNAL_OWNER_DIED = SIGUSR2, /* from the kernel */
    SIGNAL_TIMEOUT = SIGALRM,
    REAP_TRIES = 2000, /* milliseconds to wait for the members of a killed group */
};

long sys_clone(unsigned long flags, void *stack_top, void (*entry)(void));
void sys_restore(void);
__attribute__((used, noreturn)) static void serve(void);

SYS_START(serve);
SYS_CLONE();

static struct spawn_block *block;
static volatile int running; /* the child, 0 between runs */
static volatile int cut;     /* enum spawn_cut, of the current run */
static int group;            /* our own process group, that of tare */
static int streams[3];
static char child_stack[8192] __attribute__((aligned(16)));

static const uint64_t ALL = ~0ull, NONE = 0;

static uint64_t bit(int number)
{
    return 1ull << (number - 1);
}

static _Noreturn void quit(int code)
{
    for (;;)
        SYS(__NR_exit_group, code);
}

static inline int64_t now_ns(void)
{
    struct timespec t;
    SYS(__NR_clock_gettime, CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void set_mask(const uint64_t *mask)
{
    SYS(__NR_rt_sigprocmask, SIG_SETMASK, mask, 0, sizeof *mask);
}

static void set_action(int number, void (*handler)(int))
{
    struct sys_sigaction action;
    action.handler = handler;
    action.flags = SYS_SA_RESTORER;
    action.restorer = sys_restore;
    action.mask = ALL;
    SYS(__NR_rt_sigaction, number, &action, 0, sizeof action.mask);
}

/* ---- the child, on its own stack in our memory ---- */

static _Noreturn void fail(long error)
{
    block->error = (int32_t)-error;
    quit(127);
}

static void must(enum spawn_step step, long result)
{
    if (result >= 0)
        return;
    block->step = step;
    fail(result);
}

static long pin(int cpu)
{
    uint64_t mask[SPAWN_CPUS / 64];
    for (int i = 0; i < SPAWN_CPUS / 64; i++)
        mask[i] = i == cpu / 64 ? 1ull << (cpu % 64) : 0;
    return SYS(__NR_sched_setaffinity, 0, sizeof mask, mask);
}

static void take_terminal(void)
{
    int now = 0, mine = (int)SYS(__NR_getpid, 0);
    if (!SYS(__NR_ioctl, 0, TIOCGPGRP, &now) && now == group) /* else tare itself runs in the background */
        SYS(__NR_ioctl, 0, TIOCSPGRP, &mine);
}

/* Ignored signals stay ignored over exec, so `serve` made all of them default; only our own handlers are left to undo. */
static void default_signals(void)
{
    set_action(SIGNAL_CANCEL, SIG_DFL);
    set_action(SIGNAL_OWNER_DIED, SIG_DFL);
    set_action(SIGNAL_TIMEOUT, SIG_DFL);
    set_mask(&NONE);
}

static void child(void)
{
    const struct spawn_block *b = block;
    must(STEP_GROUP, SYS(__NR_setpgid, 0, 0));
    SYS(__NR_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    for (int i = 0; i < 3; i++)
        must(STEP_STREAMS, SYS(__NR_dup3, streams[i], i, 0));
    if (b->give_terminal)
        take_terminal();
    SYS(__NR_close_range, 3, ~0u, 0); /* older than Linux 5.9: they are all close-on-exec */
    if (b->cwd)
        must(STEP_DIRECTORY, SYS(__NR_chdir, b->cwd));
    if (b->pin_cpu >= 0)
        must(STEP_PIN, pin(b->pin_cpu));
    block->step = STEP_EXEC;
    default_signals();

    /* The measured time starts here. Nothing may stand between the stamp and execve. */
    block->start_ns = now_ns();
    long error = SYS(__NR_execve, b->path, b->argv, b->envp);
    /* The measured time ends in wait_for_end. */

    fail(error);
}

/* ---- the waiter ---- */

static void kill_running(void)
{
    int pid = running;
    if (!pid)
        return;
    SYS(__NR_kill, -pid, SIGKILL);
    SYS(__NR_kill, pid, SIGKILL); /* it may have left its group, or not made it yet */
}

static void on_signal(int number)
{
    if (!cut)
        cut = number == SIGNAL_TIMEOUT ? CUT_TIMEOUT : number == SIGNAL_CANCEL ? CUT_CANCEL : CUT_OWNER_DIED;
    kill_running();
}

/* A stopped child would make the run last for ever. Ctrl-Z is undone: a measured program cannot be put aside. One that
 * wants a terminal which it does not have gets its end. A SIGSTOP is someone's wish and is waited out. */
static void handle_stop(const siginfo_t *stop)
{
    siginfo_t seen;
    SYS(__NR_waitid, P_PID, running, &seen, WSTOPPED | WNOHANG, 0);
    if (stop->si_status == SIGTSTP)
        SYS(__NR_kill, -running, SIGCONT);
    if (stop->si_status == SIGTTIN || stop->si_status == SIGTTOU) {
        block->stopped = stop->si_status;
        kill_running();
    }
}

/* Leaves the child a zombie, which keeps its id and group from being used again. */
static void wait_for_end(siginfo_t *end)
{
    for (;;) {
        long r = SYS(__NR_waitid, P_PID, running, end, WEXITED | WSTOPPED | WNOWAIT, 0);
        block->end_ns = now_ns(); /* the other end of the measured time: nothing may stand before it */
        if (r == -EINTR)
            continue;
        if (r || end->si_code != CLD_STOPPED)
            return;
        handle_stop(end);
    }
}

static void set_timer(int64_t ns)
{
    struct itimerval timer;
    timer.it_interval.tv_sec = timer.it_interval.tv_usec = 0;
    timer.it_value.tv_sec = ns / 1000000000;
    timer.it_value.tv_usec = ns % 1000000000 / 1000;
    if (ns && ns < 1000)
        timer.it_value.tv_usec = 1; /* zero would mean none */
    SYS(__NR_setitimer, ITIMER_REAL, &timer, 0);
}

static void reap(void)
{
    struct rusage u;
    SYS(__NR_wait4, running, 0, 0, &u);
    struct spawn_block *b = block;
    b->user_us = (int64_t)u.ru_utime.tv_sec * 1000000 + u.ru_utime.tv_usec;
    b->sys_us = (int64_t)u.ru_stime.tv_sec * 1000000 + u.ru_stime.tv_usec;
    b->rss_kib = u.ru_maxrss;
    b->minflt = u.ru_minflt;
    b->majflt = u.ru_majflt;
    b->ctx_voluntary = u.ru_nvcsw;
    b->ctx_involuntary = u.ru_nivcsw;
}

/* The rest of a killed group: its orphans come to us, the nearest subreaper. Bounded, as a process in an
 * uninterruptible wait does not even die of SIGKILL. */
static void reap_group(int pgid)
{
    struct timespec pause;
    siginfo_t info;
    for (int i = 0; i < REAP_TRIES; i++) {
        info.si_pid = 0;
        if (SYS(__NR_waitid, P_PGID, pgid, &info, WEXITED | WNOHANG, 0))
            return;
        if (info.si_pid)
            continue;
        pause.tv_sec = 0;
        pause.tv_nsec = 1000000;
        SYS(__NR_nanosleep, &pause, 0);
    }
}

/* Background processes that earlier runs left behind and that have ended since. */
static void reap_strays(void)
{
    siginfo_t info;
    do
        info.si_pid = 0;
    while (!SYS(__NR_waitid, P_ALL, 0, &info, WEXITED | WNOHANG, 0) && info.si_pid);
}

static void clear_result(void)
{
    block->start_ns = block->end_ns = 0;
    block->step = STEP_NONE;
    block->error = block->stopped = 0;
    block->cut = cut = CUT_NONE;
}

static void run(void)
{
    reap_strays();
    clear_result();
    long pid = sys_clone(CLONE_VM | CLONE_VFORK | SIGCHLD, child_stack + sizeof child_stack, child);
    if (pid < 0) {
        block->step = STEP_CLONE;
        block->error = (int32_t)-pid;
        return;
    }
    block->child = running = (int)pid;
    if (block->timeout_ns)
        set_timer(block->timeout_ns);
    const uint64_t open = ALL & ~(bit(SIGNAL_CANCEL) | bit(SIGNAL_OWNER_DIED) | bit(SIGNAL_TIMEOUT));
    set_mask(&open);
    siginfo_t end;
    end.si_code = end.si_status = 0;
    wait_for_end(&end);
    set_mask(&ALL);
    if (block->timeout_ns)
        set_timer(0);
    reap();
    running = block->child = 0;
    if (cut)
        reap_group((int)pid);
    block->wait_code = end.si_code;
    block->wait_status = end.si_status;
    block->cut = cut;
    if (block->give_terminal) /* from the background, which SIGTTOU would forbid were it not blocked */
        SYS(__NR_ioctl, streams[0], TIOCSPGRP, &group);
}

/* ---- the conversation ---- */

static void say_done(void)
{
    char byte = 0;
    SYS(__NR_sendto, SPAWN_SOCKET, &byte, 1, MSG_NOSIGNAL, 0, 0);
}

/* The next request with its three streams. False when tare is gone. */
static int receive(void)
{
    char byte;
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof streams)];
    } control;
    struct iovec part;
    struct msghdr message;
    part.iov_base = &byte;
    part.iov_len = 1;
    message.msg_name = 0;
    message.msg_namelen = 0;
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = &control;
    message.msg_controllen = sizeof control;
    message.msg_flags = 0;
    if (SYS(__NR_recvmsg, SPAWN_SOCKET, &message, MSG_CMSG_CLOEXEC) <= 0)
        return 0;
    const int *sent = (const int *)(const void *)CMSG_DATA(&control.header);
    int complete = message.msg_controllen >= CMSG_LEN(sizeof streams) && !(message.msg_flags & MSG_CTRUNC);
    for (int i = 0; i < 3; i++)
        streams[i] = complete ? sent[i] : -1;
    return 1;
}

static void close_streams(void)
{
    for (int i = 0; i < 3; i++)
        SYS(__NR_close, streams[i]);
}

/* ---- the start ---- */

/* The streams of a child must never arrive as 0, 1 or 2, where dup would overwrite one with another. */
static void fill_standard_descriptors(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (SYS(__NR_fcntl, fd, F_GETFD) < 0)
            SYS(__NR_openat, AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC, 0);
}

static void close_strangers(void)
{
    if (!SYS(__NR_close_range, SPAWN_MEMORY + 1, ~0u, 0))
        return;
    struct rlimit limit;
    limit.rlim_cur = 1024;
    SYS(__NR_prlimit64, 0, RLIMIT_NOFILE, 0, &limit);
    for (unsigned long fd = SPAWN_MEMORY + 1; fd < limit.rlim_cur && fd < 1 << 20; fd++)
        SYS(__NR_close, fd);
}

static void prepare_signals(void)
{
    set_mask(&ALL);
    for (int number = 1; number <= SYS_SIGNALS; number++)
        set_action(number, SIG_DFL);
    set_action(SIGNAL_CANCEL, on_signal);
    set_action(SIGNAL_OWNER_DIED, on_signal);
    set_action(SIGNAL_TIMEOUT, on_signal);
}

static void map_block(void)
{
    long at = SYS(__NR_mmap, 0, SPAWN_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, SPAWN_MEMORY, 0);
    if (at < 0 && at > -4096)
        quit(1);
    SYS(__NR_close, SPAWN_MEMORY);
    block = (struct spawn_block *)at;
    if (block->layout != SPAWN_LAYOUT)
        quit(2);
    block->base = (uint64_t)at;
}

static void serve(void)
{
    prepare_signals();
    fill_standard_descriptors();
    close_strangers();
    map_block();
    SYS(__NR_fcntl, SPAWN_SOCKET, F_SETFD, FD_CLOEXEC);
    SYS(__NR_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    SYS(__NR_prctl, PR_SET_PDEATHSIG, SIGNAL_OWNER_DIED, 0, 0, 0);
    if (SYS(__NR_getppid, 0) != block->owner) /* it died before the line above */
        quit(0);
    group = (int)SYS(__NR_getpgid, 0);
    say_done();
    while (receive()) {
        run();
        close_streams();
        if (cut == CUT_OWNER_DIED)
            break;
        say_done();
    }
    quit(0);
}
