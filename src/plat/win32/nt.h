/* SPDX-License-Identifier: MIT
 *
 * nt.h - calls of the system that are not documented, came late, or that Wine lacks or only pretends to: behind one table, so that a test can give other
 * answers.
 *
 *     ULONG coarsest, finest, now;
 *     if (!nt()->timer_resolution) ...                              // this Windows has no such call
 *     status = nt_status(nt()->timer_resolution(&coarsest, &finest, &now), "the period of the timer", err);
 *
 * Only src/plat/win32 includes it.
 */
#ifndef NT_H
#define NT_H

#include "win32.h"
#include <psapi.h>

/* What lies behind NtQueryInformationProcess(ProcessBasicInformation). */
struct nt_process {
    LONG exit_status;
    void *peb;
    ULONG_PTR affinity;
    LONG base_priority;
    ULONG_PTR id, parent;
};

/* Behind GetProcessInformation: of what is not controlled the system decides. */
struct nt_throttling {
    ULONG version, control, state;
};
enum { POWER_THROTTLING = 4, THROTTLED_SPEED = 1, THROTTLED_TIMERS = 4 };

struct nt_calls {
    LONG(WINAPI *version)(RTL_OSVERSIONINFOEXW *out);
    LONG(WINAPI *timer_resolution)(ULONG *coarsest, ULONG *finest, ULONG *now); /* units of 100 ns */
    LONG(WINAPI *process)(HANDLE process, int class, void *out, ULONG size, ULONG *needed);
    LONG(WINAPI *file)(HANDLE file, ULONG_PTR result[2], void *out, ULONG size, int class);    /* NtQueryInformationFile */
    BOOL(WINAPI *time_adjustment)(DWORD *adjustment, DWORD *increment, BOOL *disabled);        /* units of 100 ns */
    DWORD(WINAPI *profiling_begin)(HANDLE thread, DWORD flags, DWORD64 counters, HANDLE *out); /* these return the error */
    DWORD(WINAPI *profiling_read)(HANDLE profiling, DWORD flags, PERFORMANCE_DATA *out);
    DWORD(WINAPI *profiling_end)(HANDLE profiling);
    BOOL(WINAPI *thread_cycles)(HANDLE thread, ULONG64 *cycles);
    UINT(WINAPI *begin_period)(UINT ms);
    UINT(WINAPI *end_period)(UINT ms);
    BOOL(WINAPI *set_class)(HANDLE process, DWORD class);
    DWORD(WINAPI *get_class)(HANDLE process);
    BOOL(WINAPI *get_boosts)(HANDLE process, BOOL *off); /* of the priority of threads that waited */
    BOOL(WINAPI *set_boosts)(HANDLE process, BOOL off);
    HANDLE(WINAPI *open_process)(DWORD access, BOOL inherit, DWORD id);
    BOOL(WINAPI *flush)(HANDLE file);
    DWORD(WINAPI *final_path)(HANDLE file, wchar_t *path, DWORD units, DWORD flags);
    BOOL(WINAPI *assign_job)(HANDLE job, HANDLE process);
    WORD(WINAPI *groups)(void);
    DWORD(WINAPI *group_size)(WORD group);
    BOOL(WINAPI *process_groups)(HANDLE process, USHORT *n, USHORT *groups);
    BOOL(WINAPI *process_mask)(HANDLE process, DWORD_PTR *own, DWORD_PTR *all);
    BOOL(WINAPI *set_thread_group)(HANDLE thread, const GROUP_AFFINITY *wanted, GROUP_AFFINITY *before);
    BOOL(WINAPI *process_times)(HANDLE process, FILETIME *born, FILETIME *ended, FILETIME *kernel, FILETIME *user);
    BOOL(WINAPI *process_memory)(HANDLE process, PROCESS_MEMORY_COUNTERS *out, DWORD size);
    BOOL(WINAPI *process_cycles)(HANDLE process, ULONG64 *cycles);
    BOOL(WINAPI *job)(HANDLE job, JOBOBJECTINFOCLASS class, void *out, DWORD size, DWORD *needed);
    LONG(WINAPI *registry)(HKEY root, const wchar_t *key, const wchar_t *name, DWORD flags, DWORD *type, void *out, DWORD *size);
    DWORD(WINAPI *power_active)(HKEY, GUID **plan); /* these return the error */
    DWORD(WINAPI *power_set_active)(HKEY, const GUID *plan);
    DWORD(WINAPI *power_duplicate)(HKEY, const GUID *from, GUID **to);
    DWORD(WINAPI *power_delete)(HKEY, const GUID *plan);
    DWORD(WINAPI *power_read[2])
    (HKEY, const GUID *plan, const GUID *group, const GUID *value, DWORD *out); /* on mains, on battery */
    DWORD(WINAPI *power_write[2])(HKEY, const GUID *plan, const GUID *group, const GUID *value, DWORD to);
    DWORD(WINAPI *power_name)(HKEY, const GUID *plan, const GUID *group, const GUID *value, UCHAR *out, DWORD *size);
    BOOL(WINAPI *get_process)(HANDLE process, int class, void *out, DWORD size);
    BOOL(WINAPI *set_process)(HANDLE process, int class, void *in, DWORD size);
    LONG(WINAPI *system)(int class, void *out, ULONG size, ULONG *needed);
    DWORD (*service)(const wchar_t *name, DWORD *state); /* returns the error */
    BOOL(WINAPI *control)(HANDLE h, DWORD code, void *in, DWORD in_size, void *out, DWORD out_size, DWORD *n, OVERLAPPED *o);
    const char *(*wine_version)(void); /* NULL: this is no Wine, or it hides */
};
const struct nt_calls *nt(void);
void nt_replace(const struct nt_calls *calls); /* for tests; NULL: the system's again */

/* OK, UNSUPPORTED or PERMISSION, else IO, with "<what> is not available: why". */
enum tare_status nt_status(LONG status, const char *what, struct tare_err *err);
/* The same for a call that is not there. */
enum tare_status nt_missing(const char *what, struct tare_err *err);

/* What its class came to. NULL, or why it is not known. */
const char *process_base_priority(HANDLE process, int *base);

#define NT_PROCESSOR L"HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0"
bool nt_registry_number(HKEY root, const wchar_t *key, const wchar_t *name, uint32_t *out);
bool nt_registry_text(HKEY root, const wchar_t *key, const wchar_t *name, struct buf *out);

#endif
