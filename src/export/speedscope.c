/* SPDX-License-Identifier: MIT
 * {"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a.c:12 → a.c:14","file":"a.c","line":12},...]},
 * "profiles":[{"type":"evented","name":"worker (4711)","unit":"nanoseconds","startValue":0,"endValue":812345,"events":[
 * {"type":"O","frame":3,"at":0},{"type":"C","frame":3,"at":211},...
 *
 * A profile for each track, with spans as they were; and one with all traversals added up, the probe's weight taken off. */
#include "events_export.h"
#include "exporters.h"
#include "json_write.h"

struct speedscope {
    struct export_out out;
    struct events *e;
    int profiles, events;
};

static void frames(struct speedscope *w)
{
    buf_str(&w->out.text, "\"shared\":{\"frames\":[");
    for (int i = 0; i < w->e->spans.n_frames; i++) {
        const struct span_frame *f = &w->e->spans.frames[i];
        buf_str(&w->out.text, i ? ",\n" : "\n");
        struct json_write j = json_into(&w->out.text, 0);
        json_object(&j, NULL);
        json_string(&j, "name", f->name);
        if (f->from >= 0) {
            json_string(&j, "file", events_frame_file(w->e, f));
            json_integer(&j, "line", events_frame_line(w->e, f));
        }
        json_end(&j);
        export_out_pass(&w->out);
    }
    buf_str(&w->out.text, "]},\n");
}

static void begin_profile(struct speedscope *w, const char *type, const char *name, int64_t end_ns)
{
    struct buf *b = &w->out.text;
    buf_str(b, w->profiles++ ? ",\n" : "");
    struct json_write j = json_into(b, 0);
    json_object(&j, NULL);
    json_string(&j, "type", type);
    json_string(&j, "name", name);
    json_string(&j, "unit", "nanoseconds");
    json_integer(&j, "startValue", 0);
    json_integer(&j, "endValue", end_ns);
}

static void step(void *context, const struct span *x, bool begin)
{
    struct speedscope *w = context;
    buf_format(&w->out.text, "%s{\"type\":\"%c\",\"frame\":%d,\"at\":%lld}", w->events++ ? ",\n" : "\n", begin ? 'O' : 'C',
               x->frame, (long long)(begin ? x->begin_ns : x->end_ns));
    export_out_pass(&w->out);
}

static void track(struct speedscope *w, int i)
{
    const struct span_track *t = &w->e->spans.tracks[i];
    struct buf name = BUF_INIT(1 << 14);
    buf_format(&name, "%s: %s", events_program(w->e, t->process), t->name);
    begin_profile(w, "evented", buf_text(&name), w->e->spans.end_ns - w->e->spans.start_ns);
    buf_finish(&name);
    buf_str(&w->out.text, ",\"events\":[");
    w->events = 0;
    spans_walk(&w->e->spans, i, step, w);
    buf_str(&w->out.text, "]}");
}

static void stack(struct buf *b, const struct spans *s, int node)
{
    if (s->nodes[node].parent >= 0) {
        stack(b, s, s->nodes[node].parent);
        buf_char(b, ',');
    }
    buf_format(b, "%d", s->nodes[node].frame);
}

/* The samples, or their weights: the format has them in two lists. */
static void sums(struct speedscope *w, bool weights)
{
    const struct spans *s = &w->e->spans;
    bool any = false;
    for (int i = 0; i < s->n_nodes; i++) {
        int64_t ns = events_self_ns(w->e, &s->nodes[i]);
        if (ns <= 0)
            continue;
        buf_str(&w->out.text, any ? "," : "");
        any = true;
        if (weights) {
            buf_format(&w->out.text, "%lld", (long long)ns);
        } else {
            buf_str(&w->out.text, "\n[");
            stack(&w->out.text, s, i);
            buf_char(&w->out.text, ']');
        }
        export_out_pass(&w->out);
    }
}

static void all_added_up(struct speedscope *w)
{
    int64_t total = 0;
    for (int i = 0; i < w->e->spans.n_nodes; i++) {
        int64_t self = events_self_ns(w->e, &w->e->spans.nodes[i]);
        total += self > 0 ? self : 0;
    }
    begin_profile(w, "sampled", "all traversals added up", total);
    buf_str(&w->out.text, ",\"samples\":[");
    sums(w, false);
    buf_str(&w->out.text, "],\"weights\":[");
    sums(w, true);
    buf_str(&w->out.text, "]}");
}

static enum tare_status write_all(struct events *e, const struct sink *sink, struct tare_err *err)
{
    struct speedscope w = {.e = e};
    events_say_negative(e);
    export_out_begin(&w.out, sink, err);
    buf_str(&w.out.text, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",");
    frames(&w);
    buf_str(&w.out.text, "\"profiles\":[\n");
    for (int i = 0; i < e->spans.n_tracks; i++)
        if (e->spans.tracks[i].n_spans)
            track(&w, i);
    all_added_up(&w);
    struct buf name = BUF_INIT(1 << 16);
    const struct buf *left = &w.e->spans.left_out;
    buf_format(&name, "%s%s%s", w.e->title, left->len ? "; " : "", buf_text(left));
    buf_str(&w.out.text, "],\n\"activeProfileIndex\":0,\"exporter\":\"tare\",\"name\":");
    struct json_write j = json_into(&w.out.text, 0);
    json_string(&j, NULL, buf_text(&name));
    buf_str(&w.out.text, "}\n");
    buf_finish(&name);
    return export_out_end(&w.out);
}

const struct exporter exporter_speedscope = {"speedscope", "speedscope.json", .events = write_all, .spans = true};
