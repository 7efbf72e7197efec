/* SPDX-License-Identifier: MIT
 *
 * Where nobody can write: containers see /sys and /proc/sys through mounts that are read-only, whoever asks.
 */
#include "knob_look.h"
#include <string.h>

/* "36 35 98:0 /root /point rw,noatime master:1 - sysfs sysfs rw" */
struct mount {
    const char *point, *options,
        *of_whole; /* each ends at a blank or at the line's end; of_whole: of all mounts of that file system */
};

static const char *next_word(const char *p)
{
    p += strcspn(p, " \n");
    return *p == ' ' ? p + 1 : p;
}

static struct mount mount_of_line(const char *line, size_t n)
{
    const char *p = line;
    for (int i = 0; i < 4; i++)
        p = next_word(p);
    struct mount m = {.point = p, .options = next_word(p), .of_whole = line + n};
    while (m.of_whole > line && m.of_whole[-1] != ' ')
        m.of_whole--;
    return m;
}

/* Options begin with "rw" or "ro". */
static bool is_read_only(const char *options)
{
    return !strncmp(options, "ro", 2) && strchr(", \n", options[2]);
}

static bool is_below(const char *path, const char *point, size_t n)
{
    if (n == 1 && *point == '/')
        return true;
    return !strncmp(path, point, n) && (path[n] == '/' || !path[n]);
}

/* The innermost mount counts, of several at one place the last. */
const char *mount_read_only(struct look *l, const char *path)
{
    struct mount found = {NULL, NULL, NULL};
    size_t longest = 0;
    for (const char *line = l->sources->mounts; *line;) {
        size_t length = strcspn(line, "\n");
        struct mount m = mount_of_line(line, length);
        size_t n = strcspn(m.point, " \n");
        if (n >= longest && is_below(path, m.point, n)) {
            found = m;
            longest = n;
        }
        line += length + (line[length] != 0);
    }
    if (!longest || (!is_read_only(found.options) && !is_read_only(found.of_whole)))
        return NULL;
    return look_say(l, "%.*s", (int)longest, found.point);
}
