/* SPDX-License-Identifier: MIT */
#include "copied_file.h"
#include "whole.h"
#include <string.h>

static const char blanks[] = " \t\r\n";

/* The next word at or behind p, *n bytes; its start is at *n = 0 the end. */
static const char *word_at(const char *p, size_t *n)
{
    p += strspn(p, blanks);
    *n = strcspn(p, blanks);
    return p;
}

static bool is_word(const char *at, size_t n, const char *word, size_t word_n)
{
    return n == word_n && !memcmp(at, word, n);
}

static bool ends_a_line(const char *text)
{
    size_t n = strlen(text);
    return n && text[n - 1] == '\n';
}

/* ---- "always [madvise] never" ---- */

static bool offers(const char *held, const char *word, size_t word_n)
{
    size_t n;
    for (const char *p = word_at(held, &n); n; p = word_at(p + n, &n)) {
        bool chosen = n > 2 && p[0] == '[' && p[n - 1] == ']';
        if (is_word(p + chosen, n - 2 * (size_t)chosen, word, word_n))
            return true;
    }
    return false;
}

static bool select_word(struct buf *out, const char *held, const char *text)
{
    size_t n, word_n;
    const char *word = word_at(text, &word_n);
    if (!offers(held, word, word_n))
        return false;
    for (const char *last = held, *p = word_at(held, &n); n; last = p + n, p = word_at(last, &n)) {
        bool chosen = n > 2 && p[0] == '[' && p[n - 1] == ']';
        const char *bare = p + chosen;
        size_t bare_n = n - 2 * (size_t)chosen;
        bool now = is_word(bare, bare_n, word, word_n);
        buf_format(out, "%.*s%s%.*s%s", (int)(p - last), last, now ? "[" : "", (int)bare_n, bare, now ? "]" : "");
    }
    return true;
}

/* ---- "cpu cpuset memory" ---- */

static void add_word(struct buf *out, size_t start, const char *at, size_t n)
{
    buf_str(out, out->len > start ? " " : "");
    buf_add(out, at, n);
}

static void switch_words(struct buf *out, const char *held, const char *text)
{
    size_t n, word_n, start = out->len;
    const char *word = word_at(text, &word_n);
    bool there = false;
    for (const char *p = word_at(held, &n); n; p = word_at(p + n, &n)) {
        bool same = is_word(p, n, word + 1, word_n - 1);
        there |= same;
        if (!same || *word == '+')
            add_word(out, start, p, n);
    }
    if (!there && *word == '+')
        add_word(out, start, word + 1, word_n - 1);
}

/* ---- lists of tasks ---- */

static void add_task(struct buf *out, int64_t id)
{
    buf_format(out, "%lld\n", (long long)id);
}

static void join(struct buf *out, const char *held, const char *text)
{
    const char *p = text, *end = held + strlen(held);
    int64_t task = -1, id;
    bool joined = !whole_take(&p, text + strlen(text), 10, &task);
    for (p = held; p < end;) {
        if (!whole_take(&p, end, 10, &id)) {
            p++;
            continue;
        }
        if (!joined && id >= task) {
            add_task(out, task);
            joined = true;
        }
        if (joined && id == task)
            continue;
        add_task(out, id);
    }
    if (!joined)
        add_task(out, task);
}

void copied_file_loses(struct buf *out, const char *held, const char *task)
{
    size_t n, task_n;
    const char *gone = word_at(task, &task_n);
    for (const char *p = word_at(held, &n); n; p = word_at(p + n, &n))
        if (!is_word(p, n, gone, task_n))
            buf_format(out, "%.*s\n", (int)n, p);
}

/* ---- any ---- */

static bool is_named(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    return !strcmp(slash ? slash + 1 : path, name);
}

static void replace(struct buf *out, const char *text)
{
    size_t n = strlen(text);
    while (n && text[n - 1] == '\n')
        n--;
    buf_add(out, text, n);
}

bool copied_file_takes(struct buf *out, const char *path, const char *held, const char *text)
{
    if (is_named(path, "tasks") || is_named(path, "cgroup.procs")) {
        join(out, held, text);
        return true;
    }
    if (strchr(held, '[') && strchr(held, ']')) {
        if (!select_word(out, held, text))
            return false;
    } else if (is_named(path, "cgroup.subtree_control") && (*text == '+' || *text == '-')) {
        switch_words(out, held, text);
    } else {
        replace(out, text);
    }
    buf_str(out, ends_a_line(held) ? "\n" : "");
    return true;
}
