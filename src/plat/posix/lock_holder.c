/* SPDX-License-Identifier: MIT
 *
 * Who has the lock of flock(2) on an open file. Only Linux tells, in /proc/locks: a line a lock, "1: FLOCK  ADVISORY  WRITE 6795 fe:00:11780572 0 EOF", with
 * the process that took it, the device and the inode. That process may have ended, its lock inherited by a child, and its number may be another's by now; so
 * it is believed only where it has the file open.
 */
#include "posix.h"
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static bool has_open(int pid, const struct stat *file)
{
    char name[64];
    struct buf path = buf_over(name, sizeof name);
    buf_format(&path, "/proc/%d/fd", pid);
    DIR *fds = opendir(name);
    bool found = false;
    for (struct dirent *entry; fds && !found && (entry = readdir(fds));) {
        struct stat st;
        found = !fstatat(dirfd(fds), entry->d_name, &st, 0) && st.st_dev == file->st_dev && st.st_ino == file->st_ino;
    }
    if (fds)
        closedir(fds);
    return found;
}

/* The number that ends here, in front of a blank. */
static int number_before(const char *start, const char *end)
{
    int64_t pid = 0, digit = 1;
    while (end > start && end[-1] >= '0' && end[-1] <= '9' && digit < INT32_MAX) {
        pid += digit * (*--end - '0');
        digit *= 10;
    }
    return pid < INT32_MAX ? (int)pid : 0;
}

static int holder_in(const char *locks, const struct stat *file)
{
    char text[64];
    struct buf b = buf_over(text, sizeof text);
    buf_format(&b, " %02x:%02x:%llu ", major(file->st_dev), minor(file->st_dev), (unsigned long long)file->st_ino);
    for (const char *line = locks, *end; *line; line = *end ? end + 1 : end) {
        end = line + strcspn(line, "\n");
        const char *at = strstr(line, text), *kind = strstr(line, ": FLOCK "); /* who waits has an arrow between */
        if (at && at < end && kind && kind < at)
            return number_before(line, at);
    }
    return 0;
}

int posix_lock_holder(int fd)
{
    struct stat file;
    struct buf locks = BUF_INIT(1 << 22);
    int pid = 0;
    if (!fstat(fd, &file) && !plat_file_read("/proc/locks", &locks, NULL))
        pid = holder_in(buf_text(&locks), &file);
    buf_finish(&locks);
    return pid > 0 && has_open(pid, &file) ? pid : 0;
}
