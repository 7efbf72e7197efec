/* SPDX-License-Identifier: MIT
 *
 * The side of tare in the conversation of spawn_block.h. While a child runs, tare sleeps in one poll: nothing is drawn,
 * written or read, but a pipe that must be drained.
 */
#include "linux.h"
#include "plat.h"
#include "posix.h"
#include "spawn_block.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static const int64_t SECOND = 1000000000;

struct plat_spawner {
    pid_t pid; /* of the helper; 0 = gone */
    int socket;
    int null_fd;
    struct spawn_block *block;
    char *noop;
    struct plat_counter *counters;
};

/* ---- the helper's start and end ---- */

static bool say_run(struct plat_spawner *s, const int *streams)
{
    char word = SPAWN_RUN;
    struct iovec part = {.iov_base = &word, .iov_len = 1};
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(3 * sizeof(int))];
    } control = {.room = {0}};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    control.header.cmsg_len = CMSG_LEN(3 * sizeof(int));
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    memcpy(CMSG_DATA(&control.header), streams, 3 * sizeof(int));
    ssize_t n;
    do
        n = sendmsg(s->socket, &message, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    return n == 1;
}

/* The helper's next word, 0 when it is gone. */
static char hear(struct plat_spawner *s)
{
    char word;
    ssize_t n;
    do
        n = recv(s->socket, &word, 1, 0);
    while (n < 0 && errno == EINTR);
    return n == 1 ? word : 0;
}

static void let_go(struct plat_spawner *s)
{
    const char word = SPAWN_GO;
    counters_attach(s->counters, s->block->child);
    while (send(s->socket, &word, 1, MSG_NOSIGNAL) < 0 && errno == EINTR)
        ;
}

/* How the helper ended, in words; it is gone afterwards. */
static enum tare_status helper_gone(struct plat_spawner *s, struct tare_err *err)
{
    int status = 0;
    pid_t pid = s->pid, reaped;
    s->pid = 0;
    kill(pid, SIGKILL);
    do
        reaped = waitpid(pid, &status, 0);
    while (reaped < 0 && errno == EINTR);
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
    int error = errno;
    plat_close(fd);
    errno = error;
    return moved;
}

