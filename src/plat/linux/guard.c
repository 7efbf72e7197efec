/* SPDX-License-Identifier: MIT */
#include "linux.h"
#include "plat.h"
#include "plat_guard.h"
#include "posix.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct plat_guard {
    pid_t pid;
    int socket;
};

enum { KEEP_MAX = 8, DESCRIPTORS_MAX = 1 << 16 };

static void close_between(unsigned first, unsigned last)
{
    if (first > last || !syscall(SYS_close_range, first, last, 0))
        return;
    struct rlimit limit;
    unsigned end =
        getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur > DESCRIPTORS_MAX ? DESCRIPTORS_MAX : (unsigned)limit.rlim_cur;
    for (unsigned fd = first; fd <= last && fd < end; fd++)
        close((int)fd);
}

static int by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Standard error stays, for the line that says what was undone. */
static void keep_only(int *fds, int n)
{
    qsort(fds, (size_t)n, sizeof *fds, by_number);
    unsigned from = STDERR_FILENO + 1;
    for (int i = 0; i < n; i++)
        if (fds[i] >= (int)from) {
            close_between(from, (unsigned)fds[i] - 1);
            from = (unsigned)fds[i] + 1;
        }
    close_between(from, ~0u);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; fd < STDERR_FILENO && null >= 0; fd++)
        dup2(null, fd);
    if (null > STDERR_FILENO)
        close(null);
}

enum { LOOK_EVERY_MS = 100 };

/* True: the owner said that all is well. Without a pidfd (-1) its end is seen by the socket, which a child of its may hold open too, and by whose child we are. */
static bool wait_for_end(int socket, int pidfd, pid_t owner)
{
    struct pollfd on[2] = {{.fd = socket, .events = POLLIN}, {.fd = pidfd, .events = POLLIN}};
    for (;;) {
        char word;
        if (poll(on, 2, pidfd < 0 ? LOOK_EVERY_MS : -1) < 0 && errno != EINTR)
            poll(NULL, 0, LOOK_EVERY_MS);
        ssize_t n = recv(socket, &word, 1, MSG_DONTWAIT); /* first what it said, then whether it is there */
        if (n == 1)
            return true;
        if (!n || on[1].revents || getppid() != owner)
            return false;
    }
}

/* All signals are blocked. */
_Noreturn static void guard(const struct plat_guard_spec *spec, int socket, int pidfd, pid_t owner)
{
    int fds[KEEP_MAX + 2] = {socket, pidfd}, n = 2;
    for (int i = 0; i < spec->n_keep && i < KEEP_MAX; i++)
        fds[n++] = spec->keep[i];
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    setsid();
    prctl(PR_SET_NAME, "tare-guard");
    (void)!chdir("/");
    keep_only(fds, n);
    _exit(wait_for_end(socket, pidfd, owner) ? 0 : spec->when_gone(spec->context));
}

enum tare_status plat_guard_start(struct plat_guard **out, const struct plat_guard_spec *spec, struct tare_err *err)
{
    int ends[2];
    struct plat_guard *g = *out = calloc(1, sizeof *g);
    if (!g)
        return err_set(err, TARE_NO_MEMORY, "cannot start a watchdog: out of memory");
    pid_t owner = getpid();
    int pidfd = linux_pidfd(owner); /* ours, before the fork: our number cannot have gone to another */
    int error = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) ? errno : 0;
    if (!error) {
        sigset_t all, before;
        sigfillset(&all);
        sigprocmask(SIG_BLOCK, &all, &before); /* none may end it before it heeds none */
        g->pid = fork();
        error = g->pid < 0 ? errno : 0;
        if (!error && !g->pid) {
            close(ends[0]);
            guard(spec, ends[1], pidfd, owner);
        }
        sigprocmask(SIG_SETMASK, &before, NULL);
        g->socket = ends[0];
        close(ends[1]);
        if (error)
            close(ends[0]);
    }
    if (pidfd >= 0)
        close(pidfd);
    if (!error)
        return TARE_OK;
    free(g);
    *out = NULL;
    posix_fail(err, error, "cannot start a watchdog");
    return TARE_IO;
}

int plat_guard_pid(const struct plat_guard *g)
{
    return g->pid;
}

enum tare_status plat_guard_end(struct plat_guard *g, struct tare_err *err)
{
    if (!g)
        return TARE_OK;
    int status = 0;
    pid_t pid = g->pid, reaped;
    (void)!send(g->socket, "w", 1, MSG_NOSIGNAL);
    kill(pid, SIGCONT); /* one that was stopped would never read it */
    do
        reaped = waitpid(pid, &status, 0);
    while (reaped < 0 && errno == EINTR);
    close(g->socket);
    free(g);
    if (reaped == pid && WIFSIGNALED(status))
        return err_set(err, TARE_IO, "the watchdog (pid %d) was ended by %s", (int)pid, plat_signal_name(WTERMSIG(status)));
    if (reaped != pid || WEXITSTATUS(status))
        return err_set(err, TARE_IO, "the watchdog (pid %d) failed", (int)pid);
    return TARE_OK;
}

void plat_say_alone(const char *line)
{
    (void)!write(STDERR_FILENO, line, strlen(line));
}
