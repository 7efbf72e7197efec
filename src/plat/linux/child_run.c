/* SPDX-License-Identifier: MIT
 *
 * One run: tare's side of the conversation of spawn_block.h. While a child runs, tare sleeps in one poll: nothing is drawn,
 * written or read, but a pipe that must be drained, and where output is kept in memory its size is looked at now and then. Every few
 * seconds tare looks whether the helper is stopped.
 */
#include "cpu.h"
#include "linux.h"
#include "peak.h"
#include "plat.h"
#include "posix.h"
#include "real.h"
#include "spawner.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

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
    b->cancel = 0;
    b->timeout_ns = spec->timeout_ns;
    b->pin_cpu = spec->pin_cpu;
    b->give_terminal = spec->give_terminal;
    b->chain = spec->chain ? cpu_ticks_way() : TARE_TICKS_BY_CALL;
    b->text_bytes = (uint64_t)(c.at - b->text);
    return TARE_OK;
}

static bool say_run(struct plat_spawner *s, const int *streams, int n)
{
    char word = SPAWN_RUN;
    const size_t bytes = (size_t)n * sizeof *streams;
    struct iovec part = {.iov_base = &word, .iov_len = 1};
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(SPAWN_STREAMS * sizeof(int))];
    } control = {.room = {0}};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = CMSG_SPACE(bytes)};
    control.header.cmsg_len = CMSG_LEN(bytes);
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    memcpy(CMSG_DATA(&control.header), streams, bytes);
    ssize_t sent;
    do
        sent = sendmsg(s->socket, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == 1;
}

/* A child that cannot be followed is ended before its exec, so that the program does not run for nothing. */
static bool follow(struct plat_spawner *s)
{
    const int32_t child = s->block->child;
    s->trace_why = peak_trace_begin(&s->trace, child);
    if (s->trace_why && child <= 1) /* the programs can write into this memory: no number to kill by (give_up) */
        return true;
    if (s->trace_why) {
        kill(child, SIGKILL);
        return false;
    }
    peak_group_open(&s->group, NULL, child);
    return true;
}

