/* SPDX-License-Identifier: MIT
 *
 * spawn_helper.c - tare-spawn, the process that starts the measured programs and reaps them.
 *
 * Why a process of its own, without a C library: on exec the kernel folds the largest resident size of the old address
 * space into the new program's peak (setmax_mm_hiwater_rss), so the starter's size is the floor of every memory figure,
 * and the time of a fork grows with the starter's page tables. This program holds about a dozen pages and starts
 * children with CLONE_VM, so neither depends on how large tare has become.
 *
 * Why not CLONE_VFORK too: the child has its own stack and writes only to the block, so nothing forces us to stand still
 * until its exec. We are asleep in waitid before it gets there and need not be woken in the middle of the measured time,
 * as a vfork's parent is; and a child that hangs before its exec can be ended like any other.
 *
 * Signals. All are blocked but three, which are open while a child runs and whose handler kills the child's group itself, so
 * no wake-up can be lost between a test and a wait; between runs tare's death is open still. Blocked also means: a Ctrl-C or Ctrl-Z for tare's group
 * cannot stop the one who reads the clock. The child is reaped only after its stamp was taken and with these signals
 * blocked again, so its process id and group cannot belong to another when the handler uses them.
 *
 * The child is made before it is needed, while tare still looks at the last result, and parked until its request comes: making a
 * process and opening its file under /proc takes longer than all else between two runs. It shares our descriptors until then, so that
 * those of the request reach it. Where it could not take a copy of them (before Linux 5.9, under some filters of system calls) and under
 * emulators it is made when it is asked for.
 *
 * What explains a run is read from /proc while the child is a zombie (spawn_account.h).
 */
#include "chain.h"
#include "spawn_account.h"
#include "spawn_block.h"
#include "spawn_sys.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/futex.h>
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
    TIMER_STEP_NS = 1000,
    REAP_TRIES = 2000, /* milliseconds to wait for the members of a killed group */
    STRAYS_MAX = 256,
    CHILDREN_BYTES = 4096,
    PATIENCE_NS = 100000,
};

long sys_clone(unsigned long flags, void *stack_top, void (*entry)(void));
void sys_restore(void);
__attribute__((used, noreturn)) static void serve(void);

SYS_START(serve);
SYS_CLONE();

static struct spawn_block *block;
static volatile int running; /* the child, 0 between runs */
static volatile int cut;     /* enum spawn_cut, of the current run */
static int undone;           /* a stop of its child, by us: it is about to go on */
static int64_t began_ns;     /* the current run, before its timer */
static int own_pid;
static int group;       /* our own process group, that of tare */
static int parked;      /* the child of the next run, 0: none */
static int zombie;      /* the child of the last run, not yet reaped */
static volatile int go; /* the parked child waits for it */
static int can_park;
static int streams[SPAWN_STREAMS], n_streams;
static int strays_live;                  /* processes that earlier runs and hooks left behind */
static int strays[STRAYS_MAX], n_strays; /* those of them that live at the start of a run; -1: not known */
static char child_stack[8192] __attribute__((aligned(16)));

#define BIT(number) (1ull << ((number)-1))
static const uint64_t ALL = ~0ull, NONE = 0;
static const uint64_t BETWEEN_RUNS = ~BIT(SIGNAL_OWNER_DIED);
static const uint64_t IN_A_RUN = ~(BIT(SIGNAL_OWNER_DIED) | BIT(SIGNAL_CANCEL) | BIT(SIGNAL_TIMEOUT));

static _Noreturn void quit(int code)
{
    for (;;)
        SYS(__NR_exit_group, code);
}

