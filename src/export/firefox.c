/* SPDX-License-Identifier: MIT
 *
 * The processed format of the Firefox Profiler, version 48 (newer ones of the profiler raise it on loading): tables of indexes for each thread. Its
 * samples cannot differ in length, so the call tree has all passages added up (one weighted sample for each stack, in ms, the probe's weight taken
 * off), and spans are markers with begin and end, as read. */
#include "events_export.h"
#include "exporters.h"
#include "json_write.h"

enum { VERSION = 48, GECKO_VERSION = 27 };

struct firefox {
    struct export_out out;
    struct events *e;
    int track;
};

/* ---- columns ---- */

/* "name":[...]: the value of each of n rows as the function writes it. */
static void column(struct firefox *w, const char *name, int n, void (*value)(struct firefox *w, int i))
{
    struct buf *b = &w->out.text;
    buf_format(b, "\"%s\":[", name);
    for (int i = 0; i < n; i++) {
        buf_str(b, i ? "," : "");
        value(w, i);
        export_out_pass(&w->out);
    }
    buf_str(b, "],");
}

static void length(struct firefox *w, int n)
{
    buf_format(&w->out.text, "\"length\":%d}", n);
}

static void null(struct firefox *w, int i)
{
    (void)i;
    buf_str(&w->out.text, "null");
}

static void zero(struct firefox *w, int i)
{
    (void)i;
    buf_char(&w->out.text, '0');
}

static void minus_one(struct firefox *w, int i)
{
    (void)i;
    buf_str(&w->out.text, "-1");
}

static void no(struct firefox *w, int i)
{
    (void)i;
    buf_str(&w->out.text, "false");
}

static void itself(struct firefox *w, int i)
{
    buf_format(&w->out.text, "%d", i);
}

static void milliseconds(struct buf *b, int64_t ns)
{
    buf_format(b, "%lld.%06lld", (long long)(ns / 1000000), (long long)(ns % 1000000));
}

/* ---- strings: names of frames, then files of places ---- */

static void text(struct firefox *w, const char *text)
{
    struct json_write j = json_into(&w->out.text, 0);
    json_string(&j, NULL, text);
}

static void strings(struct firefox *w)
{
    const struct spans *s = &w->e->spans;
    buf_str(&w->out.text, "\"stringArray\":[");
    for (int i = 0; i < s->n_frames; i++) {
        buf_str(&w->out.text, i ? "," : "");
        text(w, s->frames[i].name);
        export_out_pass(&w->out);
    }
    for (int i = 0; i < s->n_places; i++) {
        buf_str(&w->out.text, i || s->n_frames ? "," : "");
        text(w, s->places[i].file);
        export_out_pass(&w->out);
    }
    for (int i = 0; i < s->n_marks; i++) {
        buf_str(&w->out.text, ",");
        text(w, s->marks[i].text);
        export_out_pass(&w->out);
    }
    buf_str(&w->out.text, "]");
}

static void file_of(struct firefox *w, int i)
{
    const struct span_frame *f = &w->e->spans.frames[i];
    if (f->from >= 0)
        buf_format(&w->out.text, "%d", w->e->spans.n_frames + f->from);
    else
        null(w, i);
}

static void line_of(struct firefox *w, int i)
{
    const struct span_frame *f = &w->e->spans.frames[i];
    if (f->from >= 0)
        buf_format(&w->out.text, "%d", events_frame_line(w->e, f));
    else
        null(w, i);
}

/* ---- frames and functions: one of each for each frame of ours ---- */

static void tables_of_frames(struct firefox *w)
{
    int n = w->e->spans.n_frames;
    buf_str(&w->out.text, "\"frameTable\":{");
    column(w, "address", n, minus_one);
    column(w, "inlineDepth", n, zero);
    column(w, "category", n, zero);
    column(w, "subcategory", n, zero);
    column(w, "func", n, itself);
    column(w, "nativeSymbol", n, null);
    column(w, "innerWindowID", n, null);
    column(w, "implementation", n, null);
    column(w, "line", n, line_of);
    column(w, "column", n, null);
    length(w, n);
    buf_str(&w->out.text, ",\n\"funcTable\":{");
    column(w, "isJS", n, no);
    column(w, "relevantForJS", n, no);
    column(w, "name", n, itself);
    column(w, "resource", n, minus_one);
    column(w, "fileName", n, file_of);
    column(w, "lineNumber", n, line_of);
    column(w, "columnNumber", n, null);
    length(w, n);
    buf_str(&w->out.text, ",\n\"resourceTable\":{\"lib\":[],\"name\":[],\"host\":[],\"type\":[],\"length\":0},"
                          "\"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[],\"functionSize\":[],\"length\":0},\n");
}

/* ---- stacks and samples ---- */

static void node_frame(struct firefox *w, int i)
{
    buf_format(&w->out.text, "%d", w->e->spans.nodes[i].frame);
}

static void node_parent(struct firefox *w, int i)
{
    if (w->e->spans.nodes[i].parent >= 0)
        buf_format(&w->out.text, "%d", w->e->spans.nodes[i].parent);
    else
        null(w, i);
}

