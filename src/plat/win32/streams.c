/* SPDX-License-Identifier: MIT
 *
 * Handles, descriptors over them, and the standard streams. Everything is binary; consoles are switched to UTF-8 for as long as we run.
 */
#include "win32.h"
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <winioctl.h>

HANDLE win32_open_shared(const char *path, DWORD access, DWORD share, DWORD creation, DWORD flags)
{
    wchar_t *wide = wide_path(path);
    if (!wide)
        return INVALID_HANDLE_VALUE;
    HANDLE h = CreateFileW(wide, access, share, NULL, creation, FILE_ATTRIBUTE_NORMAL | flags, NULL);
    const DWORD error = GetLastError();
    free(wide);
    SetLastError(error);
    return h;
}

HANDLE win32_open(const char *path, DWORD access, DWORD creation)
{
    return win32_open_shared(path, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, creation, 0);
}

HANDLE win32_handle(int fd)
{
    return fd < 0 ? INVALID_HANDLE_VALUE : (HANDLE)_get_osfhandle(fd);
}

int win32_descriptor(HANDLE h)
{
    if (h == INVALID_HANDLE_VALUE)
        return -1;
    int fd = _open_osfhandle((intptr_t)h, _O_BINARY | _O_NOINHERIT);
    if (fd < 0) {
        CloseHandle(h);
        SetLastError(ERROR_TOO_MANY_OPEN_FILES);
    }
    return fd;
}

void win32_close(HANDLE *h)
{
    if (*h && *h != INVALID_HANDLE_VALUE)
        CloseHandle(*h);
    *h = INVALID_HANDLE_VALUE;
}

DWORD win32_write(HANDLE h, const void *bytes, size_t n)
{
    enum { PIECE = 1 << 20, CONSOLE_PIECE = 1 << 13 }; /* a console drops the halves of a character */
    const size_t most = GetFileType(h) == FILE_TYPE_CHAR ? CONSOLE_PIECE : PIECE;
    for (const char *at = bytes; n;) {
        DWORD written = 0;
        if (!WriteFile(h, at, (DWORD)utf8_piece(at, n, most), &written, NULL))
            return GetLastError();
        at += written;
        n -= written;
    }
    return 0;
}

/* A pipe whose other end is gone has ended, as files have. */
static DWORD read_piece(HANDLE h, void *bytes, DWORD n, DWORD *got)
{
    *got = 0;
    if (ReadFile(h, bytes, n, got, NULL) || GetLastError() == ERROR_BROKEN_PIPE || GetLastError() == ERROR_HANDLE_EOF)
        return 0;
    return GetLastError();
}

enum tare_status win32_pour(HANDLE h, const char *name, const struct sink *sink, struct tare_err *err)
{
    enum { CHUNK = 1 << 16 };
    char *chunk = malloc(CHUNK);
    DWORD error = chunk ? 0 : ERROR_OUTOFMEMORY;
    enum tare_status status = TARE_OK;
    while (!error && !status) {
        DWORD n;
        error = read_piece(h, chunk, CHUNK, &n);
        if (error || !n)
            break;
        status = sink->write(sink->context, chunk, n, err);
    }
    free(chunk);
    return error ? win32_fail(err, error, "cannot read %s", name) : status;
}

/* The console is not ours alone: the shell goes on in it. */
static struct {
    UINT code_page; /* 0: not changed */
    HANDLE screen[3];
    DWORD mode[3];
} before;

void console_restore(void)
{
    for (int fd = 1; fd <= 2; fd++)
        if (before.screen[fd])
            SetConsoleMode(before.screen[fd], before.mode[fd]);
    if (before.code_page)
        SetConsoleOutputCP(before.code_page);
}

/* So that it obeys escape sequences, where it can (Windows 10 1511). */
static void prepare_screen(int fd)
{
    const HANDLE h = win32_handle(fd);
    if (!GetConsoleMode(h, &before.mode[fd]))
        return;
    if (SetConsoleMode(h, before.mode[fd] | ENABLE_PROCESSED_OUTPUT | ENABLE_VIRTUAL_TERMINAL_PROCESSING))
        before.screen[fd] = h;
}

/* What the other direction is for fails there. */
static void occupy(int fd)
{
    const int null = win32_descriptor(win32_open("/dev/null", fd ? GENERIC_READ : GENERIC_WRITE, OPEN_EXISTING));
    if (null >= 0 && null != fd) {
        _dup2(null, fd);
        plat_close(null);
    }
}

void plat_keep_standard_streams(void)
{
    enum { ALL_AT_ONCE = 1 << 20 };
    for (int fd = 0; fd <= 2; fd++) {
        const intptr_t h = _get_osfhandle(fd);
        if (h == -1 || h == -2) /* closed, or of a program without a console */
            occupy(fd);
        _setmode(fd, _O_BINARY);
        if (fd)
            prepare_screen(fd);
    }
    /* A character that is written in two parts does not arrive on a console, and the C library writes as much at once as its buffer holds; who writes
     * flushes. */
    setvbuf(stdout, NULL, _IOFBF, ALL_AT_ONCE);
    setvbuf(stderr, NULL, _IOFBF, ALL_AT_ONCE);
    const UINT code_page = GetConsoleOutputCP();
    if (code_page && code_page != CP_UTF8 && SetConsoleOutputCP(CP_UTF8))
        before.code_page = code_page;
    atexit(console_restore);
}

