/* SPDX-License-Identifier: MIT
 *
 * A file that grows in place: addresses are kept for all that it may become, and its parts are mapped there as they come. What is mapped
 * has blocks on the disk, so that a store never fails. System calls are made by syscall(2), as the C library's calls are points at
 * which threads are cancelled.
 */
#include "plat_trace.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum { BLOCK = 4096, PART = 16384, HIGH_DESCRIPTOR = 900 };
static const uint64_t LEAST_ADDRESSES = 1 << 20;

static int opened(long result)
{
    return result < 0 ? -1 : (int)result;
}

/* Out of the way of programs that count on low numbers, or close them. */
static int moved_up(int fd)
{
    int high = fcntl(fd, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR);
    if (high < 0)
        return fd;
    syscall(SYS_close, fd);
    return high;
}

static bool is_ours(const struct plat_window *w, int fd)
{
    struct stat st;
    return fd >= 0 && !fstat(fd, &st) && (uint64_t)st.st_dev == w->device && (uint64_t)st.st_ino == w->inode;
}

/* Where the process may not have many, most are left to the program. */
static unsigned char *keep_addresses(uint64_t *bytes)
{
    struct rlimit limit;
    if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY && *bytes > limit.rlim_cur / 8)
        *bytes = limit.rlim_cur / 8 / PART * PART;
    for (const uint64_t least = *bytes < LEAST_ADDRESSES ? *bytes : LEAST_ADDRESSES; *bytes && *bytes >= least; *bytes /= 2) {
        void *at = mmap(NULL, *bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at != MAP_FAILED)
            return at;
    }
    return NULL;
}

int plat_window_create(struct plat_window *w, const char *path, uint64_t bytes_max)
{
    struct stat st;
    size_t n = strlen(path);
    if (n >= sizeof w->path)
        return ENAMETOOLONG;
    memmove(w->path, path, n + 1);
    w->base = NULL;
    w->fd = -1;
    int fd = opened(syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (fd < 0)
        return errno;
    w->fd = moved_up(fd);
    w->bytes = bytes_max;
    if (fstat(w->fd, &st) || !(w->base = keep_addresses(&w->bytes))) {
        int error = errno;
        syscall(SYS_unlinkat, AT_FDCWD, path, 0);
        syscall(SYS_close, w->fd);
        w->fd = -1;
        return error;
    }
    w->device = (uint64_t)st.st_dev;
    w->inode = (uint64_t)st.st_ino;
    return 0;
}

/* The program may have closed our descriptor, and opened something else that got its number. */
static int descriptor(struct plat_window *w)
{
    if (is_ours(w, w->fd))
        return w->fd;
    int fd = opened(syscall(SYS_openat, AT_FDCWD, w->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    if (fd < 0)
        return -1;
    if (!is_ours(w, fd)) {
        syscall(SYS_close, fd);
        errno = ESTALE;
        return -1;
    }
    return w->fd = moved_up(fd);
}

static bool over_limit(uint64_t end)
{
    struct rlimit limit;
    return !getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY && end > limit.rlim_cur;
}

/* For file systems without fallocate: a byte in each block. */
static int write_blocks(int fd, uint64_t offset, uint64_t bytes)
{
    static const char zeros[BLOCK];
    for (uint64_t at = offset; at < offset + bytes; at += sizeof zeros) {
        long n = syscall(SYS_pwrite64, fd, zeros, sizeof zeros, at);
        if (n != (long)sizeof zeros)
            return n < 0 ? errno : ENOSPC;
    }
    return 0;
}

static int allocate(int fd, uint64_t offset, uint64_t bytes)
{
    long result;
    do
        result = syscall(SYS_fallocate, fd, 0, offset, bytes);
    while (result < 0 && errno == EINTR);
    if (!result)
        return 0;
    return errno == EOPNOTSUPP || errno == ENOSYS ? write_blocks(fd, offset, bytes) : errno;
}

int plat_window_grow(struct plat_window *w, uint64_t offset, uint64_t bytes)
{
    if (offset + bytes > w->bytes)
        return ENOMEM;
    if (over_limit(offset + bytes))
        return EFBIG;
    int fd = descriptor(w);
    int error = fd < 0 ? errno : allocate(fd, offset, bytes);
    if (error)
        return error;
    void *at = mmap(w->base + offset, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, (off_t)offset);
    return at == MAP_FAILED ? errno : 0;
}

/* Kernels before 5.14 fetch a page when it is touched. The pages are their writer's alone, and zero. */
void plat_window_ready(const struct plat_window *w, uint64_t offset, uint64_t bytes)
{
    if (!madvise(w->base + offset, bytes, MADV_POPULATE_WRITE))
        return;
    for (uint64_t at = offset; at < offset + bytes; at += BLOCK)
        *(volatile unsigned char *)(w->base + at) = 0;
}

void plat_window_leave(const struct plat_window *w, uint64_t offset, uint64_t bytes)
{
    madvise(w->base + offset, bytes, MADV_DONTNEED);
}

int plat_window_sync(const struct plat_window *w, uint64_t offset, uint64_t bytes)
{
    return syscall(SYS_msync, w->base + offset, bytes, MS_SYNC) ? errno : 0;
}

void plat_window_mark(const char *path, uint64_t offset, uint32_t from, uint32_t to)
{
    uint32_t now = 0;
    long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return;
    if (syscall(SYS_pread64, fd, &now, sizeof now, offset) == (long)sizeof now && now == from)
        (void)!syscall(SYS_pwrite64, fd, &to, sizeof to, offset);
    syscall(SYS_close, fd);
}

void plat_window_inherited(struct plat_window *w, uint64_t grown_bytes)
{
    if (is_ours(w, w->fd))
        syscall(SYS_close, w->fd);
    if (w->base && grown_bytes < w->bytes)
        munmap(w->base + grown_bytes, w->bytes - grown_bytes);
    *w = (struct plat_window){.fd = -1};
}
