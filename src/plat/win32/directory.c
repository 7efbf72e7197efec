/* SPDX-License-Identifier: MIT
 *
 * Folders of our own and their end. Links (reparse points) are removed as links and never followed.
 */
#include "same_text.h"
#include "win32.h"
#include <stdlib.h>
#include <string.h>

static bool exists_as_folder(const wchar_t *path)
{
    const DWORD a = GetFileAttributesW(path);
    return a != INVALID_FILE_ATTRIBUTES && a & FILE_ATTRIBUTE_DIRECTORY;
}

bool win32_make_folder(const char *path, SECURITY_ATTRIBUTES *rights)
{
    wchar_t *wide = wide_path(path);
    const bool there =
        wide && (CreateDirectoryW(wide, rights) || (GetLastError() == ERROR_ALREADY_EXISTS && exists_as_folder(wide)));
    const DWORD error = GetLastError();
    free(wide);
    SetLastError(error);
    return there;
}

enum tare_status plat_directory_new(const char *path, struct tare_err *err)
{
    wchar_t *wide = wide_path(path);
    const bool made = wide && CreateDirectoryW(wide, NULL);
    const DWORD error = GetLastError();
    free(wide);
    return made ? TARE_OK : win32_fail(err, error, "cannot make the folder %s", path);
}

enum tare_status plat_directory_make(const char *path, struct tare_err *err)
{
    return win32_make_folder(path, NULL) ? TARE_OK : win32_fail(err, GetLastError(), "cannot make the folder %s", path);
}

enum tare_status win32_make_folders_above(const char *path, struct tare_err *err)
{
    char *folder = _strdup(path);
    enum tare_status status = folder ? TARE_OK : err_set(err, TARE_NO_MEMORY, "cannot make %s: out of memory", path);
    for (char *at = folder; !status && at && *at; at++) {
        if ((*at != '/' && *at != '\\') || at == folder || at[-1] == ':')
            continue;
        const char slash = *at;
        *at = 0;
        if (!plat_is_directory(folder))
            status = plat_directory_make(folder, err);
        *at = slash;
    }
    free(folder);
    return status;
}

enum tare_status plat_directory_private(struct buf *path, const char *prefix, struct tare_err *err)
{
    wchar_t folder[MAX_PATH + 1];
    enum { ATTEMPTS = 100 };
    if (!GetTempPathW(MAX_PATH + 1, folder))
        return win32_fail(err, GetLastError(), "cannot find the folder for temporary files");
    const size_t before = path->len;
    for (int i = 0; i < ATTEMPTS; i++) {
        path->len = before;
        utf8_add(path, folder);
        buf_format(path, "%s%06x", prefix, (unsigned)plat_random_seed() & 0xffffff);
        wchar_t *wide = path->status ? NULL : wide_path(path->data + before);
        const bool made = wide && CreateDirectoryW(wide, win32_private());
        const DWORD error = GetLastError();
        free(wide);
        if (made)
            return TARE_OK;
        if (error != ERROR_ALREADY_EXISTS)
            return win32_fail(err, error, "cannot make a temporary folder");
    }
    return err_set(err, TARE_IO, "cannot make a temporary folder: all names are taken");
}

enum tare_status plat_directory_path(const char *path, struct buf *out, struct tare_err *err)
{
    wchar_t *full = plat_is_directory(path) ? wide_full(path) : NULL;
    if (!full)
        return win32_fail(err, ERROR_PATH_NOT_FOUND, "cannot find the folder %s", path);
    utf8_add(out, full);
    free(full);
    return out->status ? err_set(err, out->status, "no memory for the folder %s", path) : TARE_OK;
}

/* 0: it is not there. */
static DWORD attributes_of(const char *path)
{
    wchar_t *wide = wide_path(path);
    const DWORD a = wide ? GetFileAttributesW(wide) : INVALID_FILE_ATTRIBUTES;
    free(wide);
    return a == INVALID_FILE_ATTRIBUTES ? 0 : a;
}

bool plat_directory_own(const char *path)
{
    return (attributes_of(path) & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT)) == FILE_ATTRIBUTE_DIRECTORY;
}

bool plat_is_link(const char *path)
{
    return attributes_of(path) & FILE_ATTRIBUTE_REPARSE_POINT;
}

static HANDLE begin_listing(const char *path, WIN32_FIND_DATAW *entry)
{
    struct buf pattern = BUF_INIT(1 << 16);
    buf_format(&pattern, "%s/*", path);
    wchar_t *wide = pattern.status ? NULL : wide_path(pattern.data);
    HANDLE h = wide ? FindFirstFileW(wide, entry) : INVALID_HANDLE_VALUE;
    const DWORD error = GetLastError();
    free(wide);
    buf_finish(&pattern);
    SetLastError(error);
    return h;
}