static int root_of(const struct spans *s, int node)
{
    while (s->nodes[node].parent >= 0)
        node = s->nodes[node].parent;
    return node;
}

/* The column of samples of this track's nodes: those with time, then one without a stack at the end. */
static int samples(struct firefox *w, const char *name, void (*value)(struct firefox *w, int node))
{
    const struct spans *s = &w->e->spans;
    int n = 0;
    buf_format(&w->out.text, "\"%s\":[", name);
    for (int i = 0; i < s->n_nodes; i++) {
        if (s->nodes[root_of(s, i)].frame != s->tracks[w->track].frame || events_self_ns(w->e, &s->nodes[i]) <= 0)
            continue;
        buf_str(&w->out.text, n++ ? "," : "");
        value(w, i);
        export_out_pass(&w->out);
    }
    buf_str(&w->out.text, n++ ? "," : "");
    value(w, -1);
    buf_str(&w->out.text, "],");
    return n;
}

static void sample_stack(struct firefox *w, int node)
{
    if (node < 0)
        null(w, node);
    else
        itself(w, node);
}

static void sample_time(struct firefox *w, int node)
{
    milliseconds(&w->out.text, node < 0 ? w->e->spans.end_ns - w->e->spans.start_ns : 0);
}

static void sample_weight(struct firefox *w, int node)
{
    milliseconds(&w->out.text, node < 0 ? 0 : events_self_ns(w->e, &w->e->spans.nodes[node]));
}

static void tables_of_stacks(struct firefox *w)
{
    int n = w->e->spans.n_nodes;
    buf_str(&w->out.text, "\"stackTable\":{");
    column(w, "frame", n, node_frame);
    column(w, "prefix", n, node_parent);
    column(w, "category", n, zero);
    column(w, "subcategory", n, zero);
    length(w, n);
    buf_str(&w->out.text, ",\n\"samples\":{\"weightType\":\"tracing-ms\",");
    samples(w, "stack", sample_stack);
    samples(w, "time", sample_time);
    length(w, samples(w, "weight", sample_weight));
    buf_str(&w->out.text, ",\n");
}

/* ---- markers: spans, marks ---- */

/* Spans of the track, then its marks: the column's value for each. */
static int markers(struct firefox *w, const char *name, void (*span)(struct firefox *w, const struct span *x),
                   void (*mark)(struct firefox *w, int i))
{
    const struct spans *s = &w->e->spans;
    const struct span_track *t = &s->tracks[w->track];
    int n = 0;
    buf_format(&w->out.text, "\"%s\":[", name);
    for (int i = t->first_span; i < t->first_span + t->n_spans; i++) {
        buf_str(&w->out.text, n++ ? "," : "");
        span(w, &s->spans[i]);
        export_out_pass(&w->out);
    }
    for (int i = 0; i < s->n_marks; i++) {
        if (s->marks[i].track != w->track)
            continue;
        buf_str(&w->out.text, n++ ? "," : "");
        mark(w, i);
        export_out_pass(&w->out);
    }
    buf_str(&w->out.text, "],");
    return n;
}

static void span_data(struct firefox *w, const struct span *x)
{
    const struct span_frame *f = &w->e->spans.frames[x->frame];
    struct json_write j = json_into(&w->out.text, 0);
    json_object(&j, NULL);
    json_string(&j, "type", events_kind(f->kind));
    if (f->kind == FRAME_LEFT_OUT)
        json_unsigned(&j, "passages", x->left_out);
    if (f->from >= 0) {
        json_string(&j, "file", events_frame_file(w->e, f));
        json_integer(&j, "line", events_frame_line(w->e, f));
    }
    json_end(&j);
}

static void span_name(struct firefox *w, const struct span *x)
{
    buf_format(&w->out.text, "%d", x->frame);
}

static void span_begin(struct firefox *w, const struct span *x)
{
    milliseconds(&w->out.text, x->begin_ns);
}

static void span_end(struct firefox *w, const struct span *x)
{
    milliseconds(&w->out.text, x->end_ns);
}

static void span_phase(struct firefox *w, const struct span *x)
{
    (void)x;
    buf_char(&w->out.text, '1'); /* an interval */
}

static void span_category(struct firefox *w, const struct span *x)
{
    (void)x;
    buf_char(&w->out.text, '0');
}

static void mark_name(struct firefox *w, int i)
{
    buf_format(&w->out.text, "%d", w->e->spans.n_frames + w->e->spans.n_places + i);
}

static void mark_time(struct firefox *w, int i)
{
    milliseconds(&w->out.text, w->e->spans.marks[i].ns);
}

static void tables_of_markers(struct firefox *w)
{
    buf_str(&w->out.text, "\"markers\":{");
    markers(w, "data", span_data, null);
    markers(w, "name", span_name, mark_name);
    markers(w, "startTime", span_begin, mark_time);
    markers(w, "endTime", span_end, null);
    markers(w, "phase", span_phase, zero); /* of a mark: an instant */
    length(w, markers(w, "category", span_category, zero));
    buf_str(&w->out.text, ",\n");
}

