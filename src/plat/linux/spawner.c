/* SPDX-License-Identifier: MIT
 *
 * The helper's start and end; what it is asked to do is in child_run.c.
 */
#include "spawner.h"
#include "linux.h"
#include "plat.h"
#include "posix.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static const int64_t SECOND = 1000000000;

char spawner_hear(struct plat_spawner *s)
{
    char word;
    ssize_t n;
    do
        n = recv(s->socket, &word, 1, 0);
    while (n < 0 && errno == EINTR);
    return n == 1 ? word : 0;
}

int spawner_stopped(const struct plat_spawner *s)
{
    siginfo_t stop = {.si_pid = 0};
    return waitid(P_PID, (id_t)s->pid, &stop, WSTOPPED | WNOHANG | WNOWAIT) || !stop.si_pid ? 0 : stop.si_status;
}

bool spawner_went_on(const struct plat_spawner *s)
{
    siginfo_t on = {.si_pid = 0};
    return !waitid(P_PID, (id_t)s->pid, &on, WCONTINUED | WNOHANG) && on.si_pid;
}

enum tare_status spawner_gone(struct plat_spawner *s, struct tare_err *err)
{
    int status = 0, stopped = spawner_stopped(s);
    pid_t pid = s->pid, reaped;
    s->pid = 0;
    kill(pid, SIGKILL);
    do
        reaped = waitpid(pid, &status, 0);
    while (reaped < 0 && errno == EINTR);
    if (stopped)
        return err_set(err, TARE_IO, "tare-spawn, which starts the commands, was stopped by %s and did not go on",
                       plat_signal_name(stopped));
    if (reaped == pid && WIFSIGNALED(status))
        return err_set(err, TARE_IO, "tare-spawn, which starts the commands, was ended by %s",
                       plat_signal_name(WTERMSIG(status)));
    if (reaped == pid)
        return err_set(err, TARE_IO, "tare-spawn, which starts the commands, ended with code %d%s", WEXITSTATUS(status),
                       WEXITSTATUS(status) == 2 ? ": it belongs to another version of tare, install tare again" : "");
    return err_set(err, TARE_IO, "tare-spawn, which starts the commands, is gone");
}

/* Descriptors 3 and 4 of the helper, whatever numbers they have here. */
static int start_helper(struct plat_spawner *s, const char *path, int socket, int memory)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t all;
    sigfillset(&all);
    char *const argv[] = {(char[]){"tare-spawn"}, NULL};
    char *const envp[] = {NULL};
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (!error) {
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
        posix_spawnattr_setsigmask(&attributes, &all); /* a Ctrl-C during its first instructions must not end it */
        error = posix_spawn_file_actions_adddup2(&actions, socket, SPAWN_SOCKET);
        if (!error)
            error = posix_spawn_file_actions_adddup2(&actions, memory, SPAWN_MEMORY);
        if (!error)
            error = posix_spawn(&s->pid, path, &actions, &attributes, argv, envp);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* The same file under a number that the two dup2 above cannot overwrite. */
static int out_of_the_way(int fd)
{
    int moved = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, SPAWN_MEMORY + 1);
    int error = errno == EINVAL ? EMFILE : errno; /* the limit lies below the number asked for */
    plat_close(fd);
    errno = error;
    return moved;
}

