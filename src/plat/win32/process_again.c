/* SPDX-License-Identifier: MIT
 *
 * This program once more: the same executable, command line and environment, one variable more, its streams closed to the world.
 */
#include "descriptors.h"
#include "plat_process.h"
#include <stdlib.h>
#include <string.h>

/* Ours with one setting more, each closed by a zero and all by one more. */
static wchar_t *environment_with(const char *setting)
{
    wchar_t *ours = GetEnvironmentStringsW(), *more = wide_of(setting);
    const wchar_t *end = ours;
    while (end && *end)
        end += wcslen(end) + 1;
    const size_t n = (size_t)(end - ours);
    wchar_t *all = ours && more ? calloc(n + wcslen(more) + 2, sizeof *all) : NULL;
    if (all) {
        memcpy(all, ours, n * sizeof *all);
        memcpy(all + n, more, wcslen(more) * sizeof *all);
    }
    if (ours)
        FreeEnvironmentStringsW(ours);
    free(more);
    return all;
}

static DWORD start(PROCESS_INFORMATION *p, HANDLE null, HANDLE answer, wchar_t *environment)
{
    wchar_t image[4096], *line = _wcsdup(GetCommandLineW());
    struct descriptors d;
    STARTUPINFOW s = {.cb = sizeof s, .dwFlags = STARTF_USESTDHANDLES, .hStdInput = null, .hStdOutput = null, .hStdError = null};
    const DWORD n = GetModuleFileNameW(NULL, image, 4096);
    descriptors_give(&s, &d, answer);
    const bool started = line && n && n < 4096 &&
                         CreateProcessW(image, line, NULL, NULL, TRUE, CREATE_UNICODE_ENVIRONMENT, environment, NULL, &s, p);
    const DWORD error = GetLastError();
    free(line);
    return started ? 0 : error ? error : ERROR_GEN_FAILURE;
}

/* Until the child has closed its end, or it is `end`. A pipe tells nobody that it has bytes, so it is looked at. */
static void read_answer(HANDLE h, int64_t end, char *answer, size_t size, size_t *n)
{
    for (;;) {
        DWORD there = 0, got = 0;
        char rest[64];
        if (!PeekNamedPipe(h, NULL, 0, NULL, &there, NULL))
            return; /* its other end is gone */
        if (!there) {
            if (plat_now_ns() >= end)
                return;
            Sleep(1);
            continue;
        }
        const bool room = *n < size;
        const size_t most = room ? size - *n : sizeof rest;
        if (!ReadFile(h, room ? answer + *n : rest, most < there ? (DWORD)most : there, &got, NULL))
            return;
        *n += room ? got : 0;
    }
}

static enum tare_status wait_for(HANDLE process, int64_t end, struct tare_err *err)
{
    const int64_t grace_ns = 5000000000, left = end - plat_now_ns(); /* for a killed one, which a device may hold */
    DWORD code = 0;
    const bool in_time = win32_wait_any(&process, 1, left > 0 ? left : 0) == WAIT_OBJECT_0;
    if (!in_time) {
        TerminateProcess(process, 1);
        win32_wait_any(&process, 1, grace_ns);
    }
    GetExitCodeProcess(process, &code);
    if (!in_time)
        return err_set(err, TARE_CHILD, "the program, started again, took longer than it may");
    if (code >= 0xC0000000u)
        return err_set(err, TARE_CHILD, "the program, started again, was ended by exception 0x%08lx", (unsigned long)code);
    return TARE_OK; /* an exit code is for those who know what the program means by it */
}

enum tare_status plat_process_again(const char *variable, const char *value, int64_t timeout_ns, void *answer, size_t size,
                                    size_t *n, struct tare_err *err)
{
    SECURITY_ATTRIBUTES inherited = {sizeof inherited, NULL, TRUE};
    struct buf setting = BUF_INIT(4096);
    HANDLE in = NULL, out = NULL;
    PROCESS_INFORMATION p = {0};
    *n = 0;
    buf_format(&setting, "%s=%s %d", variable, value, DESCRIPTOR_GIVEN);
    wchar_t *environment = setting.status ? NULL : environment_with(setting.data);
    HANDLE null =
        CreateFileW(L"NUL", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherited, OPEN_EXISTING, 0, NULL);
    DWORD error = environment ? 0 : ERROR_OUTOFMEMORY;
    if (!error && !CreatePipe(&in, &out, &inherited, 0))
        error = GetLastError();
    if (!error) {
        SetHandleInformation(in, HANDLE_FLAG_INHERIT, 0);
        error = start(&p, null, out, environment);
    }
    if (out)
        CloseHandle(out);
    const int64_t end = plat_now_ns() + timeout_ns;
    if (!error)
        read_answer(in, end, answer, size, n);
    enum tare_status status = error ? win32_fail(err, error, "cannot start this program again") : wait_for(p.hProcess, end, err);
    for (int i = 0; i < 4; i++) {
        HANDLE h = (HANDLE[]){in, null, p.hProcess, p.hThread}[i];
        if (h && h != INVALID_HANDLE_VALUE)
            CloseHandle(h);
    }
    free(environment);
    buf_finish(&setting);
    return status;
}
