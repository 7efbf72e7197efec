/* SPDX-License-Identifier: MIT
 *
 * Texts and errors: UTF-8 outside, what Windows wants inside.
 */
#include "win32.h"
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

wchar_t *wide_of(const char *text)
{
    int n = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
    wchar_t *wide = n > 0 ? malloc((size_t)n * sizeof *wide) : NULL;
    if (wide)
        MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, wide, n);
    return wide;
}

void utf8_add(struct buf *out, const wchar_t *text)
{
    int n = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
    char *utf8 = n > 0 ? malloc((size_t)n) : NULL;
    if (utf8 && WideCharToMultiByte(CP_UTF8, 0, text, -1, utf8, n, NULL, NULL) == n)
        buf_str(out, utf8);
    else
        out->status = out->status ? out->status : TARE_NO_MEMORY;
    free(utf8);
}

size_t utf8_piece(const char *text, size_t n, size_t most)
{
    enum { LONGEST = 4 };
    if (n <= most)
        return n;
    size_t end = most;
    while (end > 0 && most - end < LONGEST && ((unsigned char)text[end] & 0xC0) == 0x80)
        end--;
    return end && most - end < LONGEST ? end : most;
}

enum { SHORT_PATH = 240 }; /* folders must leave room for a name of 12 characters below MAX_PATH */

static wchar_t *with_backslashes(const char *path)
{
    wchar_t *wide = wide_of(strcmp(path, "/dev/null") ? path : "NUL");
    for (wchar_t *c = wide; c && *c; c++)
        if (*c == '/')
            *c = '\\';
    if (!wide)
        SetLastError(ERROR_INVALID_NAME);
    return wide;
}

static wchar_t *full_of(const wchar_t *path)
{
    const DWORD n = path ? GetFullPathNameW(path, 0, NULL, NULL) : 0;
    wchar_t *full = n ? malloc(n * sizeof *full) : NULL;
    const DWORD written = full ? GetFullPathNameW(path, n, full, NULL) : 0;
    if (written && written < n)
        return full;
    free(full);
    return NULL;
}

wchar_t *wide_full(const char *path)
{
    wchar_t *wide = with_backslashes(path), *full = full_of(wide);
    free(wide);
    return full;
}

/* "\\?\C:\..." is taken as it is, without a limit, and only in full. NULL: this one needs no such prefix, or there is no memory. */
static wchar_t *prefixed(const wchar_t *full)
{
    const bool network = full[0] == '\\' && full[1] == '\\';
    if (wcslen(full) < SHORT_PATH || (network && (full[2] == '?' || full[2] == '.')))
        return NULL;
    wchar_t *path = malloc((wcslen(full) + 8) * sizeof *path);
    if (path)
        wcscat(wcscpy(path, network ? L"\\\\?\\UNC" : L"\\\\?\\"), full + network);
    return path;
}

wchar_t *wide_path(const char *path)
{
    wchar_t *wide = with_backslashes(path), *full = full_of(wide), *longer = full ? prefixed(full) : NULL;
    free(full);
    if (!longer)
        return wide;
    free(wide);
    return longer;
}

enum tare_status win32_status(DWORD error)
{
    switch (error) {
    case ERROR_SUCCESS:
        return TARE_OK;
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
    case ERROR_BAD_PATHNAME:
    case ERROR_INVALID_DRIVE:
    case ERROR_BAD_NETPATH:
    case ERROR_BAD_NET_NAME:
    case ERROR_DIRECTORY:
    case ERROR_FILENAME_EXCED_RANGE:
        return TARE_NOT_FOUND;
    case ERROR_ACCESS_DENIED:
    case ERROR_WRITE_PROTECT:
    case ERROR_PRIVILEGE_NOT_HELD:
    case ERROR_ELEVATION_REQUIRED:
        return TARE_PERMISSION;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
    case ERROR_TOO_MANY_OPEN_FILES:
    case ERROR_COMMITMENT_LIMIT:
        return TARE_NO_MEMORY;
    case ERROR_INVALID_PARAMETER:
        return TARE_INVALID;
    case ERROR_NOT_SUPPORTED:
    case ERROR_CALL_NOT_IMPLEMENTED:
    case ERROR_INVALID_FUNCTION:
    case ERROR_PROC_NOT_FOUND:
        return TARE_UNSUPPORTED;
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
    case ERROR_BUSY:
        return TARE_BUSY;
    default:
        return TARE_IO;
    }
}

/* In English where the system has that, as the rest is; without the dot and the line's end. */
const char *plat_errno_text(int error)
{
    static __thread char text[512];
    enum { FLAGS = FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS };
    wchar_t wide[256];
    DWORD n = FormatMessageW(FLAGS, NULL, (DWORD)error, MAKELANGID(LANG_ENGLISH, SUBLANG_ENGLISH_US), wide, 256, NULL);
    n = n ? n : FormatMessageW(FLAGS, NULL, (DWORD)error, 0, wide, 256, NULL);
    while (n && wcschr(L"\r\n. ", wide[n - 1]))
        n--;
    wide[n] = 0;
    for (wchar_t *name = wide; (name = wcsstr(name, L"%1"));) /* "%1 is not a valid Win32 application" */
        wmemcpy(name, L"it", 2);
    struct buf b = buf_over(text, sizeof text);
    utf8_add(&b, wide);
    if (!n)
        buf_format(&b, "error %d", error);
    return text;
}

enum tare_status win32_fail(struct tare_err *err, DWORD error, const char *format, ...)
{
    if (!err)
        return win32_status(error);
    struct buf b = err_room(err);
    va_list ap;
    va_start(ap, format);
    buf_vformat(&b, format, ap);
    va_end(ap);
    buf_format(&b, ": %s", plat_errno_text((int)error));
    return win32_status(error);
}

win32_any *win32_call(const char *library, const char *name)
{
    HMODULE module = GetModuleHandleA(library);
    if (!module)
        module = LoadLibraryExA(library, NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
    return module ? (win32_any *)GetProcAddress(module, name) : NULL;
}
