/* SPDX-License-Identifier: MIT */
#include "plat.h"
#include "posix.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int plat_open_scratch(struct tare_err *err)
{
    int fd = memfd_create("tare-output", MFD_CLOEXEC);
    if (fd < 0)
        posix_fail(err, errno, "cannot make a file in memory for a command's output");
    return fd;
}

void plat_scratch_path(int fd, struct buf *path)
{
    buf_format(path, "/proc/%d/fd/%d", (int)getpid(), fd);
}

int64_t plat_scratch_size(int fd)
{
    struct stat st;
    return fstat(fd, &st) ? 0 : st.st_size;
}

/* A child may still write there: the file is not made shorter, or its next write would leave a hole before it. */
void plat_scratch_trim(int fd, int64_t bytes)
{
    int64_t size = plat_scratch_size(fd);
    if (size > bytes)
        fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, bytes, size - bytes);
}

enum tare_status plat_scratch_read(int fd, int64_t offset, void *bytes, size_t n, struct tare_err *err)
{
    for (char *at = bytes; n;) {
        ssize_t done = pread(fd, at, n, offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return posix_fail(err, done ? errno : EIO, "cannot read a command's output");
        at += done;
        offset += done;
        n -= (size_t)done;
    }
    return TARE_OK;
}

enum tare_status plat_scratch_write(int fd, const void *bytes, size_t n, struct tare_err *err)
{
    for (const char *at = bytes; n;) {
        ssize_t done = write(fd, at, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return posix_fail(err, errno, "cannot pass on a command's output");
        at += done;
        n -= (size_t)done;
    }
    return TARE_OK;
}
