/* SPDX-License-Identifier: MIT
 *
 * The system's clocks. The C library reads most of them in user space, by the processor's counter, and where the process may not
 * read that (prctl PR_SET_TSC) such a reading ends it. So this is found out first, and then the kernel is asked instead.
 */
#include "buf.h"
#include "cpu_features.h"
#include "plat.h"
#include "plat_clock.h"
#include <errno.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <tare/ticks.h>
#include <time.h>
#include <unistd.h>

static const clockid_t ids[PLAT_CLOCKS] = {
    [PLAT_CLOCK_MONOTONIC] = CLOCK_MONOTONIC,
    [PLAT_CLOCK_RAW] = CLOCK_MONOTONIC_RAW,
    [PLAT_CLOCK_COARSE] = CLOCK_MONOTONIC_COARSE,
    [PLAT_CLOCK_BOOTTIME] = CLOCK_BOOTTIME,
    [PLAT_CLOCK_REALTIME] = CLOCK_REALTIME,
    [PLAT_CLOCK_PROCESS_CPU] = CLOCK_PROCESS_CPUTIME_ID,
    [PLAT_CLOCK_THREAD_CPU] = CLOCK_THREAD_CPUTIME_ID,
};

static int64_t ns_of(struct timespec t)
{
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

enum { UNKNOWN, IN_USER_SPACE, BY_KERNEL };
static atomic_int way; /* one for the process: the answer is the same whoever finds it out */

/* Not within plat_clock_ns, whose readings it would make longer. */
__attribute__((noinline)) enum tare_status plat_ticks_allowed(struct tare_err *err)
{
    int mode = PR_TSC_ENABLE;
    bool forbidden = !prctl(PR_GET_TSC, &mode) && mode != PR_TSC_ENABLE;
    atomic_store_explicit(&way, forbidden ? BY_KERNEL : IN_USER_SPACE, memory_order_relaxed);
    if (forbidden)
        return err_set(err, TARE_PERMISSION, "this process may not read the " CPU_COUNTER ": prctl(PR_SET_TSC) forbade it");
    if (!TARE_TICKS_INLINE)
        return err_set(err, TARE_UNSUPPORTED, "libtare does not know the counter of this processor");
    return TARE_OK;
}

int64_t plat_clock_ns(enum plat_clock clock)
{
    struct timespec t;
    int now = atomic_load_explicit(&way, memory_order_relaxed);
    if (now == UNKNOWN) {
        plat_ticks_allowed(NULL);
        return plat_clock_ns(clock);
    }
    if (now == BY_KERNEL)
        return plat_clock_kernel_ns(clock);
    return clock_gettime(ids[clock], &t) ? INT64_MIN : ns_of(t);
}

int64_t plat_clock_kernel_ns(enum plat_clock clock)
{
    struct timespec t = {0}; /* MemorySanitizer does not see what a bare system call writes */
    return syscall(SYS_clock_gettime, ids[clock], &t) ? INT64_MIN : ns_of(t);
}

bool plat_clock_kernel_reads(enum plat_clock clock)
{
    (void)clock;
    return true;
}

int64_t plat_clock_step_ns(enum plat_clock clock)
{
    struct timespec t;
    return clock_getres(ids[clock], &t) ? 0 : ns_of(t);
}

const char *plat_clock_source(enum plat_clock clock)
{
    (void)clock;
    return NULL; /* one for all clocks, and a condition of the machine: current_clocksource */
}

void plat_clock_sleep_ns(int64_t ns)
{
    if (ns <= 0)
        return;
    /* Not until a time of the clock: what we read of it may be shifted, by whoever preloads a clock of his own, and the kernel's is not. */
    struct timespec left = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR)
        ;
}

int64_t plat_now_ns(void)
{
    return plat_clock_ns(PLAT_CLOCK_MONOTONIC);
}

int64_t plat_utc_ns(void)
{
    return plat_clock_ns(PLAT_CLOCK_REALTIME);
}

int64_t plat_clock_number_ns(int number)
{
    struct timespec t;
    return clock_gettime((clockid_t)number, &t) ? INT64_MIN : ns_of(t);
}