static bool is_itself(const WIN32_FIND_DATAW *entry)
{
    return !wcscmp(entry->cFileName, L".") || !wcscmp(entry->cFileName, L"..");
}

/* The texts of `found`, in order, behind `names`. */
static void add_sorted(const struct buf *found, int n, struct buf *names)
{
    const char **all = calloc((size_t)n + 1, sizeof *all);
    const char *at = found->data;
    names->status = all ? names->status : TARE_NO_MEMORY;
    for (int i = 0; all && i < n; i++, at += strlen(at) + 1)
        all[i] = at;
    if (all)
        qsort(all, (size_t)n, sizeof *all, text_order);
    for (int i = 0; all && i < n; i++)
        buf_add(names, all[i], strlen(all[i]) + 1);
    free(all);
}

enum tare_status plat_directory_list(const char *path, struct buf *names, int *n, struct tare_err *err)
{
    WIN32_FIND_DATAW entry;
    struct buf found = BUF_INIT(names->cap);
    *n = 0;
    HANDLE h = begin_listing(path, &entry);
    if (h == INVALID_HANDLE_VALUE)
        return win32_fail(err, GetLastError(), "cannot read the folder %s", path);
    do {
        if (is_itself(&entry))
            continue;
        utf8_add(&found, entry.cFileName);
        buf_char(&found, 0);
        ++*n;
    } while (FindNextFileW(h, &entry));
    const DWORD error = GetLastError();
    FindClose(h);
    if (error != ERROR_NO_MORE_FILES) {
        buf_finish(&found);
        return win32_fail(err, error, "cannot read the folder %s", path);
    }
    if (!found.status && *n)
        add_sorted(&found, *n, names);
    const enum tare_status status = found.status ? found.status : names->status;
    buf_finish(&found);
    return status ? err_set(err, status, "the folder %s holds too much", path) : TARE_OK;
}

static DWORD remove_one(const char *path, DWORD attributes);

/* 0, or the error of the first entry that stays; the others go all the same. */
static DWORD empty_folder(const char *path)
{
    WIN32_FIND_DATAW entry;
    HANDLE h = begin_listing(path, &entry);
    DWORD error = 0;
    if (h == INVALID_HANDLE_VALUE)
        return GetLastError();
    do {
        struct buf inner = BUF_INIT(1 << 16);
        buf_format(&inner, "%s/", path);
        utf8_add(&inner, entry.cFileName);
        DWORD failed = is_itself(&entry) ? 0 : inner.status ? ERROR_OUTOFMEMORY : remove_one(inner.data, entry.dwFileAttributes);
        error = error ? error : failed;
        buf_finish(&inner);
    } while (FindNextFileW(h, &entry));
    FindClose(h);
    return error;
}

static DWORD remove_one(const char *path, DWORD attributes)
{
    const bool folder = attributes & FILE_ATTRIBUTE_DIRECTORY, link = attributes & FILE_ATTRIBUTE_REPARSE_POINT;
    DWORD error = folder && !link ? empty_folder(path) : 0;
    wchar_t *wide = error ? NULL : wide_path(path);
    if (wide && attributes & FILE_ATTRIBUTE_READONLY)
        SetFileAttributesW(wide, attributes & ~(DWORD)FILE_ATTRIBUTE_READONLY);
    if (wide && !(folder ? RemoveDirectoryW(wide) : DeleteFileW(wide)))
        error = GetLastError();
    free(wide);
    return error;
}

/* What a program that just ended, or a virus scanner, still has open stays in its folder until they close it. */
static bool may_go_soon(DWORD error)
{
    return error == ERROR_DIR_NOT_EMPTY || error == ERROR_SHARING_VIOLATION || error == ERROR_ACCESS_DENIED;
}

enum tare_status plat_directory_remove(const char *path, struct tare_err *err)
{
    enum { ATTEMPTS = 100, PAUSE_MS = 20 };
    wchar_t *wide = wide_path(path);
    const DWORD attributes = wide ? GetFileAttributesW(wide) : INVALID_FILE_ATTRIBUTES;
    DWORD error = GetLastError();
    free(wide);
    if (attributes != INVALID_FILE_ATTRIBUTES)
        for (int i = 0; (error = remove_one(path, attributes)) && may_go_soon(error) && i < ATTEMPTS; i++)
            Sleep(PAUSE_MS);
    else if (win32_status(error) == TARE_NOT_FOUND)
        error = 0;
    return error ? win32_fail(err, error, "cannot remove the folder %s", path) : TARE_OK;
}
