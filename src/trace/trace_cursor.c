/* SPDX-License-Identifier: MIT
 *
 * A signal handler's words stand behind the word that it interrupted, with earlier ticks (trace_walk.c). So each event waits for the next
 * one: when that is a handler's, it is held until the handler's path is over.
 */
#include "trace_cursor.h"
#include <stdlib.h>
#include <string.h>

enum tare_status cursor_open(struct cursor *c, const struct trace_file *f, const struct trace_time *t, const uint32_t *classes,
                             int thread, int stretch, size_t words)
{
    *c = (struct cursor){.f = f, .time = t, .classes = classes, .thread = thread, .stretch = stretch, .room = words};
    c->unknown = (struct trace_place){.kind = TRACE_POINT, .file = "?", .func = "", .name = "?"};
    c->words = malloc(words * sizeof *c->words);
    return c->words ? TARE_OK : TARE_NO_MEMORY;
}

void cursor_close(struct cursor *c)
{
    free(c->words);
    free(c->texts);
    c->words = NULL;
    c->texts = NULL;
}

/* ---- words ---- */

static const struct trace_stretch *here(const struct cursor *c)
{
    return &c->f->stretches[c->stretch];
}

static bool more_stretches(const struct cursor *c)
{
    const struct trace_thread *t = &c->f->threads[c->thread];
    return c->stretch < t->first + t->n;
}

/* Moves what is left to the front and fills up. */
static bool fill(struct cursor *c)
{
    const struct trace_stretch *s = here(c);
    size_t kept = c->n - c->at, left = (size_t)(s->at + s->bytes - c->next) / 8;
    memmove(c->words, c->words + c->at, kept * sizeof *c->words);
    size_t n = left < c->room - kept ? left : c->room - kept;
    c->status = trace_file_read(c->f, c->next, c->words + kept, n * sizeof *c->words, &c->err);
    c->next += (int64_t)(n * sizeof *c->words);
    c->at = 0;
    c->n = kept + n;
    return !c->status;
}

/* Word i from here on; what a program had no time to write is zero. */
static uint64_t word(const struct cursor *c, size_t i)
{
    return c->at + i < c->n ? c->words[c->at + i] : 0;
}

static size_t length_of(const struct cursor *c, unsigned id, uint32_t class)
{
    if (class == WORD_VALUE || class == WORD_COUNTER)
        return 2;
    if (class != WORD_CONTROL)
        return 1;
    int data = trace_control_words(id);
    return 1 + (size_t)(data >= 0 ? data : word(c, 1) <= 128 ? (int)word(c, 1) + 1 : 1);
}

/* ---- one event ---- */

static const char *text_of(struct cursor *c)
{
    size_t n = word(c, 1) <= 128 ? (size_t)word(c, 1) : 0;
    if (!c->texts)
        c->texts = malloc((size_t)CURSOR_TEXTS * CURSOR_TEXT);
    if (!c->texts) {
        c->status = TARE_NO_MEMORY;
        return "";
    }
    char *text = c->texts + (size_t)(c->next_text++ % CURSOR_TEXTS) * CURSOR_TEXT;
    for (size_t i = 0; i < n; i++) {
        uint64_t w = word(c, 2 + i);
        memcpy(text + 8 * i, &w, sizeof w);
    }
    text[8 * n] = 0;
    return text;
}

static void take_value(struct trace_event *e, uint64_t word)
{
    e->value = e->point->value <= TRACE_VALUE_I64 ? (enum trace_value)e->point->value : TRACE_VALUE_U64;
    e->u64 = word;
    e->i64 = (int64_t)word;
    memcpy(&e->f64, &word, sizeof word);
}

static enum trace_event_kind kind_of(const struct trace_place *p)
{
    return p->kind == TRACE_SCOPE_BEGIN ? EVENT_SCOPE_BEGIN
           : p->kind == TRACE_SCOPE_END ? EVENT_SCOPE_END
           : p->kind == TRACE_COUNTER   ? EVENT_COUNTER
                                        : EVENT_POINT;
}

static void take_point(struct cursor *c, struct trace_event *e, int index)
{
    e->point = index >= 0 ? &c->f->points[index] : &c->unknown;
    e->kind = kind_of(e->point);
}

/* False: it is the same pass, written once more. */
static bool first_of_pass(struct cursor *c, uint32_t id)
{
    struct cursor_lane *l = c->lane ? &c->other : &c->own;
    if (l->left && l->id == id) {
        l->left--;
        return false;
    }
    *l = (struct cursor_lane){id, c->f->head.repeat - 1};
    return true;
}

