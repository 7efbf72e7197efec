/* SPDX-License-Identifier: MIT */
#include "points_seen.h"
#include "crc.h"
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct bytes {
    const unsigned char *at;
    size_t n;
};

static void *more(void *array, size_t n, size_t size)
{
    if (n & (n - 1)) /* grows at powers of two */
        return array;
    void *larger = realloc(array, (n ? 2 * n : 1) * size);
    assert_non_null(larger);
    return larger;
}

/* ---- points ---- */

static size_t copy_name(char *out, size_t size, const char *text)
{
    snprintf(out, size, "%s", text);
    return strlen(text) + 1;
}

static void read_points(struct seen_file *f, struct bytes b)
{
    for (size_t at = 0; at + sizeof(struct trace_point) <= b.n;) {
        const struct trace_point *p = (const struct trace_point *)(b.at + at);
        if (p->magic != TRACE_POINT_MAGIC) {
            at += TRACE_CELL;
            continue;
        }
        const size_t from = offsetof(struct trace_point, length);
        assert_true(at + from + p->length <= b.n);
        assert_int_equal(p->crc, crc_of((const unsigned char *)p + from, p->length));
        f->points = more(f->points, f->n_points, sizeof *f->points);
        struct seen_point *s = &f->points[f->n_points++];
        *s = (struct seen_point){
            .id = p->id, .line = p->line, .partner = p->partner, .kind = p->kind, .value = p->value, .group = p->group};
        const char *text = (const char *)(p + 1);
        text += copy_name(s->file, sizeof s->file, text);
        text += copy_name(s->function, sizeof s->function, text);
        copy_name(s->name, sizeof s->name, text);
        at += (from + p->length + TRACE_CELL - 1) / TRACE_CELL * TRACE_CELL;
    }
}

