/* SPDX-License-Identifier: MIT
 * {"displayTimeUnit":"ns","otherData":{...},"traceEvents":[
 * {"ph":"B","name":"a.c:12 → a.c:14","pid":4711,"tid":4711,"cat":"arc","ts":1.234,"args":{"file":"a.c","line":12}},
 * ...
 *
 * The Trace Event Format, which Perfetto, the Firefox Profiler, speedscope and chrome://tracing open: begins and ends, strictly nested in each thread;
 * microseconds with three decimals since the first event. Lanes are threads with numbers from LANE_TID on. Times are as read, the probe's weight in
 * them. */
#include "events_export.h"
#include "exporters.h"
#include "json_write.h"

enum { LANE_TID = 1 << 28, CHROME_LINE_MAX = 1 << 16 };

struct chrome_line { /* around its time */
    const char *front, *back;
    size_t front_len, back_len;
    int track; /* 1 + that of which it is; 0: none */
};

struct chrome {
    struct export_out out;
    const struct events *e;
    bool any;
    struct chrome_line *lines; /* of each frame: ends, begins */
    struct arena arena;
};

static struct json_write event(struct chrome *c, const char *phase, const char *name, int track)
{
    const struct span_track *t = &c->e->spans.tracks[track];
    buf_str(&c->out.text, c->any ? ",\n" : "");
    c->any = true;
    struct json_write j = json_into(&c->out.text, 0);
    json_object(&j, NULL);
    json_string(&j, "ph", phase);
    json_string(&j, "name", name);
    json_integer(&j, "pid", t->pid);
    json_integer(&j, "tid", t->lane ? LANE_TID + track : (int64_t)t->tid);
    return j;
}

static void end(struct chrome *c, struct json_write *j)
{
    json_end(j);
    export_out_pass(&c->out);
}

/* A member with exact decimals: a double would not hold the nanoseconds of a long run. */
static void microseconds(struct chrome *c, const char *key, int64_t ns)
{
    buf_format(&c->out.text, ",\"%s\":%lld.%03lld", key, (long long)(ns / 1000), (long long)(ns % 1000));
}

static void name_track(struct chrome *c, int track)
{
    static const char *const kinds[] = {"process_name", "thread_name"};
    for (int i = 0; i < 2; i++) {
        struct json_write j = event(c, "M", kinds[i], track);
        json_object(&j, "args");
        json_string(&j, "name", i ? c->e->spans.tracks[track].name : events_program(c->e, c->e->spans.tracks[track].process));
        json_end(&j);
        end(c, &j);
    }
}

static void arguments(struct chrome *c, struct json_write *j, const struct span *x)
{
    const struct span_frame *f = &c->e->spans.frames[x->frame];
    if (f->kind != FRAME_LEFT_OUT && f->from < 0)
        return;
    json_object(j, "args");
    if (f->kind == FRAME_LEFT_OUT) {
        json_unsigned(j, "passages", x->left_out);
    } else {
        json_string(j, "file", events_frame_file(c->e, f));
        json_integer(j, "line", events_frame_line(c->e, f));
    }
    json_end(j);
}

static void write_step(struct chrome *c, const struct span *x, bool begin, size_t *ts, size_t *behind)
{
    const struct span_frame *f = &c->e->spans.frames[x->frame];
    struct json_write j = event(c, begin ? "B" : "E", f->name, x->track);
    if (begin)
        json_string(&j, "cat", frame_kind_name(f->kind));
    *ts = c->out.text.len;
    microseconds(c, "ts", begin ? x->begin_ns : x->end_ns);
    *behind = c->out.text.len;
    if (begin)
        arguments(c, &j, x);
    end(c, &j);
}

/* What all begins of a frame in a track have in common, and all ends: it is most of each line. */
static bool repeat_step(struct chrome *c, const struct span *x, bool begin)
{
    const struct chrome_line *l = &c->lines[2 * x->frame + begin];
    if (l->track != x->track + 1)
        return false;
    buf_add(&c->out.text, l->front, l->front_len);
    microseconds(c, "ts", begin ? x->begin_ns : x->end_ns);
    buf_add(&c->out.text, l->back, l->back_len);
    export_out_pass(&c->out);
    return true;
}

