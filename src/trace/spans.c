/* SPDX-License-Identifier: MIT */
#include "rng.h"
#include "spans_work.h"
#include <stdlib.h>

enum { LEFT_OUT_MAX = 1 << 14, WINDOWS_SHOWN = 200, WINDOW_LEAST = 10, WINDOW_MOST = 1000 };

/* Levels: within those of a depth scopes by how deep they stand, then arcs; a handler's lie in an arc. */
enum { LEVEL_DEPTH = 2 * SCOPES_MAX, LEVEL_ARC = SCOPES_MAX + 1, LEVEL_GAP = (DEPTHS + 1) * LEVEL_DEPTH };

static int scope_level(const struct track_state *t, int i)
{
    return LEVEL_DEPTH * t->scopes[i].depth + i;
}

struct candidate {
    int64_t ns;
    int track, window;
};

static int by_time(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns < y->ns ? 1 : -1;
    if (x->track != y->track)
        return x->track < y->track ? -1 : 1;
    return (x->window > y->window) - (x->window < y->window);
}

static int by_place(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->track != y->track)
        return x->track < y->track ? -1 : 1;
    return (x->window > y->window) - (x->window < y->window);
}

static struct candidate *candidates(const struct spans *s, int *n)
{
    size_t all = 0;
    for (int i = 0; i < s->n_tracks; i++)
        all += (size_t)s->work->states[i]->n_windows;
    struct candidate *c = malloc((all + 1) * sizeof *c);
    *n = 0;
    for (int i = 0; c && i < s->n_tracks; i++)
        for (int k = 0; k < s->work->states[i]->n_windows; k++) {
            const struct window *w = &s->work->states[i]->windows[k];
            c[(*n)++] = (struct candidate){w->end_ns - w->begin_ns, i, k};
        }
    return c;
}

static void show_candidate(struct spans *s, const struct candidate *c)
{
    s->work->states[c->track]->windows[c->window].shown = true;
}

/* One of each of so many equal stretches. */
static void show_random(struct spans *s, const struct candidate *c, int n, int wanted, uint64_t seed)
{
    struct rng rng = rng_seeded(seed);
    for (int i = 0; i < wanted; i++) {
        int64_t from = (int64_t)n * i / wanted, to = (int64_t)n * (i + 1) / wanted;
        if (to > from)
            show_candidate(s, &c[from + (int64_t)rng_below(&rng, (uint64_t)(to - from))]);
    }
}

static void spans_choose(struct spans *s, uint64_t seed)
{
    s->work->all = s->work->most < 0 || s->passages <= (uint64_t)s->work->most;
    if (s->work->all)
        return;
    int n;
    struct candidate *c = candidates(s, &n);
    if (!c) {
        s->work->status = TARE_NO_MEMORY;
        return;
    }
    int64_t wanted = s->work->most / s->work->per_window;
    int shown = wanted < 2 ? 2 : wanted > n ? n : (int)wanted, slowest = (shown + 1) / 2, rest = n - slowest;
    int random = shown - slowest < rest ? shown - slowest : rest;
    qsort(c, (size_t)n, sizeof *c, by_time);
    for (int i = 0; i < slowest && i < n; i++)
        show_candidate(s, &c[i]);
    if (rest > 0) {
        qsort(c + slowest, (size_t)rest, sizeof *c, by_place);
        show_random(s, c + slowest, rest, random, seed);
    }
    buf_format(&s->left_out,
               "Of %d windows of %d traversals the %d longest and %d drawn at random are shown, one from each of %d "
               "equal stretches of the "
               "others; sums are of all traversals. ",
               n, s->work->per_window, slowest < n ? slowest : n, random > 0 ? random : 0, random > 0 ? random : 0);
    free(c);
}

static bool window_shown(const struct spans *s, const struct track_state *t, int window)
{
    return s->work->all || (window >= 0 && window < t->n_windows && t->windows[window].shown);
}

static bool shown(const struct spans *s, const struct track_state *t)
{
    return window_shown(s, t, t->in_window ? t->window : t->window + 1);
}

static void end_left_out(struct spans *s, int track, int64_t end_ns)
{
    struct track_state *t = s->work->states[track];
    if (t->left)
        spans_add(s, &(struct span){.begin_ns = t->left_from,
                                    .end_ns = end_ns,
                                    .track = track,
                                    .left_out = t->left,
                                    .frame = spans_frame(s, FRAME_LEFT_OUT, -1, -1),
                                    .level = -1});
    t->left = 0;
}

