/* SPDX-License-Identifier: MIT
 *
 * This program once more: the same executable, arguments and environment, one variable more, its streams closed to the world.
 */
#include "linux.h"
#include "plat.h"
#include "plat_clock.h"
#include "plat_process.h"
#include "posix.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { ARGUMENTS_MAX = 1 << 22 };

/* The words of a buffer in which each is closed by a zero, with a NULL at the end; one more may be put in front. */
static char **words_of(char *text, size_t size)
{
    size_t n = 1;
    for (size_t i = 0; i < size; i++)
        n += text[i] == 0;
    char **words = calloc(n + 1, sizeof *words);
    for (size_t i = 0, w = 0; words && i < size; i += strlen(text + i) + 1)
        words[w++] = text + i;
    return words;
}

static char **environment_with(char *setting)
{
    size_t n = 0;
    while (environ[n])
        n++;
    char **all = calloc(n + 2, sizeof *all);
    if (!all)
        return NULL;
    memcpy(all, environ, n * sizeof *all);
    all[n] = setting;
    return all;
}

static int start(pid_t *pid, char **argv, char **envp, int answer)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (int fd = 0; fd < 3; fd++)
        posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", fd ? O_WRONLY : O_RDONLY, 0);
    (void)answer; /* inherited: it is not closed on exec */
    int error = posix_spawn(pid, "/proc/self/exe", &actions, NULL, argv, envp);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* By a signal, or a code other than 0: then it has not left what goes on to another process. */
static bool failed(pid_t pid)
{
    siginfo_t ended = {0};
    return !waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT | WNOHANG) && ended.si_pid &&
           (ended.si_code != CLD_EXITED || ended.si_status);
}

/* Until it is there, it cannot come any more, or all who have the other end closed it: a process that the child leaves behind has it too. False: it took
 * too long. */
static bool read_answer(int fd, pid_t pid, int64_t end, char *answer, size_t size, size_t *n)
{
    struct pollfd p[] = {{.fd = fd, .events = POLLIN}, {.fd = linux_pidfd(pid), .events = POLLIN}};
    bool in_time = true, over = false, closed = false;
    while (in_time && !closed && *n < size) {
        const int64_t left_ms = over ? 0 : (end - plat_clock_ns(PLAT_CLOCK_MONOTONIC)) / 1000000;
        const int ready = poll(p, 2, left_ms < 0 ? 0 : left_ms > 1000000 ? 1000000 : (int)left_ms);
        if (ready > 0 && p[0].revents) {
            ssize_t got = read(fd, answer + *n, size - *n);
            *n += got > 0 ? (size_t)got : 0;
            closed = !got || (got < 0 && errno != EINTR);
        } else if (ready > 0) { /* it has ended, and what it wrote is there */
            over = failed(pid);
            close(p[1].fd);
            p[1].fd = -1;
        } else if (!ready) {
            closed = over;
            in_time = over || left_ms > 0;
        }
    }
    if (p[1].fd >= 0)
        close(p[1].fd);
    return in_time;
}

/* One that answered, or closed its end, may go on. */
static bool ends_by(pid_t pid, int64_t end)
{
    enum { LOOK_AGAIN_NS = 100000 };
    siginfo_t ended = {0};
    while (!waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT | WNOHANG) && !ended.si_pid) {
        if (plat_clock_ns(PLAT_CLOCK_MONOTONIC) >= end)
            return false;
        plat_clock_sleep_ns(LOOK_AGAIN_NS);
    }
    return true;
}

static enum tare_status wait_for(pid_t pid, bool in_time, struct tare_err *err)
{
    int status = 0;
    if (!in_time)
        kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno != ECHILD) /* of whoever ignores SIGCHLD no end is told; the answer counts */
        if (errno != EINTR)
            return posix_fail(err, errno, "cannot wait for the program that was started again");
    if (!in_time)
        return err_set(err, TARE_CHILD, "the program, started again, took longer than it may");
    if (WIFSIGNALED(status))
        return err_set(err, TARE_CHILD, "the program, started again, was ended by signal %d", WTERMSIG(status));
    return TARE_OK; /* an exit code is for those who know what the program means by it */
}

static enum tare_status run(char **argv, char **envp, int ends[2], int64_t timeout_ns, void *answer, size_t size, size_t *n,
                            struct tare_err *err)
{
    pid_t pid;
    int error = argv && envp ? start(&pid, argv, envp, ends[1]) : ENOMEM;
    close(ends[1]);
    ends[1] = -1;
    if (error)
        return posix_fail(err, error, "cannot start this program again");
    const int64_t end = plat_clock_ns(PLAT_CLOCK_MONOTONIC) + timeout_ns;
    const bool in_time = read_answer(ends[0], pid, end, answer, size, n) && ends_by(pid, end);
    return wait_for(pid, in_time, err);
}

enum tare_status plat_process_again(const char *variable, const char *value, int64_t timeout_ns, void *answer, size_t size,
                                    size_t *n, struct tare_err *err)
{
    struct buf line = BUF_INIT(ARGUMENTS_MAX), setting = BUF_INIT(4096);
    int ends[2] = {-1, -1};
    *n = 0;
    enum tare_status status = plat_file_read("/proc/self/cmdline", &line, err);
    if (!status && (pipe(ends) || fcntl(ends[0], F_SETFD, FD_CLOEXEC)))
        status = posix_fail(err, errno, "cannot make a pipe");
    if (!status) {
        buf_format(&setting, "%s=%s %d", variable, value, ends[1]);
        char **argv = words_of(line.data, line.len), **envp = environment_with(setting.data);
        status = run(argv, envp, ends, timeout_ns, answer, size, n, err);
        free(argv);
        free(envp);
    }
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
    buf_finish(&line);
    buf_finish(&setting);
    return status;
}
