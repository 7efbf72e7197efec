/* SPDX-License-Identifier: MIT */
#include "plat.h"
#include "posix.h"
#include "real.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum tare_status posix_descriptor_pour(int fd, const char *name, const struct sink *sink, struct tare_err *err)
{
    enum { CHUNK = 1 << 16 };
    char *chunk = malloc(CHUNK);
    if (!chunk)
        return err_set(err, TARE_NO_MEMORY, "cannot read %s: out of memory", name);
    enum tare_status status = TARE_OK;
    while (!status) {
        ssize_t n = read(fd, chunk, CHUNK);
        if (n < 0 && posix_again(fd, false))
            continue;
        if (!n)
            break;
        status = n < 0 ? posix_fail(err, errno, "cannot read %s", name) : sink->write(sink->context, chunk, (size_t)n, err);
    }
    free(chunk);
    return status;
}

enum tare_status posix_descriptor_read(int fd, const char *name, struct buf *out, struct tare_err *err)
{
    struct real_collecting c = {out, name};
    return posix_descriptor_pour(fd, name, &(struct sink){.write = real_collect, .context = &c}, err);
}

enum tare_status plat_file_pour(const char *path, const struct sink *sink, struct tare_err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return posix_fail(err, errno, "cannot open %s", path);
    enum tare_status status = posix_descriptor_pour(fd, path, sink, err);
    close(fd);
    return status;
}

enum tare_status plat_input_pour(const char *path, const struct sink *sink, struct tare_err *err)
{
    return strcmp(path, "-") ? plat_file_pour(path, sink, err) : posix_descriptor_pour(STDIN_FILENO, "standard input", sink, err);
}

enum tare_status plat_file_read(const char *path, struct buf *out, struct tare_err *err)
{
    struct real_collecting c = {out, path};
    return plat_file_pour(path, &(struct sink){.write = real_collect, .context = &c}, err);
}
