/* SPDX-License-Identifier: MIT
 *
 * Reading files, and what the system says of them. The facts that other systems have as files are answered here too (facts.c).
 */
#include "plat_thread.h"
#include "real.h"
#include "win32.h"
#include <string.h>

static bool stat_path(const char *path, BY_HANDLE_FILE_INFORMATION *out)
{
    HANDLE h = win32_open_shared(path, FILE_READ_ATTRIBUTES, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                                 OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
    if (h == INVALID_HANDLE_VALUE)
        return false;
    const BOOL told = GetFileInformationByHandle(h, out);
    const DWORD error = GetLastError();
    CloseHandle(h);
    SetLastError(error);
    return told;
}

static uint64_t join(DWORD high, DWORD low)
{
    return (uint64_t)high << 32 | low;
}

static bool is_folder(const BY_HANDLE_FILE_INFORMATION *i)
{
    return i->dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY;
}

enum tare_status plat_file_state(const char *path, struct plat_file_state *out, struct tare_err *err)
{
    BY_HANDLE_FILE_INFORMATION i;
    static const int64_t of_1970 = 116444736000000000;
    if (!stat_path(path, &i))
        return win32_fail(err, GetLastError(), "cannot open %s", path);
    *out = (struct plat_file_state){
        .bytes = (int64_t)join(i.nFileSizeHigh, i.nFileSizeLow),
        .modified_utc_ns = ((int64_t)join(i.ftLastWriteTime.dwHighDateTime, i.ftLastWriteTime.dwLowDateTime) - of_1970) * 100,
        .device = i.dwVolumeSerialNumber,
        .inode = join(i.nFileIndexHigh, i.nFileIndexLow),
        .regular = !is_folder(&i)};
    return TARE_OK;
}

bool plat_is_slash(char c)
{
    return c == '/' || c == '\\';
}

const char *plat_base_name(const char *path)
{
    const char *name = path;
    for (; *path; path++)
        if (plat_is_slash(*path) || *path == ':')
            name = path + 1;
    return name;
}

/* "C:x" hangs on the current folder of a drive, and what begins with one slash on the drive: neither is tried elsewhere. */
bool plat_path_is_absolute(const char *path)
{
    return *path == '/' || *path == '\\' || (*path && path[1] == ':');
}

bool plat_is_directory(const char *path)
{
    BY_HANDLE_FILE_INFORMATION i;
    return stat_path(path, &i) && is_folder(&i);
}

/* Files that are not there yet are one where their full names are, whatever the case of the letters. Of NUL and its like the full name is "\\.\NUL". */
static bool same_place(const char *a, const char *b)
{
    wchar_t *x = wide_full(a), *y = wide_full(b);
    const bool same = x && y && wcsncmp(x, L"\\\\.\\", 4) && CompareStringOrdinal(x, -1, y, -1, TRUE) == CSTR_EQUAL;
    free(x);
    free(y);
    return same;
}

bool plat_same_file(const char *a, const char *b)
{
    struct plat_file_state x, y;
    const bool has_a = !plat_file_state(a, &x, NULL), has_b = !plat_file_state(b, &y, NULL);
    if (has_a || has_b)
        return has_a && has_b && x.regular && y.regular && x.device == y.device && x.inode == y.inode;
    return strcmp(a, "-") && strcmp(b, "-") && same_place(a, b);
}

bool plat_same_stream(const char *a, const char *b)
{
    return !strcmp(a, "-") && !strcmp(b, "-");
}

/* Under Wine the current drive may be its host's, whose kernel speaks of another system. */
static bool is_fact(const char *path)
{
    return !strncmp(path, "/proc/", 6) || !strncmp(path, "/windows/", 9) || !strncmp(path, "/sys/", 5) ||
           !strcmp(path, "/etc/os-release");
}

static enum tare_status pour_fact(const char *path, const struct sink *sink, struct tare_err *err)
{
    struct buf text = BUF_INIT(1 << 20);
    enum tare_status status = setting_is(path)          ? setting_read(path, &text, err)
                              : facts_read(path, &text) ? TARE_OK
                                                        : err_set(err, TARE_NOT_FOUND, "Windows has no %s", path);
    if (!status)
        status = sink->write(sink->context, buf_text(&text), text.len, err);
    buf_finish(&text);
    return status;
}

enum tare_status plat_file_pour(const char *path, const struct sink *sink, struct tare_err *err)
{
    if (is_fact(path))
        return pour_fact(path, sink, err);
    HANDLE h = win32_open(path, GENERIC_READ, OPEN_EXISTING);
    if (h == INVALID_HANDLE_VALUE)
        return win32_fail(err, GetLastError(), "cannot open %s", path);
    const enum tare_status status = win32_pour(h, path, sink, err);
    CloseHandle(h);
    return status;
}

enum tare_status plat_input_pour(const char *path, const struct sink *sink, struct tare_err *err)
{
    if (strcmp(path, "-") != 0)
        return plat_file_pour(path, sink, err);
    return win32_pour(GetStdHandle(STD_INPUT_HANDLE), "standard input", sink, err);
}

enum tare_status plat_file_read(const char *path, struct buf *out, struct tare_err *err)
{
    struct real_collecting c = {out, path};
    return plat_file_pour(path, &(struct sink){.write = real_collect, .context = &c}, err);
}

enum tare_status plat_input_read(const char *path, struct buf *out, struct tare_err *err)
{
    struct real_collecting c = {out, strcmp(path, "-") ? path : "standard input"};
    return plat_input_pour(path, &(struct sink){.write = real_collect, .context = &c}, err);
}

int plat_reread_open(const char *path, struct tare_err *err)
{
    const int fd = is_fact(path) ? -1 : win32_descriptor(win32_open(path, GENERIC_READ, OPEN_EXISTING));
    if (is_fact(path))
        err_set(err, TARE_NOT_FOUND, "Windows has no %s", path); /* none that changes */
    else if (fd < 0)
        win32_fail(err, GetLastError(), "cannot open %s", path);
    return fd;
}

int64_t plat_reread(int fd, char *text, int64_t size)
{
    OVERLAPPED start = {0};
    DWORD got = 0;
    if (fd < 0)
        return -1;
    if (ReadFile(win32_handle(fd), text, (DWORD)size, &got, &start) || GetLastError() == ERROR_HANDLE_EOF)
        return got;
    return -1;
}

void plat_reread_close(int fd)
{
    plat_close(fd);
}
