/* SPDX-License-Identifier: MIT */
#include "plat_process.h"
#include "posix.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

int64_t plat_process_id(void)
{
    return getpid();
}

bool posix_again(int fd, bool writing)
{
    const int error = errno;
    struct pollfd of = {.fd = fd, .events = writing ? POLLOUT : POLLIN};
    if (error == EAGAIN)
        poll(&of, 1, -1);
    return error == EAGAIN || error == EINTR;
}

int posix_write_all(int fd, const void *bytes, size_t n)
{
    for (const char *at = bytes; n;) {
        ssize_t written = write(fd, at, n);
        if (written < 0 && posix_again(fd, true))
            continue;
        if (written <= 0)
            return written ? errno : ENOSPC;
        at += written;
        n -= (size_t)written;
    }
    return 0;
}

enum tare_status plat_process_write(int fd, const void *bytes, size_t n, struct tare_err *err)
{
    int error = posix_write_all(fd, bytes, n);
    return error ? posix_fail(err, error, "cannot write to descriptor %d", fd) : TARE_OK;
}

int plat_process_open_output(const char *path, struct tare_err *err)
{
    int fd;
    do
        fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    while (fd < 0 && errno == EINTR);
    if (fd < 0)
        posix_fail(err, errno, "cannot write to %s", path);
    return fd;
}
