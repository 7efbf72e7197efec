/* SPDX-License-Identifier: MIT
 *
 * One piece of work in several processes. A worker sends all that it made through a pipe once it is done, and its outcome behind it: without one it died.
 */
#include "plat.h"
#include "posix.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIECE = 1 << 16, LOOK_MS = 50 };
static const int64_t STOP_NS = INT64_C(5000000000); /* how often it is looked whether a worker is stopped */

struct outcome {
    enum tare_status status;
    struct tare_err err;
};

struct share {
    plat_share_work *work;
    void *context;
    struct buf *out;
    int n;
    bool noted; /* a signal, before the workers were made */
    pid_t pids[PLAT_SHARES_MOST];
    struct pollfd ends[PLAT_SHARES_MOST]; /* fd -1: it has closed its own */
    int failed[PLAT_SHARES_MOST];         /* the error of reading from it, 0: none */
    int64_t look_ns;                      /* when that is due */
    bool stopped[PLAT_SHARES_MOST];       /* at the last look */
};

__attribute__((noreturn)) static void be_worker(const struct share *s, int i, int fd)
{
    struct outcome o = {.err = {""}};
    struct buf *out = &s->out[i];
    for (int k = 0; k < i; k++)
        plat_close(s->ends[k].fd);
    o.status = s->work(s->context, i, out, &o.err);
    if (!o.status && out->status)
        o.status = err_set(&o.err, out->status, "no room for what a part of the work came to");
    _exit(posix_write_all(fd, buf_text(out), o.status ? 0 : out->len) || posix_write_all(fd, &o, sizeof o));
}

static enum tare_status begin_worker(struct share *s, int i, struct tare_err *err)
{
    int read_end, write_end;
    enum tare_status status = plat_pipe(&read_end, &write_end, err);
    if (status)
        return status;
    pid_t pid = fork();
    if (!pid) {
        plat_close(read_end);
        be_worker(s, i, write_end);
    }
    int error = errno;
    plat_close(write_end);
    if (pid < 0) {
        plat_close(read_end);
        return posix_fail(err, error, "cannot begin a process of our own");
    }
    s->pids[i] = pid;
    s->ends[i] = (struct pollfd){.fd = read_end, .events = POLLIN};
    s->n = i + 1;
    return TARE_OK;
}

static void end_all(const struct share *s, int signal)
{
    for (int i = 0; i < s->n; i++) {
        kill(s->pids[i], signal);
        kill(s->pids[i], SIGCONT); /* where it is stopped */
    }
}

static bool is_stopped(pid_t pid)
{
    siginfo_t stop = {.si_pid = 0};
    return !waitid(P_PID, (id_t)pid, &stop, WSTOPPED | WNOHANG | WNOWAIT) && stop.si_pid;
}

/* Whoever stops a worker, by SIGSTOP, may let it go on; at two looks in a row it is given up. */
static void end_stopped(struct share *s)
{
    if (plat_now_ns() < s->look_ns)
        return;
    s->look_ns = plat_now_ns() + STOP_NS;
    for (int i = 0; i < s->n; i++) {
        const bool before = s->stopped[i];
        s->stopped[i] = is_stopped(s->pids[i]);
        if (before && s->stopped[i])
            kill(s->pids[i], SIGKILL);
    }
}

static int take_piece(struct share *s, int i)
{
    char piece[PIECE];
    ssize_t n = read(s->ends[i].fd, piece, sizeof piece);
    if (n > 0)
        buf_add(&s->out[i], piece, (size_t)n);
    if (n > 0 || (n < 0 && errno == EINTR))
        return 0;
    s->failed[i] = n < 0 ? errno : 0;
    plat_close(s->ends[i].fd);
    s->ends[i].fd = -1;
    return 1;
}

/* A signal just before poll does not end it, so it is looked for now and then. */
static void take_all(struct share *s)
{
    bool handed_on = s->noted;
    s->look_ns = plat_now_ns() + STOP_NS;
    for (int open = s->n; open > 0; end_stopped(s)) {
        if (plat_signal() && !handed_on) {
            end_all(s, plat_signal());
            handed_on = true;
        }
        const int ready = poll(s->ends, (nfds_t)s->n, LOOK_MS);
        for (int i = 0; ready > 0 && i < s->n; i++)
            if (s->ends[i].revents)
                open -= take_piece(s, i);
    }
}

/* What it sent last is how it ended. */
static enum tare_status conclude(struct share *s, int i, struct tare_err *err)
{
    struct buf *out = &s->out[i];
    struct outcome o;
    int ended = 0;
    while (waitpid(s->pids[i], &ended, 0) < 0 && errno == EINTR)
        ;
    if (out->status)
        return err_set(err, out->status, "no room for what a part of the work came to");
    if (s->failed[i])
        return posix_fail(err, s->failed[i], "cannot read from a process of tare's own");
    if (s->stopped[i] && WIFSIGNALED(ended) && WTERMSIG(ended) == SIGKILL)
        return err_set(err, TARE_CHILD, "a process of tare's own was stopped and did not go on");
    if (!WIFEXITED(ended) || WEXITSTATUS(ended) || out->len < sizeof o)
        return err_set(err, TARE_CHILD, "a process of tare's own died (%s %d)", WIFSIGNALED(ended) ? "signal" : "exit code",
                       WIFSIGNALED(ended) ? WTERMSIG(ended) : WEXITSTATUS(ended));
    out->len -= sizeof o;
    memcpy(&o, out->data + out->len, sizeof o);
    out->data[out->len] = 0;
    return o.status ? err_set(err, o.status, "%s", o.err.text) : TARE_OK;
}

enum tare_status plat_share(int n, plat_share_work *work, void *context, struct buf out[], struct tare_err *err)
{
    struct share s = {.work = work, .context = context, .out = out, .noted = plat_signal() != 0};
    struct tare_err other;
    enum tare_status status = TARE_OK;
    for (int i = 0; i < n && !status; i++)
        status = begin_worker(&s, i, err);
    if (status)
        end_all(&s, SIGTERM);
    take_all(&s);
    for (int i = 0; i < s.n; i++) {
        enum tare_status its = conclude(&s, i, status ? &other : err);
        status = status ? status : its;
    }
    return status;
}