/* ---- threads, and what is said of all ---- */

static void thread(struct firefox *w, int track)
{
    const struct span_track *t = &w->e->spans.tracks[track];
    struct json_write j = json_into(&w->out.text, 0);
    w->track = track;
    buf_str(&w->out.text, track ? ",\n" : "");
    json_object(&j, NULL);
    json_string(&j, "processType", "default");
    json_string(&j, "processName", events_program(w->e, t->process));
    json_integer(&j, "processStartupTime", 0);
    json_null(&j, "processShutdownTime");
    json_integer(&j, "registerTime", 0);
    json_null(&j, "unregisterTime");
    json_array(&j, "pausedRanges");
    json_end(&j);
    json_string(&j, "name", t->name);
    json_bool(&j, "isMainThread", !t->lane && t->tid == t->pid);
    char pid[16];
    struct buf number = buf_over(pid, sizeof pid);
    buf_format(&number, "%u", t->pid);
    json_string(&j, "pid", pid);
    json_integer(&j, "tid", t->lane ? -1 - track : (int64_t)t->tid);
    buf_str(&w->out.text, ",\n");
    tables_of_frames(w);
    tables_of_stacks(w);
    tables_of_markers(w);
    strings(w);
    buf_char(&w->out.text, '}');
}

static void marker_schema(struct json_write *j, enum frame_kind kind)
{
    static const char *const fields[][3] = {
        {"file", "File", "string"}, {"line", "Line", "integer"}, {"passages", "Passages", "integer"}};
    json_object(j, NULL);
    json_string(j, "name", events_kind(kind));
    json_string(j, "tooltipLabel", "{marker.name}");
    json_string(j, "tableLabel", "{marker.name}");
    json_string(j, "chartLabel", "{marker.name}");
    json_array(j, "display");
    json_string(j, NULL, "marker-chart");
    json_string(j, NULL, "marker-table");
    json_end(j);
    json_array(j, "data");
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        json_object(j, NULL);
        json_string(j, "key", fields[i][0]);
        json_string(j, "label", fields[i][1]);
        json_string(j, "format", fields[i][2]);
        json_bool(j, "searchable", true);
        json_end(j);
    }
    json_end(j);
    json_end(j);
}

static void remark(struct json_write *j, const char *text)
{
    json_array(j, "extra");
    json_object(j, NULL);
    json_string(j, "label", "tare");
    json_array(j, "entries");
    json_object(j, NULL);
    json_string(j, "label", "What is left out");
    json_string(j, "format", "string");
    json_string(j, "value", *text ? text : "nothing");
    json_end(j);
    json_end(j);
    json_end(j);
    json_end(j);
}

static void meta(struct firefox *w)
{
    struct json_write j = json_into(&w->out.text, 0);
    json_object(&j, NULL);
    json_number(&j, "interval", 1);
    json_number(&j, "startTime", (double)(w->e->spans.start_ns + w->e->spans.to_utc_ns) / 1e6);
    json_integer(&j, "processType", 0);
    json_integer(&j, "stackwalk", 0);
    json_integer(&j, "debug", 0);
    json_string(&j, "product", w->e->title);
    json_string(&j, "importedFrom", "tare");
    json_integer(&j, "version", GECKO_VERSION);
    json_integer(&j, "preprocessedProfileVersion", VERSION);
    json_bool(&j, "symbolicated", true);
    json_array(&j, "categories");
    json_object(&j, NULL);
    json_string(&j, "name", "Other");
    json_string(&j, "color", "grey");
    json_array(&j, "subcategories");
    json_string(&j, NULL, "Other");
    json_end(&j);
    json_end(&j);
    json_end(&j);
    json_array(&j, "markerSchema");
    for (int kind = FRAME_ARC; kind < FRAME_TRACK; kind++)
        marker_schema(&j, (enum frame_kind)kind);
    json_end(&j);
    remark(&j, buf_text(&w->e->spans.left_out));
    json_end(&j);
}

static enum tare_status write_all(struct events *e, const struct sink *sink, struct tare_err *err)
{
    struct firefox w = {.e = e};
    events_say_negative(e);
    export_out_begin(&w.out, sink, err);
    buf_str(&w.out.text, "{\"meta\":");
    meta(&w);
    buf_str(&w.out.text, ",\n\"libs\":[],\"pages\":[],\n\"threads\":[\n");
    for (int i = 0; i < e->spans.n_tracks; i++)
        thread(&w, i);
    buf_str(&w.out.text, "]}\n");
    return export_out_end(&w.out);
}

static enum tare_status write_firefox(const struct record *r, const struct export_options *o, const struct sink *sink,
                                      struct tare_err *err)
{
    struct events e;
    enum tare_status status = events_open(&e, r, o, true, err);
    if (!status)
        status = write_all(&e, sink, err);
    events_close(&e);
    return status;
}

const struct exporter exporter_firefox = {"firefox", "firefox.json", write_firefox};