static void enter_window(struct spans *s, int track, int64_t begin_ns)
{
    struct track_state *t = s->work->states[track];
    if (!s->work->second && !t->in_window) {
        if (array_room(&t->windows, t->n_windows, &t->room_windows, sizeof *t->windows))
            t->windows[t->n_windows++] = (struct window){.begin_ns = begin_ns, .end_ns = begin_ns};
        else
            s->work->status = TARE_NO_MEMORY;
    }
    if (s->work->second && !t->in_window) {
        t->window++;
        if (window_shown(s, t, t->window) && !t->stretch) {
            end_left_out(s, track, begin_ns);
            t->stretch = true;
            t->shown_from = begin_ns;
        }
    }
    if (s->work->second && !t->stretch && !t->left++)
        t->left_from = begin_ns;
    t->in_window++;
}

static void close_stretch(struct spans *s, int track, int64_t end_ns)
{
    struct track_state *t = s->work->states[track];
    end_left_out(s, track, end_ns);
    for (int i = 0; t->stretch && i < t->n_scopes; i++)
        spans_add(s, &(struct span){.begin_ns = t->scopes[i].begin_ns > t->shown_from ? t->scopes[i].begin_ns : t->shown_from,
                                    .end_ns = end_ns,
                                    .frame = t->scopes[i].frame,
                                    .track = track,
                                    .level = scope_level(t, i)});
    t->stretch = false;
}

static void leave_window(struct spans *s, int track, int64_t end_ns)
{
    struct track_state *t = s->work->states[track];
    if (!s->work->second && t->n_windows)
        t->windows[t->n_windows - 1].end_ns = end_ns;
    if (t->in_window < s->work->per_window)
        return;
    t->in_window = 0;
    if (s->work->second && t->stretch && !window_shown(s, t, t->window + 1))
        close_stretch(s, track, end_ns);
}

/* Where an arc of that depth belongs: below the innermost scope of that depth, else below the handler in what it interrupted. */
static int node_under(struct spans *s, struct track_state *t, int depth)
{
    for (int i = t->n_scopes - 1; i >= 0 && t->scopes[i].depth >= depth; i--)
        if (t->scopes[i].depth == depth)
            return t->scopes[i].node;
    if (!depth)
        return t->root;
    return spans_node(s, node_under(s, t, depth - 1), spans_frame(s, FRAME_HANDLER, -1, -1));
}

static void add_up(struct spans *s, int track, int depth, int frame, double ns)
{
    struct track_state *t = s->work->states[track];
    const struct chain *c = &t->chains[depth];
    int node = spans_node(s, node_under(s, t, depth), frame);
    if (frame < 0 || node < 0)
        return;
    double without_gap = ns - c->gap_ns;
    s->passages++;
    s->tracks[track].passages++;
    s->frames[frame].n++;
    s->nodes[node].n++;
    s->nodes[node].self_ns += without_gap - c->nested_ns;
    if (depth)
        t->chains[depth - 1].nested_ns += ns;
}

static void show_arc(struct spans *s, int track, int depth, int frame, int64_t end_ns)
{
    struct track_state *t = s->work->states[track];
    const struct chain *c = &t->chains[depth];
    if (!shown(s, t))
        return;
    s->shown++;
    spans_add(s,
              &(struct span){
                  .begin_ns = c->ns, .end_ns = end_ns, .frame = frame, .track = track, .level = LEVEL_DEPTH * depth + LEVEL_ARC});
    if (c->gap_ns > 0)
        spans_add(s, &(struct span){.begin_ns = c->gap_from,
                                    .end_ns = c->gap_to < end_ns ? c->gap_to : end_ns,
                                    .track = track,
                                    .frame = spans_frame(s, FRAME_GAP, -1, -1),
                                    .level = LEVEL_GAP + depth});
}

static void arc(struct spans *s, int track, int depth, int place, const struct trace_event *e)
{
    struct track_state *t = s->work->states[track];
    const struct chain *c = &t->chains[depth];
    double ns = (double)(e->ns - c->ns) + (e->fraction - c->fraction);
    if (ns < 0) {
        s->backwards += !s->work->second;
        return;
    }
    int frame = spans_frame(s, FRAME_ARC, c->place, place);
    if (!depth)
        enter_window(s, track, c->ns);
    if (s->work->second)
        show_arc(s, track, depth, frame, e->ns);
    else
        add_up(s, track, depth, frame, ns);
    t->last_ns = e->ns;
    if (!depth)
        leave_window(s, track, e->ns);
}