/* False: nothing for who looks at events. */
static bool take_control(struct cursor *c, struct trace_event *e, unsigned id)
{
    uint64_t data = word(c, 1);
    e->number = data;
    switch (id) {
    case CONTROL_BREAK:
    case CONTROL_MASKED:
        e->kind = EVENT_BREAK;
        return true;
    case CONTROL_BURST:
        e->kind = EVENT_BURST;
        return true;
    case CONTROL_BURST_END:
        e->kind = EVENT_BURST_END;
        return true;
    case CONTROL_GAP:
        e->kind = EVENT_GAP;
        e->end_ns = data > e->tick ? trace_time_ns(c->time, data, NULL) : e->ns;
        return true;
    case CONTROL_LANE:
        c->lane = e->lane = data;
        c->other = (struct cursor_lane){0};
        e->kind = EVENT_LANE;
        return true;
    case CONTROL_LOST:
        e->kind = EVENT_LOST;
        return true;
    case CONTROL_CPU:
        e->kind = EVENT_CPU;
        return true;
    case CONTROL_ITERATION:
        e->kind = EVENT_ITERATION;
        return true;
    case CONTROL_SIGNAL:
        e->kind = EVENT_SIGNAL;
        return true;
    case CONTROL_WIDE:
    case CONTROL_WIDE_VALUE:
        take_point(c, e, trace_point_index(c->f, (uint32_t)data));
        if (id == CONTROL_WIDE_VALUE)
            take_value(e, word(c, 2));
        return e->kind == EVENT_COUNTER || first_of_pass(c, (uint32_t)data);
    case CONTROL_STAMPS:
        take_point(c, e, trace_point_index(c->f, (uint32_t)data));
        e->end_ns = word(c, 4) > e->tick ? trace_time_ns(c->time, word(c, 4), NULL) : e->ns;
        return first_of_pass(c, (uint32_t)data);
    case CONTROL_MARK:
    case CONTROL_THREAD_NAME:
        e->kind = id == CONTROL_MARK ? EVENT_MARK : EVENT_THREAD_NAME;
        e->text = text_of(c);
        return true;
    default:
        return false;
    }
}

static struct trace_event event_at(struct cursor *c, uint64_t tick)
{
    struct trace_event e = {.thread = c->thread, .lane = c->lane, .tick = tick, .text = ""};
    e.ns = e.end_ns = trace_time_ns_near(c->time, tick, &c->near, &e.fraction);
    return e;
}

/* The next event as the file has it; false: there is none, or reading failed. */
static bool raw_event(struct cursor *c, struct trace_event *e);

static bool begin_stretch(struct cursor *c, struct trace_event *e)
{
    const struct trace_stretch *s = here(c);
    bool first = !c->now && !c->before,
         missing = c->stretch > c->f->threads[c->thread].first && (s - 1)->sequence + 1 != s->sequence;
    c->next = s->at;
    c->at = c->n = 0;
    c->begun = true;
    if (first || missing) {
        c->now = c->before = s->moment.tick;
        c->lane = s->lane;
        c->own = c->other = (struct cursor_lane){0};
    }
    if (!missing)
        return raw_event(c, e);
    *e = event_at(c, s->moment.tick);
    e->kind = EVENT_LOST;
    return true;
}

static bool take_word(struct cursor *c, struct trace_event *e)
{
    unsigned id = word(c, 0) & 0xFFFF;
    uint32_t class = c->classes[id] >> WORD_CLASS_SHIFT, index = c->classes[id] & WORD_INDEX;
    if (class == WORD_NONE) {
        c->at++;
        return false;
    }
    size_t length = length_of(c, id, class);
    *e = event_at(c, trace_whole_tick(c->now, word(c, 0)));
    bool event;
    if (class == WORD_CONTROL) {
        event = take_control(c, e, id);
    } else {
        take_point(c, e, (int)index - 1);
        if (length > 1)
            take_value(e, word(c, 1));
        event = class == WORD_COUNTER || first_of_pass(c, id);
    }
    c->at = c->at + length < c->n ? c->at + length : c->n;
    if (!event && !(e->tick < c->now)) { /* its tick counts all the same */
        c->before = c->now;
        c->now = e->tick;
    }
    return event;
}

static bool raw_event(struct cursor *c, struct trace_event *e)
{
    enum { LONGEST = 132 };
    while (!c->status && more_stretches(c)) {
        if (!c->begun)
            return begin_stretch(c, e);
        const struct trace_stretch *s = here(c);
        if (c->n - c->at < LONGEST && c->next < s->at + s->bytes && !fill(c))
            return false;
        if (c->at == c->n) {
            c->stretch++;
            c->begun = false;
        } else if (take_word(c, e)) {
            return !c->status;
        }
    }
    return false;
}

/* ---- in the order of time ---- */

static void release(struct cursor *c)
{
    c->out[c->n_out++] = c->front;
    c->has_front = false;
}

static void release_all(struct cursor *c)
{
    if (c->has_front)
        release(c);
    while (c->depth)
        c->out[c->n_out++] = c->held[--c->depth];
    c->over = true;
}

/* The paths of handlers that are over by this tick. */
static void leave_handlers(struct cursor *c, uint64_t tick)
{
    while (c->depth && tick >= c->held[c->depth - 1].tick) {
        if (c->has_front)
            release(c);
        c->before = c->now;
        c->front = c->held[--c->depth];
        c->has_front = true;
        c->now = c->front.tick;
    }
}

static void take(struct cursor *c, struct trace_event *e)
{
    leave_handlers(c, e->tick);
    if (c->has_front && c->depth < CURSOR_NEST && e->tick < c->front.tick && e->tick >= c->before)
        c->held[c->depth++] = c->front;
    else if (c->has_front)
        release(c);
    e->depth = c->depth;
    c->front = *e;
    c->has_front = true;
    c->before = e->tick < c->now ? e->tick : c->now;
    c->now = e->tick;
}

bool cursor_next(struct cursor *c, struct trace_event *out)
{
    while (c->next_out == c->n_out && !c->over) {
        struct trace_event e;
        c->next_out = c->n_out = 0;
        if (raw_event(c, &e))
            take(c, &e);
        else
            release_all(c);
    }
    if (c->next_out == c->n_out)
        return false;
    *out = c->out[c->next_out++];
    return true;
}
