/* SPDX-License-Identifier: MIT
 *
 * Two ways to write a file. The record grows line by line in place. An export is written to a new file in the same folder
 * and renamed at commit, so that a reader sees the old content or the new, whole. Where the file system can, the new file gets its
 * name only then, so that nothing is left of it when we are killed meanwhile. A file that grows aside begins like an export and goes
 * on like a record: it takes its name when it is settled, and what was there is locked until then. What cannot be replaced by a
 * rename is written directly: standard output, devices, pipes, and what some process has open, by its name under /proc (renaming over it
 * would lose what is held).
 */
#include "fnv.h"
#include "plat.h"
#include "posix.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h> /* rename lives there */
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct plat_file {
    int fd;
    bool keep_open; /* standard output is not ours to close */
    char *path;     /* as the caller named it; for a replacement the file behind any link */
    char *temp;     /* the name of what is written until commit; NULL: it has none, or is path itself */
    bool nameless;  /* the new file gets its name at commit */
    bool overwrite; /* at commit the content is copied into path, which cannot be renamed over */
    bool aside;     /* it grows aside and is not settled */
    int old;        /* while it is aside: the file that path names, locked */
    bool made;      /* while it is aside: path named nothing before */
    int64_t size;   /* of the content */
    uint64_t hash;  /* of the content */
    bool unhashed;  /* it was there before and cannot be read */
    bool unsettled; /* it could not be, which was told */
};

static void file_free(struct plat_file *f)
{
    if (f->old >= 0)
        close(f->old);
    free(f->path);
    free(f->temp);
    free(f);
}

/* The descriptor that a path like /dev/stdout or /dev/fd/5 stands for, -1 for any other path. Opening such a path anew would
 * start at offset 0 and overwrite what was printed before. */
static int descriptor_behind(const char *path)
{
    if (!strcmp(path, "-") || !strcmp(path, "/dev/stdout"))
        return STDOUT_FILENO;
    if (!strcmp(path, "/dev/stderr"))
        return STDERR_FILENO;
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"};
    const char *digits = "";
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (!strncmp(path, folders[i], strlen(folders[i])))
            digits = path + strlen(folders[i]);
    char *end;
    long n = strtol(digits, &end, 10);
    return *digits >= '0' && *digits <= '9' && !*end && n <= INT_MAX ? (int)n : -1;
}

/* What is closed at an exec was opened by us, under a number that the user thought of as another file's. */
static bool writable(int fd)
{
    const int flags = fcntl(fd, F_GETFL), own = fcntl(fd, F_GETFD);
    const bool can = flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && own >= 0 && !(own & FD_CLOEXEC);
    if (!can)
        errno = EBADF;
    return can;
}

/* Its name under /proc: /proc/PID/fd/N. */
static bool held_by_process(const char *path)
{
    const char *name = plat_base_name(path);
    return !strncmp(path, "/proc/", 6) && name - path > 8 && !strncmp(name - 4, "/fd/", 4);
}

static bool replaceable(const char *path)
{
    struct stat st;
    return !held_by_process(path) && (stat(path, &st) || S_ISREG(st.st_mode));
}

/* Where a file that is not there would be made: its folder by its one true path. NULL: nowhere. */
static char *place_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    struct buf folder = BUF_INIT(PATH_MAX), place = BUF_INIT(2 * PATH_MAX);
    if (slash)
        buf_format(&folder, "%.*s/", (int)(slash - path), path);
    char *real = realpath(slash ? buf_text(&folder) : ".", NULL);
    if (real)
        buf_format(&place, "%s/%s", strcmp(real, "/") ? real : "", slash ? slash + 1 : path);
    free(real);
    buf_finish(&folder);
    return place.data;
}

/* The same through links that lead to where nothing is yet. */
static char *place_behind_links(const char *path)
{
    enum { LINKS_MOST = 40 }; /* as the kernel follows */
    char target[PATH_MAX];
    char *place = place_of(path);
    for (int i = 0; place && i < LINKS_MOST; i++) {
        const ssize_t n = readlink(place, target, sizeof target - 1);
        if (n < 0)
            break;
        target[n] = 0;
        struct buf next = BUF_INIT(2 * PATH_MAX);
        if (*target != '/')
            buf_format(&next, "%.*s/", (int)(strrchr(place, '/') - place), place);
        buf_str(&next, target);
        free(place);
        place = place_of(buf_text(&next));
        buf_finish(&next);
    }
    return place;
}

