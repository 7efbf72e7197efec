/* SPDX-License-Identifier: MIT */
#include "fleet_child.h"
#include "run.h"
#include <string.h>

enum { ANSWER_BYTES = 1 << 20 };

const char *const *child_environment(struct arena *a, bool (*left_out)(const char *variable))
{
    const char *const *all = plat_environment();
    int n = 0, kept = 0;
    while (all[n])
        n++;
    const char **out = arena_array(a, (size_t)n + 1, sizeof *out);
    for (int i = 0; out && i < n; i++)
        if (!left_out || !left_out(all[i]))
            out[kept++] = all[i];
    if (!out)
        return NULL;
    out[kept] = NULL;
    return run_without_passwords(a, out);
}

void said_finish(struct said *s)
{
    buf_finish(&s->out);
    buf_finish(&s->err);
}

static enum tare_status take(int fd, struct buf *out, struct tare_err *err)
{
    char piece[4096];
    const int64_t size = plat_scratch_size(fd), most = size > ANSWER_BYTES ? ANSWER_BYTES : size;
    enum tare_status status = TARE_OK;
    for (int64_t at = 0; at < most && !status; at += (int64_t)sizeof piece) {
        const size_t now = most - at < (int64_t)sizeof piece ? (size_t)(most - at) : sizeof piece;
        status = plat_scratch_read(fd, at, piece, now, err);
        if (!status)
            buf_add(out, piece, now);
    }
    return status ? status : out->status ? err_no_memory(err) : TARE_OK;
}

enum tare_status child_said(const char *path, const char *const *argv, struct limits limits, struct said *said,
                            struct tare_err *err)
{
    struct plat_spawner *spawner = NULL;
    struct plat_child_spec spec = {.path = path,
                                   .argv = argv,
                                   .envp = limits.environment ? limits.environment : plat_environment(),
                                   .fd_in = plat_open_null(),
                                   .fd_out = plat_open_scratch(err),
                                   .fd_err = plat_open_scratch(err),
                                   .pin_cpu = -1,
                                   .drain_fd = -1,
                                   .after_signal = limits.after_signal,
                                   .timeout_ns = limits.timeout_ns,
                                   .scratch_bytes = ANSWER_BYTES,
                                   .watch = limits.watch,
                                   .watch_context = limits.watch_context};
    *said = (struct said){.timeout_ns = limits.timeout_ns, .out = BUF_INIT(ANSWER_BYTES + 1), .err = BUF_INIT(ANSWER_BYTES + 1)};
    enum tare_status status = spec.fd_in < 0 || spec.fd_out < 0 || spec.fd_err < 0
                                  ? err_set(err, TARE_IO, "cannot prepare to run %s", argv[0])
                                  : plat_spawner_create(&spawner, NULL, err);
    if (!status)
        status = plat_child_run(spawner, &spec, &said->ended, err);
    if (!status)
        status = take(spec.fd_out, &said->out, err);
    if (!status)
        status = take(spec.fd_err, &said->err, err);
    plat_spawner_destroy(spawner);
    plat_close(spec.fd_in);
    plat_close(spec.fd_out);
    plat_close(spec.fd_err);
    return status;
}

const char *said_behind(const struct buf *text, const char *mark, struct arena *a)
{
    const char *found = NULL;
    for (const char *line = buf_text(text); *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *at = strstr(line, mark);
        if (at && at < line + strcspn(line, "\n"))
            found = at + strlen(mark);
    }
    return found ? arena_copy(a, found, strcspn(found, "\n")) : NULL;
}

const char *said_reason(const struct said *s, struct arena *a)
{
    const char *text = said_behind(&s->err, "tare fleet run: ", a);
    if (!text)
        text = said_behind(&s->err, "error: ", a);
    if (s->ended.end == CHILD_TIMED_OUT)
        text = arena_format(a, "it took longer than %.6g s (--step-timeout)", (double)s->timeout_ns / 1e9);
    else if (s->ended.end == CHILD_NOT_STARTED)
        text = plat_errno_text(s->ended.code);
    else if (!text)
        text = arena_format(a, "it ended with %s %d", s->ended.end == CHILD_SIGNALLED ? "signal" : "exit code", s->ended.code);
    return text ? text : "";
}
