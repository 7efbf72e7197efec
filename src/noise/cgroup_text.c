/* SPDX-License-Identifier: MIT
 *
 * The texts of control groups: proc_text.h.
 */
#include "proc_rest.h"
#include "proc_text.h"
#include "same_text.h"

static bool next_line(struct rest *r)
{
    const char *newline = r->p < r->end ? memchr(r->p, '\n', (size_t)(r->end - r->p)) : NULL;
    r->p = newline ? newline + 1 : r->end;
    return r->p < r->end;
}

bool proc_value_parse(const char *text, size_t n, const char *key, int64_t *out)
{
    struct rest r = rest_of(text, n);
    int64_t value;
    do {
        if (take_word(&r, key) && r.p < r.end && *r.p == ' ') {
            if (!take_number(&r, &value))
                return false;
            *out = value;
            return true;
        }
    } while (next_line(&r));
    return false;
}

/* Whether a list "cpu,cpuacct" has the controller of that hierarchy of version 1. */
static bool has_controller(const char *list, size_t n, enum proc_groups version)
{
    const char *name = version == PROC_SETS_1 ? "cpuset" : "cpu";
    return text_lists(list, n, ",", name, strlen(name));
}

/* "4:cpu,cpuacct:/path", in version 2 "0::/path". */
static bool group_line(const char *line, size_t n, enum proc_groups version, struct buf *path)
{
    const char *first = memchr(line, ':', n);
    const char *second = first ? memchr(first + 1, ':', n - (size_t)(first + 1 - line)) : NULL;
    if (!second)
        return false;
    size_t list = (size_t)(second - first - 1);
    if (version == PROC_GROUPS_2 ? list > 0 || *line != '0' : !has_controller(first + 1, list, version))
        return false;
    buf_add(path, second + 1, n - (size_t)(second + 1 - line));
    return true;
}

bool proc_group_parse(const char *text, enum proc_groups version, struct buf *path)
{
    for (const char *line = text; *line;) {
        size_t n = strcspn(line, "\n");
        if (group_line(line, n, version, path))
            return !path->status;
        line += n + (line[n] == '\n');
    }
    return false;
}

static int octal(const char *s)
{
    int value = 0;
    for (int i = 0; i < 3; i++) {
        if (s[i] < '0' || s[i] > '7')
            return -1;
        value = value * 8 + (s[i] - '0');
    }
    return value < 256 ? value : -1;
}

/* Blanks and the like stand as \040 in a path. */
static void add_path(struct buf *out, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int c = s[i] == '\\' && n - i > 3 ? octal(s + i + 1) : -1;
        buf_char(out, c > 0 ? (char)c : s[i]);
        i += c > 0 ? 3 : 0;
    }
}

enum { MOUNT_FIELDS = 64 };

/* Splits at blanks; at most MOUNT_FIELDS fields count. */
static int split_line(const char *line, size_t n, const char **field, size_t *length)
{
    int count = 0;
    for (size_t i = 0; i < n && count < MOUNT_FIELDS;) {
        size_t begin = i;
        while (i < n && line[i] != ' ')
            i++;
        field[count] = line + begin;
        length[count++] = i - begin;
        i++;
    }
    return count;
}

static bool is_word(const char *s, size_t n, const char *word)
{
    return n == strlen(word) && !memcmp(s, word, n);
}

/* "36 35 98:0 /root /point options [tags...] - type source super-options". */
static bool mount_line(const char *line, size_t n, enum proc_groups version, struct buf *root, struct buf *point)
{
    enum { ROOT = 3, POINT = 4, TAGS = 6 };
    const char *field[MOUNT_FIELDS];
    size_t length[MOUNT_FIELDS];
    int count = split_line(line, n, field, length), dash = TAGS;
    while (dash < count && !is_word(field[dash], length[dash], "-"))
        dash++;
    if (dash + 3 >= count)
        return false;
    const int type = dash + 1, options = dash + 3;
    bool fits = version == PROC_GROUPS_2
                    ? is_word(field[type], length[type], "cgroup2")
                    : is_word(field[type], length[type], "cgroup") && has_controller(field[options], length[options], version);
    if (!fits)
        return false;
    add_path(root, field[ROOT], length[ROOT]);
    add_path(point, field[POINT], length[POINT]);
    return true;
}

bool proc_mount_parse(const char *text, enum proc_groups version, struct buf *root, struct buf *point)
{
    for (const char *line = text; *line;) {
        size_t n = strcspn(line, "\n");
        if (mount_line(line, n, version, root, point))
            return !root->status && !point->status;
        line += n + (line[n] == '\n');
    }
    return false;
}

bool proc_cpu_max_parse(const char *text, size_t n, double *cpus)
{
    struct rest r = rest_of(text, n);
    int64_t quota, period;
    if (take_word(&r, "max")) {
        *cpus = 0;
        return true;
    }
    if (!take_number(&r, &quota) || !take_number(&r, &period) || quota <= 0 || period <= 0)
        return false;
    *cpus = (double)quota / (double)period;
    return true;
}
