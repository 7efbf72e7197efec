/* SPDX-License-Identifier: MIT
 *
 * Folders of our own and their end. What lies in them others wrote, builds among them, so nothing is followed: links are removed
 * as links, what is mounted stays, and folders that forbid their owner to write (caches of build tools) are opened up first.
 */
#include "plat.h"
#include "posix.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h> /* renameat lives there */
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

/* A folder is taken apart from above: the folders that lie in its folders are put beside these, into the top one. So neither stack nor descriptors
 * grow with the depth, which others chose. */
struct sweep {
    int top;
    unsigned named; /* the next name for what is put there */
    bool moved;     /* something was, in this pass */
    int error;      /* errno of the first entry of this pass that stays; the others go all the same */
};

/* 0: it is gone. ENOTEMPTY: a folder with something in it. One where something is mounted is busy. */
static int remove_entry(int parent, const char *name)
{
    struct stat st;
    const bool folder = !fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISDIR(st.st_mode);
    if (!unlinkat(parent, name, folder ? AT_REMOVEDIR : 0) || errno == ENOENT)
        return 0;
    return folder && errno == EEXIST ? ENOTEMPTY : errno;
}

static DIR *open_folder(int parent, const char *name)
{
    enum { FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };
    int fd = openat(parent, name, FLAGS);
    if (fd < 0 && errno == EACCES && !fchmodat(parent, name, 0700, 0))
        fd = openat(parent, name, FLAGS);
    if (fd < 0)
        return NULL;
    (void)fchmod(fd, 0700);
    DIR *folder = fdopendir(fd);
    if (!folder)
        close(fd);
    return folder;
}

/* A folder that forbids to write cannot be moved. */
static int move_up(struct sweep *s, int parent, const char *name)
{
    char number[16];
    int failed;
    (void)fchmodat(parent, name, 0700, 0);
    do {
        buf_print(number, sizeof number, "%u", s->named++);
        failed = renameat(parent, name, s->top, number);
    } while (failed && (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR)); /* that one is there */
    s->moved |= !failed;
    return failed ? errno : 0;
}

static int take_apart(struct sweep *s, const char *name);

static void empty_folder(struct sweep *s, DIR *folder)
{
    const int fd = dirfd(folder);
    for (const struct dirent *e; (e = readdir(folder));) {
        if (!visible(e))
            continue;
        int error = remove_entry(fd, e->d_name);
        if (error == ENOTEMPTY)
            error = fd == s->top ? take_apart(s, e->d_name) : move_up(s, fd, e->d_name);
        s->error = s->error ? s->error : error;
    }
}

static int take_apart(struct sweep *s, const char *name)
{
    DIR *folder = open_folder(s->top, name);
    if (!folder)
        return errno;
    empty_folder(s, folder);
    closedir(folder);
    return remove_entry(s->top, name);
}

/* Each pass makes the tree flatter by one. Who goes on making folders in it meanwhile is not waited for. */
static int remove_tree(const char *path)
{
    enum { PASSES_MOST = 100000 };
    DIR *top = open_folder(AT_FDCWD, path);
    if (!top)
        return errno;
    struct sweep s = {.top = dirfd(top), .moved = true};
    for (int pass = 0; s.moved && pass < PASSES_MOST; pass++) {
        s.moved = false;
        s.error = 0;
        rewinddir(top);
        empty_folder(&s, top);
    }
    closedir(top);
    const int error = remove_entry(AT_FDCWD, path);
    return error && s.error ? s.error : error;
}

enum tare_status plat_directory_remove(const char *path, struct tare_err *err)
{
    int error = remove_entry(AT_FDCWD, path);
    if (error == ENOTEMPTY)
        error = remove_tree(path);
    return error ? posix_fail(err, error, "cannot remove the folder %s", path) : TARE_OK;
}
