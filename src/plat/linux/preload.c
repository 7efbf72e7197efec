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

static bool read_at(int fd, void *bytes, size_t n, off_t at)
{
    return pread(fd, bytes, n, at) == (ssize_t)n;
}

/* A part of this type; one that holds this address where `address` is not 0. */
static bool find_part(int fd, const Elf64_Ehdr *head, uint32_t type, uint64_t address, Elf64_Phdr *part)
{
    for (int i = 0; i < head->e_phnum; i++)
        if (read_at(fd, part, sizeof *part, (off_t)(head->e_phoff + (size_t)i * sizeof *part)) && part->p_type == type &&
            (!address || (address >= part->p_vaddr && address - part->p_vaddr < part->p_filesz)))
            return true;
    return false;
}

/* The name at an offset of the table of strings that lies at `strings` in memory. */
static bool names_sanitizer(int fd, const Elf64_Ehdr *head, uint64_t strings, uint64_t offset)
{
    static const char *const runtimes[] = {"libasan.so", "libtsan.so", "libmsan.so", "liblsan.so", "libhwasan.so"};
    Elf64_Phdr part;
    char name[16] = "";
    if (!find_part(fd, head, PT_LOAD, strings, &part) ||
        pread(fd, name, sizeof name - 1, (off_t)(part.p_offset + (strings - part.p_vaddr) + offset)) <= 0)
        return false;
    for (size_t i = 0; i < sizeof runtimes / sizeof *runtimes; i++)
        if (!strncmp(name, runtimes[i], strlen(runtimes[i])))
            return true;
    return false;
}

/* A sanitizer's library must come first of all: it ends the program where another one does. */
static bool needs_sanitizer(int fd, const Elf64_Ehdr *head)
{
    enum { ENTRIES_MAX = 256 };
    Elf64_Dyn entries[ENTRIES_MAX];
    Elf64_Phdr part;
    uint64_t strings = 0;
    if (!find_part(fd, head, PT_DYNAMIC, 0, &part))
        return false;
    ssize_t bytes = pread(fd, entries, part.p_filesz < sizeof entries ? part.p_filesz : sizeof entries, (off_t)part.p_offset);
    int n = bytes > 0 ? (int)((size_t)bytes / sizeof *entries) : 0;
    for (int i = 0; i < n && entries[i].d_tag != DT_NULL; i++)
        if (entries[i].d_tag == DT_STRTAB)
            strings = entries[i].d_un.d_ptr;
    for (int i = 0; strings && i < n && entries[i].d_tag != DT_NULL; i++)
        if (entries[i].d_tag == DT_NEEDED && names_sanitizer(fd, head, strings, entries[i].d_un.d_val))
            return true;
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
    Elf64_Phdr part;
    if (!find_part(fd, &head, PT_INTERP, 0, &part))
        return "it is statically linked";
    return needs_sanitizer(fd, &head) ? "it is built with a sanitizer, whose library must be loaded first" : NULL;
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
