/* SPDX-License-Identifier: MIT
 *
 * The frequency of the processor's counter as the kernel uses it, from the page that perf events share with us: it holds the
 * multiplier and shift that turn the counter into the kernel's nanoseconds. In a virtual machine whose kernel keeps time by the
 * hypervisor's clock the page says that it cannot tell.
 */
#include "plat_clock.h"
#include "posix.h"
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static enum tare_status hz_of(const struct perf_event_mmap_page *page, double *hz, struct tare_err *err)
{
    if (!page->cap_user_time || !page->time_mult)
        return err_set(err, TARE_UNSUPPORTED, "the kernel does not state this counter's frequency (perf: cap_user_time is 0)");
    *hz = ldexp(1e9, page->time_shift) / page->time_mult;
    return TARE_OK;
}

enum tare_status plat_ticks_kernel_hz(double *hz, struct tare_err *err)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .size = sizeof attr,
                                   .config = PERF_COUNT_SW_DUMMY,
                                   .disabled = 1,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return posix_fail(err, errno, "cannot open a perf event");
    const size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
    enum tare_status status = page == MAP_FAILED ? posix_fail(err, errno, "cannot map a perf event") : hz_of(page, hz, err);
    if (page != MAP_FAILED)
        munmap(page, bytes);
    close(fd);
    return status;
}
