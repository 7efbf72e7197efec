/* SPDX-License-Identifier: MIT */
#include "spans.h"
#include "spans_work.h"
#include <stdlib.h>

enum { LEFT_OUT_MAX = 1 << 14, WINDOWS_SHOWN = 200, WINDOW_LEAST = 10, WINDOW_MOST = 1000 };

static enum tare_status read_file(struct spans *s, const struct trace_file *f, int number, struct tare_err *err)
{
    struct trace_events *it;
    struct trace_event e;
    if (!spans_begin_file(s, f, number))
        return err_set(err, TARE_NO_MEMORY, "no memory for the events of '%s'", trace_file_name(f));
    const struct trace_window all = {.thread = TRACE_ALL_THREADS, .from_ns = INT64_MIN, .to_ns = INT64_MAX};
    enum tare_status status = trace_events_open(&it, f, &all, err);
    if (status)
        return status;
    if (!number)
        s->to_utc_ns = trace_time_to_utc(trace_events_time(it));
    while (!s->work->status && trace_events_next(it, &e))
        spans_event(s, &e);
    spans_end_file(s);
    status = trace_events_close(it, err);
    return status            ? status
           : s->work->status ? err_set(err, s->work->status, "the events of '%s' could not be kept (%s)", trace_file_name(f),
                                       tare_status_text(s->work->status))
                             : TARE_OK;
}

static enum tare_status read_all(struct spans *s, const struct trace_file *const *files, int n_files, bool second,
                                 struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    spans_begin_reading(s, second);
    for (int i = 0; i < n_files && !status; i++)
        status = read_file(s, files[i], i, err);
    return status;
}

/* ---- in order, and strictly nested ---- */

static int by_begin(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    if (x->track != y->track)
        return x->track < y->track ? -1 : 1;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    if (x->level != y->level)
        return x->level < y->level ? -1 : 1;
    return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns); /* one of no length goes before the next of its kind */
}

static bool is_over(const struct span *around, const struct span *x)
{
    return around->track != x->track || around->level >= x->level ||
           (around->end_ns <= x->begin_ns && (around->begin_ns < x->begin_ns || x->end_ns > around->end_ns));
}

/* What reaches out of the span around it, or into the one before it (a handler's arc at the border of a window, a clock that went back), is cut
 * there. */
static void nest(struct spans *s)
{
    int around = -1;
    int64_t now = INT64_MIN;
    for (int i = 0; i < s->n_spans; i++) {
        struct span *x = &s->spans[i];
        for (; around >= 0 && is_over(&s->spans[around], x); around = s->spans[around].around)
            now = s->spans[around].end_ns > now ? s->spans[around].end_ns : now;
        if (!i || s->spans[i - 1].track != x->track)
            now = INT64_MIN;
        x->begin_ns = x->begin_ns < now ? now : x->begin_ns;
        x->end_ns = around >= 0 && x->end_ns > s->spans[around].end_ns ? s->spans[around].end_ns : x->end_ns;
        x->end_ns = x->end_ns < x->begin_ns ? x->begin_ns : x->end_ns;
        x->around = around;
        now = x->begin_ns;
        around = i;
    }
}

void spans_walk(const struct spans *s, int track, spans_step *step, void *context)
{
    const struct span_track *t = &s->tracks[track];
    int open = -1;
    for (int i = t->first_span; i < t->first_span + t->n_spans; i++) {
        for (; open >= 0 && open != s->spans[i].around; open = s->spans[open].around)
            step(context, &s->spans[open], false);
        step(context, &s->spans[i], true);
        open = i;
    }
    for (; open >= 0; open = s->spans[open].around)
        step(context, &s->spans[open], false);
}

static void order(struct spans *s)
{
    if (s->n_spans)
        qsort(s->spans, (size_t)s->n_spans, sizeof *s->spans, by_begin);
    nest(s);
    for (int i = 0; i < s->n_spans; i++) {
        struct span_track *t = &s->tracks[s->spans[i].track];
        if (!t->n_spans++)
            t->first_span = i;
    }
}

static void describe(struct spans *s)
{
    if (s->notes_left)
        buf_format(&s->left_out, "%llu marks and values of counters are left out. ", (unsigned long long)s->notes_left);
    if (s->strays)
        buf_format(&s->left_out,
                   "%llu scopes did not begin, did not end, not in order, or lie too deep: they end with those around them. ",
                   (unsigned long long)s->strays);
    if (s->backwards)
        buf_format(&s->left_out, "%llu passages on which the clock went back are left out. ", (unsigned long long)s->backwards);
    while (s->left_out.len && s->left_out.data[s->left_out.len - 1] == ' ')
        s->left_out.data[--s->left_out.len] = 0;
}

enum tare_status spans_read(struct spans *s, const struct trace_file *const *files, int n_files, const struct spans_options *o,
                            struct tare_err *err)
{
    *s = (struct spans){.left_out = BUF_INIT(LEFT_OUT_MAX)};
    s->work = calloc(1, sizeof *s->work);
    if (!s->work)
        return err_set(err, TARE_NO_MEMORY, "%s", tare_status_text(TARE_NO_MEMORY));
    int64_t per_window = o->most < 0 ? WINDOW_MOST : o->most / WINDOWS_SHOWN;
    s->work->per_window = per_window < WINDOW_LEAST ? WINDOW_LEAST : per_window > WINDOW_MOST ? WINDOW_MOST : (int)per_window;
    s->work->most = o->most;
    enum tare_status status = read_all(s, files, n_files, false, err);
    if (!status && o->most) {
        spans_choose(s, o->seed);
        status = read_all(s, files, n_files, true, err);
    }
    order(s);
    describe(s);
    return status;
}

void spans_finish(struct spans *s)
{
    spans_tables_finish(s);
    free(s->places);
    free(s->frames);
    free(s->tracks);
    free(s->spans);
    free(s->marks);
    free(s->counts);
    free(s->nodes);
    buf_finish(&s->left_out);
    arena_finish(&s->arena);
    *s = (struct spans){0};
}
