/* SPDX-License-Identifier: MIT
 *
 * A job object ends what we started when we end, but does nothing else; and no process is copied here. So the guard is this program, started once more
 * with other words: it waits for our end before it reads them (guard_wait). What it needs must be on the disk.
 */
#include "command_line.h"
#include "plat_guard.h"
#include "plat_trace.h"
#include "win32.h"
#include <stdlib.h>

struct plat_guard {
    HANDLE process;
    int pid;
};

static const DWORD ways[] = {CREATE_BREAKAWAY_FROM_JOB,
                             0}; /* a job around us may end all that is in it with us, and may forbid to leave it */

static HANDLE ourselves(void)
{
    HANDLE us = GetCurrentProcess(), copy = NULL;
    return DuplicateHandle(us, us, us, &copy, SYNCHRONIZE, TRUE, 0) ? copy : NULL;
}

static HANDLE our_stderr(void)
{
    HANDLE us = GetCurrentProcess(), copy = NULL;
    return DuplicateHandle(us, GetStdHandle(STD_ERROR_HANDLE), us, &copy, 0, TRUE, DUPLICATE_SAME_ACCESS) ? copy : NULL;
}

/* Whoever starts us gets Ctrl-C, and its guard must outlive that: a group of its own. */
static DWORD start(wchar_t *image, wchar_t *line, HANDLE screen, PROCESS_INFORMATION *p)
{
    STARTUPINFOW s = {.cb = sizeof s, .dwFlags = STARTF_USESTDHANDLES, .hStdError = screen};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (CreateProcessW(image, line, NULL, NULL, TRUE, ways[i] | CREATE_NEW_PROCESS_GROUP, NULL, NULL, &s, p))
            return 0;
    return GetLastError();
}

static DWORD start_again(const char *const *words, HANDLE us, PROCESS_INFORMATION *p)
{
    char program[4096], number[24];
    struct buf line = BUF_INIT(COMMAND_LINE_UNITS), handle = buf_over(number, sizeof number);
    plat_process_program(program, sizeof program);
    buf_format(&handle, "%llu", (unsigned long long)(uintptr_t)us);
    wchar_t *image = wide_of(program), *wide = command_line(words, &line, NULL) ? NULL : wide_of(buf_text(&line));
    HANDLE screen = our_stderr();
    DWORD error = ERROR_OUTOFMEMORY;
    if (image && wide && SetEnvironmentVariableA(GUARD_VARIABLE, number)) {
        error = start(image, wide, screen, p);
        SetEnvironmentVariableA(GUARD_VARIABLE, NULL);
    }
    win32_close(&screen);
    free(image);
    free(wide);
    buf_finish(&line);
    return error;
}

enum tare_status plat_guard_start(struct plat_guard **out, const struct plat_guard_spec *spec, struct tare_err *err)
{
    PROCESS_INFORMATION p = {0};
    HANDLE us = ourselves();
    *out = us && spec->again ? calloc(1, sizeof **out) : NULL;
    const DWORD error = *out ? start_again(spec->again, us, &p) : ERROR_NOT_SUPPORTED;
    win32_close(&us);
    win32_close(&p.hThread);
    if (!error) {
        **out = (struct plat_guard){p.hProcess, (int)p.dwProcessId};
        return TARE_OK;
    }
    free(*out);
    *out = NULL;
    return win32_fail(err, error, "cannot start a watchdog");
}

int plat_guard_pid(const struct plat_guard *g)
{
    return g->pid;
}

enum tare_status plat_guard_end(struct plat_guard *g, struct tare_err *err)
{
    enum { GRACE_MS = 5000 };
    DWORD code = 0;
    const bool ended = WaitForSingleObject(g->process, 0) == WAIT_OBJECT_0;
    if (ended)
        GetExitCodeProcess(g->process, &code);
    else if (TerminateProcess(g->process, 0))
        WaitForSingleObject(g->process, GRACE_MS);
    CloseHandle(g->process);
    free(g);
    return ended ? err_set(err, TARE_IO, "the watchdog had ended before, with code %lu", (unsigned long)code) : TARE_OK;
}
