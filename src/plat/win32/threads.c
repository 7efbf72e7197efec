/* SPDX-License-Identifier: MIT
 *
 * Threads, and what the system counts of one.
 */
#include "nt.h"
#include "plat_process.h"
#include "plat_thread.h"
#include "plat_trace.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Nobody begins before all are there. */
enum gate { GATE_CLOSED, GATE_OPEN, GATE_ABANDONED };

struct member {
    HANDLE thread;
    int number;
    atomic_int *gate;
    void (*run)(void *context, int thread);
    void *context;
};

static DWORD WINAPI begin(void *argument)
{
    struct member *m = argument;
    int gate;
    while ((gate = atomic_load(m->gate)) == GATE_CLOSED)
        plat_clock_sleep_ns(50000);
    if (gate == GATE_OPEN)
        m->run(m->context, m->number);
    win32_wait_finish();
    return 0;
}

enum tare_status plat_threads_run(int n, void (*run)(void *context, int thread), void *context, struct tare_err *err)
{
    atomic_int gate = GATE_CLOSED;
    struct member *members = calloc((size_t)n, sizeof *members);
    int started = 1;
    DWORD error = members ? 0 : ERROR_OUTOFMEMORY;
    while (!error && started < n) {
        struct member *m = &members[started];
        *m = (struct member){.number = started, .gate = &gate, .run = run, .context = context};
        m->thread = CreateThread(NULL, 0, begin, m, 0, NULL);
        error = m->thread ? 0 : GetLastError();
        started += m->thread != NULL;
    }
    atomic_store(&gate, error ? GATE_ABANDONED : GATE_OPEN);
    if (!error)
        run(context, 0);
    for (int i = 1; members && i < started; i++) {
        WaitForSingleObject(members[i].thread, INFINITE);
        CloseHandle(members[i].thread);
    }
    free(members);
    return error ? win32_fail(err, error, "cannot start %d threads", n) : TARE_OK;
}

/* The system calls nobody in a thread that ends itself. */
void plat_thread_watched(void (*run)(void *context), void (*ended)(void *context), void *context)
{
    (void)ended;
    run(context);
}

void plat_thread_yield(void)
{
    SwitchToThread();
}

/* Of this thread: its switches, and the reasons for them, which the system keeps where we can read them. */
static __thread struct {
    HANDLE open; /* NULL: not counted */
    DWORD last;
    int64_t voluntary, involuntary;
} switches;

static void switches_close(void)
{
    if (switches.open)
        nt()->profiling_end(switches.open);
    switches.open = NULL;
}

enum tare_status plat_thread_open(struct plat_thread *t, struct tare_err *err)
{
    t->delay_fd = -1;
    switches_close();
    const bool can = nt()->profiling_begin && nt()->profiling_read && nt()->profiling_end;
    if (!can || nt()->profiling_begin(GetCurrentThread(), THREAD_PROFILING_FLAG_DISPATCH, 0, &switches.open))
        switches.open = NULL;
    switches.last = 0;
    return err_set(err, TARE_UNSUPPORTED, "the time a thread waits for a CPU is not available: Windows does not count it");
}

void plat_thread_close(struct plat_thread *t)
{
    if (!t)
        return;
    switches_close();
    t->delay_fd = -1;
}

int64_t plat_thread_delay_ns(const struct plat_thread *t)
{
    (void)t;
    return -1;
}

/* The counter's megahertz as Windows found them at its start; 0: not told. */
static uint32_t counter_mhz(void)
{
    static _Atomic uint32_t known;
    uint32_t mhz = atomic_load(&known);
    if (!mhz && nt_registry_number(HKEY_LOCAL_MACHINE, NT_PROCESSOR, L"~MHz", &mhz))
        atomic_store(&known, mhz);
    return mhz;
}

/* In ticks of the processor's counter, which Windows adds up for each thread at each switch. The times that it has besides move 15.6 ms at once. */
int64_t plat_thread_cpu_ns(void)
{
    ULONG64 cycles = 0;
    const uint32_t mhz = counter_mhz();
    if (!mhz || !nt()->thread_cycles || !nt()->thread_cycles(GetCurrentThread(), &cycles))
        return -1;
    return (int64_t)(cycles / mhz * 1000 + cycles % mhz * 1000 / mhz);
}

