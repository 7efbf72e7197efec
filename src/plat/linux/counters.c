/* SPDX-License-Identifier: MIT
 *
 * Counters are attached to the spawn helper, not to its children: disabled there, inherited by each child at its clone and
 * enabled by its exec. So they cost nothing until the measured program runs, and nothing of the helper is counted. When a
 * child ends the kernel adds its count to ours.
 */
#include "counter_names.h"
#include "plat.h"
#include "posix.h"
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What read() gives for our read_format. */
struct reading {
    uint64_t value, enabled_ns, running_ns;
};

struct plat_counter {
    int fd;
    int guard_fd; /* see open_guard */
    bool user_only;
    struct reading last;
    double total;
};

static int open_event(const struct counter_event *event, int pid, bool user_only)
{
    struct perf_event_attr attr = {
        .type = event->type,
        .size = sizeof attr,
        .config = event->config,
        .disabled = 1,
        .inherit = 1,
        .enable_on_exec = 1,
        .exclude_kernel = user_only,
        .exclude_hv = user_only,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
    };
    return (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* An event that is not inherited and counts nothing. When all events of a task are inherited, the kernel may swap the contexts of
 * parent and child instead of switching them (perf_event_context_sched_out); the exec of the child then clears enable_on_exec in
 * the event that we hold, and every later child counts 0. One event that is not inherited forbids the swap. */
static int open_guard(int pid)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .size = sizeof attr, .config = PERF_COUNT_SW_DUMMY, .disabled = 1};
    attr.exclude_kernel = attr.exclude_hv = 1;
    return (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static int paranoia(void)
{
    struct buf text = BUF_INIT(64);
    int level = -100;
    if (!posix_file_read("/proc/sys/kernel/perf_event_paranoid", &text, NULL) && text.len)
        level = atoi(text.data);
    buf_finish(&text);
    return level;
}

static enum tare_status denied(const struct counter_event *event, const char *name, struct tare_err *err)
{
    int level = paranoia(), needed = event->kernel_side ? 1 : 2;
    if (level > needed)
        return err_set(err, TARE_PERMISSION,
                       "cannot count %s: kernel.perf_event_paranoid is %d (sudo sysctl kernel.perf_event_paranoid=%d)", name,
                       level, needed);
    return err_set(
        err, TARE_PERMISSION,
        "cannot count %s: perf events are forbidden here, perhaps by the container's system call filter (needs CAP_PERFMON)",
        name);
}

static enum tare_status cannot_open(const struct counter_event *event, const char *name, int error, struct tare_err *err)
{
    if (error == EACCES || error == EPERM)
        return denied(event, name, err);
    if (error == ENOSYS)
        return err_set(err, TARE_UNSUPPORTED, "cannot count %s: this kernel has no perf events", name);
    if (event->hardware && (error == ENOENT || error == EOPNOTSUPP || error == ENODEV || error == EINVAL))
        return err_set(err, TARE_UNSUPPORTED,
                       "cannot count %s: the processor, or the virtual machine, has no such hardware counter", name);
    return posix_fail(err, error, "cannot count %s", name);
}

enum tare_status plat_counter_open(struct plat_counter **out, struct plat_spawner *s, const char *name, struct tare_err *err)
{
    struct counter_event event;
    if (!counter_event_named(name, &event))
        return err_set(err, TARE_INVALID,
                       "no event is called %s (cycles, instructions, branch-misses, page-faults ...; perf list names them)",
                       name);
    bool user_only = event.user_only;
    int fd = open_event(&event, plat_spawner_pid(s), user_only);
    if (fd < 0 && (errno == EACCES || errno == EPERM) && !user_only && !event.kernel_side) {
        user_only = true;
        fd = open_event(&event, plat_spawner_pid(s), user_only);
    }
    if (fd < 0)
        return cannot_open(&event, name, errno, err);
    int guard_fd = open_guard(plat_spawner_pid(s));
    struct plat_counter *c = guard_fd < 0 ? NULL : calloc(1, sizeof *c);
    if (!c) {
        int error = guard_fd < 0 ? errno : ENOMEM;
        close(fd);
        if (guard_fd >= 0)
            close(guard_fd);
        return cannot_open(&event, name, error, err);
    }
    c->fd = fd;
    c->guard_fd = guard_fd;
    c->user_only = user_only;
    *out = c;
    return TARE_OK;
}

/* Scaled interval by interval: a ratio over the whole session would move the counts of runs that were complete. */
enum tare_status plat_counter_read(struct plat_counter *c, double *total, double *running_ratio)
{
    struct reading now;
    ssize_t n;
    do
        n = read(c->fd, &now, sizeof now);
    while (n < 0 && errno == EINTR);
    if (n != sizeof now)
        return n < 0 ? posix_status(errno) : TARE_IO;
    uint64_t enabled = now.enabled_ns - c->last.enabled_ns, running = now.running_ns - c->last.running_ns;
    *running_ratio = enabled ? (double)running / (double)enabled : 1;
    if (running)
        c->total += (double)(now.value - c->last.value) / *running_ratio;
    c->last = now;
    *total = c->total;
    return TARE_OK;
}

bool plat_counter_user_only(const struct plat_counter *c)
{
    return c->user_only;
}

void plat_counter_close(struct plat_counter *c)
{
    if (!c)
        return;
    close(c->fd);
    close(c->guard_fd);
    free(c);
}
