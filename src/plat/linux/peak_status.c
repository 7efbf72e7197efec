/* SPDX-License-Identifier: MIT */
#include "peak_status.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

enum {
    STATUS_BYTES = 8192
}; /* with the longest list of groups the lines looked for may be missing, and the task counts as unreadable */

/* ---- lines of /proc/PID/status ---- */

static uint64_t number(const char *p, unsigned base)
{
    uint64_t value = 0;
    for (;; p++) {
        unsigned digit = *p >= '0' && *p <= '9' ? (unsigned)(*p - '0') : *p >= 'a' && *p <= 'f' ? (unsigned)(*p - 'a') + 10 : 16;
        if (digit >= base)
            return value;
        value = value * base + digit;
    }
}

/* What stands behind "\nNAME:" and blanks; NULL: no such line. */
static const char *line_of(const char *text, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        if (!strncmp(at + 1, name, n) && at[1 + n] == ':')
            return at + 2 + n + strspn(at + 2 + n, " \t");
    return NULL;
}

/* Real, effective, saved: the second. */
static int64_t effective(const char *text, const char *name)
{
    const char *at = line_of(text, name);
    at = at ? strpbrk(at, " \t") : NULL;
    return at ? (int64_t)number(at + 1, 10) : -1;
}

static int64_t decimal(const char *text, const char *name, int64_t otherwise)
{
    const char *at = line_of(text, name);
    return at ? (int64_t)number(at, 10) : otherwise;
}

void peak_status_parse(struct peak_status *out, const char *text)
{
    const char *permitted = line_of(text, "CapPrm"), *bounding = line_of(text, "CapBnd");
    *out = (struct peak_status){
        .peak_kib = decimal(text, "VmHWM", -1),
        .tracer = decimal(text, "TracerPid", 0),
        .euid = effective(text, "Uid"),
        .egid = effective(text, "Gid"),
        .seccomp = decimal(text, "Seccomp", 0),
        .no_new_privileges = decimal(text, "NoNewPrivs", 0) == 1,
        .permitted = permitted ? number(permitted, 16) : 0,
        .bounding = bounding ? number(bounding, 16) : 0,
    };
}

static bool read_path(const char *path, char *text, size_t room)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    size_t n = 0;
    ssize_t more;
    while (n < room - 1 && (more = read(fd, text + n, room - 1 - n)) > 0)
        n += (size_t)more;
    close(fd);
    text[n] = 0;
    return n > 0;
}

static void name_path(char *room, size_t bytes, int task, const char *file)
{
    struct buf b = buf_over(room, bytes);
    buf_format(&b, "/proc/%d/%s", task, file);
}

static bool read_status(struct peak_status *out, int task)
{
    char path[48], text[STATUS_BYTES];
    name_path(path, sizeof path, task, "status");
    if (!read_path(path, text, sizeof text))
        return false;
    peak_status_parse(out, text);
    return true;
}

bool peak_status_read(struct peak_status *out, int task)
{
    return read_status(out, task) && out->peak_kib >= 0;
}

bool peak_status_ours(void)
{
    char text[16];
    ssize_t n = readlink("/proc/self", text, sizeof text - 1);
    text[n > 0 ? n : 0] = 0;
    return number(text, 10) == (uint64_t)getpid();
}

/* ---- privileges ---- */

/* The permitted set of the file's capabilities. */
static uint64_t file_capabilities(const char *path)
{
    struct vfs_ns_cap_data data;
    ssize_t n = getxattr(path, "security.capability", &data, sizeof data);
    if (n < (ssize_t)XATTR_CAPS_SZ_1)
        return 0;
    uint64_t low = data.data[0].permitted, high = n >= (ssize_t)XATTR_CAPS_SZ_2 ? data.data[1].permitted : 0;
    return low | high << 32;
}

static bool takes_no_privileges(const char *path)
{
    struct statvfs where;
    return !statvfs(path, &where) && where.f_flag & ST_NOSUID;
}

bool peak_status_lost_privileges(int task)
{
    char path[48];
    struct stat file;
    struct peak_status s;
    name_path(path, sizeof path, task, "exe");
    if (stat(path, &file) || !read_status(&s, task) || s.no_new_privileges || takes_no_privileges(path))
        return false;
    if (file.st_mode & S_ISUID && (int64_t)file.st_uid != s.euid)
        return true;
    if (file.st_mode & S_ISGID && file.st_mode & S_IXGRP && (int64_t)file.st_gid != s.egid)
        return true;
    return (file_capabilities(path) & s.bounding & ~s.permitted) != 0;
}

/* ---- refusals ---- */

enum plat_peak_why peak_status_why_not(int error, int task)
{
    char yama[16] = "";
    struct peak_status s = {0}, own = {0};
    if (error == ENOSYS)
        return PEAK_NO_PTRACE;
    if (error == EAGAIN || error == ENOMEM)
        return PEAK_NOT_BEGUN;
    if (read_status(&s, task) && s.tracer)
        return PEAK_TRACED_ALREADY;
    if (read_status(&own, getpid()) && own.seccomp)
        return PEAK_FILTERED;
    if (read_path("/proc/sys/kernel/yama/ptrace_scope", yama, sizeof yama) && *yama > '0')
        return PEAK_YAMA;
    return PEAK_FORBIDDEN;
}
