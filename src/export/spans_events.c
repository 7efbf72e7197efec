/* SPDX-License-Identifier: MIT */
#include "spans_work.h"

/* Levels: within those of a depth scopes by how deep they stand, then arcs; a handler's lie in an arc. */
enum { LEVEL_DEPTH = 2 * SCOPES_MAX, LEVEL_ARC = SCOPES_MAX + 1, LEVEL_GAP = (DEPTHS + 1) * LEVEL_DEPTH };

int spans_scope_level(const struct track_state *t, int i)
{
    return LEVEL_DEPTH * t->scopes[i].depth + i;
}

/* ---- stacks ---- */

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
    s->frames[frame].total_ns += without_gap;
    s->nodes[node].n++;
    s->nodes[node].self_ns += without_gap - c->nested_ns;
    if (depth)
        t->chains[depth - 1].nested_ns += ns;
}

static void show_arc(struct spans *s, int track, int depth, int frame, int64_t end_ns)
{
    struct track_state *t = s->work->states[track];
    const struct chain *c = &t->chains[depth];
    if (!spans_shown(s, t))
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
        spans_enter_window(s, track, c->ns);
    if (s->work->second)
        show_arc(s, track, depth, frame, e->ns);
    else
        add_up(s, track, depth, frame, ns);
    t->last_ns = e->ns;
    if (!depth)
        spans_leave_window(s, track, e->ns);
}

/* ---- scopes ---- */

static void begin_scope(struct spans *s, int track, int depth, int place, const struct trace_event *e)
{
    struct track_state *t = s->work->states[track];
    if (t->n_scopes >= SCOPES_MAX) {
        s->strays += !s->work->second;
        return;
    }
    void *grown = span_grown(t->scopes, t->n_scopes, &t->room_scopes, sizeof *t->scopes);
    t->scopes = grown ? grown : t->scopes;
    int frame = spans_frame(s, FRAME_SCOPE, place, -1);
    int node = spans_node(s, node_under(s, t, depth), frame);
    if (!grown || node < 0) {
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
                                    .level = spans_scope_level(t, i)});
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
    for (int k = t->n_scopes - 1; k >= i; k--) {
        if (s->work->second)
            show_scope(s, track, k, e->ns);
        else
            s->frames[t->scopes[k].frame].total_ns += (double)(e->ns - t->scopes[k].begin_ns);
    }
    s->strays += s->work->second ? 0 : (uint64_t)(t->n_scopes - 1 - i);
    t->n_scopes = i;
}

/* ---- what events bring ---- */

static bool note(struct spans *s, const struct track_state *t)
{
    s->work->notes += !s->work->second;
    if (!s->work->second)
        return false;
    bool kept = (s->work->all || spans_shown(s, t)) && (s->work->most < 0 || s->n_marks + s->n_counts < s->work->most);
    s->notes_left += !kept;
    return kept;
}

static double value_of(const struct trace_event *e)
{
    return e->value == TRACE_VALUE_F64 ? e->f64 : e->value == TRACE_VALUE_I64 ? (double)e->i64 : (double)e->u64;
}

static void value(struct spans *s, int track, int place, const struct trace_event *e)
{
    if (e->value == TRACE_VALUE_NONE || !note(s, s->work->states[track]))
        return;
    void *grown = span_grown(s->counts, s->n_counts, &s->work->room_counts, sizeof *s->counts);
    if (!grown) {
        s->work->status = TARE_NO_MEMORY;
        return;
    }
    s->counts = grown;
    s->counts[s->n_counts++] = (struct span_count){e->ns - s->start_ns, track, place, value_of(e)};
}

static void mark(struct spans *s, int track, const struct trace_event *e)
{
    if (!note(s, s->work->states[track]))
        return;
    void *grown = span_grown(s->marks, s->n_marks, &s->work->room_marks, sizeof *s->marks);
    const char *text = arena_strdup(&s->arena, e->text);
    s->marks = grown ? grown : s->marks;
    if (grown && text)
        s->marks[s->n_marks++] = (struct span_mark){e->ns - s->start_ns, track, text};
    else
        s->work->status = TARE_NO_MEMORY;
}

/* ---- events ---- */

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

static void note_time(struct spans *s, const struct trace_event *e)
{
    if (!s->work->begun || e->ns < s->start_ns)
        s->start_ns = e->ns;
    if (!s->work->begun || e->end_ns > s->end_ns)
        s->end_ns = e->end_ns;
    s->work->begun = true;
}

void spans_event(struct spans *s, const struct trace_event *e)
{
    int track = spans_track(s, e->thread, e->lane), depth = e->depth < DEPTHS ? e->depth : DEPTHS - 1;
    if (track < 0)
        return;
    if (!s->work->second)
        note_time(s, e);
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

void spans_begin_reading(struct spans *s, bool second)
{
    s->work->second = second;
    for (int i = 0; i < s->n_tracks; i++) {
        struct track_state *t = s->work->states[i];
        for (int k = 0; k < DEPTHS; k++)
            t->chains[k] = (struct chain){0};
        t->in_window = t->n_scopes = t->deepest = 0;
        t->window = -1;
    }
}

void spans_end_file(struct spans *s)
{
    for (int i = 0; i < s->n_tracks; i++) {
        struct track_state *t = s->work->states[i];
        if (s->tracks[i].process != s->work->file)
            continue;
        s->strays += s->work->second ? 0 : (uint64_t)t->n_scopes;
        if (s->work->second)
            spans_close_stretch(s, i, t->last_ns);
        t->n_scopes = 0;
    }
}
