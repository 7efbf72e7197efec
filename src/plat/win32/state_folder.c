/* SPDX-License-Identifier: MIT
 *
 * A folder that belongs to the user, or to administrators, and that others may not write. Whoever opens it holds a file of its own there that nobody else can open and that goes
 * with its last handle.
 */
#include "plat_state.h"
#include "win32.h"
#include <stdlib.h>
#include <string.h>

struct plat_state {
    char *path;
    HANDLE lock, file; /* INVALID_HANDLE_VALUE: none */
};

bool plat_state_home(bool of_machine, struct buf *out)
{
    (void)of_machine;
    const char *home = plat_getenv("LOCALAPPDATA");
    if (!home || !*home)
        return false;
    buf_str(out, home);
    return true;
}

static enum tare_status check_folder(const char *folder, struct tare_err *err)
{
    if (!plat_is_directory(folder))
        return err_set(err, TARE_NOT_FOUND, "there is no folder %s", folder);
    if (!plat_directory_own(folder))
        return err_set(err, TARE_PERMISSION, "%s is a link: remove it, or name another folder", folder);
    const char *why = win32_distrust(folder);
    return why ? err_set(err, TARE_PERMISSION, "%s is not safe to use: %s", folder, why) : TARE_OK;
}

static HANDLE open_in(const struct plat_state *s, const char *name, DWORD access, DWORD share, DWORD creation, DWORD flags)
{
    struct buf path = BUF_INIT(1 << 16);
    buf_format(&path, "%s/%s", s->path, name);
    HANDLE h = INVALID_HANDLE_VALUE;
    SetLastError(ERROR_OUTOFMEMORY);
    if (!path.status)
        h = win32_open_shared(path.data, access, share, creation, flags | FILE_FLAG_OPEN_REPARSE_POINT);
    const DWORD error = GetLastError();
    buf_finish(&path);
    SetLastError(error);
    return h;
}

/* While its holder goes and takes it along access is denied, as it is for good to those who have no right to it. */
static HANDLE open_lock(const struct plat_state *s)
{
    enum { ATTEMPTS = 10, PAUSE_MS = 20 };
    HANDLE h = INVALID_HANDLE_VALUE;
    for (int i = 0; i < ATTEMPTS; i++) {
        h = open_in(s, ".lock", GENERIC_WRITE, 0, OPEN_ALWAYS, FILE_FLAG_DELETE_ON_CLOSE);
        if (h != INVALID_HANDLE_VALUE || GetLastError() != ERROR_ACCESS_DENIED)
            break;
        Sleep(PAUSE_MS);
        SetLastError(ERROR_ACCESS_DENIED);
    }
    return h;
}

static enum tare_status lock(struct plat_state *s, struct tare_err *err)
{
    s->lock = open_lock(s);
    if (s->lock != INVALID_HANDLE_VALUE)
        return TARE_OK;
    const DWORD error = GetLastError();
    if (error == ERROR_SHARING_VIOLATION)
        return err_set(err, TARE_BUSY, "another tare is running in %s: wait for its end", s->path);
    return win32_fail(err, error, "cannot lock %s", s->path);
}

static enum tare_status open_state(struct plat_state **out, const char *folder, bool for_us, struct tare_err *err)
{
    struct plat_state *s = *out = calloc(1, sizeof *s);
    if (!s || !(s->path = _strdup(folder))) {
        plat_state_close(s);
        *out = NULL;
        return err_set(err, TARE_NO_MEMORY, "cannot open %s: out of memory", folder);
    }
    s->lock = s->file = INVALID_HANDLE_VALUE;
    enum tare_status status = for_us ? win32_make_folders_above(folder, err) : TARE_OK;
    if (!status && for_us && !win32_make_folder(folder, win32_private()))
        status = win32_fail(err, GetLastError(), "cannot make the folder %s", folder);
    if (!status)
        status = check_folder(folder, err);
    if (!status && for_us)
        status = lock(s, err);
    if (status) {
        plat_state_close(s);
        *out = NULL;
    }
    return status;
}

enum tare_status plat_state_open(struct plat_state **out, const char *folder, struct tare_err *err)
{
    return open_state(out, folder, true, err);
}

enum tare_status plat_state_look(struct plat_state **out, const char *folder, struct tare_err *err)
{
    return open_state(out, folder, false, err);
}

