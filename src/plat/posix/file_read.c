/* SPDX-License-Identifier: MIT */
#include "plat.h"
#include "posix.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum tare_status posix_descriptor_read(int fd, const char *name, struct buf *out, struct tare_err *err)
{
    enum { CHUNK = 1 << 16 };
    char *chunk = malloc(CHUNK);
    if (!chunk)
        return err_set(err, TARE_NO_MEMORY, "cannot read %s: out of memory", name);
    enum tare_status status = TARE_OK;
    for (;;) {
        ssize_t n = read(fd, chunk, CHUNK);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            status = posix_fail(err, errno, "cannot read %s", name);
        if (n <= 0)
            break;
        buf_add(out, chunk, (size_t)n);
        if (out->status) {
            status =
                err_set(err, out->status, "cannot read %s: %s (limit %zu bytes)", name, tare_status_text(out->status), out->cap);
            break;
        }
    }
    free(chunk);
    return status;
}

enum tare_status posix_file_read(const char *path, struct buf *out, struct tare_err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return posix_fail(err, errno, "cannot open %s", path);
    enum tare_status status = posix_descriptor_read(fd, path, out, err);
    close(fd);
    return status;
}

enum tare_status plat_input_read(const char *path, struct buf *out, struct tare_err *err)
{
    if (!strcmp(path, "-"))
        return posix_descriptor_read(STDIN_FILENO, "standard input", out, err);
    return plat_file_read(path, out, err);
}
