/* SPDX-License-Identifier: MIT
 *
 * `go test -json -bench`: a JSON object a line, whose "Output" is a piece of the text that go test would have printed. Pieces are
 * put together by package, for packages run side by side and a result line comes in two pieces.
 */
#include "foreign.h"
#include <stdlib.h>
#include <string.h>

enum { PACKAGES_MAX = 4096, TEXT_MAX = 1 << 28 };

struct package {
    const char *name;
    struct buf text;
};

struct events {
    struct foreign *f;
    struct package *packages; /* PACKAGES_MAX */
    int n;
    size_t bytes; /* of all texts */
};

static bool begins(const char *text, size_t n, const char *start)
{
    size_t m = strlen(start);
    return n >= m && !memcmp(text, start, m);
}

bool go_event_line(const char *text, size_t n)
{
    const char *end = memchr(text, '\n', n);
    return end && (begins(text, n, "{\"Time\":\"") || begins(text, n, "{\"Action\":\"") || begins(text, n, "{\"ImportPath\":\""));
}

static struct package *package_of(struct events *e, const char *name)
{
    for (int i = e->n - 1; i >= 0; i--)
        if (!strcmp(e->packages[i].name, name))
            return &e->packages[i];
    if (e->n == PACKAGES_MAX || !(name = arena_strdup(&e->f->arena, name)))
        return NULL;
    e->packages[e->n] = (struct package){name, BUF_INIT(TEXT_MAX)};
    return &e->packages[e->n++];
}

static enum tare_status read_event(struct events *e, const struct json_value *line)
{
    const char *action = "", *output = "", *name = "";
    json_text_of(json_member(line, "Action"), &action);
    json_text_of(json_member(line, "Package"), &name);
    e->f->tests_failed |= !strcmp(action, "fail");
    if (strcmp(action, "output") != 0 || !json_text_of(json_member(line, "Output"), &output))
        return TARE_OK;
    struct package *p = package_of(e, name);
    e->bytes += strlen(output);
    if (!p || e->bytes > TEXT_MAX)
        return err_set(e->f->err, TARE_TOO_LARGE, "more than %d packages or %d bytes of output", (int)PACKAGES_MAX,
                       (int)TEXT_MAX);
    buf_str(&p->text, output);
    return p->text.status ? foreign_no_memory(e->f) : TARE_OK;
}

static enum tare_status read_lines(struct events *e, const char *text, size_t n)
{
    enum tare_status status = TARE_OK;
    for (size_t at = 0, next; at < n && !status; at = next) {
        const char *end = memchr(text + at, '\n', n - at);
        size_t length = end ? (size_t)(end - (text + at)) : n - at;
        struct json_value *line;
        next = at + length + 1;
        if (text[at] != '{') /* what was printed beside */
            continue;
        if (json_parse(&line, text + at, length, NULL)) {
            e->f->left_out++;
            continue;
        }
        status = read_event(e, line);
        json_free(line);
    }
    return status;
}

enum tare_status go_events_read(struct foreign *f, const char *text, size_t n)
{
    struct events e = {.f = f, .packages = calloc(PACKAGES_MAX, sizeof *e.packages)};
    struct buf all = BUF_INIT(TEXT_MAX + PACKAGES_MAX);
    enum tare_status status = e.packages ? read_lines(&e, text, n) : foreign_no_memory(f);
    for (int i = 0; i < e.n; i++) {
        buf_add(&all, buf_text(&e.packages[i].text), e.packages[i].text.len);
        buf_char(&all, '\n');
        buf_finish(&e.packages[i].text);
    }
    if (!status)
        status = all.status ? foreign_no_memory(f) : go_benchmark_read(f, buf_text(&all), all.len);
    buf_finish(&all);
    free(e.packages);
    return status;
}
