/* SPDX-License-Identifier: MIT
 *
 * This process: what it was started with, its memory, what measured programs write, and its end. There are no forks here.
 */
#include "nt.h"
#include "plat_process.h"
#include "plat_trace.h"
#include <fcntl.h>
#include <io.h>
#include <psapi.h>
#include <stdlib.h>
#include <string.h>

/* Of the C library: what main would get if it were given in wide characters. */
typedef struct {
    int newmode;
} start_info;
__declspec(dllimport) int __wgetmainargs(int *argc, wchar_t ***argv, wchar_t ***env, int expand, start_info *info);

static char **in_utf8(wchar_t **words, int n)
{
    char **all = calloc((size_t)n + 1, sizeof *all);
    for (int i = 0; all && i < n; i++) {
        struct buf b = BUF_INIT(1 << 20);
        utf8_add(&b, words[i]);
        all[i] = b.status || !b.data ? _strdup("") : b.data;
    }
    return all;
}

char **win32_arguments(int *n)
{
    static char **words;
    static int count;
    wchar_t **wide, **environment;
    start_info info = {0};
    if (!words && !__wgetmainargs(&count, &wide, &environment, 0, &info))
        words = in_utf8(wide, count);
    *n = words ? count : 0;
    return words;
}

/* See guard.c. The handle is one that the process which started us made for this. */
static void guard_wait(void)
{
    char number[24];
    if (!plat_process_take_variable(GUARD_VARIABLE, number, sizeof number))
        return;
    HANDLE guarded = (HANDLE)(uintptr_t)strtoull(number, NULL, 10);
    WaitForSingleObject(guarded, INFINITE);
    CloseHandle(guarded);
}

void plat_arguments(int *argc, char ***argv)
{
    int n;
    guard_wait();
    char **words = win32_arguments(&n);
    if (!words)
        return;
    *argc = n;
    *argv = words;
}

void plat_process_program(char *out, size_t size)
{
    wchar_t wide[4096];
    const DWORD n = GetModuleFileNameW(NULL, wide, 4096);
    wide[n < 4096 ? n : 4095] = 0;
    struct buf b = buf_over(out, size);
    *out = 0;
    utf8_add(&b, wide);
}

uint64_t plat_process_arguments(char *out, size_t size)
{
    int n;
    char **words = win32_arguments(&n);
    uint64_t count = 0;
    for (size_t at = 0; words && (int)count < n && at < size; count++) {
        const size_t bytes = strlen(words[count]) + 1, fits = bytes < size - at ? bytes : size - at;
        memcpy(out + at, words[count], fits);
        out[at + fits - 1] = 0;
        at += fits;
    }
    return count;
}

bool plat_process_take_variable(const char *variable, char *out, size_t size)
{
    const char *value = plat_getenv(variable);
    wchar_t *name = wide_of(variable);
    const bool fits = value && name && (!out || strlen(value) < size);
    if (fits && out)
        memcpy(out, value, strlen(value) + 1);
    if (fits)
        SetEnvironmentVariableW(name, NULL);
    free(name);
    return fits;
}

const char *plat_trusted_getenv(const char *name)
{
    return plat_getenv(name);
}

bool plat_constructors_backwards(void)
{
    return true; /* as the start of mingw's programs does it */
}

int64_t plat_process_id(void)
{
    return GetCurrentProcessId();
}

int64_t win32_began(HANDLE process)
{
    FILETIME born, ended, kernel, user;
    return nt()->process_times(process, &born, &ended, &kernel, &user)
               ? (int64_t)((uint64_t)born.dwHighDateTime << 32 | born.dwLowDateTime)
               : -1;
}

uint64_t plat_process_start(void)
{
    const int64_t start = win32_began(GetCurrentProcess());
    return start > 0 ? (uint64_t)start : 0;
}

int64_t plat_process_parent(void)
{
    struct nt_process p;
    return nt()->process && nt()->process(GetCurrentProcess(), 0, &p, sizeof p, NULL) >= 0 ? (int64_t)p.parent : 0;
}

enum tare_status plat_process_write(int fd, const void *bytes, size_t n, struct tare_err *err)
{
    const DWORD error = win32_write(win32_handle(fd), bytes, n);
    return error ? win32_fail(err, error, "cannot write to descriptor %d", fd) : TARE_OK;
}

int plat_process_open_output(const char *path, struct tare_err *err)
{
    enum { SHARE = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE };
    const int fd = win32_descriptor(win32_open_shared(path, FILE_APPEND_DATA | SYNCHRONIZE, SHARE, CREATE_ALWAYS, 0));
    if (fd < 0)
        win32_fail(err, GetLastError(), "cannot write to %s", path);
    return fd;
}

bool plat_process_memory(struct plat_process_memory *out)
{
    PROCESS_MEMORY_COUNTERS m = {.cb = sizeof m};
    *out = (struct plat_process_memory){-1, -1};
    if (!K32GetProcessMemoryInfo(GetCurrentProcess(), &m, sizeof m))
        return false;
    *out = (struct plat_process_memory){(int64_t)m.WorkingSetSize, (int64_t)m.PeakWorkingSetSize};
    return true;
}

bool plat_process_peak_forget(void)
{
    return false; /* Windows keeps it from the start of the process */
}

int64_t plat_heap_bytes(void)
{
    return -1; /* to ask walks over all that was allocated */
}

void *plat_pages(size_t bytes)
{
    return VirtualAlloc(NULL, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void plat_pages_free(void *pages, size_t bytes)
{
    (void)bytes;
    if (pages)
        VirtualFree(pages, 0, MEM_RELEASE);
}

bool plat_wiped_on_fork(void *pages, size_t bytes, void (*forked)(void))
{
    (void)forked;
    memset(pages, 0, bytes);
    return true;
}

bool plat_process_ends(void)
{
    static BOOLEAN(WINAPI * ends)(void);
    if (!ends)
        ends = (BOOLEAN(WINAPI *)(void))win32_call("ntdll.dll", "RtlDllShutdownInProgress");
    return ends && ends();
}

void plat_forks_watch(void)
{
}

int64_t plat_forks_seen(void)
{
    return 0;
}

void plat_forked_end(void)
{
}

_Noreturn void plat_process_end(int code)
{
    TerminateProcess(GetCurrentProcess(), (UINT)code);
    for (;;)
        Sleep(INFINITE);
}