static void begin_scope(struct spans *s, int track, int depth, int place, const struct trace_event *e)
{
    struct track_state *t = s->work->states[track];
    if (t->n_scopes >= SCOPES_MAX) {
        s->strays += !s->work->second;
        return;
    }
    bool room = array_room(&t->scopes, t->n_scopes, &t->room_scopes, sizeof *t->scopes);
    int frame = spans_frame(s, FRAME_SCOPE, place, -1);
    int node = spans_node(s, node_under(s, t, depth), frame);
    if (!room || node < 0) {
        s->work->status = s->work->status ? s->work->status : TARE_NO_MEMORY;
        return;
    }
    t->scopes[t->n_scopes++] = (struct open_scope){
        .frame = frame, .partner = (int)e->point->partner, .node = node, .depth = depth, .begin_ns = e->end_ns};
    if (!s->work->second) {
        s->frames[frame].n++;
        s->nodes[node].n++;
    }
}

static void show_scope(struct spans *s, int track, int i, int64_t end_ns)
{
    const struct track_state *t = s->work->states[track];
    const struct open_scope *o = &t->scopes[i];
    if (t->stretch)
        spans_add(s, &(struct span){.begin_ns = o->begin_ns > t->shown_from ? o->begin_ns : t->shown_from,
                                    .end_ns = end_ns,
                                    .frame = o->frame,
                                    .track = track,
                                    .level = scope_level(t, i)});
}

/* The innermost scope that this point ends; those within it end with it. */
static void end_scope(struct spans *s, int track, int depth, const struct trace_event *e)
{
    struct track_state *t = s->work->states[track];
    int i = t->n_scopes - 1;
    while (i >= 0 && (t->scopes[i].depth != depth || (t->scopes[i].partner && t->scopes[i].partner != (int)e->point->id)))
        i--;
    if (i < 0) {
        s->strays += !s->work->second;
        return;
    }
    for (int k = t->n_scopes - 1; k >= i && s->work->second; k--)
        show_scope(s, track, k, e->ns);
    s->strays += s->work->second ? 0 : (uint64_t)(t->n_scopes - 1 - i);
    t->n_scopes = i;
}

static bool note_track(struct spans *s, const struct track_state *t)
{
    if (!s->work->second)
        return false;
    bool kept = (s->work->all || shown(s, t)) && (s->work->most < 0 || s->n_marks + s->n_counts < s->work->most);
    s->notes_left += !kept;
    return kept;
}

static void value(struct spans *s, int track, int place, const struct trace_event *e)
{
    if (e->value == TRACE_VALUE_NONE || !note_track(s, s->work->states[track]))
        return;
    if (array_room(&s->counts, s->n_counts, &s->work->room_counts, sizeof *s->counts))
        s->counts[s->n_counts++] = (struct span_count){e->ns - s->start_ns, track, place,
                                                       e->value == TRACE_VALUE_F64   ? e->f64
                                                       : e->value == TRACE_VALUE_I64 ? (double)e->i64
                                                                                     : (double)e->u64};
    else
        s->work->status = TARE_NO_MEMORY;
}

static void mark(struct spans *s, int track, const struct trace_event *e)
{
    if (!note_track(s, s->work->states[track]))
        return;
    const char *text = arena_strdup(&s->arena, e->text);
    if (text && array_room(&s->marks, s->n_marks, &s->work->room_marks, sizeof *s->marks))
        s->marks[s->n_marks++] = (struct span_mark){e->ns - s->start_ns, track, text};
    else
        s->work->status = TARE_NO_MEMORY;
}

/* Each pass is written `repeat` times; the first of them counts. */
static bool again(struct chain *c, uint32_t repeat)
{
    return c->has && repeat > 1 && ++c->words % repeat;
}

static void pass(struct spans *s, int track, int depth, const struct trace_event *e)
{
    struct track_state *t = s->work->states[track];
    struct chain *c = &t->chains[depth];
    int place = spans_place(s, e->point);
    if (place < 0 || again(c, s->work->repeat))
        return;
    if (c->has)
        arc(s, track, depth, place, e);
    value(s, track, place, e);
    if (e->kind == EVENT_SCOPE_END)
        end_scope(s, track, depth, e);
    if (e->kind == EVENT_SCOPE_BEGIN)
        begin_scope(s, track, depth, place, e);
    *c = (struct chain){.has = true, .place = place, .ns = e->end_ns, .fraction = e->end_ns == e->ns ? e->fraction : 0};
}

