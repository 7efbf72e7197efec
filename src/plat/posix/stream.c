/* SPDX-License-Identifier: MIT */
#include "plat.h"
#include "posix.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void plat_keep_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) /* the lowest free number is fd */
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    signal(SIGXFSZ, SIG_IGN); /* children get the default, see spawn_helper.c */
}

int plat_open_null(void)
{
    return open("/dev/null", O_RDWR | O_CLOEXEC);
}

enum { OTHER_END_MS = 50 };

static bool is_fifo(int fd)
{
    struct stat st;
    return !fstat(fd, &st) && S_ISFIFO(st.st_mode);
}

static bool names_fifo(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISFIFO(st.st_mode);
}

static int interrupted(int fd)
{
    plat_close(fd);
    errno = EINTR;
    return -1;
}

int posix_open(const char *path, int flags)
{
    int fd;
    while ((fd = open(path, flags | O_NONBLOCK, 0666)) < 0 && errno == ENXIO && names_fifo(path)) {
        poll(NULL, 0, OTHER_END_MS);
        if (plat_signal())
            return interrupted(-1);
    }
    if (fd < 0)
        return -1;
    struct pollfd writer = {.fd = fd, .events = POLLIN};
    while ((flags & O_ACCMODE) == O_RDONLY && is_fifo(fd) && poll(&writer, 1, OTHER_END_MS) <= 0)
        if (plat_signal())
            return interrupted(fd);
    fcntl(fd, F_SETFL, flags & O_APPEND);
    return fd;
}

int plat_open_input(const char *path, struct tare_err *err)
{
    int fd = posix_open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        posix_fail(err, errno, "cannot open %s for reading", path);
    return fd;
}

int plat_open_output(const char *path, struct tare_err *err)
{
    int fd = posix_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC);
    if (fd < 0)
        posix_fail(err, errno, "cannot open %s for writing", path);
    return fd;
}

enum tare_status plat_pipe(int *read_end, int *write_end, struct tare_err *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return posix_fail(err, errno, "cannot make a pipe");
    *read_end = ends[0];
    *write_end = ends[1];
    return TARE_OK;
}

enum tare_status plat_rewind(int fd)
{
    if (lseek(fd, 0, SEEK_SET) >= 0 || errno == ESPIPE)
        return TARE_OK;
    return posix_status(errno);
}

bool plat_rewinds(int fd)
{
    return lseek(fd, 0, SEEK_CUR) >= 0;
}

bool plat_is_file(int fd)
{
    struct stat st;
    return !fstat(fd, &st) && S_ISREG(st.st_mode);
}

void plat_close(int fd)
{
    if (fd >= 0)
        close(fd);
}

void plat_wait_socket(int fd, bool writing, int64_t ns)
{
    struct pollfd of = {.fd = fd, .events = writing ? POLLIN | POLLOUT : POLLIN};
    poll(&of, 1, (int)((ns + 999999) / 1000000));
}

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
    int error = posix_read_at(fd, offset, bytes, n);
    return error ? posix_fail(err, error > 0 ? error : EIO, "cannot read a command's output") : TARE_OK;
}

enum tare_status plat_scratch_write(int fd, const void *bytes, size_t n, struct tare_err *err)
{
    int error = posix_write_all(fd, bytes, n);
    return error ? posix_fail(err, error, "cannot pass on a command's output") : TARE_OK;
}
