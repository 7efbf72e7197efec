/* SPDX-License-Identifier: MIT */
#include "taint_report.h"
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 16 };

const char *taint_kind_word(enum taint_kind kind)
{
    static const char *const words[TAINT_KINDS] = {"jump", "address", "system call", "use", "memory error"};
    return words[kind];
}

static bool is_text(const char *a, const char *b)
{
    return !strcmp(a ? a : "", b ? b : "");
}

static bool same_place(const struct taint_frame *a, const struct taint_frame *b)
{
    if (a->line || b->line)
        return a->line == b->line && is_text(a->file, b->file);
    return is_text(a->function, b->function) && is_text(a->object, b->object);
}

static struct taint_place *find_place(struct taint_report *r, enum taint_kind kind, const struct taint_frame *at)
{
    for (int i = 0; i < r->n_places; i++)
        if (r->places[i].kind == kind && same_place(&r->places[i].at, at))
            return &r->places[i];
    return NULL;
}

static struct taint_place *new_place(struct taint_report *r, struct arena *arena)
{
    int n = r->n_places;
    if (!n || (n >= FIRST_ROOM && !(n & (n - 1)))) {
        struct taint_place *more = arena_array(arena, (size_t)(n ? 2 * n : FIRST_ROOM), sizeof *more);
        if (!more)
            return NULL;
        if (n)
            memcpy(more, r->places, (size_t)n * sizeof *more);
        r->places = more;
    }
    r->n_places++;
    return &r->places[n];
}

static enum tare_status add_place(struct taint_report *r, struct arena *arena, const struct taint_place *place)
{
    struct taint_place *known = find_place(r, place->kind, &place->at);
    if (known) {
        known->count += place->count;
        known->stacks++;
        return TARE_OK;
    }
    if (r->n_places >= TAINT_PLACES_MAX) {
        r->crowded = true;
        return TARE_OK;
    }
    struct taint_place *added = new_place(r, arena);
    if (!added)
        return TARE_NO_MEMORY;
    *added = *place;
    return TARE_OK;
}

enum tare_status taint_add(struct taint_report *r, struct arena *arena, enum taint_kind kind, const struct taint_frame *frames,
                           int n, int64_t count)
{
    int own = 0;
    /* memcheck puts functions of its own in the place of memcmp, strlen and the like. */
    while (own < n - 1 && frames[own].object && strstr(frames[own].object, "vgpreload_"))
        own++;
    struct taint_place place = {.kind = kind, .count = count, .stacks = 1};
    if (n > 0)
        place.at = frames[own];
    if (own)
        place.through = frames[own - 1].function;
    place.n_frames = n < TAINT_FRAMES ? n : TAINT_FRAMES;
    if (n > 0)
        memcpy(place.frames, frames, (size_t)place.n_frames * sizeof *frames);
    r->count[kind] += count;
    return add_place(r, arena, &place);
}

static int by_weight(const void *a, const void *b)
{
    const struct taint_place *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    int by_file = strcmp(x->at.file ? x->at.file : "", y->at.file ? y->at.file : "");
    return by_file ? by_file : x->at.line - y->at.line;
}

void taint_sort(struct taint_report *r)
{
    if (r->n_places > 1)
        qsort(r->places, (size_t)r->n_places, sizeof *r->places, by_weight);
}

static const char *base_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

void taint_put_frame(struct buf *b, const struct taint_frame *f)
{
    const char *function = f->function && *f->function ? f->function : NULL, *object = base_name(f->object);
    if (f->line && f->file)
        buf_format(b, "%s:%d%s%s%s", f->file, f->line, function ? " (" : "", function ? function : "", function ? ")" : "");
    else if (object && *object)
        buf_format(b, "%s in %s", function ? function : "code without a name", object);
    else
        buf_str(b, function ? function : "code without a name");
}

static bool has_name(const struct taint_frame *f)
{
    return f->function && *f->function;
}

void taint_put_place(struct buf *b, const struct taint_place *p)
{
    taint_put_frame(b, &p->at);
    for (int i = 1; i < p->n_frames && !p->at.line; i++) {
        const struct taint_frame *f = &p->frames[i];
        if (f->line || (!has_name(&p->at) && has_name(f))) {
            buf_str(b, ", from ");
            taint_put_frame(b, f);
            return;
        }
    }
}
