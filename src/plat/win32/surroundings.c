/* SPDX-License-Identifier: MIT
 *
 * The terminal, the environment, this process.
 */
#include "plat_guard.h"
#include "win32.h"
#include <stdlib.h>
#include <string.h>

/* A screen that does not obey escape sequences is none of ours. */
bool plat_is_terminal(int fd)
{
    DWORD mode;
    return GetConsoleMode(win32_handle(fd), &mode) && (!fd || mode & ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

int plat_terminal_width(int fd)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    if (!GetConsoleScreenBufferInfo(win32_handle(fd), &info))
        return 80;
    const int columns = info.srWindow.Right - info.srWindow.Left + 1;
    return columns > 0 ? columns : 80;
}

static const char **environment;

/* Variables of the shell's own ("=C:=C:\work") are left out. Made once, never freed. */
static const char **read_environment(void)
{
    static const char *none[] = {NULL};
    wchar_t *all = GetEnvironmentStringsW();
    size_t n = 0;
    for (const wchar_t *at = all; at && *at; at += wcslen(at) + 1)
        n++;
    const char **texts = calloc(n + 1, sizeof *texts);
    n = 0;
    for (const wchar_t *at = all; texts && at && *at; at += wcslen(at) + 1) {
        struct buf b = BUF_INIT(1 << 20);
        utf8_add(&b, at);
        if (*at != '=' && !b.status)
            texts[n++] = b.data;
        else
            buf_finish(&b);
    }
    if (all)
        FreeEnvironmentStringsW(all);
    return texts ? texts : none;
}

const char *const *plat_environment(void)
{
    if (!environment)
        environment = read_environment();
    return environment;
}

/* Names are one whatever the case of their letters. */
const char *plat_getenv(const char *name)
{
    const size_t n = strlen(name);
    for (const char *const *at = plat_environment(); *at; at++)
        if (!_strnicmp(*at, name, n) && (*at)[n] == '=')
            return *at + n + 1;
    return NULL;
}

bool plat_words_are_windows(void)
{
    return true;
}

enum tare_status plat_working_folder(struct buf *path, struct tare_err *err)
{
    const DWORD n = GetCurrentDirectoryW(0, NULL);
    wchar_t *folder = n ? malloc(n * sizeof *folder) : NULL;
    const bool told = folder && GetCurrentDirectoryW(n, folder);
    if (told)
        utf8_add(path, folder);
    free(folder);
    if (!told)
        return win32_fail(err, GetLastError(), "cannot determine the current folder");
    return path->status ? err_set(err, path->status, "no memory for the current folder") : TARE_OK;
}

/* Windows commits a thread's stack as it is used, up to what the program's file says. */
int64_t plat_stack_limit(void)
{
    ULONG_PTR low, high;
    void(WINAPI * limits)(ULONG_PTR *, ULONG_PTR *) =
        (void(WINAPI *)(ULONG_PTR *, ULONG_PTR *))win32_call("kernel32.dll", "GetCurrentThreadStackLimits");
    if (!limits)
        return INT64_MAX;
    limits(&low, &high);
    return (int64_t)(high - low);
}

int plat_pid(void)
{
    return (int)GetCurrentProcessId();
}

uint64_t plat_random_seed(void)
{
    uint64_t seed;
    BOOLEAN(WINAPI * random)(void *, ULONG) = (BOOLEAN(WINAPI *)(void *, ULONG))win32_call("advapi32.dll", "SystemFunction036");
    if (!random || !random(&seed, sizeof seed))
        seed = (uint64_t)plat_now_ns() * 0x9e3779b97f4a7c15u ^ (uint64_t)GetCurrentProcessId() << 32 ^ (uint64_t)plat_utc_ns();
    return seed;
}

void plat_say_alone(const char *line)
{
    HANDLE h = GetStdHandle(STD_ERROR_HANDLE);
    if (h && h != INVALID_HANDLE_VALUE && !win32_write(h, line, strlen(line)))
        win32_write(h, "\n", 1);
}
