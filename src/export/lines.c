/* SPDX-License-Identifier: MIT
 * {"prev":{"file":"a.c","line":12,"func":"main"},"curr":{"file":"a.c","line":15,"func":"main"},"dt":858,"ref_start":23,"ref_end":23}
 *
 * The passages of a run as the lines that SAMPLER v2's programs write, for its tools: thread after thread, an empty line at the end. Whole nanoseconds; dt
 * is as read, less what libtare took in between, and both refs are what a probe weighed in this session, so that
 * dt - (ref_start + ref_end) / 2 is the passage. Passages of lanes and of signal handlers have no place there. */
#include "events_export.h"
#include "exporters.h"
#include "json_write.h"
#include "trace_events.h"
#include <math.h>

struct lines {
    struct export_out *out;
    int64_t ref_ns;
    const struct trace_place *from; /* NULL: no arc has begun */
    int64_t begin_ns, gap_ns;
    double begin_fraction;
    int64_t left_out;
};

static void place(struct json_write *j, const char *key, const struct trace_place *p)
{
    json_object(j, key);
    json_string(j, "file", p->file);
    json_integer(j, "line", p->line);
    if (p->ordinal)
        json_integer(j, "ordinal", p->ordinal);
    json_string(j, "func", p->func);
    json_end(j);
}

static void line(struct lines *l, const struct trace_event *e)
{
    struct json_write json = json_into(&l->out->text, 0), *j = &json;
    json_object(j, NULL);
    place(j, "prev", l->from);
    place(j, "curr", e->point);
    json_integer(j, "dt", e->ns - l->begin_ns - l->gap_ns + (int64_t)llround(e->fraction - l->begin_fraction));
    json_integer(j, "ref_start", l->ref_ns);
    json_integer(j, "ref_end", l->ref_ns);
    json_end(j);
    buf_char(&l->out->text, '\n');
    export_out_pass(l->out);
}

static void pass(struct lines *l, const struct trace_event *e)
{
    if (e->lane || e->depth) {
        l->left_out++;
        return;
    }
    if (l->from)
        line(l, e);
    l->from = e->point;
    l->begin_ns = e->end_ns;
    l->begin_fraction = e->end_ns == e->ns ? e->fraction : 0;
    l->gap_ns = 0;
}

static void take(struct lines *l, const struct trace_event *e)
{
    switch (e->kind) {
    case EVENT_POINT:
    case EVENT_SCOPE_BEGIN:
    case EVENT_SCOPE_END:
        pass(l, e);
        break;
    case EVENT_BREAK:
    case EVENT_BURST:
    case EVENT_LOST:
        l->from = NULL;
        break;
    case EVENT_GAP:
        l->gap_ns += e->end_ns - e->ns;
        break;
    default:
        break;
    }
}

static enum tare_status threads(struct lines *l, const struct trace_file *f, struct tare_err *err)
{
    const struct trace_thread *all;
    const int n = trace_file_threads(f, &all);
    enum tare_status status = TARE_OK;
    for (int i = 0; i < n && !status; i++) {
        const struct trace_window window = {.thread = i, .from_ns = INT64_MIN, .to_ns = INT64_MAX};
        struct trace_events *it;
        struct trace_event e;
        status = trace_events_open(&it, f, &window, err);
        if (status)
            break;
        l->from = NULL;
        while (trace_events_next(it, &e))
            take(l, &e);
        status = trace_events_close(it, err);
    }
    return status;
}

static enum tare_status check(const struct record *r, const struct export_options *o, struct tare_err *err)
{
    enum tare_status status = events_possible(r, o, err);
    if (status)
        return status;
    for (int i = 0; i < o->n_traces; i++)
        if (trace_file_head(o->traces[i])->order == TRACE_PRECISE)
            return err_set(err, TARE_UNSUPPORTED,
                           "a run with four stamps at every point keeps two of them for lines; trace it ordered");
    return TARE_OK;
}

static enum tare_status write_lines(const struct record *r, const struct export_options *o, const struct sink *sink,
                                    struct tare_err *err)
{
    struct export_out out;
    enum tare_status status = check(r, o, err);
    if (status)
        return status;
    export_out_begin(&out, sink, err);
    struct lines l = {.out = &out, .ref_ns = (int64_t)llround(spans_probe_ns(r))};
    for (int i = 0; i < o->n_traces && !status; i++)
        status = threads(&l, o->traces[i], err);
    buf_char(&out.text, '\n');
    if (l.left_out && o->left_out)
        buf_format(o->left_out, "%s%lld hit%s in lanes or signal handlers %s left out.", o->left_out->len ? " " : "",
                   (long long)l.left_out, buf_plural((long long)l.left_out), l.left_out == 1 ? "is" : "are");
    enum tare_status written = export_out_end(&out);
    return status ? status : written;
}

const struct exporter exporter_lines = {"lines", "out", .write = write_lines};
