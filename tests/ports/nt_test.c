/* SPDX-License-Identifier: MIT
 *
 * What tare says where the system answers otherwise than Wine does here: the table of its calls (nt.h) is replaced.
 */
#include "nt.h"
#include "plat_clock.h"
#include "plat_thread.h"
#include "same.h"

/* ---- a scripted system: Windows Server 2025 in which nobody asked for a finer timer ---- */

static DWORD class = NORMAL_PRIORITY_CLASS;
static LONG timer_status;

static LONG WINAPI version(RTL_OSVERSIONINFOEXW *v)
{
    v->dwMajorVersion = 10;
    v->dwMinorVersion = 0;
    v->dwBuildNumber = 26100;
    v->wProductType = VER_NT_SERVER;
    return 0;
}

static LONG WINAPI timer_resolution(ULONG *coarsest, ULONG *finest, ULONG *now)
{
    *coarsest = *now = 156250;
    *finest = 5000;
    return timer_status;
}

static BOOL WINAPI time_adjustment(DWORD *adjustment, DWORD *increment, BOOL *disabled)
{
    *adjustment = 156252;
    *increment = 156250;
    *disabled = FALSE;
    return TRUE;
}

static LONG WINAPI process(HANDLE of, int information, void *out, ULONG size, ULONG *needed)
{
    struct nt_process *p = out;
    (void)of, (void)information, (void)size, (void)needed;
    p->base_priority = class == HIGH_PRIORITY_CLASS ? 13 : class == REALTIME_PRIORITY_CLASS ? 24 : 8;
    return 0;
}

/* Without the right to realtime it gives high, and says nothing. */
static BOOL WINAPI set_class(HANDLE of, DWORD wanted)
{
    (void)of;
    class = wanted == REALTIME_PRIORITY_CLASS ? HIGH_PRIORITY_CLASS : wanted;
    return TRUE;
}

static DWORD WINAPI get_class(HANDLE of)
{
    (void)of;
    return class;
}

static LONG WINAPI registry(HKEY root, const wchar_t *key, const wchar_t *name, DWORD flags, DWORD *type, void *out, DWORD *size)
{
    (void)root, (void)key, (void)flags, (void)type, (void)size;
    static const struct {
        const wchar_t *name;
        DWORD value;
    } known[] = {{L"Win32PrioritySeparation", 24}, {L"UBR", 2314}, {L"~MHz", 2100}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!wcscmp(name, known[i].name)) {
            *(DWORD *)out = known[i].value;
            return ERROR_SUCCESS;
        }
    return ERROR_FILE_NOT_FOUND;
}

static BOOL cycles_told = TRUE;

static BOOL WINAPI thread_cycles(HANDLE thread, ULONG64 *cycles)
{
    (void)thread;
    *cycles = 3150000021; /* 1.5 s and 10 ns at 2.1 GHz */
    return cycles_told;
}

static const struct nt_calls server = {.version = version,
                                       .timer_resolution = timer_resolution,
                                       .process = process,
                                       .time_adjustment = time_adjustment,
                                       .set_class = set_class,
                                       .get_class = get_class,
                                       .thread_cycles = thread_cycles,
                                       .registry = registry};

static int periods_ended;

static UINT WINAPI refuse_period(UINT ms)
{
    (void)ms;
    return 97; /* TIMERR_NOCANDO */
}

static UINT WINAPI end_period(UINT ms)
{
    (void)ms;
    periods_ended++;
    return 0;
}

/* ---- the checks ---- */

static void the_system_is_named(void)
{
    struct plat_uname u;
    char text[64];
    struct buf product = buf_over(text, sizeof text);
    plat_uname(&u);
    same_text("release", u.release, "10.0.26100.2314");
    same_text("no Wine is claimed", u.version, "");
    windows_product(&product);
    same_text("product", text, "Windows Server 2025");
}

static void the_period_is_told_or_not(void)
{
    struct plat_timer_period p = {0};
    struct tare_err err = {""};
    same_number("period", plat_timer_period(&p, &err), TARE_OK);
    same_number("now", p.now_ns, 15625000);
    same_number("finest", p.finest_ns, 500000);
    same_number("slew of the time of day", p.day_slew_ns, 200);
    timer_status = (LONG)0xC0000002; /* STATUS_NOT_IMPLEMENTED */
    same_number("not implemented", plat_timer_period(&p, &err), TARE_UNSUPPORTED);
    same_text("why", err.text, "the period of the timer is not available: this Windows does not implement it");
    timer_status = 0;
    same_number("no timeBeginPeriod", plat_timer_wish(1000000, &err), TARE_UNSUPPORTED);
    same_text("why", err.text, "timeBeginPeriod is not available: this Windows has no such call");
    struct nt_calls refusing = *nt();
    refusing.begin_period = refuse_period;
    refusing.end_period = end_period;
    nt_replace(&refusing);
    same_number("refused", plat_timer_wish(1000000, &err), TARE_UNSUPPORTED);
    plat_timer_wish(0, &err);
    same_number("periods ended that were never begun", periods_ended, 0);
    nt_replace(&server);
}

static void a_priority_is_verified(void)
{
    struct plat_scheduling s;
    struct tare_err err = {""};
    same_number("high", plat_set_priority(PRIORITY_HIGH, &err), TARE_OK);
    plat_scheduling(&s, NULL);
    same_text("its class", s.policy, "high");
    same_number("its base priority", s.base, 13);
    same_number("realtime without the right to it", plat_set_priority(PRIORITY_REALTIME, &err), TARE_PERMISSION);
    same_text("why", err.text,
              "cannot set priority realtime: the system accepted it and did not keep it (needs the rights of an administrator)");
}