/* Who reads what we write into a pipe takes it as the console's code page says. */
bool plat_terminal_utf8(int fd)
{
    return plat_is_terminal(fd) ? GetConsoleOutputCP() == CP_UTF8 : GetConsoleOutputCP() == CP_UTF8 && !before.code_page;
}

int plat_open_null(void)
{
    return win32_descriptor(win32_open("/dev/null", GENERIC_READ | GENERIC_WRITE, OPEN_EXISTING));
}

int plat_open_input(const char *path, struct tare_err *err)
{
    int fd = win32_descriptor(win32_open(path, GENERIC_READ, OPEN_EXISTING));
    if (fd < 0)
        win32_fail(err, GetLastError(), "cannot open %s for reading", path);
    return fd;
}

int plat_open_output(const char *path, struct tare_err *err)
{
    int fd = win32_descriptor(win32_open(path, GENERIC_WRITE, CREATE_ALWAYS));
    if (fd < 0)
        win32_fail(err, GetLastError(), "cannot open %s for writing", path);
    return fd;
}

/* Its read end can be waited for along with the end of a process, which that of CreatePipe cannot. */
static HANDLE make_pipe(wchar_t *name, size_t units)
{
    enum { BYTES = 1 << 16, OPEN = PIPE_ACCESS_INBOUND | FILE_FLAG_OVERLAPPED | FILE_FLAG_FIRST_PIPE_INSTANCE };
    static LONG made;
    _snwprintf(name, units, L"\\\\.\\pipe\\tare-%lu-%ld", GetCurrentProcessId(), InterlockedIncrement(&made));
    return CreateNamedPipeW(name, OPEN, PIPE_TYPE_BYTE | PIPE_WAIT | PIPE_REJECT_REMOTE_CLIENTS, 1, BYTES, BYTES, 0,
                            win32_private());
}

enum tare_status plat_pipe(int *read_end, int *write_end, struct tare_err *err)
{
    wchar_t name[64];
    *read_end = *write_end = -1;
    HANDLE in = make_pipe(name, sizeof name / sizeof *name);
    if (in == INVALID_HANDLE_VALUE)
        return win32_fail(err, GetLastError(), "cannot make a pipe");
    *read_end = win32_descriptor(in);
    *write_end = *read_end < 0 ? -1 : win32_descriptor(CreateFileW(name, GENERIC_WRITE, 0, NULL, OPEN_EXISTING, 0, NULL));
    if (*write_end >= 0)
        return TARE_OK;
    plat_close(*read_end);
    return win32_fail(err, GetLastError(), "cannot make a pipe");
}

static bool is_disk_file(HANDLE h)
{
    return h != INVALID_HANDLE_VALUE && GetFileType(h) == FILE_TYPE_DISK;
}

enum tare_status plat_rewind(int fd)
{
    if (!is_disk_file(win32_handle(fd)) || SetFilePointer(win32_handle(fd), 0, NULL, FILE_BEGIN) != INVALID_SET_FILE_POINTER)
        return TARE_OK;
    return win32_status(GetLastError());
}

bool plat_rewinds(int fd)
{
    return is_disk_file(win32_handle(fd));
}

bool plat_is_file(int fd)
{
    return is_disk_file(win32_handle(fd));
}

/* Without the library of sockets, which is libpq's to load. */
void plat_wait_socket(int fd, bool writing, int64_t ns)
{
    (void)fd, (void)writing;
    plat_sleep_ns(ns < 1000000 ? ns : 1000000);
}

void (*win32_closing)(int fd);

void plat_close(int fd)
{
    if (fd >= 0 && win32_closing)
        win32_closing(fd);
    if (fd >= 0)
        _close(fd);
}

int64_t plat_input_bytes(int fd)
{
    LARGE_INTEGER size;
    return is_disk_file(win32_handle(fd)) && GetFileSizeEx(win32_handle(fd), &size) ? size.QuadPart : 0;
}

int64_t plat_input_data(int fd, int64_t offset)
{
    (void)fd;
    return offset;
}

DWORD win32_read_at(int fd, int64_t offset, char *at, size_t n)
{
    enum { PIECE = 1 << 20 };
    while (n) {
        OVERLAPPED place = {.Offset = (DWORD)offset, .OffsetHigh = (DWORD)(offset >> 32)};
        DWORD got = 0;
        if (!ReadFile(win32_handle(fd), at, n < PIECE ? (DWORD)n : PIECE, &got, &place))
            return GetLastError();
        if (!got)
            return ERROR_HANDLE_EOF;
        at += got;
        offset += got;
        n -= got;
    }
    return 0;
}

enum tare_status plat_input_part(int fd, int64_t offset, void *bytes, size_t n, struct tare_err *err)
{
    const DWORD error = win32_read_at(fd, offset, bytes, n);
    if (error == ERROR_HANDLE_EOF)
        return err_set(err, TARE_TRUNCATED, "it became shorter while it was read");
    return error ? win32_fail(err, error, "cannot read it") : TARE_OK;
}
