/* SPDX-License-Identifier: MIT
 *
 * One thread: its cursor. All: a heap of threads by the time of their next event. A thread is opened when the time is near at which its first
 * segment was made, and closed behind its last event, so that memory is a matter of the threads that live at one time.
 */
#include "trace_events.h"
#include "trace_cursor.h"
#include <stdlib.h>
#include <string.h>

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

/* ---- the heap ---- */

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

/* ---- threads ---- */

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
    if (one->cursor)
        cursor_close(one->cursor);
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

/* ---- the calls ---- */

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

const struct trace_time *trace_events_time(const struct trace_events *it)
{
    return it->time;
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