static int by_id(const void *a, const void *b)
{
    const struct seen_point *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static const struct seen_point *point_of(const struct seen_file *f, uint32_t id)
{
    const struct seen_point key = {.id = id};
    return bsearch(&key, f->points, f->n_points, sizeof key, by_id);
}

/* ---- words ---- */

static uint32_t data_words(const struct seen_file *f, uint32_t id, uint64_t next)
{
    if (id < TRACE_CONTROL) {
        const struct seen_point *p = point_of(f, id);
        if (!p)
            fail_msg("%s: a word of point %u, which is not in the table of %zu", f->path, id, f->n_points);
        return p->value != TRACE_VALUE_NONE;
    }
    const int n = trace_control_words(id);
    return n < 0 ? 1 + (uint32_t)next : (uint32_t)n;
}

static void read_word(struct seen_file *f, uint32_t thread, const uint64_t *w, uint32_t n)
{
    uint32_t id = w[0] & 0xffff, point = id < TRACE_CONTROL ? id : 0;
    if (id == CONTROL_WIDE || id == CONTROL_WIDE_VALUE || id == CONTROL_STAMPS)
        point = (uint32_t)w[1];
    f->events = more(f->events, f->n_events, sizeof *f->events);
    struct seen_event *e = &f->events[f->n_events++];
    *e = (struct seen_event){.thread = thread, .id = id, .tick = w[0] >> 16};
    for (uint32_t i = 0; i < n && i < 5; i++)
        e->data[i] = w[1 + i];
    e->value = id == CONTROL_WIDE_VALUE ? w[2] : n ? w[1] : 0;
    if (point && !(e->point = point_of(f, point)))
        fail_msg("%s: a word of point %u, which is not in the table", f->path, point);
}

static void read_events(struct seen_file *f, const struct trace_segment *s)
{
    const uint64_t *w = (const uint64_t *)(s + 1);
    const size_t body = (size_t)s->units * TRACE_UNIT - sizeof *s, n = (s->used ? s->used : body) / 8;
    size_t pending = 0;
    assert_true(s->used <= body);
    for (size_t i = 0; i < n;) {
        if (!w[i]) {
            pending++;
            i++;
            continue;
        }
        f->zeros += pending;
        pending = 0;
        uint32_t more_words = data_words(f, w[i] & 0xffff, i + 1 < n ? w[i + 1] : 0);
        if (i + 1 + more_words > n)
            fail_msg("%s: a word's data go over the end of its segment", f->path);
        read_word(f, s->thread, w + i, more_words);
        i += 1 + more_words;
    }
}

/* ---- tables ---- */

static void add_arc(struct seen_file *f, struct seen_arc a)
{
    f->arcs = more(f->arcs, f->n_arcs, sizeof *f->arcs);
    f->arcs[f->n_arcs++] = a;
}

static void read_cells(struct seen_file *f, const struct trace_segment *s)
{
    const unsigned char *at = (const unsigned char *)(s + 1), *end = (const unsigned char *)s + (size_t)s->units * TRACE_UNIT;
    const size_t size = s->kind == TRACE_ARCS ? sizeof(struct trace_arc) : sizeof(struct trace_count);
    for (; at + size <= end; at += size) {
        const struct trace_arc *a = (const struct trace_arc *)at;
        const struct trace_count *c = (const struct trace_count *)at;
        if (!c->to)
            continue;
        struct seen_arc seen = {.from = c->from ? point_of(f, c->from) : NULL, .to = point_of(f, c->to), .n = c->n};
        assert_non_null(seen.to);
        assert_true(!c->from || seen.from);
        if (s->kind == TRACE_ARCS) {
            uint64_t in_bins = 0;
            for (int i = 0; i < TRACE_HISTOGRAM; i++)
                in_bins += a->bins[i];
            assert_true(in_bins == (c->from ? a->n : 0));
            seen.sum = a->sum;
            seen.negative = a->negative;
        }
        add_arc(f, seen);
    }
}

/* ---- a file ---- */

static int by_thread(const void *a, const void *b)
{
    const struct trace_segment *x = *(const struct trace_segment *const *)a, *y = *(const struct trace_segment *const *)b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

static void check_segment(const struct seen_file *f, const struct trace_segment *s, size_t left)
{
    struct trace_segment copy = *s;
    copy.crc = 0;
    if (s->crc != crc_of(&copy, offsetof(struct trace_segment, used)) || (size_t)s->units * TRACE_UNIT > left || !s->units)
        fail_msg("%s: a segment whose header is not right: kind %u, %u units", f->path, s->kind, s->units);
}

static void read_bytes(struct seen_file *f, struct bytes b)
{
    const struct trace_segment **segments = NULL;
    assert_int_equal(b.n % TRACE_UNIT, 0);
    memcpy(&f->head, b.at, sizeof f->head);
    if (!f->head.magic[0]) { /* the process ended before its head was whole */
        assert_int_equal(b.n, TRACE_UNIT);
        return;
    }
    assert_memory_equal(f->head.magic, TRACE_MAGIC, 8);
    const size_t from = offsetof(struct trace_head, session), to = offsetof(struct trace_head, counted);
    assert_int_equal(f->head.crc, crc_of(b.at + from, to - from));
    read_points(f, (struct bytes){b.at + TRACE_TABLE_AT, TRACE_UNIT - TRACE_TABLE_AT});
    for (size_t at = TRACE_UNIT; at + TRACE_UNIT <= b.n;) {
        const struct trace_segment *s = (const struct trace_segment *)(b.at + at);
        if (s->magic != TRACE_SEGMENT_MAGIC) {
            at += TRACE_UNIT;
            continue;
        }
        check_segment(f, s, b.n - at);
        segments = more(segments, f->segments, sizeof *segments);
        segments[f->segments++] = s;
        if (s->kind == TRACE_POINTS)
            read_points(f, (struct bytes){(const unsigned char *)(s + 1), (size_t)s->units * TRACE_UNIT - sizeof *s});
        at += (size_t)s->units * TRACE_UNIT;
    }
    if (f->n_points)
        qsort(f->points, f->n_points, sizeof *f->points, by_id);
    for (size_t i = 1; i < f->n_points; i++)
        assert_int_not_equal(f->points[i].id, f->points[i - 1].id);
    if (f->segments)
        qsort(segments, f->segments, sizeof *segments, by_thread);
    for (size_t i = 0; i < f->segments; i++)
        if (segments[i]->kind == TRACE_EVENTS && segments[i]->last_point) /* a point that was counted has no tick */
            fail_msg("%s: a segment goes on from a point", f->path);
        else if (segments[i]->kind == TRACE_EVENTS)
            read_events(f, segments[i]);
        else if (segments[i]->kind != TRACE_POINTS)
            read_cells(f, segments[i]);
    free(segments);
}

static void read_file(struct seen *s, const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0 && !fstat(fd, &st));
    s->files = more(s->files, s->n, sizeof *s->files);
    struct seen_file *f = &s->files[s->n++];
    memset(f, 0, sizeof *f);
    snprintf(f->path, sizeof f->path, "%s", path);
    if (st.st_size) {
        unsigned char *all = malloc((size_t)st.st_size); /* not mapped: a hole of a file system that is full cannot be touched */
        assert_non_null(all);
        for (off_t have = 0; have < st.st_size;) {
            ssize_t n = read(fd, all + have, (size_t)(st.st_size - have));
            assert_true(n > 0);
            have += n;
        }
        read_bytes(f, (struct bytes){all, (size_t)st.st_size});
        free(all);
    }
    close(fd);
}

struct seen *seen_folder(const char *folder)
{
    struct seen *s = calloc(1, sizeof *s);
    DIR *d = opendir(folder);
    assert_non_null(s);
    assert_non_null(d);
    for (const struct dirent *e; (e = readdir(d));) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (strstr(e->d_name, ".trace"))
            read_file(s, path);
    }
    closedir(d);
    return s;
}

void seen_free(struct seen *s)
{
    for (size_t i = 0; i < s->n; i++) {
        free(s->files[i].points);
        free(s->files[i].events);
        free(s->files[i].arcs);
    }
    free(s->files);
    free(s);
}

/* ---- sums ---- */

uint64_t seen_written(const struct seen *s, const char *name)
{
    uint64_t n = 0;
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < s->files[i].n_events; k++)
            n += s->files[i].events[k].point && !strcmp(s->files[i].events[k].point->name, name);
    return n;
}

uint64_t seen_added(const struct seen *s, const char *name)
{
    uint64_t n = 0;
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < s->files[i].n_arcs; k++)
            n += strcmp(s->files[i].arcs[k].to->name, name) ? 0 : s->files[i].arcs[k].n + s->files[i].arcs[k].negative;
    return n;
}

uint64_t seen_passes(const struct seen *s, const char *name)
{
    return seen_written(s, name) + seen_added(s, name);
}

uint64_t seen_control(const struct seen *s, uint32_t id)
{
    uint64_t n = 0;
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < s->files[i].n_events; k++)
            n += s->files[i].events[k].id == id;
    return n;
}

uint64_t seen_lost(const struct seen *s)
{
    uint64_t n = 0;
    for (size_t i = 0; i < s->n; i++)
        n += s->files[i].head.lost;
    return n;
}

const struct seen_point *seen_point_named(const struct seen_file *f, const char *name)
{
    for (size_t i = 0; i < f->n_points; i++)
        if (!strcmp(f->points[i].name, name))
            return &f->points[i];
    return NULL;
}
