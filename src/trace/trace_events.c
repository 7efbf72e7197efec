/* SPDX-License-Identifier: MIT
 *
 * One thread: its cursor. A signal handler's words stand behind the word that it interrupted, with earlier ticks (trace_walk.c). So each event waits for the
 * next one: when that is a handler's, it is held until the handler's path is over.
 *
 * All: a heap of threads by the time of their next event. A thread is opened when the time is near at which its first segment was made, and closed
 * behind its last event, so that memory is a matter of the threads that live at one time.
 */
#include "trace_events.h"
#include "trace_parts.h"
#include <stdlib.h>
#include <string.h>

enum { CURSOR_NEST = 16, CURSOR_TEXT = 1024 + 8, CURSOR_TEXTS = 2 * CURSOR_NEST };

struct cursor_lane { /* of words that are written more than once for a pass */
    uint32_t id, left;
};

struct cursor {
    const struct trace_file *f;
    const struct trace_time *time;
    const uint32_t *classes;
    struct trace_place unknown; /* a point that nothing describes */
    int thread, stretch;        /* index of the one being read */
    bool begun;                 /* within it */
    uint64_t *words;
    size_t room, at, n; /* words */
    int64_t next;       /* where the next words stand in the file */
    uint64_t now, before, lane;
    int near; /* trace_time_ns_near */
    struct cursor_lane own, other;
    /* An event waits until it is seen that no handler's follow. */
    struct trace_event front, held[CURSOR_NEST];
    bool has_front;
    int depth;
    struct trace_event out[CURSOR_NEST + 2];
    int n_out, next_out;
    bool over;
    char *texts; /* in turn */
    int next_text;
    enum tare_status status;
    struct tare_err err;
};

/* words: at least 512. classes: trace_word_classes. Nothing is read yet. NO_MEMORY. */
static enum tare_status cursor_open(struct cursor *c, const struct trace_file *f, const struct trace_time *t,
                                    const uint32_t *classes, int thread, int stretch, size_t words)
{
    *c = (struct cursor){.f = f, .time = t, .classes = classes, .thread = thread, .stretch = stretch, .room = words};
    c->unknown = (struct trace_place){.kind = TRACE_POINT, .file = "?", .func = "", .name = "?"};
    c->words = malloc(words * sizeof *c->words);
    return c->words ? TARE_OK : TARE_NO_MEMORY;
}

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
static bool fill_cursor(struct cursor *c)
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
        if (c->n - c->at < LONGEST && c->next < s->at + s->bytes && !fill_cursor(c))
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

static void release(struct cursor *c)
{
    c->out[c->n_out++] = c->front;
    c->has_front = false;
}

static void take_event(struct cursor *c, struct trace_event *e)
{
    /* The paths of handlers that are over by this tick. */
    while (c->depth && e->tick >= c->held[c->depth - 1].tick) {
        if (c->has_front)
            release(c);
        c->before = c->now;
        c->front = c->held[--c->depth];
        c->has_front = true;
        c->now = c->front.tick;
    }
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

static bool cursor_next(struct cursor *c, struct trace_event *out)
{
    while (c->next_out == c->n_out && !c->over) {
        struct trace_event e;
        c->next_out = c->n_out = 0;
        if (raw_event(c, &e))
            take_event(c, &e);
        else {
            if (c->has_front)
                release(c);
            while (c->depth)
                c->out[c->n_out++] = c->held[--c->depth];
            c->over = true;
        }
    }
    if (c->next_out == c->n_out)
        return false;
    *out = c->out[c->next_out++];
    return true;
}

enum { WORDS_ALONE = 8192, WORDS_MANY = 512 };
static const int64_t EARLIER = 50000000; /* ns that a thread's first words may lie before its segment's reading of the clock */

struct lined_up { /* a thread of the window */
    int64_t ns;   /* of its next event; before it is opened: not later than that */
    int thread, stretch;
    struct cursor *cursor; /* NULL: not opened */
    struct trace_event event;
};

struct trace_events {
    const struct trace_file *f;
    struct trace_time *time;
    struct trace_window window;
    uint32_t *classes;
    struct lined_up *lines;
    int n_lines;
    struct lined_up **heap; /* of lines */
    int n;
    struct lined_up *last; /* whose event was returned; NULL: none was */
    enum tare_status status;
    struct tare_err err;
};

static bool before(const struct lined_up *a, const struct lined_up *b)
{
    return a->ns != b->ns ? a->ns < b->ns : a->thread < b->thread;
}

static void swap(struct lined_up **a, struct lined_up **b)
{
    struct lined_up *kept = *a;
    *a = *b;
    *b = kept;
}

static void push(struct trace_events *it, struct lined_up *one)
{
    int i = it->n++;
    it->heap[i] = one;
    for (; i && before(it->heap[i], it->heap[(i - 1) / 2]); i = (i - 1) / 2)
        swap(&it->heap[i], &it->heap[(i - 1) / 2]);
}

static struct lined_up *pop(struct trace_events *it)
{
    struct lined_up *first = it->heap[0];
    it->heap[0] = it->heap[--it->n];
    for (int i = 0, child; (child = 2 * i + 1) < it->n; i = child) {
        child += child + 1 < it->n && before(it->heap[child + 1], it->heap[child]);
        if (!before(it->heap[child], it->heap[i]))
            break;
        swap(&it->heap[child], &it->heap[i]);
    }
    return first;
}

static void fail(struct trace_events *it, enum tare_status status, const struct tare_err *err)
{
    if (it->status)
        return;
    it->status = status;
    if (err && *err->text)
        it->err = *err;
    else
        err_set(&it->err, status, "%s: %s", trace_file_name(it->f), tare_status_text(status));
}

static void close_one(struct lined_up *one)
{
    if (one->cursor) {
        free(one->cursor->words);
        free(one->cursor->texts);
    }
    free(one->cursor);
    one->cursor = NULL;
}

/* To its next event of the window; false: it has none. */
static bool advance(struct trace_events *it, struct lined_up *one)
{
    while (cursor_next(one->cursor, &one->event)) {
        one->ns = one->event.ns;
        if (one->ns >= it->window.to_ns)
            break;
        if (one->ns >= it->window.from_ns)
            return true;
    }
    if (one->cursor->status)
        fail(it, one->cursor->status, &one->cursor->err);
    close_one(one);
    return false;
}

static bool open_one(struct trace_events *it, struct lined_up *one)
{
    one->cursor = calloc(1, sizeof *one->cursor);
    size_t words = it->window.thread == TRACE_ALL_THREADS ? WORDS_MANY : WORDS_ALONE;
    if (!one->cursor || cursor_open(one->cursor, it->f, it->time, it->classes, one->thread, one->stretch, words)) {
        fail(it, TARE_NO_MEMORY, NULL);
        close_one(one);
        return false;
    }
    return true;
}

/* The stretch in which the window begins: the last one that was made before it. */
static int first_stretch(const struct trace_events *it, int thread)
{
    const struct trace_thread *t = &it->f->threads[thread];
    int low = 0, high = t->n;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (trace_time_ns(it->time, it->f->stretches[t->first + middle].moment.tick, NULL) <= it->window.from_ns)
            low = middle;
        else
            high = middle;
    }
    return t->first + (low ? low - 1 : 0); /* and the one before it, whose last words may lie in the window too */
}

