/* SPDX-License-Identifier: MIT
 *
 * Two ways to write a file. The record grows line by line in place, and nobody else may write there meanwhile. An export is written to a new
 * file beside it, which takes its place at commit: others see the old content or all of the new. A file that grows aside begins like an
 * export and goes on like a record. Devices and pipes are written directly.
 */
#include "nt.h"
#include <stdlib.h>
#include <string.h>

struct plat_file {
    HANDLE h;
    bool keep_open; /* standard output is not ours to close */
    char *path;     /* as the caller named it */
    char *temp;     /* the name of what is written until it takes its place; NULL: it has */
    HANDLE old;     /* of a file that grows aside: the file of that path, held so that nobody writes it */
    bool made;      /* path named nothing before */
    bool growing;
    bool hasty;   /* it could be made again: nobody waits for the disk */
    int64_t size; /* of the content */
};

enum { HELD = FILE_SHARE_READ | FILE_SHARE_DELETE }; /* others may read; renaming needs the second */

static bool remove_path(const char *path)
{
    wchar_t *wide = wide_path(path);
    const bool removed = wide && DeleteFileW(wide);
    const DWORD error = GetLastError();
    free(wide);
    SetLastError(error);
    return removed;
}

/* Over what is there. */
static bool rename_path(const char *from, const char *to)
{
    wchar_t *a = wide_path(from), *b = wide_path(to);
    const bool done = a && b && MoveFileExW(a, b, MOVEFILE_REPLACE_EXISTING);
    const DWORD error = GetLastError();
    free(a);
    free(b);
    SetLastError(error);
    return done;
}

static void file_free(struct plat_file *f)
{
    if (!f->keep_open)
        win32_close(&f->h);
    win32_close(&f->old);
    if (f->temp)
        remove_path(f->temp);
    free(f->temp);
    free(f->path);
    free(f);
}

static int64_t size_of(HANDLE h)
{
    LARGE_INTEGER size;
    return GetFileType(h) == FILE_TYPE_DISK && GetFileSizeEx(h, &size) ? size.QuadPart : 0;
}

/* The random part makes two tares writing the same file harmless. */
static HANDLE open_beside(struct plat_file *f)
{
    struct buf name = BUF_INIT(1 << 16);
    buf_format(&name, "%s.%08x.tmp", f->path, (unsigned)plat_random_seed());
    HANDLE h = INVALID_HANDLE_VALUE;
    if (name.status)
        SetLastError(ERROR_OUTOFMEMORY);
    else
        h = win32_open_shared(name.data, GENERIC_READ | GENERIC_WRITE | DELETE, HELD, CREATE_NEW, 0);
    if (h == INVALID_HANDLE_VALUE)
        buf_finish(&name);
    else
        f->temp = name.data;
    return h;
}

/* A file that is read-only, or that another program holds, would be found out at commit, when all is measured. */
static bool gives_way(const char *path)
{
    wchar_t *wide = wide_path(path);
    const DWORD attributes = wide ? GetFileAttributesW(wide) : INVALID_FILE_ATTRIBUTES;
    free(wide);
    if (attributes == INVALID_FILE_ATTRIBUTES)
        return true;
    HANDLE h = win32_open(path, DELETE, OPEN_EXISTING);
    const bool can = h != INVALID_HANDLE_VALUE && !(attributes & FILE_ATTRIBUTE_READONLY);
    const DWORD error = h == INVALID_HANDLE_VALUE ? GetLastError() : ERROR_ACCESS_DENIED;
    win32_close(&h);
    SetLastError(error);
    return can;
}

static HANDLE open_growing(const char *path, bool *made)
{
    HANDLE h = win32_open_shared(path, GENERIC_READ | GENERIC_WRITE | DELETE, HELD, OPEN_ALWAYS, 0);
    *made = h != INVALID_HANDLE_VALUE && GetLastError() != ERROR_ALREADY_EXISTS;
    return h;
}

/* NUL, CON and their like, whatever the folder: a console may not even be opened to be looked at. */
static bool is_device(const char *path)
{
    static const wchar_t devices[] = L"\\\\.\\";
    const size_t n = sizeof devices / sizeof *devices - 1;
    wchar_t *full = wide_full(path);
    const bool device = full && !wcsncmp(full, devices, n) && !wcschr(full + n, L'\\');
    free(full);
    return device;
}

