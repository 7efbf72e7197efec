/* SPDX-License-Identifier: MIT
 *
 * Whether the kernel counts events of programs here, asked without tare, as a witness of what tare says: exits 0 when it does, 77 with its answer when not.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
    struct perf_event_attr task_clock = {
        .type = PERF_TYPE_SOFTWARE, .size = sizeof task_clock, .config = PERF_COUNT_SW_TASK_CLOCK, .exclude_kernel = 1};
    if (syscall(SYS_perf_event_open, &task_clock, 0, -1, -1, 0) >= 0)
        return 0;
    printf("not tried: perf_event_open: %s\n", strerror(errno));
    return 77;
}