static void gap(struct chain *c, const struct trace_event *e)
{
    if (!c->has || e->end_ns < e->ns)
        return;
    c->gap_from = e->ns;
    c->gap_to = e->end_ns;
    c->gap_ns += (double)(e->end_ns - e->ns);
}

static void spans_event(struct spans *s, const struct trace_event *e)
{
    int track = spans_track(s, e->thread, e->lane), depth = e->depth < DEPTHS ? e->depth : DEPTHS - 1;
    if (track < 0)
        return;
    if (!s->work->second) {
        if (!s->work->begun || e->ns < s->start_ns)
            s->start_ns = e->ns;
        if (!s->work->begun || e->end_ns > s->end_ns)
            s->end_ns = e->end_ns;
        s->work->begun = true;
    }
    struct track_state *t = s->work->states[track];
    for (int i = depth + 1; i <= t->deepest; i++) /* a handler that has come back */
        t->chains[i].has = false;
    t->deepest = depth;
    switch (e->kind) {
    case EVENT_POINT:
    case EVENT_SCOPE_BEGIN:
    case EVENT_SCOPE_END:
        pass(s, track, depth, e);
        break;
    case EVENT_COUNTER:
        value(s, track, spans_place(s, e->point), e);
        break;
    case EVENT_MARK:
        mark(s, track, e);
        break;
    case EVENT_BREAK:
    case EVENT_BURST:
    case EVENT_BURST_END:
    case EVENT_LOST:
        t->chains[depth].has = false;
        break;
    case EVENT_GAP:
        gap(&t->chains[depth], e);
        break;
    default:
        break;
    }
}

static void spans_end_file(struct spans *s)
{
    for (int i = 0; i < s->n_tracks; i++) {
        struct track_state *t = s->work->states[i];
        if (s->tracks[i].process != s->work->file)
            continue;
        s->strays += s->work->second ? 0 : (uint64_t)t->n_scopes;
        if (s->work->second)
            close_stretch(s, i, t->last_ns);
        t->n_scopes = 0;
    }
}

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
    s->work->second = second;
    for (int i = 0; i < s->n_tracks; i++) {
        struct track_state *t = s->work->states[i];
        for (int k = 0; k < DEPTHS; k++)
            t->chains[k] = (struct chain){0};
        t->in_window = t->n_scopes = t->deepest = 0;
        t->window = -1;
    }
    for (int i = 0; i < n_files && !status; i++)
        status = read_file(s, files[i], i, err);
    return status;
}

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

static void describe_spans(struct spans *s)
{
    if (s->notes_left)
        buf_format(&s->left_out, "%llu marks and values of counters are left out. ", (unsigned long long)s->notes_left);
    if (s->strays)
        buf_format(&s->left_out,
                   "%llu scopes did not begin, did not end, not in order, or lie too deep: they end with those around them. ",
                   (unsigned long long)s->strays);
    if (s->backwards)
        buf_format(&s->left_out, "%llu traversals in which the clock ran backwards are left out. ",
                   (unsigned long long)s->backwards);
    while (s->left_out.len && s->left_out.data[s->left_out.len - 1] == ' ')
        s->left_out.data[--s->left_out.len] = 0;
}

enum tare_status spans_read(struct spans *s, const struct trace_file *const *files, int n_files, const struct spans_options *o,
                            struct tare_err *err)
{
    *s = (struct spans){.left_out = BUF_INIT(LEFT_OUT_MAX)};
    s->work = calloc(1, sizeof *s->work);
    if (!s->work)
        return err_no_memory(err);
    int64_t per_window = o->most < 0 ? WINDOW_MOST : o->most / WINDOWS_SHOWN;
    s->work->per_window = per_window < WINDOW_LEAST ? WINDOW_LEAST : per_window > WINDOW_MOST ? WINDOW_MOST : (int)per_window;
    s->work->most = o->most;
    enum tare_status status = read_all(s, files, n_files, false, err);
    if (!status && o->most) {
        spans_choose(s, o->seed);
        status = read_all(s, files, n_files, true, err);
    }
    order(s);
    describe_spans(s);
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