/* 24: long, of one length. 12 periods of 15.625 ms. */
static void a_slice_is_what_the_registry_says(void)
{
    same_number("slice", plat_slice_told_ns(), 187500000);
}

static void cpu_time_of_a_thread_is_in_ticks_or_not_told(void)
{
    same_number("CPU time", plat_thread_cpu_ns(), 1500000010);
    cycles_told = FALSE;
    same_number("CPU time where there is no such call", plat_thread_cpu_ns(), -1);
}

/* ---- switches of a thread ---- */

static DWORD switched;
static DWORD64 reasons;
static int profilings;

static DWORD WINAPI profiling_begin(HANDLE thread, DWORD flags, DWORD64 counters, HANDLE *out)
{
    (void)thread, (void)flags, (void)counters;
    profilings++;
    *out = (HANDLE)(intptr_t)4;
    return 0;
}

static DWORD WINAPI profiling_read(HANDLE of, DWORD flags, PERFORMANCE_DATA *out)
{
    (void)of, (void)flags;
    out->ContextSwitchCount = switched;
    out->WaitReasonBitMap = reasons;
    reasons = 0;
    return 0;
}

static DWORD WINAPI profiling_end(HANDLE of)
{
    (void)of;
    profilings--;
    return 0;
}

static void same_switches(const char *what, int64_t voluntary, int64_t forced)
{
    struct plat_thread_counts c;
    same_number(what, plat_thread_counts(&c), true);
    same_number(what, (double)c.voluntary, (double)voluntary);
    same_number(what, (double)c.involuntary, (double)forced);
}

static void switches_are_told_by_their_reasons(void)
{
    struct nt_calls profiling = server;
    struct plat_thread t;
    struct plat_thread_counts c;
    same_number("counts of a system that has none", plat_thread_counts(&c), false);
    profiling.profiling_begin = profiling_begin;
    profiling.profiling_read = profiling_read;
    profiling.profiling_end = profiling_end;
    nt_replace(&profiling);
    plat_thread_open(&t, NULL);
    same_switches("none", 0, 0);
    switched = 3, reasons = UINT64_C(1) << 32;
    same_switches("preempted", 0, 3);
    switched = 4, reasons = UINT64_C(1) << 6; /* its own wait */
    same_switches("waited", 1, 3);
    switched = 7, reasons = UINT64_C(1) << 30 | UINT64_C(1) << 15;
    same_switches("both", 3, 4);
    plat_thread_close(&t);
    same_number("left open", profilings, 0);
    same_number("counts after the end", plat_thread_counts(&c), false);
    nt_replace(&server);
}

/* ---- CPUs in groups: 64 in the first, 32 in the second ---- */

static GROUP_AFFINITY pinned;
static DWORD_PTR own_mask;

static WORD WINAPI two_groups(void)
{
    return 2;
}

static DWORD WINAPI group_size(WORD group)
{
    return group ? 32 : 64;
}

/* As before Windows 11: the process began in one of them. */
static BOOL WINAPI process_groups(HANDLE of, USHORT *n, USHORT *groups)
{
    (void)of;
    *n = 1;
    *groups = 1;
    return TRUE;
}

static BOOL WINAPI process_mask(HANDLE of, DWORD_PTR *own, DWORD_PTR *all)
{
    (void)of;
    *own = own_mask;
    *all = 0xffffffff;
    return TRUE;
}

static BOOL WINAPI set_thread_group(HANDLE thread, const GROUP_AFFINITY *wanted, GROUP_AFFINITY *before)
{
    (void)thread, (void)before;
    pinned = *wanted;
    return TRUE;
}

static void cpus_beyond_64_are_in_groups(void)
{
    struct nt_calls wide = server;
    struct tare_err err = {""};
    wide.groups = two_groups;
    wide.group_size = group_size;
    wide.process_groups = process_groups;
    wide.process_mask = process_mask;
    wide.set_thread_group = set_thread_group;
    nt_replace(&wide);
    own_mask = 0xffffffff;
    same_number("all", plat_cpus_allowed(), 96);
    same_number("of the group that we did not begin in", plat_cpu_allowed(3), true);
    same_number("the last", plat_cpu_allowed(95), true);
    same_number("none", plat_cpu_allowed(96), false);
    same_number("pin", plat_thread_pin(70, &err), TARE_OK);
    same_number("its group", pinned.Group, 1);
    same_number("its bit", (double)pinned.Mask, 64);
    same_number("pin to none", plat_thread_pin(96, &err), TARE_INVALID);
    own_mask = 6; /* start /affinity 6 */
    same_number("those that were left to us", plat_cpus_allowed(), 2);
    same_number("one", plat_cpu_allowed(66), true);
    same_number("not in another group", plat_cpu_allowed(2), false);
    nt_replace(&server);
}

int main(void)
{
    nt_replace(&server);
    cpus_beyond_64_are_in_groups();
    switches_are_told_by_their_reasons();
    the_system_is_named();
    the_period_is_told_or_not();
    a_priority_is_verified();
    a_slice_is_what_the_registry_says();
    cpu_time_of_a_thread_is_in_ticks_or_not_told();
    return same_end();
}
