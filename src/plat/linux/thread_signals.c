/* SPDX-License-Identifier: MIT */
#include "buf.h"
#include "plat_clock.h"
#include "plat_thread.h"
#include "posix.h"
#include "task_text.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

int plat_reread_open(const char *path, struct tare_err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        posix_fail(err, errno, "cannot open %s", path);
    return fd;
}

int64_t plat_reread(int fd, char *text, int64_t size)
{
    return fd < 0 ? -1 : pread(fd, text, (size_t)size, 0);
}

void plat_reread_close(int fd)
{
    if (fd >= 0)
        close(fd);
}

int64_t plat_thread_delay_ns(const struct plat_thread *t)
{
    char text[96]; /* three numbers of at most 20 digits */
    int64_t n = plat_reread(t->delay_fd, text, sizeof text - 1), run_ns, delay_ns;
    text[n > 0 ? n : 0] = 0;
    return task_schedstat_read(text, &run_ns, &delay_ns) ? delay_ns : -1;
}

/* A path of our own thread, which the kernel fills in when it is opened; it stays that thread's. */
enum tare_status plat_thread_open(struct plat_thread *t, struct tare_err *err)
{
    static const char path[] = "/proc/thread-self/schedstat";
    t->delay_fd = open(path, O_RDONLY | O_CLOEXEC);
    if (t->delay_fd < 0)
        return err_set(err, TARE_UNSUPPORTED, "the time a thread waits for a CPU is not available: cannot open %s (%s)", path,
                       errno == ENOENT ? "this kernel has none, or /proc is not mounted" : "not permitted here");
    if (plat_thread_delay_ns(t) >= 0)
        return TARE_OK;
    plat_thread_close(t);
    return err_set(err, TARE_UNSUPPORTED, "the time a thread waits for a CPU is not available: %s is not in the known form",
                   path);
}

void plat_thread_close(struct plat_thread *t)
{
    if (!t)
        return;
    plat_reread_close(t->delay_fd);
    t->delay_fd = -1;
}

int64_t plat_thread_cpu_ns(void)
{
    int64_t ns = plat_clock_ns(PLAT_CLOCK_THREAD_CPU);
    return ns < 0 ? -1 : ns;
}

bool plat_thread_counts(struct plat_thread_counts *out)
{
    struct rusage u;
    if (getrusage(RUSAGE_THREAD, &u)) {
        *out = (struct plat_thread_counts){-1, -1, -1, -1};
        return false;
    }
    *out = (struct plat_thread_counts){u.ru_nvcsw, u.ru_nivcsw, u.ru_minflt, u.ru_majflt};
    return true;
}

int plat_thread_cpu(void)
{
    return sched_getcpu();
}

/* Two clocks cannot be read at once: the least difference of a few readings is the one least disturbed, and what stands below a
 * microsecond is the reading itself. */
int64_t plat_suspended_ns(void)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < 3; i++) {
        int64_t running = plat_clock_ns(PLAT_CLOCK_MONOTONIC), all = plat_clock_ns(PLAT_CLOCK_BOOTTIME);
        if (running < 0 || all < 0)
            return -1;
        if (all - running < least)
            least = all - running;
    }
    return least > 0 ? least / 1000 * 1000 : 0;
}
