/* SPDX-License-Identifier: MIT
 *
 * The system's clocks, and sleeping. Durations come from the performance counter, which time keeping does not slew.
 */
#include "nt.h"

enum { UNIT_NS = 100 }; /* of FILETIME and of interrupt time */

static const int64_t FILETIME_OF_1970 = 116444736000000000;

static int64_t counter_hz(void)
{
    static int64_t hz; /* fixed at boot; threads that ask at once store the same */
    int64_t known = __atomic_load_n(&hz, __ATOMIC_RELAXED);
    if (!known) {
        LARGE_INTEGER f;
        QueryPerformanceFrequency(&f);
        known = f.QuadPart;
        __atomic_store_n(&hz, known, __ATOMIC_RELAXED);
    }
    return known;
}

/* At 10 MHz, as Windows has had it for years, by one multiplication; else without overflow. */
static int64_t counter_ns(int64_t count)
{
    const int64_t hz = counter_hz();
    if (hz == 10000000)
        return count * 100;
    return count / hz * 1000000000 + count % hz * 1000000000 / hz;
}

static int64_t of_filetime(FILETIME t)
{
    return (int64_t)((uint64_t)t.dwHighDateTime << 32 | t.dwLowDateTime);
}

/* Calls that came with Windows 8 and 10. */

typedef void WINAPI time_call(ULONGLONG *units);

static int64_t read_units(time_call **call, const char *name)
{
    ULONGLONG units = 0;
    if (!*call)
        *call = (time_call *)win32_call("kernelbase.dll", name);
    if (!*call)
        return INT64_MIN;
    (*call)(&units);
    return (int64_t)units * UNIT_NS;
}

static int64_t utc_ns(void)
{
    static void(WINAPI * precise)(FILETIME *);
    FILETIME t;
    if (!precise)
        precise = (void(WINAPI *)(FILETIME *))win32_call("kernel32.dll", "GetSystemTimePreciseAsFileTime");
    if (precise)
        precise(&t);
    else
        GetSystemTimeAsFileTime(&t);
    return (of_filetime(t) - FILETIME_OF_1970) * UNIT_NS;
}

static int64_t cpu_ns(bool process)
{
    FILETIME born, ended, kernel, user;
    const BOOL told = process ? GetProcessTimes(GetCurrentProcess(), &born, &ended, &kernel, &user)
                              : GetThreadTimes(GetCurrentThread(), &born, &ended, &kernel, &user);
    return told ? (of_filetime(kernel) + of_filetime(user)) * UNIT_NS : INT64_MIN;
}

int64_t plat_now_ns(void)
{
    LARGE_INTEGER count;
    QueryPerformanceCounter(&count);
    return counter_ns(count.QuadPart);
}

int64_t plat_utc_ns(void)
{
    return utc_ns();
}

int64_t plat_clock_ns(enum plat_clock clock)
{
    static time_call *unbiased, *biased, *tick;
    switch (clock) {
    case PLAT_CLOCK_RAW:
        return plat_now_ns();
    case PLAT_CLOCK_MONOTONIC:
        return read_units(&unbiased, "QueryUnbiasedInterruptTimePrecise");
    case PLAT_CLOCK_BOOTTIME:
        return read_units(&biased, "QueryInterruptTimePrecise");
    case PLAT_CLOCK_COARSE:
        return read_units(&tick, "QueryInterruptTime");
    case PLAT_CLOCK_REALTIME:
        return utc_ns();
    case PLAT_CLOCK_PROCESS_CPU:
    case PLAT_CLOCK_THREAD_CPU:
        return cpu_ns(clock == PLAT_CLOCK_PROCESS_CPU);
    default:
        return INT64_MIN;
    }
}

int64_t plat_clock_number_ns(int number)
{
    return number >= 0 && number < PLAT_CLOCKS ? plat_clock_ns((enum plat_clock)number) : INT64_MIN;
}

/* Wine's system calls stay in the process. */
bool plat_clock_kernel_reads(enum plat_clock clock)
{
    return clock == PLAT_CLOCK_RAW && !nt()->wine_version;
}

