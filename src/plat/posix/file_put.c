/* SPDX-License-Identifier: MIT
 *
 * Many small files at once, which can be made anew: each is whole or as it was, and none waits for the disk. */
#include "plat.h"
#include "posix.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h> /* rename lives there */
#include <sys/stat.h>
#include <unistd.h>

static int put_aside(const char *temp, const char *path, const void *bytes, size_t n)
{
    int fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0)
        return errno;
    int error = posix_write_all(fd, bytes, n);
    if (close(fd) && !error)
        error = errno;
    if (!error && rename(temp, path))
        error = errno;
    if (error)
        unlink(temp);
    return error;
}

enum tare_status plat_file_put(const char *path, const void *bytes, size_t n, struct tare_err *err)
{
    struct buf temp = BUF_INIT(1 << 16);
    buf_format(&temp, "%s.%08x.tmp", path, (unsigned)plat_random_seed());
    int error = temp.status ? ENAMETOOLONG : put_aside(buf_text(&temp), path, bytes, n);
    buf_finish(&temp);
    return error ? posix_fail(err, error, "cannot write %s", path) : TARE_OK;
}