static inline int64_t clock_ns(int clock)
{
    struct timespec t;
    SYS(__NR_clock_gettime, clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline int64_t now_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

static void set_mask(const uint64_t *mask)
{
    SYS(__NR_rt_sigprocmask, SIG_SETMASK, mask, 0, sizeof *mask);
}

static void drop_signals(uint64_t which)
{
    struct timespec now;
    now.tv_sec = now.tv_nsec = 0;
    while (SYS(__NR_rt_sigtimedwait, &which, 0, &now, sizeof which) > 0)
        ;
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

/* The child, on its own stack in our memory. */

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
    if (SYS(__NR_ioctl, 0, TIOCGPGRP, &now) || now != group) /* tare itself runs in the background */
        return;
    block->took_terminal = !SYS(__NR_ioctl, 0, TIOCSPGRP, &mine);
}

/* Ignored signals stay ignored over exec, so `serve` made all of them default; only our own handlers are left to undo. */
static void default_signals(void)
{
    set_action(SIGNAL_CANCEL, SIG_DFL);
    set_action(SIGNAL_OWNER_DIED, SIG_DFL);
    set_action(SIGNAL_TIMEOUT, SIG_DFL);
    set_mask(&NONE);
}

static long say(char word)
{
    return SYS(__NR_sendto, SPAWN_SOCKET, &word, 1, MSG_NOSIGNAL, 0, 0);
}

/* What is attached from outside, perf counters and exact peak memory, needs a process that exists and has not executed the program yet. */
static long wait_for_go(void)
{
    char word;
    block->child = (int32_t)SYS(__NR_getpid, 0);
    const long told = say(SPAWN_HELD);
    return told < 0 ? told : SYS(__NR_recvfrom, SPAWN_SOCKET, &word, 1, 0, 0, 0) == 1 ? 0 : -EPIPE;
}

/* The least of three, as of clock_core_hz: what interrupts one makes the core no slower for the run. */
static int64_t least_chain(enum tare_ticks_way way)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 3; i++) {
        const uint64_t ticks = chain_ticks(way);
        least = ticks < least ? ticks : least;
    }
    return (int64_t)least;
}