int plat_thread_cpu(void)
{
    return plat_cpu_now();
}

int64_t plat_suspended_ns(void)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < 3; i++) {
        const int64_t running = plat_clock_ns(PLAT_CLOCK_MONOTONIC), all = plat_clock_ns(PLAT_CLOCK_BOOTTIME);
        if (running < 0 || all < 0)
            return -1;
        least = all - running < least ? all - running : least;
    }
    return least > 0 ? least / 1000 * 1000 : 0;
}

/* The reasons since the last reading are bits: who lost its CPU to others, or gave it to them, waited for nothing. Where there were both sorts one was forced, as
 * far as that is known. Page faults are counted for processes only. */
bool plat_thread_counts(struct plat_thread_counts *out)
{
    const DWORD64 forced =
        (UINT64_C(1) << 30) | (UINT64_C(1) << 31) | (UINT64_C(1) << 32); /* end of a quantum, an interrupt, preempted */
    PERFORMANCE_DATA now = {.Size = sizeof now, .Version = PERFORMANCE_DATA_VERSION};
    *out = (struct plat_thread_counts){-1, -1, -1, -1};
    if (!switches.open || nt()->profiling_read(switches.open, READ_THREAD_PROFILING_FLAG_DISPATCHING, &now))
        return false;
    const int64_t n = (DWORD)(now.ContextSwitchCount - switches.last);
    const int64_t taken = !(now.WaitReasonBitMap & ~forced) ? n : now.WaitReasonBitMap & forced && n ? 1 : 0;
    switches.last = now.ContextSwitchCount;
    switches.involuntary += taken;
    switches.voluntary += n - taken;
    out->voluntary = switches.voluntary;
    out->involuntary = switches.involuntary;
    return true;
}

uint32_t plat_thread_number(void)
{
    return GetCurrentThreadId();
}

void plat_thread_title(char title[16])
{
    HRESULT(WINAPI * describe)
    (HANDLE, PWSTR *) = (HRESULT(WINAPI *)(HANDLE, PWSTR *))win32_call("kernelbase.dll", "GetThreadDescription");
    PWSTR wide = NULL;
    memset(title, 0, 16);
    if (!describe || describe(GetCurrentThread(), &wide) < 0 || !wide)
        return;
    struct buf b = buf_over(title, 16);
    utf8_add(&b, wide);
    LocalFree(wide);
}

/* No handler of a signal interrupts a thread here; two numbers of errors are kept. */
void plat_quiet_begin(struct plat_quiet *q)
{
    q->error = errno;
    q->signals[0] = GetLastError();
}

void plat_quiet_end(const struct plat_quiet *q)
{
    errno = q->error;
    SetLastError((DWORD)q->signals[0]);
}

static _Atomic(void (*)(void *)) at_end;
static _Atomic DWORD key = FLS_OUT_OF_INDEXES;

/* Freeing the key calls it for every thread that has a value; by then nobody is to be told. */
static void WINAPI thread_ended(void *value)
{
    void (*ended)(void *) = atomic_load(&at_end);
    if (ended && value)
        ended(value);
}

bool plat_thread_ends_watch(void (*ended)(void *value))
{
    DWORD none = FLS_OUT_OF_INDEXES;
    if (atomic_load(&key) != none)
        return true;
    const DWORD made = FlsAlloc(thread_ended);
    if (made == none)
        return false;
    atomic_store(&at_end, ended);
    if (!atomic_compare_exchange_strong(&key, &none, made))
        FlsFree(made);
    return true;
}

void plat_thread_at_end(void *value)
{
    const DWORD there = atomic_load(&key);
    if (there != FLS_OUT_OF_INDEXES)
        FlsSetValue(there, value);
}

void plat_thread_ends_forget(void)
{
    atomic_store(&at_end, NULL);
    const DWORD there = atomic_exchange(&key, FLS_OUT_OF_INDEXES);
    if (there != FLS_OUT_OF_INDEXES)
        FlsFree(there);
}