/* False: the child waits for a word that does not reach it. */
static bool let_go(struct plat_spawner *s, const struct plat_child_spec *spec)
{
    const char word = SPAWN_GO;
    if (spec->peak && !follow(s))
        return true;
    counters_attach(s->counters, s->block->child);
    ssize_t sent;
    do
        sent = send(s->socket, &word, 1, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == 1;
}

/* Discards what lies in the pipe without copying it through our caches. False at its end. */
static bool drain(struct plat_spawner *s, int fd)
{
    ssize_t n = splice(fd, NULL, s->null_fd, NULL, 1 << 20, SPLICE_F_NONBLOCK);
    if (n < 0 && errno != EINTR && errno != EAGAIN) { /* not a pipe, no null device, no memory */
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

static const int64_t GRACE = INT64_C(5000000000);   /* for a killed child to end */
static const int64_t STOP_NS = INT64_C(5000000000); /* how often it is looked whether the helper is stopped */
static const int64_t TRIM_NS = 100000000;           /* a program writes some 100 MB into memory in that time */

enum answer {
    ANSWERED,
    GONE,  /* the helper is */
    MUTE,  /* nothing can be sent to the helper: errno */
    STUCK, /* killed, and does not end; or the helper is stopped */
};

static int64_t deadline_in(int64_t ns)
{
    return ns < INT64_MAX / 4 ? plat_now_ns() + ns + GRACE : -1;
}

struct stop_look {
    int64_t due_ns;
    bool stopped; /* at the last look */
};

/* Whoever stops the helper, by SIGSTOP, may let it go on; at two looks in a row it is given up. */
static bool stays_stopped(struct stop_look *look, const struct plat_spawner *s)
{
    bool before = look->stopped;
    if (plat_now_ns() < look->due_ns)
        return false;
    look->due_ns = plat_now_ns() + STOP_NS;
    look->stopped = spawner_stopped(s);
    return before && look->stopped;
}

static enum answer wait_for_answer(struct plat_spawner *s, const struct plat_child_spec *spec)
{
    struct pollfd fds[] = {{.fd = s->socket, .events = POLLIN}, {.fd = spec->drain_fd, .events = POLLIN}};
    bool heed = !spec->after_signal;
    int64_t deadline = spec->timeout_ns ? deadline_in(spec->timeout_ns) : -1, due = 0;
    struct stop_look look = {.due_ns = plat_now_ns() + STOP_NS};
    for (;;) {
        int64_t left = -1;
        if (deadline >= 0 && (left = deadline - plat_now_ns()) <= 0)
            return STUCK;
        left = real_sooner(left, spec->scratch_bytes || spec->fd_report ? TRIM_NS : STOP_NS);
        int ready = signal_poll(fds, 2, real_watch(spec, &due, left), heed);
        if (!ready)
            real_trim(spec);
        if (!ready && stays_stopped(&look, s))
            return STUCK;
        if (ready < 0 && heed && plat_signal()) {
            s->block->cancel = 1;
            kill(s->pid, SPAWN_CANCEL);
            kill(s->pid, SIGCONT); /* where it is stopped */
            heed = false;
            deadline = deadline_in(0);
        }
        if (ready <= 0)
            continue;
        if (fds[1].revents && !drain(s, spec->drain_fd))
            fds[1].fd = -1;
        if (!fds[0].revents)
            continue;
        char word = spawner_hear(s);
        s->block->owner_cpu = sched_getcpu();
        if (word != SPAWN_HELD)
            return word == SPAWN_DONE ? ANSWERED : GONE;
        if (!let_go(s, spec))
            return MUTE;
    }
}

/* The helper's duties when it cannot do them: no process and no terminal may stay behind. */
static enum tare_status give_up(struct plat_spawner *s, const struct plat_child_spec *spec, enum answer why, struct tare_err *err)
{
    const int unsent = why == MUTE && errno != EPIPE && errno != ECONNRESET ? errno : 0; /* these two: it is gone */
    int32_t child = s->block->child;
    bool stopped = spawner_stopped(s);
    peak_trace_leave(s->trace);
    s->trace = NULL;
    enum tare_status status = spawner_gone(s, err);
    if (child > 1) { /* the programs can write into this memory: no group of 0 or 1, which is ours, or all */
        kill(-child, SIGKILL);
        kill(child, SIGKILL);
    }
    peak_group_close(&s->group);
    if (s->block->took_terminal) {
        sigset_t block, before;
        sigemptyset(&block);
        sigaddset(&block, SIGTTOU);
        sigprocmask(SIG_BLOCK, &block, &before);
        tcsetpgrp(spec->fd_in, getpgrp());
        sigprocmask(SIG_SETMASK, &before, NULL);
    }
    if (unsent)
        return posix_fail(err, unsent, "cannot tell tare-spawn to start %s", spec->path);
    if (why == STUCK && !stopped)
        return err_set(
            err, TARE_IO,
            "%s was killed and does not end: it waits in the kernel, for a device or a file server, or runs as another user",
            spec->path);
    return status;
}

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
    case STEP_HOLD:
        return posix_fail(err, b->error, "cannot hold %s before its start", spec->path);
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
    else if (b->cut == CUT_TIMEOUT && b->not_ours)
        r->end = CHILD_TIMED_OUT; /* when it was over it ended by itself */
}

static void take_result(const struct spawn_block *b, struct plat_child_result *r)
{
    r->start_ns = b->start_ns;
    r->end_ns = b->end_ns;
    r->user_ns = b->user_us * 1000;
    r->sys_ns = b->sys_us * 1000;
    r->rss_bytes = b->rss_kib * 1024;
    r->minflt = b->minflt;
    r->majflt = b->majflt;
    r->ctx_voluntary = b->ctx_voluntary;
    r->ctx_involuntary = b->ctx_involuntary;
    r->chain_ticks = b->chain_ticks;
    r->paused = b->paused;
    task_account_take(b, r);
    name_end(b, r);
}

/* Those who live on are in no record, and the run may have waited for them. */
static void take_waits(struct plat_spawner *s, struct plat_child_result *r)
{
    struct tree_root root;
    r->tasks_counted = s->exits.n;
    if (s->block->left || !task_account_root(s->block, &root))
        return;
    struct tree_waits waits = exit_records_sum(&s->exits, s->pid, &root);
    if (!waits.known)
        return;
    r->tree_delay_ns = waits.most_ns + (r->delay_ns - root.delay_ns); /* and the waiter's after their end */
    r->tree_delay_least_ns = waits.least_ns;
}

/* False when the program was not let begin. */
static bool take_peak(struct plat_spawner *s, struct plat_child_result *r)
{
    struct peak peak;
    peak_trace_end(s->trace, &peak);
    s->trace = NULL;
    r->peak_why = s->trace_why ? s->trace_why : peak.why;
    r->peak_bytes = peak.bytes;
    bool grouped = s->group.path[0];
    r->tree_bytes = peak_group_close(&s->group);
    r->tree_why = r->tree_bytes >= 0 ? PEAK_KNOWN : grouped ? PEAK_UNREADABLE : PEAK_NO_GROUP;
    if (!s->trace_why && !peak.refused)
        return true;
    r->end = CHILD_NOT_STARTED;
    r->code = 0;
    r->tree_why = r->peak_why;
    r->tree_bytes = -1;
    return false;
}

static enum tare_status run_once(struct plat_spawner *s, const struct plat_child_spec *spec, struct plat_child_result *r,
                                 struct tare_err *err)
{
    spawner_went_on(s); /* before this run */
    s->block->count = spec->count_waits && exit_records_begin(&s->exits);
    const int streams[SPAWN_STREAMS] = {spec->fd_in, spec->fd_out, spec->fd_err, spec->fd_report};
    if (!say_run(s, streams, spec->fd_report ? SPAWN_STREAMS : 3)) {
        if (s->block->count)
            exit_records_end(&s->exits);
        if (errno == EBADF)
            return err_set(err, TARE_INVALID, "a standard stream of %s is not open (%d, %d, %d)", spec->path, spec->fd_in,
                           spec->fd_out, spec->fd_err);
        return give_up(s, spec, MUTE, err);
    }
    enum answer answer = wait_for_answer(s, spec);
    counters_collect(s->counters, answer ? 0 : (double)(s->block->user_us + s->block->sys_us) * 1000);
    if (s->block->count)
        exit_records_end(&s->exits);
    if (answer)
        return give_up(s, spec, answer, err);
    s->block->paused |= spawner_went_on(s);
    real_trim(spec);
    if (spec->drain_fd >= 0)
        drain_rest(s, spec->drain_fd);
    const struct spawn_block *b = s->block;
    *r = plat_child_unknown();
    bool refused = spec->peak && !take_peak(s, r);
    if (b->error && b->step != STEP_EXEC)
        return setup_failed(b, spec, err);
    if (b->error) {
        r->end = CHILD_NOT_STARTED;
        r->code = b->error;
    } else if (!refused) {
        take_result(b, r);
        if (b->count)
            take_waits(s, r);
    }
    return TARE_OK;
}

enum tare_status plat_child_run(struct plat_spawner *s, const struct plat_child_spec *spec, struct plat_child_result *result,
                                struct tare_err *err)
{
    if (!s->pid)
        return err_set(err, TARE_IO, "tare-spawn, which starts the commands, is gone");
    if (spec->timeout_ns < 0 || spec->pin_cpu >= SPAWN_CPUS)
        return err_set(err, TARE_INVALID, "cannot run %s: timeout or CPU number out of range", spec->path);
    if (plat_signal() && !spec->after_signal) {
        *result = plat_child_unknown();
        result->end = CHILD_INTERRUPTED;
        result->code = plat_signal();
        return TARE_OK;
    }
    enum tare_status status = put_request(s->block, spec, err);
    if (status)
        return status;
    struct termios modes;
    bool has_terminal = spec->give_terminal && !tcgetattr(spec->fd_in, &modes);
    s->block->hold = s->counters != NULL || spec->peak;
    s->trace_why = PEAK_KNOWN;
    status = run_once(s, spec, result, err);
    if (!status && !spec->after_signal && result->end == CHILD_SIGNALLED && result->code == plat_signal())
        result->end = CHILD_INTERRUPTED; /* sent to our group before the child had left it: meant for us both */
    if (status || !has_terminal || !s->block->took_terminal || result->end == CHILD_EXITED)
        return status;
    tcsetattr(spec->fd_in, TCSADRAIN, &modes);                            /* it died before it could restore them */
    const bool typed = result->code == SIGINT || result->code == SIGQUIT; /* meant for us both, the foreground got it alone */
    if (result->end == CHILD_SIGNALLED && typed) {
        signal_note(result->code);
        result->end = CHILD_INTERRUPTED;
    }
    return TARE_OK;
}