void plat_state_close(struct plat_state *s)
{
    if (!s)
        return;
    win32_close(&s->file);
    win32_close(&s->lock);
    free(s->path);
    free(s);
}

int plat_state_descriptors(const struct plat_state *s, int fds[2])
{
    (void)s;
    (void)fds;
    return 0; /* nobody goes on with it */
}

static bool is_plain(HANDLE h)
{
    BY_HANDLE_FILE_INFORMATION i;
    enum { SPECIAL = FILE_ATTRIBUTE_REPARSE_POINT | FILE_ATTRIBUTE_DIRECTORY };
    return GetFileInformationByHandle(h, &i) && !(i.dwFileAttributes & SPECIAL) && i.nNumberOfLinks == 1;
}

static HANDLE open_checked(struct plat_state *s, const char *name, DWORD access, enum tare_status *status, struct tare_err *err)
{
    const DWORD share = access & GENERIC_WRITE ? FILE_SHARE_READ : FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    HANDLE h = open_in(s, name, access, share, OPEN_EXISTING, 0);
    *status = TARE_OK;
    if (h == INVALID_HANDLE_VALUE)
        *status = win32_fail(err, GetLastError(), "cannot open %s/%s", s->path, name);
    else if (!is_plain(h)) {
        *status =
            err_set(err, TARE_PERMISSION, "%s/%s is not a regular file, or has a second hard link: remove it", s->path, name);
        win32_close(&h);
    }
    return h;
}

static enum tare_status add_bytes(void *context, const void *bytes, size_t n, struct tare_err *err)
{
    struct buf *out = context;
    buf_add(out, bytes, n);
    return out->status ? err_set(err, out->status, "it is too long") : TARE_OK;
}

enum tare_status plat_state_read(struct plat_state *s, const char *name, struct buf *out, struct tare_err *err)
{
    enum tare_status status;
    HANDLE h = open_checked(s, name, GENERIC_READ, &status, err);
    if (!status)
        status = win32_pour(h, name, &(struct sink){.write = add_bytes, .context = out}, err);
    win32_close(&h);
    return status;
}

enum tare_status plat_state_create(struct plat_state *s, const char *name, struct tare_err *err)
{
    HANDLE h = open_in(s, name, GENERIC_WRITE | GENERIC_READ, FILE_SHARE_READ, CREATE_NEW, 0);
    if (h == INVALID_HANDLE_VALUE)
        return win32_fail(err, GetLastError(), "cannot make %s/%s", s->path, name);
    win32_close(&s->file);
    s->file = h;
    return TARE_OK;
}

static bool cut(HANDLE h, int64_t bytes)
{
    const LARGE_INTEGER at = {.QuadPart = bytes};
    return SetFilePointerEx(h, at, NULL, FILE_BEGIN) && SetEndOfFile(h);
}

enum tare_status plat_state_continue(struct plat_state *s, const char *name, int64_t bytes, struct tare_err *err)
{
    enum tare_status status;
    win32_close(&s->file);
    HANDLE h = open_checked(s, name, GENERIC_WRITE | GENERIC_READ, &status, err);
    if (status)
        return status;
    s->file = h;
    return cut(h, bytes) ? TARE_OK : win32_fail(err, GetLastError(), "cannot write %s/%s", s->path, name);
}

/* What a full disk took of it goes again, so that the next one does not stand behind half a line. */
enum tare_status plat_state_append(struct plat_state *s, const void *bytes, size_t n, bool durable, struct tare_err *err)
{
    LARGE_INTEGER before;
    if (!GetFileSizeEx(s->file, &before))
        return win32_fail(err, GetLastError(), "cannot write in %s", s->path);
    DWORD error = win32_write(s->file, bytes, n);
    if (error)
        cut(s->file, before.QuadPart);
    else if (durable && !FlushFileBuffers(s->file))
        error = GetLastError();
    return error ? win32_fail(err, error, "cannot write in %s", s->path) : TARE_OK;
}

enum tare_status plat_state_remove(struct plat_state *s, const char *name, struct tare_err *err)
{
    struct buf path = BUF_INIT(1 << 16);
    win32_close(&s->file);
    buf_format(&path, "%s/%s", s->path, name);
    const enum tare_status status = path.status ? err_set(err, path.status, "cannot remove %s/%s: out of memory", s->path, name)
                                                : plat_file_remove(path.data, err);
    buf_finish(&path);
    return status;
}
