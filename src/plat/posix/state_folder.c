/* SPDX-License-Identifier: MIT */
#include "plat_state.h"
#include "posix.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

struct plat_state {
    int folder, file; /* -1: none */
    char *path;       /* for messages */
};

/* Who has the lock of flock(2) on an open file. Only Linux tells, in /proc/locks: a line a lock, "1: FLOCK  ADVISORY  WRITE 6795 fe:00:11780572 0 EOF", with
 * the process that took it, the device and the inode. That process may have ended, its lock inherited by a child, and its number may be another's by now; so
 * it is believed only where it has the file open.
 */
static bool has_open(int pid, const struct stat *file)
{
    char name[64];
    buf_print(name, sizeof name, "/proc/%d/fd", pid);
    DIR *fds = opendir(name);
    bool found = false;
    for (struct dirent *entry; fds && !found && (entry = readdir(fds));) {
        struct stat st;
        found = !fstatat(dirfd(fds), entry->d_name, &st, 0) && st.st_dev == file->st_dev && st.st_ino == file->st_ino;
    }
    if (fds)
        closedir(fds);
    return found;
}

/* The number that ends here, in front of a blank. */
static int number_before(const char *start, const char *end)
{
    int64_t pid = 0, digit = 1;
    while (end > start && end[-1] >= '0' && end[-1] <= '9' && digit < INT32_MAX) {
        pid += digit * (*--end - '0');
        digit *= 10;
    }
    return pid < INT32_MAX ? (int)pid : 0;
}

static int holder_in(const char *locks, const struct stat *file)
{
    char text[64];
    buf_print(text, sizeof text, " %02x:%02x:%llu ", major(file->st_dev), minor(file->st_dev), (unsigned long long)file->st_ino);
    for (const char *line = locks, *end; *line; line = *end ? end + 1 : end) {
        end = line + strcspn(line, "\n");
        const char *at = strstr(line, text), *kind = strstr(line, ": FLOCK "); /* who waits has an arrow between */
        if (at && at < end && kind && kind < at)
            return number_before(line, at);
    }
    return 0;
}

static int lock_holder(int fd)
{
    struct stat file;
    struct buf locks = BUF_INIT(1 << 22);
    int pid = 0;
    if (!fstat(fd, &file) && !plat_file_read("/proc/locks", &locks, NULL))
        pid = holder_in(buf_text(&locks), &file);
    buf_finish(&locks);
    return pid > 0 && has_open(pid, &file) ? pid : 0;
}

/* Those above may be links, as /var/run is: whoever can place them is root, or the user himself. */
static enum tare_status make_folders(const char *folder, struct tare_err *err)
{
    char path[PATH_MAX];
    size_t n = strlen(folder);
    if (n >= sizeof path)
        return posix_fail(err, ENAMETOOLONG, "cannot make the folder %s", folder);
    memcpy(path, folder, n + 1);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        if (mkdir(path, 0755) && errno != EEXIST)
            return posix_fail(err, errno, "cannot make the folder %s", path);
        *slash = '/';
    }
    return mkdir(path, 0700) && errno != EEXIST ? posix_fail(err, errno, "cannot make the folder %s", folder) : TARE_OK;
}

