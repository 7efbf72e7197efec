/* SPDX-License-Identifier: MIT
 * The library that is preloaded, and the programs that will not take it. */
#include "linux.h"
#include "plat_memory.h"
#include "posix.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum tare_status plat_alloc_library(struct buf *path, struct tare_err *err)
{
    enum tare_status status = libexec_find(path, err);
    if (status)
        return status;
    buf_str(path, "/libtare_alloc.so");
    if (path->status)
        return err_set(err, path->status, "cannot name libtare_alloc.so: %s", tare_status_text(path->status));
    if (strpbrk(buf_text(path), ": "))
        return err_set(err, TARE_UNSUPPORTED, "the loader cannot preload %s: its path has a blank or a colon", buf_text(path));
    return access(buf_text(path), R_OK) ? posix_fail(err, errno, "cannot use %s", buf_text(path)) : TARE_OK;
}

/* ---- what the file says ---- */

static bool read_at(int fd, void *bytes, size_t n, off_t at)
{
    return pread(fd, bytes, n, at) == (ssize_t)n;
}

/* A program without an interpreter is its own loader, or needs none. */
static bool has_interpreter(int fd, const Elf64_Ehdr *head)
{
    for (int i = 0; i < head->e_phnum; i++) {
        Elf64_Phdr part;
        if (!read_at(fd, &part, sizeof part, (off_t)(head->e_phoff + (size_t)i * sizeof part)))
            return true; /* damaged: nothing is known against it */
        if (part.p_type == PT_INTERP)
            return true;
    }
    return false;
}

static const char *look_inside(int fd)
{
    Elf64_Ehdr head;
    if (!read_at(fd, &head, sizeof head, 0) || memcmp(head.e_ident, ELFMAG, SELFMAG))
        return NULL; /* a script: its shell takes it */
    if (head.e_ident[EI_CLASS] != ELFCLASS64)
        return "it is a 32-bit program";
    if (head.e_phentsize != sizeof(Elf64_Phdr))
        return NULL;
    return has_interpreter(fd, &head) ? NULL : "it is statically linked";
}

static bool gains_rights(int fd)
{
    struct stat st;
    if (fstat(fd, &st))
        return false;
    bool other_user = st.st_mode & S_ISUID && st.st_uid != geteuid();
    bool other_group = st.st_mode & S_ISGID && st.st_mode & S_IXGRP && st.st_gid != getegid();
    return other_user || other_group || fgetxattr(fd, "security.capability", NULL, 0) > 0;
}

const char *plat_preload_refused(const char *program)
{
    int fd = open(program, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return NULL;
    const char *why =
        gains_rights(fd) ? "it runs with rights of its own, so the loader ignores what is preloaded" : look_inside(fd);
    close(fd);
    return why;
}