int64_t plat_clock_kernel_ns(enum plat_clock clock)
{
    static LONG(WINAPI * query)(LARGE_INTEGER *, LARGE_INTEGER *);
    LARGE_INTEGER count;
    if (clock != PLAT_CLOCK_RAW)
        return INT64_MIN;
    if (!query)
        query = (LONG(WINAPI *)(LARGE_INTEGER *, LARGE_INTEGER *))win32_call("ntdll.dll", "NtQueryPerformanceCounter");
    return query && query(&count, NULL) >= 0 ? counter_ns(count.QuadPart) : INT64_MIN;
}

/* Of the clocks that move with the timer's interrupt, and of CPU times, which are counted then. */
static int64_t interrupt_step_ns(void)
{
    DWORD adjustment, increment;
    BOOL disabled;
    return nt()->time_adjustment(&adjustment, &increment, &disabled) ? (int64_t)increment * UNIT_NS : 0;
}

int64_t plat_clock_step_ns(enum plat_clock clock)
{
    switch (clock) {
    case PLAT_CLOCK_RAW:
        return (1000000000 + counter_hz() - 1) / counter_hz();
    case PLAT_CLOCK_COARSE:
    case PLAT_CLOCK_PROCESS_CPU:
    case PLAT_CLOCK_THREAD_CPU:
        return interrupt_step_ns();
    default:
        return plat_clock_ns(clock) == INT64_MIN ? 0 : UNIT_NS;
    }
}

#ifndef CREATE_WAITABLE_TIMER_HIGH_RESOLUTION
#define CREATE_WAITABLE_TIMER_HIGH_RESOLUTION 2
#endif

/* Of each thread: making one takes longer than many sleeps. */
static __thread HANDLE timer;

static HANDLE timer_of_thread(void)
{
    if (!timer)
        timer = CreateWaitableTimerExW(NULL, NULL, CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, TIMER_ALL_ACCESS);
    if (!timer) /* before Windows 10 1803 */
        timer = CreateWaitableTimerExW(NULL, NULL, 0, TIMER_ALL_ACCESS);
    return timer;
}

void win32_wait_finish(void)
{
    if (timer)
        CloseHandle(timer);
    timer = NULL;
}

DWORD win32_wait_any(const HANDLE *handles, DWORD n, int64_t ns)
{
    const LARGE_INTEGER due = {.QuadPart = -((ns + UNIT_NS - 1) / UNIT_NS)};
    HANDLE own = ns > 0 ? timer_of_thread() : NULL, all[MAXIMUM_WAIT_OBJECTS];
    DWORD ms = ns < 0 ? INFINITE : (DWORD)((ns + 999999) / 1000000), last = n;
    for (DWORD i = 0; i < n; i++)
        all[i] = handles[i];
    if (own && SetWaitableTimer(own, &due, 0, NULL, NULL, FALSE)) {
        all[last++] = own;
        ms = INFINITE;
    }
    const DWORD got = last ? WaitForMultipleObjects(last, all, FALSE, ms) : WAIT_TIMEOUT;
    return got == WAIT_OBJECT_0 + n && last > n ? WAIT_TIMEOUT : got;
}

void win32_wait(int64_t ns, HANDLE also)
{
    if (ns > 0)
        win32_wait_any(&also, also ? 1 : 0, ns);
}

void plat_clock_sleep_ns(int64_t ns)
{
    const int64_t end = plat_now_ns() + ns;
    for (int64_t left = ns; left > 0; left = end - plat_now_ns())
        win32_wait(left, NULL);
}

void plat_sleep_ns(int64_t ns)
{
    const int64_t end = plat_now_ns() + ns;
    for (int64_t left = ns; left > 0 && !plat_signal(); left = end - plat_now_ns())
        win32_wait(left, signal_event());
}

void plat_nap_ns(int64_t ns)
{
    Sleep((DWORD)((ns + 999999) / 1000000));
}

int64_t plat_timer_slack_ns(void)
{
    return -1;
}