bool plat_is_slash(char c)
{
    return c == '/';
}

const char *plat_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool plat_path_is_absolute(const char *path)
{
    return *path == '/';
}

bool plat_is_directory(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISDIR(st.st_mode);
}

bool plat_is_link(const char *path)
{
    struct stat st;
    return !lstat(path, &st) && S_ISLNK(st.st_mode);
}

/* By which path a folder is reached does not matter: it may be mounted in a second place. Cuts both. */
static bool same_place(char *a, char *b)
{
    struct stat x, y;
    char *const name_a = strrchr(a, '/') + 1, *const name_b = strrchr(b, '/') + 1;
    if (strcmp(name_a, name_b) != 0)
        return false;
    *name_a = *name_b = 0;
    return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool plat_same_file(const char *a, const char *b)
{
    struct stat x, y;
    bool has_a = !stat(a, &x), has_b = !stat(b, &y);
    if (has_a || has_b)
        return has_a && has_b && S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
    if (!strcmp(a, "-") || !strcmp(b, "-"))
        return false;
    char *place_a = place_behind_links(a), *place_b = place_behind_links(b);
    bool same = place_a && place_b && same_place(place_a, place_b);
    free(place_a);
    free(place_b);
    return same;
}

bool plat_same_stream(const char *a, const char *b)
{
    struct stat x, y;
    const int behind_a = descriptor_behind(a), behind_b = descriptor_behind(b);
    if (behind_a >= 0 || behind_b >= 0)
        return behind_a == behind_b;
    return !stat(a, &x) && !stat(b, &y) && S_ISFIFO(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* A name beside f->path; the random part makes two tares writing the same file harmless. NULL: it would be too long. */
static char *temp_name(const struct plat_file *f)
{
    struct buf name = BUF_INIT(PATH_MAX + 32);
    buf_format(&name, "%s.%08x.tmp", f->path, (unsigned)plat_random_seed());
    if (!name.status)
        return name.data;
    buf_finish(&name);
    errno = ENAMETOOLONG;
    return NULL;
}

enum { NAME_ATTEMPTS = 100 };

static int open_named(struct plat_file *f)
{
    for (int attempt = 0; attempt < NAME_ATTEMPTS; attempt++) {
        char *name = temp_name(f);
        int fd = name ? open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666) : -1;
        if (fd >= 0) {
            f->temp = name;
            return fd;
        }
        free(name);
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

/* A second name, beside f->path, for the file that `from` names or links to. NULL: this file system has none. */
static char *link_beside(const struct plat_file *f, const char *from)
{
    for (int attempt = 0; attempt < NAME_ATTEMPTS; attempt++) {
        char *name = temp_name(f);
        if (name && !linkat(AT_FDCWD, from, AT_FDCWD, name, AT_SYMLINK_FOLLOW))
            return name;
        free(name);
        if (errno != EEXIST)
            return NULL;
    }
    return NULL;
}

#ifdef O_TMPFILE
static const char own_descriptors[] = "/proc/self/fd";

/* -1: this file system has no such files, or no name could be given to one. */
static int open_unnamed(struct plat_file *f)
{
    const char *slash = strrchr(f->path, '/');
    struct buf folder = BUF_INIT(PATH_MAX);
    buf_format(&folder, "%.*s", slash ? (int)(slash - f->path) + 1 : 1, slash ? f->path : ".");
    bool may = !folder.status && !access(own_descriptors, X_OK);
    int fd = may ? open(buf_text(&folder), O_RDWR | O_TMPFILE | O_CLOEXEC, 0666) : -1;
    buf_finish(&folder);
    f->nameless = fd >= 0;
    return fd;
}

static bool give_name(struct plat_file *f)
{
    char own[sizeof own_descriptors + 16];
    buf_print(own, sizeof own, "%s/%d", own_descriptors, f->fd);
    f->temp = link_beside(f, own);
    return f->temp;
}
#else
static int open_unnamed(struct plat_file *f)
{
    (void)f;
    return -1;
}

static bool give_name(struct plat_file *f)
{
    (void)f;
    return false;
}
#endif

/* Opens a new file in the folder of f->path. */
static int open_temp(struct plat_file *f)
{
    struct stat old;
    bool exists = !lstat(f->path, &old) && S_ISREG(old.st_mode);
    int fd = open_unnamed(f);
    fd = fd >= 0 ? fd : open_named(f);
    if (fd >= 0 && exists)
        (void)!fchmod(fd, old.st_mode & 07777);
    return fd;
}

/* What has no room for a new file may have none for other content of an old one either, where that goes to blocks of its own (Btrfs, ZFS). */
static bool is_full(int error)
{
    return error == ENOSPC || error == EDQUOT;
}

/* For a file that may be written in a folder that may not: the content waits in memory until commit, as nothing may be left
 * in places that nobody named. */
static int open_nameless(void)
{
#ifdef MFD_CLOEXEC
    return memfd_create("tare-export", MFD_CLOEXEC);
#else
    errno = EACCES;
    return -1;
#endif
}

/* Through links, so that the link itself stays. */
static void resolve(struct plat_file *f)
{
    char *real = realpath(f->path, NULL);
    struct stat st;
    if (!real && !lstat(f->path, &st) && S_ISLNK(st.st_mode))
        real = place_behind_links(f->path);
    if (real) {
        free(f->path);
        f->path = real;
    }
}

static int open_new_content(struct plat_file *f)
{
    int fd = open_temp(f);
    int error = errno;
    if (fd >= 0 || is_full(error) || access(f->path, W_OK)) {
        errno = error;
        return fd;
    }
    f->overwrite = true;
    return open_nameless();
}

static bool is_regular(int fd)
{
    struct stat st;
    return !fstat(fd, &st) && S_ISREG(st.st_mode);
}

/* Closes it; errno stays that of the failure before. */
static int give_up(int fd)
{
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

static bool names(const char *path, int fd)
{
    struct stat named, open;
    return !stat(path, &named) && !fstat(fd, &open) && named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

/* Rows of another session would be lost, and the rest be mixed. Some file systems know no locks, where that is left to the user. */
static bool lock(int fd)
{
    int result;
    while ((result = flock(fd, LOCK_EX | LOCK_NB)) && errno == EINTR)
        ;
    if (!result || errno != EWOULDBLOCK)
        return true;
    errno = EBUSY;
    return false;
}

/* To be added to, locked where it is a regular file. Who had the lock may have put another file in its place meanwhile. */
static int open_locked(const char *path, int flags)
{
    for (int attempt = 0; attempt < NAME_ATTEMPTS; attempt++) {
        int fd = posix_open(path, flags | O_APPEND);
        if (fd < 0 || !is_regular(fd))
            return fd;
        if (!lock(fd))
            return give_up(fd);
        if (names(path, fd))
            return fd;
        close(fd);
    }
    errno = EBUSY;
    return -1;
}

static int emptied(int fd)
{
    return fd < 0 || !is_regular(fd) || !ftruncate(fd, 0) ? fd : give_up(fd);
}

static int open_growing(struct plat_file *f, int flags, bool empty)
{
    int fd = open_locked(f->path, flags);
    if (fd >= 0 && is_regular(fd))
        resolve(f);
    return empty ? emptied(fd) : fd;
}

/* f->old is held, and what is written goes to a file of its own. */
static int open_aside(struct plat_file *f, int flags)
{
    struct stat before;
    f->made = stat(f->path, &before) && errno == ENOENT;
    int old = open_locked(f->path, flags);
    if (old < 0 || !is_regular(old))
        return old;
    f->old = old;
    f->aside = true;
    resolve(f);
    int fd = open_temp(f);
    if (fd < 0 && is_full(errno))
        return -1;
    f->overwrite = fd < 0;
    fd = fd < 0 ? open_nameless() : fd;
    if (fd >= 0 && (!lock(fd) || fcntl(fd, F_SETFL, O_APPEND)))
        return give_up(fd);
    return fd;
}

static int open_for(struct plat_file *f, enum plat_file_mode mode)
{
    int shared = descriptor_behind(f->path);
    f->keep_open = shared >= 0;
    if (shared >= 0)
        return writable(shared) ? shared : -1;
    if (mode == PLAT_FILE_REPLACE && replaceable(f->path)) {
        resolve(f);
        return open_new_content(f);
    }
    int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY;
    if (mode == PLAT_FILE_APPEND_ASIDE)
        return open_aside(f, flags);
    return mode == PLAT_FILE_REPLACE ? emptied(posix_open(f->path, flags)) : open_growing(f, flags, mode == PLAT_FILE_APPEND_NEW);
}

/* An empty file that we made only to have it locked. */
static void forget_old(struct plat_file *f)
{
    struct stat st;
    if (f->old >= 0 && f->made && !fstat(f->old, &st) && !st.st_size && names(f->path, f->old))
        unlink(f->path);
}

static enum tare_status hash_more(void *hash, const void *bytes, size_t n, struct tare_err *err)
{
    (void)err;
    *(uint64_t *)hash = fnv1a64(*(uint64_t *)hash, bytes, n);
    return TARE_OK;
}

/* Read through its name, as f->fd may be open for writing only. */
static bool content_hash(const struct plat_file *f, uint64_t *hash)
{
    int fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    *hash = FNV1A64_EMPTY;
    bool good = fd >= 0 && names(f->path, fd) &&
                !posix_descriptor_pour(fd, f->path, &(struct sink){.write = hash_more, .context = hash}, NULL);
    if (fd >= 0)
        close(fd);
    return good;
}

static void note_content(struct plat_file *f)
{
    struct stat st;
    f->size = !fstat(f->fd, &st) && S_ISREG(st.st_mode) ? (int64_t)st.st_size : 0;
    f->hash = FNV1A64_EMPTY;
    f->unhashed = f->size && !f->keep_open && !content_hash(f, &f->hash);
}

/* NULL: no memory. */
static struct plat_file *file_new(const char *path, struct tare_err *err)
{
    struct plat_file *f = calloc(1, sizeof *f);
    if (f)
        *f = (struct plat_file){.fd = -1, .old = -1, .hash = FNV1A64_EMPTY};
    if (f && (f->path = strdup(path)))
        return f;
    free(f);
    err_set(err, TARE_NO_MEMORY, "cannot write %s: out of memory", path);
    return NULL;
}

enum tare_status plat_file_create(struct plat_file **out, const char *path, enum plat_file_mode mode, struct tare_err *err)
{
    if (!*path)
        return err_set(err, TARE_NOT_FOUND, "cannot write a file whose name is empty");
    struct plat_file *f = file_new(path, err);
    if (!f)
        return TARE_NO_MEMORY;
    f->fd = open_for(f, mode);
    if (f->fd < 0) {
        int error = errno;
        if (f->temp)
            unlink(f->temp);
        forget_old(f);
        file_free(f);
        if (error == EBUSY)
            return err_set(err, TARE_BUSY,
                           "cannot write %s: another session is writing it; wait for its end or give another name", path);
        return posix_fail(err, error, "cannot write %s", path);
    }
    note_content(f);
    *out = f;
    return TARE_OK;
}

/* The folders of an absolute path that are gone, but none behind a link. */
static void make_folders(char *path)
{
    struct stat st;
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        const bool there = !lstat(path, &st), made = !there && errno == ENOENT && !mkdir(path, 0777);
        *slash = '/';
        if (there ? !S_ISDIR(st.st_mode) : !made)
            return;
    }
}

/* What was put at the path meanwhile may be a link to anywhere, and so may its folder: none is followed. */
enum tare_status plat_file_renew(struct plat_file **out, const struct plat_file *lost, struct tare_err *err)
{
    struct stat there;
    make_folders(lost->path);
    char *place = place_of(lost->path);
    const bool moved = place && strcmp(place, lost->path) != 0;
    free(place);
    if (moved)
        return err_set(err, TARE_IO, "cannot write %s: its folder was replaced", lost->path);
    if (!lstat(lost->path, &there) && !S_ISREG(there.st_mode) && !S_ISLNK(there.st_mode))
        return err_set(err, TARE_IO, "cannot write %s: it is no longer a regular file", lost->path);
    struct plat_file *f = file_new(lost->path, err);
    if (!f)
        return TARE_NO_MEMORY;
    f->fd = open_new_content(f);
    if (f->fd < 0) {
        enum tare_status status = posix_fail(err, errno, "cannot write %s", f->path);
        file_free(f);
        return status;
    }
    *out = f;
    return TARE_OK;
}

static enum tare_status write_all(int fd, const char *path, const char *bytes, size_t n, struct tare_err *err)
{
    int error = posix_write_all(fd, bytes, n);
    return error ? posix_fail(err, error, "cannot write %s", path) : TARE_OK;
}

enum tare_status plat_file_write(struct plat_file *f, const void *bytes, size_t n, struct tare_err *err)
{
    f->size += (int64_t)n;
    f->hash = fnv1a64(f->hash, bytes, n);
    return write_all(f->fd, f->path, bytes, n, err);
}

enum tare_status plat_file_cut(struct plat_file *f, int64_t bytes, struct tare_err *err)
{
    if (ftruncate(f->fd, (off_t)bytes))
        return posix_fail(err, errno, "cannot write %s", f->path);
    note_content(f);
    return TARE_OK;
}

bool plat_file_intact(const struct plat_file *f)
{
    struct stat st;
    uint64_t hash;
    if (f->keep_open || f->aside || fstat(f->fd, &st) || !S_ISREG(st.st_mode))
        return true;
    if (!names(f->path, f->fd) || (int64_t)st.st_size != f->size)
        return false;
    if (f->unhashed)
        return true;
    errno = 0;
    if (content_hash(f, &hash))
        return hash == f->hash;
    return errno == EMFILE || errno == ENFILE; /* which says nothing of the file */
}

static enum tare_status read_again(const struct plat_file *f, struct buf *content, struct tare_err *err)
{
    if (lseek(f->fd, 0, SEEK_SET) < 0)
        return posix_fail(err, errno, "cannot write %s", f->path);
    return posix_descriptor_read(f->fd, f->path, content, err);
}

/* Room for so many bytes in a file, whatever it holds; errno where there is none. What system or file system cannot tell counts as room. */
static bool has_room(int fd, size_t bytes)
{
#if defined(_POSIX_ADVISORY_INFO) && _POSIX_ADVISORY_INFO > 0
    int error = bytes ? posix_fallocate(fd, 0, (off_t)bytes) : 0;
    errno = error;
    return error != ENOSPC && error != EFBIG && error != EDQUOT && error != EIO;
#else
    (void)fd;
    (void)bytes;
    return true;
#endif
}

/* Pipes and devices have nothing to flush, which is no failure. */
static bool flushed(int fd)
{
    int result;
    while ((result = fsync(fd)) && errno == EINTR)
        ;
    return !result || errno == EINVAL || errno == EROFS || errno == ENOTSUP;
}

/* The new content in the place of the old one, which stays as it was where the new one finds no room. */
static enum tare_status put_over(int fd, const char *path, const struct buf *content, struct tare_err *err)
{
    struct stat old;
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fstat(fd, &old) || fcntl(fd, F_SETFL, flags & ~O_APPEND) || lseek(fd, 0, SEEK_SET) < 0)
        return posix_fail(err, errno, "cannot write %s", path);
    enum tare_status status = TARE_OK;
    if (!has_room(fd, content->len)) {
        status = posix_fail(err, errno, "cannot write %s", path);
        (void)!ftruncate(fd, old.st_size);
    } else {
        status = write_all(fd, path, content->data, content->len, err);
        if (!status && (ftruncate(fd, (off_t)content->len) || !flushed(fd)))
            status = posix_fail(err, errno, "cannot write %s", path);
    }
    fcntl(fd, F_SETFL, flags);
    return status;
}

static enum tare_status copy_over(const struct plat_file *f, struct tare_err *err)
{
    struct buf content = BUF_INIT(SIZE_MAX / 2);
    enum tare_status status = read_again(f, &content, err);
    int fd = status ? -1 : open(f->path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (!status && fd < 0)
        status = posix_fail(err, errno, "cannot write %s", f->path);
    if (!status)
        status = put_over(fd, f->path, &content, err);
    if (fd >= 0 && close(fd) && !status)
        status = posix_fail(err, errno, "cannot write %s", f->path);
    buf_finish(&content);
    return status;
}

/* From the name's making on until it is gone no signal may end us. */
static enum tare_status rename_over(struct plat_file *f, struct tare_err *err)
{
    make_folders(f->path); /* a clean-up may have swept them away */
    if (f->nameless && !give_name(f))
        return posix_fail(err, errno, "cannot write %s", f->path);
    if (rename(f->temp, f->path)) {
        if (errno != EBUSY &&
            errno != ENOENT) /* a file mounted by itself, as containers do, cannot be renamed over; f->temp was deleted */
            return posix_fail(err, errno, "cannot write %s", f->path);
        return copy_over(f, err);
    }
    free(f->temp);
    f->temp = NULL;
    return TARE_OK;
}

static enum tare_status put_in_place(struct plat_file *f, struct tare_err *err)
{
    if (!f->keep_open && !f->unsettled && !flushed(f->fd))
        return posix_fail(err, errno, "cannot write %s", f->path);
    if (!f->temp && !f->nameless)
        return f->overwrite ? copy_over(f, err) : TARE_OK;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    enum tare_status status = rename_over(f, err);
    if (f->temp)
        unlink(f->temp);
    free(f->temp);
    f->temp = NULL;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

/* The content goes into the file that is held, which then is the one that grows. */
static enum tare_status move_into_old(struct plat_file *f, struct tare_err *err)
{
    struct buf content = BUF_INIT(SIZE_MAX / 2);
    enum tare_status status = read_again(f, &content, err);
    if (!status)
        status = put_over(f->old, f->path, &content, err);
    buf_finish(&content);
    if (status)
        return status;
    close(f->fd);
    f->fd = f->old;
    f->old = -1;
    return TARE_OK;
}

static enum tare_status name_it(struct plat_file *f, struct tare_err *err)
{
    if (f->overwrite)
        return move_into_old(f, err);
    if ((f->nameless && !give_name(f)) || rename(f->temp, f->path)) {
        const int error = errno;
        if (f->temp)
            unlink(f->temp);
        return is_full(error) ? posix_fail(err, error, "cannot write %s", f->path) : move_into_old(f, err);
    }
    close(f->old);
    f->old = -1;
    return TARE_OK;
}

enum tare_status plat_file_settle(struct plat_file *f, struct tare_err *err)
{
    if (!f->aside)
        return TARE_OK;
    sigset_t all, before;
    /* What the name stood for is gone then; an error is told once, so not at commit. */
    enum tare_status status = flushed(f->fd) ? TARE_OK : posix_fail(err, errno, "cannot write %s", f->path);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (!status)
        status = name_it(f, err);
    else if (f->temp)
        unlink(f->temp);
    free(f->temp);
    f->temp = NULL;
    f->nameless = f->overwrite = f->aside = false; /* after a failure too: it is told once, by who settles */
    f->unsettled = status != TARE_OK;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

enum tare_status plat_file_settle_both(struct plat_file *f, struct plat_file *beside, struct tare_err *err)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    char *kept = f->aside && beside && beside->aside ? link_beside(beside, beside->path) : NULL;
    enum tare_status status = beside ? plat_file_settle(beside, err) : TARE_OK;
    if (!status)
        status = plat_file_settle(f, err);
    if (kept && (!status || !rename(kept, beside->path)))
        unlink(kept); /* where beside was not settled both names are of one file, and the renaming does nothing */
    free(kept);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

/* Without a row there is a record all the same, unless it would take the place of another. */
static enum tare_status end_aside(struct plat_file *f, struct tare_err *err)
{
    struct stat old;
    bool empty = !fstat(f->old, &old) && !old.st_size;
    return f->aside && f->size && empty ? plat_file_settle(f, err) : TARE_OK;
}

enum tare_status plat_file_commit(struct plat_file *f, struct tare_err *err)
{
    enum tare_status status = f->aside ? end_aside(f, err) : put_in_place(f, err);
    forget_old(f);
    if (!f->keep_open && close(f->fd) && !status)
        status = posix_fail(err, errno, "cannot write %s", f->path);
    if (f->temp)
        unlink(f->temp);
    file_free(f);
    return status;
}

void plat_file_abandon(struct plat_file *f)
{
    if (!f)
        return;
    if (!f->keep_open)
        close(f->fd);
    if (f->temp)
        unlink(f->temp);
    forget_old(f);
    file_free(f);
}

enum tare_status plat_file_remove(const char *path, struct tare_err *err)
{
    return unlink(path) && errno != ENOENT ? posix_fail(err, errno, "cannot remove %s", path) : TARE_OK;
}
