/* SPDX-License-Identifier: MIT */
#include "nt.h"
#include <stdatomic.h>

static struct nt_calls found;
static _Atomic(const struct nt_calls *) calls;

static DWORD service_state(const wchar_t *name, DWORD *state)
{
    SERVICE_STATUS s = {0};
    SC_HANDLE all = OpenSCManagerW(NULL, NULL, SC_MANAGER_CONNECT),
              one = all ? OpenServiceW(all, name, SERVICE_QUERY_STATUS) : NULL;
    const DWORD error = one && QueryServiceStatus(one, &s) ? 0 : GetLastError();
    *state = s.dwCurrentState;
    if (one)
        CloseServiceHandle(one);
    if (all)
        CloseServiceHandle(all);
    return error;
}

#define FIND(place, library, name) (found.place = (__typeof__(found.place))win32_call(library, name))

static void find_all(void)
{
    FIND(version, "ntdll.dll", "RtlGetVersion");
    FIND(timer_resolution, "ntdll.dll", "NtQueryTimerResolution");
    FIND(process, "ntdll.dll", "NtQueryInformationProcess");
    FIND(file, "ntdll.dll", "NtQueryInformationFile");
    FIND(wine_version, "ntdll.dll", "wine_get_version");
    FIND(time_adjustment, "kernel32.dll", "GetSystemTimeAdjustment");
    FIND(thread_cycles, "kernel32.dll", "QueryThreadCycleTime");
    FIND(profiling_begin, "kernel32.dll", "EnableThreadProfiling");
    FIND(profiling_read, "kernel32.dll", "ReadThreadProfilingData");
    FIND(profiling_end, "kernel32.dll", "DisableThreadProfiling");
    FIND(set_class, "kernel32.dll", "SetPriorityClass");
    FIND(get_class, "kernel32.dll", "GetPriorityClass");
    FIND(get_boosts, "kernel32.dll", "GetProcessPriorityBoost");
    FIND(set_boosts, "kernel32.dll", "SetProcessPriorityBoost");
    FIND(begin_period, "winmm.dll", "timeBeginPeriod");
    FIND(end_period, "winmm.dll", "timeEndPeriod");
    FIND(open_process, "kernel32.dll", "OpenProcess");
    FIND(flush, "kernel32.dll", "FlushFileBuffers");
    FIND(final_path, "kernel32.dll", "GetFinalPathNameByHandleW");
    FIND(assign_job, "kernel32.dll", "AssignProcessToJobObject");
    FIND(groups, "kernel32.dll", "GetActiveProcessorGroupCount");
    FIND(group_size, "kernel32.dll", "GetActiveProcessorCount");
    FIND(process_groups, "kernel32.dll", "GetProcessGroupAffinity");
    FIND(process_mask, "kernel32.dll", "GetProcessAffinityMask");
    FIND(set_thread_group, "kernel32.dll", "SetThreadGroupAffinity");
    FIND(process_times, "kernel32.dll", "GetProcessTimes");
    FIND(process_memory, "kernel32.dll", "K32GetProcessMemoryInfo");
    FIND(process_cycles, "kernel32.dll", "QueryProcessCycleTime");
    FIND(job, "kernel32.dll", "QueryInformationJobObject");
    FIND(power_active, "powrprof.dll", "PowerGetActiveScheme");
    FIND(power_set_active, "powrprof.dll", "PowerSetActiveScheme");
    FIND(power_duplicate, "powrprof.dll", "PowerDuplicateScheme");
    FIND(power_delete, "powrprof.dll", "PowerDeleteScheme");
    FIND(power_read[0], "powrprof.dll", "PowerReadACValueIndex");
    FIND(power_read[1], "powrprof.dll", "PowerReadDCValueIndex");
    FIND(power_write[0], "powrprof.dll", "PowerWriteACValueIndex");
    FIND(power_write[1], "powrprof.dll", "PowerWriteDCValueIndex");
    FIND(power_name, "powrprof.dll", "PowerReadFriendlyName");
    FIND(get_process, "kernel32.dll", "GetProcessInformation");
    FIND(set_process, "kernel32.dll", "SetProcessInformation");
    FIND(system, "ntdll.dll", "NtQuerySystemInformation");
    found.service = service_state;
    FIND(control, "kernel32.dll", "DeviceIoControl");
    FIND(registry, "advapi32.dll", "RegGetValueW");
}

const struct nt_calls *nt(void)
{
    const struct nt_calls *now = atomic_load(&calls);
    if (!now) { /* threads that ask at once find the same */
        find_all();
        atomic_store(&calls, now = &found);
    }
    return now;
}

void nt_replace(const struct nt_calls *other)
{
    atomic_store(&calls, other);
}

enum {
    NOT_IMPLEMENTED = (LONG)0xC0000002,
    INVALID_INFO_CLASS = (LONG)0xC0000003,
    ACCESS_DENIED = (LONG)0xC0000022,
    NOT_SUPPORTED = (LONG)0xC00000BB
};

static const char *this_system(void)
{
    return nt()->wine_version ? "Wine does not implement it" : "this Windows does not implement it";
}

enum tare_status nt_status(LONG status, const char *what, struct tare_err *err)
{
    if (status >= 0)
        return TARE_OK;
    switch (status) {
    case NOT_IMPLEMENTED:
    case INVALID_INFO_CLASS:
    case NOT_SUPPORTED:
        return err_set(err, TARE_UNSUPPORTED, "%s is not available: %s", what, this_system());
    case ACCESS_DENIED:
        return err_set(err, TARE_PERMISSION, "%s is not available: access is denied", what);
    default:
        return err_set(err, TARE_IO, "%s is not available: the system answers 0x%08x", what, (unsigned)status);
    }
}

enum tare_status nt_missing(const char *what, struct tare_err *err)
{
    return err_set(err, TARE_UNSUPPORTED, "%s is not available: this Windows has no such call", what);
}

bool nt_registry_number(HKEY root, const wchar_t *key, const wchar_t *name, uint32_t *out)
{
    DWORD size = sizeof *out;
    return nt()->registry && nt()->registry(root, key, name, RRF_RT_REG_DWORD, NULL, out, &size) == ERROR_SUCCESS;
}

bool nt_registry_text(HKEY root, const wchar_t *key, const wchar_t *name, struct buf *out)
{
    wchar_t text[256];
    DWORD size = sizeof text;
    if (!nt()->registry || nt()->registry(root, key, name, RRF_RT_REG_SZ, NULL, text, &size) != ERROR_SUCCESS)
        return false;
    utf8_add(out, text);
    return !out->status && out->len;
}
