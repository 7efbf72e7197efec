/* SPDX-License-Identifier: MIT
 *
 * Folders of our own and their end. What lies in them others wrote, builds among them, so nothing is followed: links are removed
 * as links, other file systems stay, and folders that forbid their owner to write (caches of build tools) are opened up first.
 */
#include "plat.h"
#include "posix.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum tare_status plat_directory_private(struct buf *path, const char *prefix, struct tare_err *err)
{
    const char *place = plat_getenv("TMPDIR");
    char *real = realpath(place && *place ? place : "/tmp", NULL);
    if (!real)
        return posix_fail(err, errno, "cannot use TMPDIR (%s)", place && *place ? place : "/tmp");
    buf_format(path, "%s/%sXXXXXX", strcmp(real, "/") ? real : "", prefix);
    free(real);
    if (path->status)
        return err_set(err, path->status, "cannot name a temporary folder: %s", tare_status_text(path->status));
    return mkdtemp(path->data) ? TARE_OK : posix_fail(err, errno, "cannot make the folder %s", path->data);
}

enum tare_status plat_directory_new(const char *path, struct tare_err *err)
{
    return mkdir(path, 0777) ? posix_fail(err, errno, "cannot make the folder %s", path) : TARE_OK;
}

enum tare_status plat_directory_make(const char *path, struct tare_err *err)
{
    const enum tare_status status = plat_directory_new(path, err);
    return status && plat_is_directory(path) ? TARE_OK : status;
}

enum tare_status plat_directory_path(const char *path, struct buf *out, struct tare_err *err)
{
    char *real = realpath(path, NULL);
    if (!real)
        return posix_fail(err, errno, "cannot find the folder %s", path);
    buf_str(out, real);
    free(real);
    return out->status ? err_set(err, out->status, "cannot name the folder %s: %s", path, tare_status_text(out->status))
                       : TARE_OK;
}

bool plat_directory_own(const char *path)
{
    struct stat st;
    return !lstat(path, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid();
}

static int visible(const struct dirent *e)
{
    return strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

enum tare_status plat_directory_list(const char *path, struct buf *names, int *n, struct tare_err *err)
{
    struct dirent **entries;
    *n = 0;
    int found = scandir(path, &entries, visible, by_bytes);
    if (found < 0)
        return posix_fail(err, errno, "cannot read the folder %s", path);
    for (int i = 0; i < found; i++) {
        buf_add(names, entries[i]->d_name, strlen(entries[i]->d_name) + 1);
        free(entries[i]);
    }
    free(entries);
    *n = found;
    return names->status ? err_set(err, names->status, "the folder %s holds too much", path) : TARE_OK;
}

static int remove_at(int parent, const char *name, dev_t device);

/* 0, or the errno of the first entry that stays; the others go all the same. */
static int empty_folder(DIR *folder, dev_t device)
{
    int error = 0;
    for (const struct dirent *e; (e = readdir(folder));) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        int failed = remove_at(dirfd(folder), e->d_name, device);
        error = error ? error : failed;
    }
    return error;
}

static int remove_at(int parent, const char *name, dev_t device)
{
    struct stat st;
    if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW))
        return errno == ENOENT ? 0 : errno;
    if (S_ISDIR(st.st_mode) && st.st_dev == device) {
        enum { FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };
        int fd = openat(parent, name, FLAGS);
        if (fd < 0 && errno == EACCES && !fchmodat(parent, name, 0700, 0))
            fd = openat(parent, name, FLAGS);
        DIR *folder = fd < 0 ? NULL : fdopendir(fd);
        if (!folder) {
            int error = errno;
            if (fd >= 0)
                close(fd);
            return error;
        }
        fchmod(fd, 0700);
        int error = empty_folder(folder, device);
        closedir(folder);
        if (!error && unlinkat(parent, name, AT_REMOVEDIR))
            error = errno;
        return error == ENOENT ? 0 : error;
    }
    return unlinkat(parent, name, S_ISDIR(st.st_mode) ? AT_REMOVEDIR : 0) && errno != ENOENT ? errno : 0;
}

enum tare_status plat_directory_remove(const char *path, struct tare_err *err)
{
    struct stat st;
    int error = lstat(path, &st) ? errno : remove_at(AT_FDCWD, path, st.st_dev);
    return error && error != ENOENT ? posix_fail(err, error, "cannot remove the folder %s", path) : TARE_OK;
}
