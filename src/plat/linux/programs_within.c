/* SPDX-License-Identifier: MIT
 *
 * tare's own programs where tare is one static file (TARE_ONE_FILE): parts of it, which are executed from memory, so that nothing is written to a disk and
 * nothing stays behind. Their paths are those of descriptors of ours under /proc.
 */
#include "linux.h"
#include "own_programs.h"
#include "plat.h"
#include "posix.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern const unsigned char own_spawn[], own_noop[], own_work[];
extern const unsigned long own_spawn_bytes, own_noop_bytes, own_work_bytes;

static int memory_file(const char *name)
{
    enum { EXECUTABLE = 0x10 }; /* MFD_EXEC of Linux 6.3, where it may have to be said */
    int fd = memfd_create(name, MFD_CLOEXEC | EXECUTABLE);
    return fd < 0 && errno == EINVAL ? memfd_create(name, MFD_CLOEXEC) : fd;
}

static int fill(int fd, const unsigned char *bytes, size_t n)
{
    if (fd < 0 || write(fd, bytes, n) == (ssize_t)n)
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

static enum tare_status name_one(char **path, const char *name, int fd, struct tare_err *err)
{
    struct buf text = BUF_INIT(64);
    buf_format(&text, "/proc/%d/fd/%d", (int)getpid(), fd);
    *path = text.data;
    if (text.status)
        return err_set(err, TARE_NO_MEMORY, "cannot name %s: out of memory", name);
    return access(*path, X_OK) ? posix_fail(err, errno, "cannot start %s out of memory, which needs /proc (%s)", name, *path)
                               : TARE_OK;
}

enum tare_status programs_find(char *paths[PROGRAMS], struct tare_err *err)
{
    static int fds[PROGRAMS] = {-1, -1, -1}; /* open as long as tare lives */
    const struct {
        const char *name;
        const unsigned char *bytes;
        size_t n;
    } within[PROGRAMS] = {[PROGRAM_SPAWN] = {"tare-spawn", own_spawn, own_spawn_bytes},
                          [PROGRAM_NOOP] = {"tare-noop", own_noop, own_noop_bytes},
                          [PROGRAM_WORK] = {"tare-work", own_work, own_work_bytes}};
    enum tare_status status = TARE_OK;
    for (int i = 0; i < PROGRAMS && !status; i++) {
        if (fds[i] < 0)
            fds[i] = fill(memory_file(within[i].name), within[i].bytes, within[i].n);
        status = fds[i] < 0 ? posix_fail(err, errno, "cannot put %s into memory", within[i].name)
                            : name_one(&paths[i], within[i].name, fds[i], err);
    }
    return status;
}

enum tare_status libexec_find(struct buf *folder, struct tare_err *err)
{
    (void)folder;
    return err_set(err, TARE_UNSUPPORTED, "this tare is one static file, without libtare_alloc.so; an installed tare has it");
}

const char *plat_option_unknown(const char *option)
{
    return strcmp(option, "--symbol") ? NULL : "this tare is one static file, which cannot load a library; an installed tare can";
}
