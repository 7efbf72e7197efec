/* SPDX-License-Identifier: MIT
 *
 * Which Windows this is, its scheduler, and the timer by whose interrupts sleeps end.
 */
#include "nt.h"
#include "windows_tables.h"

#define CURRENT_VERSION L"SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion"
#define PRIORITIES      L"SYSTEM\\CurrentControlSet\\Control\\PriorityControl"

/* Of the system itself: what GetVersionEx says depends on the program that asks. */
static bool version(RTL_OSVERSIONINFOEXW *v)
{
    *v = (RTL_OSVERSIONINFOEXW){.dwOSVersionInfoSize = sizeof *v};
    return nt()->version && nt()->version(v) >= 0;
}

static bool is_server(const RTL_OSVERSIONINFOEXW *v)
{
    return v->wProductType != VER_NT_WORKSTATION;
}

void plat_uname(struct plat_uname *out)
{
    RTL_OSVERSIONINFOEXW v;
    uint32_t revision;
    *out = (struct plat_uname){.os = "Windows", .machine = "x86_64"};
    struct buf release = buf_over(out->release, sizeof out->release), build = buf_over(out->version, sizeof out->version);
    const char *node = plat_getenv("COMPUTERNAME");
    struct buf name = buf_over(out->node, sizeof out->node);
    buf_str(&name, node ? node : "");
    if (!version(&v))
        return;
    buf_format(&release, "%u.%u.%u", (unsigned)v.dwMajorVersion, (unsigned)v.dwMinorVersion, (unsigned)v.dwBuildNumber);
    if (nt_registry_number(HKEY_LOCAL_MACHINE, CURRENT_VERSION, L"UBR", &revision))
        buf_format(&release, ".%u", (unsigned)revision);
    if (nt()->wine_version)
        buf_format(&build, "as Wine %s shows it", nt()->wine_version());
}

bool windows_product(struct buf *out)
{
    RTL_OSVERSIONINFOEXW v;
    if (!version(&v))
        return false;
    const char *name = windows_name(v.dwBuildNumber, is_server(&v));
    buf_str(out, name ? name : windows_family(v.dwBuildNumber, is_server(&v)));
    return true;
}

static const struct {
    const char *name;
    DWORD class;
    int base;
} levels[] = {
    [PRIORITY_IDLE] = {"idle", IDLE_PRIORITY_CLASS, 4},
    [PRIORITY_NORMAL] = {"normal", NORMAL_PRIORITY_CLASS, 8},
    [PRIORITY_HIGH] = {"high", HIGH_PRIORITY_CLASS, 13},
    [PRIORITY_REALTIME] = {"realtime", REALTIME_PRIORITY_CLASS, 24},
};
enum { LEVELS = sizeof levels / sizeof *levels };

const char *process_base_priority(HANDLE process, int *base)
{
    enum { BASIC_INFORMATION = 0 };
    struct nt_process p;
    *base = 0;
    if (nt()->wine_version)
        return "Wine has the number of the class in its place, and leaves the priorities of its host alone";
    if (!nt()->process || nt()->process(process, BASIC_INFORMATION, &p, sizeof p, NULL) < 0)
        return "the system does not tell";
    *base = (int)p.base_priority;
    return NULL;
}

/* Read back, by class and by what it gives: without the right to it realtime becomes high, and no call fails. */
enum tare_status plat_set_priority(enum plat_priority p, struct tare_err *err)
{
    int base;
    if (!nt()->set_class(GetCurrentProcess(), levels[p].class))
        return win32_fail(err, GetLastError(), "cannot set priority %s", levels[p].name);
    if (nt()->get_class(GetCurrentProcess()) != levels[p].class)
        return err_set(err, p == PRIORITY_REALTIME ? TARE_PERMISSION : TARE_UNSUPPORTED,
                       "cannot set priority %s: the system accepted it and did not keep it%s", levels[p].name,
                       p == PRIORITY_REALTIME ? " (needs the rights of an administrator)" : "");
    if (!process_base_priority(GetCurrentProcess(), &base) && base != levels[p].base)
        return err_set(err, TARE_UNSUPPORTED, "cannot set priority %s: the base priority is %d, not %d", levels[p].name, base,
                       levels[p].base);
    return TARE_OK;
}

static const char *class_name(DWORD class)
{
    for (int i = 0; i < LEVELS; i++)
        if (levels[i].class == class)
            return levels[i].name;
    return class == ABOVE_NORMAL_PRIORITY_CLASS   ? "above normal"
           : class == BELOW_NORMAL_PRIORITY_CLASS ? "below normal"
                                                  : "unknown";
}

enum tare_status plat_scheduling(struct plat_scheduling *out, struct tare_err *err)
{
    *out = (struct plat_scheduling){.policy = class_name(nt()->get_class(GetCurrentProcess()))};
    (void)err;
    out->base_unknown = process_base_priority(GetCurrentProcess(), &out->base);
    return TARE_OK;
}

/* Of a process in the background, which is what every one has at least. */
int64_t plat_slice_told_ns(void)
{
    RTL_OSVERSIONINFOEXW v;
    uint32_t separation;
    const int64_t period_ns = plat_clock_step_ns(PLAT_CLOCK_COARSE);
    if (!period_ns || !version(&v) ||
        !nt_registry_number(HKEY_LOCAL_MACHINE, PRIORITIES, L"Win32PrioritySeparation", &separation))
        return -1;
    return windows_quantum(separation, is_server(&v)).background * period_ns;
}

enum { UNIT_NS = 100, MS_NS = 1000000 };

enum tare_status plat_timer_period(struct plat_timer_period *out, struct tare_err *err)
{
    static const char what[] = "the period of the timer";
    ULONG coarsest, finest, now;
    DWORD adjustment, increment;
    BOOL disabled;
    if (!nt()->timer_resolution)
        return nt_missing(what, err);
    enum tare_status status = nt_status(nt()->timer_resolution(&coarsest, &finest, &now), what, err);
    if (status)
        return TARE_UNSUPPORTED;
    if (!nt()->time_adjustment(&adjustment, &increment, &disabled))
        return win32_fail(err, GetLastError(), "GetSystemTimeAdjustment fails"), TARE_UNSUPPORTED;
    *out = (struct plat_timer_period){.now_ns = (int64_t)now * UNIT_NS,
                                      .finest_ns = (int64_t)finest * UNIT_NS,
                                      .coarsest_ns = (int64_t)coarsest * UNIT_NS,
                                      .day_ns = (int64_t)increment * UNIT_NS,
                                      .day_slew_ns = disabled ? 0 : ((int64_t)adjustment - (int64_t)increment) * UNIT_NS};
    return TARE_OK;
}

enum tare_status plat_timer_wish(int64_t ns, struct tare_err *err)
{
    static UINT wished;
    const UINT ms = (UINT)((ns + MS_NS - 1) / MS_NS);
    if (!nt()->begin_period || !nt()->end_period)
        return nt_missing("timeBeginPeriod", err);
    if (wished)
        nt()->end_period(wished);
    wished = 0;
    if (ms && nt()->begin_period(ms))
        return err_set(err, TARE_UNSUPPORTED, "timeBeginPeriod(%u) is refused", ms);
    wished = ms;
    return TARE_OK;
}
