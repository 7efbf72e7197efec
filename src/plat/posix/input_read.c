/* SPDX-License-Identifier: MIT
 *
 * Files that tare is given, and what the system says of them. Apart from file_read.c, which measured programs need too.
 */
#include "plat.h"
#include "posix.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum tare_status plat_file_state(const char *path, struct plat_file_state *out, struct tare_err *err)
{
    struct stat st, own;
    if (stat(path, &st))
        return posix_fail(err, errno, "cannot open %s", path);
    *out = (struct plat_file_state){.bytes = st.st_size,
                                    .modified_utc_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec,
                                    .changed_utc_ns = (int64_t)st.st_ctim.tv_sec * 1000000000 + st.st_ctim.tv_nsec,
                                    .device = st.st_dev,
                                    .inode = st.st_ino,
                                    .regular = S_ISREG(st.st_mode),
                                    .named_pipe = S_ISFIFO(st.st_mode) && !lstat(path, &own) && S_ISFIFO(own.st_mode)};
    return TARE_OK;
}

enum tare_status plat_input_read(const char *path, struct buf *out, struct tare_err *err)
{
    if (!strcmp(path, "-"))
        return posix_descriptor_read(STDIN_FILENO, "standard input", out, err);
    return plat_file_read(path, out, err);
}

int64_t plat_input_bytes(int fd)
{
    struct stat st;
    return fstat(fd, &st) || st.st_size < 0 ? 0 : st.st_size;
}

int64_t plat_input_data(int fd, int64_t offset)
{
#ifdef SEEK_DATA
    const off_t data = lseek(fd, offset, SEEK_DATA);
    if (data >= 0 || errno == ENXIO) /* nothing but a hole up to the end */
        return data >= 0 ? data : plat_input_bytes(fd);
#else
    (void)fd;
#endif
    return offset;
}

int posix_read_at(int fd, int64_t offset, void *bytes, size_t n)
{
    for (char *at = bytes; n;) {
        ssize_t done = pread(fd, at, n, offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return done ? errno : -1;
        at += done;
        offset += done;
        n -= (size_t)done;
    }
    return 0;
}

enum tare_status plat_input_part(int fd, int64_t offset, void *bytes, size_t n, struct tare_err *err)
{
    int error = posix_read_at(fd, offset, bytes, n);
    return error < 0 ? err_set(err, TARE_TRUNCATED, "it became shorter while it was read")
           : error   ? posix_fail(err, error, "cannot read it")
                     : TARE_OK;
}
