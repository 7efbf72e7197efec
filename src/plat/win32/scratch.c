/* SPDX-License-Identifier: MIT
 *
 * Files for what a command writes. Sparse, so that parts of them can be given back: where they cannot be (Wine), the disk has room until the run's end.
 */
#include "nt.h"
#include "win32.h"
#include <stdio.h>
#include <winioctl.h>

/* Temporary and gone with its last handle, so that it hardly ever reaches the disk; for us alone, as files in memory are elsewhere. */
static HANDLE make_scratch(const wchar_t *path)
{
    enum { SHARE = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE };
    enum { FLAGS = FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE };
    SECURITY_ATTRIBUTES *mine = win32_private();
    return mine ? CreateFileW(path, GENERIC_READ | GENERIC_WRITE, SHARE, mine, CREATE_NEW, FLAGS, NULL) : INVALID_HANDLE_VALUE;
}

int plat_open_scratch(struct tare_err *err)
{
    enum { ATTEMPTS = 100 };
    wchar_t folder[MAX_PATH + 1], path[MAX_PATH + 32];
    HANDLE h = INVALID_HANDLE_VALUE;
    DWORD n, error = ERROR_FILE_EXISTS;
    if (!GetTempPathW(MAX_PATH + 1, folder))
        error = GetLastError();
    for (int i = 0; h == INVALID_HANDLE_VALUE && error == ERROR_FILE_EXISTS && i < ATTEMPTS; i++) {
        _snwprintf(path, MAX_PATH + 32, L"%lstare-%016llx", folder, (unsigned long long)plat_random_seed());
        h = make_scratch(path);
        error = GetLastError();
    }
    if (h == INVALID_HANDLE_VALUE) {
        win32_fail(err, error, "cannot make a temporary file for a command's output");
        return -1;
    }
    nt()->control(h, FSCTL_SET_SPARSE, NULL, 0, NULL, 0, &n, NULL);
    const int fd = win32_descriptor(h);
    if (fd < 0)
        win32_fail(err, GetLastError(), "cannot make a temporary file for a command's output");
    return fd;
}

void plat_scratch_path(int fd, struct buf *path)
{
    wchar_t name[MAX_PATH + 16];
    const DWORD n = nt()->final_path(win32_handle(fd), name, MAX_PATH + 16, 0);
    if (n && n < MAX_PATH + 16)
        utf8_add(path, name);
}

/* Who writes there has a copy of our handle and moves its position, which tells what a cut between two writes took from the size. (SetFilePointer would not do:
 * Wine's sets the position that it read, however far the writer has come meanwhile.) */
int64_t plat_scratch_size(int fd)
{
    enum { POSITION = 14 };
    ULONG_PTR result[2];
    int64_t stands = 0;
    if (!nt()->file || nt()->file(win32_handle(fd), result, &stands, sizeof stands, POSITION) < 0)
        stands = 0;
    const int64_t bytes = plat_input_bytes(fd);
    return bytes > stands ? bytes : stands;
}

static void set_size(HANDLE h, int64_t bytes)
{
    FILE_END_OF_FILE_INFO end = {.EndOfFile.QuadPart = bytes};
    SetFileInformationByHandle(h, FileEndOfFileInfo, &end, sizeof end);
}

/* A child may still write there. Where parts cannot be given back (FAT, Wine) the file is cut and made as long again: what is written between the two is lost,
 * as it would have been anyway. */
void plat_scratch_trim(int fd, int64_t bytes)
{
    DWORD n;
    const HANDLE h = win32_handle(fd);
    const int64_t size = plat_scratch_size(fd);
    FILE_ZERO_DATA_INFORMATION beyond = {.FileOffset.QuadPart = bytes, .BeyondFinalZero.QuadPart = size};
    if (size <= bytes || nt()->control(h, FSCTL_SET_ZERO_DATA, &beyond, sizeof beyond, NULL, 0, &n, NULL))
        return;
    set_size(h, bytes);
    set_size(h, size);
}

enum tare_status plat_scratch_read(int fd, int64_t offset, void *bytes, size_t n, struct tare_err *err)
{
    LARGE_INTEGER none = {.QuadPart = 0}, stands = none; /* reading moves it, and who wrote there goes on where it stands */
    const bool told = SetFilePointerEx(win32_handle(fd), none, &stands, FILE_CURRENT);
    const DWORD error = win32_read_at(fd, offset, bytes, n);
    if (told)
        SetFilePointerEx(win32_handle(fd), stands, NULL, FILE_BEGIN);
    return error ? win32_fail(err, error, "cannot read a command's output") : TARE_OK;
}

enum tare_status plat_scratch_write(int fd, const void *bytes, size_t n, struct tare_err *err)
{
    const DWORD error = win32_write(win32_handle(fd), bytes, n);
    return error ? win32_fail(err, error, "cannot pass on a command's output") : TARE_OK;
}
