/* SPDX-License-Identifier: MIT */
#include "record_arcs.h"
#include "record_write.h"
#include "spans_work.h"
#include <stdlib.h>
#include <string.h>

static uint64_t mixed(struct span_key k)
{
    uint64_t h = k.a * UINT64_C(0x9e3779b97f4a7c15) ^ (k.b + UINT64_C(0x7f4a7c159e3779b9)) * UINT64_C(0xbf58476d1ce4e5b9) ^
                 k.c * UINT64_C(0x94d049bb133111eb);
    return (h ^ h >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
}

static int slot_of(const struct span_index *x, struct span_key key)
{
    int at = (int)(mixed(key) >> 32 & (uint64_t)(x->room - 1));
    while (x->items[at] && memcmp(&x->keys[at], &key, sizeof key) != 0)
        at = (at + 1) & (x->room - 1);
    return at;
}

/* The item's number, or -1. */
static int span_index_find(const struct span_index *x, struct span_key key)
{
    return x->room ? x->items[slot_of(x, key)] - 1 : -1;
}

static void span_index_finish(struct span_index *x)
{
    free(x->keys);
    free(x->items);
    *x = (struct span_index){0};
}

static bool widen(struct span_index *x)
{
    struct span_index wider = {.room = x->room ? 2 * x->room : 64, .n = x->n};
    wider.keys = calloc((size_t)wider.room, sizeof *wider.keys);
    wider.items = calloc((size_t)wider.room, sizeof *wider.items);
    if (!wider.keys || !wider.items) {
        span_index_finish(&wider);
        return false;
    }
    for (int i = 0; i < x->room; i++)
        if (x->items[i]) {
            int at = slot_of(&wider, x->keys[i]);
            wider.keys[at] = x->keys[i];
            wider.items[at] = x->items[i];
        }
    span_index_finish(x);
    *x = wider;
    return true;
}

/* False: no memory. */
static bool span_index_add(struct span_index *x, struct span_key key, int item)
{
    if (2 * (x->n + 1) > x->room && !widen(x))
        return false;
    int at = slot_of(x, key);
    x->keys[at] = key;
    x->items[at] = item + 1;
    x->n++;
    return true;
}

/* Room for one more item of an array of spans, or the failure is noted. */
#define ROOM(array, n, room)                                                \
    do {                                                                    \
        if (!array_room(&s->array, s->n, &s->work->room, sizeof *s->array)) \
            return fail(s, TARE_NO_MEMORY);                                 \
    } while (0)

static int fail(struct spans *s, enum tare_status status)
{
    if (!s->work->status)
        s->work->status = status;
    return -1;
}

bool spans_begin_file(struct spans *s, const struct trace_file *f, int number)
{
    struct spans_work *w = s->work;
    const struct trace_head *head = trace_file_head(f);
    w->file = number;
    w->pid = head->pid;
    w->program = head->program;
    w->repeat = head->repeat;
    w->n_threads = trace_file_threads(f, &w->threads);
    w->n_points = trace_file_points(f, &w->points);
    free(w->places_of);
    free(w->tracks_of);
    w->places_of = calloc((size_t)w->n_points + 1, sizeof *w->places_of);
    w->tracks_of = calloc((size_t)w->n_threads + 1, sizeof *w->tracks_of);
    return w->places_of && w->tracks_of;
}

enum { OF_FUNC, OF_FILE, OF_NAME, NAME_MAX_BYTES = 1 << 14 };

/* Two hashes of different kinds: texts that agree in both and in the line are taken to be the same. */
static void hash(struct span_key *k, const char *text)
{
    k->a = fnv1a64(k->a, text, strlen(text) + 1);
    do {
        k->b = (k->b + (unsigned char)*text + 1) * UINT64_C(0xd6e8feb86659fd93);
        k->b ^= k->b >> 32;
    } while (*text++);
}

/* The first place with these texts; a new one's own number. -1: no memory. */
static int first_with(struct spans *s, struct span_key key, const char *text, const char *more)
{
    hash(&key, text);
    hash(&key, more);
    int i = span_index_find(&s->work->firsts, key);
    if (i >= 0)
        return i;
    return span_index_add(&s->work->firsts, key, s->n_places) ? s->n_places : -1;
}

static void place_name(struct buf *b, const struct span_place *p)
{
    if (*p->name) {
        buf_str(b, p->name);
    } else {
        buf_format(b, "%s:", point_base(p->file));
        point_put_line(b, p->line, p->ordinal);
    }
    if (p->kind == TRACE_SCOPE_END)
        buf_str(b, " end");
    if (!p->told_by)
        return;
    buf_format(b, " (%s%s%s:", p->func, *p->func ? ", " : "", p->told_by);
    point_put_line(b, p->line, p->ordinal);
    buf_char(b, ')');
}

/* Stacks of one name are one in the tools that read them. Those of two programs are of two tracks, and two builds of one are to be compared by name. */
static int first_called(struct spans *s, const struct span_place *p)
{
    struct buf b = BUF_INIT(NAME_MAX_BYTES);
    place_name(&b, p);
    int first = first_with(s, (struct span_key){1, 1, OF_NAME}, buf_text(&b), s->work->program);
    buf_finish(&b);
    return first;
}

/* Where a place is said to be, for a name that another one has already. False: no memory. */
static bool tell_apart(struct spans *s, struct span_place *own)
{
    const int named = first_called(s, own);
    own->told_by = point_base(own->file);
    int first = first_called(s, own);
    if (first >= 0 && first < s->n_places) {
        own->told_by = point_tail(own->file, s->places[first].file);
        first = first_called(s, own);
        own->told_by = first < s->n_places ? own->file : own->told_by;
    }
    own->told_by = named < s->n_places ? own->told_by : NULL;
    return named >= 0 && first >= 0;
}

static int find_place(struct spans *s, const struct trace_place *p)
{
    struct span_key key = {FNV1A64_EMPTY, 1 + p->ordinal, (uint64_t)p->line << 8 | p->kind};
    hash(&key, s->work->program);
    hash(&key, p->file);
    hash(&key, p->func);
    hash(&key, p->name);
    int i = span_index_find(&s->work->places, key);
    if (i >= 0)
        return i;
    ROOM(places, n_places, room_places);
    int func = first_with(s, (struct span_key){1, 1, OF_FUNC}, p->file, p->func);
    int file = first_with(s, (struct span_key){1, 1, OF_FILE}, p->file, "");
    struct span_place *own = &s->places[s->n_places];
    *own = (struct span_place){p->file, p->func, p->name, (int)p->line, (int)p->ordinal, p->kind, func, file, NULL};
    if (func < 0 || file < 0 || !tell_apart(s, own) || !span_index_add(&s->work->places, key, s->n_places))
        return fail(s, TARE_NO_MEMORY);
    return s->n_places++;
}

int spans_place(struct spans *s, const struct trace_place *p)
{
    const size_t at = ((uintptr_t)p - (uintptr_t)s->work->points) / sizeof *p;
    if (at >= (size_t)s->work->n_points) /* one that nothing describes */
        return find_place(s, p);
    int *known = &s->work->places_of[at];
    *known = *known ? *known : 1 + find_place(s, p);
    return *known - 1;
}

static const char *frame_name(struct spans *s, enum frame_kind kind, int from, int to)
{
    static const char *const fixed[] = {[FRAME_HANDLER] = "signal handler", [FRAME_GAP] = "tare", [FRAME_LEFT_OUT] = "left out"};
    if (from < 0)
        return fixed[kind];
    struct buf b = BUF_INIT(NAME_MAX_BYTES);
    place_name(&b, &s->places[from]);
    if (kind == FRAME_ARC) {
        buf_str(&b, " → ");
        place_name(&b, &s->places[to]);
    }
    const char *name = arena_copy(&s->arena, buf_text(&b), b.len);
    buf_finish(&b);
    return name;
}

int spans_frame(struct spans *s, enum frame_kind kind, int from, int to)
{
    struct span_key key = {kind, (uint64_t)(from + 1), (uint64_t)(to + 1)};
    int i = span_index_find(&s->work->frames, key);
    if (i >= 0)
        return i;
    const char *name = kind == FRAME_TRACK ? s->tracks[from].name : frame_name(s, kind, from, to);
    ROOM(frames, n_frames, room_frames);
    if (!name || !span_index_add(&s->work->frames, key, s->n_frames))
        return fail(s, TARE_NO_MEMORY);
    if (kind == FRAME_TRACK)
        from = -1;
    s->frames[s->n_frames] = (struct span_frame){.kind = kind, .from = from, .to = to, .name = name};
    return s->n_frames++;
}

int spans_node(struct spans *s, int parent, int frame)
{
    struct span_key key = {(uint64_t)(parent + 1), (uint64_t)(frame + 1), 0};
    int i = span_index_find(&s->work->nodes, key);
    if (i >= 0 || frame < 0)
        return i;
    ROOM(nodes, n_nodes, room_nodes);
    if (!span_index_add(&s->work->nodes, key, s->n_nodes))
        return fail(s, TARE_NO_MEMORY);
    s->nodes[s->n_nodes] = (struct span_node){.parent = parent, .frame = frame};
    return s->n_nodes++;
}

static const char *track_name(struct spans *s, int thread, uint64_t lane)
{
    const struct trace_thread *t = &s->work->threads[thread];
    struct buf b = BUF_INIT(256);
    if (lane)
        buf_format(&b, "lane %llu", (unsigned long long)lane);
    else
        buf_format(&b, "%s (%u)", *t->name ? t->name : "thread", t->tid);
    const char *name = arena_copy(&s->arena, buf_text(&b), b.len);
    buf_finish(&b);
    return name;
}

static int new_track(struct spans *s, struct span_key key, int thread, uint64_t lane)
{
    struct spans_work *w = s->work;
    if (s->n_tracks >= TRACKS_MAX)
        return fail(s, TARE_TOO_LARGE);
    ROOM(tracks, n_tracks, room_tracks);
    if (!array_room(&w->states, s->n_tracks, &w->room_states, sizeof *w->states))
        return fail(s, TARE_NO_MEMORY);
    struct track_state *t = calloc(1, sizeof *t);
    const char *name = track_name(s, thread, lane);
    if (!t || !name || !span_index_add(&w->tracks, key, s->n_tracks)) {
        free(t);
        return fail(s, TARE_NO_MEMORY);
    }
    t->window = -1;
    w->states[s->n_tracks] = t;
    s->tracks[s->n_tracks] = (struct span_track){
        .process = w->file, .pid = w->pid, .lane = lane, .name = name, .tid = lane ? 0 : w->threads[thread].tid};
    int track = s->n_tracks++;
    s->tracks[track].frame = spans_frame(s, FRAME_TRACK, track, -1);
    t->root = spans_node(s, -1, s->tracks[track].frame);
    return t->root < 0 ? -1 : track;
}

static int find_track(struct spans *s, int thread, uint64_t lane)
{
    struct span_key key = {(uint64_t)s->work->file, lane ? UINT64_MAX : (uint64_t)thread, lane};
    int i = span_index_find(&s->work->tracks, key);
    return i >= 0 ? i : new_track(s, key, thread, lane);
}

int spans_track(struct spans *s, int thread, uint64_t lane)
{
    if (lane)
        return find_track(s, thread, lane);
    int *known = &s->work->tracks_of[thread];
    *known = *known ? *known : 1 + find_track(s, thread, 0);
    return *known - 1;
}

static int room_for_span(struct spans *s)
{
    ROOM(spans, n_spans, room_spans);
    return 0;
}

void spans_add(struct spans *s, const struct span *span)
{
    if (span->end_ns >= span->begin_ns && span->frame >= 0 && !room_for_span(s)) {
        s->spans[s->n_spans] = *span;
        s->spans[s->n_spans].begin_ns -= s->start_ns;
        s->spans[s->n_spans++].end_ns -= s->start_ns;
    }
}

void spans_tables_finish(struct spans *s)
{
    struct spans_work *w = s->work;
    if (!w)
        return;
    span_index_finish(&w->places);
    span_index_finish(&w->firsts);
    span_index_finish(&w->frames);
    span_index_finish(&w->tracks);
    span_index_finish(&w->nodes);
    for (int i = 0; i < s->n_tracks; i++) {
        free(w->states[i]->scopes);
        free(w->states[i]->windows);
        free(w->states[i]);
    }
    free(w->states);
    free(w->places_of);
    free(w->tracks_of);
    free(w);
    s->work = NULL;
}