static int make_block(struct plat_spawner *s)
{
    int memory = out_of_the_way(memfd_create("tare-spawn", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (memory < 0)
        return -1;
    bool sized = !ftruncate(memory, SPAWN_BYTES);
    (void)fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL); /* commands can reach it through /proc */
    void *at = sized ? mmap(NULL, SPAWN_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0) : MAP_FAILED;
    if (at == MAP_FAILED) {
        int error = errno;
        close(memory);
        errno = error;
        return -1;
    }
    s->block = at;
    s->block->layout = SPAWN_LAYOUT;
    s->block->owner = getpid();
    return memory;
}

static const char *limit_behind(int error)
{
    switch (error) {
    case EMFILE:
        return " (see ulimit -n)";
    case EAGAIN:
        return " (see ulimit -u, and pids.max of the container)";
    case EFBIG:
        return " (see ulimit -f)";
    case ENOMEM:
        return " (see ulimit -v)";
    default:
        return "";
    }
}

static enum tare_status connect_helper(struct plat_spawner *s, const char *path, struct tare_err *err)
{
    int memory = make_block(s);
    if (memory < 0)
        return posix_fail(err, errno, "cannot make the memory shared with tare-spawn%s", limit_behind(errno));
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
        int error = errno;
        close(memory);
        return posix_fail(err, error, "cannot make the socket to tare-spawn%s", limit_behind(error));
    }
    s->socket = ends[0];
    int theirs = out_of_the_way(ends[1]);
    int error = theirs < 0 ? errno : start_helper(s, path, theirs, memory);
    plat_close(theirs);
    close(memory);
    if (error)
        return posix_fail(err, error, "cannot start %s%s", path, limit_behind(error));
    struct pollfd ready = {.fd = s->socket, .events = POLLIN};
    while (signal_poll(&ready, 1, 10 * SECOND, false) < 0 && errno == EINTR)
        ;
    if (!ready.revents || !spawner_hear(s))
        return spawner_gone(s, err);
    return TARE_OK;
}

/* The others are beside a helper that is named. */
static enum tare_status name_programs(struct plat_spawner *s, const char *helper_path, struct tare_err *err)
{
    if (!helper_path)
        return programs_find(s->programs, err);
    const char *slash = strrchr(helper_path, '/');
    struct buf folder = BUF_INIT(2 * PATH_MAX);
    buf_add(&folder, helper_path, slash ? (size_t)(slash - helper_path) : 0);
    if (!slash)
        buf_char(&folder, '.');
    enum tare_status status = programs_name(s->programs, buf_text(&folder), err);
    buf_finish(&folder);
    if (!status) {
        free(s->programs[PROGRAM_SPAWN]);
        s->programs[PROGRAM_SPAWN] = strdup(helper_path);
    }
    return status || s->programs[PROGRAM_SPAWN] ? status : err_set(err, TARE_NO_MEMORY, "cannot name tare-spawn: out of memory");
}

enum tare_status plat_spawner_create(struct plat_spawner **out, const char *helper_path, struct tare_err *err)
{
    struct plat_spawner *s = calloc(1, sizeof *s);
    if (!s)
        return err_set(err, TARE_NO_MEMORY, "cannot start tare-spawn: out of memory");
    s->socket = s->exits.fd = -1;
    s->null_fd = plat_open_null();
    enum tare_status status = name_programs(s, helper_path, err);
    if (!status)
        status = connect_helper(s, s->programs[PROGRAM_SPAWN], err);
    if (status) {
        plat_spawner_destroy(s);
        return status;
    }
    *out = s;
    return TARE_OK;
}

void plat_spawner_destroy(struct plat_spawner *s)
{
    if (!s)
        return;
    counters_orphan(s->counters);
    if (s->socket >= 0)
        shutdown(s->socket, SHUT_RDWR); /* its end is the helper's, even where a fork of ours holds a copy */
    plat_close(s->socket);
    plat_close(s->null_fd);
    exit_records_finish(&s->exits);
    if (s->pid)
        kill(s->pid, SIGCONT); /* one that is stopped would never end */
    if (s->pid)
        while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    if (s->block)
        munmap(s->block, SPAWN_BYTES);
    for (int i = 0; i < PROGRAMS; i++)
        free(s->programs[i]);
    free(s);
}

int plat_spawner_pid(const struct plat_spawner *s)
{
    return s->pid;
}

const char *plat_noop_path(const struct plat_spawner *s)
{
    return s->programs[PROGRAM_NOOP];
}

const char *plat_work_path(const struct plat_spawner *s)
{
    return s->programs[PROGRAM_WORK];
}