static void line_up(struct trace_events *it, int thread)
{
    struct lined_up *one = &it->lines[it->n_lines++];
    *one = (struct lined_up){.thread = thread, .stretch = first_stretch(it, thread)};
    int64_t ns = trace_time_ns(it->time, it->f->stretches[one->stretch].moment.tick, NULL);
    one->ns = ns > INT64_MIN + EARLIER ? ns - EARLIER : INT64_MIN;
    push(it, one);
}

enum tare_status trace_events_open(struct trace_events **out, const struct trace_file *f, const struct trace_window *w,
                                   struct tare_err *err)
{
    *out = NULL;
    if (w->thread < TRACE_ALL_THREADS || w->thread >= f->n_threads)
        return err_set(err, TARE_INVALID, "%s: has no thread %d", trace_file_name(f), w->thread);
    struct trace_events *it = calloc(1, sizeof *it);
    if (!it)
        return err_set(err, TARE_NO_MEMORY, "%s: no memory for its events", trace_file_name(f));
    it->f = f;
    it->window = *w;
    it->classes = malloc(WORD_IDS * sizeof *it->classes);
    it->lines = malloc(((size_t)f->n_threads + 1) * sizeof *it->lines);
    it->heap = malloc(((size_t)f->n_threads + 1) * sizeof *it->heap);
    enum tare_status status = it->classes && it->lines && it->heap
                                  ? trace_time_create(&it->time, f, err)
                                  : err_set(err, TARE_NO_MEMORY, "%s: no memory for its events", trace_file_name(f));
    if (status) {
        trace_events_close(it, NULL);
        return status;
    }
    trace_word_classes(f, it->classes);
    if (w->thread >= 0)
        line_up(it, w->thread);
    for (int i = 0; w->thread < 0 && i < f->n_threads; i++)
        line_up(it, i);
    *out = it;
    return TARE_OK;
}

bool trace_events_next(struct trace_events *it, struct trace_event *out)
{
    if (it->last && advance(it, it->last))
        push(it, it->last);
    it->last = NULL;
    while (it->n && !it->status) {
        struct lined_up *one = pop(it);
        if (one->cursor) {
            *out = one->event;
            it->last = one;
            return true;
        }
        if (open_one(it, one) && advance(it, one))
            push(it, one);
    }
    return false;
}

enum tare_status trace_events_close(struct trace_events *it, struct tare_err *err)
{
    if (!it)
        return TARE_OK;
    enum tare_status status = it->status;
    if (status && err)
        *err = it->err;
    for (int i = 0; i < it->n_lines; i++)
        close_one(&it->lines[i]);
    trace_time_destroy(it->time);
    free(it->classes);
    free(it->lines);
    free(it->heap);
    free(it);
    return status;
}
