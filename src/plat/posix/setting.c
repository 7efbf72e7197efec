/* SPDX-License-Identifier: MIT */
#include "plat_setting.h"
#include "posix.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_setting(const char *path, enum plat_setting_mode mode)
{
    const int how = mode == PLAT_SETTING_COPIED ? O_CREAT | O_NOFOLLOW : O_TRUNC;
    return open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | how, 0644);
}

/* 0, an errno, or -1: only a part was taken. */
static int write_once(int fd, const char *text)
{
    size_t n = strlen(text);
    ssize_t written;
    do
        written = write(fd, text, n);
    while (written < 0 && errno == EINTR);
    return written < 0 ? errno : (size_t)written == n ? 0 : -1;
}

/* A file of a kernel takes a value in one write or not at all. So does an ordinary one, whenever we are killed: what is longer there is overwritten with blanks, which
 * no value holds, and then cut off. */
static int write_copy(int fd, const char *text)
{
    struct stat st;
    size_t n = strlen(text);
    if (fstat(fd, &st))
        return errno;
    if (st.st_size <= (off_t)n)
        return write_once(fd, text);
    struct buf padded = BUF_INIT((size_t)st.st_size + 1);
    buf_str(&padded, text);
    while (!padded.status && padded.len < (size_t)st.st_size)
        buf_char(&padded, n && text[n - 1] == '\n' ? '\n' : ' ');
    int failure = padded.status ? ENOMEM : write_once(fd, buf_text(&padded));
    buf_finish(&padded);
    return !failure && ftruncate(fd, (off_t)n) ? errno : failure;
}

static enum tare_status refused(int failure, const char *path, const char *text, int *error, struct tare_err *err)
{
    *error = failure > 0 ? failure : 0;
    if (failure > 0)
        return posix_fail(err, failure, "cannot write '%s' to %s", text, path);
    return err_set(err, TARE_IO, "cannot write '%s' to %s: only a part of it was taken", text, path);
}

enum tare_status plat_setting_hold(const char *path, const char *text, int *fd, int *error, struct tare_err *err)
{
    *error = 0;
    *fd = open_setting(path, PLAT_SETTING_THERE);
    int failure = *fd < 0 ? errno : write_once(*fd, text);
    if (!failure)
        return TARE_OK;
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
    return refused(failure, path, text, error, err);
}

enum tare_status plat_setting_write(const char *path, const char *text, enum plat_setting_mode mode, int *error,
                                    struct tare_err *err)
{
    *error = 0;
    int fd = open_setting(path, mode);
    int failure = fd < 0 ? errno : mode == PLAT_SETTING_COPIED ? write_copy(fd, text) : write_once(fd, text);
    if (fd >= 0 && close(fd) && !failure)
        failure = errno;
    return failure ? refused(failure, path, text, error, err) : TARE_OK;
}

bool plat_setting_there(const char *path)
{
    struct stat st;
    return !stat(path, &st);
}

bool plat_setting_read_only(const char *path)
{
    struct stat st;
    return !stat(path, &st) && !(st.st_mode & 0222);
}

enum tare_status plat_setting_folder_make(const char *path, int *error, struct tare_err *err)
{
    *error = mkdir(path, 0755) ? errno : 0;
    return *error ? posix_fail(err, *error, "cannot make %s", path) : TARE_OK;
}

enum tare_status plat_setting_folder_remove(const char *path, int *error, struct tare_err *err)
{
    *error = rmdir(path) && errno != ENOENT ? errno : 0;
    return *error ? posix_fail(err, *error, "cannot remove %s", path) : TARE_OK;
}
