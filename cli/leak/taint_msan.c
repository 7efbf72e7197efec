/* SPDX-License-Identifier: MIT
 *
 *     ==123==WARNING: MemorySanitizer: use-of-uninitialized-value
 *         #0 0x4a5b6c in compare /home/x/compare.c:12:9
 *         #1 0x4a5b6d in leak_call (/usr/bin/prog+0x4a5b6d) (BuildId: 1234)
 *
 * and an empty line or the next heading. It does not say whether a jump or an address depended on the value. */
#include "taint_report.h"
#include <string.h>

enum { LINE_MAX_BYTES = 4096 };

struct msan_reading {
    struct arena *arena;
    struct taint_report *out;
    struct taint_frame frames[TAINT_FRAMES];
    int n;
    bool open, memory_error, own_stack; /* own_stack: of the use; later ones in one report say where the value came from */
    enum tare_status status;
};

static void close_report(struct msan_reading *m)
{
    if (m->open && !m->status)
        m->status = taint_add(m->out, m->arena, m->memory_error ? TAINT_MEMORY : TAINT_USE, m->frames, m->n, 1);
    m->open = false;
    m->n = 0;
}

static const char *copy_text(struct msan_reading *m, const char *from, const char *to)
{
    const char *kept = arena_copy(m->arena, from, (size_t)(to - from));
    if (!kept)
        m->status = TARE_NO_MEMORY;
    return kept ? kept : "";
}

/* The number after the colon at `at`, and where its digits end; -1: there is none. */
static int number_after(const char *at, const char **end)
{
    int value = 0, n = 0;
    for (at++; *at >= '0' && *at <= '9' && n < 9; at++, n++)
        value = 10 * value + (*at - '0');
    *end = at;
    return n ? value : -1;
}

/* "/folder/file.c:12:9" */
static bool take_line(struct msan_reading *m, const char *path, struct taint_frame *f)
{
    const char *end;
    for (const char *colon = strchr(path, ':'); colon; colon = strchr(colon + 1, ':')) {
        int line = number_after(colon, &end);
        if (line < 0)
            continue;
        const char *name = colon;
        while (name > path && name[-1] != '/')
            name--;
        f->file = copy_text(m, name, colon);
        f->line = line;
        return true;
    }
    return false;
}

/* "(/usr/lib/libfoo.so+0x123) (BuildId: ...)" */
static void take_object(struct msan_reading *m, const char *text, struct taint_frame *f)
{
    const char *plus = strstr(text, "+0x");
    if (*text == '(' && plus)
        f->object = copy_text(m, text + 1, plus);
}

/* A path from the root, an object in brackets, or a word that ends in a line number. */
static bool is_place(const char *text)
{
    const char *end, *colon = strchr(text, ':');
    if (*text == '/' || (*text == '(' && text[1] == '/'))
        return true;
    return !strchr(text, ' ') && colon && colon > text && number_after(colon, &end) >= 0;
}

/* "#0 0x4a in NAME PLACE": the name may hold blanks (C++). */
static void take_frame(struct msan_reading *m, const char *text)
{
    const char *name = strstr(text, " in ");
    if (m->n >= TAINT_FRAMES || !name)
        return;
    name += 4;
    const char *place = NULL;
    for (const char *at = strchr(name, ' '); at && !place; at = strchr(at + 1, ' '))
        if (is_place(at + 1))
            place = at;
    struct taint_frame f = {"", "", "", 0};
    f.function = copy_text(m, name, place ? place : name + strlen(name));
    if (place && !take_line(m, place + 1, &f))
        take_object(m, place + 1, &f);
    m->frames[m->n++] = f;
}

static void read_msan_line(struct msan_reading *m, const char *line)
{
    const char *heading = strstr(line, "MemorySanitizer: "), *text = line + strspn(line, " ");
    if (heading && strstr(line, "WARNING")) {
        close_report(m);
        m->open = m->own_stack = true;
        m->memory_error = !strstr(heading, "use-of-uninitialized-value");
    } else if (m->open && *text == '#') {
        if (m->own_stack)
            take_frame(m, text);
    } else if (m->open && !*text) {
        m->own_stack = m->own_stack && !m->n; /* the stack is over */
    } else if (!strncmp(text, "SUMMARY:", 8)) {
        close_report(m);
    }
}

enum tare_status taint_msan_read(const char *bytes, size_t n, struct arena *arena, struct taint_report *out, struct tare_err *err)
{
    struct msan_reading m = {.arena = arena, .out = out};
    char line[LINE_MAX_BYTES];
    *out = (struct taint_report){.tool = "MemorySanitizer", .whole = true};
    for (size_t at = 0; at < n && !m.status;) {
        const char *end = memchr(bytes + at, '\n', n - at);
        size_t bytes_of_line = end ? (size_t)(end - bytes) - at : n - at,
               kept = bytes_of_line < LINE_MAX_BYTES - 1 ? bytes_of_line : LINE_MAX_BYTES - 1;
        memcpy(line, bytes + at, kept);
        line[kept] = 0;
        read_msan_line(&m, line);
        at += bytes_of_line + 1;
    }
    close_report(&m);
    taint_sort(out);
    return m.status ? err_set(err, m.status, "no memory for the report of MemorySanitizer") : TARE_OK;
}
