/* SPDX-License-Identifier: MIT
 *
 * Events that a thread counts in itself. What the names mean and why one cannot be had is said outside of measured programs: counters.c.
 */
#include "plat_thread.h"
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int plat_event_open(uint64_t type, uint64_t config, bool user_only)
{
    struct perf_event_attr attr = {
        .type = (uint32_t)type,
        .size = sizeof attr,
        .config = config,
        .disabled = 1,
        .exclude_kernel = user_only,
        .exclude_hv = user_only,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
    };
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

void plat_event_switch(int fd, bool on)
{
    ioctl(fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

double plat_event_read(int fd, double *counted)
{
    struct {
        uint64_t value, enabled_ns, running_ns;
    } now;
    ssize_t n;
    do
        n = read(fd, &now, sizeof now);
    while (n < 0 && errno == EINTR);
    if (n != sizeof now || (now.enabled_ns && !now.running_ns))
        return NAN;
    if (counted)
        *counted = now.enabled_ns ? (double)now.running_ns / (double)now.enabled_ns : 1;
    return now.enabled_ns ? (double)now.value * ((double)now.enabled_ns / (double)now.running_ns) : 0;
}

void plat_event_close(int fd)
{
    if (fd >= 0)
        close(fd);
}