static void keep_step(struct chrome *c, const struct span *x, bool begin, const char *line, size_t ts, size_t behind, size_t end)
{
    struct chrome_line *l = &c->lines[2 * x->frame + begin];
    if (c->e->spans.frames[x->frame].kind == FRAME_LEFT_OUT) /* says how many each time */
        return;
    l->front = arena_copy(&c->arena, line, ts);
    l->back = arena_copy(&c->arena, line + behind, end - behind);
    l->front_len = ts;
    l->back_len = end - behind;
    l->track = l->front && l->back ? x->track + 1 : 0;
}

/* Begin and end, each with the decimals of its time: who adds a duration to a time as binary fractions gets spans that overlap. */
static void step(void *context, const struct span *x, bool begin)
{
    struct chrome *c = context;
    if (repeat_step(c, x, begin))
        return;
    const struct export_out kept = c->out;
    size_t ts, behind;
    c->out.text = BUF_INIT(CHROME_LINE_MAX);
    write_step(c, x, begin, &ts, &behind);
    struct buf line = c->out.text;
    c->out = kept;
    if (line.status)
        c->out.text.status = line.status;
    else
        keep_step(c, x, begin, line.data, ts, behind, line.len);
    buf_add(&c->out.text, line.data, line.len);
    buf_finish(&line);
    export_out_pass(&c->out);
}

/* What is left out, where every viewer shows it. */
static void remark(struct chrome *c)
{
    if (!c->e->spans.left_out.len || !c->e->spans.n_tracks)
        return;
    struct json_write j = event(c, "i", buf_text(&c->e->spans.left_out), 0);
    microseconds(c, "ts", 0);
    json_string(&j, "s", "g");
    end(c, &j);
}

static void notes(struct chrome *c)
{
    const struct spans *s = &c->e->spans;
    remark(c);
    for (int i = 0; i < s->n_marks; i++) {
        struct json_write j = event(c, "i", s->marks[i].text, s->marks[i].track);
        microseconds(c, "ts", s->marks[i].ns);
        json_string(&j, "s", "t");
        end(c, &j);
    }
    for (int i = 0; i < s->n_counts; i++) {
        const struct span_place *p = &s->places[s->counts[i].place];
        struct json_write j = event(c, "C", *p->name ? p->name : p->func, s->counts[i].track);
        microseconds(c, "ts", s->counts[i].ns);
        if (s->n_tracks > 1) /* else viewers join those of a process */
            json_string(&j, "id", s->tracks[s->counts[i].track].name);
        json_object(&j, "args");
        json_number(&j, "value", s->counts[i].value);
        json_end(&j);
        end(c, &j);
    }
}

static enum tare_status write_all(struct events *e, const struct sink *sink, struct tare_err *err)
{
    struct chrome c = {.e = e};
    c.lines = arena_array(&c.arena, 2 * (size_t)e->spans.n_frames + 1, sizeof *c.lines);
    if (!c.lines)
        return err_no_memory(err);
    export_out_begin(&c.out, sink, err);
    struct json_write j = json_into(&c.out.text, 0);
    json_object(&j, NULL);
    json_string(&j, "displayTimeUnit", "ns");
    json_object(&j, "otherData");
    json_string(&j, "program", e->title);
    json_unsigned(&j, "passages", e->spans.passages);
    json_unsigned(&j, "passages_shown", e->spans.shown);
    json_number(&j, "probe_ns", e->probe_ns);
    json_string(&j, "left_out", buf_text(&e->spans.left_out));
    json_end(&j);
    buf_str(&c.out.text, ",\"traceEvents\":[\n");
    for (int i = 0; i < e->spans.n_tracks; i++)
        name_track(&c, i);
    for (int i = 0; i < e->spans.n_tracks; i++)
        spans_walk(&e->spans, i, step, &c);
    notes(&c);
    buf_str(&c.out.text, "\n]}\n");
    enum tare_status status = export_out_end(&c.out);
    arena_finish(&c.arena);
    return status;
}

const struct exporter exporter_chrome = {"chrome", "trace.json", .events = write_all, .spans = true};