static int make_block(struct plat_spawner *s)
{
    int memory = out_of_the_way(memfd_create("tare-spawn", MFD_CLOEXEC));
    if (memory < 0)
        return -1;
    void *at =
        ftruncate(memory, SPAWN_BYTES) ? MAP_FAILED : mmap(NULL, SPAWN_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
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

static enum tare_status connect_helper(struct plat_spawner *s, const char *path, struct tare_err *err)
{
    int memory = make_block(s);
    if (memory < 0)
        return posix_fail(err, errno, "cannot make the memory shared with tare-spawn (%d MiB; see ulimit -f and -v)",
                          SPAWN_BYTES >> 20);
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
        int error = errno;
        close(memory);
        return posix_fail(err, error, "cannot make the socket to tare-spawn");
    }
    s->socket = ends[0];
    int theirs = out_of_the_way(ends[1]);
    int error = theirs < 0 ? errno : start_helper(s, path, theirs, memory);
    plat_close(theirs);
    close(memory);
    if (error)
        return posix_fail(err, error, "cannot start %s", path);
    struct pollfd ready = {.fd = s->socket, .events = POLLIN};
    while (signal_poll(&ready, 1, 10 * SECOND, false) < 0 && errno == EINTR)
        ;
    if (!ready.revents || !hear(s))
        return helper_gone(s, err);
    return TARE_OK;
}

static enum tare_status name_programs(struct plat_spawner *s, const char *helper_path, struct buf *path, struct tare_err *err)
{
    if (helper_path) {
        const char *slash = strrchr(helper_path, '/');
        buf_add(path, helper_path, slash ? (size_t)(slash - helper_path) : 0);
        if (!slash)
            buf_char(path, '.');
    } else {
        enum tare_status status = libexec_find(path, err);
        if (status)
            return status;
    }
    struct buf noop = BUF_INIT(2 * PATH_MAX);
    buf_format(&noop, "%s/tare-noop", buf_text(path));
    s->noop = noop.data;
    if (helper_path) {
        buf_clear(path);
        buf_str(path, helper_path);
    } else {
        buf_str(path, "/tare-spawn");
    }
    if (path->status || noop.status)
        return err_set(err, TARE_NO_MEMORY, "cannot name tare-spawn: %s",
                       tare_status_text(path->status ? path->status : noop.status));
    return TARE_OK;
}

enum tare_status plat_spawner_create(struct plat_spawner **out, const char *helper_path, struct tare_err *err)
{
    struct plat_spawner *s = calloc(1, sizeof *s);
    if (!s)
        return err_set(err, TARE_NO_MEMORY, "cannot start tare-spawn: out of memory");
    s->socket = -1;
    s->null_fd = plat_open_null();
    struct buf path = BUF_INIT(2 * PATH_MAX);
    enum tare_status status = name_programs(s, helper_path, &path, err);
    if (!status)
        status = connect_helper(s, path.data, err);
    buf_finish(&path);
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
    if (s->pid)
        while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    if (s->block)
        munmap(s->block, SPAWN_BYTES);
    free(s->noop);
    free(s);
}

int plat_spawner_pid(const struct plat_spawner *s)
{
    return s->pid;
}

const char *plat_noop_path(const struct plat_spawner *s)
{
    return s->noop;
}

/* ---- the request ---- */

/* Fills the block's text; `shift` turns our address into the helper's. Running past `end` sets `full`. */
struct cursor {
    char *at, *end;
    uint64_t shift;
    bool full;
};

static void *take(struct cursor *c, size_t bytes)
{
    if (bytes > (size_t)(c->end - c->at)) {
        c->full = true;
        return NULL;
    }
    void *room = c->at;
    c->at += bytes;
    return room;
}

static uint64_t theirs(const struct cursor *c, const void *ours)
{
    return (uint64_t)(uintptr_t)ours + c->shift;
}

static uint64_t put_string(struct cursor *c, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *room = take(c, bytes);
    if (!room)
        return 0;
    memcpy(room, text, bytes);
    return theirs(c, room);
}

static uint64_t *take_table(struct cursor *c, const char *const *list)
{
    size_t n = 0;
    while (list[n])
        n++;
    return take(c, (n + 1) * sizeof(uint64_t));
}

static void put_strings(struct cursor *c, uint64_t *table, const char *const *list)
{
    for (; *list && !c->full; list++)
        *table++ = put_string(c, *list);
    *table = 0;
}

static enum tare_status put_request(struct spawn_block *b, const struct plat_child_spec *spec, struct tare_err *err)
{
    struct cursor c = {.at = b->text, .end = (char *)b + SPAWN_BYTES, .shift = b->base - (uint64_t)(uintptr_t)b};
    uint64_t *argv = take_table(&c, spec->argv); /* tables first: they need the alignment */
    uint64_t *envp = take_table(&c, spec->envp);
    if (!c.full) {
        b->path = put_string(&c, spec->path);
        b->cwd = spec->cwd ? put_string(&c, spec->cwd) : 0;
        put_strings(&c, argv, spec->argv);
        put_strings(&c, envp, spec->envp);
    }
    if (c.full)
        return err_set(err, TARE_TOO_LARGE, "arguments and environment of %s exceed %d MiB", spec->path, SPAWN_BYTES >> 20);
    b->argv = theirs(&c, argv);
    b->envp = theirs(&c, envp);
    b->timeout_ns = spec->timeout_ns;
    b->pin_cpu = spec->pin_cpu;
    b->give_terminal = spec->give_terminal;
    b->text_bytes = (uint64_t)(c.at - b->text);
    return TARE_OK;
}

/* ---- waiting ---- */

/* Discards what lies in the pipe without copying it through our caches. False at its end. */
static bool drain(struct plat_spawner *s, int fd)
{
    ssize_t n = splice(fd, NULL, s->null_fd, NULL, 1 << 20, SPLICE_F_NONBLOCK);
    if (n < 0 && errno == EINVAL) { /* not a pipe, or no null device */
        char bytes[1 << 14];
        n = read(fd, bytes, sizeof bytes);
    }
    return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

/* What was written before the end, so that the next run finds an empty pipe; not more, as a process left behind may write for ever. */
static void drain_rest(struct plat_spawner *s, int fd)
{
    int left = 0;
    while (fd >= 0 && !ioctl(fd, FIONREAD, &left) && left > 0) {
        struct pollfd more = {.fd = fd, .events = POLLIN};
        if (poll(&more, 1, 0) <= 0 || !drain(s, fd))
            return;
        if (left < 1 << 20)
            return;
    }
}

/* Until the helper answers. False when it never will: it is gone, or the child does not even die of SIGKILL. */
static bool wait_for_answer(struct plat_spawner *s, const struct plat_child_spec *spec)
{
    struct pollfd fds[] = {{.fd = s->socket, .events = POLLIN}, {.fd = spec->drain_fd, .events = POLLIN}};
    bool heed = !spec->after_signal;
    int64_t deadline = spec->timeout_ns ? plat_now_ns() + spec->timeout_ns + 10 * SECOND : -1;
    for (;;) {
        int64_t left = -1;
        if (deadline >= 0 && (left = deadline - plat_now_ns()) <= 0)
            return false;
        int ready = signal_poll(fds, 2, left, heed);
        if (ready < 0 && heed && plat_signal()) {
            kill(s->pid, SPAWN_CANCEL);
            heed = false;
            deadline = plat_now_ns() + 10 * SECOND;
        }
        if (ready <= 0)
            continue;
        if (fds[1].revents && !drain(s, spec->drain_fd))
            fds[1].fd = -1;
        char word = fds[0].revents ? hear(s) : SPAWN_HELD;
        if (fds[0].revents && word == SPAWN_HELD)
            let_go(s);
        if (word != SPAWN_HELD)
            return word == SPAWN_DONE;
    }
}

/* The helper's duties when it cannot do them: no process and no terminal may stay behind. */
static enum tare_status give_up(struct plat_spawner *s, const struct plat_child_spec *spec, struct tare_err *err)
{
    int32_t child = s->block->child;
    enum tare_status status = helper_gone(s, err);
    if (child) {
        kill(-child, SIGKILL);
        kill(child, SIGKILL);
    }
    if (s->block->took_terminal) {
        sigset_t block, before;
        sigemptyset(&block);
        sigaddset(&block, SIGTTOU);
        sigprocmask(SIG_BLOCK, &block, &before);
        tcsetpgrp(spec->fd_in, getpgrp());
        sigprocmask(SIG_SETMASK, &before, NULL);
    }
    return status;
}

/* ---- the result ---- */

static enum tare_status setup_failed(const struct spawn_block *b, const struct plat_child_spec *spec, struct tare_err *err)
{
    switch ((enum spawn_step)b->step) {
    case STEP_CLONE:
        return posix_fail(err, b->error, "cannot start another process (see ulimit -u, and pids.max of the container)");
    case STEP_STREAMS:
        return posix_fail(err, b->error, "cannot connect the standard streams of %s (see ulimit -n)", spec->path);
    case STEP_DIRECTORY:
        return posix_fail(err, b->error, "cannot change to directory %s", spec->cwd);
    case STEP_PIN:
        return posix_fail(err, b->error, "cannot pin to CPU %d, which this process may not use", spec->pin_cpu);
    default:
        return posix_fail(err, b->error, "cannot make a process group for %s", spec->path);
    }
}

static void name_end(const struct spawn_block *b, struct plat_child_result *r)
{
    bool killed = b->wait_code != CLD_EXITED;
    r->end = killed ? CHILD_SIGNALLED : CHILD_EXITED;
    r->code = b->wait_status;
    if (b->stopped && killed)
        r->code = b->stopped;
    if (b->cut && killed && b->wait_status == SIGKILL)
        r->end = b->cut == CUT_TIMEOUT ? CHILD_TIMED_OUT : CHILD_INTERRUPTED;
}

static void take_result(const struct spawn_block *b, struct plat_child_result *r)
{
    *r = (struct plat_child_result){
        .start_ns = b->start_ns,
        .end_ns = b->end_ns,
        .user_ns = b->user_us * 1000,
        .sys_ns = b->sys_us * 1000,
        .rss_bytes = b->rss_kib * 1024,
        .minflt = b->minflt,
        .majflt = b->majflt,
        .ctx_voluntary = b->ctx_voluntary,
        .ctx_involuntary = b->ctx_involuntary,
    };
    name_end(b, r);
}

static enum tare_status run_once(struct plat_spawner *s, const struct plat_child_spec *spec, struct plat_child_result *r,
                                 struct tare_err *err)
{
    const int streams[] = {spec->fd_in, spec->fd_out, spec->fd_err};
    if (!say_run(s, streams)) {
        if (errno == EBADF)
            return err_set(err, TARE_INVALID, "a standard stream of %s is not open (%d, %d, %d)", spec->path, spec->fd_in,
                           spec->fd_out, spec->fd_err);
        return give_up(s, spec, err);
    }
    bool answered = wait_for_answer(s, spec);
    counters_collect(s->counters);
    if (!answered)
        return give_up(s, spec, err);
    if (spec->drain_fd >= 0)
        drain_rest(s, spec->drain_fd);
    const struct spawn_block *b = s->block;
    if (b->error && b->step != STEP_EXEC)
        return setup_failed(b, spec, err);
    if (b->error)
        *r = (struct plat_child_result){.end = CHILD_NOT_STARTED, .code = b->error};
    else
        take_result(b, r);
    return TARE_OK;
}

struct plat_counter **spawner_counters(struct plat_spawner *s)
{
    return &s->counters;
}

enum tare_status plat_child_run(struct plat_spawner *s, const struct plat_child_spec *spec, struct plat_child_result *result,
                                struct tare_err *err)
{
    if (!s->pid)
        return err_set(err, TARE_IO, "tare-spawn, which starts the commands, is gone");
    if (spec->timeout_ns < 0 || spec->pin_cpu >= SPAWN_CPUS)
        return err_set(err, TARE_INVALID, "cannot run %s: timeout or CPU number out of range", spec->path);
    if (plat_signal() && !spec->after_signal) {
        *result = (struct plat_child_result){.end = CHILD_INTERRUPTED, .code = plat_signal()};
        return TARE_OK;
    }
    enum tare_status status = put_request(s->block, spec, err);
    if (status)
        return status;
    struct termios modes;
    bool has_terminal = spec->give_terminal && !tcgetattr(spec->fd_in, &modes);
    s->block->hold = s->counters != NULL;
    status = run_once(s, spec, result, err);
    if (status || !has_terminal || !s->block->took_terminal || result->end == CHILD_EXITED)
        return status;
    tcsetattr(spec->fd_in, TCSADRAIN, &modes); /* it died before it could restore them */
    if (result->end == CHILD_SIGNALLED &&
        result->code == SIGINT) { /* the Ctrl-C was meant for us both, the foreground got it alone */
        signal_note(SIGINT);
        result->end = CHILD_INTERRUPTED;
    }
    return TARE_OK;
}
