/* SPDX-License-Identifier: MIT */
#include "proc_text.h"
#include "whole.h"
#include <string.h>

/* What is left of a text. */
struct rest {
    const char *p, *end;
};

static struct rest rest_of(const char *text, size_t n)
{
    return (struct rest){text, text + n};
}

static void skip_blanks(struct rest *r)
{
    while (r->p < r->end && *r->p == ' ')
        r->p++;
}

static bool take_number(struct rest *r, int64_t *out)
{
    skip_blanks(r);
    return whole_take(&r->p, r->end, 10, out);
}

static bool take_word(struct rest *r, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(r->end - r->p) < n || memcmp(r->p, word, n))
        return false;
    r->p += n;
    return true;
}

/* One field of any kind, up to the next blank. */
static bool skip_field(struct rest *r)
{
    skip_blanks(r);
    const char *first = r->p;
    while (r->p < r->end && *r->p != ' ' && *r->p != '\n')
        r->p++;
    return r->p > first;
}

static bool next_line(struct rest *r)
{
    const char *newline = r->p < r->end ? memchr(r->p, '\n', (size_t)(r->end - r->p)) : NULL;
    r->p = newline ? newline + 1 : r->end;
    return r->p < r->end;
}

/* ---- figures ---- */

/* Sums of counters stay far from the end of the type, whatever a file claims. */
static bool is_sane(const int64_t *v, int n)
{
    for (int i = 0; i < n; i++)
        if (v[i] > INT64_MAX / 16)
            return false;
    return true;
}

bool proc_cpu_parse(const char *text, size_t n, struct proc_cpu *out)
{
    enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, FIELDS };
    struct rest r = rest_of(text, n);
    int64_t v[FIELDS];
    if (!take_word(&r, "cpu "))
        return false;
    for (int i = 0; i < FIELDS; i++)
        if (!take_number(&r, &v[i]))
            return false;
    if (!is_sane(v, FIELDS))
        return false;
    *out = (struct proc_cpu){v[USER] + v[NICE] + v[SYSTEM] + v[IRQ] + v[SOFTIRQ], v[IDLE] + v[IOWAIT], v[STEAL]};
    return true;
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

bool proc_pressure_parse(const char *text, size_t n, int64_t *some_us)
{
    struct rest r = rest_of(text, n);
    if (!take_word(&r, "some "))
        return false;
    for (; r.p < r.end && *r.p != '\n'; skip_field(&r)) {
        skip_blanks(&r);
        if (take_word(&r, "total="))
            return take_number(&r, some_us);
    }
    return false;
}

/* ---- processes ---- */

static const char *last_of(const char *first, const char *end, char c)
{
    while (end > first)
        if (*--end == c)
            return end;
    return NULL;
}

/* A name may hold blanks and parentheses of its own, so it ends at the last one. */
static bool take_name(struct rest *r, char *name)
{
    skip_blanks(r);
    const char *first = r->p + 1, *last = last_of(r->p, r->end, ')');
    if (r->p >= r->end || *r->p != '(' || !last || last < first)
        return false;
    size_t n = (size_t)(last - first);
    n = n < PROC_NAME_MAX ? n : PROC_NAME_MAX - 1;
    memcpy(name, first, n);
    name[n] = 0;
    r->p = last + 1;
    return true;
}

static bool skip_fields(struct rest *r, int count)
{
    for (int i = 0; i < count; i++)
        if (!skip_field(r))
            return false;
    return true;
}

static bool take_state(struct rest *r, bool *ended)
{
    skip_blanks(r);
    *ended = r->p < r->end && *r->p == 'Z';
    return skip_field(r);
}

/* pid (name) state ppid, 9 fields, utime stime cutime cstime, 4 fields, starttime: proc(5). */
bool proc_process_parse(const char *text, size_t n, struct proc_process *out)
{
    struct rest r = rest_of(text, n);
    struct proc_process p;
    int64_t v[4];
    bool good = take_number(&r, &p.id) && take_name(&r, p.name) && take_state(&r, &p.ended) && take_number(&r, &p.parent) &&
                skip_fields(&r, 9);
    for (int i = 0; i < 4; i++)
        good = good && take_number(&r, &v[i]);
    if (!good || !skip_fields(&r, 4) || !take_number(&r, &p.started) || !is_sane(v, 4))
        return false;
    p.ticks = v[0] + v[1];
    p.children_ticks = v[2] + v[3];
    *out = p;
    return true;
}

/* ---- control groups ---- */

/* Whether a list "cpu,cpuacct" has this member. */
static bool has_member(const char *list, size_t n, const char *member)
{
    size_t m = strlen(member);
    for (const char *p = list, *end = list + n; p < end;) {
        const char *comma = memchr(p, ',', (size_t)(end - p));
        size_t item = (size_t)((comma ? comma : end) - p);
        if (item == m && !memcmp(p, member, m))
            return true;
        p += item + 1;
    }
    return false;
}

/* "4:cpu,cpuacct:/path", in version 2 "0::/path". */
static bool group_line(const char *line, size_t n, enum proc_groups version, struct buf *path)
{
    const char *first = memchr(line, ':', n);
    const char *second = first ? memchr(first + 1, ':', n - (size_t)(first + 1 - line)) : NULL;
    if (!second)
        return false;
    size_t list = (size_t)(second - first - 1);
    if (version == PROC_GROUPS_2 ? list > 0 || *line != '0' : !has_member(first + 1, list, "cpu"))
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
static int split(const char *line, size_t n, const char **field, size_t *length)
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

static bool is(const char *s, size_t n, const char *word)
{
    return n == strlen(word) && !memcmp(s, word, n);
}

/* "36 35 98:0 /root /point options [tags...] - type source super-options". */
static bool mount_line(const char *line, size_t n, enum proc_groups version, struct buf *root, struct buf *point)
{
    enum { ROOT = 3, POINT = 4, TAGS = 6 };
    const char *field[MOUNT_FIELDS];
    size_t length[MOUNT_FIELDS];
    int count = split(line, n, field, length), dash = TAGS;
    while (dash < count && !is(field[dash], length[dash], "-"))
        dash++;
    if (dash + 3 >= count)
        return false;
    const int type = dash + 1, options = dash + 3;
    bool fits = version == PROC_GROUPS_2
                    ? is(field[type], length[type], "cgroup2")
                    : is(field[type], length[type], "cgroup") && has_member(field[options], length[options], "cpu");
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