/* Whether it is an ordinary file, or nothing yet: then it can be replaced. */
static bool replaceable(const char *path)
{
    if (is_device(path))
        return false;
    HANDLE h = win32_open(path, FILE_READ_ATTRIBUTES, OPEN_EXISTING);
    const bool can = h == INVALID_HANDLE_VALUE || GetFileType(h) == FILE_TYPE_DISK;
    win32_close(&h);
    return can;
}

static HANDLE open_for(struct plat_file *f, enum plat_file_mode mode)
{
    f->keep_open = !strcmp(f->path, "-") || !strcmp(f->path, "/dev/stdout");
    if (f->keep_open)
        return GetStdHandle(STD_OUTPUT_HANDLE);
    if (!replaceable(f->path))
        return win32_open(f->path, GENERIC_WRITE, OPEN_EXISTING);
    if (mode == PLAT_FILE_REPLACE)
        return gives_way(f->path) ? open_beside(f) : INVALID_HANDLE_VALUE;
    f->growing = true;
    HANDLE h = open_growing(f->path, &f->made);
    if (h == INVALID_HANDLE_VALUE)
        return h;
    if (mode == PLAT_FILE_APPEND_NEW)
        SetEndOfFile(h);
    if (mode != PLAT_FILE_APPEND_ASIDE) {
        if (GetFileType(h) == FILE_TYPE_DISK)
            SetFilePointer(h, 0, NULL, FILE_END);
        return h;
    }
    f->old = h;
    return open_beside(f);
}

static struct plat_file *file_new(const char *path)
{
    struct plat_file *f = calloc(1, sizeof *f);
    if (f)
        *f = (struct plat_file){.h = INVALID_HANDLE_VALUE, .old = INVALID_HANDLE_VALUE, .path = _strdup(path)};
    if (f && f->path)
        return f;
    free(f);
    return NULL;
}

/* An empty file that we made only to hold it. */
static void forget_old(struct plat_file *f)
{
    const bool empty = f->old != INVALID_HANDLE_VALUE && f->made && !size_of(f->old);
    win32_close(&f->old);
    if (empty)
        remove_path(f->path);
}

enum tare_status plat_file_create(struct plat_file **out, const char *path, enum plat_file_mode mode, struct tare_err *err)
{
    if (!*path)
        return err_set(err, TARE_NOT_FOUND, "cannot write a file whose name is empty");
    struct plat_file *f = file_new(path);
    if (!f)
        return err_set(err, TARE_NO_MEMORY, "cannot write %s: out of memory", path);
    f->h = open_for(f, mode);
    if (f->h == INVALID_HANDLE_VALUE || !f->h) {
        const DWORD error = GetLastError();
        forget_old(f);
        file_free(f);
        if (error == ERROR_SHARING_VIOLATION)
            return err_set(err, TARE_BUSY, "cannot write %s: another program has it open; close it or give another name", path);
        return win32_fail(err, error, "cannot write %s", path);
    }
    f->size = f->keep_open ? 0 : size_of(f->h);
    *out = f;
    return TARE_OK;
}

enum tare_status plat_file_renew(struct plat_file **out, const struct plat_file *lost, struct tare_err *err)
{
    enum tare_status status = win32_make_folders_above(lost->path, err);
    if (status)
        return status;
    if (plat_is_directory(lost->path) && plat_directory_own(lost->path))
        return err_set(err, TARE_IO, "cannot write %s: it is no longer a regular file", lost->path);
    struct plat_file *f = file_new(lost->path);
    if (!f)
        return err_set(err, TARE_NO_MEMORY, "cannot write %s: out of memory", lost->path);
    f->h = open_beside(f);
    if (f->h == INVALID_HANDLE_VALUE) {
        status = win32_fail(err, GetLastError(), "cannot write %s", lost->path);
        file_free(f);
        return status;
    }
    *out = f;
    return TARE_OK;
}

enum tare_status plat_file_write(struct plat_file *f, const void *bytes, size_t n, struct tare_err *err)
{
    const DWORD error = win32_write(f->h, bytes, n);
    if (error)
        return win32_fail(err, error, "cannot write %s", f->path);
    f->size += (int64_t)n;
    return TARE_OK;
}