/* Where it is, how fast, and for how long it ran so far. */
static void note_place(void)
{
    unsigned cpu = 0;
    block->chain_ticks = block->chain ? least_chain((enum tare_ticks_way)block->chain) : 0;
    block->first_cpu = SYS(__NR_getcpu, &cpu, 0, 0) ? -1 : (int32_t)cpu;
    block->setup_cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* The descriptors of the helper as they are when the request is there, as a copy: a range that holds none is closed. */
static long own_descriptors(void)
{
    return SYS(__NR_close_range, ~0u, ~0u, CLOSE_RANGE_UNSHARE);
}

static void park(void)
{
    SYS(__NR_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (SYS(__NR_getppid, 0) != own_pid) /* it died before the line above */
        quit(0);
    spawn_account_open((int)SYS(__NR_getpid, 0)); /* of it, while the helper goes on */
    while (!go)
        SYS(__NR_futex, &go, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
    must(STEP_STREAMS, own_descriptors());
}

static void child(void)
{
    const struct spawn_block *b = block;
    if (can_park)
        park();
    must(STEP_GROUP, SYS(__NR_setpgid, 0, 0));
    /* What tare's group got while we were parked: tare, which lives, ignores it, as the SIGHUP of nohup, or ends us. */
    drop_signals(ALL);
    SYS(__NR_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (b->hold)
        must(STEP_HOLD, wait_for_go());
    for (int i = 0; i < 3 || i < n_streams; i++) /* descriptor 3 was the conversation, which is over */
        must(STEP_STREAMS, SYS(__NR_dup3, streams[i], i, 0));
    if (b->give_terminal)
        take_terminal();
    if (b->cwd)
        must(STEP_DIRECTORY, SYS(__NR_chdir, b->cwd));
    if (b->pin_cpu >= 0)
        must(STEP_PIN, pin(b->pin_cpu));
    block->step = STEP_EXEC;
    default_signals();
    spawn_account_start(block);
    SYS(__NR_close_range, n_streams > 3 ? 4 : 3, ~0u, 0); /* older than Linux 5.9: they are all close-on-exec */
    note_place();

    /* The measured time starts here. Nothing may stand between the stamp and execve. */
    block->start_ns = now_ns();
    long error = SYS(__NR_execve, b->path, b->argv, b->envp);
    /* The measured time ends in wait_for_end. */

    fail(error);
}

static void kill_running(void)
{
    int pid = running;
    if (!pid)
        return;
    SYS(__NR_kill, -pid, SIGKILL);
    if (SYS(__NR_kill, pid, SIGKILL) == -EPERM) /* it may have left its group, or not made it yet */
        block->not_ours = 1;
}

/* The measured program may signal its parent, us: some say so that they are ready. */
static int is_meant(int number)
{
    if (number == SIGNAL_CANCEL)
        return block->cancel != 0;
    if (number == SIGNAL_TIMEOUT)
        return block->timeout_ns && now_ns() - began_ns >= block->timeout_ns - TIMER_STEP_NS;
    return SYS(__NR_getppid, 0) != block->owner;
}

static void on_signal(int number)
{
    if (!is_meant(number))
        return;
    if (!running) /* only tare's death comes through between runs */
        quit(0);
    if (!cut)
        cut = number == SIGNAL_TIMEOUT ? CUT_TIMEOUT : number == SIGNAL_CANCEL ? CUT_CANCEL : CUT_OWNER_DIED;
    kill_running();
}

/* A stopped child would make the run last for ever. Ctrl-Z is undone: a measured program cannot be put aside. One that
 * wants a terminal which it does not have gets its end. A SIGSTOP is someone's wish and is waited out, which the result says. Of one that ended before we
 * came to look there is only that the child goes on. */
static void handle_stop(const siginfo_t *stop)
{
    siginfo_t seen;
    const int goes_on = stop->si_code == CLD_CONTINUED, by_us = goes_on && undone;
    SYS(__NR_waitid, P_PID, running, &seen, (goes_on ? WCONTINUED : WSTOPPED) | WNOHANG, 0);
    undone = !goes_on && stop->si_status == SIGTSTP;
    if (by_us)
        return;
    if (undone)
        SYS(__NR_kill, -running, SIGCONT);
    else if (goes_on || (stop->si_status != SIGTTIN && stop->si_status != SIGTTOU))
        block->paused = 1;
    else {
        block->stopped = stop->si_status;
        kill_running();
    }
}

/* Leaves the child a zombie, which keeps its id and group from being used again. */
static void wait_for_end(siginfo_t *end)
{
    for (;;) {
        long r = SYS(__NR_waitid, P_PID, running, end, WEXITED | WSTOPPED | WCONTINUED | WNOWAIT, 0);
        block->end_ns = now_ns(); /* the other end of the measured time: nothing may stand before it */
        if (r == -EINTR)
            continue;
        if (r || (end->si_code != CLD_STOPPED && end->si_code != CLD_CONTINUED))
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

/* Of the zombie, its threads and the children it waited for. The kernel's waitid has a fifth argument. */
static void read_usage(int pid)
{
    struct rusage u;
    siginfo_t end;
    SYS(__NR_waitid, P_PID, pid, &end, WEXITED | WNOWAIT | WNOHANG, &u);
    struct spawn_block *b = block;
    b->user_us = (int64_t)u.ru_utime.tv_sec * 1000000 + u.ru_utime.tv_usec;
    b->sys_us = (int64_t)u.ru_stime.tv_sec * 1000000 + u.ru_stime.tv_usec;
    b->rss_kib = u.ru_maxrss;
    b->minflt = u.ru_minflt;
    b->majflt = u.ru_majflt;
    b->ctx_voluntary = u.ru_nvcsw;
    b->ctx_involuntary = u.ru_nivcsw;
}

/* Until a zombie has left its CPU its account grows, so what is read behind its usage can be more: then both are read once more. */
static void read_end(int pid)
{
    read_usage(pid);
    if (!spawn_account_zombie(block)) {
        read_usage(pid);
        spawn_account_zombie(block);
    }
    spawn_account_end(block, pid);
}

static void reap(void)
{
    if (zombie)
        SYS(__NR_wait4, zombie, 0, 0, 0);
    zombie = 0;
}

static void sleep_1_ms(void)
{
    struct timespec pause;
    pause.tv_sec = 0;
    pause.tv_nsec = 1000000;
    SYS(__NR_nanosleep, &pause, 0);
}

/* The rest of a killed group: its orphans come to us, the nearest subreaper. Bounded, as a process in an
 * uninterruptible wait does not even die of SIGKILL. */
static void reap_group(int pgid)
{
    siginfo_t info;
    for (int i = 0; i < REAP_TRIES; i++) {
        info.si_pid = 0;
        if (SYS(__NR_waitid, P_PGID, pgid, &info, WEXITED | WNOHANG, 0))
            return;
        if (!info.si_pid)
            sleep_1_ms();
    }
}

/* Background processes that earlier runs and hooks left behind: those that have ended since are reaped. True when others live. */
static int reap_strays(void)
{
    siginfo_t info;
    for (;;) {
        info.si_pid = 0;
        if (SYS(__NR_waitid, P_ALL, 0, &info, WEXITED | WNOHANG, 0))
            return 0;
        if (!info.si_pid)
            return 1;
    }
}

/* A program that made a session of its own does not die with its group. When its parent is dead it is our child; the kernel
 * lists those. The list may be cut at the end of the room: the next reading shows the rest. */
static long read_children(char *text)
{
    long fd = SYS(__NR_openat, AT_FDCWD, "/proc/thread-self/children", O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return 0;
    long n = SYS(__NR_read, fd, text, CHILDREN_BYTES);
    SYS(__NR_close, fd);
    return n;
}

/* The next number that a blank closes; 0 at the end. */
static int next_child(const char *text, long n, long *at)
{
    int pid = 0;
    while (*at < n && text[*at] >= '0' && text[*at] <= '9')
        pid = 10 * pid + (text[(*at)++] - '0');
    return *at < n && text[(*at)++] == ' ' ? pid : 0;
}

/* Those that live before a run are not of it: servers that a hook started. Rare, so the list is read only when there are some. */
static void note_strays(void)
{
    char text[CHILDREN_BYTES];
    long n = read_children(text), at = 0;
    n_strays = 0;
    for (int pid; (pid = next_child(text, n, &at));) {
        if (n_strays == STRAYS_MAX || n == CHILDREN_BYTES) {
            n_strays = -1; /* too many to tell apart: none is killed */
            return;
        }
        if (pid != parked)
            strays[n_strays++] = pid;
    }
    if (n <= 0)
        n_strays = -1; /* no /proc */
}

static int is_stray(int pid)
{
    for (int i = 0; i < n_strays; i++)
        if (strays[i] == pid)
            return 1;
    return 0;
}

/* How many of the run's there were. A child of ours that we have not reaped keeps its id, so no other can be hit. */
static int kill_children(void)
{
    char text[CHILDREN_BYTES];
    long n = read_children(text), at = 0;
    siginfo_t info;
    int killed = 0;
    for (int pid; (pid = next_child(text, n, &at));) {
        if (is_stray(pid))
            continue;
        SYS(__NR_kill, pid, SIGKILL);
        SYS(__NR_waitid, P_PID, pid, &info, WEXITED | WNOHANG, 0);
        killed++;
    }
    return killed;
}

/* The orphans of those that are killed come to us in their turn, hence the rounds. */
static void kill_descendants(void)
{
    for (int i = 0; n_strays >= 0 && i < REAP_TRIES && kill_children(); i++)
        sleep_1_ms();
}

/* A long command line was read from our memory by exec and so counts in our peak, which would be the floor of every later
 * figure: its pages go, and the kernel is asked to start the peak anew (5, see proc(5) on clear_refs). */
static void forget_peak(void)
{
    SYS(__NR_madvise, block, SPAWN_BYTES, MADV_DONTNEED); /* shared memory: the content stays */
    long fd = SYS(__NR_openat, AT_FDCWD, "/proc/self/clear_refs", O_WRONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return;
    SYS(__NR_write, fd, "5", 1);
    SYS(__NR_close, fd);
}

static void clear_result(void)
{
    block->start_ns = block->end_ns = 0;
    block->setup_schedstat[0] = block->child_schedstat[0] = block->child_stat[0] = 0;
    block->waiter_schedstat[0][0] = block->waiter_schedstat[1][0] = 0;
    block->step = STEP_NONE;
    block->error = block->ended = block->stopped = block->took_terminal = block->not_ours = block->paused = undone = 0;
    block->cut = cut = CUT_NONE;
}

/* From the background, which SIGTTOU would forbid were it not blocked. A shell whose job has died takes the terminal itself
 * and must keep it; one without job control, in our group, does not. */
static void give_terminal_back(int child_group)
{
    int now = 0;
    if (cut == CUT_OWNER_DIED && !SYS(__NR_ioctl, streams[0], TIOCGPGRP, &now) && now != child_group)
        return;
    SYS(__NR_ioctl, streams[0], TIOCSPGRP, &group);
}

/* Minus the errno value where there can be none. */
static long make_child(void)
{
    go = 0;
    long pid = sys_clone(CLONE_VM | (can_park ? CLONE_FILES : 0) | SIGCHLD, child_stack + sizeof child_stack, child);
    if (pid == -EINVAL && !can_park) /* emulators know only threads and vfork */
        pid = sys_clone(CLONE_VM | CLONE_VFORK | SIGCHLD, child_stack + sizeof child_stack, child);
    if (pid > 0 && !can_park)
        spawn_account_open((int)pid);
    return pid;
}

/* The parked child is still there; one that was killed meanwhile is none. */
static int child_waits(void)
{
    siginfo_t end;
    end.si_pid = 0;
    if (parked && (SYS(__NR_waitid, P_PID, parked, &end, WEXITED | WNOHANG, 0) || end.si_pid)) {
        spawn_account_close();
        parked = 0;
    }
    return parked;
}

static void park_next(void)
{
    set_mask(&ALL);
    long pid = can_park ? make_child() : 0;
    can_park = can_park && pid != -EINVAL; /* one that vfork makes would begin before it is asked for */
    parked = pid > 0 ? (int)pid : 0;       /* else it is tried again when it is asked for, and then reported */
}

static void dismiss(void)
{
    if (!parked)
        return;
    SYS(__NR_kill, parked, SIGKILL);
    SYS(__NR_wait4, parked, 0, 0, 0);
}

static void let_it_go(void)
{
    go = 1;
    SYS(__NR_futex, &go, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

static void run(void)
{
    set_mask(&ALL);
    /* Those that came just after the end of the last run are not meant for this one. */
    drop_signals(BIT(SIGNAL_CANCEL) | BIT(SIGNAL_TIMEOUT));
    n_strays = 0;
    if (strays_live)
        note_strays();
    clear_result();
    long pid = child_waits() ? parked : make_child();
    if (pid < 0) {
        block->step = STEP_CLONE;
        block->error = (int32_t)-pid;
        return;
    }
    parked = 0;
    running = block->child = (int)pid;
    began_ns = now_ns();
    if (block->timeout_ns)
        set_timer(block->timeout_ns);
    spawn_account_waiter(block, 0);
    let_it_go();
    set_mask(&IN_A_RUN);
    siginfo_t end;
    end.si_code = end.si_status = 0;
    wait_for_end(&end);
    set_mask(&ALL);
    if (block->timeout_ns)
        set_timer(0);
    spawn_account_waiter(block, 1);
    read_end((int)pid);
    zombie = (int)pid;
    running = block->child = 0;
    if (cut || end.si_code != CLD_EXITED) /* tare may look whether it is gone */
        reap();
    if (cut) {
        reap_group((int)pid);
        kill_descendants();
    }
    if (block->count) {
        reap();
        block->ended = (int32_t)pid;
        block->left = reap_strays();
    }
    block->wait_code = end.si_code;
    block->wait_status = end.si_status;
    block->cut = cut;
    if (block->took_terminal)
        give_terminal_back((int)pid);
}

/* The next word, with the streams if it is a request; what recvmsg says. */
static long receive(char *word, int flags)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof streams)];
    } control;
    struct iovec part;
    struct sys_message message;
    part.iov_base = word;
    part.iov_len = 1;
    message.name = 0;
    message.name_bytes = 0;
    message.parts = &part;
    message.n_parts = 1;
    message.control = &control;
    message.control_bytes = sizeof control;
    message.flags = 0;
    long n = SYS(__NR_recvmsg, SPAWN_SOCKET, &message, MSG_CMSG_CLOEXEC | flags);
    if (n <= 0)
        return n;
    const int *sent = (const int *)(const void *)CMSG_DATA(&control.header);
    size_t bytes = message.control_bytes >= CMSG_LEN(0) ? control.header.cmsg_len - CMSG_LEN(0) : 0;
    n_streams = message.flags & MSG_CTRUNC ? 0 : (int)(bytes / sizeof *streams);
    for (int i = 0; i < SPAWN_STREAMS; i++)
        streams[i] = i < n_streams ? sent[i] : -1;
    return n;
}

/* On our CPU tare could do nothing while we poll. */
static int tare_is_elsewhere(void)
{
    unsigned cpu = 0;
    return block->owner_cpu >= 0 && !SYS(__NR_getcpu, &cpu, 0, 0) && (int32_t)cpu != block->owner_cpu;
}

/* False when tare is gone. Its next request mostly comes within some 20 us, and a sleeper on another CPU is woken as late again, so we poll
 * for a while. */
static int hear(char *word)
{
    const int64_t until = now_ns() + PATIENCE_NS;
    long n;
    do
        n = receive(word, MSG_DONTWAIT);
    while (n == -EINTR || (n == -EAGAIN && tare_is_elsewhere() && now_ns() < until));
    while (n == -EAGAIN || n == -EINTR)
        n = receive(word, 0);
    return n > 0;
}

static void close_streams(void)
{
    for (int i = 0; i < n_streams; i++)
        SYS(__NR_close, streams[i]);
}

/* What nobody waits for, while tare looks at the result. */
static void clear_up(int large_request)
{
    reap();
    spawn_account_close();
    close_streams();
    strays_live = reap_strays();
    if (large_request)
        forget_peak();
    park_next();
}

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
    own_pid = (int)SYS(__NR_getpid, 0);
    spawn_account_own(own_pid);
    can_park = !own_descriptors();
    park_next();
    int told = say(SPAWN_DONE) > 0;
    while (told) { /* else tare waits for what does not come, and our end says so */
        char word;
        set_mask(&BETWEEN_RUNS);
        if (!hear(&word))
            break;
        if (word != SPAWN_RUN) /* a go for a child that was killed before it heard */
            continue;
        run();
        int large = block->text_bytes > SPAWN_SMALL; /* once it is told, tare may write the next request */
        told = cut != CUT_OWNER_DIED && say(SPAWN_DONE) > 0;
        if (told)
            clear_up(large);
    }
    dismiss();
    quit(0);
}