/* Root trusts root alone; others trust themselves and root. */
static bool trusted(const struct stat *st)
{
    return (st->st_uid == geteuid() || st->st_uid == 0) && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

static enum tare_status open_folder(struct plat_state *s, const char *folder, struct tare_err *err)
{
    struct stat st;
    s->folder = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (s->folder < 0 && (errno == ELOOP || errno == ENOTDIR))
        return err_set(err, TARE_PERMISSION, "%s is a link or no folder: remove it, or name another folder", folder);
    if (s->folder < 0 || fstat(s->folder, &st))
        return posix_fail(err, errno, "cannot open the folder %s", folder);
    if (!trusted(&st))
        return err_set(err, TARE_PERMISSION, "%s belongs to another user or others may write it: chown it and chmod go-w",
                       folder);
    return TARE_OK;
}

static enum tare_status state_new(struct plat_state **out, const char *folder, struct tare_err *err)
{
    struct plat_state *s = calloc(1, sizeof *s);
    *out = s;
    if (!s)
        return err_set(err, TARE_NO_MEMORY, "cannot open %s: out of memory", folder);
    s->folder = s->file = -1;
    s->path = strdup(folder);
    return s->path ? TARE_OK : err_set(err, TARE_NO_MEMORY, "cannot open %s: out of memory", folder);
}

static enum tare_status finish_opening(struct plat_state **out, enum tare_status status)
{
    if (status) {
        plat_state_close(*out);
        *out = NULL;
    }
    return status;
}

static enum tare_status busy(const char *folder, int pid, struct tare_err *err)
{
    if (!pid)
        return err_set(err, TARE_BUSY, "another tare is running in %s: wait for its end", folder);
    return err_set(err, TARE_BUSY, "another tare, process %d, is running in %s: wait for its end, or end it (kill %d)", pid,
                   folder, pid);
}

enum tare_status plat_state_open(struct plat_state **out, const char *folder, struct tare_err *err)
{
    enum tare_status status = state_new(out, folder, err);
    if (!status)
        status = make_folders(folder, err);
    if (!status)
        status = open_folder(*out, folder, err);
    if (!status && flock((*out)->folder, LOCK_EX | LOCK_NB))
        status = errno == EWOULDBLOCK ? busy(folder, lock_holder((*out)->folder), err)
                                      : posix_fail(err, errno, "cannot lock %s", folder);
    return finish_opening(out, status);
}

enum tare_status plat_state_look(struct plat_state **out, const char *folder, struct tare_err *err)
{
    enum tare_status status = state_new(out, folder, err);
    if (!status)
        status = open_folder(*out, folder, err);
    return finish_opening(out, status);
}

bool plat_state_home(bool of_machine, struct buf *out)
{
    const char *state = plat_getenv("XDG_STATE_HOME"), *home = plat_getenv("HOME");
    const bool root = plat_is_root();
    if (state && state[0] == '/' && !(root && of_machine))
        buf_str(out, state);
    else if (root)
        buf_str(out, "/var/lib");
    else if (home && home[0] == '/')
        buf_format(out, "%s/.local/state", home);
    else
        return false;
    return true;
}

bool plat_is_root(void)
{
    return geteuid() == 0;
}

/* Closing and not unlocking: who has inherited the folder keeps the lock. */
void plat_state_close(struct plat_state *s)
{
    if (!s)
        return;
    if (s->file >= 0)
        close(s->file);
    if (s->folder >= 0)
        close(s->folder);
    free(s->path);
    free(s);
}

int plat_state_descriptors(const struct plat_state *s, int fds[2])
{
    int n = 0;
    if (s->folder >= 0)
        fds[n++] = s->folder;
    if (s->file >= 0)
        fds[n++] = s->file;
    return n;
}

static int open_checked(struct plat_state *s, const char *name, int flags, struct tare_err *err)
{
    struct stat st = {.st_nlink = 0};
    int fd = openat(s->folder, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 && errno == ELOOP)
        err_set(err, TARE_PERMISSION, "%s/%s is a link: remove it", s->path, name);
    else if (fd < 0)
        posix_fail(err, errno, "cannot open %s/%s", s->path, name);
    if (fd < 0)
        return -1;
    if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_nlink == 1 && trusted(&st))
        return fd;
    /* Somebody else may have written it, or may still: by its lines root would write files. */
    const char *after = "look whether its lines are right, then";
    if (!S_ISREG(st.st_mode) || st.st_nlink != 1)
        err_set(err, TARE_PERMISSION, "%s/%s is not a regular file, or has a second hard link: remove it", s->path, name);
    else if (st.st_mode & (S_IWGRP | S_IWOTH))
        err_set(err, TARE_PERMISSION,
                "others may write %s/%s, so it is not trusted: %s chmod go-w it; removed, what it says is lost", s->path, name,
                after);
    else
        err_set(err, TARE_PERMISSION,
                "%s/%s belongs to another user, so it is not trusted: %s chown it; removed, what it says is lost", s->path, name,
                after);
    close(fd);
    errno = EPERM;
    return -1;
}

enum tare_status plat_state_read(struct plat_state *s, const char *name, struct buf *out, struct tare_err *err)
{
    int fd = open_checked(s, name, O_RDONLY, err);
    if (fd < 0)
        return errno == ELOOP ? TARE_PERMISSION : posix_status(errno);
    enum tare_status status = posix_descriptor_read(fd, name, out, err);
    close(fd);
    return status;
}

enum tare_status plat_state_create(struct plat_state *s, const char *name, struct tare_err *err)
{
    int fd = openat(s->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return posix_fail(err, errno, "cannot make %s/%s", s->path, name);
    if (s->file >= 0)
        close(s->file);
    s->file = fd;
    return fsync(s->folder) && errno != EINVAL ? posix_fail(err, errno, "cannot write %s", s->path) : TARE_OK;
}

enum tare_status plat_state_continue(struct plat_state *s, const char *name, int64_t bytes, struct tare_err *err)
{
    int fd = open_checked(s, name, O_WRONLY | O_APPEND, err);
    if (fd < 0)
        return errno == ELOOP ? TARE_PERMISSION : posix_status(errno);
    if (s->file >= 0)
        close(s->file);
    s->file = fd;
    return ftruncate(fd, (off_t)bytes) ? posix_fail(err, errno, "cannot write %s/%s", s->path, name) : TARE_OK;
}

/* What a full disk took of it goes again, so that the next one does not stand behind half a line. */
enum tare_status plat_state_append(struct plat_state *s, const void *bytes, size_t n, bool durable, struct tare_err *err)
{
    struct stat before;
    if (fstat(s->file, &before))
        return posix_fail(err, errno, "cannot write in %s", s->path);
    int error = posix_write_all(s->file, bytes, n);
    if (error) {
        (void)!ftruncate(s->file, before.st_size);
        return posix_fail(err, error, "cannot write in %s", s->path);
    }
    return durable && fdatasync(s->file) && errno != EINVAL ? posix_fail(err, errno, "cannot write in %s", s->path) : TARE_OK;
}

enum tare_status plat_state_remove(struct plat_state *s, const char *name, struct tare_err *err)
{
    if (s->file >= 0)
        close(s->file);
    s->file = -1;
    if (unlinkat(s->folder, name, 0) && errno != ENOENT)
        return posix_fail(err, errno, "cannot remove %s/%s", s->path, name);
    return fsync(s->folder) && errno != EINVAL ? posix_fail(err, errno, "cannot write %s", s->path) : TARE_OK;
}