enum tare_status plat_file_cut(struct plat_file *f, int64_t bytes, struct tare_err *err)
{
    const LARGE_INTEGER at = {.QuadPart = bytes};
    if (!SetFilePointerEx(f->h, at, NULL, FILE_BEGIN) || !SetEndOfFile(f->h))
        return win32_fail(err, GetLastError(), "cannot write %s", f->path);
    f->size = bytes;
    return TARE_OK;
}

bool plat_file_intact(const struct plat_file *f)
{
    BY_HANDLE_FILE_INFORMATION i;
    struct plat_file_state there;
    if (!f->growing || f->temp)
        return true;
    return GetFileInformationByHandle(f->h, &i) && !plat_file_state(f->path, &there, NULL) &&
           there.inode == ((uint64_t)i.nFileIndexHigh << 32 | i.nFileIndexLow) && there.bytes == f->size;
}

static enum tare_status take_place(struct plat_file *f, struct tare_err *err)
{
    win32_close(&f->old);
    if (!rename_path(f->temp, f->path))
        return win32_fail(err, GetLastError(), "cannot write %s", f->path);
    free(f->temp);
    f->temp = NULL;
    return TARE_OK;
}

enum tare_status plat_file_settle(struct plat_file *f, struct tare_err *err)
{
    if (!f->growing || !f->temp)
        return TARE_OK;
    if (!nt()->flush(f->h)) /* what the name stood for is gone with the next line */
        return win32_fail(err, GetLastError(), "cannot write %s", f->path);
    return take_place(f, err);
}

/* The name that what `beside` replaces gets meanwhile. NULL: there is nothing to keep, or it stays where it is. */
static char *move_aside(struct plat_file *beside)
{
    struct buf name = BUF_INIT(1 << 16);
    buf_format(&name, "%s.%08x.tmp", beside->path, (unsigned)plat_random_seed());
    win32_close(&beside->old);
    if (!name.status && rename_path(beside->path, name.data))
        return name.data;
    buf_finish(&name);
    return NULL;
}

enum tare_status plat_file_settle_both(struct plat_file *f, struct plat_file *beside, struct tare_err *err)
{
    char *kept = f->growing && f->temp && beside && beside->growing && beside->temp ? move_aside(beside) : NULL;
    enum tare_status status = beside ? plat_file_settle(beside, err) : TARE_OK;
    if (!status)
        status = plat_file_settle(f, err);
    if (kept && status)
        rename_path(kept, beside->path);
    else if (kept)
        remove_path(kept);
    free(kept);
    return status;
}

/* Without a row there is a record all the same, unless it would take the place of another. */
static enum tare_status end_aside(struct plat_file *f, struct tare_err *err)
{
    return f->temp && f->size && !size_of(f->old) ? plat_file_settle(f, err) : TARE_OK;
}

static enum tare_status end_replaced(struct plat_file *f, struct tare_err *err)
{
    if (!f->temp)
        return TARE_OK;
    if (!f->hasty && !nt()->flush(f->h))
        return win32_fail(err, GetLastError(), "cannot write %s", f->path);
    win32_close(&f->h);
    return take_place(f, err);
}

enum tare_status plat_file_commit(struct plat_file *f, struct tare_err *err)
{
    enum tare_status status = f->growing ? end_aside(f, err) : end_replaced(f, err);
    forget_old(f);
    file_free(f);
    return status;
}

void plat_file_abandon(struct plat_file *f)
{
    if (!f)
        return;
    forget_old(f);
    file_free(f);
}

enum tare_status plat_file_remove(const char *path, struct tare_err *err)
{
    if (remove_path(path) || win32_status(GetLastError()) == TARE_NOT_FOUND)
        return TARE_OK;
    return win32_fail(err, GetLastError(), "cannot remove %s", path);
}

enum tare_status plat_file_put(const char *path, const void *bytes, size_t n, struct tare_err *err)
{
    struct plat_file *f;
    enum tare_status status = plat_file_create(&f, path, PLAT_FILE_REPLACE, err);
    if (status)
        return status;
    f->hasty = true;
    status = plat_file_write(f, bytes, n, err);
    if (!status)
        return plat_file_commit(f, err);
    plat_file_abandon(f);
    return status;
}
