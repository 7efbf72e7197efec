/* SPDX-License-Identifier: MIT */
#include "peak.h"
#include "same_text.h"
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void name_file(struct buf *b, const char *folder, const char *file)
{
    buf_clear(b);
    buf_format(b, "%s/%s", folder, file);
}

/* Empty when it cannot be read. */
static void read_uint(struct buf *text, const char *folder, const char *file)
{
    struct buf path = BUF_INIT(2 * PEAK_GROUP_PATH);
    name_file(&path, folder, file);
    buf_clear(text);
    if (plat_file_read(buf_text(&path), text, NULL))
        buf_clear(text);
    buf_finish(&path);
}

static bool write_number(const char *folder, const char *file, int64_t number)
{
    struct buf path = BUF_INIT(2 * PEAK_GROUP_PATH), text = BUF_INIT(32);
    name_file(&path, folder, file);
    buf_format(&text, "%lld\n", (long long)number);
    int fd = open(buf_text(&path), O_WRONLY | O_CLOEXEC);
    bool written = fd >= 0 && write(fd, text.data, text.len) == (ssize_t)text.len;
    plat_close(fd);
    buf_finish(&text);
    buf_finish(&path);
    return written;
}

/* The next whole number of the text; -1 at its end. Moves on. */
static int64_t next_number(const char **at)
{
    *at += strcspn(*at, "0123456789");
    if (!**at)
        return -1;
    int64_t value = 0;
    for (; **at >= '0' && **at <= '9' && value < INT64_MAX / 10 - 9; ++*at)
        value = value * 10 + (**at - '0');
    return value;
}

/* The mount point of version 2 in a line of mountinfo: the fifth field, where the type behind " - " is cgroup2. */
static bool mount_of(const char *line, size_t n, struct buf *out)
{
    const char *end = line + n, *at = line;
    const char *dash = memmem(line, n, " - cgroup2 ", 11);
    for (int field = 1; dash && field < 5 && at; field++) {
        at = memchr(at, ' ', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    if (!dash || !at)
        return false;
    const char *stop = memchr(at, ' ', (size_t)(end - at));
    buf_add(out, at, stop ? (size_t)(stop - at) : 0);
    return stop && !memchr(at, '\\', (size_t)(stop - at)); /* a blank in it: not worth the decoding */
}

static bool find_root(struct buf *out)
{
    struct buf text = BUF_INIT(1 << 20);
    bool found = false;
    if (!plat_file_read("/proc/self/mountinfo", &text, NULL))
        for (const char *line = buf_text(&text); !found && *line; line += strcspn(line, "\n"), line += *line == '\n') {
            buf_clear(out);
            found = mount_of(line, strcspn(line, "\n"), out);
        }
    buf_finish(&text);
    return found;
}

/* Our group's folder below `root`: the line "0::/path" of /proc/self/cgroup. */
static bool find_home(const char *root, char *home)
{
    struct buf text = BUF_INIT(1 << 16), path = BUF_INIT(PEAK_GROUP_PATH - 64);
    plat_file_read("/proc/self/cgroup", &text, NULL);
    const char *line = buf_text(&text);
    while (*line && strncmp(line, "0::/", 4))
        line += strcspn(line, "\n"), line += *line == '\n';
    buf_str(&path, root);
    if (*line)
        buf_add(&path, line + 3, strcspn(line + 3, "\n"));
    while (path.len && path.data[path.len - 1] == '/')
        path.data[--path.len] = 0;
    bool found = *line && !path.status && path.len;
    if (found)
        memcpy(home, path.data, path.len + 1);
    buf_finish(&path);
    buf_finish(&text);
    return found;
}

/* A new group in the folder, if its members have memory accounts and we may put a process there. */
static bool make_in(struct peak_group *g, const char *folder, int pid)
{
    struct buf text = BUF_INIT(1 << 12);
    read_uint(&text, folder, "cgroup.subtree_control");
    bool on = text_lists(buf_text(&text), text.len, " \n", "memory", strlen("memory"));
    buf_finish(&text);
    struct buf path = buf_over(g->path, sizeof g->path);
    buf_format(&path, "%s/tare-%d-%d", folder, (int)getpid(), pid);
    if (!on || path.status || mkdir(g->path, 0755)) {
        g->path[0] = 0;
        return false;
    }
    read_uint(&text, g->path, "memory.peak");
    bool there = text.len > 0;
    buf_finish(&text);
    if (there && write_number(g->path, "cgroup.procs", pid))
        return true;
    rmdir(g->path);
    g->path[0] = 0;
    return false;
}

enum plat_peak_why peak_group_open(struct peak_group *g, const char *root, int pid)
{
    *g = (struct peak_group){0};
    struct buf found = BUF_INIT(PEAK_GROUP_PATH);
    if (root)
        buf_str(&found, root);
    bool made = (root || find_root(&found)) && find_home(buf_text(&found), g->home);
    size_t n = made ? strlen(buf_text(&found)) : 0;
    buf_finish(&found);
    if (!made)
        return PEAK_NO_GROUP;
    if (make_in(g, g->home, pid))
        return PEAK_KNOWN;
    char above[PEAK_GROUP_PATH];
    memcpy(above, g->home, sizeof above);
    char *slash = strrchr(above, '/');
    if (!slash || (size_t)(slash - above) < n) /* ours is the root */
        return PEAK_NO_GROUP;
    *slash = 0;
    return make_in(g, above, pid) ? PEAK_KNOWN : PEAK_NO_GROUP;
}

/* Those that outlive the child keep their group from being removed. */
static void move_home(const struct peak_group *g)
{
    struct buf text = BUF_INIT(1 << 20);
    read_uint(&text, g->path, "cgroup.procs");
    const char *at = buf_text(&text);
    for (int64_t pid; (pid = next_number(&at)) > 0;)
        write_number(g->home, "cgroup.procs", pid);
    buf_finish(&text);
}

int64_t peak_group_close(struct peak_group *g)
{
    if (!g->path[0])
        return -1;
    struct buf text = BUF_INIT(64);
    read_uint(&text, g->path, "memory.peak");
    const char *at = buf_text(&text);
    int64_t bytes = next_number(&at);
    buf_finish(&text);
    if (rmdir(g->path)) {
        move_home(g);
        rmdir(g->path);
    }
    g->path[0] = 0;
    return bytes;
}
