/* SPDX-License-Identifier: MIT
 *
 * A file in memory without a name. Measured programs reach it as a descriptor of ours under /proc, so nothing is left behind
 * whatever happens, and their own descriptors stay as the user left them. */
#include "plat_memory.h"
#include "posix.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

static enum tare_status map(struct plat_shared *s, struct tare_err *err)
{
    bool sized = !ftruncate(s->fd, (off_t)s->bytes);
    (void)fcntl(s->fd, F_ADD_SEALS,
                F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL); /* a command that cuts it would end us with SIGBUS */
    void *at = sized ? mmap(NULL, s->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0) : MAP_FAILED;
    if (at == MAP_FAILED)
        return posix_fail(err, errno, "cannot make memory to share with the commands");
    s->memory = at;
    struct buf b = buf_over(s->path, sizeof s->path);
    buf_format(&b, "/proc/%d/fd/%d", plat_pid(), s->fd);
    return TARE_OK;
}

enum tare_status plat_shared_create(struct plat_shared *out, size_t bytes, struct tare_err *err)
{
    *out = (struct plat_shared){.bytes = bytes, .fd = memfd_create("tare-shared", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
    enum tare_status status =
        out->fd < 0 ? posix_fail(err, errno, "cannot make memory to share with the commands") : map(out, err);
    if (status)
        plat_shared_destroy(out);
    return status;
}

void plat_shared_destroy(struct plat_shared *s)
{
    if (s->memory)
        munmap(s->memory, s->bytes);
    if (s->bytes)
        plat_close(s->fd);
    *s = (struct plat_shared){0};
}
